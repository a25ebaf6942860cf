/* Watches that come and go, and what happens where there are too many of them, or too much to tell. */
#include "fs/watch.h"

#include "fs/told.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *watch_suite(void);

static struct tree tree;

static void
setup(void)
{
	told_make_tree(&tree);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

START_TEST(nothing_watched)
{
	struct told told = { 0 };
	struct watch *watch = watch_new(take_event, &told);
	int before = tree_next_fd();

	watch_drain(watch);
	watch_remove(watch, 1);
	watch_remove(watch, -1);
	ck_assert_int_eq(tree_next_fd(), before);
	watch_free(watch);
	watch_free(NULL);
	ck_assert_int_eq(told.events, 0);
}
END_TEST

START_TEST(deleted_and_made_again)
{
	struct told told;
	struct watch *watch = watch_directory(&tree, &told, "dir/empty");
	int dir;

	apply(&tree, REMOVE_DIRECTORY, "dir/empty", NULL);
	watch_drain(watch);
	ck_assert(was_told(&told, ""));
	forget(&told);
	apply(&tree, MAKE_DIRECTORY, "dir/empty", NULL);
	dir = open_directory(&tree, "dir/empty");
	watch_remove(watch, told.wd);
	told.wd = watch_add(watch, dir, WATCH_ALL);
	ck_assert_int_ge(told.wd, 0);
	close(dir);
	apply(&tree, CREATE, "dir/empty/new", NULL);
	watch_drain(watch);
	ck_assert(was_told(&told, "new"));
	release(watch, &told);
}
END_TEST

START_TEST(moved_and_still_watched)
{
	struct told told;
	struct watch *watch = watch_directory(&tree, &told, "dir");

	apply(&tree, RENAME, "dir", "other/dir");
	watch_drain(watch);
	forget(&told);
	apply(&tree, WRITE, "other/dir/file", NULL);
	watch_drain(watch);
	ck_assert(was_told(&told, "file"));
	release(watch, &told);
}
END_TEST

START_TEST(added_twice)
{
	struct told told;
	struct watch *watch = watch_directory(&tree, &told, "dir");
	int dir = open_directory(&tree, "dir");

	ck_assert_int_eq(watch_add(watch, dir, WATCH_ALL), told.wd);
	close(dir);
	watch_remove(watch, told.wd);
	apply(&tree, WRITE, "dir/file", NULL);
	watch_drain(watch);
	ck_assert(was_told(&told, "file"));
	watch_remove(watch, told.wd);
	forget(&told);
	apply(&tree, WRITE, "dir/file", NULL);
	watch_drain(watch);
	ck_assert_int_eq(told.events, 0);
	release(watch, &told);
}
END_TEST

/* What was told before is nobody's any more. */
START_TEST(removed_before_it_was_told)
{
	struct told told;
	struct watch *watch = watch_directory(&tree, &told, "dir");

	apply(&tree, WRITE, "dir/file", NULL);
	watch_remove(watch, told.wd);
	watch_drain(watch);
	ck_assert_int_eq(told.events, 0);
	release(watch, &told);
}
END_TEST

START_TEST(many_directories)
{
	struct told told = { .wd = -2 };
	struct watch *watch = watch_new(take_event, &told);
	int wds[200], dir;
	char path[64];

	buf_init(&told.names, 1 << 20);
	for (int i = 0; i < ROWS(wds); i++) {
		snprintf(path, sizeof(path), "dir/many%d", i);
		tree_directory(&tree, path, 0755);
		dir = open_directory(&tree, path);
		wds[i] = watch_add(watch, dir, WATCH_ALL);
		ck_assert_int_ge(wds[i], 0);
		close(dir);
	}
	for (int i = 0; i < ROWS(wds); i += 2)
		watch_remove(watch, wds[i]);
	for (int i = 0; i < ROWS(wds); i++) {
		snprintf(path, sizeof(path), "dir/many%d/new", i);
		tree_directory(&tree, path, 0755);
		forget(&told);
		told.wd = wds[i];
		watch_drain(watch);
		ck_assert_int_eq(was_told(&told, "new"), i % 2);
		ck_assert_int_eq(told.strangers, 0);
	}
	release(watch, &told);
}
END_TEST

static long
read_limit(const char *path)
{
	FILE *file = fopen(path, "re");
	long limit = -1;

	if (file == NULL)
		return -1;
	if (fscanf(file, "%ld", &limit) != 1)
		limit = -1;
	fclose(file);
	return limit;
}

START_TEST(more_than_the_queue_holds)
{
	long limit = read_limit("/proc/sys/fs/inotify/max_queued_events");
	struct told told;
	struct watch *watch = watch_directory(&tree, &told, "dir");

	if (limit < 0 || limit > 1000000) {
		suite_skipped("more_than_the_queue_holds: max_queued_events is %ld, nobody would wait for that", limit);
		limit = 0;
	}
	for (long i = 0; limit > 0 && i < limit + 10; i++)
		ck_assert_int_eq(fchmodat(tree.fd, i % 2 != 0 ? "dir/file" : "dir/second", i % 4 < 2 ? 0600 : 0644, 0), 0);
	watch_drain(watch);
	ck_assert_int_eq(told.overflows > 0, limit > 0);
	forget(&told);
	apply(&tree, WRITE, "dir/file", NULL);
	watch_drain(watch);
	ck_assert(was_told(&told, "file"));
	ck_assert_int_eq(told.overflows, 0);
	release(watch, &told);
}
END_TEST

/* Uses the instances of nobody up, or the descriptors: it is the same to who asks. */
static int
try_without_instances(void)
{
	struct told told = { 0 };
	struct watch *watch = watch_new(take_event, &told);
	int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), last = -1, fd;

	while ((fd = inotify_init1(IN_CLOEXEC)) >= 0)
		last = fd;
	if (errno != EMFILE || last < 0)
		return 1;
	if (watch_add(watch, dir, WATCH_ALL) != -ENOSPC)
		return 2;
	watch_drain(watch);
	watch_remove(watch, 1);
	close(last);
	if (watch_add(watch, dir, WATCH_ALL) < 0)
		return 3;
	watch_free(watch);
	return 0;
}

