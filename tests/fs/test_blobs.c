/* Bodies kept in memory, in files without a name, and in a directory that processes share. */
#include "fs/blobs.h"

#include "fs/tree.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *blobs_suite(void);

enum { SMALL = 1000, LARGE = 5000, MEMORY = 200000 };

static struct tree tree;
static char top[PATH_MAX];
static char block[MEMORY];

static void
setup(void)
{
	tree_make(&tree);
	tree_path(&tree, "cache", top);
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)(i * 7 + i / 256);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

static struct blobs *
make(const char *directory)
{
	const struct blobs_options options = { .directory = directory, .memory = MEMORY, .disk = 1 << 20, .small = SMALL };
	struct blobs *blobs = blobs_new(&options);

	ck_assert_ptr_nonnull(blobs);
	return blobs;
}

static struct str
bytes_of(size_t len)
{
	return (struct str){ block, len };
}

static struct hash
key_of(unsigned n)
{
	return (struct hash){ .high = 5, .low = n };
}

static void
check_blob(const struct blob *blob, size_t len)
{
	static char got[MEMORY];

	ck_assert_ptr_nonnull(blob);
	ck_assert_int_eq(blob->length, (int64_t)len);
	ck_assert((blob->bytes != NULL) != (blob->fd >= 0));
	if (blob->bytes != NULL) {
		ck_assert_int_eq(memcmp(blob->bytes, block, len), 0);
		return;
	}
	ck_assert_int_eq(pread(blob->fd, got, sizeof(got), 0), (ssize_t)len);
	ck_assert_int_eq(memcmp(got, block, len), 0);
}

static const struct {
	bool directory, shared;
	size_t len;
	bool in_memory, has_path;
	bool found_by_others;
} kept[] = {
	{ false, false, 0, true, false, false },
	{ false, false, SMALL, true, false, false },
	{ false, true, SMALL, true, false, false },
	{ false, false, SMALL + 1, false, false, false },
	{ false, true, LARGE, false, false, false },
	{ true, false, 0, true, false, false },
	{ true, false, SMALL, true, false, false },
	{ true, true, 0, true, false, true },
	{ true, true, SMALL, true, false, true },
	{ true, false, SMALL + 1, false, true, true },
	{ true, true, LARGE, false, true, true },
};

START_TEST(added_and_got)
{
	struct blobs *blobs = make(kept[_i].directory ? top : NULL), *others = make(kept[_i].directory ? top : NULL);
	struct blob *blob, *again;
	const char *path;
	int before = tree_next_fd();

	ck_assert_ptr_null(blobs_get(blobs, key_of(1)));
	blob = blobs_add(blobs, key_of(1), bytes_of(kept[_i].len), kept[_i].shared);
	check_blob(blob, kept[_i].len);
	ck_assert_int_eq(blob->bytes != NULL, kept[_i].in_memory);
	ck_assert_int_eq(blob->has_path, kept[_i].has_path);
	again = blobs_get(blobs, key_of(1));
	ck_assert_ptr_eq(again, blob);
	blob_put(blobs, again);
	again = blobs_get(others, key_of(1));
	ck_assert_int_eq(again != NULL, kept[_i].found_by_others);
	if (again != NULL) {
		check_blob(again, kept[_i].len);
		ck_assert_int_eq(again->bytes != NULL, kept[_i].in_memory);
		ck_assert_int_eq(again->has_path, kept[_i].has_path);
		blob_put(others, again);
	}
	ck_assert_ptr_null(blobs_get(others, key_of(2)));
	blob_put(blobs, blob);
	ck_assert_int_eq(blobs_complaint(blobs, &path), 0);
	blobs_free(blobs);
	blobs_free(others);
	ck_assert_int_eq(tree_next_fd(), before);
}
END_TEST

START_TEST(known_to_be_none)
{
	struct blobs *blobs = make(top), *others = make(top);
	struct blob *blob = blobs_add(blobs, key_of(1), (struct str){ NULL, 0 }, true);

	ck_assert_ptr_nonnull(blob);
	ck_assert_int_eq(blob->length, -1);
	blob_put(blobs, blob);
	blob = blobs_get(blobs, key_of(1));
	ck_assert_int_eq(blob->length, -1);
	ck_assert_int_eq(blob->fd, -1);
	ck_assert(!blob->has_path && blob->bytes == NULL);
	blob_put(blobs, blob);
	ck_assert_ptr_null(blobs_get(others, key_of(1)));
	/* Until there is one. */
	blob_put(blobs, blobs_add(blobs, key_of(1), bytes_of(LARGE), true));
	blob = blobs_get(blobs, key_of(1));
	check_blob(blob, LARGE);
	blob_put(blobs, blob);
	blobs_free(blobs);
	blobs_free(others);
}
END_TEST

