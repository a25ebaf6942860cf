#include "http/response.h"

#include "suites.h"

Suite *response_suite(void);

static const struct {
	struct str value;
	const char *want;
} fields[] = {
	{ STR("text/html"), "Name: text/html\r\n" },
	{ STR(""), "Name: \r\n" },
	{ STR("a\r\nSet-Cookie: b"), "Name: aSet-Cookie: b\r\n" },
	{ STR("a\nb\0c\x7f\x1b"), "Name: abc\r\n" },
	{ STR("gr\xc3\xbc\xc3\x9f"), "Name: gr\xc3\xbc\xc3\x9f\r\n" },
};

START_TEST(field)
{
	struct response response;

	response_init(&response);
	response_field(&response, "Name", fields[_i].value);
	ck_assert_str_is(buf_view(&response.fields), fields[_i].want);
	response_release(&response);
}
END_TEST

static void
check_is_empty(const struct response *response)
{
	ck_assert_int_eq(response->status, STATUS_UNDECIDED);
	ck_assert_int_eq(response->content_length, -1);
	ck_assert_int_eq(response->fd, -1);
	ck_assert_uint_eq(response->segment_count, 0);
	ck_assert_uint_eq(response->fields.len, 0);
	ck_assert_uint_eq(response->text.len, 0);
	ck_assert_ptr_null(response->owner);
}

START_TEST(reset_keeps_nothing_but_memory)
{
	struct response response;

	response_init(&response);
	check_is_empty(&response);
	response.status = STATUS_OK;
	response.content_length = 10;
	response.fd = 7;
	response.owner = &response;
	response_field(&response, "A", S("b"));
	buf_text(&response.text, "abc");
	response_bytes(&response, buf_view(&response.text));
	response_file(&response, 5, 10);
	response_reset(&response);
	check_is_empty(&response);
	ck_assert_ptr_nonnull(response.fields.ptr);
	response_release(&response);
}
END_TEST

START_TEST(segments)
{
	struct response response;

	response_init(&response);
	response_bytes(&response, S("abc"));
	response_file(&response, INT64_C(5000000000), 10);
	ck_assert_uint_eq(response.segment_count, 2);
	ck_assert_int_eq(response.segments[0].length, 3);
	ck_assert(memcmp(response.segments[0].bytes, "abc", 3) == 0);
	ck_assert_ptr_null(response.segments[1].bytes);
	ck_assert_int_eq(response.segments[1].offset, INT64_C(5000000000));
	ck_assert_int_eq(response.segments[1].length, 10);
	response_release(&response);
}
END_TEST

Suite *
response_suite(void)
{
	Suite *suite = suite_create("response");

	suite_add_rows(suite, field, fields);
	suite_add_test(suite, reset_keeps_nothing_but_memory);
	suite_add_test(suite, segments);
	return suite;
}
