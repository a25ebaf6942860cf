/* One directory as read once: what is told, what is looked at again without being told, and what is found out later. */
#include "fs/snapshot.h"

#include "fs/directory.h"
#include "fs/snapped.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

Suite *snapshot_suite(void);

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

START_TEST(names_first)
{
	uint64_t version = s.snapshot.version;

	ck_assert_uint_eq(s.snapshot.listing.count, 5);
	ck_assert(!snapped_find(&s, "file")->looked);
	ck_assert(snapped_find(&s, "link")->looked);
	snapped_look_all(&s);
	ck_assert(snapped_find(&s, "file")->looked);
	ck_assert_uint_gt(s.snapshot.version, version);
	version = s.snapshot.version;
	snapped_look_all(&s);
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_uint_eq(s.snapshot.version, version);
}
END_TEST

static void
replace_by_directory(void)
{
	tree_take_away(&s.tree, "root/d/file");
	tree_directory(&s.tree, "root/d/file", 0755);
}

static void
replace_by_link(void)
{
	tree_take_away(&s.tree, "root/d/file");
	tree_link(&s.tree, "root/d/file", "second");
}

static void
append(void)
{
	tree_append(&s.tree, "root/d/file", "more");
}

static void
delete(void)
{
	tree_take_away(&s.tree, "root/d/file");
}

static void
touch(void)
{
	tree_time(&s.tree, "root/d/file", 1000, 0);
}

static void
create(void)
{
	tree_file(&s.tree, "root/d/new", "12");
}

static void
create_and_delete(void)
{
	create();
	tree_take_away(&s.tree, "root/d/new");
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

	snapped_look_all(&s);
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_ptr_nonnull(snapshot_rows(&s.snapshot, &by_name));
	version = s.snapshot.version;
	told[_i].change();
	snapped_note(&s, told[_i].told);
	snapped_note(&s, told[_i].told);
	ck_assert_uint_eq(s.snapshot.version, version);
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_uint_eq(s.snapshot.listing.count, told[_i].count);
	ck_assert_int_eq(s.snapshot.version != version, told[_i].version);
	ck_assert_int_eq(!s.snapshot.rows_ready[SORT_NAME], told[_i].order);
	listing_init(&fresh);
	ck_assert_int_eq(read_directory(&fresh, &s.root, s.place.dir, s.place.path), 0);
	ck_assert_uint_eq(fresh.count, s.snapshot.listing.count);
	for (size_t i = 0; i < fresh.count; i++) {
		const struct entry *entry = listing_find(&s.snapshot.listing, listing_name(&fresh, &fresh.entries[i]));

		ck_assert_ptr_nonnull(entry);
		ck_assert_int_eq(entry->kind, fresh.entries[i].kind);
		ck_assert_int_eq(entry->is_link, fresh.entries[i].is_link);
		ck_assert_int_eq(entry->size, fresh.entries[i].size);
		ck_assert_int_eq(entry->mtime, fresh.entries[i].mtime);
	}
	listing_release(&fresh);
	version = s.snapshot.version;
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_uint_eq(s.snapshot.version, version);
}
END_TEST

static void
inside_subdirectory(void)
{
	tree_file(&s.tree, "root/d/sub/new", "");
	tree_time(&s.tree, "root/d/sub", 1000, 0);
}

static void
write_target(void)
{
	tree_append(&s.tree, "root/other/target", "more");
}

static void
take_target_away(void)
{
	tree_take_away(&s.tree, "root/other/target");
}

static void
write_twin(void)
{
	tree_append(&s.tree, "root/other/twin", "more");
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
	struct entry before, after;
	uint64_t version;

	snapped_look_all(&s);
	ck_assert_int_eq(snapped_refresh(&s), 0);
	version = s.snapshot.version;
	before = *snapped_find(&s, elsewhere[_i].name);
	elsewhere[_i].change();
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_uint_gt(s.snapshot.version, version);
	after = *snapped_find(&s, elsewhere[_i].name);
	ck_assert(after.mtime != before.mtime || after.size != before.size);
	version = s.snapshot.version;
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_uint_eq(s.snapshot.version, version);
}
END_TEST

