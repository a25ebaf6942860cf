/* What is told often, of much, or not at all: without reading everything again, and without looking at more than a page needs. */
#include "fs/sight.h"

#include "fs/directory.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *listcache_told_suite(void);

static struct tree tree;

static void
setup(void)
{
	tree_make(&tree);
	tree_directory(&tree, "root", 0755);
	tree_directory(&tree, "root/d", 0755);
	tree_directory(&tree, "root/e", 0755);
	tree_directory(&tree, "root/kept", 0755);
	tree_file(&tree, "root/d/a", "a");
	tree_file(&tree, "root/d/b", "b");
	tree_file(&tree, "root/e/a", "a");
}

static void
teardown(void)
{
	tree_remove(&tree);
}

static void
touch(const char *path, int i)
{
	ck_assert_int_eq(fchmodat(tree.fd, path, i % 2 != 0 ? 0600 : 0644, 0), 0);
}

/* Two logs in turn: the queue cannot merge what it holds, and holds far less than this. Who serves other things takes it over every
 * second. */
START_TEST(two_in_turn)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight d = { .tree = &tree, .root = "root", .path = "/d" }, e = { .tree = &tree, .root = "root", .path = "/e" };

	sight_check(cache, &d, NOW);
	sight_check(cache, &e, NOW);
	for (int second = 1; second <= 10; second++) {
		for (int i = 0; i < 4000; i++)
			touch(i % 2 != 0 ? "root/d/a" : "root/d/b", i / 2);
		listcache_drain(cache, NOW + second * SECOND);
	}
	tree_append(&tree, "root/d/a", "more");
	for (int i = 0; i < 2; i++) {
		struct sight *sight = i == 0 ? &d : &e;

		/* Never read again. */
		ck_assert_int_eq(sight_get(cache, sight, NOW + 10 * SECOND)->read_at, NOW);
		sight_close(sight);
		sight_check(cache, sight, NOW + 10 * SECOND);
	}
	listcache_free(cache);
}
END_TEST

/* Within the second, and after the clock was set back. */
START_TEST(taken_over_in_a_while)
{
	static const int64_t when[] = { 0, SECOND - 1, SECOND, -1 };
	static const size_t wanted[] = { 0, 0, 1, 2 };
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	struct snapshot *snapshot;

	listcache_drain(cache, NOW);
	snapshot = sight_get(cache, &sight, NOW);
	sight_close(&sight);
	for (size_t i = 0; i < 4; i++) {
		touch(i < 3 ? "root/d/a" : "root/d/b", (int)i);
		listcache_drain(cache, NOW + when[i]);
		ck_assert_uint_eq(snapshot->changes.count, wanted[i]);
	}
	listcache_free(cache);
}
END_TEST

static const struct {
	int changed, fresh, gone;
	bool read_again;
} many[] = {
	{ SNAPSHOT_CHANGES_MAX - 1, 0, 0, false },
	{ SNAPSHOT_CHANGES_MAX + 1, 0, 0, true },
	{ 500, 500, 500, false },
	{ 0, 2000, 0, false },
	{ 0, 0, 2000, false },
};

/* So many names are looked at instead of all. */
START_TEST(many_at_once)
{
	struct listcache *cache = sight_cache(1 << 24, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	char path[64];

	for (int i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "root/d/f%d", i);
		tree_file(&tree, path, "");
	}
	sight_check(cache, &sight, NOW);
	for (int i = 0; i < many[_i].changed; i++) {
		snprintf(path, sizeof(path), "root/d/f%d", i);
		tree_append(&tree, path, "more");
	}
	for (int i = 0; i < many[_i].fresh; i++) {
		snprintf(path, sizeof(path), "root/d/g%d", i);
		tree_file(&tree, path, "new");
	}
	for (int i = 0; i < many[_i].gone; i++) {
		snprintf(path, sizeof(path), "root/d/f%d", 2500 + i);
		tree_take_away(&tree, path);
	}
	ck_assert_int_eq(sight_get(cache, &sight, NOW + 1)->read_at, many[_i].read_again ? NOW + 1 : NOW);
	sight_close(&sight);
	sight_check(cache, &sight, NOW + 1);
	listcache_free(cache);
}
END_TEST

/* What nobody asks for any more takes no more memory than it has names. */
START_TEST(more_than_there_were)
{
	static const int fresh[] = { 60, 100 };
	struct listcache *cache = sight_cache(1 << 24, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	struct snapshot *snapshot = sight_get(cache, &sight, NOW);
	char path[64];

	sight_close(&sight);
	for (int i = 0; i < fresh[_i]; i++) {
		snprintf(path, sizeof(path), "root/d/g%d", i);
		tree_file(&tree, path, "new");
	}
	listcache_drain(cache, NOW);
	ck_assert_uint_eq(snapshot->changes.count, _i == 0 ? 60 : 0);
	ck_assert_int_eq(sight_get(cache, &sight, NOW + 1)->read_at, NOW + _i);
	sight_close(&sight);
	sight_check(cache, &sight, NOW + 1);
	listcache_free(cache);
}
END_TEST

/* Two roots see one directory: it has one watch, and both are told. */
START_TEST(told_to_all_who_watch)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sights[] = {
		{ .tree = &tree, .root = "root", .path = "/d" },
		{ .tree = &tree, .root = "root/d", .path = "/" },
		{ .tree = &tree, .root = "root", .path = "/e" },
	};

	for (int i = 0; i < 20; i++) {
		tree_append(&tree, i % 3 != 0 ? "root/d/a" : "root/e/a", "more");
		for (size_t j = 0; j < 3; j++)
			sight_check(cache, &sights[j], NOW);
	}
	listcache_free(cache);
}
END_TEST

