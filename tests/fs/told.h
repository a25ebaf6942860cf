/* A watched directory, what is done to it, and what is told of it. */
#ifndef TESTS_FS_TOLD_H
#define TESTS_FS_TOLD_H

#include "base/buf.h"
#include "fs/tree.h"
#include "fs/watch.h"

/* What was told: the number of times, and the names, each ended by a slash. */
struct told {
	int wd;          /* of the directory that is meant */
	int events;
	int strangers;   /* of other directories */
	int overflows;
	struct buf names;
};

/* Directories to watch, dir and other, with files, links and directories in them. */
void told_make_tree(struct tree *tree);
int open_directory(const struct tree *tree, const char *path);

/* Watches one directory, and tells of it. */
struct watch *watch_directory(const struct tree *tree, struct told *told, const char *path);
void release(struct watch *watch, struct told *told);

/* What a watch calls, its context a struct told. */
void take_event(void *context, int wd, struct str name);
bool was_told(const struct told *told, const char *name);
void forget(struct told *told);

enum change {
	CREATE, MAKE_DIRECTORY, UNLINK, REMOVE_DIRECTORY, RENAME, WRITE, TRUNCATE, CHMOD, TOUCH, SYMLINK, LINK, FIFO, READ,
	MAP,     /* writes through a memory map, and lets go of it */
	SUBMIT,  /* writes by io_submit, and closes */
};

/* Does it: to what is at the path, and where the change has two ends from there to the other. */
void apply(const struct tree *tree, enum change change, const char *path, const char *to);

#endif
