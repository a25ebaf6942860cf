/* Reading and rendering a large folder in the helper's thread, while the worker serves others. */
#ifndef HANDLER_SCAN_H
#define HANDLER_SCAN_H

#include "handler/handler.h"
#include "handler/pages.h"

/* What came of a scan. */
struct scan_result {
	bool valid;
	bool pending;            /* under way: nothing below but key and began */
	bool wanted;             /* by who waits for its coded form now: scan_forget leaves it until the next time */
	struct hash key;         /* directory, root, page */
	uint64_t began;          /* order of the latest request that had come when reading began */
	int error;               /* 0 or -errno */
	struct rendered rendered;
	struct blob *blob;       /* the page itself, for those who waited */
};

/* Which scan a page of a directory wants. */
struct hash scan_key(const struct place *place, const struct file *directory, const struct page *page);

/* The result for a request: of a scan that began when it had come, or of one that is under way. NULL: none. */
struct scan_result *scan_find(const struct handler *handler, struct hash key, const struct request *request);

/* Gives back the results of what is done and not wanted: all who waited for them have asked again. */
void scan_forget(struct handler *handler);

/* Gives everything back; no scan is under way. */
void scan_release(struct handler *handler);

/* Starts a scan of the page's folder, now (nanoseconds); `snapshot` is what listcache_get said -EINPROGRESS of. 0, -EBUSY when too
 * many wait, or -errno. */
int scan_start(struct handler *handler, const struct place *place, const struct file *directory,
    const struct page *page, struct snapshot *snapshot, int64_t now);

#endif
