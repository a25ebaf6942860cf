/* A tree of files to test on: a directory of its own below $TMPDIR or /tmp, removed with all in it. */
#ifndef TESTS_FS_TREE_H
#define TESTS_FS_TREE_H

#include "fs/root.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Names that a file may have: of bytes that mean something to somebody, and the longest. */
#define ANY_BYTES "\x01\n\r\t \"%?#&<>\\\xff\xc3\x28"
#define N51 "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
#define N255 N51 N51 N51 N51 N51

struct tree {
	int fd;              /* of the directory, for openat and the like */
	char path[PATH_MAX]; /* absolute, without links */
};

void tree_make(struct tree *tree);
void tree_remove(struct tree *tree);

/* Paths are relative to the tree. Failure ends the test. */
void tree_directory(const struct tree *tree, const char *path, mode_t mode);
void tree_file(const struct tree *tree, const char *path, const char *content);
void tree_link(const struct tree *tree, const char *path, const char *target);

/* A link whose target is absolute: the tree's own path and then `below` ("/a/b"). */
void tree_link_absolute(const struct tree *tree, const char *path, const char *below);
void tree_fifo(const struct tree *tree, const char *path);
void tree_socket(const struct tree *tree, const char *path);

/* The absolute path of what is below ("a/b"). */
void tree_path(const struct tree *tree, const char *below, char out[PATH_MAX]);

/* Opens a directory of it as a root. */
void tree_open_root(const struct tree *tree, const char *below, struct root *root, enum symlink_policy policy);

/* Seconds and nanoseconds since 1970, of the thing itself. */
void tree_time(const struct tree *tree, const char *path, time_t seconds, long nanoseconds);

/* Appends to a file that is there. */
void tree_append(const struct tree *tree, const char *path, const char *content);

/* Removes what is there, a directory with all in it. Nothing there is fine. */
void tree_take_away(const struct tree *tree, const char *path);

/* What a directory holds, with a look at each: directory_names and directory_look_all. 0 or -errno as they say. */
struct listing;
int read_directory(struct listing *listing, const struct root *root, int dir, struct str path);

/* Runs a function in a child that may not read everything: as nobody when we are root. What it returns
 * (0 to 99), or 100 when privilege could not be dropped. */
int tree_without_privilege(int (*run)(void));

/* Runs a function in a child that is root in a user namespace of its own, where limits can be set and disks be mounted that are
 * nobody else's. What it returns has to be 0. Where that is not allowed the test says that `what` was skipped. */
void tree_in_namespace(const char *what, int (*run)(void));

/* Sets a limit of that namespace ("max_inotify_watches"). False where that is not allowed, which is said too. */
bool tree_limit(const char *what, const char *limit, const char *value);

/* The lowest free descriptor: the same before and after what leaks none. */
int tree_next_fd(void);

#endif
