/* Opening what lies below one directory and nothing else. The kernel does it in one call where it has
 * openat2; the walk, component by component and following no link, is for kernels and sandboxes without it.
 * Both refuse a link with an absolute target, and one that climbs out and comes back in, although what it
 * finally names may lie below the root. Such a link is judged by the physical path of its target: that path,
 * below the root and now free of links, is opened again and must be the very same thing. */
#include "fs/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifdef HAVE_LINUX_OPENAT2_H
#include <linux/openat2.h>
#endif

#if defined(HAVE_LINUX_OPENAT2_H) && defined(SYS_openat2)
#define BENEATH RESOLVE_BENEATH
#define NO_SYMLINKS RESOLVE_NO_SYMLINKS
#define NO_MAGICLINKS RESOLVE_NO_MAGICLINKS
#else
enum { BENEATH = 0, NO_SYMLINKS = 0, NO_MAGICLINKS = 0 };
#endif

enum { TRIES = 8 };

/* The descriptor or -errno. -EAGAIN means that somebody renamed something on the way (or holds a lease). */
static int
open_resolved(int at, const char *path, int flags, uint64_t resolve)
{
#if defined(HAVE_LINUX_OPENAT2_H) && defined(SYS_openat2)
	struct open_how how = { .flags = (uint64_t)(unsigned)flags, .resolve = resolve };
	long fd = -1;

	for (int i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, at, path, &how, sizeof(how));
		if (fd >= 0)
			return (int)fd;
		if (errno != EAGAIN && errno != EINTR)
			break;
	}
	return -errno;
#else
	(void)at, (void)path, (void)flags, (void)resolve;
	return -ENOSYS;
#endif
}

/* Without openat2 (an old sandbox says EPERM), and where renames never left it in peace. */
static bool
needs_walk(int fd)
{
	return fd == -ENOSYS || fd == -EPERM || fd == -EAGAIN || fd == -EINTR;
}

static int
open_one(int at, const char *name, int flags)
{
	int fd;

	do {
		fd = openat(at, name, flags);
	} while (fd < 0 && errno == EINTR);
	return fd >= 0 ? fd : -errno;
}

/* The last component of a walk: with O_PATH a link is opened as itself, which is no success. */
static int
open_last(int at, const char *name, int flags)
{
	int fd = open_one(at, name, flags | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || (flags & O_PATH) == 0)
		return fd;
	if (fstat(fd, &st) == 0 && !S_ISLNK(st.st_mode))
		return fd;
	close(fd);
	return -ELOOP;
}

