/* Listings that are remembered: pages of a view, and that every change shows in the next answer all the same. */
#include "handler/pages.h"

#include "handler/fixture.h"
#include "suites.h"

#include <brotli/decode.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *pages_suite(void);

#define BROWSER "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
	f.options.cache_memory = (size_t)64 << 20;
	f.options.cache_disk = INT64_C(1) << 30;
	f.options.watches = 16;
	f.options.page_size = 10;
	fixture_directory(&f, "root/dir");
	fixture_time(&f, "root/dir", WRITTEN, 0);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

/* f00, f01 and so on in a folder. */
static void
make_files(const char *folder, int count)
{
	char name[64];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "root/%s/f%02d", folder, i);
		fixture_file(&f, name, "x");
	}
}

/* Of 25 files and 3 folders, ten rows a page; folders come first. */
static const struct {
	const char *query, *accept;
	int folders, first, last; /* the files' numbers, last excluded */
	const char *says;         /* NULL: everything is there, and no word of pages */
} paged[] = {
	{ NULL, BROWSER, 3, 0, 7, "Rows 1\xe2\x80\x93" "10 of 28, page 1 of 3" },
	{ NULL, "text/html", 3, 0, 7, "Rows 1\xe2\x80\x93" "10 of 28, page 1 of 3" },
	{ "page=1", BROWSER, 3, 0, 7, "Rows 1\xe2\x80\x93" "10 of 28, page 1 of 3" },
	{ "page=2", BROWSER, 0, 7, 17, "Rows 11\xe2\x80\x93" "20 of 28, page 2 of 3" },
	{ "page=3", BROWSER, 0, 17, 25, "Rows 21\xe2\x80\x93" "28 of 28, page 3 of 3" },
	{ "page=4", BROWSER, 0, 17, 25, "Rows 21\xe2\x80\x93" "28 of 28, page 3 of 3" },
	{ "page=99999999999999999999", BROWSER, 0, 17, 25, "Rows 21\xe2\x80\x93" "28 of 28, page 3 of 3" },
	{ "page=0", BROWSER, 3, 0, 7, "page 1 of 3" },
	{ "page=-1", BROWSER, 3, 0, 7, "page 1 of 3" },
	{ "page=x", BROWSER, 3, 0, 7, "page 1 of 3" },
	{ "page=all", BROWSER, 3, 0, 25, NULL },
	{ "page=2", NULL, 0, 7, 17, "page 2 of 3" },
	{ NULL, NULL, 3, 0, 25, NULL },
	{ NULL, "*/*", 3, 0, 25, NULL },
	{ NULL, "text/*", 3, 0, 25, NULL },
	{ NULL, "", 3, 0, 25, NULL },
	{ "format=json", BROWSER, 3, 0, 25, NULL },
	{ "format=json&page=2", BROWSER, 3, 0, 25, NULL },
	{ NULL, "application/json", 3, 0, 25, NULL },
	{ "sort=name&order=desc", BROWSER, 3, 18, 25, "page 1 of 3" },
	{ "sort=name&order=desc&page=3", BROWSER, 0, 0, 8, "page 3 of 3" },
	{ "sort=size", BROWSER, 3, 0, 7, "page 1 of 3" },
	{ "sort=time&order=desc&page=3", BROWSER, 0, 0, 8, "page 3 of 3" },
};

static void
check_paged(int folders, int first, int last, bool json)
{
	char want[32];

	for (int i = 0; i < 3; i++) {
		snprintf(want, sizeof(want), json ? "\"href\":\"d%d/\"" : "<a href=\"d%d/\">", i);
		ck_assert_int_eq((int)fixture_count(&f, want), i < folders);
	}
	for (int i = 0; i < 25; i++) {
		snprintf(want, sizeof(want), json ? "\"href\":\"f%02d\"" : "<a href=\"f%02d\">", i);
		ck_assert_msg((int)fixture_count(&f, want) == (i >= first && i < last), "f%02d", i);
	}
}

