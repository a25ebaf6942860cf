#include "suites.h"

Suite *str_suite(void);

static const struct {
	struct str s;
	size_t from, len;
	const char *want;
} subs[] = {
	{ STR("abcdef"), 0, 6, "abcdef" },
	{ STR("abcdef"), 2, 2, "cd" },
	{ STR("abcdef"), 4, 99, "ef" },
	{ STR("abcdef"), 6, 1, "" },
	{ STR("abcdef"), 99, SIZE_MAX, "" },
	{ STR(""), 0, 1, "" },
	{ { NULL, 0 }, 1, 1, "" },
};

START_TEST(sub_is_clipped)
{
	ck_assert_str_is(str_sub(subs[_i].s, subs[_i].from, subs[_i].len), subs[_i].want);
}
END_TEST

static const struct {
	struct str s, affix;
	bool starts, ends;
} affixes[] = {
	{ STR("abcab"), STR("ab"), true, true },
	{ STR("abc"), STR(""), true, true },
	{ STR(""), STR(""), true, true },
	{ STR("a"), STR("ab"), false, false },
	{ STR("abc"), STR("bc"), false, true },
	{ STR("Abc"), STR("a"), false, false },
};

START_TEST(starts_and_ends)
{
	ck_assert(str_starts(affixes[_i].s, affixes[_i].affix) == affixes[_i].starts);
	ck_assert(str_ends(affixes[_i].s, affixes[_i].affix) == affixes[_i].ends);
}
END_TEST

static const struct {
	struct str a, b;
	int order; /* -1, 0, 1 */
	bool same_but_for_case;
} pairs[] = {
	{ STR(""), STR(""), 0, true },
	{ { NULL, 0 }, STR(""), 0, true },
	{ STR("a"), STR(""), 1, false },
	{ STR("a"), STR("ab"), -1, false },
	{ STR("b"), STR("ab"), 1, false },
	{ STR("A"), STR("a"), -1, true },
	{ STR("Range"), STR("rANGE"), -1, true },
	{ STR("\xff"), STR("a"), 1, false },
	{ STR("a\0b"), STR("a\0c"), -1, false },
	{ STR("@"), STR("`"), -1, false },   /* 0x40 and 0x60: no letters */
	{ STR("\xc4"), STR("\xe4"), -1, false }, /* no Latin-1 either */
};

START_TEST(compare_and_fold)
{
	int order = str_compare(pairs[_i].a, pairs[_i].b);

	ck_assert_int_eq((order > 0) - (order < 0), pairs[_i].order);
	order = str_compare(pairs[_i].b, pairs[_i].a);
	ck_assert_int_eq((order > 0) - (order < 0), -pairs[_i].order);
	ck_assert(str_eq(pairs[_i].a, pairs[_i].b) == (pairs[_i].order == 0));
	ck_assert(str_ieq(pairs[_i].a, pairs[_i].b) == pairs[_i].same_but_for_case);
}
END_TEST

static const struct {
	struct str s;
	const char *want;
} trims[] = {
	{ STR(""), "" },
	{ STR(" \t "), "" },
	{ STR(" a b\t"), "a b" },
	{ STR("\na\r"), "\na\r" }, /* OWS is blank and tab only */
};

START_TEST(trim)
{
	ck_assert_str_is(str_trim(trims[_i].s), trims[_i].want);
}
END_TEST

static const struct {
	struct str s;
	bool good;
	int64_t value;
} numbers[] = {
	{ STR("0"), true, 0 },
	{ STR("007"), true, 7 },
	{ STR("9223372036854775806"), true, INT64_MAX - 1 },
	{ STR("9223372036854775807"), true, INT64_MAX },
	{ STR("9223372036854775808"), true, INT64_MAX },
	{ STR("99999999999999999999999999"), true, INT64_MAX },
	{ STR("92233720368547758080"), true, INT64_MAX },
	{ STR("99999999999999999999x"), false, 0 },
	{ STR(""), false, 0 },
	{ STR("+1"), false, 0 },
	{ STR("-1"), false, 0 },
	{ STR(" 1"), false, 0 },
	{ STR("1 "), false, 0 },
	{ STR("0x1"), false, 0 },
	{ STR(":"), false, 0 }, /* the byte after '9' */
	{ STR("/"), false, 0 }, /* and the one before '0' */
};

START_TEST(digits)
{
	int64_t value = 0;

	ck_assert(str_digits(numbers[_i].s, &value) == numbers[_i].good);
	if (numbers[_i].good)
		ck_assert_int_eq(value, numbers[_i].value);
}
END_TEST

static const struct {
	struct str s;
	size_t count;
	const char *parts[4];
} cuts[] = {
	{ STR("a,b,c"), 3, { "a", "b", "c" } },
	{ STR("a"), 1, { "a" } },
	{ STR(""), 1, { "" } },
	{ STR(","), 2, { "", "" } },
	{ STR("a,,b"), 3, { "a", "", "b" } },
	{ STR("a,"), 2, { "a", "" } },
	{ { NULL, 0 }, 0, { NULL } },
};

START_TEST(cut)
{
	struct str rest = cuts[_i].s, part;
	size_t count = 0;

	while (str_cut(&rest, ',', &part)) {
		ck_assert_uint_lt(count, cuts[_i].count);
		ck_assert_str_is(part, cuts[_i].parts[count]);
		count++;
	}
	ck_assert_uint_eq(count, cuts[_i].count);
}
END_TEST

START_TEST(has_and_from)
{
	ck_assert(str_has(S("a\0b"), '\0'));
	ck_assert(!str_has(S("ab"), '\0'));
	ck_assert(!str_has(str_from(NULL), 'a'));
	ck_assert_ptr_null(str_from(NULL).ptr);
	ck_assert_uint_eq(str_from("abc").len, 3);
}
END_TEST

Suite *
str_suite(void)
{
	Suite *suite = suite_create("str");

	suite_add_rows(suite, sub_is_clipped, subs);
	suite_add_rows(suite, starts_and_ends, affixes);
	suite_add_rows(suite, compare_and_fold, pairs);
	suite_add_rows(suite, trim, trims);
	suite_add_rows(suite, digits, numbers);
	suite_add_rows(suite, cut, cuts);
	suite_add_test(suite, has_and_from);
	return suite;
}
