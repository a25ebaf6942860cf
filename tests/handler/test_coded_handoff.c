/* What is handed off where a file has two forms: only to a front that says which one it sends. */
#include "handler/coded.h"

#include "handler/coding.h"
#include "handler/decode.h"
#include "suites.h"

Suite *coded_handoff_suite(void);

static struct fixture f;

static void
setup(void)
{
	coding_make(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static char cache_dir[PATH_MAX];

/* Only lighttpd sends a file with the coding that the answer says it has. */
static const struct {
	enum front front;
	const char *accept;
	bool handed_off;
} fronts[] = {
	{ FRONT_LIGHTTPD, "gzip", true },
	{ FRONT_LIGHTTPD, "br", true },
	{ FRONT_LIGHTTPD, "zstd", true },
	{ FRONT_LIGHTTPD, NULL, false },
	{ FRONT_APACHE, "gzip", false },
	{ FRONT_NGINX, "gzip", false },
	{ FRONT_LITESPEED, "gzip", false },
	{ FRONT_UNKNOWN, "gzip", false },
};

START_TEST(a_coded_form_is_handed_off_where_the_front_keeps_it)
{
	const size_t size = 400000;
	struct buf sent;
	char tag[64];

	buf_init(&sent, size);
	use_cache_dir(&f, cache_dir);
	fixture_text(&f, "root/b.txt", size);
	fixture_settle(&f);
	f.request.front = fronts[_i].front;
	accept_coding(&f, fronts[_i].accept);
	ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	ck_assert_field(&f, "Cache-Control", "no-cache");
	ck_assert_field(&f, "X-Content-Type-Options", "nosniff");
	fixture_etag(&f, tag);
	if (fronts[_i].handed_off) {
		ck_assert_field(&f, "Content-Encoding", fronts[_i].accept);
		ck_assert_field(&f, "Content-Type", "text/plain; charset=utf-8");
		read_handed_off(&f, cache_dir, &sent);
		check_text(str_from(fronts[_i].accept), buf_view(&sent), size);
		f.request.if_none_match = str_from(tag);
		/* By then it may be the best one, with another tag. */
		if (fixture_get(&f, "/b.txt") == 304)
			ck_assert_field(&f, "ETag", tag);
	} else {
		check_whole(&f, fronts[_i].accept, size);
	}
	buf_release(&sent);
}
END_TEST

/* A small one is in memory, and quicker so. */
START_TEST(a_small_coded_form_is_not_handed_off)
{
	use_cache_dir(&f, cache_dir);
	fixture_settle(&f);
	f.request.front = FRONT_LIGHTTPD;
	accept_coding(&f, "gzip");
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		ck_assert_int_eq(fixture_body(&f), BODY_BYTES);
		check_whole(&f, "gzip", SIZE);
	}
}
END_TEST

/* Dialects whose front leaves Vary out: an answer that has one is streamed, in either form. */
static const struct {
	struct handoff handoff;
	enum front front;
	bool drops_vary;
} dialects[] = {
	{ { HANDOFF_X_ACCEL_REDIRECT, STR("/p/"), false }, FRONT_NGINX, true },
	{ { HANDOFF_X_ACCEL_REDIRECT, STR("/p/"), true }, FRONT_NGINX, false },
	{ { HANDOFF_X_LITESPEED_LOCATION, STR("/p/"), false }, FRONT_LITESPEED, true },
	{ { HANDOFF_LOCAL_REDIRECT, STR("/p/"), false }, FRONT_APACHE, true },
	{ { HANDOFF_X_SENDFILE, STR(""), false }, FRONT_APACHE, false },
	{ { HANDOFF_X_SENDFILE, STR(""), false }, FRONT_LIGHTTPD, false },
};

START_TEST(a_file_with_two_forms_is_not_handed_off_without_vary)
{
	f.options.handoff = dialects[_i].handoff;
	f.request.front = dialects[_i].front;
	fixture_text(&f, "root/b.txt", 400000);
	fixture_text(&f, "root/b.zip", 400000);
	fixture_settle(&f);
	ck_assert_int_eq(fixture_get(&f, "/b.zip"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_HANDOFF);
	ck_assert_no_field(&f, "Vary");
	ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	if (dialects[_i].drops_vary)
		check_whole(&f, NULL, 400000);
	else
		ck_assert_int_eq(fixture_body(&f), BODY_HANDOFF);
	accept_coding(&f, "gzip");
	ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	check_whole(&f, "gzip", 400000);
}
END_TEST

Suite *
coded_handoff_suite(void)
{
	Suite *suite = suite_create("handler/coded_handoff");

	suite_add_case(suite, a_coded_form_is_handed_off_where_the_front_keeps_it, ROWS(fronts), setup, teardown);
	suite_add_case(suite, a_small_coded_form_is_not_handed_off, 1, setup, teardown);
	suite_add_case(suite, a_file_with_two_forms_is_not_handed_off_without_vary, ROWS(dialects), setup, teardown);
	return suite;
}