/* Who has the old one keeps it as it was. */
START_TEST(added_again)
{
	struct blobs *blobs = make(_i != 0 ? top : NULL);
	struct blob *first, *second, *got;

	first = blobs_add(blobs, key_of(1), bytes_of(LARGE), true);
	second = blobs_add(blobs, key_of(1), bytes_of(LARGE + 1), true);
	got = blobs_get(blobs, key_of(1));
	ck_assert_ptr_eq(got, second);
	check_blob(first, LARGE);
	check_blob(second, LARGE + 1);
	blob_put(blobs, first);
	blob_put(blobs, second);
	blob_put(blobs, got);
	blobs_free(blobs);
}
END_TEST

START_TEST(found_by_no_key)
{
	static const size_t lengths[] = { 0, 1, SMALL, SMALL + 1, LARGE };
	struct blobs *blobs = make(top);
	struct blob *blob = blobs_make(blobs, bytes_of(lengths[_i]));
	struct stat st;

	check_blob(blob, lengths[_i]);
	ck_assert(!blob->has_path);
	ck_assert_ptr_null(blobs_get(blobs, (struct hash){ 0 }));
	ck_assert_int_lt(fstatat(tree.fd, "cache/x", &st, 0), 0);
	blobs_free(blobs);
	check_blob(blob, lengths[_i]);
	blob_put(NULL, blob);
}
END_TEST

/* What is in use when it is given up goes with its last user. */
START_TEST(evicted_while_in_use)
{
	struct blobs *blobs = make(_i % 2 != 0 ? top : NULL);
	size_t len = _i < 2 ? SMALL : LARGE;
	struct blob *first = blobs_add(blobs, key_of(0), bytes_of(len), false), *got;

	for (unsigned i = 1; i < 300; i++)
		blob_put(blobs, blobs_add(blobs, key_of(i), bytes_of(len), false));
	check_blob(first, len);
	ck_assert_uint_eq(first->uses, 1);
	got = blobs_get(blobs, key_of(0));
	ck_assert_int_eq(got != NULL, _i == 3); /* a large one of the directory is there still */
	ck_assert_ptr_ne(got, first);
	if (got != NULL)
		check_blob(got, len);
	blob_put(blobs, got);
	blob_put(blobs, first);
	blob_put(blobs, NULL);
	blobs_free(blobs);
}
END_TEST

/* 12 descriptors' worth of memory. */
START_TEST(descriptors_are_dear)
{
	struct blobs *blobs = make(_i != 0 ? top : NULL);
	int before = tree_next_fd();

	for (unsigned i = 0; i < 200; i++) {
		blob_put(blobs, blobs_add(blobs, key_of(i), bytes_of(LARGE), false));
		ck_assert_int_le(tree_next_fd(), before + 14);
	}
	blobs_free(blobs);
	ck_assert_int_eq(tree_next_fd(), before);
}
END_TEST

START_TEST(larger_than_all)
{
	struct blobs *blobs = make(_i != 0 ? top : NULL);
	struct blob *blob = blobs_add(blobs, key_of(1), bytes_of(MEMORY), true), *got;

	check_blob(blob, MEMORY);
	got = blobs_get(blobs, key_of(1));
	ck_assert_int_eq(got != NULL, _i != 0);
	blob_put(blobs, got);
	blob_put(blobs, blob);
	blobs_free(blobs);
}
END_TEST

START_TEST(no_memory_budget)
{
	const struct blobs_options options = { .small = SMALL };
	struct blobs *blobs = blobs_new(&options);
	struct blob *blob = blobs_add(blobs, key_of(1), bytes_of(10), false);

	check_blob(blob, 10);
	ck_assert_ptr_null(blobs_get(blobs, key_of(1)));
	blob_put(blobs, blob);
	blobs_free(blobs);
	blobs_free(NULL);
}
END_TEST

