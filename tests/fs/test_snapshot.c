/* One directory as read once: what is told, what is looked at again without being told, and what is found out later. */
#include "fs/snapshot.h"

#include "fs/directory.h"
#include "fs/tree.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *snapshot_suite(void);

#define SECOND INT64_C(1000000000)
#define NOW (INT64_C(2000000000) * SECOND)

static struct tree tree;
static struct root root;
static struct place place;
static struct snapshot snapshot;

static void
setup(void)
{
	char top[PATH_MAX + 8];

	tree_make(&tree);
	tree_directory(&tree, "root", 0755);
	tree_directory(&tree, "root/d", 0755);
	tree_directory(&tree, "root/other", 0755);
	tree_directory(&tree, "root/d/sub", 0755);
	tree_file(&tree, "root/other/target", "1");
	tree_file(&tree, "root/other/twin", "1");
	tree_file(&tree, "root/d/file", "1");
	tree_file(&tree, "root/d/second", "1");
	tree_link(&tree, "root/d/link", "../other/target");
	ck_assert_int_eq(linkat(tree.fd, "root/other/twin", tree.fd, "root/d/twin", 0), 0);
	snprintf(top, sizeof(top), "%s/root", tree.path);
	ck_assert_int_eq(root_open(&root, top, SYMLINKS_WITHIN_ROOT), 0);
	place = (struct place){ &root, root_open_below(&root, S("/d"), O_RDONLY), S("/d") };
	ck_assert_int_ge(place.dir, 0);
	snapshot_init(&snapshot);
	ck_assert(snapshot.stale);
	ck_assert_int_eq(snapshot_read(&snapshot, &place, NOW), 0);
	ck_assert(!snapshot.stale);
}

static void
teardown(void)
{
	snapshot_release(&snapshot);
	close(place.dir);
	root_close(&root);
	tree_remove(&tree);
}

static const struct entry *
find(const char *name)
{
	return listing_find(&snapshot.listing, str_from(name));
}

static void
look_all(void)
{
	ck_assert_int_eq(snapshot_look_all(&snapshot, &place), 0);
}

static int
refresh(void)
{
	int error = snapshot_refresh(&snapshot, &place, NOW);

	return error == 0 ? snapshot_look_untold(&snapshot, &place, false) : error;
}

static void
note(const char *name)
{
	snapshot_note_change(&snapshot, str_from(name));
}

START_TEST(names_first)
{
	uint64_t version = snapshot.version;

	ck_assert_uint_eq(snapshot.listing.count, 5);
	ck_assert(!find("file")->looked);
	ck_assert(find("link")->looked);
	look_all();
	ck_assert(find("file")->looked);
	ck_assert_uint_gt(snapshot.version, version);
	version = snapshot.version;
	look_all();
	ck_assert_int_eq(refresh(), 0);
	ck_assert_uint_eq(snapshot.version, version);
}
END_TEST

static void
replace_by_directory(void)
{
	tree_take_away(&tree, "root/d/file");
	tree_directory(&tree, "root/d/file", 0755);
}

static void
replace_by_link(void)
{
	tree_take_away(&tree, "root/d/file");
	tree_link(&tree, "root/d/file", "second");
}

static void
append(void)
{
	tree_append(&tree, "root/d/file", "more");
}

static void
delete(void)
{
	tree_take_away(&tree, "root/d/file");
}

static void
touch(void)
{
	tree_time(&tree, "root/d/file", 1000, 0);
}

static void
create(void)
{
	tree_file(&tree, "root/d/new", "12");
}

static void
create_and_delete(void)
{
	create();
	tree_take_away(&tree, "root/d/new");
}

static void
nothing(void)
{
}

static const struct {
	void (*change)(void);
	const char *told;
	size_t count;
	bool order;     /* the order by name is another */
	bool version;
} told[] = {
	{ append, "file", 5, false, true },
	{ touch, "file", 5, false, true },
	{ delete, "file", 4, true, true },
	{ replace_by_directory, "file", 5, true, true },
	{ replace_by_link, "file", 5, false, true },
	{ create, "new", 6, true, true },
	{ nothing, "file", 5, false, false },
	{ create_and_delete, "new", 5, false, false },
	{ nothing, ".hidden", 5, false, false },
};

