/* Any process may write, and any may take away what is oldest: the names are hashes of the content's origin, so two that
 * write the same name write the same thing. Only a directory of our own is trusted: in /tmp somebody
 * else may have made one first. */
#include "fs/blobdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A file that was used stays for this long at least: a front may have been told its name. */
#define STAY_SECONDS 120
#define TOUCH_SECONDS 30
#define OTHER_BOOT_SECONDS 86400
#define NAME_BYTES 48

void
blobdir_init(struct blobdir *dir, const char *path, bool for_front, int64_t budget)
{
	*dir = (struct blobdir){ .path = path, .fd = -1, .for_front = for_front, .budget = budget };
}

void
blobdir_release(struct blobdir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = -1;
}

/* Opens a directory below another, made if it is not there, with that mode whatever the umask. It must be ours, and nobody
 * else may write in it. */
static int
open_own(int at, const char *path, mode_t mode)
{
	bool made = mkdirat(at, path, mode) == 0;
	struct stat st;
	int fd;

	if (!made && errno != EEXIST)
		return -errno;
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (made)
		fchmod(fd, mode);
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 022) == 0)
		return fd;
	close(fd);
	return -EPERM;
}

/* The name of this boot; a machine that tells none has one for ever. */
static void
read_boot(char boot[37])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, boot, 36) : -1;

	if (fd >= 0)
		close(fd);
	boot[n == 36 ? 36 : 0] = '\0';
	for (char *c = boot; *c != '\0'; c++)
		if (strchr("0123456789abcdef-", *c) == NULL)
			boot[0] = '\0';
	if (boot[0] == '\0')
		memcpy(boot, "boot", 5);
}

static bool
is_open(struct blobdir *dir)
{
	mode_t mode = dir->for_front ? 0755 : 0700;
	int fd;

	if (dir->tried || dir->path == NULL)
		return dir->fd >= 0;
	dir->tried = true;
	read_boot(dir->boot);
	fd = open_own(AT_FDCWD, dir->path, mode);
	dir->fd = fd < 0 ? fd : open_own(fd, dir->boot, mode);
	if (fd >= 0)
		close(fd);
	if (dir->fd >= 0)
		return true;
	dir->error = -dir->fd;
	dir->fd = -1;
	return false;
}

static void
format_name(char name[NAME_BYTES], struct hash key)
{
	struct buf out = { .ptr = name, .cap = NAME_BYTES - 1, .max = NAME_BYTES - 1 };

	hash_format(&out, key);
	name[out.len] = '\0';
}

int
blobdir_open(struct blobdir *dir, struct hash key, int64_t *length)
{
	char name[NAME_BYTES];
	struct stat st;
	int fd;

	if (!is_open(dir))
		return -ENOENT;
	format_name(name, key);
	fd = openat(dir->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ENOENT;
	}
	*length = st.st_size;
	blobdir_touch(dir, fd);
	return fd;
}

bool
blobdir_touch(const struct blobdir *dir, int fd)
{
	struct stat st;

	(void)dir;
	if (fd < 0 || fstat(fd, &st) != 0 || st.st_nlink == 0)
		return false;
	if (time(NULL) - st.st_mtime > TOUCH_SECONDS)
		futimens(fd, NULL);
	return true;
}

struct old_file {
	char name[NAME_BYTES];
	int64_t size;
	time_t used;
};

static int
compare_age(const void *left, const void *right)
{
	const struct old_file *a = left, *b = right;

	return (a->used > b->used) - (a->used < b->used);
}