/* The first name's entry was made when it was the only one. */
START_TEST(a_second_name_beside)
{
	snapped_look_all(&s);
	ck_assert_int_eq(snapped_refresh(&s), 0);
	if (_i == 0) {
		ck_assert_int_eq(linkat(s.tree.fd, "root/d/file", s.tree.fd, "root/d/new", 0), 0);
		snapped_note(&s, "new");
	} else {
		tree_take_away(&s.tree, "root/d/second");
		ck_assert_int_eq(linkat(s.tree.fd, "root/d/file", s.tree.fd, "root/d/second", 0), 0);
		snapped_note(&s, "second");
	}
	ck_assert_int_eq(snapped_refresh(&s), -ESTALE);
	ck_assert_int_eq(snapshot_read(&s.snapshot, &s.place, NOW, SIZE_MAX), 0);
	snapped_look_all(&s);
	ck_assert(snapped_find(&s, "file")->elsewhere);
}
END_TEST

/* Writing a file of two names reads nothing anew. */
START_TEST(a_second_name_written)
{
	snapped_look_all(&s);
	ck_assert_int_eq(snapped_refresh(&s), 0);
	tree_append(&s.tree, "root/d/twin", "more");
	snapped_note(&s, "twin");
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_int_eq(snapped_find(&s, "twin")->size, 5);
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
	snapped_look_all(&s);
	for (int i = 0; i < notes[_i].times; i++)
		snapped_note(&s, notes[_i].name);
	ck_assert_int_eq(snapped_refresh(&s), notes[_i].wanted);
	ck_assert_int_eq(snapped_refresh(&s), notes[_i].wanted);
	ck_assert_int_eq(snapshot_read(&s.snapshot, &s.place, NOW, SIZE_MAX), 0);
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_uint_eq(s.snapshot.listing.count, 5);
}
END_TEST

/* Of 40 entries, four a second are compared with the disk: any surprise is found within ten and a bit. */
START_TEST(surprises_are_found)
{
	int seconds = 0, error = 0;
	char path[64];

	for (int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "root/d/f%d", i);
		tree_file(&s.tree, path, "1");
	}
	ck_assert_int_eq(snapshot_read(&s.snapshot, &s.place, NOW, SIZE_MAX), 0);
	snapped_look_all(&s);
	snprintf(path, sizeof(path), "root/d/f%d", _i);
	if (_i % 2 != 0)
		tree_append(&s.tree, path, "more");
	else
		tree_take_away(&s.tree, path);
	for (; seconds < 20 && error == 0; seconds++)
		error = snapshot_refresh(&s.snapshot, &s.place, NOW + seconds * SECOND);
	ck_assert_int_eq(error, -ESTALE);
	ck_assert_int_gt(seconds, 1);
	ck_assert_int_le(seconds, 13);
	ck_assert_int_eq(snapped_refresh(&s), -ESTALE);
}
END_TEST

/* A clock that was set back checks at once, and does not wait until it has caught up. */
START_TEST(clock_set_back)
{
	int error = 0;

	snapped_look_all(&s);
	tree_append(&s.tree, "root/d/file", "more");
	for (int i = 1; i < 5 && error == 0; i++)
		error = snapshot_refresh(&s.snapshot, &s.place, NOW - i * SECOND);
	ck_assert_int_eq(error, -ESTALE);
}
END_TEST

