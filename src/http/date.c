/* The calendar in 64-bit arithmetic: a number in, a struct out, and back. The C library's own functions ask
 * the zone and the locale; an HTTP date knows neither. Parsing is strict: a date that is not one of the
 * three forms must be ignored by the caller, so nothing here guesses. */
#include "http/date.h"

#define SECONDS_A_DAY INT64_C(86400)
#define DAYS_IN_400_YEARS INT64_C(146097)
#define DAYS_IN_4_YEARS 1461
#define DAYS_TO_1970 INT64_C(719468) /* from 1 March 0000 */
#define YEAR_0000 INT64_C(-62167219200) /* its first second */
#define YEAR_9999 INT64_C(253402300799) /* its last */

static const struct str weekdays[] = {
	STR("Sun"), STR("Mon"), STR("Tue"), STR("Wed"), STR("Thu"), STR("Fri"), STR("Sat"),
};

static const struct str long_weekdays[] = {
	STR("Sunday"), STR("Monday"), STR("Tuesday"), STR("Wednesday"), STR("Thursday"), STR("Friday"),
	STR("Saturday"),
};

static const struct str months[] = {
	STR("Jan"), STR("Feb"), STR("Mar"), STR("Apr"), STR("May"), STR("Jun"),
	STR("Jul"), STR("Aug"), STR("Sep"), STR("Oct"), STR("Nov"), STR("Dec"),
};

static int64_t
floor_divide(int64_t n, int64_t by)
{
	return n / by - (n % by < 0);
}

