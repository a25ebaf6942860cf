/* Files as representations: validators, preconditions, ranges, media types, and files that change meanwhile. */
#include "handler/serve_file.h"

#include "handler/fixture.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

Suite *serve_file_suite(void);

/* a.txt: "hello", written half a second past WRITTEN. Its tag by the rule: nanoseconds and size in hex. */
#define TAG "\"17979cfe53f76500-5\""
#define WEAK_TAG "W/" TAG
#define GZIP_TAG "\"17979cfe53f76500-5-gzip\""
#define OTHER "\"17979cfe53f76501-5\""
#define OLDER "Tue, 14 Nov 2023 22:13:19 GMT"
#define EQUAL WRITTEN_TEXT
#define NEWER "Tue, 14 Nov 2023 22:13:21 GMT"

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
	ck_assert_int_eq(f.response.body, BODY_NONE);
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

/* Of a file of 1000 bytes and of one that is too large for memory. */
static const struct {
	const char *range;
	enum status status;
	int64_t first_of_small, length_of_small, first_of_large, length_of_large;
} ranges[] = {
	{ "bytes=0-0", 206, 0, 1, 0, 1 },
	{ "bytes=0-", 206, 0, 1000, 0, 100000 },
	{ "bytes=10-19", 206, 10, 10, 10, 10 },
	{ "bytes=999-", 206, 999, 1, 999, 99001 },
	{ "bytes=-1", 206, 999, 1, 99999, 1 },
	{ "bytes=-500", 206, 500, 500, 99500, 500 },
	{ "bytes=-200000", 206, 0, 1000, 0, 100000 },
	{ "bytes=990-2000000", 206, 990, 10, 990, 99010 },
	{ "bytes=990-99999999999999999999999", 206, 990, 10, 990, 99010 },
	{ "BYTES=0-9", 206, 0, 10, 0, 10 },
	{ "bytes=0-9,5-19", 206, 0, 20, 0, 20 },
	{ "bytes=0-9,10-19", 206, 0, 20, 0, 20 },
	{ "bytes= 0-9 , 2000000-", 206, 0, 10, 0, 10 },
	{ "bytes=2000000-", 416, 0, 0, 0, 0 },
	{ "bytes=-0", 416, 0, 0, 0, 0 },
	{ "bytes=2000000-2000001,-0", 416, 0, 0, 0, 0 },
	{ "items=0-5", 200, 0, 0, 0, 0 },
	{ "bytes=5-4", 200, 0, 0, 0, 0 },
	{ "bytes=0-:", 200, 0, 0, 0, 0 },
	{ "bytes=a-b", 200, 0, 0, 0, 0 },
	{ "bytes=", 200, 0, 0, 0, 0 },
	{ "bytes 0-5", 200, 0, 0, 0, 0 },
	{ "", 200, 0, 0, 0, 0 },
};

static void
check_range(const char *path, int64_t size, int64_t first, int64_t length, enum status status)
{
	char want[96];

	ck_assert_int_eq(fixture_get(&f, path), status);
	if (status == 416) {
		snprintf(want, sizeof(want), "bytes */%lld", (long long)size);
		ck_assert_field(&f, "Content-Range", want);
		ck_assert_no_field(&f, "ETag");
		return;
	}
	ck_assert_field(&f, "Accept-Ranges", "bytes");
	if (status == 200) {
		first = 0;
		length = size;
		ck_assert_no_field(&f, "Content-Range");
	} else {
		snprintf(want, sizeof(want), "bytes %lld-%lld/%lld", (long long)first, (long long)(first + length - 1),
		    (long long)size);
		ck_assert_field(&f, "Content-Range", want);
		ck_assert(fixture_field(&f, "ETag").len > 0);
		ck_assert_field(&f, "Last-Modified", WRITTEN_TEXT);
	}
	ck_assert_field(&f, "Content-Type", "application/zip");
	ck_assert_uint_eq(f.content.len, (size_t)length);
	for (int64_t i = 0; i < length; i++)
		ck_assert_int_eq(f.content.ptr[i], pattern_at((size_t)(first + i)));
}