/* No descriptor left to look through a link: an error now, and all is read again later. */
START_TEST(no_descriptor_left)
{
	struct rlimit limit;

	snapped_look_all(&s);
	ck_assert_int_eq(snapped_refresh(&s), 0);
	write_target();
	tree_append(&s.tree, "root/d/file", "more");
	snapped_note(&s, "file");
	snapped_note(&s, "link");
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = (rlim_t)tree_next_fd();
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(snapped_refresh(&s), -EMFILE);
	limit.rlim_cur = 1024;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(snapped_refresh(&s), -ESTALE);
	ck_assert_int_eq(snapshot_read(&s.snapshot, &s.place, NOW, SIZE_MAX), 0);
	snapped_look_all(&s);
	ck_assert_int_eq(snapped_find(&s, "link")->size, 5);
	ck_assert_int_eq(snapped_find(&s, "file")->size, 5);
}
END_TEST

/* There are five, one of them a link, which takes five looks. */
START_TEST(more_than_wanted)
{
	ck_assert_int_eq(snapshot_read(&s.snapshot, &s.place, NOW, 8), -EFBIG);
	ck_assert(s.snapshot.stale);
	ck_assert_int_eq(snapshot_read(&s.snapshot, &s.place, NOW, 9), 0);
	ck_assert_uint_eq(s.snapshot.listing.count, 5);
}
END_TEST

START_TEST(directory_is_gone)
{
	tree_take_away(&s.tree, "root/d");
	ck_assert_int_eq(snapshot_read(&s.snapshot, &s.place, NOW, SIZE_MAX), -ENOENT);
	ck_assert(s.snapshot.stale);
	ck_assert_int_eq(snapped_refresh(&s), -ESTALE);
}
END_TEST

/* Read elsewhere: what was told meanwhile is looked at with the next refresh. */
START_TEST(adopted)
{
	const struct view by_name = { .sort = SORT_NAME };
	struct listing listing;
	struct rows rows = { 0 };
	uint64_t version = s.snapshot.version;

	snapshot_forget(&s.snapshot);
	ck_assert_uint_gt(s.snapshot.version, version);
	ck_assert_int_eq(snapped_refresh(&s), -ESTALE);
	listing_init(&listing);
	ck_assert_int_eq(read_directory(&listing, &s.root, s.place.dir, s.place.path), 0);
	append();
	snapped_note(&s, "file");
	create();
	snapped_note(&s, "new");
	ck_assert(rows_sort(&rows, &listing, &by_name, 0, SIZE_MAX));
	version = s.snapshot.version;
	snapshot_adopt(&s.snapshot, &listing, &rows, SORT_NAME, true, NOW);
	ck_assert_uint_eq(listing.count, 0);
	ck_assert_ptr_null(rows.index);
	ck_assert(!s.snapshot.stale && s.snapshot.rows_ready[SORT_NAME] && s.snapshot.looked_at_all);
	ck_assert_uint_gt(s.snapshot.version, version);
	ck_assert_int_eq(snapped_refresh(&s), 0);
	ck_assert_uint_eq(s.snapshot.listing.count, 6);
	ck_assert_int_eq(snapped_find(&s, "file")->size, 5);
	ck_assert_int_eq(snapped_find(&s, "new")->size, 2);
	listing_release(&listing);
}
END_TEST

Suite *
snapshot_suite(void)
{
	Suite *suite = suite_create("snapshot");

	suite_add_case(suite, names_first, 1, setup, teardown);
	suite_add_case(suite, told_and_looked_at, ROWS(told), setup, teardown);
	suite_add_case(suite, looked_at_each_time, ROWS(elsewhere), setup, teardown);
	suite_add_case(suite, a_second_name_beside, 2, setup, teardown);
	suite_add_case(suite, a_second_name_written, 1, setup, teardown);
	suite_add_case(suite, noted, ROWS(notes), setup, teardown);
	suite_add_case(suite, surprises_are_found, 40, setup, teardown);
	suite_add_case(suite, clock_set_back, 1, setup, teardown);
	suite_add_case(suite, no_descriptor_left, 1, setup, teardown);
	suite_add_case(suite, more_than_wanted, 1, setup, teardown);
	suite_add_case(suite, directory_is_gone, 1, setup, teardown);
	suite_add_case(suite, adopted, 1, setup, teardown);
	return suite;
}
