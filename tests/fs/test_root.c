/* What can be opened below a root, under each policy, with openat2 and by the walk. */
#include "fs/root.h"

#include "fs/tree.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *root_suite(void);

static struct tree tree;

#define D10 "d/d/d/d/d/d/d/d/d/d/"
#define D60 D10 D10 D10 D10 D10 D10

static void
make_links(void)
{
	tree_link(&tree, "root/dir/back", "../file");
	tree_link(&tree, "root/to_dir", "dir");
	tree_link(&tree, "root/two", "to_dir/back");
	tree_link(&tree, "root/dot", ".");
	tree_link(&tree, "root/up", "..");
	tree_link(&tree, "root/climb", "../root/dir/inner");
	tree_link(&tree, "root/climb_out", "../secret");
	tree_link(&tree, "root/climb_prefix", "../rootx/file");
	tree_link(&tree, "root/loop", "loop");
	tree_link(&tree, "root/loop_a", "loop_b");
	tree_link(&tree, "root/loop_b", "loop_a");
	tree_link(&tree, "root/dangling", "nowhere");
	tree_link(&tree, "root/zero", "/dev/zero");
	tree_link(&tree, "root/system", "/");
	tree_link(&tree, "root/magic", "/proc/self/exe");
	tree_link_absolute(&tree, "root/abs_in", "/root/dir/inner");
	tree_link_absolute(&tree, "root/abs_dir", "/root/dir");
	tree_link_absolute(&tree, "root/abs_root", "/root");
	tree_link_absolute(&tree, "root/abs_fifo", "/root/fifo");
	tree_link_absolute(&tree, "root/abs_out", "/secret");
	tree_link_absolute(&tree, "root/abs_prefix", "/rootx/file");
	tree_link_absolute(&tree, "root/abs_dangling", "/nowhere");
	tree_link_absolute(&tree, "root/through_door", "/door/dir/inner");
	tree_link_absolute(&tree, "root/abs_locked", "/root/locked/inner");
	tree_link_absolute(&tree, "root/abs_vault", "/vault/inner");
	tree_link(&tree, "door", "root");
}

static void
setup(void)
{
	char deep[sizeof("root/" D60)] = "root/";

	tree_make(&tree);
	tree_directory(&tree, "root", 0755);
	tree_directory(&tree, "rootx", 0755);
	tree_directory(&tree, "vault", 0755);
	tree_directory(&tree, "root/dir", 0755);
	tree_directory(&tree, "root/locked", 0755);
	tree_file(&tree, "secret", "secret");
	tree_file(&tree, "rootx/file", "prefix");
	tree_file(&tree, "vault/inner", "vault");
	tree_file(&tree, "root/file", "file");
	tree_file(&tree, "root/closed", "closed");
	tree_file(&tree, "root/dir/inner", "inner");
	tree_file(&tree, "root/locked/inner", "locked");
	tree_file(&tree, "root/" ANY_BYTES, "bytes");
	tree_file(&tree, "root/" N255, "long");
	tree_fifo(&tree, "root/fifo");
	tree_socket(&tree, "root/socket");
	for (size_t i = 0; i < sizeof(D60) / 2; i++) {
		strcat(deep, "d/");
		tree_directory(&tree, deep, 0755);
	}
	tree_file(&tree, "root/" D60 "file", "deep");
	make_links();
	ck_assert_int_eq(fchmodat(tree.fd, "root/closed", 0, 0), 0);
	ck_assert_int_eq(fchmodat(tree.fd, "root/locked", 0700, 0), 0);
	ck_assert_int_eq(fchmodat(tree.fd, "vault", 0700, 0), 0);
	if (geteuid() != 0) {
		ck_assert_int_eq(fchmodat(tree.fd, "root/locked", 0600, 0), 0);
		ck_assert_int_eq(fchmodat(tree.fd, "vault", 0600, 0), 0);
	}
}

static void
teardown(void)
{
	tree_remove(&tree);
}

/* Opens the root by its own name or through a link, with openat2 or without. */
static void
open_variant(struct root *root, enum symlink_policy policy, int variant)
{
	tree_open_root(&tree, (variant & 1) != 0 ? "door" : "root", root, policy);
	if ((variant & 2) != 0)
		root_force_walk(root);
}