/* Everything but what was told is as it was, and nothing happens before the refresh. */
START_TEST(told_and_looked_at)
{
	const struct view by_name = { .sort = SORT_NAME };
	struct listing fresh;
	uint64_t version;

	look_all();
	ck_assert_int_eq(refresh(), 0);
	ck_assert_ptr_nonnull(snapshot_rows(&snapshot, &by_name));
	version = snapshot.version;
	told[_i].change();
	note(told[_i].told);
	note(told[_i].told);
	ck_assert_uint_eq(snapshot.version, version);
	ck_assert_int_eq(refresh(), 0);
	ck_assert_uint_eq(snapshot.listing.count, told[_i].count);
	ck_assert_int_eq(snapshot.version != version, told[_i].version);
	ck_assert_int_eq(!snapshot.rows_ready[SORT_NAME], told[_i].order);
	listing_init(&fresh);
	ck_assert_int_eq(directory_read(&fresh, &root, place.dir, place.path), 0);
	ck_assert_uint_eq(fresh.count, snapshot.listing.count);
	for (size_t i = 0; i < fresh.count; i++) {
		const struct entry *entry = listing_find(&snapshot.listing, listing_name(&fresh, &fresh.entries[i]));

		ck_assert_ptr_nonnull(entry);
		ck_assert_int_eq(entry->kind, fresh.entries[i].kind);
		ck_assert_int_eq(entry->is_link, fresh.entries[i].is_link);
		ck_assert_int_eq(entry->size, fresh.entries[i].size);
		ck_assert_int_eq(entry->mtime, fresh.entries[i].mtime);
	}
	listing_release(&fresh);
	version = snapshot.version;
	ck_assert_int_eq(refresh(), 0);
	ck_assert_uint_eq(snapshot.version, version);
}
END_TEST

static void
inside_subdirectory(void)
{
	tree_file(&tree, "root/d/sub/new", "");
	tree_time(&tree, "root/d/sub", 1000, 0);
}

static void
write_target(void)
{
	tree_append(&tree, "root/other/target", "more");
}

static void
take_target_away(void)
{
	tree_take_away(&tree, "root/other/target");
}

static void
write_twin(void)
{
	tree_append(&tree, "root/other/twin", "more");
}

static const struct {
	void (*change)(void);
	const char *name;
} elsewhere[] = {
	{ inside_subdirectory, "sub" },
	{ write_target, "link" },
	{ take_target_away, "link" },
	{ write_twin, "twin" },
};

START_TEST(looked_at_each_time)
{
	struct entry before;
	uint64_t version;

	look_all();
	ck_assert_int_eq(refresh(), 0);
	version = snapshot.version;
	before = *find(elsewhere[_i].name);
	elsewhere[_i].change();
	ck_assert_int_eq(refresh(), 0);
	ck_assert_uint_gt(snapshot.version, version);
	ck_assert(find(elsewhere[_i].name)->mtime != before.mtime || find(elsewhere[_i].name)->size != before.size);
	version = snapshot.version;
	ck_assert_int_eq(refresh(), 0);
	ck_assert_uint_eq(snapshot.version, version);
}
END_TEST

/* The first name's entry was made when it was the only one. */
START_TEST(a_second_name_beside)
{
	look_all();
	ck_assert_int_eq(refresh(), 0);
	if (_i == 0) {
		ck_assert_int_eq(linkat(tree.fd, "root/d/file", tree.fd, "root/d/new", 0), 0);
		note("new");
	} else {
		tree_take_away(&tree, "root/d/second");
		ck_assert_int_eq(linkat(tree.fd, "root/d/file", tree.fd, "root/d/second", 0), 0);
		note("second");
	}
	ck_assert_int_eq(refresh(), -ESTALE);
	ck_assert_int_eq(snapshot_read(&snapshot, &place, NOW), 0);
	look_all();
	ck_assert(find("file")->elsewhere);
}
END_TEST

/* Writing a file of two names reads nothing anew. */
START_TEST(a_second_name_written)
{
	look_all();
	ck_assert_int_eq(refresh(), 0);
	tree_append(&tree, "root/d/twin", "more");
	note("twin");
	ck_assert_int_eq(refresh(), 0);
	ck_assert_int_eq(find("twin")->size, 5);
}
END_TEST

static const struct {
	const char *name;
	int times;
	int wanted;
} notes[] = {
	{ "", 1, -ESTALE },
	{ "file", 1, 0 },
	{ "file", 5000, 0 },
	{ ".hidden", 5000, 0 },
	{ ".well-known", 1, 0 },
};

START_TEST(noted)
{
	look_all();
	for (int i = 0; i < notes[_i].times; i++)
		note(notes[_i].name);
	ck_assert_int_eq(refresh(), notes[_i].wanted);
	ck_assert_int_eq(refresh(), notes[_i].wanted);
	ck_assert_int_eq(snapshot_read(&snapshot, &place, NOW), 0);
	ck_assert_int_eq(refresh(), 0);
	ck_assert_uint_eq(snapshot.listing.count, 5);
}
END_TEST