/* Whatever is wrong with the directory: answers out of memory, and one complaint. */
START_TEST(directory_of_no_use)
{
	struct blobs *blobs;
	struct blob *blob;
	const char *path = NULL;

	tree_directory(&tree, "cache", 0777);
	blobs = make(top);
	ck_assert_int_eq(blobs_complaint(blobs, &path), 0);
	for (unsigned i = 0; i < 10; i++) {
		blob_put(blobs, blobs_add(blobs, key_of(i), bytes_of(i % 2 != 0 ? SMALL : LARGE), true));
		blob = blobs_get(blobs, key_of(i));
		check_blob(blob, i % 2 != 0 ? SMALL : LARGE);
		ck_assert(!blob->has_path);
		blob_put(blobs, blob);
	}
	ck_assert_int_eq(blobs_complaint(blobs, &path), EPERM);
	ck_assert_str_eq(path, top);
	ck_assert_int_eq(blobs_complaint(blobs, &path), 0);
	blobs_free(blobs);
}
END_TEST

/* Files cannot grow beyond 2000 bytes, memory can. */
START_TEST(directory_full)
{
	const struct rlimit limit = { 2000, RLIM_INFINITY };
	struct blobs *blobs = make(top);
	struct blob *blob;
	const char *path;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	blob = blobs_add(blobs, key_of(1), bytes_of(1500), true);
	check_blob(blob, 1500);
	ck_assert(blob->has_path);
	blob_put(blobs, blob);
	/* A file without a name is a file, too. */
	blob = blobs_add(blobs, key_of(2), bytes_of(LARGE), true);
	check_blob(blob, LARGE);
	ck_assert(!blob->has_path);
	blob_put(blobs, blob);
	blob = blobs_make(blobs, bytes_of(LARGE));
	check_blob(blob, LARGE);
	blob_put(blobs, blob);
	blob = blobs_get(blobs, key_of(2));
	check_blob(blob, LARGE);
	blob_put(blobs, blob);
	ck_assert_int_eq(blobs_complaint(blobs, &path), EFBIG);
	ck_assert_int_eq(blobs_complaint(blobs, &path), 0);
	blob = blobs_get(blobs, key_of(1));
	check_blob(blob, 1500);
	blob_put(blobs, blob);
	blobs_free(blobs);
}
END_TEST

/* The path leads to the bytes; when another process took the file away there is none any more. */
START_TEST(paths)
{
	struct blobs *blobs = make(top);
	struct blob *blob = blobs_add(blobs, key_of(1), bytes_of(LARGE), true);
	struct buf path;
	struct stat st, own;

	buf_init(&path, 4096);
	blob_path(blobs, blob, &path);
	ck_assert(str_starts(buf_view(&path), str_from(top)));
	ck_assert_int_eq(stat(buf_cstr(&path), &st), 0);
	ck_assert_int_eq(fstat(blob->fd, &own), 0);
	ck_assert_int_eq(st.st_ino, own.st_ino);
	blob_put(blobs, blob);
	ck_assert_int_eq(unlink(buf_cstr(&path)), 0);
	ck_assert_ptr_null(blobs_get(blobs, key_of(1)));
	blob = blobs_add(blobs, key_of(1), bytes_of(LARGE), true);
	ck_assert(blob->has_path);
	ck_assert_int_eq(stat(buf_cstr(&path), &st), 0);
	blob_put(blobs, blob);
	buf_release(&path);
	blobs_free(blobs);
}
END_TEST

/* Another process wrote the same anew: its file is as good. */
START_TEST(written_by_both)
{
	struct blobs *blobs = make(top), *others = make(top);
	struct blob *blob;
	struct buf path;
	struct stat st, own;

	blob_put(blobs, blobs_add(blobs, key_of(1), bytes_of(LARGE), true));
	blob_put(others, blobs_add(others, key_of(1), bytes_of(LARGE), true));
	blob = blobs_get(blobs, key_of(1));
	check_blob(blob, LARGE);
	buf_init(&path, 4096);
	blob_path(blobs, blob, &path);
	ck_assert_int_eq(stat(buf_cstr(&path), &st), 0);
	ck_assert_int_eq(fstat(blob->fd, &own), 0);
	ck_assert_int_eq(st.st_ino, own.st_ino);
	blob_put(blobs, blob);
	buf_release(&path);
	blobs_free(blobs);
	blobs_free(others);
}
END_TEST

