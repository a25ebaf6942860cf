#include "http/date.h"

#include "suites.h"

Suite *date_suite(void);

/* 14 November 2023, the present of these tests. */
#define NOW INT64_C(1700000000)

static const struct {
	int64_t seconds;
	struct date date;
	const char *http; /* NULL: cannot be written */
	const char *rfc3339;
} dates[] = {
	{ 0, { 1970, 1, 1, 0, 0, 0, 4 }, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z" },
	{ -1, { 1969, 12, 31, 23, 59, 59, 3 }, "Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59Z" },
	{ 784111777, { 1994, 11, 6, 8, 49, 37, 0 }, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z" },
	{ NOW, { 2023, 11, 14, 22, 13, 20, 2 }, "Tue, 14 Nov 2023 22:13:20 GMT", "2023-11-14T22:13:20Z" },
	{ 951782400, { 2000, 2, 29, 0, 0, 0, 2 }, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z" },
	{ 978307199, { 2000, 12, 31, 23, 59, 59, 0 }, "Sun, 31 Dec 2000 23:59:59 GMT", "2000-12-31T23:59:59Z" },
	{ INT64_C(2147483648), { 2038, 1, 19, 3, 14, 8, 2 }, "Tue, 19 Jan 2038 03:14:08 GMT",
	    "2038-01-19T03:14:08Z" },
	{ INT64_C(4107542400), { 2100, 3, 1, 0, 0, 0, 1 }, "Mon, 01 Mar 2100 00:00:00 GMT",
	    "2100-03-01T00:00:00Z" },
	{ INT64_C(4107542399), { 2100, 2, 28, 23, 59, 59, 0 }, "Sun, 28 Feb 2100 23:59:59 GMT",
	    "2100-02-28T23:59:59Z" },
	{ INT64_C(253402300799), { 9999, 12, 31, 23, 59, 59, 5 }, "Fri, 31 Dec 9999 23:59:59 GMT",
	    "9999-12-31T23:59:59Z" },
	{ INT64_C(-62167219200), { 0, 1, 1, 0, 0, 0, 6 }, "Sat, 01 Jan 0000 00:00:00 GMT",
	    "0000-01-01T00:00:00Z" },
	{ INT64_C(-62135596800), { 1, 1, 1, 0, 0, 0, 1 }, "Mon, 01 Jan 0001 00:00:00 GMT",
	    "0001-01-01T00:00:00Z" },
	{ INT64_C(253402300800), { 10000, 1, 1, 0, 0, 0, 6 }, NULL, NULL },
	{ INT64_C(-62167219201), { -1, 12, 31, 23, 59, 59, 5 }, NULL, NULL },
};

START_TEST(calendar)
{
	struct date want = dates[_i].date, got = date_from_seconds(dates[_i].seconds);

	ck_assert_int_eq(got.year, want.year);
	ck_assert_int_eq(got.month, want.month);
	ck_assert_int_eq(got.day, want.day);
	ck_assert_int_eq(got.hour, want.hour);
	ck_assert_int_eq(got.minute, want.minute);
	ck_assert_int_eq(got.second, want.second);
	ck_assert_int_eq(got.weekday, want.weekday);
	ck_assert_int_eq(date_to_seconds(&want), dates[_i].seconds);
}
END_TEST

static void
check_format(bool (*format)(struct buf *, int64_t), int64_t seconds, const char *want)
{
	struct buf out;

	buf_init(&out, 100);
	ck_assert(format(&out, seconds) == (want != NULL));
	ck_assert_str_is(buf_view(&out), want != NULL ? want : "");
	buf_release(&out);
}

START_TEST(formats)
{
	check_format(date_format, dates[_i].seconds, dates[_i].http);
	check_format(date_format_rfc3339, dates[_i].seconds, dates[_i].rfc3339);
	if (dates[_i].http != NULL)
		ck_assert_uint_eq(strlen(dates[_i].http), DATE_LENGTH);
}
END_TEST

START_TEST(no_second_is_out_of_reach)
{
	static const int64_t far[] = { INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX };

	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		check_format(date_format, far[i], NULL);
		check_format(date_format_rfc3339, far[i], NULL);
		ck_assert_int_le(date_from_seconds(far[i]).month, 12);
	}
}
END_TEST

/* Every day of the years -9999 to 9999, each counted on from the one before. */
START_TEST(every_day_follows_the_one_before)
{
	struct date today = { .year = -9999, .month = 1, .day = 1 };
	int64_t seconds = date_to_seconds(&today);

	today = date_from_seconds(seconds);
	ck_assert_int_eq(today.year, -9999);
	for (; today.year <= 9999; seconds += 86400) {
		struct date tomorrow = date_from_seconds(seconds + 86400);
		bool same_month = tomorrow.month == today.month && tomorrow.year == today.year;

		if (tomorrow.weekday != (today.weekday + 1) % 7 || tomorrow.day != (same_month ? today.day + 1 : 1) ||
		    date_to_seconds(&tomorrow) != seconds + 86400)
			ck_abort_msg("after %lld", (long long)seconds);
		today = tomorrow;
	}
	ck_assert_int_eq(seconds, INT64_C(253402300800));
}
END_TEST

static const struct {
	struct str text;
	bool good;
	int64_t seconds;
} texts[] = {
	/* The three forms of RFC 9110 5.6.7. */
	{ STR("Sun, 06 Nov 1994 08:49:37 GMT"), true, 784111777 },
	{ STR("Sunday, 06-Nov-94 08:49:37 GMT"), true, 784111777 },
	{ STR("Sun Nov  6 08:49:37 1994"), true, 784111777 },
	{ STR("Mon Nov 14 22:13:20 2023"), true, NOW },
	{ STR("Thu, 01 Jan 1970 00:00:00 GMT"), true, 0 },
	{ STR("Wed, 31 Dec 1969 23:59:59 GMT"), true, -1 },
	{ STR("Tue, 19 Jan 2038 03:14:08 GMT"), true, INT64_C(2147483648) },
	{ STR("Sun, 07 Feb 2106 06:28:16 GMT"), true, INT64_C(4294967296) },
	{ STR("Fri, 31 Dec 9999 23:59:59 GMT"), true, INT64_C(253402300799) },
	{ STR("Sat, 01 Jan 0000 00:00:00 GMT"), true, INT64_C(-62167219200) },
	{ STR("Mon, 06 Nov 1994 08:49:37 GMT"), true, 784111777 }, /* it was a Sunday */
	{ STR("Sun, 06 Nov 1994 08:49:60 GMT"), true, 784111800 },
	{ STR("Tue, 29 Feb 2000 00:00:00 GMT"), true, 951782400 },
	{ STR("Tuesday, 29-Feb-00 00:00:00 GMT"), true, 951782400 },
	/* Two digits: at most 50 years ahead of November 2023. */
	{ STR("Tuesday, 14-Nov-23 22:13:20 GMT"), true, NOW },
	{ STR("Tuesday, 14-Nov-73 22:13:20 GMT"), true, INT64_C(3277923200) }, /* 2073, to the second */
	{ STR("Wednesday, 14-Nov-73 22:13:21 GMT"), true, 122163201 }, /* 1973 */
	{ STR("Friday, 31-Dec-99 23:59:59 GMT"), true, 946684799 },
	{ STR("Thursday, 01-Jan-70 00:00:00 GMT"), true, INT64_C(3155760000) },
	/* No dates. */
	{ STR(""), false, 0 },
	{ { NULL, 0 }, false, 0 },
	{ STR("yesterday"), false, 0 },
	{ STR("784111777"), false, 0 },
	{ STR("0"), false, 0 },
	{ STR("1994-11-06T08:49:37Z"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49:37"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49:37 UTC"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49:37 +0000"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49:37 GMTx"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49:37 GMT "), false, 0 },
	{ STR(" Sun, 06 Nov 1994 08:49:37 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49:37 GMT; length=12"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49:37 GMT\0"), false, 0 },
	{ STR("sun, 06 nov 1994 08:49:37 gmt"), false, 0 },
	{ STR("Son, 06 Nov 1994 08:49:37 GMT"), false, 0 },
	{ STR("Sun, 06 Nox 1994 08:49:37 GMT"), false, 0 },
	{ STR("Sun 06 Nov 1994 08:49:37 GMT"), false, 0 },
	{ STR("Sun, 6 Nov 1994 08:49:37 GMT"), false, 0 },
	{ STR("Sun,  6 Nov 1994 08:49:37 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 94 08:49:37 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 19940 08:49:37 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 1994  08:49:37 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 1994 8:49:37 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49:3: GMT"), false, 0 },
	{ STR("Sun, -6 Nov 1994 08:49:37 GMT"), false, 0 },
	{ STR("Sun, +6 Nov 1994 08:49:37 GMT"), false, 0 },
	{ STR("Sun, 32 Jan 1995 08:49:37 GMT"), false, 0 },
	{ STR("Sun, 00 Jan 1995 08:49:37 GMT"), false, 0 },
	{ STR("Sun, 31 Jun 1995 08:49:37 GMT"), false, 0 },
	{ STR("Wed, 29 Feb 1995 08:49:37 GMT"), false, 0 },
	{ STR("Mon, 29 Feb 2100 00:00:00 GMT"), false, 0 },
	{ STR("Thursday, 29-Feb-01 00:00:00 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 1994 24:00:00 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 1994 25:00:00 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:60:00 GMT"), false, 0 },
	{ STR("Sun, 06 Nov 1994 08:49:61 GMT"), false, 0 },
	{ STR("Sun, 06-Nov-94 08:49:37 GMT"), false, 0 },
	{ STR("Sunday, 06-Nov-1994 08:49:37 GMT"), false, 0 },
	{ STR("Sunday, 06 Nov 94 08:49:37 GMT"), false, 0 },
	{ STR("Sunday, 06 Nov 1994 08:49:37 GMT"), false, 0 },
	{ STR("Sun Nov 6 08:49:37 1994"), false, 0 },
	{ STR("Sun Nov  06 08:49:37 1994"), false, 0 },
	{ STR("Sun Nov  0 08:49:37 1994"), false, 0 },
	{ STR("Sun Nov  6 08:49:37 1994 GMT"), false, 0 },
	{ STR("Sun Nov  6 08:49:37 94"), false, 0 },
};

START_TEST(parse)
{
	int64_t seconds = -77;

	ck_assert(date_parse(texts[_i].text, NOW, &seconds) == texts[_i].good);
	ck_assert_int_eq(seconds, texts[_i].good ? texts[_i].seconds : -77);
}
END_TEST

/* The clock decides the century and may be anything. */
static const struct {
	int64_t now, year;
	const char *text;
} centuries[] = {
	{ 0, 1994, "Sunday, 06-Nov-94 08:49:37 GMT" },
	{ 0, 2019, "Sunday, 06-Nov-19 08:49:37 GMT" },
	{ 0, 1920, "Sunday, 06-Nov-20 08:49:37 GMT" },
	{ INT64_C(2524608000), 2094, "Sunday, 06-Nov-94 08:49:37 GMT" }, /* 2050 */
	{ INT64_C(2524608000), 2001, "Sunday, 06-Nov-01 08:49:37 GMT" },
	{ INT64_C(2524608000), 2100, "Friday, 01-Jan-00 00:00:00 GMT" },
	{ INT64_C(2524608000), 2000, "Saturday, 01-Jan-00 00:00:01 GMT" },
	{ INT64_MAX, 9994, "Sunday, 06-Nov-94 08:49:37 GMT" },
	{ INT64_MIN, 0, "Sunday, 06-Nov-00 08:49:37 GMT" },
};

START_TEST(two_digit_years)
{
	int64_t seconds = 0;

	ck_assert(date_parse(str_from(centuries[_i].text), centuries[_i].now, &seconds));
	ck_assert_int_eq(date_from_seconds(seconds).year, centuries[_i].year);
}
END_TEST

static const struct {
	int64_t nanoseconds, seconds;
} moments[] = {
	{ 0, 0 },
	{ 999999999, 0 },
	{ 1000000000, 1 },
	{ -1, -1 },
	{ -1000000000, -1 },
	{ -1000000001, -2 },
	{ INT64_C(1700000000500000000), 1700000000 },
	{ INT64_MAX, INT64_C(9223372036) },
	{ INT64_MIN, INT64_C(-9223372037) },
};

START_TEST(whole_seconds)
{
	ck_assert_int_eq(seconds_from_nanoseconds(moments[_i].nanoseconds), moments[_i].seconds);
}
END_TEST

Suite *
date_suite(void)
{
	Suite *suite = suite_create("date");

	suite_add_rows(suite, calendar, dates);
	suite_add_rows(suite, formats, dates);
	suite_add_test(suite, no_second_is_out_of_reach);
	suite_add_test(suite, every_day_follows_the_one_before);
	suite_add_rows(suite, parse, texts);
	suite_add_rows(suite, two_digit_years, centuries);
	suite_add_rows(suite, whole_seconds, moments);
	return suite;
}
