/* What is swept out of the cache directory: the longest unused, parts and earlier boots, and nothing that is not ours. */
#include "fs/blobdir.h"

#include "fs/blobs.h"

#include "fs/cachedir.h"
#include "fs/helper.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

Suite *blobdir_sweep_suite(void);

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

START_TEST(stays_below_the_budget)
{
	struct blobdir dir;
	int64_t bytes, length;

	blobdir_init(&dir, top, false, BUDGET);
	write_many(&tree, &dir, 0, 1000, 1000);
	count_files(&dir, &bytes);
	/* What came since the last look at the directory is an eighth at most. */
	ck_assert_int_le(bytes, BUDGET + BUDGET / 8);
	ck_assert_int_ge(bytes, BUDGET / 2);
	ck_assert_int_lt(blobdir_open(&dir, key_of(0), &length), 0);
	ck_assert_int_ge(blobdir_open(&dir, key_of(999), &length), 0);
	blobdir_release(&dir);
}
END_TEST

/* Writes a KiB each until there is no room. The number of the first key that found none. */
static unsigned
write_until_full(struct blobdir *dir, unsigned from)
{
	static char block[1024];
	int fd;

	while ((fd = blobdir_write(dir, key_of(from), (struct str){ block, sizeof(block) })) >= 0) {
		close(fd);
		ck_assert_uint_lt(from++, 1000);
	}
	ck_assert_int_eq(fd, -ENOSPC);
	return from;
}

/* The longest unused goes first, and what was used a moment ago stays: so long nothing is written, and nothing is amiss. */
START_TEST(what_is_used_stays)
{
	struct blobdir dir;
	int64_t bytes, length;
	const char *path;
	unsigned end;
	int fd;

	blobdir_init(&dir, top, false, BUDGET);
	write_many(&tree, &dir, 0, 20, 1000);
	fd = blobdir_open(&dir, key_of(3), &length);
	ck_assert_int_ge(fd, 0);
	end = write_until_full(&dir, 20);
	ck_assert(blobdir_touch(&dir, key_of(3), fd));
	ck_assert_uint_eq((unsigned)count_files(&dir, &bytes), end - 20 + 1);
	ck_assert_int_le(bytes, BUDGET + BUDGET / 8);
	ck_assert_int_ge(bytes, BUDGET);
	for (unsigned i = 0; i < 20; i++)
		ck_assert_int_eq(blobdir_open(&dir, key_of(i), &length) >= 0, i == 3);
	ck_assert_int_eq(blobdir_complaint(&dir, &path), 0);
	ck_assert_uint_eq(write_until_full(&dir, end), end);
	for (unsigned i = 20; i < end; i++)
		set_age(&tree, path_of(&tree, &dir, key_of(i)), 1000);
	set_age(&tree, path_of(&tree, &dir, key_of(3)), 2000);
	ck_assert_uint_eq(write_until_full(&dir, end), end);
	dir.full_until = 0;
	write_many(&tree, &dir, end, end + 20, 0);
	ck_assert(!blobdir_touch(&dir, key_of(3), fd));
	close(fd);
	ck_assert(!blobdir_touch(&dir, key_of(3), -1));
	blobdir_release(&dir);
}
END_TEST

START_TEST(touched_when_used)
{
	static const struct { int age; bool touched; } rows[] = { { 0, false }, { 20, false }, { 40, true }, { 100000, true } };
	struct blobdir dir;
	struct stat before, after;
	int64_t length;

	blobdir_init(&dir, top, false, BUDGET);
	for (unsigned i = 0; i < ROWS(rows); i++) {
		write_many(&tree, &dir, i, i + 1, rows[i].age);
		ck_assert_int_eq(fstatat(tree.fd, path_of(&tree, &dir, key_of(i)), &before, 0), 0);
		close(blobdir_open(&dir, key_of(i), &length));
		ck_assert_int_eq(fstatat(tree.fd, path_of(&tree, &dir, key_of(i)), &after, 0), 0);
		ck_assert_int_eq(after.st_mtim.tv_sec != before.st_mtim.tv_sec, rows[i].touched);
		ck_assert_int_le(time(NULL) - after.st_mtim.tv_sec, 31);
	}
	blobdir_release(&dir);
}
END_TEST

