/* struct file: an open thing below a root and what fstat says of it. */
#ifndef FS_FILE_H
#define FS_FILE_H

#include "base/buf.h"
#include "fs/root.h"

#include <sys/types.h>

enum file_kind { FILE_REGULAR, FILE_DIRECTORY, FILE_OTHER };

struct file {
	int fd;
	enum file_kind kind;
	int64_t size;
	int64_t mtime; /* nanoseconds since 1970 */
	int64_t ctime; /* of the inode: moves with every change, and nobody can set it */
	dev_t device;
	ino_t inode;
	uint64_t mount; /* of a directory: the mount that it was reached through; what is mounted on its subdirectories depends on it */
};

/* Opens for reading, then looks at what was opened. 0 or -errno as root_open_below. A FIFO, device
 * or socket never blocks and comes back as FILE_OTHER (a socket as -ENOENT). */
int file_open(struct file *file, const struct root *root, struct str path);

/* Appends all its bytes, by its size. 0, -EAGAIN when it is shorter now, or -errno. */
int file_read(const struct file *file, struct buf *out);

/* Whether the open file has the size and time that it had when it was looked at. 0, -EAGAIN when not, or -errno. */
int file_check(const struct file *file);

/* A file whose fd is -1 is fine. */
void file_close(struct file *file);

/* Whether this user could make something of that name: its directory is there and may be written in. 0 or -errno. */
int file_may_be_made(const char *path);

/* Nanoseconds since 1970 of a timespec, clipped to what 64 bits hold. */
struct timespec;
int64_t file_nanoseconds(const struct timespec *time);

#endif