static void
make_28(void)
{
	make_files("dir", 25);
	for (int i = 0; i < 3; i++) {
		char name[32];

		snprintf(name, sizeof(name), "root/dir/d%d", i);
		fixture_directory(&f, name);
	}
}

START_TEST(pages_of_a_view)
{
	bool json = str_has(str_from(paged[_i].accept), 'j') ||
	    (paged[_i].query != NULL && strstr(paged[_i].query, "json") != NULL);

	make_28();
	f.request.query = str_from(paged[_i].query);
	f.request.accept = str_from(paged[_i].accept);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	check_paged(paged[_i].folders, paged[_i].first, paged[_i].last, json);
	if (paged[_i].says != NULL)
		ck_assert(fixture_has(&f, paged[_i].says));
	else
		ck_assert(!fixture_has(&f, "aria-label=\"Pages\""));
	/* The counts are of the folder, not of the page. */
	ck_assert(fixture_has(&f, json ? "\"directories\":3,\"files\":25," : "3 folders, 25 files"));
}
END_TEST

START_TEST(no_pages_when_none_are_wanted)
{
	make_28();
	f.options.page_size = (size_t[]){ 0, 28, 1000 }[_i];
	f.request.accept = S(BROWSER);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	check_paged(3, 0, 25, false);
	ck_assert(!fixture_has(&f, "aria-label=\"Pages\""));
	ck_assert(fixture_has(&f, "3 folders, 25 files, 25 B"));
}
END_TEST

/* A sum is shown when all of it was looked at; never that of one page as if it were the folder's. */
START_TEST(a_sum_is_the_folders)
{
	make_28();
	f.request.accept = S(BROWSER);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(!fixture_has(&f, "25 files, 7 B"));
	ck_assert(!fixture_has(&f, "at least"));
	f.request.query = S("page=all");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(fixture_has(&f, "25 files, 25 B"));
}
END_TEST

START_TEST(each_page_has_a_tag_of_its_own)
{
	static const char *const queries[] = { "page=1", "page=2", "page=3", "page=all", "format=json", "order=desc" };
	enum { VIEWS = sizeof(queries) / sizeof(queries[0]) };
	char tags[VIEWS][64];

	make_28();
	f.request.accept = S(BROWSER);
	for (size_t round = 0; round < 2; round++)
		for (size_t i = 0; i < VIEWS; i++) {
			char again[64];

			f.request.query = str_from(queries[i]);
			ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
			fixture_etag(&f, round == 0 ? tags[i] : again);
			if (round == 1)
				ck_assert_str_eq(tags[i], again);
			for (size_t j = 0; round == 0 && j < i; j++)
				ck_assert_str_ne(tags[i], tags[j]);
		}
}
END_TEST

/* Every change that a folder can have. What is told of it is what JSON says of all rows afterwards. */
static void
change_path(const char *name, char out[PATH_MAX])
{
	char below[128];

	snprintf(below, sizeof(below), "root/dir/%s", name);
	fixture_path(&f, below, out);
}

static void
create(void)
{
	fixture_file(&f, "root/dir/new", "12");
}

static void
erase(void)
{
	char path[PATH_MAX];

	change_path("f03", path);
	ck_assert_int_eq(unlink(path), 0);
}

static void
rename_within(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	change_path("f05", from);
	change_path("g05", to);
	ck_assert_int_eq(rename(from, to), 0);
}

static void
rename_over(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	fixture_file(&f, "root/other", "replaced");
	fixture_path(&f, "root/other", from);
	change_path("f04", to);
	ck_assert_int_eq(rename(from, to), 0);
}

static void
move_out(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	change_path("f06", from);
	fixture_path(&f, "root/f06", to);
	ck_assert_int_eq(rename(from, to), 0);
}

static void
append(void)
{
	char path[PATH_MAX];
	int fd;

	change_path("f07", path);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ck_assert_int_eq(write(fd, "yyy", 3), 3);
	close(fd);
	fixture_time(&f, "root/dir/f07", WRITTEN, 0);
}

