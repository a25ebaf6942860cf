/* Which answers are handed off, and what they say. */
#include "handler/handoff.h"

#include "handler/fixture.h"
#include "suites.h"

#include <stdio.h>

Suite *handed_off_suite(void);

/* large.zip: 100000 bytes written at WRITTEN. */
#define OWN_TAG "\"17979cfe362a0000-186a0\""
#define NGINX_TAG "\"6553f100-186a0\""

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
	fixture_bytes(&f, "root/large.zip", 100000);
	fixture_file(&f, "root/small.zip", "small");
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static void
hand_off(const char *mode, enum front front)
{
	f.request.handoff = str_from(mode);
	f.request.front = front;
}

START_TEST(a_large_file_is_handed_off)
{
	char want[PATH_MAX + 16];

	snprintf(want, sizeof(want), "%s/large.zip", f.root);
	hand_off("x-sendfile", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_HANDOFF);
	ck_assert_field(&f, "X-Sendfile", want);
	ck_assert_field(&f, "ETag", OWN_TAG);
	ck_assert_field(&f, "Last-Modified", WRITTEN_TEXT);
	ck_assert_field(&f, "Content-Type", "application/zip");
	ck_assert_field(&f, "Cache-Control", "no-cache");
	ck_assert_field(&f, "Accept-Ranges", "bytes");
	ck_assert_int_eq(f.response.fd, -1);

	f.request.method = METHOD_HEAD;
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert(f.response.content_omitted);
}
END_TEST

START_TEST(only_above_the_limit)
{
	f.options.handoff = (struct handoff){ .mode = HANDOFF_X_SENDFILE };
	f.options.handoff_above = 5;
	f.request.front = FRONT_APACHE;
	ck_assert_int_eq(fixture_get(&f, "/small.zip"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_BYTES);
	f.options.handoff_above = 4;
	ck_assert_int_eq(fixture_get(&f, "/small.zip"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_HANDOFF);
}
END_TEST

/* Preconditions are answered here; ranges are the front's, once they can be had at all. */
static const struct {
	const char *if_match, *if_none_match, *range, *if_range;
	enum status status;
} settled[] = {
	{ .if_none_match = OWN_TAG, .status = 304 },
	{ .if_match = "\"other\"", .status = 412 },
	{ .range = "bytes=100000-", .status = 416 },
	{ .range = "bytes=0-9", .status = 200 },
	{ .range = "bytes=0-9,50000-50009", .status = 200 },
	{ .range = "bytes=0-9", .if_range = "\"other\"", .status = 200 },
	{ .if_none_match = "\"other\"", .status = 200 },
};

START_TEST(only_with_200)
{
	f.request.if_match = str_from(settled[_i].if_match);
	f.request.if_none_match = str_from(settled[_i].if_none_match);
	f.request.range = str_from(settled[_i].range);
	f.request.if_range = str_from(settled[_i].if_range);
	hand_off("x-sendfile", FRONT_LIGHTTPD);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), settled[_i].status);
	ck_assert_int_eq(fixture_body(&f) == BODY_HANDOFF, settled[_i].status == 200);
	/* nginx: the same, but by its own tag. */
	if (settled[_i].if_none_match != NULL)
		return;
	hand_off("x-accel-redirect:/p/", FRONT_NGINX);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), settled[_i].status);
	ck_assert_int_eq(fixture_body(&f) == BODY_HANDOFF, settled[_i].status == 200);
}
END_TEST

/* What a front would judge otherwise: by the rules, from here, and with the tag that the front shows. */
#define BEFORE_TEXT "Tue, 14 Nov 2023 22:13:19 GMT"
static const struct {
	enum method method;
	const char *if_match, *if_unmodified_since, *if_modified_since, *range, *if_range;
	enum status status;
	int64_t age; /* 0: an hour */
} judged_otherwise[] = {
	{ .method = METHOD_HEAD, .range = "bytes=2-4", .status = 200 },
	{ .method = METHOD_HEAD, .range = "bytes=100000-", .status = 200 },
	{ .if_match = "*", .if_unmodified_since = BEFORE_TEXT, .status = 200 },
	{ .if_match = NGINX_TAG ", " OWN_TAG, .if_unmodified_since = BEFORE_TEXT, .status = 200 },
	{ .if_modified_since = WRITTEN_TEXT "; length=100000", .status = 200 },
	{ .range = "bytes=0-18446744073709551615", .status = 206 },
	{ .range = "bytes=-99999999999999999999", .status = 206 },
	{ .range = "bytes=0-9,", .status = 206 },
	{ .range = "bytes=0-9,5-2", .status = 200 },
	{ .range = "bytes=5-2", .status = 200 },
	{ .range = "bytes=a-b", .status = 200 },
	{ .range = "bytes=0-9", .if_range = WRITTEN_TEXT, .status = 200, .age = 30 },
};

