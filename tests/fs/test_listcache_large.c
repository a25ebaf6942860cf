/* Large directories, which are read elsewhere while others are served. */
#include "fs/sight.h"

#include "fs/directory.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *listcache_large_suite(void);

static struct tree tree;

static void
setup(void)
{
	sight_make_tree(&tree);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

/* Longer names make the directory itself larger. */
static void
make_large(const char *name)
{
	char path[64];

	for (int i = 0; i <= LISTCACHE_LARGE; i++) {
		snprintf(path, sizeof(path), "root/d/%d%s", i, name);
		close(openat(tree.fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	}
}

static void
read_elsewhere(struct listcache *cache, struct sight *sight, uint64_t reading)
{
	struct snapshot *snapshot;
	struct listing listing;

	listing_init(&listing);
	ck_assert_int_eq(read_directory(&listing, &sight->open, sight->directory.fd, sight->place.path), 0);
	tree_append(&tree, "root/d/a", "more");
	snapshot = listcache_end(cache, &sight->place, &sight->directory, reading);
	ck_assert_ptr_nonnull(snapshot);
	snapshot_adopt(snapshot, &listing, NULL, SORT_NAME, true, NOW);
	listing_release(&listing);
	listcache_settle(cache, snapshot);
}

/* Whether the size of the directory tells, or reading it. */
START_TEST(large_and_left)
{
	static const char *const names[] = { ", a file of many", "" };
	const struct listcache_options options = { .budget = 1 << 26, .watches = 16, .age = SECOND, .leave_large = true };
	struct listcache *cache = listcache_new(&options);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" }, small = { .tree = &tree, .root = "root", .path = "/e" };
	struct snapshot *snapshot = NULL;
	uint64_t reading;

	make_large(names[_i]);
	sight_check(cache, &small, NOW);
	ck_assert(sight_open(&sight));
	ck_assert_int_eq(listcache_get(cache, &sight.place, &sight.directory, NOW, &snapshot), -EINPROGRESS);
	reading = listcache_begin(cache, snapshot, &sight.place);
	ck_assert_uint_ne(reading, 0);
	ck_assert_uint_eq(listcache_begin(cache, snapshot, &sight.place), 0);
	ck_assert_int_eq(listcache_get(cache, &sight.place, &sight.directory, NOW, &snapshot), -EINPROGRESS);
	ck_assert_ptr_null(listcache_end(cache, &sight.place, &sight.directory, reading + 1));
	ck_assert_ptr_null(listcache_end(cache, &sight.place, &sight.directory, 0));
	read_elsewhere(cache, &sight, reading);
	sight_close(&sight);
	sight_check(cache, &sight, NOW);
	tree_file(&tree, "root/d/one more", "");
	sight_check(cache, &sight, NOW);
	listcache_free(cache);
}
END_TEST

/* Each is looked at when it is read: fewer of them take as long. */
START_TEST(many_links)
{
	const struct listcache_options options = { .budget = 1 << 26, .watches = 16, .age = SECOND, .leave_large = true };
	struct listcache *cache = listcache_new(&options);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	struct snapshot *snapshot = NULL;
	char path[64];

	for (int i = 0; i < LISTCACHE_LARGE / 5; i++) {
		snprintf(path, sizeof(path), "root/d/%d", i);
		tree_link(&tree, path, "a");
	}
	ck_assert(sight_open(&sight));
	ck_assert_int_eq(listcache_get(cache, &sight.place, &sight.directory, NOW, &snapshot), -EINPROGRESS);
	sight_close(&sight);
	listcache_free(cache);
}
END_TEST

/* The directory itself changed meanwhile: what was read is of no use. */
START_TEST(changed_beyond_telling)
{
	const struct listcache_options options = { .budget = 1 << 26, .watches = 16, .age = SECOND, .leave_large = true };
	struct listcache *cache = listcache_new(&options);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	struct snapshot *snapshot = NULL;
	uint64_t reading;

	make_large(", a file of many");
	ck_assert(sight_open(&sight));
	ck_assert_int_eq(listcache_get(cache, &sight.place, &sight.directory, NOW, &snapshot), -EINPROGRESS);
	reading = listcache_begin(cache, snapshot, &sight.place);
	ck_assert_int_eq(fchmodat(tree.fd, "root/d", 0711, 0), 0);
	ck_assert_ptr_null(listcache_end(cache, &sight.place, &sight.directory, reading));
	ck_assert_int_eq(listcache_get(cache, &sight.place, &sight.directory, NOW, &snapshot), -EINPROGRESS);
	reading = listcache_begin(cache, snapshot, &sight.place);
	ck_assert_uint_ne(reading, 0);
	read_elsewhere(cache, &sight, reading);
	sight_close(&sight);
	sight_check(cache, &sight, NOW);
	listcache_free(cache);
	listcache_free(NULL);
}
END_TEST

Suite *
listcache_large_suite(void)
{
	Suite *suite = suite_create("listcache_large");

	suite_add_case(suite, large_and_left, 2, setup, teardown);
	suite_add_case(suite, many_links, 1, setup, teardown);
	suite_add_case(suite, changed_beyond_telling, 1, setup, teardown);
	return suite;
}
