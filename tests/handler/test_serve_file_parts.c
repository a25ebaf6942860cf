/* Ranges of files, small and large, and what of a file is read before it is sent. */
#include "handler/serve_file.h"

#include "handler/fixture.h"
#include "suites.h"

#include <stdio.h>
#include <unistd.h>

Suite *serve_file_parts_suite(void);

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

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
	ck_assert_int_eq(fixture_body(&f), BODY_MULTIPART);
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
	ck_assert_int_eq(fixture_body(&f), BODY_BYTES);
	ck_assert_int_eq(f.response.fd, -1);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_int_eq(fixture_body(&f), BODY_FILE);
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

Suite *
serve_file_parts_suite(void)
{
	Suite *suite = suite_create("handler/serve_file_parts");

	suite_add_case(suite, ranges_of_files, ROWS(ranges), setup, teardown);
	suite_add_case(suite, several_ranges, 1, setup, teardown);
	suite_add_case(suite, too_many_ranges_are_ignored, 1, setup, teardown);
	suite_add_case(suite, an_empty_file, 1, setup, teardown);
	suite_add_case(suite, small_is_read_and_large_is_described, 1, setup, teardown);
	suite_add_case(suite, larger_than_32_bits, 1, setup, teardown);
	suite_add_case(suite, a_range_keeps_the_coding, 1, setup, teardown);
	return suite;
}
