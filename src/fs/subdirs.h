/* Subdirectories whose times are told: each has a watch of its own, and so need not be looked at whenever its parent is listed. */
#ifndef FS_SUBDIRS_H
#define FS_SUBDIRS_H

#include "base/buf.h"

struct place;
struct snapshot;
struct watch;

struct subdir {
	int wd;
	uint32_t name;           /* offset in subdirs.names */
	uint32_t name_len;
	struct snapshot *snapshot;
	struct subdir *next;     /* in the table */
};

/* Those of one snapshot. */
struct subdirs {
	struct subdir *list;
	size_t count;
	size_t left;             /* subdirectories that were refused a watch, the last time */
	struct buf names;
};

/* Those of all, by the number of their watch. */
#define SUBDIRS_PLACES 1024
struct subdirs_table {
	struct subdir *by_wd[SUBDIRS_PLACES];
};

/* Watches subdirectories of a snapshot that have no watch yet, `at_once` of them at the most, looks at each once more and marks
 * its entry as told. When there are more than `most`, only those of pages that were asked for are watched; none when these are
 * more. 0, -ESTALE when the snapshot must be read again, or -errno as directory_look. */
int subdirs_watch(struct subdirs_table *table, struct watch *watch, struct snapshot *snapshot, const struct place *place, size_t most,
    size_t at_once);

/* Gives up what subdirs_watch took. */
void subdirs_unwatch(struct subdirs_table *table, struct watch *watch, struct snapshot *snapshot);

/* Something was told of a watch: of what came or went in the directory, or of the directory itself (the name is empty). */
void subdirs_tell(struct subdirs_table *table, int wd, struct str name);

#endif
