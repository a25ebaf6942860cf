/* The order of each view, ties and odd names included. */
#include "listing/order.h"

#include <stdio.h>

#include "listing/ordered.h"
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
	/* What both begin with decides nothing, and one may be no more than that. */
	{ "photograph", "photograph " },
	{ "photograph_1999", "photograph_2000" },
	{ "photograph 12345678a", "photograph 12345678b" },
	{ "photograph7", "photograph07" },
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

Suite *
order_suite(void)
{
	Suite *suite = suite_create("order");

	suite_add_rows(suite, test_order, orders);
	suite_add_rows(suite, test_names, names);
	suite_add_test(suite, test_none_and_one);
	suite_add_test(suite, test_rows_are_used_again);
	return suite;
}