static void
shorten(void)
{
	char path[PATH_MAX];

	change_path("f08", path);
	ck_assert_int_eq(truncate(path, 0), 0);
	fixture_time(&f, "root/dir/f08", WRITTEN, 0);
}

static void
touch(void)
{
	fixture_time(&f, "root/dir/f09", WRITTEN + 60, 0);
}

static void
become_folder(void)
{
	char path[PATH_MAX];

	change_path("f10", path);
	ck_assert_int_eq(unlink(path), 0);
	fixture_directory(&f, "root/dir/f10");
	fixture_time(&f, "root/dir/f10", WRITTEN, 0);
}

static void
touch_folder(void)
{
	fixture_file(&f, "root/dir/sub/inner", "");
	fixture_time(&f, "root/dir/sub", WRITTEN + 120, 0);
}

/* Neither the folder nor what is in it is touched: what the link leads to is. */
static void
change_target(void)
{
	fixture_file(&f, "root/target", "twelve bytes");
}

static void
swap_link(void)
{
	char path[PATH_MAX];

	change_path("link", path);
	ck_assert_int_eq(unlink(path), 0);
	fixture_link(&f, "root/dir/link", "sub");
}

static void
break_link(void)
{
	char path[PATH_MAX];

	fixture_path(&f, "root/target", path);
	ck_assert_int_eq(unlink(path), 0);
}

/* By its other name, in another folder. */
static void
write_twin(void)
{
	fixture_file(&f, "root/twin", "four");
}

static void
replace_folder(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	fixture_path(&f, "root/dir", from);
	fixture_path(&f, "root/old", to);
	ck_assert_int_eq(rename(from, to), 0);
	fixture_directory(&f, "root/dir");
	fixture_file(&f, "root/dir/only", "1");
}

#define FILE_ROW(name, size, time) \
	"{\"name\":\"" name "\",\"type\":\"file\",\"size\":" size ",\"mtime\":\"2023-11-14T22:" time "Z\""
#define FOLDER_ROW(name, time) "{\"name\":\"" name "\",\"type\":\"directory\",\"mtime\":\"2023-11-14T22:" time "Z\""

static const struct {
	void (*make)(void);
	const char *there, *gone; /* NULL: no matter */
} changes[] = {
	{ create, FILE_ROW("new", "2", "13:20"), NULL },
	{ erase, NULL, "\"f03\"" },
	{ rename_within, FILE_ROW("g05", "1", "13:20"), "\"f05\"" },
	{ rename_over, FILE_ROW("f04", "8", "13:20"), FILE_ROW("f04", "1", "13:20") },
	{ move_out, NULL, "\"f06\"" },
	{ append, FILE_ROW("f07", "4", "13:20"), FILE_ROW("f07", "1", "13:20") },
	{ shorten, FILE_ROW("f08", "0", "13:20"), FILE_ROW("f08", "1", "13:20") },
	{ touch, FILE_ROW("f09", "1", "14:20"), FILE_ROW("f09", "1", "13:20") },
	{ become_folder, FOLDER_ROW("f10", "13:20"), FILE_ROW("f10", "1", "13:20") },
	{ touch_folder, FOLDER_ROW("sub", "15:20"), FOLDER_ROW("sub", "13:20") },
	{ change_target, "{\"name\":\"link\",\"type\":\"file\",\"link\":true,\"size\":12,", NULL },
	{ swap_link, "{\"name\":\"link\",\"type\":\"directory\",\"link\":true,", NULL },
	{ break_link, "{\"name\":\"link\",\"type\":\"broken\",\"link\":true}", NULL },
	{ write_twin, FILE_ROW("twin", "4", "13:20"), FILE_ROW("twin", "1", "13:20") },
	{ replace_folder, FILE_ROW("only", "1", "13:20"), "\"f00\"" },
};

static void
make_changeable(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	make_files("dir", 20);
	fixture_directory(&f, "root/dir/sub");
	fixture_time(&f, "root/dir/sub", WRITTEN, 0);
	fixture_file(&f, "root/target", "x");
	fixture_link(&f, "root/dir/link", "../target");
	fixture_file(&f, "root/twin", "x");
	fixture_path(&f, "root/twin", from);
	fixture_path(&f, "root/dir/twin", to);
	ck_assert_int_eq(link(from, to), 0);
}

