/* Listings drawn at random, of which any window is in the order that all of it has. */
#include "listing/order.h"

#include <stdio.h>

#include "listing/ordered.h"
#include "suites.h"

Suite *order_windows_suite(void);

/* A generator of its own, so that every machine tries the same listings. */
static uint32_t
draw(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

struct shown {
	const struct listing *listing;
	const struct view *view;
};

static int
compare_positions(const void *left, const void *right, void *context)
{
	const struct shown *shown = context;
	const uint32_t *a = left, *b = right;

	return compare_as_shown(shown->listing, shown->view, &shown->listing->entries[*a],
	    &shown->listing->entries[*b]);
}

static uint32_t *
sort_simply(const struct listing *listing, const struct view *view)
{
	struct shown shown = { listing, view };
	uint32_t *positions = calloc(listing->count + 1, sizeof(*positions));

	ck_assert_ptr_nonnull(positions);
	for (size_t i = 0; i < listing->count; i++)
		positions[i] = (uint32_t)i;
	qsort_r(positions, listing->count, sizeof(*positions), compare_positions, &shown);
	return positions;
}

/* Names that share beginnings and differ in case and zeros; few sizes and times, so that ties are many. */
static void
fill_at_random(struct listing *listing, size_t count, uint64_t *state)
{
	static const char *const starts[] = {
		"", "a", "A", "file", "File", "release-of-", "release-of-0", "\xc3\xa9",
	};
	uint32_t in_ten = draw(state, 11);

	listing_reset(listing);
	for (size_t i = 0; i < count; i++) {
		struct entry *entry;
		char name[64];

		snprintf(name, sizeof(name), "%s%u.%zu", starts[draw(state, 8)], draw(state, 30), i);
		entry = listing_add(listing, str_from(name));
		ck_assert_ptr_nonnull(entry);
		entry->kind = (uint8_t)(draw(state, 10) < in_ten ? ENTRY_DIRECTORY :
		    draw(state, 4) > 0 ? ENTRY_FILE : ENTRY_SPECIAL + draw(state, 3));
		entry->has_stat = draw(state, 8) > 0;
		entry->size = draw(state, 20) * INT64_C(1000);
		entry->mtime = (int64_t)draw(state, 20) - 10;
	}
}

static void
check_window(const struct listing *listing, struct rows *rows, const struct view *view, const uint32_t *want,
    size_t first, size_t shown)
{
	size_t at = first;

	ck_assert(rows_sort(rows, listing, view, first, shown));
	ck_assert(is_whole(listing, rows));
	while (at < listing->count && at - first < shown && rows_at(rows, at, view->descending) == want[at])
		at++;
	ck_assert_msg(at >= listing->count || at - first >= shown,
	    "row %zu of %zu, window %zu + %zu, %zu directories", at, listing->count, first, shown,
	    rows->directories);
}

static void
check_windows(const struct listing *listing, struct rows *rows, const struct view *view, uint64_t *state)
{
	size_t count = listing->count, border;
	uint32_t *want = sort_simply(listing, view);

	check_window(listing, rows, view, want, 0, SIZE_MAX);
	border = rows->directories;
	check_window(listing, rows, view, want, 0, count);
	check_window(listing, rows, view, want, 0, 1);
	check_window(listing, rows, view, want, 0, 0);
	check_window(listing, rows, view, want, count, 10);
	check_window(listing, rows, view, want, count + 5, SIZE_MAX);
	check_window(listing, rows, view, want, SIZE_MAX, SIZE_MAX);
	check_window(listing, rows, view, want, count > 0 ? count - 1 : 0, 1);
	/* Over the border, up to it and from it on. */
	check_window(listing, rows, view, want, border > 25 ? border - 25 : 0, 50);
	check_window(listing, rows, view, want, border > 100 ? border - 100 : 0, border > 100 ? 100 : border);
	check_window(listing, rows, view, want, border, 100);
	for (int i = 0; i < 4; i++)
		check_window(listing, rows, view, want, draw(state, (uint32_t)count + 1), draw(state, (uint32_t)count + 2));
	check_window(listing, rows, view, want, draw(state, (uint32_t)count + 1), SIZE_MAX);
	free(want);
}

static const struct {
	size_t count;
} counts[] = {
	{ 0 }, { 1 }, { 2 }, { 3 }, { 15 }, { 16 }, { 17 }, { 18 }, { 33 }, { 100 }, { 101 }, { 257 }, { 600 },
	{ 999 }, { 1000 }, { 1777 }, { 2500 }, { 3000 },
};

START_TEST(test_windows)
{
	uint64_t state = (uint64_t)_i + 1;
	struct listing listing;
	struct rows rows = { 0 };

	listing_init(&listing);
	for (int sort = SORT_NAME; sort <= SORT_TIME; sort++)
		for (int descending = 0; descending < 2; descending++) {
			const struct view view = { (enum sort_key)sort, descending != 0, FORMAT_HTML, 1 };

			fill_at_random(&listing, counts[_i].count, &state);
			check_windows(&listing, &rows, &view, &state);
		}
	rows_release(&rows);
	listing_release(&listing);
}
END_TEST

Suite *
order_windows_suite(void)
{
	Suite *suite = suite_create("order_windows");

	suite_add_rows(suite, test_windows, counts);
	return suite;
}
