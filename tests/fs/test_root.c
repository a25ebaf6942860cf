/* What can be opened below a root, under each policy, with openat2 and by the walk. */
#include "fs/root.h"

#include "fs/rooted.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *root_suite(void);

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

			open_variant(&tree, &root, (enum symlink_policy)policy, variant);
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

		open_variant(&tree, &root, (enum symlink_policy)(variant / 4), variant % 4);
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

		open_variant(&tree, &root, SYMLINKS_WITHIN_ROOT, variant);
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

			open_variant(&tree, &root, (enum symlink_policy)(variant / 4), variant % 4);
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

Suite *
root_suite(void)
{
	Suite *suite = suite_create("root");

	suite_add_shared_case(suite, opened_as_the_policy_says, ROWS(opened), setup, teardown);
	suite_add_shared_case(suite, flags_are_kept, ROWS(flagged), setup, teardown);
	suite_add_shared_case(suite, path_itself, 1, setup, teardown);
	suite_add_shared_case(suite, root_of_all, 1, setup, teardown);
	suite_add_shared_case(suite, what_may_not_be_read, 1, setup, teardown);
	return suite;
}
