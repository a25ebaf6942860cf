/* The thread gets copies of everything, a root and a directory of its own, and gives back a listing, an order and a page.
 * The request waits; it is answered with what was read after it came, whatever has changed since. Who asks for
 * the same meanwhile waits for the same. The snapshot takes the listing over, if its watch told all changes by name. */
#include "handler/scan.h"

#include "fs/directory.h"
#include "fs/helper.h"
#include "handler/coded.h"
#include "handler/sheet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE_MAX ((size_t)1 << 30)

struct scan {
	struct job job;
	struct handler *handler;
	struct scan_result *result;
	struct root root;
	struct file directory;   /* whoever asked reads it no more */
	uint64_t reading;
	int64_t began;           /* nanoseconds */
	size_t page_size;
	struct view view;
	struct page page;
	struct listing listing;
	struct rows rows;
	struct buf body;
	bool whole;              /* everything is looked at, and in order */
	int error;
	struct str path, url, mount;
	char text[];             /* of these three */
};

struct hash
scan_key(const struct place *place, const struct file *directory, const struct page *page)
{
	struct hash view = page_identity(page);
	const uint64_t key[] = { view.high, view.low, page->view->page, directory->device, directory->inode,
		directory->mount, place->root->device, place->root->inode };

	return hash_bytes((struct str){ (const char *)key, sizeof(key) });
}

struct scan_result *
scan_find(const struct handler *handler, struct hash key, const struct request *request)
{
	for (size_t i = 0; i < HANDLER_SCANS_MAX; i++) {
		struct scan_result *result = &handler->scans[i];

		if (result->valid && result->key.high == key.high && result->key.low == key.low &&
		    (result->pending || result->began >= request->order))
			return result;
	}
	return NULL;
}

/* The rows shown, when not all were looked at. One that vanishes stays, as unreadable: it was there when reading began. */
static int
look_shown(struct scan *scan)
{
	for (size_t i = 0; i < scan->page.shown; i++) {
		size_t at = rows_at(&scan->rows, scan->page.first + i, scan->view.descending);
		struct entry *entry = &scan->listing.entries[at];
		int error = entry->looked ? 0 : directory_look(&scan->listing, entry, &scan->root, scan->directory.fd, scan->path);

		if (error != 0 && error != -ENOENT)
			return error;
	}
	return 0;
}

static int
read_folder(struct scan *scan)
{
	struct view ascending = { .sort = scan->view.sort };
	struct page *page = &scan->page;
	int error = directory_names(&scan->listing, &scan->root, scan->directory.fd, scan->path, SIZE_MAX);

	page_set_window(page, scan->listing.count, scan->page_size);
	scan->whole = page->pages == 1 || scan->view.sort != SORT_NAME;
	if (error == 0 && scan->whole)
		error = directory_look_all(&scan->listing, &scan->root, scan->directory.fd, scan->path);
	if (error != 0)
		return error;
	page_set_window(page, scan->listing.count, scan->page_size);
	if (!(scan->whole ? rows_sort(&scan->rows, &scan->listing, &ascending, 0, SIZE_MAX) :
	    rows_sort(&scan->rows, &scan->listing, &scan->view, page->first, page->shown)))
		return -ENOMEM;
	page->rows = &scan->rows;
	return scan->whole ? 0 : look_shown(scan);
}

static void
scan_run(struct job *job)
{
	struct scan *scan = (struct scan *)job;

	scan->error = read_folder(scan);
	if (scan->error == 0)
		page_render(&scan->body, &scan->page, &scan->listing, NULL);
	if (scan->error == 0 && buf_failed(&scan->body))
		scan->error = -ENOMEM;
}

static void
scan_free(struct scan *scan)
{
	root_close(&scan->root);
	file_close(&scan->directory);
	listing_release(&scan->listing);
	rows_release(&scan->rows);
	buf_release(&scan->body);
	free(scan);
}

static void
keep_listing(struct scan *scan)
{
	const struct place place = { &scan->root, scan->directory.fd, scan->path };
	struct listcache *listings = scan->handler->listings;
	struct snapshot *snapshot = listcache_end(listings, &place, &scan->directory, scan->reading);

	if (snapshot == NULL || scan->error != 0)
		return;
	snapshot_adopt(snapshot, &scan->listing, scan->whole ? &scan->rows : NULL, scan->view.sort, scan->whole,
	    scan->began);
	pages_add(scan->handler->pages, snapshot->version, &scan->page, scan->result->rendered);
	listcache_settle(listings, snapshot);
}

