/* Files as representations: validators, preconditions, media types. */
#include "handler/serve_file.h"

#include "handler/fixture.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

Suite *serve_file_suite(void);

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
	fixture_file(&f, "root/a.txt", "hello");
	fixture_time(&f, "root/a.txt", WRITTEN, 500000000);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

/* a.txt: "hello", written half a second past WRITTEN. Its tag by the rule: nanoseconds and size in hex. */
#define TAG "\"17979cfe53f76500-5\""
#define WEAK_TAG "W/" TAG
#define GZIP_TAG "\"17979cfe53f76500-5-gzip\""
#define OTHER "\"17979cfe53f76501-5\""
#define OLDER "Tue, 14 Nov 2023 22:13:19 GMT"
#define EQUAL WRITTEN_TEXT
#define NEWER "Tue, 14 Nov 2023 22:13:21 GMT"

START_TEST(a_file_with_all_its_facts)
{
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "hello");
	ck_assert_field(&f, "Content-Type", "text/plain; charset=utf-8");
	ck_assert_field(&f, "ETag", TAG);
	ck_assert_field(&f, "Last-Modified", WRITTEN_TEXT);
	ck_assert_field(&f, "Accept-Ranges", "bytes");
	ck_assert_field(&f, "Cache-Control", "no-cache");
	ck_assert_field(&f, "X-Content-Type-Options", "nosniff");
	ck_assert_no_field(&f, "Content-Encoding");
	ck_assert_no_field(&f, "Content-Range");
	ck_assert_no_field(&f, "Vary");
	ck_assert_int_eq(f.response.content_length, 5);
}
END_TEST

static const struct {
	const char *if_match, *if_unmodified_since, *if_none_match, *if_modified_since, *range, *if_range;
	enum status get, head;
} preconditions[] = {
	{ .if_match = TAG, .get = 200, .head = 200 },
	{ .if_match = "*", .get = 200, .head = 200 },
	{ .if_match = OTHER, .get = 412, .head = 412 },
	{ .if_match = OTHER " , " TAG, .get = 200, .head = 200 },
	{ .if_match = WEAK_TAG, .get = 412, .head = 412 },
	{ .if_match = GZIP_TAG, .get = 412, .head = 412 },
	{ .if_match = "garbage", .get = 412, .head = 412 },
	{ .if_unmodified_since = OLDER, .get = 412, .head = 412 },
	{ .if_unmodified_since = EQUAL, .get = 200, .head = 200 },
	{ .if_unmodified_since = NEWER, .get = 200, .head = 200 },
	{ .if_unmodified_since = "garbage", .get = 200, .head = 200 },
	/* 13.2.2 step 2: only without If-Match. */
	{ .if_match = TAG, .if_unmodified_since = OLDER, .get = 200, .head = 200 },
	{ .if_none_match = TAG, .get = 304, .head = 304 },
	{ .if_none_match = WEAK_TAG, .get = 304, .head = 304 },
	{ .if_none_match = "*", .get = 304, .head = 304 },
	{ .if_none_match = OTHER, .get = 200, .head = 200 },
	{ .if_none_match = OTHER "," TAG, .get = 304, .head = 304 },
	{ .if_none_match = GZIP_TAG, .get = 304, .head = 304 },
	{ .if_none_match = "W/" GZIP_TAG, .get = 304, .head = 304 },
	{ .if_none_match = "\"17979cfe53f76500-5-br\"", .get = 304, .head = 304 },
	{ .if_none_match = "\"17979cfe53f76500-5;gzip\"", .get = 304, .head = 304 },
	{ .if_none_match = "\"17979cfe53f76500-55-gzip\"", .get = 200, .head = 200 },
	{ .if_none_match = "\"17979cfe53f76500-5-gzipx\"", .get = 200, .head = 200 },
	{ .if_none_match = "17979cfe53f76500-5", .get = 200, .head = 200 },
	{ .if_modified_since = OLDER, .get = 200, .head = 200 },
	{ .if_modified_since = EQUAL, .get = 304, .head = 304 },
	{ .if_modified_since = NEWER, .get = 304, .head = 304 },
	{ .if_modified_since = "Tuesday, 14-Nov-23 22:13:20 GMT", .get = 304, .head = 304 },
	{ .if_modified_since = "Tuesday, 14-Nov-23 22:13:19 GMT", .get = 200, .head = 200 },
	{ .if_modified_since = "Tue Nov 14 22:13:20 2023", .get = 304, .head = 304 },
	{ .if_modified_since = "Tue Nov 14 22:13:19 2023", .get = 200, .head = 200 },
	{ .if_modified_since = "garbage", .get = 200, .head = 200 },
	{ .if_modified_since = "", .get = 200, .head = 200 },
	/* Step 4: only without If-None-Match. */
	{ .if_none_match = OTHER, .if_modified_since = EQUAL, .get = 200, .head = 200 },
	{ .if_none_match = TAG, .if_modified_since = OLDER, .get = 304, .head = 304 },
	{ .if_match = OTHER, .if_none_match = TAG, .get = 412, .head = 412 },
	{ .if_match = TAG, .if_none_match = TAG, .get = 304, .head = 304 },
	/* Steps 5 and 6. */
	{ .range = "bytes=0-1", .get = 206, .head = 200 },
	{ .range = "bytes=9-", .get = 416, .head = 200 },
	{ .range = "bytes=0-1", .if_none_match = TAG, .get = 304, .head = 304 },
	{ .range = "bytes=9-", .if_none_match = TAG, .get = 304, .head = 304 },
	{ .range = "bytes=0-1", .if_match = OTHER, .get = 412, .head = 412 },
	{ .range = "bytes=0-1", .if_range = TAG, .get = 206, .head = 200 },
	{ .range = "bytes=0-1", .if_range = WEAK_TAG, .get = 200, .head = 200 },
	{ .range = "bytes=0-1", .if_range = OTHER, .get = 200, .head = 200 },
	{ .range = "bytes=0-1", .if_range = GZIP_TAG, .get = 200, .head = 200 },
	{ .range = "bytes=0-1", .if_range = EQUAL, .get = 206, .head = 200 },
	{ .range = "bytes=0-1", .if_range = OLDER, .get = 200, .head = 200 },
	{ .range = "bytes=0-1", .if_range = NEWER, .get = 200, .head = 200 },
	{ .range = "bytes=0-1", .if_range = "Tue Nov 14 22:13:20 2023", .get = 206, .head = 200 },
	{ .range = "bytes=0-1", .if_range = "garbage", .get = 200, .head = 200 },
	{ .range = "bytes=9-", .if_range = OTHER, .get = 200, .head = 200 },
	{ .if_range = TAG, .get = 200, .head = 200 },
};

