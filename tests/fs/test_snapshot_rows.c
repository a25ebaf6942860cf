/* The rows of a snapshot: which are looked at, their orders, those that vanish, and what they cost. */
#include "fs/snapshot.h"

#include "fs/snapped.h"
#include "suites.h"

#include <errno.h>
#include <stdio.h>

Suite *snapshot_rows_suite(void);

static struct snapped s;

static void
setup(void)
{
	snapped_make(&s);
}

static void
teardown(void)
{
	snapped_remove(&s);
}

START_TEST(only_the_rows_shown)
{
	const struct view by_name = { .sort = SORT_NAME };
	const struct rows *rows = snapshot_rows(&s.snapshot, &by_name);
	bool vanished = true;

	/* sub, then file, link, second, twin */
	ck_assert_int_eq(snapshot_look_rows(&s.snapshot, &s.place, rows, false, 3, 2, &vanished), 0);
	ck_assert(!vanished);
	ck_assert(snapped_find(&s, "second")->looked && snapped_find(&s, "twin")->looked);
	ck_assert(!snapped_find(&s, "sub")->looked && !snapped_find(&s, "file")->looked);
	ck_assert_int_eq(snapshot_look_rows(&s.snapshot, &s.place, rows, true, 1, 4, &vanished), 0);
	ck_assert(snapped_find(&s, "file")->looked && !vanished);
}
END_TEST

START_TEST(a_row_vanishes)
{
	const struct view by_name = { .sort = SORT_NAME };
	const struct rows *rows = snapshot_rows(&s.snapshot, &by_name);
	bool vanished = false;

	tree_take_away(&s.tree, "root/d/file");
	if (_i != 0)
		tree_directory(&s.tree, "root/d/file", 0755);
	ck_assert_int_eq(snapshot_look_rows(&s.snapshot, &s.place, rows, false, 0, 5, &vanished), 0);
	ck_assert(vanished);
	ck_assert(!s.snapshot.rows_ready[SORT_NAME]);
	/* Those that are there are right as they are. */
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_int_eq(snapped_find(&s, "file") == NULL, _i == 0);
	ck_assert_uint_eq(s.snapshot.listing.count, _i == 0 ? 4 : 5);
	rows = snapshot_rows(&s.snapshot, &by_name);
	ck_assert_int_eq(snapshot_look_rows(&s.snapshot, &s.place, rows, false, 0, s.snapshot.listing.count, &vanished), 0);
	ck_assert(!vanished);
}
END_TEST

START_TEST(vanished_before_all_were_looked_at)
{
	tree_take_away(&s.tree, "root/d/file");
	snapped_look_all(&s);
	ck_assert_uint_eq(s.snapshot.listing.count, 4);
	ck_assert_ptr_null(snapped_find(&s, "file"));
	ck_assert(!s.snapshot.rows_ready[SORT_NAME]);
}
END_TEST

START_TEST(each_order)
{
	static const char *const wanted[] = {
		[SORT_NAME] = "sub file link second twin ",
		[SORT_SIZE] = "sub file link second twin ",
		[SORT_TIME] = "sub second twin link file ",
	};
	const struct view view = { .sort = (enum sort_key)_i };
	const struct rows *rows;
	struct buf got;

	tree_time(&s.tree, "root/d/second", 1000, 0);
	tree_time(&s.tree, "root/d/twin", 2000, 0);
	tree_time(&s.tree, "root/other/target", 3000, 0);
	snapped_look_all(&s);
	rows = snapshot_rows(&s.snapshot, &view);
	ck_assert_ptr_eq(snapshot_rows(&s.snapshot, &view), rows);
	buf_init(&got, 1000);
	for (size_t i = 0; i < 5; i++) {
		buf_str(&got, listing_name(&s.snapshot.listing, &s.snapshot.listing.entries[rows_at(rows, i, false)]));
		buf_char(&got, ' ');
	}
	/* The link's target was changed after the names were read. */
	ck_assert_int_eq(snapped_refresh(&s), 0);
	if (_i != SORT_TIME)
		ck_assert_str_is(buf_view(&got), wanted[_i]);
	buf_reset(&got);
	rows = snapshot_rows(&s.snapshot, &view);
	for (size_t i = 0; i < 5; i++) {
		buf_str(&got, listing_name(&s.snapshot.listing, &s.snapshot.listing.entries[rows_at(rows, i, false)]));
		buf_char(&got, ' ');
	}
	ck_assert_str_is(buf_view(&got), wanted[_i]);
	buf_release(&got);
}
END_TEST

/* The first page has the window; who turns the page wants the whole order; and what changed the names makes it free
 * again. */
START_TEST(one_page_alone)
{
	const struct view by_name = { .sort = SORT_NAME }, by_size = { .sort = SORT_SIZE };
	struct snapshot *snapshot = &s.snapshot;
	const struct rows *rows;
	struct buf got;

	ck_assert(snapshot_window_is_free(snapshot, &by_name, 1, 2));
	rows = snapshot_window(snapshot, &by_name, 1, 2);
	ck_assert(snapshot_window_is_free(snapshot, &by_name, 1, 2));
	ck_assert(!snapshot_window_is_free(snapshot, &by_name, 3, 2));
	ck_assert(!snapshot_window_is_free(snapshot, &by_size, 1, 2));
	buf_init(&got, 1000);
	for (size_t i = 1; i < 3; i++) {
		buf_str(&got, listing_name(&snapshot->listing, &snapshot->listing.entries[rows_at(rows, i, false)]));
		buf_char(&got, ' ');
	}
	ck_assert_str_is(buf_view(&got), "file link ");
	buf_release(&got);
	tree_file(&s.tree, "root/d/another", "");
	snapped_note(&s, "another");
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert(snapshot_window_is_free(snapshot, &by_name, 3, 2));
}
END_TEST

START_TEST(cost_grows)
{
	const struct view by_name = { .sort = SORT_NAME };
	size_t before = snapshot_cost(&s.snapshot);

	ck_assert_ptr_nonnull(snapshot_rows(&s.snapshot, &by_name));
	ck_assert_uint_ge(snapshot_cost(&s.snapshot), before + 5 * sizeof(uint32_t));
	for (int i = 0; i < 1000; i++) {
		char path[64];

		snprintf(path, sizeof(path), "root/d/f%d", i);
		tree_file(&s.tree, path, "");
	}
	ck_assert_int_eq(snapshot_read(&s.snapshot, &s.place, NOW, SIZE_MAX), 0);
	ck_assert_uint_ge(snapshot_cost(&s.snapshot), before + 1000 * sizeof(struct entry));
	snapshot_forget(&s.snapshot);
	ck_assert_uint_le(snapshot_cost(&s.snapshot), before);
}
END_TEST

Suite *
snapshot_rows_suite(void)
{
	Suite *suite = suite_create("snapshot_rows");

	suite_add_case(suite, only_the_rows_shown, 1, setup, teardown);
	suite_add_case(suite, a_row_vanishes, 2, setup, teardown);
	suite_add_case(suite, vanished_before_all_were_looked_at, 1, setup, teardown);
	suite_add_case(suite, each_order, 3, setup, teardown);
	suite_add_case(suite, one_page_alone, 1, setup, teardown);
	suite_add_case(suite, cost_grows, 1, setup, teardown);
	return suite;
}