/* Of 40 entries, four a second are compared with the disk: any surprise is found within ten and a bit. */
START_TEST(surprises_are_found)
{
	int seconds = 0, error = 0;
	char path[64];

	for (int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "root/d/f%d", i);
		tree_file(&tree, path, "1");
	}
	ck_assert_int_eq(snapshot_read(&snapshot, &place, NOW), 0);
	look_all();
	snprintf(path, sizeof(path), "root/d/f%d", _i);
	if (_i % 2 != 0)
		tree_append(&tree, path, "more");
	else
		tree_take_away(&tree, path);
	for (; seconds < 20 && error == 0; seconds++)
		error = snapshot_refresh(&snapshot, &place, NOW + seconds * SECOND);
	ck_assert_int_eq(error, -ESTALE);
	ck_assert_int_gt(seconds, 1);
	ck_assert_int_le(seconds, 13);
	ck_assert_int_eq(refresh(), -ESTALE);
}
END_TEST

/* A clock that was set back checks at once, and does not wait until it has caught up. */
START_TEST(clock_set_back)
{
	int error = 0;

	look_all();
	tree_append(&tree, "root/d/file", "more");
	for (int i = 1; i < 5 && error == 0; i++)
		error = snapshot_refresh(&snapshot, &place, NOW - i * SECOND);
	ck_assert_int_eq(error, -ESTALE);
}
END_TEST

START_TEST(only_the_rows_shown)
{
	const struct view by_name = { .sort = SORT_NAME };
	const struct rows *rows = snapshot_rows(&snapshot, &by_name);
	bool vanished = true;

	/* sub, then file, link, second, twin */
	ck_assert_int_eq(snapshot_look_rows(&snapshot, &place, rows, false, 3, 2, &vanished), 0);
	ck_assert(!vanished);
	ck_assert(find("second")->looked && find("twin")->looked);
	ck_assert(!find("sub")->looked && !find("file")->looked);
	ck_assert_int_eq(snapshot_look_rows(&snapshot, &place, rows, true, 1, 4, &vanished), 0);
	ck_assert(find("file")->looked && !vanished);
}
END_TEST

START_TEST(a_row_vanishes)
{
	const struct view by_name = { .sort = SORT_NAME };
	const struct rows *rows = snapshot_rows(&snapshot, &by_name);
	bool vanished = false;

	if (_i == 0)
		delete();
	else
		replace_by_directory();
	ck_assert_int_eq(snapshot_look_rows(&snapshot, &place, rows, false, 0, 5, &vanished), 0);
	ck_assert(vanished);
	ck_assert(!snapshot.rows_ready[SORT_NAME]);
	ck_assert_int_eq(refresh(), _i == 0 ? -ESTALE : 0);
}
END_TEST

START_TEST(vanished_before_all_were_looked_at)
{
	delete();
	look_all();
	ck_assert_uint_eq(snapshot.listing.count, 4);
	ck_assert_ptr_null(find("file"));
	ck_assert(!snapshot.rows_ready[SORT_NAME]);
}
END_TEST

/* No descriptor left to look through a link: an error now, and all is read again later. */
START_TEST(no_descriptor_left)
{
	struct rlimit limit;

	look_all();
	ck_assert_int_eq(refresh(), 0);
	write_target();
	tree_append(&tree, "root/d/file", "more");
	note("file");
	note("link");
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = (rlim_t)tree_next_fd();
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(refresh(), -EMFILE);
	limit.rlim_cur = 1024;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(refresh(), -ESTALE);
	ck_assert_int_eq(snapshot_read(&snapshot, &place, NOW), 0);
	look_all();
	ck_assert_int_eq(find("link")->size, 5);
	ck_assert_int_eq(find("file")->size, 5);
}
END_TEST

START_TEST(directory_is_gone)
{
	tree_take_away(&tree, "root/d");
	ck_assert_int_eq(snapshot_read(&snapshot, &place, NOW), -ENOENT);
	ck_assert(snapshot.stale);
	ck_assert_int_eq(refresh(), -ESTALE);
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

	tree_time(&tree, "root/d/second", 1000, 0);
	tree_time(&tree, "root/d/twin", 2000, 0);
	tree_time(&tree, "root/other/target", 3000, 0);
	look_all();
	rows = snapshot_rows(&snapshot, &view);
	ck_assert_ptr_eq(snapshot_rows(&snapshot, &view), rows);
	buf_init(&got, 1000);
	for (size_t i = 0; i < 5; i++) {
		buf_str(&got, listing_name(&snapshot.listing, &snapshot.listing.entries[rows_at(rows, i, false)]));
		buf_char(&got, ' ');
	}
	/* The link's target was changed after the names were read. */
	ck_assert_int_eq(refresh(), 0);
	if (_i != SORT_TIME)
		ck_assert_str_is(buf_view(&got), wanted[_i]);
	buf_reset(&got);
	rows = snapshot_rows(&snapshot, &view);
	for (size_t i = 0; i < 5; i++) {
		buf_str(&got, listing_name(&snapshot.listing, &snapshot.listing.entries[rows_at(rows, i, false)]));
		buf_char(&got, ' ');
	}
	ck_assert_str_is(buf_view(&got), wanted[_i]);
	buf_release(&got);
}
END_TEST