START_TEST(ranges_of_files)
{
	fixture_bytes(&f, "root/small.zip", 1000);
	fixture_bytes(&f, "root/large.zip", 100000);
	f.request.range = str_from(ranges[_i].range);
	check_range("/small.zip", 1000, ranges[_i].first_of_small, ranges[_i].length_of_small, ranges[_i].status);
	check_range("/large.zip", 100000, ranges[_i].first_of_large, ranges[_i].length_of_large, ranges[_i].status);
}
END_TEST

static void
append_part(struct buf *want, struct str boundary, const char *before, int64_t first, int64_t length, int64_t size)
{
	buf_text(want, before);
	buf_str(want, boundary);
	buf_text(want, "\r\nContent-Type: application/zip\r\nContent-Range: bytes ");
	buf_int(want, first);
	buf_char(want, '-');
	buf_int(want, first + length - 1);
	buf_char(want, '/');
	buf_int(want, size);
	buf_text(want, "\r\n\r\n");
	for (int64_t i = 0; i < length; i++)
		buf_char(want, pattern_at((size_t)(first + i)));
}

/* RFC 9110 14.6, byte for byte, in the client's order. */
static void
check_multipart(const char *path, int64_t size)
{
	struct str type, boundary;
	struct buf want;

	buf_init(&want, (size_t)1 << 20);
	f.request.range = S("bytes=-10,0-9,300-399");
	ck_assert_int_eq(fixture_get(&f, path), 206);
	ck_assert_int_eq(f.response.body, BODY_MULTIPART);
	ck_assert_no_field(&f, "Content-Range");
	type = fixture_field(&f, "Content-Type");
	ck_assert(str_starts(type, S("multipart/byteranges; boundary=")));
	boundary = str_after(type, strlen("multipart/byteranges; boundary="));
	ck_assert(boundary.len >= 16 && boundary.len <= 70);
	append_part(&want, boundary, "--", size - 10, 10, size);
	append_part(&want, boundary, "\r\n--", 0, 10, size);
	append_part(&want, boundary, "\r\n--", 300, 100, size);
	buf_text(&want, "\r\n--");
	buf_str(&want, boundary);
	buf_text(&want, "--\r\n");
	ck_assert(str_eq(buf_view(&f.content), buf_view(&want)));
	buf_release(&want);
}

START_TEST(several_ranges)
{
	fixture_bytes(&f, "root/small.zip", 1000);
	fixture_bytes(&f, "root/large.zip", 100000);
	check_multipart("/small.zip", 1000);
	check_multipart("/large.zip", 100000);
}
END_TEST

START_TEST(too_many_ranges_are_ignored)
{
	struct buf field;

	buf_init(&field, 65536);
	fixture_bytes(&f, "root/large.zip", 100000);
	buf_text(&field, "bytes=0-0");
	for (int i = 1; i < 32; i++) {
		buf_char(&field, ',');
		buf_int(&field, i * 200);
		buf_char(&field, '-');
		buf_int(&field, i * 200);
	}
	f.request.range = buf_view(&field);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 206);
	buf_text(&field, ",50000-50000");
	f.request.range = buf_view(&field);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	buf_release(&field);
}
END_TEST

START_TEST(an_empty_file)
{
	static const char *const fields[] = { NULL, "bytes=0-", "bytes=-5", "bytes=0-0" };

	fixture_file(&f, "root/empty.txt", "");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		f.request.range = str_from(fields[i]);
		ck_assert_int_eq(fixture_get(&f, "/empty.txt"), 200);
		ck_assert_int_eq(f.response.content_length, 0);
		ck_assert_field(&f, "ETag", "\"17979cfe362a0000-0\"");
		ck_assert_no_field(&f, "Content-Range");
	}
}
END_TEST