/* What a process left that died while it wrote is no obstacle, and goes as all that is old. */
START_TEST(parts_left_by_a_crash)
{
	struct blobdir dir;
	int64_t length, bytes;
	char path[300];
	struct stat st;

	blobdir_init(&dir, top, false, BUDGET);
	check_content(blobdir_write(&dir, key_of(1), S("bytes")), "bytes");
	snprintf(path, sizeof(path), "cache/%s/part.1.0.0", dir.boot);
	tree_file(&tree, path, "half");
	set_age(&tree, path, 100000);
	write_many(&tree, &dir, 2, 200, 1000);
	ck_assert_int_lt(fstatat(tree.fd, path, &st, 0), 0);
	/* Files of other names are not ours. */
	snprintf(path, sizeof(path), "cache/%s/notes.txt", dir.boot);
	tree_file(&tree, path, "mine");
	set_age(&tree, path, 100000);
	write_many(&tree, &dir, 200, 300, 1000);
	ck_assert_int_eq(fstatat(tree.fd, path, &st, 0), 0);
	ck_assert_int_ge(blobdir_open(&dir, key_of(1), &length), 0);
	ck_assert_int_gt(count_files(&dir, &bytes), 0);
	blobdir_release(&dir);
}
END_TEST

static const struct {
	const char *boot, *file;
	int age;
	bool stays;
} boots[] = {
	{ "00000000-1111-2222-3333-444444444444", "0123456789abcdef0123456789abcdef", 200000, false },
	{ "00000000-1111-2222-3333-444444444444", "part.1.0.0", 200000, false },
	{ "00000000-1111-2222-3333-444444444444", "0123456789abcdef0123456789abcdef", 3600, true },
	{ "00000000-1111-2222-3333-444444444444", "letter", 200000, true },
	{ "photos", "0123456789abcdef0123456789abcdef", 200000, true },
};

START_TEST(earlier_boots)
{
	struct blobdir dir;
	char path[300];
	struct stat st;

	tree_directory(&tree, "cache", 0700);
	snprintf(path, sizeof(path), "cache/%s", boots[_i].boot);
	tree_directory(&tree, path, 0700);
	snprintf(path, sizeof(path), "cache/%s/%s", boots[_i].boot, boots[_i].file);
	tree_file(&tree, path, "bytes");
	blobdir_init(&dir, top, false, BUDGET);
	set_age(&tree, path, boots[_i].age);
	write_many(&tree, &dir, 0, 20, 0);
	ck_assert_int_eq(fstatat(tree.fd, path, &st, 0) == 0, boots[_i].stays);
	snprintf(path, sizeof(path), "cache/%s", boots[_i].boot);
	ck_assert_int_eq(fstatat(tree.fd, path, &st, 0) == 0, boots[_i].stays);
	blobdir_release(&dir);
}
END_TEST

/* Processes that live for one request (CGI) and never write an eighth of the budget. */
START_TEST(short_lives)
{
	static char block[1024];
	struct blobdir dir;
	int64_t bytes;

	for (unsigned i = 0; i < 500; i++) {
		const struct hash key = { .high = 7, .low = i };

		blobdir_init(&dir, top, false, BUDGET);
		close(blobdir_write(&dir, key, (struct str){ block, sizeof(block) }));
		set_age(&tree, path_of(&tree, &dir, key), 1000);
		count_files(&dir, &bytes);
		ck_assert_int_le(bytes, BUDGET + 17 * 1024);
		blobdir_release(&dir);
	}
}
END_TEST