static void
ask_as_judged(int row)
{
	f.request.method = judged_otherwise[row].method;
	f.request.if_match = str_from(judged_otherwise[row].if_match);
	f.request.if_unmodified_since = str_from(judged_otherwise[row].if_unmodified_since);
	f.request.if_modified_since = str_from(judged_otherwise[row].if_modified_since);
	f.request.range = str_from(judged_otherwise[row].range);
	f.request.if_range = str_from(judged_otherwise[row].if_range);
	if (judged_otherwise[row].age != 0)
		f.request.received = (WRITTEN + judged_otherwise[row].age) * SECOND;
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), judged_otherwise[row].status);
	ck_assert_no_field(&f, "X-Sendfile");
	ck_assert_no_field(&f, "X-Accel-Redirect");
	ck_assert_int_ge(f.response.content_length, 0);
}

START_TEST(not_where_the_front_judges_otherwise)
{
	hand_off("x-sendfile", FRONT_APACHE);
	ask_as_judged(_i);
	ck_assert_field(&f, "ETag", OWN_TAG);
	hand_off("x-sendfile", FRONT_LIGHTTPD);
	ask_as_judged(_i);
	hand_off("x-accel-redirect:/p/", FRONT_NGINX);
	ask_as_judged(_i);
	ck_assert_field(&f, "ETag", NGINX_TAG);
	/* Where the front validates, it does. */
	hand_off("local-redirect:/p/", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert(f.response.local_redirect);
}
END_TEST

/* RFC 9110 8.8.2.1: no Last-Modified later than now. */
START_TEST(a_time_to_come_is_not_the_fronts_to_tell)
{
	fixture_time(&f, "root/large.zip", RECEIVED / SECOND + 1000, 0);
	hand_off("x-sendfile", FRONT_LIGHTTPD);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_FILE);
	ck_assert_no_field(&f, "Last-Modified");
	hand_off("x-sendfile", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_FILE);
	hand_off("local-redirect:/p/", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert(f.response.local_redirect);
}
END_TEST

START_TEST(never_for_what_is_not_there)
{
	hand_off("x-sendfile", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/nothing"), 404);
	ck_assert_int_eq(fixture_get(&f, "/large.zip/"), 404);
	ck_assert_int_eq(fixture_get(&f, "/"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_BYTES);
}
END_TEST

/* What the client has is the tag of whoever sent the bytes: nginx's, or ours from before the hand-off was on. */
START_TEST(x_accel_shows_nginx_tag)
{
	hand_off("x-accel-redirect:/p/", FRONT_NGINX);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_field(&f, "ETag", NGINX_TAG);
	ck_assert_field(&f, "X-Accel-Redirect", "/p/large.zip");
	ck_assert_no_field(&f, "Accept-Ranges");
	f.request.if_none_match = S(NGINX_TAG);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 304);
	ck_assert_field(&f, "ETag", NGINX_TAG);
	f.request.if_none_match = S(OWN_TAG);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 304);
	f.request.if_none_match = S("\"6553f100-186a1\"");
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	/* Below the limit the tag is ours. */
	f.request.if_none_match = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_get(&f, "/small.zip"), 200);
	ck_assert_field(&f, "ETag", "\"17979cfe362a0000-5\"");
	f.request.if_none_match = S("\"6553f100-5\"");
	ck_assert_int_eq(fixture_get(&f, "/small.zip"), 304);
	/* Without that mode nginx's tag is a stranger's. */
	hand_off("off", FRONT_NGINX);
	f.request.if_none_match = S(NGINX_TAG);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
}
END_TEST

