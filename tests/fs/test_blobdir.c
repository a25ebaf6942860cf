/* The cache directory: what is trusted, what is written, and what is swept away. */
#include "fs/blobdir.h"

#include "fs/tree.h"
#include "suites.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Suite *blobdir_suite(void);

#define BUDGET ((int64_t)64 << 10)

static struct tree tree;
static char top[PATH_MAX + 16]; /* "cache" in the tree, not there yet */

static void
setup(void)
{
	tree_make(&tree);
	snprintf(top, sizeof(top), "%s/cache", tree.path);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

static struct hash
key_of(unsigned n)
{
	return (struct hash){ .high = 0x0123456789abcdef, .low = n * 16 + 1 };
}

/* The path of a key below the tree's descriptor. */
static const char *
path_of(const struct blobdir *dir, struct hash key)
{
	static char path[256];
	struct buf out = { .ptr = path, .cap = sizeof(path) - 1, .max = sizeof(path) - 1 };

	blobdir_path(dir, key, &out);
	path[out.len] = '\0';
	ck_assert(str_starts(str_from(path), str_from(tree.path)));
	return path + strlen(tree.path) + 1;
}

static void
check_content(int fd, const char *want)
{
	char got[64] = "";

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, got, sizeof(got) - 1, 0), (ssize_t)strlen(want));
	ck_assert_str_eq(got, want);
	close(fd);
}