/* All files of a directory. The number, and *list to be freed. */
static size_t
list_files(int at, struct old_file **list, int64_t *sum)
{
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	size_t count = 0, capacity = 0;
	struct dirent *one;
	struct stat st;

	*list = NULL;
	*sum = 0;
	if (stream == NULL && fd >= 0)
		close(fd);
	while (stream != NULL && (one = readdir(stream)) != NULL) {
		size_t len = strlen(one->d_name);

		if (one->d_name[0] == '.' || len >= NAME_BYTES || fstatat(at, one->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (count == capacity) {
			size_t wanted = capacity == 0 ? 256 : capacity * 2;
			struct old_file *grown = realloc(*list, wanted * sizeof(*grown));

			if (grown == NULL)
				break;
			*list = grown;
			capacity = wanted;
		}
		memcpy((*list)[count].name, one->d_name, len + 1);
		(*list)[count].size = st.st_size;
		(*list)[count++].used = st.st_mtime;
		*sum += st.st_size;
	}
	if (stream != NULL)
		closedir(stream);
	return count;
}

/* Our own names only: whoever configures a directory that holds other things keeps them. */
static bool
is_own_name(const char *name)
{
	return strncmp(name, "part.", 5) == 0 || (strlen(name) == 32 && strspn(name, "0123456789abcdef") == 32);
}

/* Takes the longest unused away until so much is left, none that was used after `newest`. */
static void
sweep_files(int at, int64_t budget, int64_t left, time_t newest)
{
	struct old_file *list;
	struct stat st;
	int64_t sum;
	size_t count = list_files(at, &list, &sum);

	if (sum > budget && count > 0) {
		qsort(list, count, sizeof(*list), compare_age);
		for (size_t i = 0; i < count && sum > left && list[i].used < newest; i++) {
			/* Somebody may have begun to use it since. */
			if (!is_own_name(list[i].name) || fstatat(at, list[i].name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
			    st.st_mtime >= newest || unlinkat(at, list[i].name, 0) != 0)
				continue;
			sum -= list[i].size;
		}
	}
	free(list);
}

static bool
is_boot_name(const char *name)
{
	return strcmp(name, "boot") == 0 || (strlen(name) == 36 && strspn(name, "0123456789abcdef-") == 36);
}

/* What earlier boots left, unless another machine that shares the directory uses it. */
static void
sweep_boots(const struct blobdir *dir)
{
	int above = openat(dir->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = above >= 0 ? fdopendir(above) : NULL;
	struct dirent *one;

	if (stream == NULL && above >= 0)
		close(above);
	while (stream != NULL && (one = readdir(stream)) != NULL) {
		int fd;

		if (!is_boot_name(one->d_name) || strcmp(one->d_name, dir->boot) == 0)
			continue;
		fd = openat(above, one->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		sweep_files(fd, -1, -1, time(NULL) - OTHER_BOOT_SECONDS);
		close(fd);
		unlinkat(above, one->d_name, AT_REMOVEDIR);
	}
	if (stream != NULL)
		closedir(stream);
}

static void
sweep(struct blobdir *dir)
{
	dir->written = 0;
	sweep_files(dir->fd, dir->budget, dir->budget / 4 * 3, time(NULL) - STAY_SECONDS);
	sweep_boots(dir);
}

static int
write_all(int fd, struct str bytes)
{
	while (bytes.len > 0) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		bytes = str_after(bytes, (size_t)n);
	}
	return 0;
}

/* Under a name that no other writer has, and that nothing left by one that died stands in the way of. */
static int
write_part(const struct blobdir *dir, struct hash key, struct str bytes)
{
	mode_t mode = dir->for_front ? 0644 : 0600;
	char name[NAME_BYTES], part[NAME_BYTES];
	struct timespec now;
	int fd, error;

	clock_gettime(CLOCK_REALTIME, &now);
	format_name(name, key);
	snprintf(part, sizeof(part), "part.%d.%llx.%lx", (int)getpid(), (unsigned long long)now.tv_sec, now.tv_nsec);
	fd = openat(dir->fd, part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	error = write_all(fd, bytes);
	if (error == 0 && (fchmod(fd, mode) != 0 || renameat(dir->fd, part, dir->fd, name) != 0))
		error = -errno;
	if (error == 0)
		return fd;
	unlinkat(dir->fd, part, 0);
	close(fd);
	return error;
}

int
blobdir_write(struct blobdir *dir, struct hash key, struct str bytes)
{
	bool due;
	int fd;

	if (!is_open(dir) || (int64_t)bytes.len > dir->budget / 2)
		return -ENOENT;
	/* A process that lives for one request never comes to an eighth: some of them sweep, too. */
	due = dir->written == 0 && key.low % 16 == 0;
	dir->written += (int64_t)bytes.len;
	if (due || dir->written > dir->budget / 8)
		sweep(dir);
	fd = write_part(dir, key, bytes);
	if (fd < 0 && dir->error == 0)
		dir->error = -fd;
	return fd;
}

void
blobdir_path(const struct blobdir *dir, struct hash key, struct buf *out)
{
	buf_text(out, dir->path);
	buf_char(out, '/');
	buf_text(out, dir->boot);
	buf_char(out, '/');
	hash_format(out, key);
}

int
blobdir_complaint(struct blobdir *dir, const char **path)
{
	if (dir->error == 0 || dir->complained)
		return 0;
	dir->complained = true;
	*path = dir->path;
	return dir->error;
}
