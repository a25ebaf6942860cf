/* Snapshots found again, given up, and read anew when nobody told what changed. */
#include "fs/sight.h"

#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *listcache_suite(void);

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

/* Within its age it may be old, after it never. */
START_TEST(age)
{
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	struct listcache *cache = sight_cache(1 << 20, 0);
	struct snapshot *snapshot = sight_get(cache, &sight, NOW);
	uint64_t version = snapshot->version;

	ck_assert_int_eq(snapshot->wd, -1);
	sight_close(&sight);
	tree_file(&tree, "root/d/new", "");
	snapshot = sight_get(cache, &sight, NOW + SECOND - 1);
	ck_assert_uint_eq(snapshot->version, version);
	sight_close(&sight);
	sight_check(cache, &sight, NOW + SECOND);
	tree_file(&tree, "root/d/newer", "");
	sight_check(cache, &sight, NOW); /* the clock was set back */
	listcache_free(cache);
}
END_TEST

START_TEST(watched_and_never_read_again)
{
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct snapshot *snapshot = sight_get(cache, &sight, NOW);
	uint64_t version = snapshot->version;

	ck_assert_int_ge(snapshot->wd, 0);
	sight_close(&sight);
	for (int i = 0; i < 100; i++) {
		ck_assert_ptr_eq(sight_get(cache, &sight, NOW + i * 10 * SECOND), snapshot);
		ck_assert_uint_eq(snapshot->version, version);
		ck_assert_int_eq(snapshot->read_at, NOW);
		sight_close(&sight);
	}
	listcache_free(cache);
}
END_TEST

/* On a file system that tells nothing. */
START_TEST(not_told)
{
	struct sight sight = { .tree = &tree, .root = "", .path = "/" };
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct snapshot *snapshot = NULL;

	ck_assert_int_eq(root_open(&sight.open, "/proc/self", SYMLINKS_WITHIN_ROOT), 0);
	ck_assert_int_eq(file_open(&sight.directory, &sight.open, S("/")), 0);
	sight.place = (struct place){ &sight.open, sight.directory.fd, S("/") };
	ck_assert_int_eq(listcache_get(cache, &sight.place, &sight.directory, NOW, &snapshot), 0);
	ck_assert_int_eq(snapshot->wd, -1);
	sight_close(&sight);
	listcache_free(cache);
}
END_TEST

/* A watch given up is given to who asks last; the number never exceeds what is allowed. */
START_TEST(watches_move_on)
{
	struct listcache *cache = sight_cache(1 << 20, 2);
	struct sight sight = { .tree = &tree, .root = "root", .path = NULL };
	char path[64];

	for (int i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), "root/w%d", i % 5);
		if (i < 5)
			tree_directory(&tree, path, 0755);
		sight.path = path + 4;
		ck_assert_int_ge(sight_get(cache, &sight, NOW)->wd, 0);
		sight_close(&sight);
		sight_check(cache, &sight, NOW);
	}
	listcache_free(cache);
}
END_TEST

/* With its number, the inode and all: another directory all the same. */
START_TEST(deleted_and_made_again)
{
	struct listcache *cache = sight_cache(1 << 20, _i != 0 ? 16 : 0);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/e" };

	for (int i = 0; i < 50; i++) {
		char path[64];

		sight_check(cache, &sight, NOW + i * SECOND);
		tree_take_away(&tree, "root/e");
		tree_directory(&tree, "root/e", 0755);
		snprintf(path, sizeof(path), "root/e/new%d", i % 3);
		tree_file(&tree, path, "");
	}
	sight_check(cache, &sight, NOW + 50 * SECOND);
	listcache_free(cache);
}
END_TEST

START_TEST(deleted_while_open)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/e" };
	struct snapshot *snapshot = NULL;
	int error;

	sight_check(cache, &sight, NOW);
	ck_assert(sight_open(&sight));
	tree_take_away(&tree, "root/e");
	error = listcache_get(cache, &sight.place, &sight.directory, NOW, &snapshot);
	ck_assert(error == -ENOENT || (error == 0 && snapshot->listing.count == 0));
	sight_close(&sight);
	listcache_free(cache);
}
END_TEST

/* What the queue cannot hold is read again. */
START_TEST(more_than_the_queue_holds)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight d = { .tree = &tree, .root = "root", .path = "/d" }, e = { .tree = &tree, .root = "root", .path = "/e" };

	tree_file(&tree, "root/d/b", "");
	sight_check(cache, &d, NOW);
	sight_check(cache, &e, NOW);
	for (int i = 0; i < 40000; i++)
		ck_assert_int_eq(fchmodat(tree.fd, i % 2 != 0 ? "root/d/a" : "root/d/b", i % 4 < 2 ? 0600 : 0644, 0), 0);
	tree_append(&tree, "root/d/a", "more");
	tree_append(&tree, "root/e/a", "more");
	sight_check(cache, &d, NOW);
	sight_check(cache, &e, NOW);
	tree_append(&tree, "root/e/a", "more");
	sight_check(cache, &e, NOW);
	listcache_free(cache);
}
END_TEST

