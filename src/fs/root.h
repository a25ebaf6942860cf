/* struct root: one directory, opened once; everything that is served lies below it. */
#ifndef FS_ROOT_H
#define FS_ROOT_H

#include "base/str.h"

#include <sys/types.h>

enum symlink_policy {
	SYMLINKS_WITHIN_ROOT, /* follow-within-root: a link counts if what it finally names lies below the root */
	SYMLINKS_FOLLOW,      /* follow: wherever it leads */
	SYMLINKS_REFUSE,      /* refuse: no link anywhere in the path */
};

struct root {
	int fd;
	enum symlink_policy symlinks;
	bool walk;    /* the kernel has no openat2: go component by component */
	dev_t device; /* which directory it is */
	ino_t inode;
	uint64_t mount; /* through which: what is mounted below it depends on that; 0: an old kernel does not tell */
};

/* Opens the directory. 0 or -errno. The root itself may be reached through links. */
int root_open(struct root *root, const char *path, enum symlink_policy symlinks);

/* Whether the path still names the directory that is open, through the same mount: a link that leads to the tree may have been switched. */
bool root_is_current(const struct root *root, const char *path);

/* A zeroed or closed root is fine. */
void root_close(struct root *root);

/* Opens what lies at a path below the root ("/a/b", "/", no leading slash is fine too; trailing slashes are ignored) with open(2)
 * flags; O_CLOEXEC, O_NONBLOCK and O_NOCTTY are added. Never leaves the root but by SYMLINKS_FOLLOW.
 * The descriptor, or -errno: -ENOENT for what is not there, what leaves the root, a link in a circle,
 * a refused link, a file used as a directory, a name too long: no caller can tell these apart;
 * -EACCES for what may not be read, and -EMFILE, -ENOMEM, -EIO as they come. */
int root_open_below(const struct root *root, struct str path, int flags);

/* Turns openat2 off, so that tests run the walk on any kernel. */
void root_force_walk(struct root *root);

#endif
