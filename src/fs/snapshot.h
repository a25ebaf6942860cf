/* struct snapshot: a directory as read once, kept right by what is known to have changed since. */
#ifndef FS_SNAPSHOT_H
#define FS_SNAPSHOT_H

#include "base/cache.h"
#include "fs/file.h"
#include "fs/subdirs.h"
#include "listing/listing.h"
#include "listing/order.h"

/* Names that changed since the last look, beyond which all is read again: looking at so many takes some three milliseconds. Of a directory of
 * fewer names it is fewer. */
#define SNAPSHOT_CHANGES_MAX 2048

/* The rows of one page, of a directory that is not put in order as a whole. */
struct window {
	struct rows rows;
	uint64_t version;            /* of the snapshot then, or of its order by name; 0: none */
	enum sort_key sort;
	size_t first, shown;
	bool descending;
};

struct snapshot {
	struct cache_node node;
	dev_t device, root_device;   /* which directory, seen under which root */
	ino_t inode, root_inode;
	uint64_t mount;              /* through which: the same directory may have other subdirectories there */
	struct listing listing;
	struct rows rows[3];         /* ascending, per sort key, of all entries */
	bool rows_ready[3];
	struct window window;
	uint32_t *elsewhere;         /* entries that may change without telling: positions, those of links first */
	size_t elsewhere_count, elsewhere_links;
	bool elsewhere_ready;
	size_t elsewhere_dirs;       /* subdirectories among them */
	unsigned calm;               /* uses since that list was made */
	struct subdirs subdirs;
	bool fresh;                  /* it was read after the last refresh was asked for */
	bool looked_at_all;
	bool stale;                  /* read it again */
	uint64_t reading;            /* the number of the reading elsewhere that is under way; 0: none */
	bool lost;                   /* it is being read elsewhere, and something changed that was not told by name */
	size_t arena_read;           /* bytes of names when it was read: what comes beside is not given back */
	struct listing changes;      /* names that changed, each once */
	int wd;                      /* of the watch; -1: none, then it is right for a while only */
	struct snapshot *wd_next;    /* listcache's: another whose number is kept in the same place */
	int64_t read_at;             /* nanoseconds: when reading it began */
	int64_t checked_at;          /* when the last self-check was */
	size_t check_next;           /* the entry that is checked next */
	uint64_t version;            /* goes up with every change; never the same for two snapshots of a process */
	uint64_t order_version;      /* the version since which names and kinds are the same */
};

/* An open directory in its place. */
struct place {
	const struct root *root;
	int dir;
	struct str path;             /* below the root */
};

void snapshot_init(struct snapshot *snapshot);
void snapshot_release(struct snapshot *snapshot);

/* Reads all names anew. 0 or -errno, -EFBIG as directory_names when there are more than `most`; then the snapshot is stale. */
int snapshot_read(struct snapshot *snapshot, const struct place *place, int64_t now, size_t most);

/* It is going to be read elsewhere: what is told to change from now on is noted for then. */
void snapshot_forget(struct snapshot *snapshot);

/* Takes a listing over that was read elsewhere, from `began` on, and an ascending order of all its rows (NULL: none), and
 * leaves both empty. What was told to have changed meanwhile is looked at with the next refresh. */
void snapshot_adopt(struct snapshot *snapshot, struct listing *listing, struct rows *rows, enum sort_key sort,
    bool looked, int64_t began);

/* Takes a change over that was told (empty name: no telling what changed). */
void snapshot_note_change(struct snapshot *snapshot, struct str name);

/* The same, of a subdirectory by its own watch. */
void snapshot_note_subdir(struct snapshot *snapshot, struct str name);

/* Looks again at what was told to have changed, and now and then at a few others, to be sure. -ESTALE when it must be read
 * again; 0; or -errno as directory_look. */
int snapshot_refresh(struct snapshot *snapshot, const struct place *place, int64_t now);

/* Looks again at the entries that may change without telling: at all, or at the links alone. Those may lead to another kind of
 * thing now, which moves rows; of the others time and size may be others. Returns as snapshot_refresh. */
int snapshot_look_untold(struct snapshot *snapshot, const struct place *place, bool links_only);

/* The same for those among some rows, links left out. */
int snapshot_look_untold_rows(struct snapshot *snapshot, const struct place *place, const struct rows *rows,
    bool descending, size_t first, size_t shown);

/* What snapshot_look_untold would take, counted in looks at a file. */
size_t snapshot_untold_looks(struct snapshot *snapshot, bool links_only);

/* Looks at every entry that was not looked at yet. 0 or -errno. */
int snapshot_look_all(struct snapshot *snapshot, const struct place *place);

/* Looks at the entries of these rows as far as they were not. *vanished: one of them is gone (and taken out) or of another kind, the order
 * is another now. 0 or -errno. */
int snapshot_look_rows(struct snapshot *snapshot, const struct place *place, const struct rows *rows, bool descending,
    size_t first, size_t shown, bool *vanished);

/* The ascending order by a key, made once per change. NULL without memory. */
const struct rows *snapshot_rows(struct snapshot *snapshot, const struct view *view);

/* Whether the one window is not taken by another page, of the same names. */
bool snapshot_window_is_free(const struct snapshot *snapshot, const struct view *view, size_t first, size_t shown);

/* An order that holds for the rows that one page shows. NULL without memory. */
const struct rows *snapshot_window(struct snapshot *snapshot, const struct view *view, size_t first, size_t shown);

/* Bytes of memory that it takes. */
size_t snapshot_cost(const struct snapshot *snapshot);

#endif
