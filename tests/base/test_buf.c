#include "suites.h"

Suite *buf_suite(void);

START_TEST(appends)
{
	struct buf b;

	buf_init(&b, 1000);
	ck_assert_str_is(buf_view(&b), "");
	buf_text(&b, "ab");
	buf_char(&b, '-');
	buf_str(&b, S("cd"));
	buf_str(&b, (struct str){ NULL, 0 });
	ck_assert_str_is(buf_since(&b, 3), "cd");
	ck_assert_str_is(buf_since(&b, 99), "");
	buf_bytes(&b, "\0e", 2);
	ck_assert(str_eq(buf_view(&b), S("ab-cd\0e")));
	buf_release(&b);
	ck_assert_str_is(buf_view(&b), "");
}
END_TEST

START_TEST(c_string_is_not_counted)
{
	struct buf b;

	buf_init(&b, 1000);
	ck_assert_str_eq(buf_cstr(&b), "");
	buf_text(&b, "abc");
	ck_assert_str_eq(buf_cstr(&b), "abc");
	ck_assert_uint_eq(b.len, 3);
	buf_char(&b, 'd');
	ck_assert_str_eq(buf_cstr(&b), "abcd");
	buf_release(&b);
}
END_TEST

static const struct {
	int64_t n;
	const char *want;
} integers[] = {
	{ 0, "0" },
	{ -1, "-1" },
	{ 1234567890, "1234567890" },
	{ INT64_MAX, "9223372036854775807" },
	{ INT64_MIN, "-9223372036854775808" },
};

START_TEST(decimal)
{
	struct buf b;

	buf_init(&b, 100);
	buf_int(&b, integers[_i].n);
	ck_assert_str_is(buf_view(&b), integers[_i].want);
	buf_release(&b);
}
END_TEST

static const struct {
	uint64_t n;
	int width;
	const char *padded, *hex;
} unsigned_numbers[] = {
	{ 0, 1, "0", "0" },
	{ 0, 0, "0", "0" },
	{ 7, 2, "07", "7" },
	{ 255, 2, "255", "ff" },
	{ 1994, 4, "1994", "7ca" },
	{ UINT64_MAX, 1, "18446744073709551615", "ffffffffffffffff" },
};

START_TEST(padded_and_hex)
{
	struct buf b;

	buf_init(&b, 100);
	buf_pad(&b, unsigned_numbers[_i].n, unsigned_numbers[_i].width);
	ck_assert_str_is(buf_view(&b), unsigned_numbers[_i].padded);
	buf_reset(&b);
	buf_hex(&b, unsigned_numbers[_i].n);
	ck_assert_str_is(buf_view(&b), unsigned_numbers[_i].hex);
	buf_release(&b);
}
END_TEST

START_TEST(the_ceiling_holds)
{
	struct buf b;

	buf_init(&b, 10);
	buf_text(&b, "0123456789");
	ck_assert(!buf_failed(&b));
	ck_assert_uint_le(b.cap, 10);
	buf_char(&b, 'x');
	ck_assert(buf_failed(&b));
	ck_assert_str_is(buf_view(&b), "0123456789");
	ck_assert_ptr_null(buf_cstr(&b));
	buf_release(&b);
}
END_TEST

START_TEST(failure_sticks_until_reset)
{
	struct buf b;

	buf_init(&b, 10);
	buf_text(&b, "01234567890");
	ck_assert(buf_failed(&b));
	buf_text(&b, "a");
	buf_char(&b, 'b');
	buf_int(&b, 1);
	ck_assert_uint_eq(b.len, 0);
	ck_assert(!buf_reserve(&b, 1));
	buf_reset(&b);
	buf_text(&b, "a");
	ck_assert(!buf_failed(&b));
	ck_assert_str_is(buf_view(&b), "a");
	buf_release(&b);
}
END_TEST

START_TEST(reserved_room_does_not_move)
{
	struct buf b;
	const char *before;

	buf_init(&b, 100000);
	ck_assert(buf_reserve(&b, 5000));
	before = b.ptr;
	for (int i = 0; i < 5000; i++)
		buf_char(&b, 'x');
	ck_assert_ptr_eq(b.ptr, before);
	ck_assert(!buf_reserve(&b, SIZE_MAX));
	buf_release(&b);
}
END_TEST

START_TEST(a_zeroed_buffer_is_released)
{
	struct buf b = { 0 };

	buf_release(&b);
	buf_char(&b, 'x');
	ck_assert(buf_failed(&b));
}
END_TEST

Suite *
buf_suite(void)
{
	Suite *suite = suite_create("buf");

	suite_add_test(suite, appends);
	suite_add_test(suite, c_string_is_not_counted);
	suite_add_rows(suite, decimal, integers);
	suite_add_rows(suite, padded_and_hex, unsigned_numbers);
	suite_add_test(suite, the_ceiling_holds);
	suite_add_test(suite, failure_sticks_until_reset);
	suite_add_test(suite, reserved_room_does_not_move);
	suite_add_test(suite, a_zeroed_buffer_is_released);
	return suite;
}