/* Asks for each view with the tag of its last answer: 304 as long as nothing changed. */
static const struct {
	const char *query, *accept;
} views[] = {
	{ "format=json", NULL }, { NULL, NULL }, { "page=1", BROWSER }, { "page=2", BROWSER }, { "sort=size&page=1", BROWSER },
	{ "sort=time&order=desc", NULL },
};

enum { VIEWS = sizeof(views) / sizeof(views[0]) };

static char tags[VIEWS][64];

static enum status
ask_view(size_t i, bool with_tag)
{
	f.request.query = str_from(views[i].query);
	f.request.accept = str_from(views[i].accept);
	f.request.if_none_match = with_tag ? str_from(tags[i]) : (struct str){ NULL, 0 };
	return fixture_get(&f, "/dir/");
}

static void
check_change(int change)
{
	for (size_t i = 0; i < VIEWS; i++) {
		ck_assert_int_eq(ask_view(i, false), 200);
		fixture_etag(&f, tags[i]);
	}
	for (size_t i = 0; i < 2 * VIEWS; i++)
		ck_assert_int_eq(ask_view(i % VIEWS, true), 304);
	changes[change].make();
	/* Everything that shows all rows is another page now. */
	ck_assert_int_eq(ask_view(0, true), 200);
	if (changes[change].there != NULL)
		ck_assert_msg(fixture_has(&f, changes[change].there), "%.*s", STR_ARGS(buf_view(&f.content)));
	if (changes[change].gone != NULL)
		ck_assert(!fixture_has(&f, changes[change].gone));
	ck_assert_int_eq(ask_view(1, true), 200);
	for (size_t i = 0; i < VIEWS; i++) {
		ck_assert_int_eq(ask_view(i, false), 200);
		fixture_etag(&f, tags[i]);
		ck_assert_int_eq(ask_view(i, true), 304);
	}
}

/* Told by inotify. */
START_TEST(a_change_shows_in_the_next_answer)
{
	make_changeable();
	check_change(_i);
}
END_TEST

/* Not told: read each time when that is asked for. */
START_TEST(a_change_shows_without_watches)
{
	f.options.watches = 0;
	make_changeable();
	check_change(_i);
}
END_TEST

/* One watch for two folders: who has it gives it up. */
START_TEST(a_change_shows_when_watches_are_scarce)
{
	f.options.watches = 1;
	fixture_directory(&f, "root/elsewhere");
	make_changeable();
	for (size_t i = 0; i < VIEWS; i++) {
		ck_assert_int_eq(ask_view(i, false), 200);
		ck_assert_int_eq(fixture_get(&f, "/elsewhere/"), 200);
	}
	check_change(_i);
}
END_TEST

/* All of them, one after the other, in one life of the handler; and what is asked for is what a new one says. */
START_TEST(many_changes_one_after_the_other)
{
	make_changeable();
	for (int i = 0; i < ROWS(changes); i++) {
		struct handler fresh;
		struct response response;

		changes[i].make();
		for (size_t view = 0; view < VIEWS; view++) {
			ck_assert_int_eq(ask_view(view, false), 200);
			ck_assert_int_eq(handler_init(&fresh, &f.options), 0);
			response_init(&response);
			handler_respond(&fresh, &f.request, &response);
			ck_assert_int_eq(response.status, 200);
			ck_assert_uint_eq(response.segment_count, 1);
			ck_assert(str_eq(buf_view(&f.content),
			    (struct str){ response.segments[0].bytes, (size_t)response.segments[0].length }));
			ck_assert(str_eq(buf_view(&f.response.fields), buf_view(&response.fields)));
			handler_finish(&fresh, &response);
			response_release(&response);
			handler_release(&fresh);
		}
		if (changes[i].make == change_target || changes[i].make == swap_link)
			break_link();
		if (changes[i].make == break_link || changes[i].make == change_target || changes[i].make == swap_link)
			fixture_file(&f, "root/target", "x");
	}
}
END_TEST

