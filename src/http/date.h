/* HTTP dates (RFC 9110 5.6.7) without the C library's calendar, locale or clock. */
#ifndef HTTP_DATE_H
#define HTTP_DATE_H

#include "base/buf.h"

/* "Tue, 14 Nov 2023 22:13:20 GMT" is 29 bytes. */
#define DATE_LENGTH 29

/* A calendar date in UTC, proleptic Gregorian. */
struct date {
	int64_t year;
	int month;   /* 1 to 12 */
	int day;     /* 1 to 31 */
	int hour, minute, second;
	int weekday; /* 0 = Sunday */
};

/* Seconds since 1970 to a calendar date and back; any int64 in the years -9999 to 9999 round-trips. */
struct date date_from_seconds(int64_t seconds);
int64_t date_to_seconds(const struct date *date);

/* Appends an IMF-fixdate. False, and nothing appended, when the year is not 0 to 9999. */
bool date_format(struct buf *out, int64_t seconds);

/* Appends an RFC 3339 date in UTC, "2023-11-14T22:13:20Z"; with a year beyond 0 to 9999, false and nothing. */
bool date_format_rfc3339(struct buf *out, int64_t seconds);

/* Reads any of the three forms (IMF-fixdate, RFC 850, asctime). A two-digit year is the one that lies at
 * most 50 years after now. False on anything else: bad weekday name, 31 June, 24:00:00, trailing bytes;
 * second 60 is read as the second after 59. The weekday need not fit the date. */
bool date_parse(struct str text, int64_t now_seconds, int64_t *seconds);

/* ns / 10^9, rounded down: right before 1970 too. */
int64_t seconds_from_nanoseconds(int64_t nanoseconds);

#endif