START_TEST(preconditions_of_a_file)
{
	f.request.if_match = str_from(preconditions[_i].if_match);
	f.request.if_unmodified_since = str_from(preconditions[_i].if_unmodified_since);
	f.request.if_none_match = str_from(preconditions[_i].if_none_match);
	f.request.if_modified_since = str_from(preconditions[_i].if_modified_since);
	f.request.range = str_from(preconditions[_i].range);
	f.request.if_range = str_from(preconditions[_i].if_range);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), preconditions[_i].get);
	if (preconditions[_i].get == 200)
		ck_assert_content(&f, "hello");
	if (preconditions[_i].get == 206)
		ck_assert_content(&f, "he");
	f.request.method = METHOD_HEAD;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), preconditions[_i].head);
}
END_TEST

/* RFC 9110 15.4.5: what a 200 would have said of validators, and nothing about content. */
START_TEST(not_modified_says_what_a_cache_needs)
{
	f.request.if_none_match = S(TAG);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 304);
	ck_assert_field(&f, "ETag", TAG);
	ck_assert_field(&f, "Last-Modified", WRITTEN_TEXT);
	ck_assert_field(&f, "Cache-Control", "no-cache");
	ck_assert_no_field(&f, "Content-Type");
	ck_assert_no_field(&f, "Content-Range");
	ck_assert_int_eq(fixture_body(&f), BODY_NONE);
	ck_assert_int_eq(f.response.fd, -1);
}
END_TEST

static const struct {
	int64_t after; /* nanoseconds from the change to the request */
	bool weak;
} ages[] = {
	{ 0, true }, { SECOND, true }, { 2 * SECOND, true }, { 2 * SECOND + 1, false }, { 3 * SECOND, false },
	{ -SECOND, true },
};

START_TEST(a_tag_is_weak_while_the_file_may_change_unseen)
{
	f.request.received = WRITTEN * SECOND + SECOND / 2 + ages[_i].after;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_field(&f, "ETag", ages[_i].weak ? WEAK_TAG : TAG);
	/* The same bytes, so a cache may keep them; a range needs a strong one. */
	f.request.if_none_match = S(TAG);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 304);
	f.request.if_none_match = (struct str){ NULL, 0 };
	f.request.if_range = ages[_i].weak ? S(WEAK_TAG) : S(TAG);
	f.request.range = S("bytes=0-1");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), ages[_i].weak ? 200 : 206);
}
END_TEST

/* 8.8.2.2: a date is strong only once the second it names is well over. */
START_TEST(if_range_by_date_waits_a_minute)
{
	f.request.range = S("bytes=0-1");
	f.request.if_range = S(EQUAL);
	f.request.received = WRITTEN * SECOND + SECOND / 2 + 59 * SECOND;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	f.request.received = WRITTEN * SECOND + SECOND / 2 + 60 * SECOND;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 206);
}
END_TEST