/* Without a watch a listing counts for as long as it is told to, and not longer. */
START_TEST(what_cannot_be_watched_counts_for_a_while)
{
	f.options.watches = 0;
	f.options.snapshot_age = 2 * SECOND;
	make_changeable();
	ck_assert_int_eq(ask_view(0, false), 200);
	fixture_file(&f, "root/dir/new", "12");
	f.request.received += 2 * SECOND;
	ck_assert_int_eq(ask_view(0, false), 200);
	ck_assert(fixture_has(&f, "\"name\":\"new\""));
	/* A clock that was set back tells nothing. */
	fixture_file(&f, "root/dir/newer", "12");
	f.request.received -= 3600 * SECOND;
	ck_assert_int_eq(ask_view(0, false), 200);
	ck_assert(fixture_has(&f, "\"name\":\"newer\""));
}
END_TEST

/* A folder whose page is larger than what is kept in memory. */
static void
make_large(void)
{
	char name[256];

	f.options.page_size = 0;
	for (int i = 0; i < 1500; i++) {
		int at = snprintf(name, sizeof(name), "root/dir/f%04d-", i);

		for (int j = 0; j < 200; j++)
			name[at++] = text_at((size_t)(i * 200 + j));
		name[at] = '\0';
		fixture_file(&f, name, "x");
	}
}

static size_t
decode(struct str coding, struct str in, char *out, size_t room)
{
	size_t len = room;

	if (str_eq(coding, S("gzip"))) {
		struct libdeflate_decompressor *one = libdeflate_alloc_decompressor();

		ck_assert_int_eq(libdeflate_gzip_decompress(one, in.ptr, in.len, out, room, &len), LIBDEFLATE_SUCCESS);
		libdeflate_free_decompressor(one);
	} else {
		ck_assert_int_eq(BrotliDecoderDecompress(in.len, (const uint8_t *)in.ptr, &len, (uint8_t *)out),
		    BROTLI_DECODER_RESULT_SUCCESS);
	}
	return len;
}

START_TEST(a_large_page_is_sent_from_a_file)
{
	char first[64], second[64];
	struct buf whole;

	make_large();
	buf_init(&whole, (size_t)8 << 20);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_int_eq(f.response.body, BODY_FILE);
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

/* A page that fits into no budget is made each time. */
START_TEST(a_large_page_without_memory_to_keep_it)
{
	make_large();
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

/* Appends what the front was told to send. */
static void
read_handed_off(struct buf *out)
{
	struct str path = fixture_field(&f, "X-Sendfile");
	char name[PATH_MAX];
	ssize_t n;
	int fd;

	ck_assert_int_eq(f.response.body, BODY_HANDOFF);
	ck_assert(str_starts(path, str_from(cache_dir)));
	snprintf(name, sizeof(name), "%.*s", STR_ARGS(path));
	fd = open(name, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert(buf_reserve(out, (size_t)4 << 20));
	n = read(fd, out->ptr, (size_t)4 << 20);
	ck_assert_int_gt(n, 0);
	out->len = (size_t)n;
	close(fd);
}

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
	make_large();
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
		ck_assert_int_eq(f.response.body == BODY_HANDOFF, fronts[_i].handed_off);
		if (fronts[_i].handed_off)
			read_handed_off(&sent);
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

/* Each answer says what it depends on; with codings the two forms have tags of their own. */
START_TEST(both_forms_of_a_listing)
{
	static const char *const targets[] = { NULL, "gzip" };
	char forms[2][64];

	f.options.codings[CODING_IDENTITY] = f.options.codings[CODING_GZIP] = true;
	make_28();
	for (size_t i = 0; i < 2; i++) {
		f.request.accept_encoding = str_from(targets[i]);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_field(&f, "Vary", "Accept, Accept-Encoding");
		fixture_etag(&f, forms[i]);
		f.request.method = METHOD_HEAD;
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_field(&f, "Vary", "Accept, Accept-Encoding");
		f.request.method = METHOD_GET;
		f.request.range = S("bytes=0-9");
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 206);
		ck_assert_content(&f, "<!DOCTYPE ");
		ck_assert_field(&f, "Vary", "Accept, Accept-Encoding");
		f.request.range = (struct str){ NULL, 0 };
	}
	ck_assert_str_ne(forms[0], forms[1]);
	for (size_t i = 0; i < 2; i++) {
		f.request.accept_encoding = str_from(targets[i]);
		f.request.if_none_match = str_from(forms[0]);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), i == 0 ? 304 : 200);
		ck_assert_field(&f, "Vary", "Accept, Accept-Encoding");
	}
	f.request.accept_encoding = (struct str){ NULL, 0 };
	f.request.if_none_match = str_from(forms[1]);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_no_field(&f, "Content-Encoding");
}
END_TEST

