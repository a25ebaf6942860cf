/* The cache directory between processes: who makes what takes long, what others may see, and clocks that were set
 * back. */
#include "fs/blobdir.h"

#include "fs/tree.h"
#include "suites.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Suite *blobdir_shared_suite(void);

#define BUDGET ((int64_t)64 << 10)

static struct tree tree;
static char top[PATH_MAX + 16];
static struct blobdir dir, other; /* as two processes have it */

static void
open_both(bool for_front)
{
	blobdir_init(&dir, top, for_front, BUDGET);
	blobdir_init(&other, top, for_front, BUDGET);
}

static void
setup(void)
{
	tree_make(&tree);
	snprintf(top, sizeof(top), "%s/cache", tree.path);
	open_both(false);
}

static void
teardown(void)
{
	blobdir_release(&dir);
	blobdir_release(&other);
	tree_remove(&tree);
}

static struct hash
key_of(unsigned n)
{
	return (struct hash){ .high = 0x0123456789abcdef, .low = n * 16 + 1 };
}

static const char *
path_of(const struct blobdir *of, struct hash key)
{
	static char path[PATH_MAX];
	struct buf out = { .ptr = path, .cap = sizeof(path) - 1, .max = sizeof(path) - 1 };

	blobdir_path(of, key, &out);
	path[out.len] = '\0';
	return path;
}

