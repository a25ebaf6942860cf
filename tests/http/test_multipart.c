#include "http/multipart.h"

#include "suites.h"

Suite *multipart_suite(void);

/* RFC 9110 15.3.7.2, its own example with our line ends made explicit. */
START_TEST(a_whole_body)
{
	static const char boundary[] = "THIS_STRING_SEPARATES";
	struct range first = { 500, 500 }, second = { 7000, 1000 };
	struct buf out;

	buf_init(&out, 1000);
	multipart_part(&out, boundary, true, S("application/pdf"), &first, 8000);
	buf_text(&out, "[first]");
	multipart_part(&out, boundary, false, S("application/pdf"), &second, 8000);
	buf_text(&out, "[second]");
	multipart_end(&out, boundary);
	ck_assert_str_is(buf_view(&out),
	    "--THIS_STRING_SEPARATES\r\n"
	    "Content-Type: application/pdf\r\n"
	    "Content-Range: bytes 500-999/8000\r\n"
	    "\r\n"
	    "[first]\r\n"
	    "--THIS_STRING_SEPARATES\r\n"
	    "Content-Type: application/pdf\r\n"
	    "Content-Range: bytes 7000-7999/8000\r\n"
	    "\r\n"
	    "[second]\r\n"
	    "--THIS_STRING_SEPARATES--\r\n");
	buf_release(&out);
}
END_TEST

START_TEST(a_part_without_type)
{
	struct buf out;

	buf_init(&out, 1000);
	multipart_part(&out, "b", true, S(""), &(struct range){ 0, 1 }, 2);
	ck_assert_str_is(buf_view(&out), "--b\r\nContent-Range: bytes 0-0/2\r\n\r\n");
	buf_release(&out);
}
END_TEST

START_TEST(boundary)
{
	char one[BOUNDARY_LENGTH + 1], same[BOUNDARY_LENGTH + 1], other[BOUNDARY_LENGTH + 1];

	multipart_boundary(one, S("\"a\" 1"));
	multipart_boundary(same, S("\"a\" 1"));
	multipart_boundary(other, S("\"a\" 2"));
	ck_assert_uint_eq(strlen(one), BOUNDARY_LENGTH);
	ck_assert_uint_eq(strspn(one, "0123456789abcdef"), BOUNDARY_LENGTH);
	ck_assert_str_eq(one, same);
	ck_assert_str_ne(one, other);
}
END_TEST

Suite *
multipart_suite(void)
{
	Suite *suite = suite_create("multipart");

	suite_add_test(suite, a_whole_body);
	suite_add_test(suite, a_part_without_type);
	suite_add_test(suite, boundary);
	return suite;
}