/* Read elsewhere: what was told meanwhile is looked at with the next refresh. */
START_TEST(adopted)
{
	const struct view by_name = { .sort = SORT_NAME };
	struct listing listing;
	struct rows rows = { 0 };
	uint64_t version = snapshot.version;

	snapshot_forget(&snapshot);
	ck_assert_uint_gt(snapshot.version, version);
	ck_assert_int_eq(refresh(), -ESTALE);
	listing_init(&listing);
	ck_assert_int_eq(directory_read(&listing, &root, place.dir, place.path), 0);
	append();
	note("file");
	create();
	note("new");
	ck_assert(rows_sort(&rows, &listing, &by_name, 0, SIZE_MAX));
	version = snapshot.version;
	snapshot_adopt(&snapshot, &listing, &rows, SORT_NAME, true, NOW);
	ck_assert_uint_eq(listing.count, 0);
	ck_assert_ptr_null(rows.index);
	ck_assert(!snapshot.stale && snapshot.rows_ready[SORT_NAME] && snapshot.looked_at_all);
	ck_assert_uint_gt(snapshot.version, version);
	ck_assert_int_eq(refresh(), 0);
	ck_assert_uint_eq(snapshot.listing.count, 6);
	ck_assert_int_eq(find("file")->size, 5);
	ck_assert_int_eq(find("new")->size, 2);
	listing_release(&listing);
}
END_TEST

START_TEST(cost_grows)
{
	const struct view by_name = { .sort = SORT_NAME };
	size_t before = snapshot_cost(&snapshot);

	ck_assert_ptr_nonnull(snapshot_rows(&snapshot, &by_name));
	ck_assert_uint_ge(snapshot_cost(&snapshot), before + 5 * sizeof(uint32_t));
	for (int i = 0; i < 1000; i++) {
		char path[64];

		snprintf(path, sizeof(path), "root/d/f%d", i);
		tree_file(&tree, path, "");
	}
	ck_assert_int_eq(snapshot_read(&snapshot, &place, NOW), 0);
	ck_assert_uint_ge(snapshot_cost(&snapshot), before + 1000 * sizeof(struct entry));
	snapshot_forget(&snapshot);
	ck_assert_uint_le(snapshot_cost(&snapshot), before);
}
END_TEST

static void
add_case(Suite *suite, const char *name, const TTest *test, int rows)
{
	TCase *one = tcase_create(name);

	tcase_add_checked_fixture(one, setup, teardown);
	tcase_add_loop_test(one, test, 0, rows);
	suite_add_tcase(suite, one);
}

Suite *
snapshot_suite(void)
{
	Suite *suite = suite_create("snapshot");

	add_case(suite, "names_first", names_first, 1);
	add_case(suite, "told_and_looked_at", told_and_looked_at, ROWS(told));
	add_case(suite, "looked_at_each_time", looked_at_each_time, ROWS(elsewhere));
	add_case(suite, "a_second_name_beside", a_second_name_beside, 2);
	add_case(suite, "a_second_name_written", a_second_name_written, 1);
	add_case(suite, "noted", noted, ROWS(notes));
	add_case(suite, "surprises_are_found", surprises_are_found, 40);
	add_case(suite, "clock_set_back", clock_set_back, 1);
	add_case(suite, "only_the_rows_shown", only_the_rows_shown, 1);
	add_case(suite, "a_row_vanishes", a_row_vanishes, 2);
	add_case(suite, "vanished_before_all_were_looked_at", vanished_before_all_were_looked_at, 1);
	add_case(suite, "no_descriptor_left", no_descriptor_left, 1);
	add_case(suite, "directory_is_gone", directory_is_gone, 1);
	add_case(suite, "each_order", each_order, 3);
	add_case(suite, "adopted", adopted, 1);
	add_case(suite, "cost_grows", cost_grows, 1);
	return suite;
}