/* Everything in the directory of this boot. */
static int
count_files(const struct blobdir *dir, int64_t *bytes)
{
	DIR *stream = fdopendir(openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *one;
	struct stat st;
	int count = 0;

	*bytes = 0;
	ck_assert_ptr_nonnull(stream);
	while ((one = readdir(stream)) != NULL) {
		if (one->d_name[0] == '.')
			continue;
		ck_assert_int_eq(fstatat(dir->fd, one->d_name, &st, AT_SYMLINK_NOFOLLOW), 0);
		*bytes += st.st_size;
		count++;
	}
	closedir(stream);
	return count;
}

static void
set_age(const char *path, int seconds)
{
	tree_time(&tree, path, time(NULL) - seconds, 0);
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

/* The rights are those that the front needs, which is told the names, or nobody's, whatever the umask. */
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
	ck_assert_int_eq(st.st_mode & 0777, for_front ? 0711 : 0700);
	ck_assert_int_eq(fstat(dir.fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, for_front ? 0711 : 0700);
	ck_assert_int_eq(fstatat(tree.fd, path_of(&dir, key_of(1)), &st, 0), 0);
	ck_assert_int_eq(st.st_mode & 0777, for_front ? 0644 : 0600);
	blobdir_release(&dir);
}
END_TEST

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
	blobdir_init(&dir, top, false, BUDGET);
	check_refused(&dir, refused[_i].error);
}
END_TEST

/* Made as root, tried as nobody. */
static int
try_others(void)
{
	struct blobdir dir;
	int64_t length;
	const char *path;

	blobdir_init(&dir, top, false, BUDGET);
	if (blobdir_write(&dir, key_of(1), S("bytes")) >= 0 || blobdir_open(&dir, key_of(1), &length) >= 0)
		return 1;
	if (blobdir_complaint(&dir, &path) != EPERM || blobdir_complaint(&dir, &path) != 0)
		return 2;
	return 0;
}

START_TEST(somebody_elses)
{
	if (geteuid() != 0)
		return;
	tree_directory(&tree, "cache", 0755);
	ck_assert_int_eq(tree_without_privilege(try_others), 0);
}
END_TEST

static int
try_read_only(void)
{
	struct blobdir dir;
	const char *path;

	snprintf(top, sizeof(top), "%s/open/cache", tree.path);
	if (mkdir(top, 0500) != 0)
		return 1;
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
	int written = 0, error;

	blobdir_init(&dir, top, false, (int64_t)1 << 30);
	while ((error = blobdir_write(&dir, key_of((unsigned)written), (struct str){ block, sizeof(block) })) >= 0)
		written++, close(error);
	if (error != -ENOSPC || written == 0)
		return 1;
	if (blobdir_open(&dir, key_of(0), &length) < 0 || length != sizeof(block))
		return 2;
	if (count_files(&dir, &bytes) != written)
		return 3;
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

/* On a small disk of its own, where mounting is allowed. */
START_TEST(full_disk)
{
	int status, result = 0;
	pid_t child;

	tree_directory(&tree, "cache", 0700);
	child = fork();
	if (child == 0) {
		if (!tree_own_mounts() || mount("none", top, "tmpfs", 0, "size=128k,mode=700") != 0)
			_exit(0);
		result = try_full();
		if (result == 0)
			result = try_read_only_mount();
		_exit(result);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
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
	snprintf(path, sizeof(path), "%s", path_of(&dir, key_of(2)));
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
	tree_fifo(&tree, path_of(&dir, key_of(1)));
	tree_directory(&tree, path_of(&dir, key_of(2)), 0700);
	ck_assert_int_lt(blobdir_open(&dir, key_of(1), &length), 0);
	ck_assert_int_lt(blobdir_open(&dir, key_of(2), &length), 0);
	ck_assert_int_lt(blobdir_write(&dir, key_of(2), S("bytes")), 0);
	check_content(blobdir_write(&dir, key_of(1), S("bytes")), "bytes");
	blobdir_release(&dir);
}
END_TEST

static void
write_many(struct blobdir *dir, unsigned from, unsigned to, int age)
{
	static char block[1024];

	for (unsigned i = from; i < to; i++) {
		int fd = blobdir_write(dir, key_of(i), (struct str){ block, sizeof(block) });

		ck_assert_int_ge(fd, 0);
		close(fd);
		if (age > 0)
			set_age(path_of(dir, key_of(i)), age);
	}
}

START_TEST(stays_below_the_budget)
{
	struct blobdir dir;
	int64_t bytes, length;

	blobdir_init(&dir, top, false, BUDGET);
	write_many(&dir, 0, 1000, 1000);
	count_files(&dir, &bytes);
	/* What came since the last look at the directory is an eighth at most. */
	ck_assert_int_le(bytes, BUDGET + BUDGET / 8);
	ck_assert_int_ge(bytes, BUDGET / 2);
	ck_assert_int_lt(blobdir_open(&dir, key_of(0), &length), 0);
	ck_assert_int_ge(blobdir_open(&dir, key_of(999), &length), 0);
	blobdir_release(&dir);
}
END_TEST

/* The longest unused goes first, and what was used a moment ago stays, whatever the budget says. */
START_TEST(what_is_used_stays)
{
	struct blobdir dir;
	int64_t bytes, length;
	int fd;

	blobdir_init(&dir, top, false, BUDGET);
	write_many(&dir, 0, 20, 1000);
	fd = blobdir_open(&dir, key_of(3), &length);
	ck_assert_int_ge(fd, 0);
	write_many(&dir, 20, 220, 0);
	ck_assert(blobdir_touch(&dir, fd));
	ck_assert_int_eq(count_files(&dir, &bytes), 201);
	for (unsigned i = 0; i < 20; i++)
		ck_assert_int_eq(blobdir_open(&dir, key_of(i), &length) >= 0, i == 3);
	set_age(path_of(&dir, key_of(3)), 1000);
	write_many(&dir, 220, 240, 0);
	ck_assert(!blobdir_touch(&dir, fd));
	close(fd);
	ck_assert(!blobdir_touch(&dir, -1));
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
		write_many(&dir, i, i + 1, rows[i].age);
		ck_assert_int_eq(fstatat(tree.fd, path_of(&dir, key_of(i)), &before, 0), 0);
		close(blobdir_open(&dir, key_of(i), &length));
		ck_assert_int_eq(fstatat(tree.fd, path_of(&dir, key_of(i)), &after, 0), 0);
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
	set_age(path, 100000);
	write_many(&dir, 2, 200, 0);
	ck_assert_int_lt(fstatat(tree.fd, path, &st, 0), 0);
	/* Files of other names are not ours. */
	snprintf(path, sizeof(path), "cache/%s/notes.txt", dir.boot);
	tree_file(&tree, path, "mine");
	set_age(path, 100000);
	write_many(&dir, 200, 300, 0);
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
	set_age(path, boots[_i].age);
	write_many(&dir, 0, 20, 0);
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
		set_age(path_of(&dir, key), 1000);
		count_files(&dir, &bytes);
		ck_assert_int_le(bytes, BUDGET + 17 * 1024);
		blobdir_release(&dir);
	}
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

static void
add_case(Suite *suite, const char *name, const TTest *test, int rows)
{
	TCase *one = tcase_create(name);

	tcase_add_checked_fixture(one, setup, teardown);
	tcase_add_loop_test(one, test, 0, rows);
	suite_add_tcase(suite, one);
}

Suite *
blobdir_suite(void)
{
	Suite *suite = suite_create("blobdir");

	add_case(suite, "written_and_opened", written_and_opened, 1);
	add_case(suite, "none_configured", none_configured, 1);
	add_case(suite, "rights", rights, 8);
	add_case(suite, "not_trusted", not_trusted, ROWS(refused));
	add_case(suite, "somebody_elses", somebody_elses, 1);
	add_case(suite, "not_writable", not_writable, 1);
	add_case(suite, "no_room_for_a_file", no_room_for_a_file, 1);
	add_case(suite, "full_disk", full_disk, 1);
	add_case(suite, "link_under_a_key", link_under_a_key, 1);
	add_case(suite, "no_file_under_a_key", no_file_under_a_key, 1);
	add_case(suite, "stays_below_the_budget", stays_below_the_budget, 1);
	add_case(suite, "what_is_used_stays", what_is_used_stays, 1);
	add_case(suite, "touched_when_used", touched_when_used, 1);
	add_case(suite, "parts_left_by_a_crash", parts_left_by_a_crash, 1);
	add_case(suite, "earlier_boots", earlier_boots, ROWS(boots));
	add_case(suite, "short_lives", short_lives, 1);
	add_case(suite, "too_large", too_large, 1);
	return suite;
}