/* A deployment: "current" is a link that is switched to the new tree. */
START_TEST(a_root_that_is_switched)
{
	char current[PATH_MAX], next[PATH_MAX];

	fixture_directory(&f, "one");
	fixture_directory(&f, "two");
	fixture_file(&f, "one/a.txt", "first");
	fixture_file(&f, "two/a.txt", "later");
	fixture_file(&f, "two/only-there", "");
	fixture_link(&f, "current", "one");
	fixture_path(&f, "current", current);
	f.options.root = str_from(current);
	fixture_settle(&f);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		ck_assert_content(&f, "first");
		ck_assert_int_eq(fixture_get(&f, "/"), 200);
		ck_assert(!fixture_has(&f, "only-there"));
		ck_assert_int_eq(fixture_get(&f, "/only-there"), 404);
	}
	fixture_link(&f, "next", "two");
	fixture_path(&f, "next", next);
	ck_assert_int_eq(rename(next, current), 0);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "later");
	ck_assert_int_eq(fixture_get(&f, "/"), 200);
	ck_assert(fixture_has(&f, "only-there"));
	ck_assert_int_eq(fixture_get(&f, "/only-there"), 200);
	/* Gone for a moment, then back. */
	ck_assert_int_eq(unlink(current), 0);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	ck_assert_int_eq(fixture_get(&f, "/"), 404);
	fixture_link(&f, "current", "one");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "first");
}
END_TEST

Suite *
pages_suite(void)
{
	Suite *suite = suite_create("handler/pages");
	TCase *all = tcase_create("all"), *slow = tcase_create("slow");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 60);
	tcase_add_loop_test(all, pages_of_a_view, 0, ROWS(paged));
	tcase_add_loop_test(all, no_pages_when_none_are_wanted, 0, 3);
	tcase_add_test(all, a_sum_is_the_folders);
	tcase_add_test(all, each_page_has_a_tag_of_its_own);
	tcase_add_loop_test(all, a_change_shows_in_the_next_answer, 0, ROWS(changes));
	tcase_add_loop_test(all, a_change_shows_without_watches, 0, ROWS(changes));
	tcase_add_loop_test(all, a_change_shows_when_watches_are_scarce, 0, ROWS(changes));
	tcase_add_test(all, what_cannot_be_watched_counts_for_a_while);
	tcase_add_test(all, both_forms_of_a_listing);
	tcase_add_test(all, a_root_that_is_switched);
	suite_add_tcase(suite, all);
	tcase_add_checked_fixture(slow, setup, teardown);
	tcase_set_timeout(slow, 120);
	tcase_add_test(slow, many_changes_one_after_the_other);
	tcase_add_test(slow, a_large_page_is_sent_from_a_file);
	tcase_add_test(slow, a_folder_of_very_many);
	tcase_add_test(slow, a_handler_ends_while_a_thread_reads);
	tcase_add_loop_test(slow, a_large_page_without_memory_to_keep_it, 0, 3);
	tcase_add_loop_test(slow, a_large_page_is_handed_off_where_the_front_keeps_its_coding, 0, ROWS(fronts));
	suite_add_tcase(suite, slow);
	return suite;
}
