/* struct filecache: what is known of files by their path, right as long as a look at the path finds the same thing there. */
#ifndef FS_FILECACHE_H
#define FS_FILECACHE_H

#include "base/cache.h"
#include "fs/blobs.h"
#include "fs/file.h"

/* An answer made of a file before: 200 with all of it, of which a 304 takes a part; or the 304 alone. */
struct kept_answer {
	struct kept_answer *next;
	struct str accepted;     /* the Accept-Encoding that it answers */
	bool varies;             /* false: it answers any */
	struct blob *content;    /* its bytes in memory; NULL: the 304 alone */
	struct str fields;
	size_t shared_from, shared_len; /* the part of the fields that a 304 has too */
	struct str tag;
};

struct cached_file {
	struct cache_node node;
	struct file file;        /* what it was, fd -1 */
	struct str media_type;   /* owned when by content, else of the table */
	struct str coding;
	struct blob *content;    /* NULL: not kept */
	struct kept_answer *answers; /* the newest first */
	size_t root_len, path_len;
	char path[];             /* of the root, a slash, and below it; ended by NUL */
};

struct filecache {
	struct cache cache;
	enum symlink_policy symlinks;
	struct blobs *blobs;
};

void filecache_init(struct filecache *cache, size_t budget, enum symlink_policy symlinks, struct blobs *blobs);
void filecache_release(struct filecache *cache);

/* The file at a path below the root at root_path, if it is still what is remembered: same device, inode, size, mtime and ctime, and the way to
 * it leads through no link (with SYMLINKS_FOLLOW: wherever it leads). NULL when nothing is remembered or it is another now. Valid
 * until the next filecache_add. */
struct cached_file *filecache_get(struct filecache *cache, struct str root_path, struct str path);

/* Remembers a regular file just opened there. NULL when there is no room, and where a look by path would not find it: it has changed already, it is
 * reached through a link, or others change its file system unseen. */
struct cached_file *filecache_add(struct filecache *cache, struct str root_path, struct str path, const struct file *file,
    struct str media_type, struct str coding);

/* Keeps its content: only when it cannot have changed unseen (the last change is some time ago). */
void filecache_keep_content(struct filecache *cache, struct cached_file *cached, struct str bytes);

/* Keeps a copy of an answer, with one more use of its content; of several the newest few. */
void filecache_keep_answer(struct filecache *cache, struct cached_file *cached, const struct kept_answer *answer);

#endif