/* What was opened: "DIR", "OTHER", a file's content, or "ENOENT" and the like. */
static void
describe(char text[64], int fd)
{
	struct stat st;

	if (fd < 0) {
		snprintf(text, 64, "%s", strerrorname_np(-fd));
		return;
	}
	ck_assert_int_eq(fstat(fd, &st), 0);
	if (S_ISREG(st.st_mode)) {
		ssize_t len = read(fd, text, 63);

		ck_assert_int_ge(len, 0);
		text[len] = '\0';
	} else {
		strcpy(text, S_ISDIR(st.st_mode) ? "DIR" : "OTHER");
	}
	close(fd);
}

#define GONE "ENOENT"

static const struct {
	const char *path;
	const char *within, *follow, *refuse;
} opened[] = {
	{ "/", "DIR", "DIR", "DIR" },
	{ "", "DIR", "DIR", "DIR" },
	{ "///", "DIR", "DIR", "DIR" },
	{ ".", "DIR", "DIR", "DIR" },
	{ "/file", "file", "file", "file" },
	{ "file", "file", "file", "file" },
	{ "/file/", "file", "file", "file" },
	{ "//dir///inner", "inner", "inner", "inner" },
	{ "/dir/./inner", "inner", "inner", "inner" },
	{ "/dir/", "DIR", "DIR", "DIR" },
	{ "/" D60 "file", "deep", "deep", "deep" },
	{ "/" ANY_BYTES, "bytes", "bytes", "bytes" },
	{ "/" N255, "long", "long", "long" },
	{ "/" N255 "n", GONE, GONE, GONE },
	{ "/missing", GONE, GONE, GONE },
	{ "/missing/file", GONE, GONE, GONE },
	{ "/file/file", GONE, GONE, GONE },
	{ "/file/file/file", GONE, GONE, GONE },

	/* ".." never, wherever it leads */
	{ "..", GONE, GONE, GONE },
	{ "/../secret", GONE, GONE, GONE },
	{ "/dir/..", GONE, GONE, GONE },
	{ "/dir/../file", GONE, GONE, GONE },
	{ "/...", GONE, GONE, GONE },

	/* links that stay inside */
	{ "/dir/back", "file", "file", GONE },
	{ "/to_dir", "DIR", "DIR", GONE },
	{ "/to_dir/", "DIR", "DIR", GONE },
	{ "/to_dir/inner", "inner", "inner", GONE },
	{ "/two", "file", "file", GONE },
	{ "/dot", "DIR", "DIR", GONE },
	{ "/dot/dot/dot/file", "file", "file", GONE },
	{ "/dot/dot/dir/back", "file", "file", GONE },

	/* inside in the end */
	{ "/abs_in", "inner", "inner", GONE },
	{ "/abs_dir", "DIR", "DIR", GONE },
	{ "/abs_dir/inner", "inner", "inner", GONE },
	{ "/abs_dir/back", "file", "file", GONE },
	{ "/abs_root", "DIR", "DIR", GONE },
	{ "/abs_root/abs_root/file", "file", "file", GONE },
	{ "/climb", "inner", "inner", GONE },
	{ "/up/root/file", "file", "file", GONE },
	{ "/up/door/dir/inner", "inner", "inner", GONE },
	{ "/through_door", "inner", "inner", GONE },

	/* outside */
	{ "/up", GONE, "DIR", GONE },
	{ "/up/secret", GONE, "secret", GONE },
	{ "/abs_out", GONE, "secret", GONE },
	{ "/climb_out", GONE, "secret", GONE },
	{ "/climb_prefix", GONE, "prefix", GONE },
	{ "/abs_prefix", GONE, "prefix", GONE },
	{ "/up/rootx/file", GONE, "prefix", GONE },
	{ "/system", GONE, "DIR", GONE },
	{ "/system/etc", GONE, "DIR", GONE },
	{ "/zero", GONE, "OTHER", GONE },
	{ "/system/dev/zero", GONE, "OTHER", GONE },

	/* nowhere */
	{ "/loop", GONE, GONE, GONE },
	{ "/loop/file", GONE, GONE, GONE },
	{ "/loop_a", GONE, GONE, GONE },
	{ "/dangling", GONE, GONE, GONE },
	{ "/dangling/file", GONE, GONE, GONE },
	{ "/abs_dangling", GONE, GONE, GONE },
	{ "/abs_in/file", GONE, GONE, GONE },

	/* neither waits */
	{ "/fifo", "OTHER", "OTHER", "OTHER" },
	{ "/abs_fifo", "OTHER", "OTHER", GONE },
	{ "/socket", GONE, GONE, GONE },
};

