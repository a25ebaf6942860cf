/* The cache directory: what is written is found, with the rights that are wanted, and nothing else is. */
#include "fs/blobdir.h"

#include "fs/cachedir.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *blobdir_suite(void);

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

START_TEST(written_and_opened)
{
	struct blobdir writer, reader;
	struct hash key = key_of(1);
	int64_t length = -1, bytes;
	const char *path;

	blobdir_init(&writer, top, false, BUDGET);
	blobdir_init(&reader, top, false, BUDGET);
	ck_assert_int_eq(blobdir_open(&reader, key, &length), -ENOENT);
	check_content(blobdir_write(&writer, key, S("bytes")), "bytes");
	check_content(blobdir_open(&reader, key, &length), "bytes");
	ck_assert_int_eq(length, 5);
	/* Written again, and an empty one. */
	check_content(blobdir_write(&writer, key, S("bytes")), "bytes");
	check_content(blobdir_write(&writer, key_of(2), S("")), "");
	check_content(blobdir_open(&reader, key_of(2), &length), "");
	ck_assert_int_eq(length, 0);
	ck_assert_int_eq(blobdir_open(&reader, key_of(3), &length), -ENOENT);
	ck_assert_int_eq(count_files(&reader, &bytes), 2);
	ck_assert_int_eq(blobdir_complaint(&writer, &path), 0);
	ck_assert_int_eq(blobdir_complaint(&reader, &path), 0);
	blobdir_release(&writer);
	blobdir_release(&reader);
}
END_TEST

START_TEST(none_configured)
{
	struct blobdir dir;
	int64_t length;
	const char *path;

	blobdir_init(&dir, NULL, false, BUDGET);
	ck_assert_int_eq(blobdir_write(&dir, key_of(1), S("bytes")), -ENOENT);
	ck_assert_int_eq(blobdir_open(&dir, key_of(1), &length), -ENOENT);
	ck_assert_int_eq(blobdir_complaint(&dir, &path), 0);
	blobdir_release(&dir);
}
END_TEST

/* The rights are those that the front needs, or nobody's, whatever the umask. */
START_TEST(rights)
{
	static const mode_t masks[] = { 0, 022, 027, 077 };
	bool for_front = _i % 2 != 0;
	struct blobdir dir;
	struct stat st;

	umask(masks[_i / 2]);
	blobdir_init(&dir, top, for_front, BUDGET);
	check_content(blobdir_write(&dir, key_of(1), S("bytes")), "bytes");
	ck_assert_int_eq(fstatat(tree.fd, "cache", &st, 0), 0);
	ck_assert_int_eq(st.st_mode & 0777, for_front ? 0755 : 0700);
	ck_assert_int_eq(fstat(dir.fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, for_front ? 0755 : 0700);
	ck_assert_int_eq(fstatat(tree.fd, path_of(&tree, &dir, key_of(1)), &st, 0), 0);
	ck_assert_int_eq(st.st_mode & 0777, for_front ? 0644 : 0600);
	blobdir_release(&dir);
}
END_TEST

/* A link under the name of a key is neither read nor written through. */
START_TEST(link_under_a_key)
{
	struct blobdir dir;
	struct stat st;
	int64_t length;
	char path[256];

	tree_file(&tree, "secret", "secret");
	blobdir_init(&dir, top, false, BUDGET);
	check_content(blobdir_write(&dir, key_of(1), S("bytes")), "bytes");
	snprintf(path, sizeof(path), "%s", path_of(&tree, &dir, key_of(2)));
	tree_link_absolute(&tree, path, "/secret");
	ck_assert_int_lt(blobdir_open(&dir, key_of(2), &length), 0);
	check_content(blobdir_write(&dir, key_of(2), S("bytes")), "bytes");
	ck_assert_int_eq(fstatat(tree.fd, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	ck_assert(S_ISREG(st.st_mode));
	check_content(openat(tree.fd, "secret", O_RDONLY | O_CLOEXEC), "secret");
	blobdir_release(&dir);
}
END_TEST

START_TEST(no_file_under_a_key)
{
	struct blobdir dir;
	int64_t length;

	blobdir_init(&dir, top, false, BUDGET);
	ck_assert_int_eq(blobdir_open(&dir, key_of(1), &length), -ENOENT);
	tree_fifo(&tree, path_of(&tree, &dir, key_of(1)));
	tree_directory(&tree, path_of(&tree, &dir, key_of(2)), 0700);
	ck_assert_int_lt(blobdir_open(&dir, key_of(1), &length), 0);
	ck_assert_int_lt(blobdir_open(&dir, key_of(2), &length), 0);
	ck_assert_int_lt(blobdir_write(&dir, key_of(2), S("bytes")), 0);
	check_content(blobdir_write(&dir, key_of(1), S("bytes")), "bytes");
	blobdir_release(&dir);
}
END_TEST

START_TEST(too_large)
{
	static char block[BUDGET];
	struct blobdir dir;
	const char *path;
	int64_t bytes;

	blobdir_init(&dir, top, false, BUDGET);
	ck_assert_int_eq(blobdir_write(&dir, key_of(1), (struct str){ block, BUDGET / 2 + 1 }), -ENOENT);
	close(blobdir_write(&dir, key_of(1), (struct str){ block, BUDGET / 2 }));
	ck_assert_int_eq(count_files(&dir, &bytes), 1);
	ck_assert_int_eq(blobdir_complaint(&dir, &path), 0);
	blobdir_release(&dir);
}
END_TEST

Suite *
blobdir_suite(void)
{
	Suite *suite = suite_create("blobdir");

	suite_add_case(suite, written_and_opened, 1, setup, teardown);
	suite_add_case(suite, none_configured, 1, setup, teardown);
	suite_add_case(suite, rights, 8, setup, teardown);
	suite_add_case(suite, link_under_a_key, 1, setup, teardown);
	suite_add_case(suite, no_file_under_a_key, 1, setup, teardown);
	suite_add_case(suite, too_large, 1, setup, teardown);
	return suite;
}