/* 20,000 files come and go, under names of 200 bytes: 12 MB of names and keys, of which next to nothing is kept. */
START_TEST(names_that_are_gone)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	struct snapshot *snapshot = sight_get(cache, &sight, NOW);
	char path[256];

	for (int i = 0; i < 20000; i++) {
		struct snapshot *got = NULL;

		snprintf(path, sizeof(path), "root/d/%0200d", i);
		close(openat(tree.fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
		if (i % 2 != 0) {
			ck_assert_int_eq(listcache_get(cache, &sight.place, &sight.directory, NOW, &got), 0);
			ck_assert_uint_eq(got->listing.count, 2);
		}
		unlinkat(tree.fd, path, 0);
		ck_assert_int_eq(listcache_get(cache, &sight.place, &sight.directory, NOW, &got), 0);
		ck_assert_ptr_eq(got, snapshot);
		ck_assert_uint_eq(got->listing.count, 1);
		ck_assert_uint_le(snapshot_cost(got), 1 << 18);
		listcache_settle(cache, got);
	}
	sight_close(&sight);
	sight_check(cache, &sight, NOW);
	listcache_free(cache);
}
END_TEST

START_TEST(larger_than_the_budget)
{
	struct listcache *cache = sight_cache(4096, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" }, other = { .tree = &tree, .root = "root", .path = "/e" };
	char path[64];

	for (int i = 0; i < 500; i++) {
		snprintf(path, sizeof(path), "root/d/file %d", i);
		tree_file(&tree, path, "");
	}
	for (int i = 0; i < 5; i++) {
		tree_append(&tree, "root/d/a", "more");
		sight_check(cache, &sight, NOW);
		sight_check(cache, &other, NOW);
	}
	listcache_free(cache);
}
END_TEST

/* Writing through a map tells nobody as long as the map is there; the self-check finds it as the clock goes on. */
START_TEST(written_by_map)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	int fd = openat(tree.fd, "root/d/a", O_RDWR | O_CLOEXEC), seconds = 0;
	struct buf got;
	char *map;

	for (char name[] = "root/d/b"; name[7] < 'k'; name[7]++)
		tree_file(&tree, name, "");
	tree_time(&tree, "root/d/a", 1000, 0);
	sight_check(cache, &sight, NOW);
	map = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(map, MAP_FAILED);
	map[0] = 'z';
	msync(map, 1, MS_SYNC);
	buf_init(&got, 1 << 20);
	for (bool found = false; !found && seconds < 10; seconds++) {
		struct snapshot *snapshot = sight_get(cache, &sight, NOW + seconds * SECOND);

		ck_assert_int_eq(snapshot_look_all(snapshot, &sight.place), 0);
		found = listing_find(&snapshot->listing, S("a"))->mtime != 1000 * SECOND;
		sight_close(&sight);
	}
	ck_assert_int_le(seconds, 5);
	munmap(map, 1);
	close(fd);
	buf_release(&got);
	sight_check(cache, &sight, NOW + seconds * SECOND);
	listcache_free(cache);
}
END_TEST

/* A second name given elsewhere after the file was looked at raises no event here, nor does writing by it: the self-check
 * is all there is. */
START_TEST(written_by_a_later_second_name)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };

	sight_check(cache, &sight, NOW);
	ck_assert_int_eq(linkat(tree.fd, "root/d/a", tree.fd, "root/other/new", 0), 0);
	tree_append(&tree, "root/other/new", "more");
	for (int i = 1; i < 4; i++) {
		sight_get(cache, &sight, NOW + i * SECOND);
		sight_close(&sight);
	}
	sight_check(cache, &sight, NOW + 4 * SECOND);
	listcache_free(cache);
}
END_TEST

/* root/d a second time at root/e, and there something else on one of its subdirectories. */
static int
look_through_two_mounts(void)
{
	struct sight first = { .tree = &tree, .root = "root", .path = "/d" };
	struct sight second = { .tree = &tree, .root = "root", .path = "/e" };
	struct listcache *cache = sight_cache(1 << 20, 16);
	char from[PATH_MAX + 16], to[PATH_MAX + 16], below[PATH_MAX + 16];

	snprintf(from, sizeof(from), "%s/root/d", tree.path);
	snprintf(to, sizeof(to), "%s/root/e", tree.path);
	snprintf(below, sizeof(below), "%s/root/e/sub", tree.path);
	if (unshare(CLONE_NEWNS) != 0 || mount(from, to, NULL, MS_BIND, NULL) != 0 || mount("none", below, "tmpfs", 0, "") != 0) {
		suite_skipped("through_two_mounts: nothing can be mounted: %s", strerror(errno));
		return 0;
	}
	for (int i = 0; i < 8; i++) {
		sight_check(cache, &first, NOW);
		sight_check(cache, &second, NOW);
		snprintf(below, sizeof(below), "%s/root/%s/sub/new%d", tree.path, i % 2 == 0 ? "d" : "e", i);
		close(open(below, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	}
	listcache_free(cache);
	return 0;
}

START_TEST(through_two_mounts)
{
	tree_directory(&tree, "root/d/sub", 0755);
	tree_in_namespace("through_two_mounts", look_through_two_mounts);
}
END_TEST

Suite *
listcache_suite(void)
{
	Suite *suite = suite_create("listcache");

	suite_add_case(suite, age, 1, setup, teardown);
	suite_add_case(suite, watched_and_never_read_again, 1, setup, teardown);
	suite_add_case(suite, not_told, 1, setup, teardown);
	suite_add_case(suite, watches_move_on, 1, setup, teardown);
	suite_add_case(suite, deleted_and_made_again, 2, setup, teardown);
	suite_add_case(suite, deleted_while_open, 1, setup, teardown);
	suite_add_case(suite, more_than_the_queue_holds, 1, setup, teardown);
	suite_add_case(suite, names_that_are_gone, 1, setup, teardown);
	suite_add_case(suite, larger_than_the_budget, 1, setup, teardown);
	suite_add_case(suite, written_by_map, 1, setup, teardown);
	suite_add_case(suite, written_by_a_later_second_name, 1, setup, teardown);
	suite_add_case(suite, through_two_mounts, 1, setup, teardown);
	return suite;
}
