/* struct listcache: snapshots of directories, found by what the directory is, kept while memory and watches last. */
#ifndef FS_LISTCACHE_H
#define FS_LISTCACHE_H

#include "fs/snapshot.h"

struct listcache;

struct listcache_options {
	size_t budget;         /* bytes */
	size_t watches;        /* directories watched at most */
	int64_t age;           /* nanoseconds for which a snapshot without a watch is taken for right */
};

/* NULL without memory. */
struct listcache *listcache_new(const struct listcache_options *options);
void listcache_free(struct listcache *cache);

/* The directory as it is now: names and kinds; sizes and times of what was looked at are right too. `directory` is the open directory
 * that lies at place->path. 0 and *snapshot (valid until the next call), or -errno. */
int listcache_get(struct listcache *cache, const struct place *place, const struct file *directory, int64_t now,
    struct snapshot **snapshot);

/* Call after a snapshot has grown (rows, looks): others make room for it. */
void listcache_settle(struct listcache *cache, struct snapshot *snapshot);

#endif