START_TEST(opened_as_the_policy_says)
{
	const char *wanted[] = {
		[SYMLINKS_WITHIN_ROOT] = opened[_i].within,
		[SYMLINKS_FOLLOW] = opened[_i].follow,
		[SYMLINKS_REFUSE] = opened[_i].refuse,
	};
	int before = tree_next_fd();

	for (int policy = 0; policy < 3; policy++) {
		for (int variant = 0; variant < 4; variant++) {
			struct root root;
			char got[64];

			open_variant(&root, (enum symlink_policy)policy, variant);
			describe(got, root_open_below(&root, str_from(opened[_i].path), O_RDONLY));
			ck_assert_msg(strcmp(got, wanted[policy]) == 0, "%s: policy %d, variant %d: got %s, wanted %s",
			    opened[_i].path, policy, variant, got, wanted[policy]);
			root_close(&root);
		}
	}
	ck_assert_int_eq(tree_next_fd(), before);
}
END_TEST

START_TEST(path_itself)
{
	static char long_path[PATH_MAX + 100], dots[2 * PATH_MAX];
	struct root root;

	memset(long_path, 'n', sizeof(long_path));
	for (size_t i = 0; i < sizeof(dots); i++)
		dots[i] = "/."[i % 2];
	for (size_t i = 0; i < sizeof(long_path); i += 100)
		long_path[i] = '/';
	for (int variant = 0; variant < 12; variant++) {
		char got[64];

		open_variant(&root, (enum symlink_policy)(variant / 4), variant % 4);
		for (size_t len = PATH_MAX - 3; len < sizeof(long_path); len++)
			ck_assert_int_eq(root_open_below(&root, (struct str){ long_path, len }, O_PATH), -ENOENT);
		/* It is the path that counts, not how it is written. */
		describe(got, root_open_below(&root, (struct str){ dots, sizeof(dots) }, O_RDONLY));
		ck_assert_str_eq(got, "DIR");
		ck_assert_int_eq(root_open_below(&root, S("/file\0/x"), O_RDONLY), -ENOENT);
		ck_assert_int_eq(root_open_below(&root, S("/file\0"), O_RDONLY), -ENOENT);
		describe(got, root_open_below(&root, (struct str){ "/filex", 5 }, O_RDONLY));
		ck_assert_str_eq(got, "file");
		describe(got, root_open_below(&root, (struct str){ NULL, 0 }, O_RDONLY));
		ck_assert_str_eq(got, "DIR");
		root_close(&root);
	}
}
END_TEST

static const struct {
	const char *path;
	int flags;
	int wanted;  /* 0: a descriptor */
} flagged[] = {
	{ "/file", O_PATH, 0 },
	{ "/socket", O_PATH, 0 },
	{ "/fifo", O_PATH, 0 },
	{ "/abs_fifo", O_PATH, 0 },
	{ "/abs_in", O_PATH, 0 },
	{ "/abs_in", O_PATH | O_NOFOLLOW, 0 },
	{ "/dir/back", O_PATH | O_NOFOLLOW, 0 },
	{ "/dir/back", O_RDONLY | O_NOFOLLOW, 0 },
	{ "/zero", O_PATH, -ENOENT },
	{ "/abs_out", O_PATH, -ENOENT },
	{ "/loop", O_PATH, -ENOENT },
	{ "/loop", O_PATH | O_NOFOLLOW, -ENOENT },
	{ "/magic", O_PATH, -ENOENT },
	{ "/file", O_RDONLY | O_DIRECTORY, -ENOENT },
	{ "/abs_in", O_RDONLY | O_DIRECTORY, -ENOENT },
	{ "/dir", O_RDONLY | O_DIRECTORY, 0 },
	{ "/to_dir", O_RDONLY | O_DIRECTORY, 0 },
	{ "/abs_dir", O_PATH | O_DIRECTORY, 0 },
	{ "/fifo", O_WRONLY, -ENOENT },
};

