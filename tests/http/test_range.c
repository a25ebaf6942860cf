#include "http/range.h"

#include "suites.h"

Suite *range_suite(void);

/* want: the set as "first+length" with blanks between, "200" when ignored, "416" when unsatisfiable. */
static const struct {
	struct str field;
	int64_t complete_length;
	const char *want;
} cases[] = {
	/* RFC 9110 14.1.2, its own examples. */
	{ STR("bytes=0-499"), 10000, "0+500" },
	{ STR("bytes=500-999"), 10000, "500+500" },
	{ STR("bytes=-500"), 10000, "9500+500" },
	{ STR("bytes=9500-"), 10000, "9500+500" },
	{ STR("bytes=0-0,-1"), 10000, "0+1 9999+1" },
	{ STR("bytes= 0-999, 4500-5499, -1000"), 10000, "0+1000 4500+1000 9000+1000" },
	{ STR("bytes=500-600,601-999"), 10000, "500+500" },
	{ STR("bytes=500-700,601-999"), 10000, "500+500" },
	/* Ends. */
	{ STR("bytes=0-"), 10, "0+10" },
	{ STR("bytes=0-0"), 10, "0+1" },
	{ STR("bytes=0-0"), 1, "0+1" },
	{ STR("bytes=9-9"), 10, "9+1" },
	{ STR("bytes=9-"), 10, "9+1" },
	{ STR("bytes=-1"), 10, "9+1" },
	{ STR("bytes=-4"), 10, "6+4" },
	{ STR("bytes=-10"), 10, "0+10" },
	{ STR("bytes=-5000"), 10, "0+10" },
	{ STR("bytes=0-5000"), 10, "0+10" },
	{ STR("bytes=5-1000"), 10, "5+5" },
	{ STR("bytes=0-9"), 10, "0+10" },
	{ STR("bytes=0-10"), 10, "0+10" },
	{ STR("bytes=007-008"), 10, "7+2" },
	/* Outside. */
	{ STR("bytes=10-"), 10, "416" },
	{ STR("bytes=10-20"), 10, "416" },
	{ STR("bytes=-0"), 10, "416" },
	{ STR("bytes=-000"), 10, "416" },
	{ STR("bytes=10-,-0,99-99"), 10, "416" },
	{ STR("bytes=99-,3-4"), 10, "3+2" },
	{ STR("bytes=3-4,-0"), 10, "3+2" },
	/* Nothing to cut. */
	{ STR("bytes=0-"), 0, "200" },
	{ STR("bytes=0-0"), 0, "200" },
	{ STR("bytes=-1"), 0, "200" },
	{ STR("bytes=-0"), 0, "200" },
	{ STR("bytes=5-"), 0, "200" },
	/* Beyond 32 and 64 bits. */
	{ STR("bytes=4294967296-4294967305"), INT64_C(5368709120), "4294967296+10" },
	{ STR("bytes=-1"), INT64_C(5368709120), "5368709119+1" },
	{ STR("bytes=0-9223372036854775807"), 10, "0+10" },
	{ STR("bytes=0-9223372036854775808"), 10, "0+10" },
	{ STR("bytes=0-18446744073709551616"), 10, "0+10" },
	{ STR("bytes=0-99999999999999999999999999"), 10, "0+10" },
	{ STR("bytes=-99999999999999999999999999"), 10, "0+10" },
	{ STR("bytes=99999999999999999999999999-"), 10, "416" },
	{ STR("bytes=18446744073709551616-18446744073709551620"), 10, "416" },
	{ STR("bytes=0-"), INT64_MAX, "0+9223372036854775807" },
	{ STR("bytes=-1"), INT64_MAX, "9223372036854775806+1" },
	{ STR("bytes=9223372036854775806-9223372036854775807"), INT64_MAX, "9223372036854775806+1" },
	{ STR("bytes=9223372036854775807-"), INT64_MAX, "416" },
	{ STR("bytes=0-0,-1"), INT64_MAX, "0+1 9223372036854775806+1" },
	/* The unit. */
	{ STR("Bytes=0-4"), 10, "0+5" },
	{ STR("BYTES=0-4"), 10, "0+5" },
	{ STR("items=0-5"), 10, "200" },
	{ STR("byte=0-4"), 10, "200" },
	{ STR("bytes 0-4"), 10, "200" },
	{ STR("bytes =0-4"), 10, "200" },
	{ STR("bytes:0-4"), 10, "200" },
	{ STR("=0-4"), 10, "200" },
	{ STR("0-4"), 10, "200" },
	{ STR("bytes"), 10, "200" },
	{ STR(""), 10, "200" },
	{ { NULL, 0 }, 10, "200" },
	/* White space and empty members. */
	{ STR(" bytes=0-4 "), 10, "0+5" },
	{ STR("bytes=\t0-4 ,\t6-7 "), 1000, "0+8" },
	{ STR("bytes=,0-4"), 10, "0+5" },
	{ STR("bytes=0-4,"), 10, "0+5" },
	{ STR("bytes=, ,,0-4, ,"), 10, "0+5" },
	{ STR("bytes="), 10, "200" },
	{ STR("bytes=,"), 10, "200" },
	{ STR("bytes= , ,"), 10, "200" },
	{ STR("bytes=0 -4"), 10, "200" },
	{ STR("bytes=0- 4"), 10, "200" },
	{ STR("bytes=- 4"), 10, "200" },
	{ STR("bytes=0-4\n"), 10, "200" },
	/* One broken member, and the field is no range at all. */
	{ STR("bytes=4-3"), 10, "200" },
	{ STR("bytes=20-15"), 10, "200" },
	{ STR("bytes=0-4,7-6"), 10, "200" },
	{ STR("bytes=-"), 10, "200" },
	{ STR("bytes=--5"), 10, "200" },
	{ STR("bytes=-5-"), 10, "200" },
	{ STR("bytes=5"), 10, "200" },
	{ STR("bytes=0-4-5"), 10, "200" },
	{ STR("bytes=0--4"), 10, "200" },
	{ STR("bytes=0-:"), 10, "200" },
	{ STR("bytes=:-4"), 10, "200" },
	{ STR("bytes=+0-4"), 10, "200" },
	{ STR("bytes=0-+4"), 10, "200" },
	{ STR("bytes=0x0-4"), 10, "200" },
	{ STR("bytes=a-b"), 10, "200" },
	{ STR("bytes=0-4,x"), 10, "200" },
	{ STR("bytes=0-4;6-7"), 10, "200" },
	{ STR("bytes=0-4,items=0-1"), 10, "200" },
	{ STR("bytes=bytes=0-4"), 10, "200" },
	{ STR("bytes=0-4\0"), 10, "200" },
	{ STR("bytes=*"), 10, "200" },
	/* Joining: overlapping, touching, or less than 80 bytes apart. */
	{ STR("bytes=0-9,10-19"), 1000, "0+20" },
	{ STR("bytes=0-9,5-19"), 1000, "0+20" },
	{ STR("bytes=0-9,0-9"), 1000, "0+10" },
	{ STR("bytes=0-99,10-19"), 1000, "0+100" },
	{ STR("bytes=10-19,0-99"), 1000, "0+100" },
	{ STR("bytes=0-9,89-99"), 1000, "0+100" },      /* 79 bytes apart */
	{ STR("bytes=0-9,90-99"), 1000, "0+10 90+10" }, /* 80 */
	{ STR("bytes=90-99,0-9"), 1000, "90+10 0+10" },
	{ STR("bytes=89-99,0-9"), 1000, "0+100" },
	{ STR("bytes=0-4,-5"), 10, "0+10" }, /* all of it is still a range */
	{ STR("bytes=500-509,0-9,-10"), 1000, "500+10 0+10 990+10" },
	/* A joined range stands where the first of its members stood. */
	{ STR("bytes=500-509,0-9,600-609,510-519"), 1000, "500+20 0+10 600+10" },
	{ STR("bytes=0-9,500-509,900-909,100-109,50-60"), 1000, "0+110 500+10 900+10" },
	{ STR("bytes=800-809,0-9,500-509,180-189,80-109"), 1000, "800+10 0+190 500+10" },
	/* One that comes late and joins all. */
	{ STR("bytes=0-9,200-209,400-409,600-609,10-599"), 1000, "0+610" },
	{ STR("bytes=0-9,200-209,400-409,0-"), 1000, "0+1000" },
};