/* However much memory there is: the rest is for connections, and a cache that took all of them would never give one
 * back. */
START_TEST(most_descriptors_are_left)
{
	const struct blobs_options options = { .directory = _i != 0 ? top : NULL, .memory = (size_t)1 << 30, .disk = 1 << 30,
		.small = SMALL };
	const struct rlimit limit = { 80, 80 };
	struct blobs *blobs;
	int before = tree_next_fd();

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	blobs = blobs_new(&options);
	for (unsigned i = 0; i < 200; i++) {
		struct blob *blob = blobs_add(blobs, key_of(i), bytes_of(LARGE), true);

		check_blob(blob, LARGE);
		ck_assert_int_eq(blob->has_path, _i != 0);
		blob_put(blobs, blob);
		ck_assert_int_le(tree_next_fd(), before + 22);
	}
	blobs_free(blobs);
	ck_assert_int_eq(tree_next_fd(), before);
}
END_TEST

/* What the helper's thread made is there for all, and made once. */
START_TEST(made_apart)
{
	size_t len = _i == 0 ? SMALL : LARGE;
	struct blobs *blobs = make(top), *others = make(top);
	struct blob *blob = blobs_add(blobs, key_of(1), (struct str){ NULL, 0 }, false);
	int claim = blobs_claim(blobs, BLOBS_THREAD_IDLE, key_of(1));

	ck_assert_int_ge(claim, 0);
	ck_assert_int_eq(blobs_claim(others, BLOBS_THREAD_IDLE, key_of(1)), -EBUSY);
	ck_assert_int_eq(blobs_settle(others, BLOBS_THREAD_IDLE, key_of(1), -EBUSY, bytes_of(len)), -ENOENT);
	ck_assert_int_eq(blobs_settle(blobs, BLOBS_THREAD_IDLE, key_of(1), claim, bytes_of(len)), 0);
	ck_assert_int_eq(blobs_claim(others, BLOBS_THREAD_IDLE, key_of(1)), -EEXIST);
	blob_put(blobs, blob);
	/* That there was none is remembered until it is forgotten. */
	blob = blobs_get(blobs, key_of(1));
	ck_assert_int_eq(blob->length, -1);
	blob_put(blobs, blob);
	blobs_forget(blobs, key_of(1));
	blob = blobs_get(blobs, key_of(1));
	check_blob(blob, len);
	blob_put(blobs, blob);
	blob = blobs_get(others, key_of(1));
	check_blob(blob, len);
	blob_put(others, blob);
	/* Nothing came of it. */
	claim = blobs_claim(blobs, BLOBS_THREAD_IDLE, key_of(2));
	ck_assert_int_eq(blobs_settle(blobs, BLOBS_THREAD_IDLE, key_of(2), claim, (struct str){ NULL, 0 }), -ENOENT);
	ck_assert_ptr_null(blobs_get(blobs, key_of(2)));
	blobs_free(blobs);
	blobs_free(others);
}
END_TEST

Suite *
blobs_suite(void)
{
	Suite *suite = suite_create("blobs");

	suite_add_case(suite, added_and_got, ROWS(kept), setup, teardown);
	suite_add_case(suite, known_to_be_none, 1, setup, teardown);
	suite_add_case(suite, added_again, 2, setup, teardown);
	suite_add_case(suite, found_by_no_key, 5, setup, teardown);
	suite_add_case(suite, evicted_while_in_use, 4, setup, teardown);
	suite_add_case(suite, descriptors_are_dear, 2, setup, teardown);
	suite_add_case(suite, larger_than_all, 2, setup, teardown);
	suite_add_case(suite, no_memory_budget, 1, setup, teardown);
	suite_add_case(suite, directory_of_no_use, 1, setup, teardown);
	suite_add_case(suite, directory_full, 1, setup, teardown);
	suite_add_case(suite, paths, 1, setup, teardown);
	suite_add_case(suite, written_by_both, 1, setup, teardown);
	suite_add_case(suite, most_descriptors_are_left, 2, setup, teardown);
	suite_add_case(suite, made_apart, 2, setup, teardown);
	return suite;
}
