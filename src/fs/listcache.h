/* struct listcache: snapshots of directories, found by what the directory is, kept while memory and watches last. */
#ifndef FS_LISTCACHE_H
#define FS_LISTCACHE_H

#include "fs/snapshot.h"

struct listcache;

struct listcache_options {
	size_t budget;         /* bytes */
	size_t watches;        /* directories watched at most */
	int64_t age;           /* nanoseconds for which a snapshot without a watch is taken for right */
	bool leave_large;      /* a large directory is not read here: listcache_get says -EINPROGRESS */
};

/* So many entries make a directory large: reading and looking takes some 50 ms. */
#define LISTCACHE_LARGE 16000

/* So many looks, counted as snapshot_untold_looks does, take some five milliseconds. */
#define LISTCACHE_LOOKS 4000

/* NULL without memory. */
struct listcache *listcache_new(const struct listcache_options *options);
void listcache_free(struct listcache *cache);

/* The directory as it is now: names and kinds, sizes and times of what was looked at. Only what may change without telling is as it was when
 * it was looked at (snapshot_look_untold), unless snapshot->fresh. `directory` is the open directory that lies at place->path. 0 and *snapshot (valid until the next call), or -errno. -EINPROGRESS: it is
 * large and must be read anew, which is to be done elsewhere, between listcache_begin and listcache_end. */
int listcache_get(struct listcache *cache, const struct place *place, const struct file *directory, int64_t now,
    struct snapshot **snapshot);

/* The snapshot is going to be read elsewhere: from now on its directory is watched, and changes are noted. The number of this reading,
 * or 0 when the snapshot has no use for it: another one is under way already, or all is known but for what must be looked at
 * each time. */
uint64_t listcache_begin(struct listcache *cache, struct snapshot *snapshot, const struct place *place);

/* That reading is over: the snapshot that wants snapshot_adopt, or NULL when it was given up, or changed beyond telling, meanwhile. */
struct snapshot *listcache_end(struct listcache *cache, const struct place *place, const struct file *directory,
    uint64_t reading);

/* Takes over what the watches have told, once a second at most: what nobody takes fills the kernel's queue, and when it is full every
 * directory must be read again. */
void listcache_drain(struct listcache *cache, int64_t now);

/* Why a directory could not be watched whose changes would be told, as an errno, once; 0: nothing to say. Its listing may be as old as a
 * snapshot without a watch. */
int listcache_complaint(struct listcache *cache);

/* Call after a snapshot has grown (rows, looks): others make room for it. */
void listcache_settle(struct listcache *cache, struct snapshot *snapshot);

#endif
