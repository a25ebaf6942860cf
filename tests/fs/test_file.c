/* What is known of an open file. */
#include "fs/file.h"

#include "fs/tree.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

Suite *file_suite(void);

static struct tree tree;

static void
setup(void)
{
	tree_make(&tree);
	tree_directory(&tree, "dir", 0755);
	tree_file(&tree, "empty", "");
	tree_file(&tree, "file", "twelve bytes");
	tree_file(&tree, "old", "x");
	tree_fifo(&tree, "fifo");
	tree_socket(&tree, "socket");
	tree_link(&tree, "zero", "/dev/zero");
	tree_time(&tree, "file", 784111777, 123456789);
	tree_time(&tree, "old", -2, 500000000);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

static const struct {
	const char *path;
	int error;
	enum file_kind kind;
	int64_t size;
	int64_t mtime; /* 0: not looked at */
} opened[] = {
	{ "/file", 0, FILE_REGULAR, 12, 784111777123456789 },
	{ "/empty", 0, FILE_REGULAR, 0, 0 },
	{ "/old", 0, FILE_REGULAR, 1, -1500000000 },
	{ "/dir", 0, FILE_DIRECTORY, 0, 0 },
	{ "/", 0, FILE_DIRECTORY, 0, 0 },
	{ "/fifo", 0, FILE_OTHER, 0, 0 },
	{ "/zero", 0, FILE_OTHER, 0, 0 },
	{ "/socket", -ENOENT, FILE_OTHER, 0, 0 },
	{ "/missing", -ENOENT, FILE_OTHER, 0, 0 },
};

START_TEST(opened_and_looked_at)
{
	struct file file = { .fd = 77 };
	struct root root;
	struct stat st;

	ck_assert_int_eq(root_open(&root, tree.path, SYMLINKS_FOLLOW), 0);
	ck_assert_int_eq(file_open(&file, &root, str_from(opened[_i].path)), opened[_i].error);
	if (opened[_i].error != 0) {
		ck_assert_int_eq(file.fd, -1);
	} else {
		ck_assert_int_eq(fstat(file.fd, &st), 0);
		ck_assert_int_eq(file.kind, opened[_i].kind);
		ck_assert_int_eq(file.size, opened[_i].size);
		if (opened[_i].mtime != 0)
			ck_assert_int_eq(file.mtime, opened[_i].mtime);
		ck_assert(file.inode == st.st_ino && file.device == st.st_dev);
		ck_assert_int_eq(file.ctime, file_nanoseconds(&st.st_ctim));
	}
	file_close(&file);
	ck_assert_int_eq(file.fd, -1);
	file_close(&file);
	root_close(&root);
}
END_TEST

/* A time that was set back shows in the inode's own. */
START_TEST(ctime_moves)
{
	struct file before, after;
	struct root root;

	ck_assert_int_eq(root_open(&root, tree.path, SYMLINKS_FOLLOW), 0);
	ck_assert_int_eq(file_open(&before, &root, S("/file")), 0);
	usleep(20000);
	tree_append(&tree, "file", "");
	tree_time(&tree, "file", 784111777, 123456789);
	ck_assert_int_eq(file_open(&after, &root, S("/file")), 0);
	ck_assert_int_eq(after.mtime, before.mtime);
	ck_assert_int_gt(after.ctime, before.ctime);
	file_close(&before);
	file_close(&after);
	root_close(&root);
}
END_TEST

static const struct {
	struct timespec time;
	int64_t wanted;
} times[] = {
	{ { 0, 0 }, 0 },
	{ { 0, 1 }, 1 },
	{ { 1, 0 }, 1000000000 },
	{ { -1, 999999999 }, -1 },
	{ { -1, 0 }, -1000000000 },
	{ { 9223372036, 854775807 }, INT64_MAX },
	{ { 9223372036, 854775808 }, INT64_MAX },
	{ { 9223372037, 0 }, INT64_MAX },
	{ { INT64_MAX, 999999999 }, INT64_MAX },
	{ { -9223372037, 145224192 }, INT64_MIN },
	{ { -9223372037, 145224193 }, INT64_MIN + 1 },
	{ { -9223372037, 0 }, INT64_MIN },
	{ { INT64_MIN, 0 }, INT64_MIN },
};

START_TEST(nanoseconds)
{
	ck_assert_int_eq(file_nanoseconds(&times[_i].time), times[_i].wanted);
}
END_TEST

/* In a tree whose "closed" nobody but its owner may write in, and as one who is not. */
static const struct {
	const char *path;
	int error;
} names[] = {
	{ "open/new", 0 }, { "open/new/", 0 }, { "open//new", 0 }, { "open/file", 0 }, { "open/none/new", ENOENT },
	{ "open/file/new", ENOTDIR }, { "open/link/new", 0 }, { "closed/new", EACCES }, { "shut/new", EACCES },
};

static int
try_names(void)
{
	char path[PATH_MAX];

	for (int i = 0; i < ROWS(names); i++) {
		tree_path(&tree, names[i].path, path);
		if (file_may_be_made(path) != -names[i].error)
			return i + 1;
	}
	if (chdir("/") != 0 || file_may_be_made("new") != -EACCES || file_may_be_made("/new") != -EACCES)
		return 98;
	tree_path(&tree, "open", path);
	return chdir(path) == 0 && file_may_be_made("new") == 0 && file_may_be_made("new/") == 0 ? 0 : 99;
}

START_TEST(what_may_be_made)
{
	tree_directory(&tree, "open", 0777);
	tree_directory(&tree, "closed", 0555);
	tree_directory(&tree, "shut", 0222);
	tree_file(&tree, "open/file", "");
	tree_link(&tree, "open/link", "../open");
	ck_assert_int_eq(tree_without_privilege(try_names), 0);
}
END_TEST

Suite *
file_suite(void)
{
	Suite *suite = suite_create("file");
	TCase *on_disk = tcase_create("opened_and_looked_at");

	tcase_add_unchecked_fixture(on_disk, setup, teardown);
	tcase_add_loop_test(on_disk, opened_and_looked_at, 0, ROWS(opened));
	tcase_add_test(on_disk, ctime_moves);
	tcase_add_test(on_disk, what_may_be_made);
	suite_add_tcase(suite, on_disk);
	suite_add_rows(suite, nanoseconds, times);
	return suite;
}