static void
scan_finish(struct job *job)
{
	struct scan *scan = (struct scan *)job;
	struct scan_result *result = scan->result;
	struct blobs *blobs = scan->handler->blobs;
	struct blob *blob = NULL;

	if (scan->error == 0 && scan->body.len == 0)
		scan->error = -ECANCELED;
	if (scan->error == 0) {
		result->rendered = (struct rendered){ hash_bytes(buf_view(&scan->body)), (int64_t)scan->body.len };
		blob = blobs_add(blobs, coded_key(result->rendered.hash, CODING_IDENTITY, QUALITY_QUICK), buf_view(&scan->body), false);
		if (blob == NULL)
			scan->error = -ENOMEM;
	}
	result->blob = blob;
	keep_listing(scan);
	result->error = scan->error;
	result->pending = false;
	scan_free(scan);
}

static void
give_back(struct handler *handler, struct scan_result *result)
{
	blob_put(handler->blobs, result->blob);
	*result = (struct scan_result){ 0 };
}

/* A place for the result: a free one, else the oldest that nobody works on. */
static struct scan_result *
take_result(struct handler *handler)
{
	struct scan_result *oldest = NULL;

	for (size_t i = 0; i < HANDLER_SCANS_MAX; i++) {
		struct scan_result *result = &handler->scans[i];

		if (!result->valid)
			return result;
		if (!result->pending && (oldest == NULL || result->began < oldest->began))
			oldest = result;
	}
	if (oldest == NULL)
		return NULL;
	/* Whoever waited for it and has not asked yet finds nothing, not half of it. */
	give_back(handler, oldest);
	return oldest;
}

static struct str
copy(char **to, struct str s)
{
	struct str copied = { *to, s.len };

	memcpy(*to, s.ptr, s.len);
	*to += s.len;
	return copied;
}

static struct scan *
scan_new(const struct place *place, const struct file *directory, const struct page *page)
{
	struct scan *scan = calloc(1, sizeof(*scan) + place->path.len + page->url.len + page->mount.len);
	char *text;

	if (scan == NULL)
		return NULL;
	scan->root = *place->root;
	scan->root.fd = fcntl(place->root->fd, F_DUPFD_CLOEXEC, 0);
	scan->directory = *directory;
	scan->directory.fd = fcntl(directory->fd, F_DUPFD_CLOEXEC, 0);
	text = scan->text;
	scan->path = copy(&text, place->path);
	scan->url = copy(&text, page->url);
	scan->mount = copy(&text, page->mount);
	scan->view = *page->view;
	scan->page = (struct page){ .url = scan->url, .mount = scan->mount, .view = &scan->view };
	listing_init(&scan->listing);
	buf_init(&scan->body, PAGE_MAX);
	return scan;
}

void
scan_forget(struct handler *handler)
{
	for (size_t i = 0; i < HANDLER_SCANS_MAX; i++) {
		struct scan_result *result = &handler->scans[i];

		if (result->valid && !result->pending && !result->wanted)
			give_back(handler, result);
		result->wanted = false;
	}
}

void
scan_release(struct handler *handler)
{
	for (size_t i = 0; handler->scans != NULL && i < HANDLER_SCANS_MAX; i++)
		give_back(handler, &handler->scans[i]);
	free(handler->scans);
	handler->scans = NULL;
}

int
scan_start(struct handler *handler, const struct place *place, const struct file *directory, const struct page *page,
    struct snapshot *snapshot, int64_t now)
{
	struct scan_result *result = take_result(handler);
	struct scan *scan = result != NULL ? scan_new(place, directory, page) : NULL;

	if (scan == NULL || scan->root.fd < 0 || scan->directory.fd < 0) {
		if (scan != NULL)
			scan_free(scan);
		return result == NULL ? -EBUSY : -EMFILE;
	}
	scan->handler = handler;
	scan->result = result;
	scan->page_size = handler->options->page_size;
	scan->job.run = scan_run;
	scan->job.finish = scan_finish;
	scan->reading = listcache_begin(handler->listings, snapshot, place);
	scan->began = now;
	*result = (struct scan_result){ .valid = true, .pending = true, .began = handler->newest,
		.key = scan_key(place, directory, page) };
	/* Where no thread can be had (a limit of processes) all wait for this one; that is better than no answer. */
	if (!helper_submit(handler->scanner, &scan->job))
		helper_run(handler->scanner, &scan->job);
	return 0;
}
