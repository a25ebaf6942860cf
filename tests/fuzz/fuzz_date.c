/* Dates: what can be read can be written and read again, and the calendar is its own inverse.
 * Input: eight bytes of clock, then text. */
#include "http/date.h"

#include "fuzz.h"

static void
check_calendar(int64_t seconds)
{
	struct date date = date_from_seconds(seconds);

	FUZZ_CHECK(date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= 31);
	FUZZ_CHECK(date.hour >= 0 && date.hour <= 23 && date.minute >= 0 && date.minute <= 59);
	FUZZ_CHECK(date.second >= 0 && date.second <= 59 && date.weekday >= 0 && date.weekday <= 6);
	if (date.year >= -9999 && date.year <= 9999)
		FUZZ_CHECK(date_to_seconds(&date) == seconds);
}

/* Whatever can be formatted is a date that reads as the same second. */
static void
check_round_trip(int64_t seconds, int64_t now)
{
	struct buf out;
	int64_t again;

	buf_init(&out, DATE_LENGTH);
	if (date_format(&out, seconds)) {
		FUZZ_CHECK(out.len == DATE_LENGTH);
		FUZZ_CHECK(date_parse(buf_view(&out), now, &again));
		FUZZ_CHECK(again == seconds);
	} else
		FUZZ_CHECK(out.len == 0);
	buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = fuzz_input(data, size);
	int64_t now = fuzz_number(&input), seconds;

	check_calendar(now);
	check_round_trip(now, now);
	if (!date_parse(input, now, &seconds))
		return 0;
	/* Four digits reach to 9999, two to 50 years after the clock, which is taken to be in 9999 at the most. */
	FUZZ_CHECK(date_from_seconds(seconds).year <= 9999 + 50);
	check_calendar(seconds);
	check_round_trip(seconds, now);
	return 0;
}