static int
count_files(void)
{
	DIR *stream = fdopendir(openat(dir.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *one;
	int count = 0;

	ck_assert_ptr_nonnull(stream);
	while ((one = readdir(stream)) != NULL)
		count += one->d_name[0] != '.';
	closedir(stream);
	return count;
}

static void
write_one(struct hash key)
{
	static char block[1024];
	int fd = blobdir_write(&dir, key, (struct str){ block, sizeof(block) });

	ck_assert_int_ge(fd, 0);
	close(fd);
}

START_TEST(one_makes_it)
{
	int claim, second;

	if (_i == 1)
		open_both(true);
	claim = blobdir_claim(&dir, key_of(1));
	ck_assert_int_ge(claim, 0);
	ck_assert_int_eq(blobdir_claim(&other, key_of(1)), -EBUSY);
	second = blobdir_claim(&other, key_of(2));
	ck_assert_int_ge(second, 0);
	/* Given up: the next one may try. */
	blobdir_disclaim(&dir, key_of(1), claim);
	claim = blobdir_claim(&other, key_of(1));
	ck_assert_int_ge(claim, 0);
	write_one(key_of(1));
	blobdir_disclaim(&other, key_of(1), claim);
	ck_assert_int_eq(blobdir_claim(&dir, key_of(1)), -EEXIST);
	blobdir_disclaim(&other, key_of(2), second);
	blobdir_disclaim(&other, key_of(2), -EBUSY);
	/* Nothing is left of any of this. */
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* Killed in the midst of it: the claim has gone with it, at once. */
START_TEST(a_dead_one_blocks_nobody)
{
	int told[2], claim, status;
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(told), 0);
	child = fork();
	if (child == 0) {
		claim = blobdir_claim(&dir, key_of(1));
		byte = claim >= 0 ? 'y' : 'n';
		if (write(told[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	ck_assert_int_eq(read(told[0], &byte, 1), 1);
	ck_assert_int_eq(byte, 'y');
	ck_assert_int_eq(blobdir_claim(&other, key_of(1)), -EBUSY);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	claim = blobdir_claim(&other, key_of(1));
	ck_assert_int_ge(claim, 0);
	blobdir_disclaim(&other, key_of(1), claim);
	close(told[0]);
	close(told[1]);
}
END_TEST

START_TEST(nothing_to_claim_in)
{
	struct blobdir none;

	blobdir_init(&none, NULL, false, BUDGET);
	ck_assert_int_eq(blobdir_claim(&none, key_of(1)), -ENOENT);
	blobdir_disclaim(&none, key_of(1), -ENOENT);
	tree_file(&tree, "cache", "");
	ck_assert_int_eq(blobdir_claim(&dir, key_of(1)), -ENOENT);
}
END_TEST

static void
set_ahead(struct hash key, int seconds)
{
	tree_time(&tree, path_of(&dir, key) + strlen(tree.path) + 1, time(NULL) + seconds, 0);
}

/* The lock of one that died goes as all that is old. */
START_TEST(locks_left_by_a_crash)
{
	char path[PATH_MAX];
	struct stat st;

	write_one(key_of(0));
	snprintf(path, sizeof(path), "cache/%s/lock.0123456789abcdef0123456789abcdef", dir.boot);
	tree_file(&tree, path, "");
	tree_time(&tree, path, time(NULL) - 1000, 0);
	for (unsigned i = 1; i < 200; i++) {
		write_one(key_of(i));
		set_ahead(key_of(i), -1000);
	}
	ck_assert_int_lt(fstatat(tree.fd, path, &st, 0), 0);
}
END_TEST

static char seen[PATH_MAX];

/* As the front, which was told the path; and as anybody, who was not. */
static int
try_as_another(void)
{
	char above[PATH_MAX + 64];

	if (open(seen, O_RDONLY | O_CLOEXEC) < 0)
		return 1;
	snprintf(above, sizeof(above), "%s/.secret", top);
	if (open(above, O_RDONLY | O_CLOEXEC) >= 0 || open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0)
		return 2;
	snprintf(above, sizeof(above), "%s/%s", top, dir.boot);
	return open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0 ? 0 : 3;
}

/* The key comes of facts that everybody can look up; the name does not. */
START_TEST(a_name_is_a_secret)
{
	char plain[33];
	struct buf hex = { .ptr = plain, .cap = 32, .max = 32 };

	open_both(true);
	write_one(key_of(1));
	snprintf(seen, sizeof(seen), "%s", path_of(&dir, key_of(1)));
	hash_format(&hex, key_of(1));
	ck_assert(!str_ends(str_from(seen), (struct str){ plain, 32 }));
	ck_assert_int_eq(chmod(tree.path, 0755), 0);
	ck_assert_int_eq(tree_without_privilege(try_as_another), 0);
}
END_TEST

static const struct {
	const char *content; /* of a secret that is there already; NULL: none */
	bool stays;
} secrets[] = {
	{ NULL, false }, { "", false }, { "torn", false }, { "0123456789abcdef", true },
};

START_TEST(one_secret_for_all)
{
	int64_t length;
	struct stat st;
	int fd;

	tree_directory(&tree, "cache", 0711);
	if (secrets[_i].content != NULL)
		tree_file(&tree, "cache/.secret", secrets[_i].content);
	open_both(true);
	write_one(key_of(1));
	fd = blobdir_open(&other, key_of(1), &length);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(fstatat(tree.fd, "cache/.secret", &st, 0), 0);
	ck_assert_int_eq(st.st_size, 16);
	if (!secrets[_i].stays)
		ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(memcmp(&dir.secret, "0123456789abcdef", 16) == 0, secrets[_i].stays);
	ck_assert(dir.secret.high != 0 || dir.secret.low != 0);
}
END_TEST

static time_t
time_of(struct hash key)
{
	struct stat st;

	ck_assert_int_eq(stat(path_of(&dir, key), &st), 0);
	return st.st_mtime;
}

/* The clock was set back: a use is a use of now, and what nobody uses grows old from now on. */
START_TEST(times_to_come)
{
	static char block[1024];
	int64_t length;
	int fd;

	write_one(key_of(0));
	set_ahead(key_of(0), 3600);
	fd = blobdir_open(&dir, key_of(0), &length);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_le(time_of(key_of(0)), time(NULL));
	for (unsigned i = 1; i < 60; i++) {
		write_one(key_of(i));
		set_ahead(key_of(i), 3600);
	}
	/* Until the directory is swept: it is full of what is in use now. */
	for (unsigned i = 100; i < 120 && fd >= 0; i++) {
		fd = blobdir_write(&dir, key_of(i), (struct str){ block, sizeof(block) });
		close(fd);
	}
	ck_assert_int_eq(fd, -ENOSPC);
	for (unsigned i = 1; i < 60; i++)
		ck_assert_int_le(time_of(key_of(i)), time(NULL));
}
END_TEST

static void
add_case(Suite *suite, const char *name, const TTest *test, int rows)
{
	TCase *one = tcase_create(name);

	tcase_add_checked_fixture(one, setup, teardown);
	tcase_add_loop_test(one, test, 0, rows);
	suite_add_tcase(suite, one);
}

Suite *
blobdir_shared_suite(void)
{
	Suite *suite = suite_create("blobdir_shared");

	add_case(suite, "one_makes_it", one_makes_it, 2);
	add_case(suite, "a_dead_one_blocks_nobody", a_dead_one_blocks_nobody, 1);
	add_case(suite, "nothing_to_claim_in", nothing_to_claim_in, 1);
	add_case(suite, "locks_left_by_a_crash", locks_left_by_a_crash, 1);
	add_case(suite, "a_name_is_a_secret", a_name_is_a_secret, 1);
	add_case(suite, "one_secret_for_all", one_secret_for_all, ROWS(secrets));
	add_case(suite, "times_to_come", times_to_come, 1);
	return suite;
}
