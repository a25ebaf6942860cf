#include "listing/order.h"

#include <stdio.h>
#include <time.h>

#include "suites.h"

Suite *order_suite(void);

struct row {
	const char *name;
	enum entry_kind kind;
	bool has_stat;
	int64_t size;
	int64_t mtime;
};

/* One folder for all rows below. */
static const struct row folder[] = {
	{ "file10", ENTRY_FILE, true, 10, 300 },
	{ "zoo", ENTRY_DIRECTORY, true, 0, 500 },
	{ "File2", ENTRY_FILE, true, 700, 100 },
	{ "file9", ENTRY_FILE, true, 10, -5 },
	{ "Ant", ENTRY_DIRECTORY, true, 0, 900 },
	{ "gone", ENTRY_BROKEN, true, 6, 200 },
	{ "bee", ENTRY_DIRECTORY, false, 0, 0 },
	{ "pipe", ENTRY_SPECIAL, true, 999, 400 },
	{ "dark", ENTRY_UNREADABLE, false, 0, 0 },
	{ "empty", ENTRY_FILE, true, 0, INT64_MAX },
};

static const struct {
	struct view view;
	const char *order;
} orders[] = {
	{ { SORT_NAME, false, FORMAT_HTML, 0 }, "Ant bee zoo dark empty File2 file9 file10 gone pipe " },
	{ { SORT_NAME, true, FORMAT_HTML, 0 }, "zoo bee Ant pipe gone file10 file9 File2 empty dark " },
	/* Only files have a size; directories stay by name. */
	{ { SORT_SIZE, false, FORMAT_HTML, 0 }, "Ant bee zoo dark empty gone pipe file9 file10 File2 " },
	{ { SORT_SIZE, true, FORMAT_HTML, 0 }, "zoo bee Ant File2 file10 file9 pipe gone empty dark " },
	/* What has no time is older than everything, before 1970 included. */
	{ { SORT_TIME, false, FORMAT_HTML, 0 }, "bee zoo Ant dark file9 File2 gone file10 pipe empty " },
	{ { SORT_TIME, true, FORMAT_HTML, 0 }, "Ant zoo bee empty pipe file10 gone File2 file9 dark " },
};

static void
add_rows(struct listing *listing, const struct row *rows, int count, bool backwards)
{
	for (int i = 0; i < count; i++) {
		const struct row *row = &rows[backwards ? count - 1 - i : i];
		struct entry *entry = listing_add(listing, str_from(row->name));

		ck_assert_ptr_nonnull(entry);
		entry->kind = (uint8_t)row->kind;
		entry->has_stat = row->has_stat;
		entry->size = row->size;
		entry->mtime = row->mtime;
	}
}

static void
check_order(const struct listing *listing, struct rows *rows, const struct view *view, const char *want)
{
	struct buf got;

	buf_init(&got, 4096);
	ck_assert(rows_sort(rows, listing, view, 0, SIZE_MAX));
	ck_assert_uint_eq(rows->count, listing->count);
	for (size_t i = 0; i < rows->count; i++) {
		buf_str(&got, listing_name(listing, &listing->entries[rows_at(rows, i, view->descending)]));
		buf_char(&got, ' ');
	}
	ck_assert_str_is(buf_view(&got), want);
	buf_release(&got);
}

START_TEST(test_order)
{
	struct listing listing;
	struct rows rows = { 0 };

	listing_init(&listing);
	/* The same from either end, and once more over what is there already. */
	for (int backwards = 0; backwards < 2; backwards++) {
		listing_reset(&listing);
		add_rows(&listing, folder, ROWS(folder), backwards);
		check_order(&listing, &rows, &orders[_i].view, orders[_i].order);
		check_order(&listing, &rows, &orders[_i].view, orders[_i].order);
	}
	rows_release(&rows);
	listing_release(&listing);
}
END_TEST

static const struct {
	const char *first, *second;
} names[] = {
	{ "a", "B" },
	{ "A", "a" },         /* equal but for case: by their bytes */
	{ "a", "aa" },
	{ "a2", "a10" },
	{ "a2b10", "a2b11" },
	{ "a1", "a01" },      /* equal in value: fewer zeros first */
	{ "a01", "a2" },
	{ "9", "10" },
	{ "99999999999999999998", "99999999999999999999" },
	{ "z", "\xc3\xa4" },  /* UTF-8 after ASCII */
	{ "\xc3\xa4", "\xff" },
};