/* What fits is read before it is sent; more goes out of the descriptor. */
START_TEST(small_is_read_and_large_is_described)
{
	fixture_bytes(&f, "root/fits.zip", INLINE_MAX);
	fixture_bytes(&f, "root/large.zip", INLINE_MAX + 1);
	ck_assert_int_eq(fixture_get(&f, "/fits.zip"), 200);
	ck_assert_int_eq(f.response.body, BODY_BYTES);
	ck_assert_int_eq(f.response.fd, -1);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_int_eq(f.response.body, BODY_FILE);
	ck_assert_int_ge(f.response.fd, 0);
	ck_assert_uint_eq(f.response.segment_count, 1);
	for (size_t i = 0; i < INLINE_MAX + 1; i++)
		ck_assert_int_eq(f.content.ptr[i], pattern_at(i));
	handler_finish(&f.handler, &f.response);
	ck_assert_int_eq(f.response.fd, -1);
}
END_TEST

START_TEST(larger_than_32_bits)
{
	const int64_t size = INT64_C(5) << 30;
	char path[PATH_MAX];

	fixture_file(&f, "root/huge.bin", "");
	fixture_path(&f, "root/huge.bin", path);
	ck_assert_int_eq(truncate(path, size), 0);
	fixture_time(&f, "root/huge.bin", WRITTEN, 0);
	f.request.range = S("bytes=5368709119-");
	ck_assert_int_eq(fixture_get(&f, "/huge.bin"), 206);
	ck_assert_field(&f, "Content-Range", "bytes 5368709119-5368709119/5368709120");
	ck_assert_field(&f, "ETag", "\"17979cfe362a0000-140000000\"");
	ck_assert_uint_eq(f.content.len, 1);
	f.request.range = (struct str){ NULL, 0 };
	handler_finish(&f.handler, &f.response);
	response_reset(&f.response);
	handler_respond(&f.handler, &f.request, &f.response);
	ck_assert_int_eq(f.response.status, 200);
	ck_assert_int_eq(f.response.content_length, size);
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

/* A part of a coded file is a part of its coded bytes (RFC 9110 8.4, 14.2). */
START_TEST(a_range_keeps_the_coding)
{
	fixture_bytes(&f, "root/a.svgz", 1000);
	f.request.range = S("bytes=0-9");
	ck_assert_int_eq(fixture_get(&f, "/a.svgz"), 206);
	ck_assert_field(&f, "Content-Encoding", "gzip");
	f.request.range = S("bytes=0-9,500-509");
	ck_assert_int_eq(fixture_get(&f, "/a.svgz"), 206);
	ck_assert_field(&f, "Content-Encoding", "gzip");
}
END_TEST

enum change { SHRINKS, GROWS, REWRITTEN, BECOMES_EMPTY, REPLACED, VANISHES, BECOMES_DIRECTORY };

static const struct {
	enum change change;
	enum status status;
	const char *content;
} changes[] = {
	{ SHRINKS, 200, "he" },
	{ GROWS, 200, "hello you" },
	{ REWRITTEN, 200, "HELLO" },
	{ BECOMES_EMPTY, 200, "" },
	/* What was opened is whole, and answers. */
	{ REPLACED, 200, "hello" },
	{ VANISHES, 200, "hello" },
	/* Shrunk and gone: nothing whole is left. */
	{ BECOMES_DIRECTORY, 404, NULL },
};

static void
make_change(enum change change)
{
	char path[PATH_MAX], other[PATH_MAX];

	fixture_path(&f, "root/a.txt", path);
	if (change == SHRINKS)
		ck_assert_int_eq(truncate(path, 2), 0);
	if (change == GROWS)
		fixture_file(&f, "root/a.txt", "hello you");
	if (change == REWRITTEN)
		fixture_file(&f, "root/a.txt", "HELLO");
	if (change == BECOMES_EMPTY || change == BECOMES_DIRECTORY)
		ck_assert_int_eq(truncate(path, 0), 0);
	if (change == VANISHES || change == BECOMES_DIRECTORY)
		ck_assert_int_eq(unlink(path), 0);
	if (change == BECOMES_DIRECTORY)
		fixture_directory(&f, "root/a.txt");
	if (change == REPLACED) {
		fixture_file(&f, "root/new.txt", "a new text");
		fixture_path(&f, "root/new.txt", other);
		ck_assert_int_eq(rename(other, path), 0);
	}
}

/* Between the look at the file and the reading of it. */
START_TEST(a_file_that_changes_meanwhile)
{
	struct target target;
	struct file file;

	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	f.open = true;
	fixture_target(&f, "/a.txt");
	ck_assert_int_eq(file_open(&file, &f.handler.root, f.request.path), 0);
	make_change(changes[_i].change);
	target = (struct target){ f.options.root, f.request.path, &f.handler.root };
	serve_file(&f.handler, &target, &f.request, &file, &f.response);
	ck_assert_int_eq(file.fd, -1);
	ck_assert_int_eq(f.response.status, changes[_i].status);
	if (changes[_i].content == NULL)
		return;
	ck_assert_int_eq(f.response.content_length, (int64_t)strlen(changes[_i].content));
	ck_assert_uint_eq(f.response.segment_count, 1);
	ck_assert(memcmp(f.response.segments[0].bytes, changes[_i].content, strlen(changes[_i].content)) == 0);
}
END_TEST

/* Wholly old: the bytes come out of the descriptor that the length and the tag came from. */
START_TEST(a_large_file_replaced_while_it_is_sent)
{
	char path[PATH_MAX], other[PATH_MAX], byte;

	fixture_bytes(&f, "root/large.zip", 100000);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	fixture_file(&f, "root/new.zip", "new");
	fixture_path(&f, "root/new.zip", other);
	fixture_path(&f, "root/large.zip", path);
	ck_assert_int_eq(rename(other, path), 0);
	ck_assert_int_eq(pread(f.response.fd, &byte, 1, 99999), 1);
	ck_assert_int_eq(byte, pattern_at(99999));
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_content(&f, "new");
}
END_TEST

START_TEST(every_change_changes_the_tag)
{
	char first[64], second[64];

	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_etag(&f, first);
	fixture_time(&f, "root/a.txt", WRITTEN, 500000001);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_etag(&f, second);
	ck_assert_str_ne(first, second);
	fixture_file(&f, "root/a.txt", "hello!");
	fixture_time(&f, "root/a.txt", WRITTEN, 500000000);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_etag(&f, second);
	ck_assert_str_ne(first, second);
}
END_TEST

Suite *
serve_file_suite(void)
{
	Suite *suite = suite_create("handler/serve_file");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 60);
	tcase_add_test(all, a_file_with_all_its_facts);
	tcase_add_loop_test(all, preconditions_of_a_file, 0, ROWS(preconditions));
	tcase_add_test(all, not_modified_says_what_a_cache_needs);
	tcase_add_loop_test(all, a_tag_is_weak_while_the_file_may_change_unseen, 0, ROWS(ages));
	tcase_add_test(all, if_range_by_date_waits_a_minute);
	tcase_add_test(all, a_time_to_come_is_not_told);
	tcase_add_test(all, a_time_before_1970);
	tcase_add_loop_test(all, ranges_of_files, 0, ROWS(ranges));
	tcase_add_test(all, several_ranges);
	tcase_add_test(all, too_many_ranges_are_ignored);
	tcase_add_test(all, an_empty_file);
	tcase_add_test(all, small_is_read_and_large_is_described);
	tcase_add_test(all, larger_than_32_bits);
	tcase_add_loop_test(all, media_types, 0, ROWS(types));
	tcase_add_test(all, a_range_keeps_the_coding);
	tcase_add_loop_test(all, a_file_that_changes_meanwhile, 0, ROWS(changes));
	tcase_add_test(all, a_large_file_replaced_while_it_is_sent);
	tcase_add_test(all, every_change_changes_the_tag);
	suite_add_tcase(suite, all);
	return suite;
}
