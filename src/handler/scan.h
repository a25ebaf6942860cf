/* Reading and rendering a large folder in the helper's thread, while the worker serves others. */
#ifndef HANDLER_SCAN_H
#define HANDLER_SCAN_H

#include "handler/handler.h"
#include "handler/pages.h"

/* What came of a scan. */
struct scan_result {
	bool valid;
	bool pending;            /* under way: nothing below but key and began */
	struct hash key;         /* directory, root, page */
	int64_t began;           /* nanoseconds: when reading began */
	int error;               /* 0 or -errno */
	struct rendered rendered;
	struct blob *blob;       /* the page itself, for those who waited */
	unsigned kept;           /* requests since it was done */
};

/* Which scan a page of a directory wants. */
struct hash scan_key(const struct place *place, const struct file *directory, const struct page *page);

/* The result for a request that came at `received`: one that began no earlier, or one that is under way. NULL: none. */
const struct scan_result *scan_find(const struct handler *handler, struct hash key, int64_t received);

/* Once a request: gives pages back that all who waited for them have had by now. */
void scan_age(struct handler *handler);

/* Gives all results back. */
void scan_release(struct handler *handler);

/* Starts a scan of the page's folder; `snapshot` is what listcache_get said -EINPROGRESS of. 0, -EBUSY when too many wait, or -errno. */
int scan_start(struct handler *handler, const struct place *place, const struct file *directory,
    const struct page *page, struct snapshot *snapshot, int64_t now);

#endif
