/* What is told of a watched directory, by name, and what is not. */
#include "fs/watch.h"

#include "fs/tree.h"
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

/* What was told: the number of times, and the names, each ended by a slash. */
struct told {
	int wd;          /* of the directory that is meant */
	int events;
	int strangers;   /* of other directories */
	int overflows;
	struct buf names;
};

static void
take_event(void *context, int wd, struct str name)
{
	struct told *told = context;

	told->events++;
	told->overflows += wd < 0;
	told->strangers += wd >= 0 && wd != told->wd;
	if (wd != told->wd)
		return;
	buf_str(&told->names, name);
	buf_char(&told->names, '/');
}

static bool
was_told(const struct told *told, const char *name)
{
	struct str rest = buf_view(&told->names), one;

	while (rest.len > 0 && str_cut(&rest, '/', &one))
		if (str_eq(one, str_from(name)))
			return true;
	return false;
}

static void
forget(struct told *told)
{
	buf_reset(&told->names);
	told->events = told->overflows = told->strangers = 0;
}

static void
setup(void)
{
	tree_make(&tree);
	tree_directory(&tree, "dir", 0755);
	tree_directory(&tree, "dir/sub", 0755);
	tree_directory(&tree, "dir/empty", 0755);
	tree_directory(&tree, "other", 0755);
	tree_file(&tree, "dir/file", "content");
	tree_file(&tree, "dir/second", "content");
	tree_file(&tree, "dir/sub/inner", "content");
	tree_file(&tree, "other/file", "content");
	tree_link(&tree, "dir/link", "../other/file");
}

static void
teardown(void)
{
	tree_remove(&tree);
}

