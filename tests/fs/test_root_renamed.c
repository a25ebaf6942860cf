/* The root itself: which directory it is, and what is opened while others rename. */
#include "fs/root.h"

#include "fs/rooted.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *root_renamed_suite(void);

static struct tree tree;

static void
setup(void)
{
	rooted_make(&tree);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

START_TEST(root_itself)
{
	struct root root;
	char path[PATH_MAX];

	tree_path(&tree, "missing", path);
	ck_assert_int_eq(root_open(&root, path, SYMLINKS_FOLLOW), -ENOENT);
	root_close(&root);
	tree_path(&tree, "secret", path);
	ck_assert_int_eq(root_open(&root, path, SYMLINKS_FOLLOW), -ENOTDIR);
	root_close(&root);
	root = (struct root){ 0 };
	root_close(&root);
	ck_assert_int_ge(fcntl(0, F_GETFD), 0);
}
END_TEST

/* Which directory it is, by whatever name; and whether a name still leads to it. */
START_TEST(which_directory)
{
	char door[PATH_MAX], itself[PATH_MAX], missing[PATH_MAX];
	struct root root;
	struct stat st;

	tree_path(&tree, "door", door);
	tree_path(&tree, "root", itself);
	tree_path(&tree, "missing", missing);
	ck_assert_int_eq(fstatat(tree.fd, "root", &st, 0), 0);
	for (int variant = 0; variant < 4; variant++) {
		open_variant(&tree, &root, SYMLINKS_FOLLOW, variant);
		ck_assert(root.device == st.st_dev && root.inode == st.st_ino);
		ck_assert(root_is_current(&root, door));
		ck_assert(root_is_current(&root, itself));
		ck_assert(!root_is_current(&root, missing));
		ck_assert(!root_is_current(&root, "/"));
		ck_assert_int_eq(symlinkat("rootx", tree.fd, "new"), 0);
		ck_assert_int_eq(renameat(tree.fd, "new", tree.fd, "door"), 0);
		ck_assert(!root_is_current(&root, door));
		ck_assert(root_is_current(&root, itself));
		ck_assert_int_eq(unlinkat(tree.fd, "door", 0), 0);
		ck_assert(!root_is_current(&root, door));
		tree_link(&tree, "door", "root");
		ck_assert(root_is_current(&root, door));
		root_close(&root);
	}
}
END_TEST

/* The same directory, and below it what the open one does not see. */
static int
mount_on_itself(void)
{
	char path[PATH_MAX];
	struct root root;

	tree_path(&tree, "root", path);
	if (unshare(CLONE_NEWNS) != 0 || root_open(&root, path, SYMLINKS_FOLLOW) != 0)
		return 1;
	ck_assert(root_is_current(&root, path));
	if (mount(path, path, NULL, MS_BIND, NULL) != 0) {
		suite_skipped("mounted_on_itself: nothing can be mounted: %s", strerror(errno));
		return 0;
	}
	ck_assert(!root_is_current(&root, path));
	root_close(&root);
	ck_assert_int_eq(root_open(&root, path, SYMLINKS_FOLLOW), 0);
	ck_assert(root_is_current(&root, path));
	ck_assert_int_eq(umount2(path, MNT_DETACH), 0);
	ck_assert(!root_is_current(&root, path));
	root_close(&root);
	return 0;
}

START_TEST(mounted_on_itself)
{
	tree_in_namespace("mounted_on_itself", mount_on_itself);
}
END_TEST

/* Somebody else renames all the time: links that are swapped, and directories that a ".." passes. */
static void
rename_for_ever(void)
{
	for (unsigned i = 0;; i++) {
		const char *target = i % 2 != 0 ? "/root/dir/inner" : "/root/file";
		char path[PATH_MAX + 32];

		snprintf(path, sizeof(path), "%s%s", tree.path, target);
		unlinkat(tree.fd, "new", 0);
		if (symlinkat(path, tree.fd, "new") != 0 || renameat(tree.fd, "new", tree.fd, "root/swapped") != 0)
			_exit(1);
		renameat(tree.fd, "rootx", tree.fd, "rooty");
		renameat(tree.fd, "rooty", tree.fd, "rootx");
	}
}

START_TEST(renamed_meanwhile)
{
	pid_t child;
	int failures = 0;

	tree_link_absolute(&tree, "root/swapped", "/root/file");
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		rename_for_ever();
	for (int i = 0; i < 1000; i++) {
		struct root root;
		char got[64];

		open_variant(&tree, &root, SYMLINKS_WITHIN_ROOT, i % 4);
		describe(got, root_open_below(&root, S("/swapped"), O_RDONLY));
		failures += strcmp(got, "file") != 0 && strcmp(got, "inner") != 0;
		describe(got, root_open_below(&root, S("/dir/back"), O_RDONLY));
		failures += strcmp(got, "file") != 0;
		root_close(&root);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert_int_eq(failures, 0);
}
END_TEST

Suite *
root_renamed_suite(void)
{
	Suite *suite = suite_create("root_renamed");

	suite_add_shared_case(suite, root_itself, 1, setup, teardown);
	suite_add_shared_case(suite, which_directory, 1, setup, teardown);
	suite_add_shared_case(suite, mounted_on_itself, 1, setup, teardown);
	suite_add_shared_case(suite, renamed_meanwhile, 1, setup, teardown);
	return suite;
}
