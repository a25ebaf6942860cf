/* What a quicksort may be slow on: names, sizes and times in a sequence made for it. */
#include "listing/order.h"

#include <stdio.h>
#include <time.h>

#include "listing/ordered.h"
#include "suites.h"

Suite *order_slow_suite(void);

#define MANY 100000

static void
make_equal(int64_t *values)
{
	for (size_t i = 0; i < MANY; i++)
		values[i] = 7;
}

static void
make_two_values(int64_t *values)
{
	for (size_t i = 0; i < MANY; i++)
		values[i] = (int64_t)(i % 2);
}

static void
make_sorted(int64_t *values)
{
	for (size_t i = 0; i < MANY; i++)
		values[i] = (int64_t)i;
}

static void
make_reversed(int64_t *values)
{
	for (size_t i = 0; i < MANY; i++)
		values[i] = (int64_t)(MANY - i);
}

static void
make_organ_pipe(int64_t *values)
{
	for (size_t i = 0; i < MANY; i++)
		values[i] = (int64_t)(i < MANY / 2 ? i : MANY - i);
}

static void
make_saw(int64_t *values)
{
	for (size_t i = 0; i < MANY; i++)
		values[i] = (int64_t)(i % 317);
}

/* Two of the three that a median is taken of are always the least of what is left, so that a split on it
 * takes off two at a time. */
static void
make_median_killer(int64_t *values)
{
	uint32_t *stands = calloc(MANY, sizeof(*stands));

	ck_assert_ptr_nonnull(stands);
	for (uint32_t i = 0; i < MANY; i++)
		stands[i] = i;
	for (size_t from = 0; from + 2 < MANY; from += 2) {
		size_t middle = from + (MANY - from) / 2;

		values[stands[from]] = (int64_t)from;
		values[stands[middle]] = (int64_t)from + 1;
		stands[middle] = stands[from + 1];
	}
	values[stands[MANY - 2]] = MANY;
	values[stands[MANY - 1]] = MANY + 1;
	free(stands);
}

#define LONG "the-same-long-beginning-of-all-"

static const struct {
	void (*make)(int64_t *values);
	enum sort_key sort;
	const char *start; /* of the names */
	bool by_value;     /* then comes the value or a number of their own */
} slow[] = {
	{ make_equal, SORT_SIZE, "", false },         { make_equal, SORT_TIME, LONG, false },
	{ make_equal, SORT_NAME, LONG, true },        { make_two_values, SORT_SIZE, "", false },
	{ make_two_values, SORT_NAME, "", true },     { make_sorted, SORT_SIZE, "", false },
	{ make_sorted, SORT_NAME, "", true },         { make_sorted, SORT_NAME, LONG, true },
	{ make_reversed, SORT_TIME, "", false },      { make_reversed, SORT_NAME, LONG, true },
	{ make_organ_pipe, SORT_SIZE, "", false },    { make_organ_pipe, SORT_NAME, "", true },
	{ make_organ_pipe, SORT_NAME, LONG, true },   { make_saw, SORT_SIZE, "", false },
	{ make_median_killer, SORT_SIZE, "", false }, { make_median_killer, SORT_TIME, "", false },
	{ make_median_killer, SORT_NAME, "", true },  { make_median_killer, SORT_NAME, LONG, true },
};

static void
fill_slowly(struct listing *listing, int row)
{
	int64_t *values = calloc(MANY, sizeof(*values));

	ck_assert_ptr_nonnull(values);
	slow[row].make(values);
	for (size_t i = 0; i < MANY; i++) {
		struct entry *entry;
		char name[80];

		snprintf(name, sizeof(name), "%s%lld-%zu", slow[row].start,
		    slow[row].by_value ? (long long)values[i] : 0, i);
		entry = listing_add(listing, str_from(name));
		if (entry == NULL)
			break;
		entry->has_stat = true;
		entry->size = entry->mtime = values[i];
	}
	ck_assert_uint_eq(listing->count, MANY);
	free(values);
}

/* How long a window took, in milliseconds of processor time. */
static long
sort_timed(const struct listing *listing, struct rows *rows, const struct view *view, size_t first,
    size_t shown)
{
	clock_t start = clock();

	ck_assert(rows_sort(rows, listing, view, first, shown));
	return (long)((clock() - start) / (CLOCKS_PER_SEC / 1000));
}

static bool
is_in_order(const struct listing *listing, const struct rows *rows, const struct view *view, size_t from,
    size_t to)
{
	for (size_t at = from + 1; at < to; at++)
		if (compare_as_shown(listing, view, &listing->entries[rows_at(rows, at - 1, view->descending)],
			&listing->entries[rows_at(rows, at, view->descending)]) >= 0)
			return false;
	return true;
}

START_TEST(test_never_slow)
{
	struct view view = { slow[_i].sort, false, FORMAT_HTML, 0 };
	struct rows all = { 0 }, page = { 0 };
	struct listing listing;

	listing_init(&listing);
	fill_slowly(&listing, _i);
	for (int descending = 0; descending < 2; descending++) {
		view.descending = descending != 0;
		ck_assert_int_lt(sort_timed(&listing, &all, &view, 0, SIZE_MAX), 1000);
		ck_assert(is_whole(&listing, &all) && is_in_order(&listing, &all, &view, 0, MANY));
		ck_assert_int_lt(sort_timed(&listing, &page, &view, MANY / 2, 1000), 1000);
		ck_assert(is_whole(&listing, &page) && is_in_order(&listing, &page, &view, MANY / 2, MANY / 2 + 1000));
		for (size_t at = MANY / 2; at < MANY / 2 + 1000; at++)
			ck_assert_uint_eq(rows_at(&page, at, view.descending), rows_at(&all, at, view.descending));
	}
	rows_release(&all);
	rows_release(&page);
	listing_release(&listing);
}
END_TEST

Suite *
order_slow_suite(void)
{
	Suite *suite = suite_create("order_slow");

	/* The sorting is timed within; to make the names takes longer, with a sanitizer above all. */
	suite_add_case(suite, test_never_slow, ROWS(slow), NULL, NULL);
	return suite;
}
