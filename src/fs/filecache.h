/* struct filecache: what is known of files by their path, right as long as one look at the path finds the same thing there. */
#ifndef FS_FILECACHE_H
#define FS_FILECACHE_H

#include "base/cache.h"
#include "fs/blobs.h"
#include "fs/file.h"

struct cached_file {
	struct cache_node node;
	dev_t root_device;
	ino_t root_inode;
	struct file file;        /* what it was, fd -1 */
	struct str media_type;   /* owned when by content, else of the table */
	struct str coding;
	struct blob *content;    /* NULL: not kept */
	size_t path_len;
	char path[];
};

struct filecache {
	struct cache cache;
	struct blobs *blobs;
};

void filecache_init(struct filecache *cache, size_t budget, struct blobs *blobs);
void filecache_release(struct filecache *cache);

/* The file at a path below the root, if it is still what is remembered: same device, inode, size, mtime and ctime, found by one
 * statx. NULL when nothing is remembered or it is another now. Valid until the next filecache_add. */
struct cached_file *filecache_get(struct filecache *cache, const struct root *root, struct str path);

/* The same, looked for by the root's own path: it is also another when that path leads elsewhere now. */
struct cached_file *filecache_get_by_path(struct filecache *cache, const struct root *root, struct str root_path,
    struct str path);

/* Remembers a regular file just opened below the root. NULL when there is no room, and where a look by path is not enough (links are refused). */
struct cached_file *filecache_add(struct filecache *cache, const struct root *root, struct str path,
    const struct file *file, struct str media_type, struct str coding);

/* Keeps its content: only when it cannot have changed unseen (the last change is some time ago). */
void filecache_keep_content(struct filecache *cache, struct cached_file *cached, struct str bytes);

#endif