START_TEST(test_names)
{
	const struct row pair[] = {
		{ names[_i].second, ENTRY_FILE, false, 0, 0 },
		{ names[_i].first, ENTRY_FILE, false, 0, 0 },
	};
	static const struct view view = { SORT_NAME, false, FORMAT_HTML, 0 };
	struct listing listing;
	struct rows rows = { 0 };
	char want[64];

	snprintf(want, sizeof(want), "%s %s ", names[_i].first, names[_i].second);
	listing_init(&listing);
	for (int backwards = 0; backwards < 2; backwards++) {
		listing_reset(&listing);
		add_rows(&listing, pair, ROWS(pair), backwards);
		check_order(&listing, &rows, &view, want);
	}
	rows_release(&rows);
	listing_release(&listing);
}
END_TEST

START_TEST(test_none_and_one)
{
	static const struct view view = { SORT_SIZE, true, FORMAT_HTML, 0 };
	struct listing listing;
	struct rows rows = { 0 };

	listing_init(&listing);
	check_order(&listing, &rows, &view, "");
	add_rows(&listing, folder, 1, false);
	check_order(&listing, &rows, &view, "file10 ");
	rows_release(&rows);
	listing_release(&listing);
}
END_TEST

/* A generator of its own, so that every machine tries the same listings. */
static uint32_t
draw(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

/* The words of header order.h once more, in the simplest way. */
static int
compare_as_shown(const struct listing *listing, const struct view *view, const struct entry *a,
    const struct entry *b)
{
	const int64_t size[] = { a->has_stat && a->kind == ENTRY_FILE ? a->size : 0,
		b->has_stat && b->kind == ENTRY_FILE ? b->size : 0 };
	int order = 0;

	if ((a->kind == ENTRY_DIRECTORY) != (b->kind == ENTRY_DIRECTORY))
		return a->kind == ENTRY_DIRECTORY ? -1 : 1;
	if (view->sort == SORT_SIZE)
		order = (size[0] > size[1]) - (size[0] < size[1]);
	if (view->sort == SORT_TIME && a->has_stat && b->has_stat)
		order = (a->mtime > b->mtime) - (a->mtime < b->mtime);
	else if (view->sort == SORT_TIME)
		order = a->has_stat - b->has_stat;
	if (order == 0)
		order = str_compare(listing_key(listing, a), listing_key(listing, b));
	if (order == 0)
		order = str_compare(listing_name(listing, a), listing_name(listing, b));
	return view->descending ? -order : order;
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

/* Every position once, directories first: also of what no window wanted. */
static bool
is_whole(const struct listing *listing, const struct rows *rows)
{
	bool *seen = calloc(listing->count + 1, sizeof(*seen));
	bool whole = seen != NULL && rows->count == listing->count;

	for (size_t i = 0; whole && i < rows->count; i++) {
		uint32_t at = rows->index[i];

		whole = at < listing->count && !seen[at] &&
		    (listing->entries[at].kind == ENTRY_DIRECTORY) == (i < rows->directories);
		if (whole)
			seen[at] = true;
	}
	free(seen);
	return whole;
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

/* The same memory for a listing that grew and one that shrank. */
START_TEST(test_rows_are_used_again)
{
	static const struct view view = { SORT_NAME, false, FORMAT_HTML, 0 };
	struct listing listing;
	struct rows rows = { 0 };

	listing_init(&listing);
	for (int count = 0; count <= ROWS(folder); count += 5) {
		listing_reset(&listing);
		add_rows(&listing, folder, count, false);
		ck_assert(rows_sort(&rows, &listing, &view, 0, SIZE_MAX));
		ck_assert(is_whole(&listing, &rows));
	}
	listing_reset(&listing);
	check_order(&listing, &rows, &view, "");
	ck_assert_uint_eq(rows.directories, 0);
	rows_release(&rows);
	ck_assert_ptr_null(rows.index);
	ck_assert_uint_eq(rows.count, 0);
	rows_release(&rows);
	listing_release(&listing);
}
END_TEST

/* What a quicksort may be slow on: names, sizes and times in a sequence made for it. */
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
order_suite(void)
{
	Suite *suite = suite_create("order");
	TCase *never_slow = tcase_create("test_never_slow");

	suite_add_rows(suite, test_order, orders);
	suite_add_rows(suite, test_names, names);
	suite_add_test(suite, test_none_and_one);
	suite_add_rows(suite, test_windows, counts);
	suite_add_test(suite, test_rows_are_used_again);
	/* The sorting is timed within; to make the names takes longer, with a sanitizer above all. */
	tcase_set_timeout(never_slow, 30);
	tcase_add_loop_test(never_slow, test_never_slow, 0, ROWS(slow));
	suite_add_tcase(suite, never_slow);
	return suite;
}
