/* Any process may write, and any may take away what is oldest: the names are hashes of the content's origin, so two
 * that write the same name write the same thing. Only a directory of our own is trusted: in /tmp somebody else may
 * have made one first. A front that reads there is another user, so all others may read, too, what the original's
 * mode may deny them: they cannot list the names, and cannot compute one without the secret that is in it. */
#include "fs/blobdir.h"

#include "fs/blobdir_sweep.h"
#include "fs/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECRET_NAME ".secret"

/* So long nothing is written into a directory that is full of what is in use, or on a disk that is. */
#define FULL_SECONDS 10

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

/* A directory that is there, ours, and in which nobody else may write. */
static int
open_trusted(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 022) == 0)
		return fd;
	close(fd);
	return -EPERM;
}

/* Opens a directory below another, made if it is not there, with that mode whatever the umask. */
static int
open_own(int at, const char *path, mode_t mode)
{
	bool made = mkdirat(at, path, mode) == 0;
	int fd;

	if (!made && errno != EEXIST)
		return -errno;
	fd = open_trusted(at, path);
	if (made && fd >= 0)
		fchmod(fd, mode);
	return fd;
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

static bool
read_secret(int at, struct hash *secret)
{
	int fd = openat(at, SECRET_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct hash whole;
	ssize_t n = fd >= 0 ? read(fd, &whole, sizeof(whole)) : -1;

	if (fd >= 0)
		close(fd);
	if (n != (ssize_t)sizeof(whole))
		return false;
	*secret = whole;
	return true;
}

/* The secret of all processes that use the directory: whoever comes first makes it, whole before it has its name. */
static int
take_secret(int at, struct hash *secret)
{
	char part[BLOBDIR_NAME];
	struct timespec now;
	int fd, error;

	if (read_secret(at, secret))
		return 0;
	if (getrandom(secret, sizeof(*secret), 0) != (ssize_t)sizeof(*secret))
		return -EAGAIN;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(part, sizeof(part), "%s.%d.%lx", SECRET_NAME, (int)getpid(), now.tv_nsec);
	fd = openat(at, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	error = write_all(fd, (struct str){ (const char *)secret, sizeof(*secret) });
	if (error == 0 && fsync(fd) != 0)
		error = -errno;
	if (error == 0 && linkat(at, part, at, SECRET_NAME, 0) != 0 && !read_secret(at, secret))
		error = renameat(at, part, at, SECRET_NAME) != 0 ? -errno : 0;
	close(fd);
	unlinkat(at, part, 0);
	return error;
}

static int
open_directory(struct blobdir *dir)
{
	mode_t mode = dir->for_front ? 0711 : 0700;
	int above = open_own(AT_FDCWD, dir->path, mode), fd = -1, error;

	if (above < 0)
		return above;
	error = dir->for_front ? take_secret(above, &dir->secret) : 0;
	if (error == 0)
		fd = open_own(above, dir->boot, mode);
	close(above);
	return error == 0 ? fd : error;
}

static bool
is_at(const char *path, int fd)
{
	struct stat named, open;

	return stat(path, &named) == 0 && fstat(fd, &open) == 0 && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/* One that was removed or moved away is made anew: what is written where no path leads is of no use to anybody. */
static bool
is_open(struct blobdir *dir)
{
	char path[PATH_MAX];

	if (dir->fd >= 0 && (snprintf(path, sizeof(path), "%s/%s", dir->path, dir->boot) >= PATH_MAX || !is_at(path, dir->fd))) {
		blobdir_release(dir);
		dir->tried = false;
	}
	if (dir->tried || dir->path == NULL)
		return dir->fd >= 0;
	dir->tried = true;
	read_boot(dir->boot);
	dir->fd = open_directory(dir);
	if (dir->fd >= 0)
		return true;
	dir->error = -dir->fd;
	dir->fd = -1;
	return false;
}

static struct hash
secret_key(const struct blobdir *dir, struct hash key)
{
	return (struct hash){ key.high ^ dir->secret.high, key.low ^ dir->secret.low };
}

static void
format_name(const struct blobdir *dir, char name[static BLOBDIR_NAME], const char *before, struct hash key)
{
	struct buf out = { .ptr = name, .cap = BLOBDIR_NAME - 1, .max = BLOBDIR_NAME - 1 };

	buf_text(&out, before);
	hash_format(&out, secret_key(dir, key));
	name[out.len] = '\0';
}

static void
note_use(int fd, const struct stat *st)
{
	const time_t now = time(NULL);
	const struct timespec times[] = { { .tv_sec = now }, { .tv_sec = now } };

	/* Of a clock that was set back since: from now on it counts again. */
	if (now - st->st_mtime > BLOBDIR_TOUCH_SECONDS || st->st_mtime - now > BLOBDIR_TOUCH_SECONDS)
		futimens(fd, times);
}

int
blobdir_open(struct blobdir *dir, struct hash key, int64_t *length)
{
	char name[BLOBDIR_NAME];
	struct stat st;
	int fd;

	if (!is_open(dir))
		return -ENOENT;
	format_name(dir, name, "", key);
	fd = openat(dir->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ENOENT;
	}
	*length = st.st_size;
	note_use(fd, &st);
	return fd;
}

bool
blobdir_touch(const struct blobdir *dir, struct hash key, int fd)
{
	char text[PATH_MAX];
	struct buf path = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return false;
	blobdir_path(dir, key, &path);
	if (buf_cstr(&path) == NULL || !is_at(text, fd))
		return false;
	note_use(fd, &st);
	return true;
}

/* The lock goes with the process that holds it, however that ends. Where a file system knows no locks, two may make
 * the same. */
int
blobdir_claim(struct blobdir *dir, struct hash key)
{
	char name[BLOBDIR_NAME];
	struct stat st;
	int fd;

	if (!is_open(dir))
		return -ENOENT;
	format_name(dir, name, "lock.", key);
	fd = openat(dir->fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return -ENOENT;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		close(fd);
		return -EBUSY;
	}
	format_name(dir, name, "", key);
	if (fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return fd;
	blobdir_disclaim(dir, key, fd);
	return -EEXIST;
}

void
blobdir_disclaim(const struct blobdir *dir, struct hash key, int claim)
{
	char name[BLOBDIR_NAME];

	if (claim < 0)
		return;
	format_name(dir, name, "lock.", key);
	unlinkat(dir->fd, name, 0);
	close(claim);
}

/* Under a name that no other writer has, and that nothing left by one that died stands in the way of. */
static int
write_part(const struct blobdir *dir, struct hash key, struct str bytes)
{
	mode_t mode = dir->for_front ? 0644 : 0600;
	char name[BLOBDIR_NAME], part[BLOBDIR_NAME];
	struct timespec now;
	int fd, error;

	clock_gettime(CLOCK_REALTIME, &now);
	format_name(dir, name, "", key);
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

static int64_t
monotonic_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec;
}

void
blobdir_swept(struct blobdir *dir, bool has_room)
{
	dir->written = 0;
	dir->sweep_due = false;
	if (!has_room)
		dir->full_until = monotonic_seconds() + FULL_SECONDS;
}

bool
blobdir_make_room(struct blobdir *dir)
{
	return !is_open(dir) || blobdir_sweep(dir);
}

/* Whether there is room for a file, once old ones were taken away. What a front was told a moment ago stays; a folder that changes
 * with each request could fill the disk with that, so then nothing is written for a while. */
static bool
has_room(struct blobdir *dir, struct hash key, int64_t length)
{
	/* Each process and thread counts what it writes itself, and may never come to an eighth of the budget. So the lot decides, too: once in
	 * an eighth that all of them write. A key is a hash. */
	bool due = key.low % (uint64_t)(dir->budget / 8 / (length + 1) + 1) == 0, room;

	if (dir->full_until > monotonic_seconds())
		return false;
	dir->written += length;
	if (!due && dir->written <= dir->budget / 8)
		return true;
	dir->sweep_due = true;
	/* Until it was swept as much again may come. */
	if (dir->swept_elsewhere)
		return dir->written <= dir->budget / 4;
	room = blobdir_sweep(dir);
	blobdir_swept(dir, room);
	return room;
}

int
blobdir_write(struct blobdir *dir, struct hash key, struct str bytes)
{
	int fd;

	if (!is_open(dir) || (int64_t)bytes.len > dir->budget / 2)
		return -ENOENT;
	if (!has_room(dir, key, (int64_t)bytes.len))
		return -ENOSPC;
	fd = write_part(dir, key, bytes);
	if (fd < 0 && dir->error == 0)
		dir->error = -fd;
	/* Tried with every page, a full disk would be kept busy with halves. */
	if (fd == -ENOSPC || fd == -EDQUOT)
		dir->full_until = monotonic_seconds() + FULL_SECONDS;
	return fd;
}

void
blobdir_path(const struct blobdir *dir, struct hash key, struct buf *out)
{
	buf_text(out, dir->path);
	buf_char(out, '/');
	buf_text(out, dir->boot);
	buf_char(out, '/');
	hash_format(out, secret_key(dir, key));
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

int
blobdir_check(const char *path)
{
	int fd = open_trusted(AT_FDCWD, path), error;

	if (fd == -ENOENT)
		return file_may_be_made(path);
	if (fd < 0)
		return fd;
	error = faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) == 0 ? 0 : -errno;
	close(fd);
	return error;
}
