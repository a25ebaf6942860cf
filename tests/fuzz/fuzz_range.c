/* Ranges: members lie inside the length, apart from one another, and are what the field asks for.
 * Input: eight bytes of length, then a field. */
#include "http/range.h"

#include "fuzz.h"

static void
check_set(const struct range_set *set, int64_t length)
{
	FUZZ_CHECK(set->count >= 1 && set->count <= RANGE_MAX);
	for (size_t i = 0; i < set->count; i++) {
		const struct range *a = &set->ranges[i];

		FUZZ_CHECK(a->first >= 0 && a->length >= 1 && a->length <= length && a->first <= length - a->length);
		for (size_t j = 0; j < i; j++) {
			const struct range *b = &set->ranges[j];
			const struct range *low = a->first < b->first ? a : b, *high = low == a ? b : a;

			FUZZ_CHECK(high->first - (low->first + low->length) >= RANGE_JOIN_GAP);
		}
	}
}

/* The set, written as a field, is the same set. */
static void
check_again(const struct range_set *set, int64_t length)
{
	struct range_set again;
	struct buf field;

	buf_init(&field, 10000);
	buf_text(&field, "bytes=");
	for (size_t i = 0; i < set->count; i++) {
		buf_int(&field, set->ranges[i].first);
		buf_char(&field, '-');
		buf_int(&field, set->ranges[i].first + set->ranges[i].length - 1);
		buf_char(&field, ',');
	}
	FUZZ_CHECK(range_parse(buf_view(&field), length, &again) == RANGE_SATISFIABLE);
	FUZZ_CHECK(again.count == set->count);
	for (size_t i = 0; i < set->count; i++)
		FUZZ_CHECK(again.ranges[i].first == set->ranges[i].first &&
		    again.ranges[i].length == set->ranges[i].length);
	buf_release(&field);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str field = fuzz_input(data, size);
	int64_t length = fuzz_number(&field);
	struct range_set set;
	enum range_result result = range_parse(field, length, &set);

	if (length <= 0)
		FUZZ_CHECK(result == RANGE_IGNORED);
	if (result == RANGE_SATISFIABLE) {
		check_set(&set, length);
		check_again(&set, length);
	}
	return 0;
}
