/* struct handler: from a request to a response. Knows files and listings; knows no FastCGI and no process. */
#ifndef HANDLER_HANDLER_H
#define HANDLER_HANDLER_H

#include "base/hash.h"
#include "fs/compress.h"
#include "fs/filecache.h"
#include "fs/listcache.h"
#include "fs/root.h"
#include "handler/handoff.h"
#include "http/request.h"
#include "http/response.h"

/* Content up to this many bytes is read into memory, so that the answer is whole before its first byte. */
#define INLINE_MAX 65536

#define HANDLER_INDEX_MAX 16
#define HANDLER_PENDING_MAX 64
#define HANDLER_SCANS_MAX 16
#define HANDLER_MISTAKES_MAX 16

/* Strings are borrowed and must outlive the handler. */
struct handler_options {
	struct str root;                      /* absolute; empty: each request brings its own */
	struct str index[HANDLER_INDEX_MAX];  /* names of index files, in order */
	size_t index_count;
	struct handoff handoff;
	int64_t handoff_above;                /* bytes: larger content is handed off */
	enum symlink_policy symlinks;
	size_t page_size;                     /* rows of a page that a browser gets; 0: all */
	bool codings[CODING_COUNT];           /* which are on */
	const char *cache_dir;                /* for what is made here; NULL: none */
	struct handoff cache_handoff;         /* how the front is given files of cache_dir */
	size_t cache_memory;                  /* bytes, for each of: snapshots, bodies, files */
	int64_t cache_disk;                   /* bytes of files in cache_dir */
	size_t watches;                       /* directories watched at most */
	int64_t snapshot_age;                 /* nanoseconds for which a listing that cannot be watched is right */
	bool alone;                           /* one request, then the end (CGI): nothing is left to a thread */
};

struct coding_job;

/* A coded form that the helper makes, or will; key 0: none. */
struct pending_coding {
	struct hash key;
	struct coding_job *work;
};

/* A coded form that requests wait for, one at a time. */
struct awaited_coding {
	bool valid, pending;
	struct hash key;
	struct blob *blob;       /* once it is done; NULL: there is none */
};

struct magic;
struct helper;
struct pages;
struct scan_result;
struct sheet;

struct handler {
	const struct handler_options *options;
	struct root root;        /* the one used last, with its path as it was given */
	struct buf root_path;
	struct magic *magic;
	struct blobs *blobs;
	struct filecache files;
	struct listcache *listings;
	struct pages *pages;
	struct helper *helper;   /* for what nobody waits for; NULL, as are the next two, for one request alone */
	struct helper *scanner;  /* for large folders, which somebody waits for, some at once: a huge one is not in the
	                            way of others */
	struct helper *coder;    /* for what `awaited` is about: nothing queues there, nor behind a folder */
	int wake;                /* an epoll descriptor of what the last two have done */
	struct scan_result *scans;
	uint64_t newest;         /* request->order of the latest request */
	struct sheet *sheet;
	struct buf plain;        /* scratch, as is the next one */
	struct buf coded;
	struct pending_coding pending[HANDLER_PENDING_MAX];
	struct awaited_coding awaited;
	struct hash mistakes[HANDLER_MISTAKES_MAX]; /* values of the front's that were complained of */
	size_t mistake_count;
	struct buf mistake;      /* one of them, that the log was not told of yet */
};

/* A place to look at: a root by its path, the path below, and the root once it had to be opened (NULL before). */
struct target {
	struct str root_path;
	struct str path;
	const struct root *root;
};

/* Opens the target's root if it is not: it is good until the request is answered. 0 or -errno. */
int target_open(struct handler *handler, struct target *target);

/* Opens the configured root, if there is one. 0 or -errno. */
int handler_init(struct handler *handler, const struct handler_options *options);

void handler_release(struct handler *handler);

/* Answers a request: fills a reset response. Status 0: the answer needs work that a thread is doing; ask again, with the same request
 * and a reset response, after the next handler_collect. */
void handler_respond(struct handler *handler, const struct request *request, struct response *response);

/* A descriptor that is readable when handler_collect is to be called; -1 when nothing is ever left to a thread. */
int handler_descriptor(const struct handler *handler);

/* Takes over what threads have done for those who wait. Ask again for every answer that waits, then call handler_collected. */
void handler_collect(struct handler *handler);

/* All who waited have asked again: gives back what was made for them. */
void handler_collected(struct handler *handler);

/* Gives back what the response holds of the handler's (an open file, a kept body). Call once the response is sent or given up. */
void handler_finish(struct handler *handler, struct response *response);

/* Something that the log should be told of. */
struct complaint {
	enum {
		COMPLAINT_NONE,
		COMPLAINT_CACHE_DIR, /* it is not used: error, and what is its path */
		COMPLAINT_WATCHES,   /* a directory cannot be watched: error */
		COMPLAINT_HANDOFF,   /* what the front names as hand-off is none; it counts as off */
	} about;
	int error;       /* an errno; 0: none */
	struct str what; /* good until the next request */
};

/* Each once; of wrong values the first HANDLER_MISTAKES_MAX. */
struct complaint handler_complaint(struct handler *handler);

#endif
