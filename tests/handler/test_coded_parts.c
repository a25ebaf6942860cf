/* Preconditions and ranges where a file has two forms: each tag and each part is of one of them. */
#include "handler/coded.h"

#include "handler/coding.h"
#include "suites.h"

#include <stdio.h>

Suite *coded_parts_suite(void);

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

/* Which of two forms a request gets, by the tag that it has: of the plain form, of this coding, of another. */
enum which { NONE, PLAIN, CODED, CODED_WEAK, CODED_BY_A_FRONT, OTHER_CODING, FOREIGN, ANY };

static const struct {
	const char *accept;
	enum which if_match, if_none_match;
	bool dated; /* If-Modified-Since: its own date */
	enum status status;
	const char *coding;
} preconditions[] = {
	{ .accept = "gzip", .if_none_match = CODED, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = CODED_WEAK, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = CODED_BY_A_FRONT, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = PLAIN, .status = 200, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = OTHER_CODING, .status = 200, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = FOREIGN, .status = 200, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = ANY, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .dated = true, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .if_match = CODED, .status = 200, .coding = "gzip" },
	{ .accept = "gzip", .if_match = CODED_WEAK, .status = 412 },
	{ .accept = "gzip", .if_match = PLAIN, .status = 412 },
	{ .accept = "gzip", .if_match = ANY, .status = 200, .coding = "gzip" },
	{ .accept = NULL, .if_none_match = CODED, .status = 200 },
	{ .accept = NULL, .if_none_match = PLAIN, .status = 304 },
	{ .accept = NULL, .if_none_match = ANY, .status = 304 },
	{ .accept = NULL, .dated = true, .status = 304 },
	{ .accept = NULL, .if_match = CODED, .status = 412 },
	{ .accept = NULL, .if_match = PLAIN, .status = 200 },
	{ .accept = "identity", .if_none_match = PLAIN, .status = 304 },
};

/* Tags as the server gave them out. */
static char plain_tag[64], coded_tag_text[64], weak_tag[80], suffixed_tag[80], other_tag[64];

static void
learn_tags(const char *path)
{
	accept_coding(&f, NULL);
	ck_assert_int_eq(fixture_get(&f, path), 200);
	fixture_etag(&f, plain_tag);
	accept_coding(&f, "br");
	ck_assert_int_eq(fixture_get(&f, path), 200);
	fixture_etag(&f, other_tag);
	accept_coding(&f, "gzip");
	ck_assert_int_eq(fixture_get(&f, path), 200);
	fixture_etag(&f, coded_tag_text);
	snprintf(weak_tag, sizeof(weak_tag), "W/%s", coded_tag_text);
	snprintf(suffixed_tag, sizeof(suffixed_tag), "%.*s-gzip\"", (int)strlen(coded_tag_text) - 1, coded_tag_text);
}

static struct str
tag_of(enum which which)
{
	const char *const tags[] = { NULL, plain_tag, coded_tag_text, weak_tag, suffixed_tag, other_tag, "\"foreign\"",
		"*" };

	return str_from(tags[which]);
}

START_TEST(preconditions_of_both_forms)
{
	learn_tags("/a.txt");
	accept_coding(&f, preconditions[_i].accept);
	f.request.if_match = tag_of(preconditions[_i].if_match);
	f.request.if_none_match = tag_of(preconditions[_i].if_none_match);
	if (preconditions[_i].dated)
		f.request.if_modified_since = S(WRITTEN_TEXT);
	for (int head = 0; head < 2; head++) {
		f.request.method = head ? METHOD_HEAD : METHOD_GET;
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), preconditions[_i].status);
		if (preconditions[_i].status == 412)
			continue;
		ck_assert_field(&f, "Vary", "Accept-Encoding");
		ck_assert_field(&f, "ETag", preconditions[_i].coding != NULL ? coded_tag_text : plain_tag);
		if (preconditions[_i].status == 200 && !head)
			check_whole(&f, preconditions[_i].coding, SIZE);
		if (preconditions[_i].status == 304)
			ck_assert_no_field(&f, "Content-Encoding");
	}
}
END_TEST