static int
open_directory(const char *path)
{
	int fd = openat(tree.fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static struct watch *
watch_directory(struct told *told, const char *path)
{
	struct watch *watch = watch_new(take_event, told);
	int dir = open_directory(path);

	ck_assert_ptr_nonnull(watch);
	*told = (struct told){ 0 };
	buf_init(&told->names, 1 << 20);
	told->wd = watch_add(watch, dir);
	ck_assert_int_ge(told->wd, 0);
	close(dir);
	return watch;
}

static void
release(struct watch *watch, struct told *told)
{
	watch_free(watch);
	buf_release(&told->names);
}

enum change { CREATE, MAKE_DIRECTORY, UNLINK, REMOVE_DIRECTORY, RENAME, WRITE, TRUNCATE, CHMOD, TOUCH, SYMLINK, LINK, FIFO, READ };

static void
read_file(const char *path)
{
	int fd = openat(tree.fd, path, O_RDONLY | O_CLOEXEC);
	char block[64];

	ck_assert_int_ge(fd, 0);
	(void)!read(fd, block, sizeof(block));
	close(fd);
}

static void
truncate_file(const char *path)
{
	int fd = openat(tree.fd, path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 1), 0);
	close(fd);
}

static void
apply(enum change change, const char *path, const char *to)
{
	switch (change) {
	case CREATE:
		tree_file(&tree, path, "");
		break;
	case MAKE_DIRECTORY:
		tree_directory(&tree, path, 0755);
		break;
	case UNLINK:
		ck_assert_int_eq(unlinkat(tree.fd, path, 0), 0);
		break;
	case REMOVE_DIRECTORY:
		ck_assert_int_eq(unlinkat(tree.fd, path, AT_REMOVEDIR), 0);
		break;
	case RENAME:
		ck_assert_int_eq(renameat(tree.fd, path, tree.fd, to), 0);
		break;
	case WRITE:
		tree_append(&tree, path, "more");
		break;
	case TRUNCATE:
		truncate_file(path);
		break;
	case CHMOD:
		ck_assert_int_eq(fchmodat(tree.fd, path, 0700, 0), 0);
		break;
	case TOUCH:
		tree_time(&tree, path, 784111777, 0);
		break;
	case SYMLINK:
		tree_link(&tree, path, to);
		break;
	case LINK:
		ck_assert_int_eq(linkat(tree.fd, path, tree.fd, to, 0), 0);
		break;
	case FIFO:
		tree_fifo(&tree, path);
		break;
	case READ:
		read_file(path);
		break;
	}
}

static const struct {
	enum change change;
	const char *path, *to;
	const char *first, *second; /* names told; NULL: none */
} changes[] = {
	{ CREATE, "dir/new", NULL, "new", NULL },
	{ CREATE, "dir/.hidden", NULL, ".hidden", NULL },
	{ CREATE, "dir/\x01\n\xff", NULL, "\x01\n\xff", NULL },
	{ MAKE_DIRECTORY, "dir/new", NULL, "new", NULL },
	{ FIFO, "dir/new", NULL, "new", NULL },
	{ UNLINK, "dir/file", NULL, "file", NULL },
	{ UNLINK, "dir/link", NULL, "link", NULL },
	{ REMOVE_DIRECTORY, "dir/empty", NULL, "empty", NULL },
	{ RENAME, "dir/file", "other/moved", "file", NULL },
	{ RENAME, "other/file", "dir/moved", "moved", NULL },
	{ RENAME, "dir/file", "dir/moved", "file", "moved" },
	{ RENAME, "dir/file", "dir/second", "file", "second" },
	{ RENAME, "dir/sub", "dir/moved", "sub", "moved" },
	{ RENAME, "dir/sub", "other/sub", "sub", NULL },
	{ WRITE, "dir/file", NULL, "file", NULL },
	{ TRUNCATE, "dir/file", NULL, "file", NULL },
	{ CHMOD, "dir/file", NULL, "file", NULL },
	{ CHMOD, "dir/sub", NULL, "sub", NULL },
	{ TOUCH, "dir/file", NULL, "file", NULL },
	{ TOUCH, "dir/sub", NULL, "sub", NULL },
	{ TOUCH, "dir/link", NULL, "link", NULL },
	{ SYMLINK, "dir/new", "nowhere", "new", NULL },
	{ LINK, "dir/file", "dir/new", "new", NULL },
	{ LINK, "other/file", "dir/new", "new", NULL },
	/* of the directory itself: without a name */
	{ CHMOD, "dir", NULL, "", NULL },
	{ TOUCH, "dir", NULL, "", NULL },
	{ RENAME, "dir", "moved", "", NULL },
	/* elsewhere, or no change at all */
	{ CREATE, "dir/sub/new", NULL, NULL, NULL },
	{ UNLINK, "dir/sub/inner", NULL, NULL, NULL },
	{ WRITE, "dir/sub/inner", NULL, NULL, NULL },
	{ CHMOD, "dir/sub/inner", NULL, NULL, NULL },
	{ WRITE, "other/file", NULL, NULL, NULL },
	{ WRITE, "dir/link", NULL, NULL, NULL },
	{ CREATE, "new", NULL, NULL, NULL },
	{ READ, "dir/file", NULL, NULL, NULL },
};

START_TEST(each_change)
{
	struct told told;
	struct watch *watch = watch_directory(&told, "dir");

	apply(changes[_i].change, changes[_i].path, changes[_i].to);
	watch_drain(watch);
	ck_assert_int_eq(told.strangers, 0);
	ck_assert_int_eq(told.overflows, 0);
	ck_assert_int_eq(told.events > 0, changes[_i].first != NULL);
	if (changes[_i].first != NULL)
		ck_assert(was_told(&told, changes[_i].first));
	if (changes[_i].second != NULL)
		ck_assert(was_told(&told, changes[_i].second));
	forget(&told);
	watch_drain(watch);
	ck_assert_int_eq(told.events, 0);
	release(watch, &told);
}
END_TEST

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
	struct watch *watch = watch_directory(&told, "dir/empty");
	int dir;

	apply(REMOVE_DIRECTORY, "dir/empty", NULL);
	watch_drain(watch);
	ck_assert(was_told(&told, ""));
	forget(&told);
	apply(MAKE_DIRECTORY, "dir/empty", NULL);
	dir = open_directory("dir/empty");
	watch_remove(watch, told.wd);
	told.wd = watch_add(watch, dir);
	ck_assert_int_ge(told.wd, 0);
	close(dir);
	apply(CREATE, "dir/empty/new", NULL);
	watch_drain(watch);
	ck_assert(was_told(&told, "new"));
	release(watch, &told);
}
END_TEST

