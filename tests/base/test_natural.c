#include "base/natural.h"

#include "suites.h"

Suite *natural_suite(void);

static int
compare(struct str a, struct str b)
{
	struct buf key_a, key_b;
	int order;

	buf_init(&key_a, 10000);
	buf_init(&key_b, 10000);
	natural_key(&key_a, a);
	natural_key(&key_b, b);
	ck_assert_uint_le(key_a.len, 2 * a.len + 2);
	ck_assert_uint_le(key_b.len, 2 * b.len + 2);
	order = str_compare(buf_view(&key_a), buf_view(&key_b));
	buf_release(&key_a);
	buf_release(&key_b);
	return (order > 0) - (order < 0);
}

static const struct {
	struct str a, b;
	int order;
} pairs[] = {
	{ STR(""), STR(""), 0 },
	{ STR(""), STR("a"), -1 },
	{ STR(""), STR("0"), -1 },
	{ STR("a"), STR("B"), -1 },
	{ STR("README"), STR("readme"), 0 },
	{ STR("file2"), STR("file10"), -1 },
	{ STR("File2"), STR("file10"), -1 },
	{ STR("file9"), STR("file10"), -1 },
	{ STR("file10"), STR("file10a"), -1 },
	{ STR("file1.txt"), STR("file1a.txt"), -1 },
	{ STR("file"), STR("file1"), -1 },
	{ STR("1.9"), STR("1.10"), -1 },
	{ STR("1.10"), STR("1.10.1"), -1 },
	{ STR("2"), STR("a"), -1 },
	{ STR("10"), STR("a"), -1 },
	{ STR("-1"), STR("1"), -1 },  /* '-' comes before digits in ASCII */
	{ STR("a-1"), STR("a1"), -1 },
	{ STR("a:1"), STR("a1"), 1 }, /* ':' comes after them */
	{ STR("a:1"), STR("a1234567890"), 1 },
	{ STR("0"), STR("1"), -1 },
	{ STR("0"), STR("00"), -1 },
	{ STR("00"), STR("000"), -1 },
	{ STR("000"), STR("1"), -1 },
	{ STR("a1"), STR("a01"), -1 },
	{ STR("a01"), STR("a001"), -1 },
	{ STR("a001"), STR("a2"), -1 },
	{ STR("a01b2"), STR("a1b3"), -1 }, /* zeros only break ties */
	{ STR("a1b01"), STR("a01b1"), -1 }, /* the first number that differs in zeros decides */
	{ STR("a01b1"), STR("a01b01"), -1 },
	{ STR("a01"), STR("a1b"), -1 },
	{ STR("a01"), STR("a1\x01"), -1 },
	{ STR("9"), STR("12345678901234567890"), -1 },
	{ STR("99999999999999999999999"), STR("100000000000000000000000"), -1 },
	{ STR("12345678901234567890"), STR("12345678901234567891"), -1 },
	{ STR("999999999"), STR("1000000000"), -1 },  /* 9 digits and 10 */
	{ STR("9999999999"), STR("10000000000"), -1 },
	{ STR("\xc3\xbc"), STR("z"), 1 },
	{ STR("a\0" "1"), STR("a1"), -1 },
};

START_TEST(order)
{
	ck_assert_int_eq(compare(pairs[_i].a, pairs[_i].b), pairs[_i].order);
	ck_assert_int_eq(compare(pairs[_i].b, pairs[_i].a), -pairs[_i].order);
}
END_TEST

/* Numbers of n digits and of n + 1: more digits is more, also where the length takes another byte. */
static const size_t lengths[] = { 1, 2, 8, 9, 10, 11, 254, 255, 263, 264, 265, 266, 519, 520, 1000 };

START_TEST(long_numbers)
{
	char nines[1100], more[1100];
	size_t n = lengths[_i];

	memset(nines, '9', sizeof(nines));
	memset(more, '0', sizeof(more));
	more[0] = '1';
	ck_assert_int_eq(compare((struct str){ nines, n }, (struct str){ more, n + 1 }), -1);
	memset(more, '0', sizeof(more));
	more[n] = '1';
	/* 000...1 is less than 2, and has the same value as 1. */
	ck_assert_int_eq(compare((struct str){ more, n + 1 }, S("2")), -1);
	ck_assert_int_eq(compare(S("1"), (struct str){ more, n + 1 }), -1);
	ck_assert_int_eq(compare((struct str){ more + 1, n }, (struct str){ more, n + 1 }), -1);
}
END_TEST

/* The worst for the length of a key: single digits and padded ones in turn. */
START_TEST(the_key_is_bounded)
{
	static const char *const patterns[] = { "1a", "01a", "0a", "00a", "1a01b", "0123456789a", "a", "0" };
	struct buf name;

	buf_init(&name, 10000);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		buf_reset(&name);
		for (size_t repeat = 0; repeat < 400; repeat++) {
			buf_text(&name, patterns[i]);
			compare(buf_view(&name), S(""));
			buf_text(&name, "01");
			compare(buf_view(&name), S(""));
			name.len -= 2;
		}
	}
	buf_release(&name);
}
END_TEST

Suite *
natural_suite(void)
{
	Suite *suite = suite_create("natural");

	suite_add_rows(suite, order, pairs);
	suite_add_rows(suite, long_numbers, lengths);
	suite_add_test(suite, the_key_is_bounded);
	return suite;
}
