/* Open, then look at what was opened: between a stat and an open there could be another file. */
#include "fs/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static enum file_kind
kind_of(mode_t mode)
{
	if (S_ISREG(mode))
		return FILE_REGULAR;
	return S_ISDIR(mode) ? FILE_DIRECTORY : FILE_OTHER;
}

int64_t
file_nanoseconds(const struct timespec *time)
{
	__int128 nanoseconds = (__int128)time->tv_sec * 1000000000 + time->tv_nsec;

	if (nanoseconds > INT64_MAX)
		return INT64_MAX;
	if (nanoseconds < INT64_MIN)
		return INT64_MIN;
	return (int64_t)nanoseconds;
}

/* 0: an old kernel does not tell. */
static uint64_t
mount_of(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) != 0 || (st.stx_mask & STATX_MNT_ID) == 0)
		return 0;
	return st.stx_mnt_id;
}

int
file_open(struct file *file, const struct root *root, struct str path)
{
	int fd = root_open_below(root, path, O_RDONLY);
	struct stat st;

	*file = (struct file){ .fd = -1 };
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	*file = (struct file){
		.fd = fd,
		.kind = kind_of(st.st_mode),
		.size = S_ISREG(st.st_mode) ? st.st_size : 0,
		.mtime = file_nanoseconds(&st.st_mtim),
		.ctime = file_nanoseconds(&st.st_ctim),
		.device = st.st_dev,
		.inode = st.st_ino,
		.mount = S_ISDIR(st.st_mode) ? mount_of(fd) : 0,
	};
	return 0;
}

int
file_read(const struct file *file, struct buf *out)
{
	size_t start = out->len;

	if (!buf_reserve(out, (size_t)file->size + 1))
		return -ENOMEM;
	while ((int64_t)(out->len - start) < file->size) {
		size_t have = out->len - start;
		ssize_t n = pread(file->fd, out->ptr + out->len, (size_t)file->size - have, (off_t)have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EAGAIN;
		out->len += (size_t)n;
	}
	return 0;
}

int
file_check(const struct file *file)
{
	struct stat now;

	if (fstat(file->fd, &now) != 0)
		return -errno;
	return now.st_size == file->size && file_nanoseconds(&now.st_mtim) == file->mtime ? 0 : -EAGAIN;
}

void
file_close(struct file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

int
file_may_be_made(const char *path)
{
	char directory[PATH_MAX];
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	while (len > 0 && path[len - 1] != '/')
		len--;
	/* The final dot makes a file that stands there an error. */
	if (len + sizeof(".") > sizeof(directory))
		return -ENAMETOOLONG;
	memcpy(directory, path, len);
	memcpy(directory + len, ".", sizeof("."));
	return faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : -errno;
}