START_TEST(moved_and_still_watched)
{
	struct told told;
	struct watch *watch = watch_directory(&told, "dir");

	apply(RENAME, "dir", "other/dir");
	watch_drain(watch);
	forget(&told);
	apply(WRITE, "other/dir/file", NULL);
	watch_drain(watch);
	ck_assert(was_told(&told, "file"));
	release(watch, &told);
}
END_TEST

START_TEST(added_twice)
{
	struct told told;
	struct watch *watch = watch_directory(&told, "dir");
	int dir = open_directory("dir");

	ck_assert_int_eq(watch_add(watch, dir), told.wd);
	close(dir);
	watch_remove(watch, told.wd);
	apply(WRITE, "dir/file", NULL);
	watch_drain(watch);
	ck_assert(was_told(&told, "file"));
	watch_remove(watch, told.wd);
	forget(&told);
	apply(WRITE, "dir/file", NULL);
	watch_drain(watch);
	ck_assert_int_eq(told.events, 0);
	release(watch, &told);
}
END_TEST

/* What was told before is nobody's any more. */
START_TEST(removed_before_it_was_told)
{
	struct told told;
	struct watch *watch = watch_directory(&told, "dir");

	apply(WRITE, "dir/file", NULL);
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
		dir = open_directory(path);
		wds[i] = watch_add(watch, dir);
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
	struct watch *watch = watch_directory(&told, "dir");

	if (limit < 0 || limit > 1000000) {
		suite_skipped("more_than_the_queue_holds: max_queued_events is %ld, nobody would wait for that", limit);
		limit = 0;
	}
	for (long i = 0; limit > 0 && i < limit + 10; i++)
		ck_assert_int_eq(fchmodat(tree.fd, i % 2 != 0 ? "dir/file" : "dir/second", i % 4 < 2 ? 0600 : 0644, 0), 0);
	watch_drain(watch);
	ck_assert_int_eq(told.overflows > 0, limit > 0);
	forget(&told);
	apply(WRITE, "dir/file", NULL);
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
	if (watch_add(watch, dir) != -ENOSPC)
		return 2;
	watch_drain(watch);
	watch_remove(watch, 1);
	close(last);
	if (watch_add(watch, dir) < 0)
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
	first = watch_add(watch, dir);
	if (first < 0)
		return 1;
	if (watch_add(watch, dir) != first)
		return 2;
	if (watch_add(watch, tree.fd) != -ENOSPC)
		return 3;
	watch_remove(watch, first);
	if (watch_add(watch, tree.fd) != -ENOSPC)
		return 4;
	watch_remove(watch, first);
	if (watch_add(watch, tree.fd) < 0)
		return 5;
	watch_free(watch);
	return 0;
}

START_TEST(no_watch_left)
{
	tree_in_namespace("no_watch_left", try_without_watches);
}
END_TEST

START_TEST(not_a_directory)
{
	struct told told = { 0 };
	struct watch *watch = watch_new(take_event, &told);
	int fd = openat(tree.fd, "dir/file", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(watch_add(watch, fd), -ENOTDIR);
	close(fd);
	ck_assert_int_lt(watch_add(watch, fd), 0);
	watch_free(watch);
}
END_TEST

Suite *
watch_suite(void)
{
	Suite *suite = suite_create("watch");

	suite_add_case(suite, each_change, ROWS(changes), setup, teardown);
	suite_add_case(suite, nothing_watched, 1, setup, teardown);
	suite_add_case(suite, deleted_and_made_again, 1, setup, teardown);
	suite_add_case(suite, moved_and_still_watched, 1, setup, teardown);
	suite_add_case(suite, added_twice, 1, setup, teardown);
	suite_add_case(suite, removed_before_it_was_told, 1, setup, teardown);
	suite_add_case(suite, many_directories, 1, setup, teardown);
	suite_add_case(suite, more_than_the_queue_holds, 1, setup, teardown);
	suite_add_case(suite, no_instance_left, 1, setup, teardown);
	suite_add_case(suite, no_watch_left, 1, setup, teardown);
	suite_add_case(suite, not_a_directory, 1, setup, teardown);
	return suite;
}