/* 8.8.2.1 */
START_TEST(a_time_to_come_is_not_told)
{
	fixture_time(&f, "root/a.txt", WRITTEN + 7200, 0);
	f.request.if_modified_since = S("Wed, 15 Nov 2023 00:13:20 GMT");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_no_field(&f, "Last-Modified");
	ck_assert(str_starts(fixture_field(&f, "ETag"), S("W/\"")));
}
END_TEST

START_TEST(a_time_before_1970)
{
	fixture_time(&f, "root/a.txt", -1, 500000000);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_field(&f, "Last-Modified", "Wed, 31 Dec 1969 23:59:59 GMT");
	ck_assert_field(&f, "ETag", "\"ffffffffe2329b00-5\"");
	f.request.if_none_match = S("\"ffffffffe2329b00-5\"");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 304);
	f.request.if_none_match = (struct str){ NULL, 0 };
	f.request.if_modified_since = S("Wed, 31 Dec 1969 23:59:59 GMT");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 304);
}
END_TEST

#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"

static const struct {
	const char *name, *content;
	size_t len; /* 0: strlen */
	const char *type, *coding;
} types[] = {
	{ "a.html", "<p>", 0, "text/html; charset=utf-8", NULL },
	{ "A.HTML", "<p>", 0, "text/html; charset=utf-8", NULL },
	{ "a.css", "x", 0, "text/css; charset=utf-8", NULL },
	{ "a.js", "x", 0, "text/javascript; charset=utf-8", NULL },
	{ "a.mjs", "x", 0, "text/javascript; charset=utf-8", NULL },
	{ "a.json", "{}", 0, "application/json", NULL },
	{ "a.wasm", "x", 0, "application/wasm", NULL },
	{ "a.avif", "x", 0, "image/avif", NULL },
	{ "a.webp", "x", 0, "image/webp", NULL },
	{ "a.woff2", "x", 0, "font/woff2", NULL },
	{ "a.webmanifest", "x", 0, "application/manifest+json", NULL },
	{ "a.svg", "<svg/>", 0, "image/svg+xml", NULL },
	{ "a.svgz", "x", 0, "image/svg+xml", "gzip" },
	{ "a.SvgZ", "x", 0, "image/svg+xml", "gzip" },
	{ "a.tgz", "x", 0, "application/gzip", NULL },
	{ "a.tar.gz", "x", 0, "application/gzip", NULL },
	{ "a.txt.gz", "x", 0, "application/gzip", NULL },
	{ "a.pdf", "x", 0, "application/pdf", NULL },
	/* The name decides nothing: the content does, but for what a browser would run. */
	{ "README", "plain words\n", 0, "text/plain; charset=utf-8", NULL },
	{ "picture", PNG, sizeof(PNG) - 1, "image/png", NULL },
	{ "a.unknownextension", PNG, sizeof(PNG) - 1, "image/png", NULL },
	{ "page", "<!DOCTYPE html>\n<html><script>alert(1)</script></html>\n", 0, "text/plain; charset=utf-8", NULL },
	{ "empty", "", 0, "application/octet-stream", NULL },
};

START_TEST(media_types)
{
	size_t len = types[_i].len > 0 ? types[_i].len : strlen(types[_i].content);
	char made[64], full[PATH_MAX];
	int fd;

	snprintf(made, sizeof(made), "root/%s", types[_i].name);
	fixture_file(&f, made, "");
	fixture_path(&f, made, full);
	fd = open(full, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(write(fd, types[_i].content, len), (ssize_t)len);
	close(fd);
	ck_assert_int_eq(fixture_get(&f, made + strlen("root")), 200);
	ck_assert_field(&f, "Content-Type", types[_i].type);
	if (types[_i].coding != NULL)
		ck_assert_field(&f, "Content-Encoding", types[_i].coding);
	else
		ck_assert_no_field(&f, "Content-Encoding");
	ck_assert_uint_eq(f.content.len, len);
}
END_TEST

Suite *
serve_file_suite(void)
{
	Suite *suite = suite_create("handler/serve_file");

	suite_add_case(suite, a_file_with_all_its_facts, 1, setup, teardown);
	suite_add_case(suite, preconditions_of_a_file, ROWS(preconditions), setup, teardown);
	suite_add_case(suite, not_modified_says_what_a_cache_needs, 1, setup, teardown);
	suite_add_case(suite, a_tag_is_weak_while_the_file_may_change_unseen, ROWS(ages), setup, teardown);
	suite_add_case(suite, if_range_by_date_waits_a_minute, 1, setup, teardown);
	suite_add_case(suite, a_time_to_come_is_not_told, 1, setup, teardown);
	suite_add_case(suite, a_time_before_1970, 1, setup, teardown);
	suite_add_case(suite, media_types, ROWS(types), setup, teardown);
	return suite;
}
