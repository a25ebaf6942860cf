/* Listings too large for memory, or for one turn: sent from a file, handed off, read by a thread. */
#include "handler/pages.h"

#include "handler/decode.h"
#include "handler/trees.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

Suite *pages_large_suite(void);

#define PATIENCE 4000

static struct fixture f;

static void
setup(void)
{
	trees_make_paged(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

/* A folder whose page is larger than what is kept in memory. */
static void
make_large(int count)
{
	char name[256];

	f.options.page_size = 0;
	for (int i = 0; i < count; i++) {
		int at = snprintf(name, sizeof(name), "root/dir/f%04d-", i);

		for (int j = 0; j < 200; j++)
			name[at++] = text_at((size_t)(i * 200 + j));
		name[at] = '\0';
		fixture_file(&f, name, "x");
	}
}

START_TEST(a_large_page_is_sent_from_a_file)
{
	char first[64], second[64];
	struct buf whole;

	make_large(1500);
	buf_init(&whole, (size_t)8 << 20);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_FILE);
	ck_assert_int_ge(f.response.fd, 0);
	ck_assert(f.response.fd_is_stable);
	ck_assert_uint_gt(f.content.len, INLINE_MAX);
	ck_assert_uint_eq(fixture_count(&f, "<a href=\"f"), 1500);
	ck_assert(fixture_has(&f, "1500 files"));
	fixture_etag(&f, first);
	buf_str(&whole, buf_view(&f.content));
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	fixture_etag(&f, second);
	ck_assert_str_eq(first, second);
	ck_assert(str_eq(buf_view(&whole), buf_view(&f.content)));
	f.request.range = S("bytes=70000-70099");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 206);
	ck_assert(str_eq(buf_view(&f.content), str_sub(buf_view(&whole), 70000, 100)));
	f.request.range = (struct str){ NULL, 0 };
	fixture_file(&f, "root/dir/one more", "");
	/* A thread's work is for all who came before it began. */
	f.request.received++;
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(fixture_has(&f, "1501 files"));
	buf_release(&whole);
}
END_TEST

/* Up to some four megabytes, and the first to ask has the coded form. */
START_TEST(a_large_page_is_coded_at_once)
{
	make_large((int[]){ 1500, 4500, 9900 }[_i]);
	f.options.codings[CODING_IDENTITY] = f.options.codings[CODING_BR] = true;
	f.request.accept_encoding = S("br");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_field(&f, "Content-Encoding", "br");
}
END_TEST

static bool
is_best(void)
{
	char tag[64];

	fixture_etag(&f, tag);
	return str_ends(str_from(tag), S(".br9\""));
}

/* Who has the quick form goes on with that. */
START_TEST(a_large_page_that_is_asked_for_often)
{
	char quick[64];

	make_large(4500);
	f.options.codings[CODING_IDENTITY] = f.options.codings[CODING_BR] = true;
	f.request.accept_encoding = S("br");
	for (int i = 0; i < 60; i++) {
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_field(&f, "Content-Encoding", "br");
		ck_assert(!is_best());
		usleep(10000);
	}
	fixture_etag(&f, quick);
	for (int i = 0; i < PATIENCE && !is_best(); i++) {
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		usleep(1000);
	}
	ck_assert(is_best());
	ck_assert_field(&f, "Content-Encoding", "br");
	f.request.if_none_match = str_from(quick);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 304);
}
END_TEST

/* A page that fits into no budget is made each time. */
START_TEST(a_large_page_without_memory_to_keep_it)
{
	make_large(1500);
	f.options.cache_memory = (size_t[]){ 0, 1000, 100000 }[_i];
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_uint_eq(fixture_count(&f, "<a href=\"f"), 1500);
		f.request.query = S("format=json");
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert(fixture_has(&f, "\"files\":1500,"));
		f.request.query = (struct str){ NULL, 0 };
	}
}
END_TEST

/* The page that is handed off is what the front reads where it is told to. lighttpd keeps the coding; mod_xsendfile does not;
 * no other front knows the field. */
static const struct {
	enum front front;
	const char *accept;
	bool off, handed_off; /* off: it is not configured */
} fronts[] = {
	{ FRONT_LIGHTTPD, NULL, false, true },
	{ FRONT_LIGHTTPD, "gzip", false, true },
	{ FRONT_LIGHTTPD, "br", false, true },
	{ FRONT_APACHE, NULL, false, true },
	{ FRONT_APACHE, "gzip", false, false },
	{ FRONT_NGINX, NULL, false, false },
	{ FRONT_NGINX, "gzip", false, false },
	{ FRONT_LITESPEED, NULL, false, false },
	{ FRONT_UNKNOWN, NULL, false, false },
	{ FRONT_LIGHTTPD, NULL, true, false },
};

static char cache_dir[PATH_MAX];

static void
check_page(struct str coding, struct str content)
{
	char *bytes = malloc((size_t)4 << 20);
	size_t len = coding.len > 0 ? decode(coding, content, bytes, (size_t)4 << 20) : content.len;
	struct str page = { coding.len > 0 ? bytes : content.ptr, len };

	ck_assert(str_starts(page, S("<!DOCTYPE html>")));
	ck_assert_ptr_nonnull(memmem(page.ptr, page.len, "1500 files", 10));
	ck_assert(str_ends(page, S("</html>\n")));
	free(bytes);
}