START_TEST(flags_are_kept)
{
	for (int variant = 0; variant < 4; variant++) {
		struct root root;
		struct stat st;
		int fd;

		open_variant(&root, SYMLINKS_WITHIN_ROOT, variant);
		fd = root_open_below(&root, str_from(flagged[_i].path), flagged[_i].flags);
		ck_assert_int_eq(fd < 0 ? fd : 0, flagged[_i].wanted);
		if (fd >= 0) {
			ck_assert_int_eq(fstat(fd, &st), 0);
			ck_assert(!S_ISLNK(st.st_mode));
			ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
			ck_assert_int_eq(fcntl(fd, F_GETFL) & O_PATH, flagged[_i].flags & O_PATH);
			ck_assert_int_eq((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0, (flagged[_i].flags & O_PATH) == 0);
			close(fd);
		}
		root_close(&root);
	}
}
END_TEST

/* The root "/" has everything below it. */
START_TEST(root_of_all)
{
	static const char *const names[][2] = {
		{ "/root/file", "file" },
		{ "/root/abs_in", "inner" },
		{ "/root/climb_out", "secret" },
		{ "/root/loop", GONE },
	};

	for (int i = 0; i < 8; i++) {
		char path[PATH_MAX + 32], got[64];
		struct root root;

		ck_assert_int_eq(root_open(&root, "/", SYMLINKS_WITHIN_ROOT), 0);
		if (i >= 4)
			root_force_walk(&root);
		snprintf(path, sizeof(path), "%s%s", tree.path, names[i % 4][0]);
		describe(got, root_open_below(&root, str_from(path), O_RDONLY));
		ck_assert_str_eq(got, names[i % 4][1]);
		root_close(&root);
	}
}
END_TEST

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
		open_variant(&root, SYMLINKS_FOLLOW, variant);
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

static const struct {
	const char *path;
	const char *within, *follow, *refuse;
} forbidden[] = {
	{ "/closed", "EACCES", "EACCES", "EACCES" },
	{ "/locked/inner", "EACCES", "EACCES", "EACCES" },
	{ "/locked/missing", "EACCES", "EACCES", "EACCES" },
	/* That something outside may not be read must not show either. */
	{ "/abs_vault", GONE, "EACCES", GONE },
	{ "/abs_locked", GONE, "EACCES", GONE },
	{ "/file", "file", "file", "file" },
	{ "/abs_in", "inner", "inner", GONE }, /* a process that changed its user still learns physical paths */
	{ "/climb", "inner", "inner", GONE },
};

static int
try_forbidden(void)
{
	for (int i = 0; i < ROWS(forbidden); i++) {
		const char *wanted[] = {
			[SYMLINKS_WITHIN_ROOT] = forbidden[i].within,
			[SYMLINKS_FOLLOW] = forbidden[i].follow,
			[SYMLINKS_REFUSE] = forbidden[i].refuse,
		};

		for (int variant = 0; variant < 12; variant++) {
			struct root root;
			char got[64];

			open_variant(&root, (enum symlink_policy)(variant / 4), variant % 4);
			describe(got, root_open_below(&root, str_from(forbidden[i].path), O_RDONLY));
			root_close(&root);
			if (strcmp(got, wanted[variant / 4]) != 0)
				return i + 1;
		}
	}
	return 0;
}

START_TEST(what_may_not_be_read)
{
	ck_assert_int_eq(tree_without_privilege(try_forbidden), 0);
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

		open_variant(&root, SYMLINKS_WITHIN_ROOT, i % 4);
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
root_suite(void)
{
	Suite *suite = suite_create("root");

	suite_add_shared_case(suite, opened_as_the_policy_says, ROWS(opened), setup, teardown);
	suite_add_shared_case(suite, flags_are_kept, ROWS(flagged), setup, teardown);
	suite_add_shared_case(suite, path_itself, 1, setup, teardown);
	suite_add_shared_case(suite, root_of_all, 1, setup, teardown);
	suite_add_shared_case(suite, root_itself, 1, setup, teardown);
	suite_add_shared_case(suite, which_directory, 1, setup, teardown);
	suite_add_shared_case(suite, what_may_not_be_read, 1, setup, teardown);
	suite_add_shared_case(suite, renamed_meanwhile, 1, setup, teardown);
	return suite;
}