/* A part is of the plain form, unless the request names the coded one's tag: then it is of those bytes. */
static const struct {
	enum which if_range, if_match, if_none_match;
	enum status status;
	bool coded;
} parts[] = {
	{ .status = 206 },
	{ .if_range = PLAIN, .status = 206 },
	{ .if_range = CODED, .status = 206, .coded = true },
	{ .if_range = FOREIGN, .status = 200 },
	{ .if_range = OTHER_CODING, .status = 200 },
	{ .if_range = CODED_WEAK, .status = 200, .coded = true },
	{ .if_match = PLAIN, .status = 206 },
	{ .if_match = CODED, .status = 206, .coded = true },
	{ .if_match = ANY, .status = 206 },
	{ .if_match = FOREIGN, .status = 412 },
	{ .if_none_match = CODED, .status = 304, .coded = true },
	{ .if_none_match = PLAIN, .status = 304 },
	{ .if_none_match = ANY, .status = 304 },
	{ .if_none_match = FOREIGN, .status = 206 },
};

static char coded_bytes[SIZE];

/* What a part must be: its bytes, and its place in the whole. */
static void
check_part(size_t first, size_t length, bool coded, size_t coded_size)
{
	char want[64];

	snprintf(want, sizeof(want), "bytes %zu-%zu/%zu", first, first + length - 1, coded ? coded_size : (size_t)SIZE);
	ck_assert_field(&f, "Content-Range", want);
	ck_assert_uint_eq(f.content.len, length);
	for (size_t i = 0; i < length; i++)
		ck_assert_int_eq(f.content.ptr[i], coded ? coded_bytes[first + i] : text_at(first + i));
}

START_TEST(parts_of_both_forms)
{
	size_t coded_size;

	learn_tags("/a.txt");
	coded_size = f.content.len;
	memcpy(coded_bytes, f.content.ptr, coded_size);
	f.request.range = S("bytes=100-149");
	f.request.if_range = tag_of(parts[_i].if_range);
	f.request.if_match = tag_of(parts[_i].if_match);
	f.request.if_none_match = tag_of(parts[_i].if_none_match);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), parts[_i].status);
	if (parts[_i].status == 412)
		return;
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	ck_assert_field(&f, "ETag", parts[_i].coded ? coded_tag_text : plain_tag);
	if (parts[_i].status == 206 && parts[_i].coded)
		ck_assert_field(&f, "Content-Encoding", "gzip");
	else if (parts[_i].status == 206)
		ck_assert_no_field(&f, "Content-Encoding");
	if (parts[_i].status == 206)
		check_part(100, 50, parts[_i].coded, coded_size);
	if (parts[_i].status == 200)
		check_whole(&f, parts[_i].coded ? "gzip" : NULL, SIZE);
	/* HEAD knows no Range: the form that a GET without it has. */
	f.request.method = METHOD_HEAD;
	f.request.if_range = f.request.if_match = f.request.if_none_match = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_field(&f, "ETag", coded_tag_text);
	ck_assert_field(&f, "Content-Encoding", "gzip");
	ck_assert_int_eq(f.response.content_length, (int64_t)coded_size);
}
END_TEST

START_TEST(ranges_of_the_coded_form)
{
	size_t coded_size;
	char want[128];

	learn_tags("/a.txt");
	coded_size = f.content.len;
	memcpy(coded_bytes, f.content.ptr, coded_size);
	f.request.if_range = tag_of(CODED);
	f.request.range = S("bytes=-10");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 206);
	check_part(coded_size - 10, 10, true, coded_size);
	/* Within the file, beyond its coded form. */
	f.request.range = S("bytes=3990-");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 416);
	snprintf(want, sizeof(want), "bytes */%zu", coded_size);
	ck_assert_field(&f, "Content-Range", want);
	f.request.range = S("bytes=0-9,500-509");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 206);
	ck_assert_field(&f, "Content-Encoding", "gzip");
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	snprintf(want, sizeof(want), "Content-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 500-509/%zu\r\n",
	    coded_size);
	ck_assert(fixture_has(&f, want));
	ck_assert_ptr_nonnull(memmem(f.content.ptr, f.content.len, coded_bytes + 500, 10));
}
END_TEST

Suite *
coded_parts_suite(void)
{
	Suite *suite = suite_create("handler/coded_parts");

	suite_add_case(suite, preconditions_of_both_forms, ROWS(preconditions), setup, teardown);
	suite_add_case(suite, parts_of_both_forms, ROWS(parts), setup, teardown);
	suite_add_case(suite, ranges_of_the_coded_form, 1, setup, teardown);
	return suite;
}