START_TEST(a_large_page_is_handed_off_where_the_front_keeps_its_coding)
{
	struct buf sent;

	buf_init(&sent, (size_t)8 << 20);
	fixture_path(&f, "cache", cache_dir);
	f.options.cache_dir = cache_dir;
	f.options.cache_handoff.mode = fronts[_i].off ? HANDOFF_OFF : HANDOFF_X_SENDFILE;
	f.options.codings[CODING_IDENTITY] = f.options.codings[CODING_GZIP] = f.options.codings[CODING_BR] = true;
	make_large(1500);
	f.request.front = fronts[_i].front;
	f.request.accept_encoding = str_from(fronts[_i].accept);
	for (int i = 0; i < 2; i++) {
		buf_reset(&sent);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_field(&f, "Vary", "Accept, Accept-Encoding");
		ck_assert_field(&f, "Content-Type", "text/html; charset=utf-8");
		ck_assert(fixture_field(&f, "ETag").len > 2);
		ck_assert(fixture_field(&f, "Content-Security-Policy").len > 0);
		ck_assert_str_is(fixture_field(&f, "Content-Encoding"), fronts[_i].accept != NULL ? fronts[_i].accept : "");
		ck_assert_int_eq(fixture_body(&f) == BODY_HANDOFF, fronts[_i].handed_off);
		if (fronts[_i].handed_off)
			read_handed_off(&f, cache_dir, &sent);
		else
			buf_str(&sent, buf_view(&f.content));
		check_page(str_from(fronts[_i].accept), buf_view(&sent));
	}
	buf_release(&sent);
}
END_TEST

/* More than is read while others wait. */
#define MANY 17000

static void
make_many(void)
{
	char name[PATH_MAX];
	int dir, fd;

	fixture_path(&f, "root/dir", name);
	dir = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "f%05d", i);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		ck_assert_int_ge(fd, 0);
		close(fd);
	}
	close(dir);
}

static const struct {
	const char *query, *accept;
	const char *says;
	size_t rows; /* 0: it has no rows to count */
} long_views[] = {
	{ NULL, NULL, "<a href=\"f16999\">", MANY },
	{ NULL, BROWSER, "<a href=\"f00009\">", 10 },
	{ "page=1700", BROWSER, "<a href=\"f16990\">", 10 },
	{ "sort=time&order=desc&page=1", BROWSER, "page 1 of 170", 10 },
	{ "format=json", NULL, "\"name\":\"f16999\"", 0 },
};

static int many_now;

/* A thread reads it; meanwhile others are answered, and what changes afterwards shows. Where one request is all there is
 * nothing is left to a thread. */
static void
check_long_view(int row, bool alone)
{
	bool json = long_views[row].rows == 0;
	struct response other;
	char name[64], want[32];

	f.options.alone = alone;
	f.request.query = str_from(long_views[row].query);
	f.request.accept = str_from(long_views[row].accept);
	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	f.open = true;
	ck_assert_int_eq(handler_descriptor(&f.handler) >= 0, !alone);
	fixture_target(&f, "/dir/");
	handler_respond(&f.handler, &f.request, &f.response);
	ck_assert_int_eq(f.response.status, alone ? 200 : 0);
	response_init(&other);
	fixture_target(&f, "/a.txt");
	handler_respond(&f.handler, &f.request, &other);
	ck_assert_int_eq(other.status, 200);
	handler_finish(&f.handler, &other);
	response_release(&other);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		snprintf(want, sizeof(want), "%s%d%s", json ? "\"files\":" : " ", many_now, json ? "," : " files");
		ck_assert(fixture_has(&f, want));
		ck_assert(fixture_has(&f, long_views[row].says));
		if (!json)
			ck_assert_uint_eq(fixture_count(&f, "<tr><td><a href=\""),
			    1 + (long_views[row].rows == MANY ? (size_t)many_now : long_views[row].rows));
		snprintf(name, sizeof(name), "root/dir/g%05d", many_now++);
		fixture_file(&f, name, "");
		f.request.received++;
	}
	handler_finish(&f.handler, &f.response);
	response_reset(&f.response);
	handler_release(&f.handler);
	f.open = false;
}

START_TEST(a_folder_of_very_many)
{
	make_many();
	many_now = MANY;
	fixture_file(&f, "root/a.txt", "other");
	for (int row = 0; row < ROWS(long_views); row++)
		check_long_view(row, false);
	check_long_view(0, true);
}
END_TEST

/* Given up while the thread reads: nothing is left over, nothing is waited for. */
START_TEST(a_handler_ends_while_a_thread_reads)
{
	make_many();
	fixture_target(&f, "/dir/");
	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	f.open = true;
	handler_respond(&f.handler, &f.request, &f.response);
	ck_assert_int_eq(f.response.status, 0);
}
END_TEST

Suite *
pages_large_suite(void)
{
	Suite *suite = suite_create("handler/pages_large");

	suite_add_case(suite, a_large_page_is_sent_from_a_file, 1, setup, teardown);
	suite_add_case(suite, a_large_page_is_coded_at_once, 3, setup, teardown);
	suite_add_case(suite, a_large_page_that_is_asked_for_often, 1, setup, teardown);
	suite_add_case(suite, a_large_page_without_memory_to_keep_it, 3, setup, teardown);
	suite_add_case(suite, a_large_page_is_handed_off_where_the_front_keeps_its_coding, ROWS(fronts), setup, teardown);
	suite_add_case(suite, a_folder_of_very_many, 1, setup, teardown);
	suite_add_case(suite, a_handler_ends_while_a_thread_reads, 1, setup, teardown);
	return suite;
}