START_TEST(no_instance_left)
{
	ck_assert_int_eq(tree_without_privilege(try_without_instances), 0);
}
END_TEST

static int
try_without_watches(void)
{
	struct told told = { 0 };
	struct watch *watch = watch_new(take_event, &told);
	int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), first;

	if (!tree_limit("no_watch_left", "max_inotify_watches", "1"))
		return 0;
	first = watch_add(watch, dir, WATCH_ALL);
	if (first < 0)
		return 1;
	if (watch_add(watch, dir, WATCH_ALL) != first)
		return 2;
	if (watch_add(watch, tree.fd, WATCH_ALL) != -ENOSPC)
		return 3;
	watch_remove(watch, first);
	if (watch_add(watch, tree.fd, WATCH_ALL) != -ENOSPC)
		return 4;
	watch_remove(watch, first);
	if (watch_add(watch, tree.fd, WATCH_ALL) < 0)
		return 5;
	watch_free(watch);
	return 0;
}

START_TEST(no_watch_left)
{
	tree_in_namespace("no_watch_left", try_without_watches);
}
END_TEST

/* A watch that is not told of mounts would be silent about what they change: with one descriptor left there is none. */
START_TEST(no_descriptor_for_mounts)
{
	struct told told = { 0 };
	struct watch *watch = watch_new(take_event, &told);
	int dir = open_directory(&tree, "dir"), free_one = tree_next_fd();
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = (rlim_t)free_one + 1;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(watch_add(watch, dir, WATCH_ALL), -EMFILE);
	ck_assert_int_eq(tree_next_fd(), free_one);
	limit.rlim_cur++;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_ge(watch_add(watch, dir, WATCH_ALL), 0);
	close(dir);
	watch_free(watch);
}
END_TEST

START_TEST(not_a_directory)
{
	struct told told = { 0 };
	struct watch *watch = watch_new(take_event, &told);
	int fd = openat(tree.fd, "dir/file", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(watch_add(watch, fd, WATCH_ALL), -ENOTDIR);
	close(fd);
	ck_assert_int_lt(watch_add(watch, fd, WATCH_ALL), 0);
	watch_free(watch);
}
END_TEST

Suite *
watch_suite(void)
{
	Suite *suite = suite_create("watch");

	suite_add_case(suite, nothing_watched, 1, setup, teardown);
	suite_add_case(suite, deleted_and_made_again, 1, setup, teardown);
	suite_add_case(suite, moved_and_still_watched, 1, setup, teardown);
	suite_add_case(suite, added_twice, 1, setup, teardown);
	suite_add_case(suite, removed_before_it_was_told, 1, setup, teardown);
	suite_add_case(suite, many_directories, 1, setup, teardown);
	suite_add_case(suite, more_than_the_queue_holds, 1, setup, teardown);
	suite_add_case(suite, no_instance_left, 1, setup, teardown);
	suite_add_case(suite, no_watch_left, 1, setup, teardown);
	suite_add_case(suite, no_descriptor_for_mounts, 1, setup, teardown);
	suite_add_case(suite, not_a_directory, 1, setup, teardown);
	return suite;
}
