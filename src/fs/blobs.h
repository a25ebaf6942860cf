/* Bodies made here (coded forms, rendered pages), kept by a hash of what they were made from: in memory while small,
 * as files in a cache directory when there is one, which all processes share, else as files without a name. */
#ifndef FS_BLOBS_H
#define FS_BLOBS_H

#include "base/cache.h"
#include "base/hash.h"

struct helper;

struct blobs_options {
	const char *directory;   /* NULL: none */
	bool for_front;          /* the front reads the files: others may, too */
	size_t memory;           /* bytes kept in memory and in files without a name, with a quarter of RLIMIT_NOFILE at most */
	int64_t disk;            /* bytes of files in the directory */
	struct helper *helper;   /* sweeps the directory, and is freed before this is; NULL: whoever comes to write does */
	size_t small;            /* up to this many bytes a blob is kept in memory */
};

struct blob {
	struct cache_node node;
	struct hash key;
	unsigned uses;           /* by responses, and one by the cache */
	char *bytes;             /* NULL: in fd */
	int fd;                  /* -1: in bytes. Never changes and never becomes shorter */
	int64_t length;          /* -1: it is known that there is none (coding would not help) */
	unsigned asked;          /* the user's own count */
	bool has_path;           /* it is a file of the directory */
};

struct blobs;

/* NULL without memory. What is wrong with the directory is found at the first use, and costs only speed. */
struct blobs *blobs_new(const struct blobs_options *options);
void blobs_free(struct blobs *blobs);

/* The blob of a key, or NULL. Give it back with blob_put. */
struct blob *blobs_get(struct blobs *blobs, struct hash key);

/* Keeps bytes under a key; `shared`: other processes will want them too. The blob, to be given back with blob_put, or NULL when it cannot
 * be kept anywhere. Bytes of ptr NULL: there is none, remember that. */
struct blob *blobs_add(struct blobs *blobs, struct hash key, struct str bytes, bool shared);

/* A blob that no key finds, for bytes that may be others in a moment. NULL when it cannot be made. */
struct blob *blobs_make(struct blobs *blobs, struct str bytes);

/* Nothing is remembered of the key: it is looked for anew. */
void blobs_forget(struct blobs *blobs, struct hash key);

/* Threads beside the user's own that put things into the directory, each with its view of it. */
enum blobs_thread { BLOBS_THREAD_IDLE, BLOBS_THREAD_AWAITED, BLOBS_THREADS };

/* From such a thread; of all processes one makes what takes long. Claims a key, as blobdir_claim. Then blobs_settle gives the
 * claim back (a negative one is fine) and, unless bytes are empty, has them in the directory: 0; else -errno. */
int blobs_claim(struct blobs *blobs, enum blobs_thread thread, struct hash key);
int blobs_settle(struct blobs *blobs, enum blobs_thread thread, struct hash key, int claim, struct str bytes);

void blob_put(struct blobs *blobs, struct blob *blob);

/* Appends the absolute path of a blob that has one. It stays there for two minutes at least. */
void blob_path(const struct blobs *blobs, const struct blob *blob, struct buf *out);

/* Why the directory is not used, as an errno, once; 0: nothing to say. *path is what was tried. */
int blobs_complaint(struct blobs *blobs, const char **path);

#endif
