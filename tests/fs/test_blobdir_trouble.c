/* The cache directory where it is not to be trusted, not to be written, or full: it is not used, and that is said once. */
#include "fs/blobdir.h"

#include "fs/cachedir.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *blobdir_trouble_suite(void);

static struct tree tree;
static char top[PATH_MAX]; /* "cache" in the tree, not there yet */

static void
setup(void)
{
	tree_make(&tree);
	tree_path(&tree, "cache", top);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

/* Not used, and said once why. */
static void
check_refused(struct blobdir *dir, int error)
{
	int64_t length;
	const char *path = NULL;

	ck_assert_int_eq(blobdir_complaint(dir, &path), 0);
	ck_assert_int_lt(blobdir_write(dir, key_of(1), S("bytes")), 0);
	ck_assert_int_lt(blobdir_open(dir, key_of(1), &length), 0);
	ck_assert_int_eq(blobdir_complaint(dir, &path), error);
	ck_assert_str_eq(path, dir->path);
	ck_assert_int_lt(blobdir_write(dir, key_of(1), S("bytes")), 0);
	ck_assert_int_eq(blobdir_complaint(dir, &path), 0);
	blobdir_release(dir);
}

static void
make_nothing(void)
{
	strcat(top, "/deeper");
}

static void
make_file(void)
{
	tree_file(&tree, "cache", "");
}

static void
make_link(void)
{
	tree_directory(&tree, "real", 0700);
	tree_link(&tree, "cache", "real");
}

static void
make_group_writable(void)
{
	tree_directory(&tree, "cache", 0770);
}

static void
make_public(void)
{
	tree_directory(&tree, "cache", 01777);
}

static const struct {
	void (*make)(void);
	int error;
} refused[] = {
	{ make_nothing, ENOENT },
	{ make_file, ENOTDIR },
	{ make_link, ENOTDIR },
	{ make_group_writable, EPERM },
	{ make_public, EPERM },
};

START_TEST(not_trusted)
{
	struct blobdir dir;

	refused[_i].make();
	ck_assert_int_eq(blobdir_check(top), -refused[_i].error);
	blobdir_init(&dir, top, false, BUDGET);
	check_refused(&dir, refused[_i].error);
}
END_TEST

/* To be made, and there already: looked at, and nothing is made of it. */
START_TEST(looked_at)
{
	ck_assert_int_eq(blobdir_check(top), 0);
	ck_assert_int_ne(access(top, F_OK), 0);
	tree_directory(&tree, "cache", 0700);
	ck_assert_int_eq(blobdir_check(top), 0);
	ck_assert_int_eq(rmdir(top), 0);
}
END_TEST

/* Made as root, tried as nobody. */
static int
try_others(void)
{
	struct blobdir dir;
	int64_t length;
	const char *path;

	if (blobdir_check(top) != -EPERM)
		return 3;
	blobdir_init(&dir, top, false, BUDGET);
	if (blobdir_write(&dir, key_of(1), S("bytes")) >= 0 || blobdir_open(&dir, key_of(1), &length) >= 0)
		return 1;
	if (blobdir_complaint(&dir, &path) != EPERM || blobdir_complaint(&dir, &path) != 0)
		return 2;
	return 0;
}

START_TEST(somebody_elses)
{
	if (geteuid() != 0) {
		suite_skipped("somebody_elses: only root can make a directory that is somebody else's");
		return;
	}
	tree_directory(&tree, "cache", 0755);
	ck_assert_int_eq(tree_without_privilege(try_others), 0);
}
END_TEST

static int
try_read_only(void)
{
	struct blobdir dir;
	const char *path;

	tree_path(&tree, "open/cache", top);
	if (mkdir(top, 0500) != 0)
		return 1;
	if (blobdir_check(top) != -EACCES)
		return 4;
	blobdir_init(&dir, top, false, BUDGET);
	if (blobdir_write(&dir, key_of(1), S("bytes")) >= 0)
		return 2;
	return blobdir_complaint(&dir, &path) == EACCES ? 0 : 3;
}

START_TEST(not_writable)
{
	tree_directory(&tree, "open", 0777);
	ck_assert_int_eq(tree_without_privilege(try_read_only), 0);
}
END_TEST

static void
move_away(void)
{
	ck_assert_int_eq(renameat(tree.fd, "cache", tree.fd, "moved"), 0);
}

static void
replace(void)
{
	move_away();
	tree_directory(&tree, "cache", 0700);
}

static void
take_away(void)
{
	tree_take_away(&tree, "cache");
}

static const struct {
	void (*happen)(void);
	bool for_front;
} events[] = {
	{ move_away, false },
	{ move_away, true },
	{ replace, false },
	{ replace, true },
	{ take_away, false },
	{ take_away, true },
};

/* No path into it is told any more, and it is made anew. */
START_TEST(gone_while_it_is_used)
{
	struct blobdir dir;
	struct buf path;
	const char *tried;
	int64_t length;
	int fd;

	buf_init(&path, PATH_MAX);
	blobdir_init(&dir, top, events[_i].for_front, BUDGET);
	fd = blobdir_write(&dir, key_of(1), S("bytes"));
	ck_assert(blobdir_touch(&dir, key_of(1), fd));
	events[_i].happen();
	ck_assert(!blobdir_touch(&dir, key_of(1), fd));
	close(fd);
	ck_assert_int_eq(blobdir_open(&dir, key_of(1), &length), -ENOENT);
	fd = blobdir_write(&dir, key_of(1), S("bytes"));
	ck_assert_int_ge(fd, 0);
	ck_assert(blobdir_touch(&dir, key_of(1), fd));
	blobdir_path(&dir, key_of(1), &path);
	ck_assert_int_eq(access(buf_cstr(&path), F_OK), 0);
	check_content(fd, "bytes");
	ck_assert_int_eq(blobdir_complaint(&dir, &tried), 0);
	blobdir_release(&dir);
	buf_release(&path);
}
END_TEST

/* Each write fails half way: nothing may be left of it, and what is there is still served. */
START_TEST(no_room_for_a_file)
{
	const struct rlimit limit = { 100, 100 };
	static char block[1000];
	struct blobdir dir;
	int64_t length, bytes;
	const char *path = NULL;

	blobdir_init(&dir, top, false, BUDGET);
	check_content(blobdir_write(&dir, key_of(1), S("bytes")), "bytes");
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(blobdir_write(&dir, key_of(2), (struct str){ block, sizeof(block) }), -EFBIG);
	ck_assert_int_eq(blobdir_open(&dir, key_of(2), &length), -ENOENT);
	check_content(blobdir_open(&dir, key_of(1), &length), "bytes");
	ck_assert_int_eq(count_files(&dir, &bytes), 1);
	ck_assert_int_eq(blobdir_complaint(&dir, &path), EFBIG);
	ck_assert_int_eq(blobdir_complaint(&dir, &path), 0);
	/* A smaller one still fits. */
	check_content(blobdir_write(&dir, key_of(3), S("three")), "three");
	blobdir_release(&dir);
}
END_TEST

static int
try_full(void)
{
	static char block[16384];
	struct blobdir dir;
	int64_t length, bytes;
	const char *path;
	struct buf name;
	int written = 0, error;

	buf_init(&name, 100);
	blobdir_init(&dir, top, false, (int64_t)1 << 30);
	while ((error = blobdir_write(&dir, key_of((unsigned)written), (struct str){ block, sizeof(block) })) >= 0)
		written++, close(error);
	if (error != -ENOSPC || written == 0)
		return 1;
	if (blobdir_open(&dir, key_of(0), &length) < 0 || length != sizeof(block))
		return 2;
	if (count_files(&dir, &bytes) != written)
		return 3;
	/* It is not tried with every page from now on. */
	hash_format(&name, key_of(1));
	if (unlinkat(dir.fd, buf_cstr(&name), 0) != 0)
		return 5;
	buf_release(&name);
	if (blobdir_write(&dir, key_of(1), S("small")) != -ENOSPC)
		return 6;
	dir.full_until = 0;
	if ((error = blobdir_write(&dir, key_of(1), S("small"))) < 0)
		return 7;
	close(error);
	return blobdir_complaint(&dir, &path) == ENOSPC && blobdir_complaint(&dir, &path) == 0 ? 0 : 4;
}

static int
try_read_only_mount(void)
{
	struct blobdir dir;
	int64_t length;
	const char *path;

	/* The directory of this boot is there from the test before. */
	if (mount(NULL, top, NULL, MS_REMOUNT | MS_RDONLY, "") != 0)
		return 10;
	blobdir_init(&dir, top, false, (int64_t)1 << 30);
	if (blobdir_open(&dir, key_of(0), &length) < 0)
		return 11;
	if (blobdir_write(&dir, key_of(99), S("bytes")) != -EROFS)
		return 12;
	return blobdir_complaint(&dir, &path) == EROFS ? 0 : 13;
}

/* On a small disk of its own. */
static int
try_small_disk(void)
{
	int result;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", top, "tmpfs", 0, "size=128k,mode=700") != 0) {
		suite_skipped("full_disk: no disk of its own: %s", strerror(errno));
		return 0;
	}
	result = try_full();
	return result != 0 ? result : try_read_only_mount();
}

START_TEST(full_disk)
{
	tree_directory(&tree, "cache", 0700);
	tree_in_namespace("full_disk", try_small_disk);
}
END_TEST

Suite *
blobdir_trouble_suite(void)
{
	Suite *suite = suite_create("blobdir_trouble");

	suite_add_case(suite, not_trusted, ROWS(refused), setup, teardown);
	suite_add_case(suite, looked_at, 1, setup, teardown);
	suite_add_case(suite, somebody_elses, 1, setup, teardown);
	suite_add_case(suite, not_writable, 1, setup, teardown);
	suite_add_case(suite, gone_while_it_is_used, ROWS(events), setup, teardown);
	suite_add_case(suite, no_room_for_a_file, 1, setup, teardown);
	suite_add_case(suite, full_disk, 1, setup, teardown);
	return suite;
}