START_TEST(parse)
{
	struct range_set set = { 0 };
	struct buf got;

	buf_init(&got, 1000);
	switch (range_parse(cases[_i].field, cases[_i].complete_length, &set)) {
	case RANGE_IGNORED:
		buf_text(&got, "200");
		break;
	case RANGE_UNSATISFIABLE:
		buf_text(&got, "416");
		break;
	case RANGE_SATISFIABLE:
		for (size_t i = 0; i < set.count; i++) {
			if (i > 0)
				buf_char(&got, ' ');
			buf_int(&got, set.ranges[i].first);
			buf_char(&got, '+');
			buf_int(&got, set.ranges[i].length);
		}
		break;
	}
	ck_assert_str_is(buf_view(&got), cases[_i].want);
	buf_release(&got);
}
END_TEST

/* As many members as asked for, each apart from the others unless they are all the same. */
static enum range_result
parse_many(int members, int64_t distance, struct range_set *set)
{
	struct buf field;
	enum range_result result;

	buf_init(&field, 10000);
	buf_text(&field, "bytes=");
	for (int i = 0; i < members; i++) {
		buf_int(&field, i * distance);
		buf_char(&field, '-');
		buf_int(&field, i * distance);
		buf_text(&field, ",");
	}
	result = range_parse(buf_view(&field), 100000, set);
	buf_release(&field);
	return result;
}