static const struct entry *
find(const struct snapshot *snapshot, const char *name)
{
	return listing_find(&snapshot->listing, str_from(name));
}

/* 100 subdirectories, of which a page shows five; one link, which every page depends on. */
START_TEST(no_more_than_the_page_needs)
{
	const struct view by_name = { .sort = SORT_NAME };
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/e" };
	struct snapshot *snapshot;
	const struct rows *rows;
	char path[64];

	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "root/e/sub%d", i);
		tree_directory(&tree, path, 0755);
		tree_time(&tree, path, 1000, 0);
	}
	tree_link(&tree, "root/e/link", "../d/a");
	sight_check(cache, &sight, NOW);
	/* Told of the subdirectories, and of nobody else. */
	tree_file(&tree, "root/e/sub7/x", "");
	tree_file(&tree, "root/e/sub50/x", "");
	tree_take_away(&tree, "root/d/a");
	tree_directory(&tree, "root/d/a", 0755);
	snapshot = sight_get(cache, &sight, NOW);
	ck_assert(!snapshot->fresh);
	ck_assert_uint_lt(snapshot_untold_looks(snapshot, true), snapshot_untold_looks(snapshot, false));
	ck_assert_uint_ge(snapshot_untold_looks(snapshot, false), 100);
	ck_assert_int_eq(snapshot_look_untold(snapshot, &sight.place, true), 0);
	ck_assert_int_eq(find(snapshot, "link")->kind, ENTRY_DIRECTORY);
	rows = snapshot_window(snapshot, &by_name, 5, 5);
	ck_assert_ptr_eq(snapshot_window(snapshot, &by_name, 5, 5), rows);
	/* link, sub0, ... */
	ck_assert_int_eq(snapshot_look_untold_rows(snapshot, &sight.place, rows, false, 5, 5), 0);
	ck_assert_int_ne(find(snapshot, "sub7")->mtime, 1000 * SECOND);
	ck_assert_int_eq(find(snapshot, "sub50")->mtime, 1000 * SECOND);
	sight_close(&sight);
	sight_check(cache, &sight, NOW);
	listcache_free(cache);
}
END_TEST

/* One that must be looked at is gone before the watch has told so. */
START_TEST(gone_and_not_told)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/" };
	struct snapshot *snapshot;

	sight_check(cache, &sight, NOW);
	snapshot = sight_get(cache, &sight, NOW);
	tree_take_away(&tree, "root/e");
	ck_assert_int_eq(snapshot_look_untold(snapshot, &sight.place, false), -ESTALE);
	ck_assert(snapshot->stale);
	sight_close(&sight);
	sight_check(cache, &sight, NOW);
	listcache_free(cache);
}
END_TEST

/* On most machines: of the kernel or of nobody knows what. */
static const char *const untold[] = { "/proc/self", "/sys", "/dev/pts", "/sys/kernel/security", "/sys/fs/bpf" };

START_TEST(only_what_is_known_to_tell)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "", .path = "/" };
	struct snapshot *snapshot = NULL;

	if (root_open(&sight.open, untold[_i], SYMLINKS_WITHIN_ROOT) == 0) {
		ck_assert_int_eq(file_open(&sight.directory, &sight.open, S("/")), 0);
		sight.place = (struct place){ &sight.open, sight.directory.fd, S("/") };
		if (listcache_get(cache, &sight.place, &sight.directory, NOW, &snapshot) == 0)
			ck_assert_int_eq(snapshot->wd, -1);
		ck_assert_int_eq(listcache_complaint(cache), 0);
		sight_close(&sight);
	}
	listcache_free(cache);
}
END_TEST

/* No instance of inotify to be had: lists all the same, and says so once. */
START_TEST(a_failed_watch_is_told_once)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	struct rlimit limit;

	ck_assert(sight_open(&sight));
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = (rlim_t)tree_next_fd();
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int i = 0; i < 3; i++) {
		struct snapshot *snapshot = NULL;

		ck_assert_int_eq(listcache_get(cache, &sight.place, &sight.directory, NOW + i * SECOND, &snapshot), 0);
		ck_assert_int_eq(snapshot->wd, -1);
		ck_assert_uint_eq(snapshot->listing.count, 2);
		ck_assert_int_eq(listcache_complaint(cache), i == 0 ? ENOSPC : 0);
	}
	limit.rlim_cur = 1024;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	sight_close(&sight);
	sight_check(cache, &sight, NOW + 3 * SECOND);
	listcache_free(cache);
}
END_TEST

/* There is nobody to be told. */
START_TEST(a_deleted_folder_is_no_failure)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/kept" };
	struct snapshot *snapshot = NULL;

	ck_assert(sight_open(&sight));
	tree_take_away(&tree, "root/kept");
	listcache_get(cache, &sight.place, &sight.directory, NOW, &snapshot);
	ck_assert_int_eq(listcache_complaint(cache), 0);
	sight_close(&sight);
	listcache_free(cache);
}
END_TEST

Suite *
listcache_told_suite(void)
{
	Suite *suite = suite_create("listcache_told");
	TCase *all = tcase_create("all");

	tcase_set_timeout(all, 120);
	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_test(all, two_in_turn);
	tcase_add_test(all, taken_over_in_a_while);
	tcase_add_loop_test(all, many_at_once, 0, ROWS(many));
	tcase_add_loop_test(all, more_than_there_were, 0, 2);
	tcase_add_test(all, told_to_all_who_watch);
	tcase_add_test(all, no_more_than_the_page_needs);
	tcase_add_test(all, gone_and_not_told);
	tcase_add_loop_test(all, only_what_is_known_to_tell, 0, ROWS(untold));
	tcase_add_test(all, a_failed_watch_is_told_once);
	tcase_add_test(all, a_deleted_folder_is_no_failure);
	suite_add_tcase(suite, all);
	return suite;
}