/* Many processes and their threads, none of which writes an eighth by itself. */
START_TEST(many_write_a_little)
{
	static char block[1024];
	struct blobdir dirs[24];
	int64_t bytes;

	for (int i = 0; i < 24; i++)
		blobdir_init(&dirs[i], top, false, BUDGET);
	for (uint32_t i = 0; i < 24 * 7; i++) {
		struct blobdir *dir = &dirs[i % 24];
		struct hash key = hash_bytes((struct str){ (const char *)&i, sizeof(i) });

		close(blobdir_write(dir, key, (struct str){ block, sizeof(block) }));
		set_age(&tree, path_of(&tree, dir, key), 1000);
		count_files(&dirs[0], &bytes);
		ck_assert_int_le(bytes, BUDGET + BUDGET / 2);
	}
	for (int i = 0; i < 24; i++)
		blobdir_release(&dirs[i]);
}
END_TEST

/* Nothing is taken away by who writes, and a quarter of the budget may come until another thread did. */
START_TEST(left_to_another)
{
	struct blobdir dir;
	int64_t bytes;

	blobdir_init(&dir, top, false, BUDGET);
	dir.swept_elsewhere = true;
	write_many(&tree, &dir, 0, BUDGET / 4096, 1000);
	ck_assert(dir.sweep_due);
	ck_assert_uint_eq(write_until_full(&dir, 100), 100);
	blobdir_swept(&dir, true);
	ck_assert(!dir.sweep_due);
	write_many(&tree, &dir, 200, 208, 1000);
	blobdir_swept(&dir, false);
	ck_assert_uint_eq(write_until_full(&dir, 300), 300);
	ck_assert_int_eq(count_files(&dir, &bytes), BUDGET / 4096 + 8);
	blobdir_release(&dir);
}
END_TEST

/* Who adds a blob takes nothing away; a helper does, whenever it comes to it. */
START_TEST(swept_by_a_helper)
{
	struct helper *helper = helper_new(1, true);
	const struct blobs_options options = { .directory = top, .disk = BUDGET, .helper = helper };
	struct blobs *blobs = blobs_new(&options);
	static char block[1024];
	struct blobdir dir;
	int64_t bytes, length;
	unsigned written = 0;

	blobdir_init(&dir, top, false, BUDGET);
	ck_assert_int_lt(blobdir_open(&dir, key_of(0), &length), 0);
	for (unsigned i = 0; i < 100000 && written < 400; i++) {
		struct blob *blob = blobs_add(blobs, key_of(i), (struct str){ block, sizeof(block) }, true);

		written += blob->has_path;
		if (blob->has_path)
			set_age(&tree, path_of(&tree, &dir, key_of(i)), 1000);
		else
			usleep(1000);
		blob_put(blobs, blob);
		helper_collect(helper);
	}
	helper_free(helper);
	blobs_free(blobs);
	ck_assert_uint_eq(written, 400);
	ck_assert_int_lt(blobdir_open(&dir, key_of(0), &length), 0);
	count_files(&dir, &bytes);
	ck_assert_int_le(bytes, BUDGET + BUDGET / 2);
	blobdir_release(&dir);
}
END_TEST

Suite *
blobdir_sweep_suite(void)
{
	Suite *suite = suite_create("blobdir_sweep");

	suite_add_case(suite, stays_below_the_budget, 1, setup, teardown);
	suite_add_case(suite, what_is_used_stays, 1, setup, teardown);
	suite_add_case(suite, touched_when_used, 1, setup, teardown);
	suite_add_case(suite, parts_left_by_a_crash, 1, setup, teardown);
	suite_add_case(suite, earlier_boots, ROWS(boots), setup, teardown);
	suite_add_case(suite, short_lives, 1, setup, teardown);
	suite_add_case(suite, many_write_a_little, 1, setup, teardown);
	suite_add_case(suite, left_to_another, 1, setup, teardown);
	suite_add_case(suite, swept_by_a_helper, 1, setup, teardown);
	return suite;
}