START_TEST(too_many_are_ignored)
{
	struct range_set set;

	ck_assert_int_eq(parse_many(RANGE_MAX, 1000, &set), RANGE_SATISFIABLE);
	ck_assert_uint_eq(set.count, RANGE_MAX);
	ck_assert_int_eq(set.ranges[RANGE_MAX - 1].first, (RANGE_MAX - 1) * 1000);
	ck_assert_int_eq(parse_many(RANGE_MAX + 1, 1000, &set), RANGE_IGNORED);
	/* They count as sent, not as joined, and also when they lie outside. */
	ck_assert_int_eq(parse_many(RANGE_MAX + 1, 0, &set), RANGE_IGNORED);
	ck_assert_int_eq(parse_many(RANGE_MAX + 1, 90000, &set), RANGE_IGNORED);
}
END_TEST

static const struct {
	struct str field;
	bool plain;
} plain[] = {
	{ STR("bytes=0-9"), true },
	{ STR("bytes=5-"), true },
	{ STR("bytes=-5"), true },
	{ STR("bytes=0-9, 20-29"), true },
	{ STR("BYTES=0-9"), true },
	{ STR("bytes=0-999999999999999999"), true },
	{ STR("bytes=0-1000000000000000000"), false },
	{ STR("bytes=-99999999999999999999"), false },
	{ STR("bytes=0-9,"), false },
	{ STR("bytes=,0-9"), false },
	{ STR("bytes=0-9, ,20-29"), false },
	{ STR("bytes=0-9,5-2"), false },
	{ STR("bytes=a-b"), false },
	{ STR("bytes=-"), false },
	{ STR("bytes="), false },
	{ STR("items=0-9"), false },
	{ STR(""), false },
};

START_TEST(read_alike)
{
	ck_assert_int_eq(range_is_plain(plain[_i].field), plain[_i].plain);
}
END_TEST

START_TEST(content_range)
{
	struct buf out;

	buf_init(&out, 100);
	range_format(&out, &(struct range){ 0, 10 }, 100);
	ck_assert_str_is(buf_view(&out), "bytes 0-9/100");
	buf_reset(&out);
	range_format(&out, &(struct range){ INT64_C(4294967296), 1 }, INT64_C(5368709120));
	ck_assert_str_is(buf_view(&out), "bytes 4294967296-4294967296/5368709120");
	buf_reset(&out);
	range_format_unsatisfied(&out, 100);
	ck_assert_str_is(buf_view(&out), "bytes */100");
	buf_release(&out);
}
END_TEST

Suite *
range_suite(void)
{
	Suite *suite = suite_create("range");

	suite_add_rows(suite, parse, cases);
	suite_add_test(suite, too_many_are_ignored);
	suite_add_rows(suite, read_alike, plain);
	suite_add_test(suite, content_range);
	return suite;
}