/* Never follows a link: -ELOOP, or -ENOTDIR where a directory is wanted. */
static int
open_walking(int at, const char *path, int flags)
{
	char copy[PATH_MAX];
	char *name = copy;
	char *slash;
	int dir = at;

	memcpy(copy, path, strlen(path) + 1);
	while ((slash = strchr(name, '/')) != NULL) {
		int next;

		*slash = '\0';
		next = open_one(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (dir != at)
			close(dir);
		if (next < 0)
			return next;
		dir = next;
		name = slash + 1;
	}
	int fd = open_last(dir, name, flags);
	if (dir != at)
		close(dir);
	return fd;
}

static int
open_without_links(const struct root *root, const char *path, int flags)
{
	int fd = root->walk ? -ENOSYS : open_resolved(root->fd, path, flags, BENEATH | NO_SYMLINKS);

	return needs_walk(fd) ? open_walking(root->fd, path, flags) : fd;
}

/* Where a descriptor's object lies now. False when it cannot be told (no /proc, longer than PATH_MAX). */
static bool
physical_path(int fd, char path[static PATH_MAX])
{
	char link[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, PATH_MAX);
	if (len <= 0 || len >= PATH_MAX)
		return false;
	path[len] = '\0';
	return path[0] == '/';
}

/* The part of an absolute path below another, "." for that itself, or NULL: "/srv/wwwx" is not below
 * "/srv/www". */
static const char *
path_below(const char *path, const char *above)
{
	size_t len = strlen(above);

	if (len == 1)
		len = 0; /* "/" */
	if (strncmp(path, above, len) != 0 || (path[len] != '/' && path[len] != '\0'))
		return NULL;
	path += len;
	path += path[0] == '/';
	return path[0] != '\0' ? path : ".";
}

static bool
same_object(int a, int b)
{
	struct stat sa, sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Opens what an O_PATH descriptor stands for by a way that has no links. -EAGAIN: it moved meanwhile. */
static int
reopen_below(const struct root *root, int target, int flags)
{
	char path[PATH_MAX], above[PATH_MAX];
	const char *below;
	int fd;

	if (!physical_path(target, path) || !physical_path(root->fd, above))
		return -ENOENT;
	below = path_below(path, above);
	if (below == NULL)
		return -ENOENT;
	fd = open_without_links(root, below, flags);
	if (fd == -ENOENT)
		return -EAGAIN;
	if (fd >= 0 && !same_object(fd, target)) {
		close(fd);
		return -EAGAIN;
	}
	return fd;
}

/* O_PATH touches nothing it names: no device wakes, no FIFO waits. Whatever is in the way outside the root
 * looks the same (-ENOENT), also a directory that may not be searched. */
static int
open_physically(const struct root *root, const char *path, int flags)
{
	for (int i = 0; i < TRIES; i++) {
		int target = open_one(root->fd, path, O_PATH | O_CLOEXEC);
		int fd;

		if (target < 0)
			return target == -EACCES ? -ENOENT : target;
		fd = reopen_below(root, target, flags);
		close(target);
		if (fd != -EAGAIN)
			return fd;
	}
	return -ENOENT;
}

static int
open_within(const struct root *root, const char *path, int flags)
{
	int fd = root->walk ? -ENOSYS : open_resolved(root->fd, path, flags, BENEATH | NO_MAGICLINKS);
	bool maybe_link = fd == -EXDEV || fd == -ELOOP;

	if (needs_walk(fd)) {
		fd = open_walking(root->fd, path, flags);
		maybe_link = fd == -ELOOP || fd == -ENOTDIR;
	}
	return maybe_link ? open_physically(root, path, flags) : fd;
}

/* The path as a C string without slashes at its ends, "." for the root itself. False for what names
 * nothing. */
static bool
copy_path(char copy[static PATH_MAX], struct str path)
{
	size_t len = 0;
	struct str part;

	if (str_has(path, '\0'))
		return false;
	while (str_cut(&path, '/', &part)) {
		if (part.len == 0 || str_eq(part, S(".")))
			continue;
		if (str_eq(part, S("..")) || part.len + 2 > PATH_MAX - len)
			return false;
		if (len > 0)
			copy[len++] = '/';
		memcpy(copy + len, part.ptr, part.len);
		len += part.len;
	}
	if (len == 0)
		copy[len++] = '.';
	copy[len] = '\0';
	return true;
}

/* Errors that would tell why something is not there become one. */
static int
settle(int fd)
{
	switch (fd) {
	case -ELOOP:
	case -EXDEV:
	case -ENOTDIR:
	case -ENAMETOOLONG:
	case -EILSEQ: /* no name that this file system could hold */
	case -ENXIO:  /* a socket */
	case -ENODEV:
		return -ENOENT;
	default:
		return fd;
	}
}

/* Which directory is there. Without statx (an old sandbox says EPERM) the mount is not known. */
static bool
identify(struct root *root, int at, const char *path, int flags)
{
	struct statx found;
	struct stat st;

	if (statx(at, path, flags, STATX_INO | STATX_MNT_ID, &found) == 0) {
		root->device = makedev(found.stx_dev_major, found.stx_dev_minor);
		root->inode = found.stx_ino;
		root->mount = (found.stx_mask & STATX_MNT_ID) != 0 ? found.stx_mnt_id : 0;
		return true;
	}
	if ((errno != EPERM && errno != ENOSYS) || fstatat(at, path, &st, flags) != 0)
		return false;
	root->device = st.st_dev;
	root->inode = st.st_ino;
	return true;
}

int
root_open(struct root *root, const char *path, enum symlink_policy symlinks)
{
	int fd = open_one(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int probe;

	*root = (struct root){ .fd = fd < 0 ? -1 : fd, .symlinks = symlinks };
	if (fd < 0)
		return fd;
	identify(root, fd, "", AT_EMPTY_PATH);
	probe = open_resolved(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC, BENEATH);
	root->walk = probe == -ENOSYS || probe == -EPERM;
	if (probe >= 0)
		close(probe);
	return 0;
}

bool
root_is_current(const struct root *root, const char *path)
{
	struct root now = { 0 };

	return identify(&now, AT_FDCWD, path, 0) && now.device == root->device && now.inode == root->inode &&
	    now.mount == root->mount;
}

void
root_close(struct root *root)
{
	if (root->fd > 0)
		close(root->fd);
	*root = (struct root){ .fd = -1 };
}

int
root_open_below(const struct root *root, struct str path, int flags)
{
	char copy[PATH_MAX];

	if (!copy_path(copy, path))
		return -ENOENT;
	flags &= ~O_NOFOLLOW; /* links are judged by the policy */
	if ((flags & O_PATH) != 0)
		flags = (flags & (O_PATH | O_DIRECTORY)) | O_CLOEXEC; /* openat2 takes nothing else with it */
	else
		flags |= O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	switch (root->symlinks) {
	case SYMLINKS_FOLLOW:
		return settle(open_one(root->fd, copy, flags));
	case SYMLINKS_WITHIN_ROOT:
		return settle(open_within(root, copy, flags));
	case SYMLINKS_REFUSE:
		break;
	}
	return settle(open_without_links(root, copy, flags));
}

void
root_force_walk(struct root *root)
{
	root->walk = true;
}