/* The front has a tag of its own that nobody here knows: it compares. */
START_TEST(fronts_that_validate_are_left_to_it)
{
	f.request.if_none_match = S(OWN_TAG);
	f.request.if_match = S("\"tag of Apache\"");
	hand_off("local-redirect:/raw/", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert(f.response.local_redirect);
	ck_assert_field(&f, "Location", "/raw/large.zip");
	hand_off("x-litespeed-location:/raw/", FRONT_LITESPEED);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_field(&f, "X-LiteSpeed-Location", "/raw/large.zip");
}
END_TEST

/* Streamed, with all of its bytes and none of the paths. */
static const struct {
	const char *name, *mode;
	enum front front;
} streamed[] = {
	{ "50%.zip", "x-sendfile", FRONT_APACHE },
	{ "a\nb.zip", "x-sendfile", FRONT_APACHE },
	{ "\xff.zip", "x-sendfile", FRONT_LIGHTTPD },
	{ "a\nb.zip", "local-redirect:/p/", FRONT_APACHE },
	{ "a.svgz", "x-sendfile", FRONT_APACHE },
	{ "a.svgz", "x-accel-redirect:/p/", FRONT_NGINX },
	{ "a.zip", "x-accel-redirect:/p/", FRONT_APACHE },
	{ "a.zip", "x-sendfile", FRONT_UNKNOWN },
	{ "a.zip", "off", FRONT_APACHE },
	/* A value that is none: nothing is guessed. */
	{ "a.zip", "sendfile", FRONT_APACHE },
	{ "a.zip", "x-accel-redirect", FRONT_NGINX },
};

START_TEST(what_cannot_be_carried_is_streamed)
{
	char made[64];

	/* Also when the configured mode could. */
	f.options.handoff = (struct handoff){ .mode = HANDOFF_X_SENDFILE };
	snprintf(made, sizeof(made), "root/%s", streamed[_i].name);
	fixture_bytes(&f, made, 70000);
	hand_off(streamed[_i].mode, streamed[_i].front);
	ck_assert_int_eq(fixture_get(&f, made + strlen("root")), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_FILE);
	ck_assert_uint_eq(f.content.len, 70000);
}
END_TEST

START_TEST(lighttpd_keeps_the_coding)
{
	fixture_bytes(&f, "root/a.svgz", 70000);
	hand_off("x-sendfile", FRONT_LIGHTTPD);
	ck_assert_int_eq(fixture_get(&f, "/a.svgz"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_HANDOFF);
	ck_assert_field(&f, "Content-Encoding", "gzip");
}
END_TEST

START_TEST(the_fronts_word_counts_before_ours)
{
	f.options.handoff = (struct handoff){ .mode = HANDOFF_X_SENDFILE };
	f.request.front = FRONT_APACHE;
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_HANDOFF);
	hand_off("off", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_FILE);
	hand_off("local-redirect:/p/", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert(f.response.local_redirect);
}
END_TEST

/* The path that the front is told is the one of the root that it mapped itself. */
START_TEST(the_requests_root_is_handed_off)
{
	char other[PATH_MAX], want[PATH_MAX + 16];

	fixture_directory(&f, "other");
	fixture_bytes(&f, "other/large.zip", 70000);
	fixture_path(&f, "other", other);
	snprintf(want, sizeof(want), "%s/large.zip", other);
	f.request.root = str_from(other);
	hand_off("x-sendfile", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_field(&f, "X-Sendfile", want);
}
END_TEST

START_TEST(an_index_file_is_handed_off_too)
{
	char want[PATH_MAX + 32];

	fixture_directory(&f, "root/dir");
	fixture_bytes(&f, "root/dir/index.html", 70000);
	snprintf(want, sizeof(want), "%s/dir/index.html", f.root);
	hand_off("x-sendfile", FRONT_APACHE);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_field(&f, "X-Sendfile", want);
}
END_TEST

Suite *
handed_off_suite(void)
{
	Suite *suite = suite_create("handler/handed_off");

	suite_add_case(suite, a_large_file_is_handed_off, 1, setup, teardown);
	suite_add_case(suite, only_above_the_limit, 1, setup, teardown);
	suite_add_case(suite, only_with_200, ROWS(settled), setup, teardown);
	suite_add_case(suite, not_where_the_front_judges_otherwise, ROWS(judged_otherwise), setup, teardown);
	suite_add_case(suite, a_time_to_come_is_not_the_fronts_to_tell, 1, setup, teardown);
	suite_add_case(suite, never_for_what_is_not_there, 1, setup, teardown);
	suite_add_case(suite, x_accel_shows_nginx_tag, 1, setup, teardown);
	suite_add_case(suite, fronts_that_validate_are_left_to_it, 1, setup, teardown);
	suite_add_case(suite, what_cannot_be_carried_is_streamed, ROWS(streamed), setup, teardown);
	suite_add_case(suite, lighttpd_keeps_the_coding, 1, setup, teardown);
	suite_add_case(suite, the_fronts_word_counts_before_ours, 1, setup, teardown);
	suite_add_case(suite, the_requests_root_is_handed_off, 1, setup, teardown);
	suite_add_case(suite, an_index_file_is_handed_off_too, 1, setup, teardown);
	return suite;
}