static bool
is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int
days_in_month(int64_t year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* Days from 1 January 1970 to 1 January of a year. */
static int64_t
days_to_year(int64_t year)
{
	int64_t before = year - 1;

	return (year - 1970) * 365 + (floor_divide(before, 4) - floor_divide(1969, 4)) -
	    (floor_divide(before, 100) - floor_divide(1969, 100)) +
	    (floor_divide(before, 400) - floor_divide(1969, 400));
}

/* A year that starts on 1 March has its leap day last, so that the divisions come out even: by the mean length
 * of a century, of a year, and by the 153 days that each five months from there have. */
struct date
date_from_seconds(int64_t seconds)
{
	int64_t days = floor_divide(seconds, SECONDS_A_DAY);
	int second = (int)((uint64_t)seconds - (uint64_t)days * (uint64_t)SECONDS_A_DAY);
	int64_t era = floor_divide(days + DAYS_TO_1970, DAYS_IN_400_YEARS);
	int day = (int)(days + DAYS_TO_1970 - era * DAYS_IN_400_YEARS), century, year, month;
	struct date date = { .hour = second / 3600, .minute = second / 60 % 60, .second = second % 60 };

	/* 400 years are whole weeks, and each starts on a Wednesday. */
	date.weekday = (day + 3) % 7;
	century = (4 * day + 3) / (int)DAYS_IN_400_YEARS;
	day -= century * (int)DAYS_IN_400_YEARS / 4;
	year = (4 * day + 3) / DAYS_IN_4_YEARS;
	day -= year * DAYS_IN_4_YEARS / 4;
	month = (5 * day + 2) / 153;
	date.day = day - (153 * month + 2) / 5 + 1;
	date.month = month < 10 ? month + 3 : month - 9;
	date.year = era * 400 + century * 100 + year + (month >= 10);
	return date;
}

int64_t
date_to_seconds(const struct date *date)
{
	int64_t days = days_to_year(date->year) + date->day - 1;

	for (int month = 1; month < date->month; month++)
		days += days_in_month(date->year, month);
	return days * SECONDS_A_DAY + date->hour * 3600 + date->minute * 60 + date->second;
}

int64_t
seconds_from_nanoseconds(int64_t nanoseconds)
{
	return floor_divide(nanoseconds, INT64_C(1000000000));
}

/* The writers below put bytes at `at` and answer where they end. Each date is put together beside the buffer
 * and appended at once: a listing has two a row. */

static char *
put_two(char *at, int n)
{
	at[0] = (char)('0' + n / 10);
	at[1] = (char)('0' + n % 10);
	return at + 2;
}

static char *
put_four(char *at, int n)
{
	return put_two(put_two(at, n / 100), n % 100);
}

static char *
put_str(char *at, struct str s)
{
	memcpy(at, s.ptr, s.len);
	return at + s.len;
}

static char *
put_seconds(char *at, const struct date *date)
{
	at = put_two(at, date->hour);
	*at++ = ':';
	at = put_two(at, date->minute);
	*at++ = ':';
	return put_two(at, date->second);
}

static char *
put_ymd(char *at, const struct date *date)
{
	at = put_four(at, (int)date->year);
	*at++ = '-';
	at = put_two(at, date->month);
	*at++ = '-';
	return put_two(at, date->day);
}

static bool
has_four_digit_year(int64_t seconds)
{
	return seconds >= YEAR_0000 && seconds <= YEAR_9999;
}

bool
date_format(struct buf *out, int64_t seconds)
{
	char text[DATE_LENGTH], *at = text;
	struct date date;

	if (!has_four_digit_year(seconds))
		return false;
	date = date_from_seconds(seconds);
	at = put_str(at, weekdays[date.weekday]);
	at = put_str(at, S(", "));
	at = put_two(at, date.day);
	*at++ = ' ';
	at = put_str(at, months[date.month - 1]);
	*at++ = ' ';
	at = put_four(at, (int)date.year);
	*at++ = ' ';
	at = put_seconds(at, &date);
	at = put_str(at, S(" GMT"));
	buf_bytes(out, text, (size_t)(at - text));
	return true;
}

bool
date_format_rfc3339(struct buf *out, int64_t seconds)
{
	char text[sizeof("2023-11-14T22:13:20Z")], *at;
	struct date date;

	if (!has_four_digit_year(seconds))
		return false;
	date = date_from_seconds(seconds);
	at = put_ymd(text, &date);
	*at++ = 'T';
	at = put_seconds(at, &date);
	*at++ = 'Z';
	buf_bytes(out, text, (size_t)(at - text));
	return true;
}

/* The readers below take what they read off the front of *rest and say whether it was there. */

static bool
take(struct str *rest, struct str literal)
{
	if (!str_starts(*rest, literal))
		return false;
	*rest = str_after(*rest, literal.len);
	return true;
}

/* One of the names, as the grammar spells it: HTTP dates are case-sensitive (RFC 9110 5.6.7). */
static bool
take_name(struct str *rest, const struct str *names, size_t count, int *index)
{
	for (size_t i = 0; i < count; i++) {
		if (take(rest, names[i])) {
			*index = (int)i;
			return true;
		}
	}
	return false;
}

static bool
take_digits(struct str *rest, size_t width, int *value)
{
	int64_t number;

	if (rest->len < width || !str_digits(str_sub(*rest, 0, width), &number))
		return false;
	*value = (int)number;
	*rest = str_after(*rest, width);
	return true;
}

static bool
take_month(struct str *rest, struct date *date)
{
	int index;

	if (!take_name(rest, months, 12, &index))
		return false;
	date->month = index + 1;
	return true;
}

static bool
take_year(struct str *rest, struct date *date)
{
	int year;

	if (!take_digits(rest, 4, &year))
		return false;
	date->year = year;
	return true;
}

static bool
take_time(struct str *rest, struct date *date)
{
	return take_digits(rest, 2, &date->hour) && take(rest, S(":")) && take_digits(rest, 2, &date->minute) &&
	    take(rest, S(":")) && take_digits(rest, 2, &date->second);
}

/* Sun, 06 Nov 1994 08:49:37 GMT */
static bool
read_imf_fixdate(struct str rest, struct date *date)
{
	return take_name(&rest, weekdays, 7, &date->weekday) && take(&rest, S(", ")) &&
	    take_digits(&rest, 2, &date->day) && take(&rest, S(" ")) && take_month(&rest, date) &&
	    take(&rest, S(" ")) && take_year(&rest, date) && take(&rest, S(" ")) && take_time(&rest, date) &&
	    take(&rest, S(" GMT")) && rest.len == 0;
}

/* Sun Nov  6 08:49:37 1994 */
static bool
read_asctime(struct str rest, struct date *date)
{
	return take_name(&rest, weekdays, 7, &date->weekday) && take(&rest, S(" ")) && take_month(&rest, date) &&
	    take(&rest, S(" ")) && take_digits(&rest, take(&rest, S(" ")) ? 1 : 2, &date->day) &&
	    take(&rest, S(" ")) && take_time(&rest, date) && take(&rest, S(" ")) && take_year(&rest, date) &&
	    rest.len == 0;
}

/* RFC 9110 5.6.7: a two-digit year is never more than 50 years ahead. */
static void
choose_century(struct date *date, int two_digits, int64_t now_seconds)
{
	int64_t now = now_seconds < YEAR_0000 ? YEAR_0000 : now_seconds > YEAR_9999 ? YEAR_9999 : now_seconds;
	struct date limit = date_from_seconds(now);

	limit.year += 50;
	date->year = limit.year - ((limit.year - two_digits) % 100 + 100) % 100;
	if (date_to_seconds(date) > date_to_seconds(&limit))
		date->year -= 100;
}

/* Sunday, 06-Nov-94 08:49:37 GMT */
static bool
read_rfc850(struct str rest, int64_t now_seconds, struct date *date)
{
	int two_digits;

	if (!take_name(&rest, long_weekdays, 7, &date->weekday) || !take(&rest, S(", ")) ||
	    !take_digits(&rest, 2, &date->day) || !take(&rest, S("-")) || !take_month(&rest, date) ||
	    !take(&rest, S("-")) || !take_digits(&rest, 2, &two_digits) || !take(&rest, S(" ")) ||
	    !take_time(&rest, date) || !take(&rest, S(" GMT")) || rest.len != 0)
		return false;
	choose_century(date, two_digits, now_seconds);
	return true;
}

bool
date_parse(struct str text, int64_t now_seconds, int64_t *seconds)
{
	struct date date = { 0 };

	if (!read_imf_fixdate(text, &date) && !read_asctime(text, &date) && !read_rfc850(text, now_seconds, &date))
		return false;
	if (date.day < 1 || date.day > days_in_month(date.year, date.month))
		return false;
	if (date.hour > 23 || date.minute > 59 || date.second > 60)
		return false;
	*seconds = date_to_seconds(&date);
	return true;
}
