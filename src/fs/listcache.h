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

/* NULL without memory. */
struct listcache *listcache_new(const struct listcache_options *options);
void listcache_free(struct listcache *cache);

/* The directory as it is now: names and kinds; sizes and times of what was looked at are right too. `directory` is the open directory
 * that lies at place->path. 0 and *snapshot (valid until the next call), or -errno. -EINPROGRESS: it is
 * large and must be read anew, which is to be done elsewhere, between listcache_begin and listcache_end. */
int listcache_get(struct listcache *cache, const struct place *place, const struct file *directory, int64_t now,
    struct snapshot **snapshot);

/* The snapshot is going to be read elsewhere: from now on its directory is watched, and changes are noted. The number of this reading,
 * or 0 when another one is under way already. */
uint64_t listcache_begin(struct listcache *cache, struct snapshot *snapshot, const struct place *place);

/* That reading is over: the snapshot that wants snapshot_adopt, or NULL when it was given up, or changed beyond telling, meanwhile. */
struct snapshot *listcache_end(struct listcache *cache, const struct place *place, const struct file *directory,
    uint64_t reading);

/* Call after a snapshot has grown (rows, looks): others make room for it. */
void listcache_settle(struct listcache *cache, struct snapshot *snapshot);

#endif
