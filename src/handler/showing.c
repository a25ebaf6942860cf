/* What is shown: a snapshot, the rows of it, the page of them. What a snapshot's version was rendered to is remembered, so an unchanged
 * folder costs neither rows nor rendering. A large folder is read by a thread (scan.c): the request waits, the worker does not. */
#include "handler/showing.h"

#include "handler/coded.h"
#include "handler/pages.h"
#include "handler/scan.h"
#include "handler/sheet.h"

#include <errno.h>

#define ATTEMPTS 3

/* From so many names on, each page of several is put in order alone, not only the first that is asked for. */
#define WINDOW_FROM 20000

/* One page of several, by name: it shows nothing but its own rows, and what it says of the others is their number and kind. */
static bool
is_page_by_name(const struct showing *showing)
{
	return showing->page.pages > 1 && showing->view.sort == SORT_NAME;
}

/* Of a folder that nobody has turned the pages of, the page that is asked for is put in order alone: it costs a
 * quarter. */
static int
order_rows(struct showing *showing)
{
	struct snapshot *snapshot = showing->snapshot;
	struct page *page = &showing->page;
	bool alone = page->pages > 1 && !snapshot->rows_ready[showing->view.sort] &&
	             (snapshot->listing.count >= WINDOW_FROM ||
			 snapshot_window_is_free(snapshot, &showing->view, page->first, page->shown));

	page->rows = alone ? snapshot_window(snapshot, &showing->view, page->first, page->shown)
	                   : snapshot_rows(snapshot, &showing->view);
	return page->rows != NULL ? 0 : -ENOMEM;
}

static void
set_window(struct showing *showing)
{
	page_set_window(&showing->page, showing->snapshot->listing.count, showing->handler->options->page_size);
}

/* Decides which rows are shown and sees to it that their facts are known. Names come from reading; sizes and times cost a look
 * each, so one page by name looks at its own rows only. *vanished: one of them was not as the directory said. */
static int
look_at_rows(struct showing *showing, bool *vanished)
{
	struct snapshot *snapshot = showing->snapshot;
	int error = 0;

	*vanished = false;
	set_window(showing);
	if (!is_page_by_name(showing))
		error = snapshot_look_all(snapshot, &showing->place);
	if (error != 0)
		return error;
	set_window(showing);
	error = order_rows(showing);
	if (error == 0 && !snapshot->looked_at_all)
		error = snapshot_look_rows(snapshot, &showing->place, showing->page.rows, showing->view.descending,
		    showing->page.first, showing->page.shown, vanished);
	return error;
}

/* Where files come and go all the time the rows that take the place of vanished ones are few, and there as a rule. -EAGAIN: not even
 * those. */
static int
choose_rows(struct showing *showing)
{
	bool vanished = true;
	int error = 0;

	for (int i = 0; i < ATTEMPTS && error == 0 && vanished; i++)
		error = look_at_rows(showing, &vanished);
	if (error != 0 || !vanished)
		return error;
	/* All of it is going away. */
	showing->snapshot->stale = true;
	return -EAGAIN;
}

static int
render(struct showing *showing)
{
	struct handler *handler = showing->handler;
	int error = showing->page.rows == NULL ? choose_rows(showing) : 0;

	if (error != 0)
		return error;
	showing->bytes = sheet_render(handler->sheet, showing->snapshot, &showing->page);
	if (showing->bytes.ptr == NULL)
		return -ENOMEM;
	showing->rendered = (struct rendered){ hash_bytes(showing->bytes), (int64_t)showing->bytes.len };
	pages_add(handler->pages, showing->snapshot->version, &showing->page, showing->rendered);
	return 0;
}

bool
showing_is_long_work(const struct showing *showing)
{
	const struct snapshot *snapshot = showing->snapshot;

	if (showing->handler->options->alone || snapshot->listing.count < LISTCACHE_LARGE)
		return false;
	return showing->page.shown >= LISTCACHE_LARGE || (showing->view.sort != SORT_NAME && !snapshot->looked_at_all);
}

/* What may have changed without telling, as far as the page depends on it. -EAGAIN: the folder is to be read again; -EINPROGRESS: that
 * is so much that a thread shall. */
static int
look_untold(struct showing *showing)
{
	struct snapshot *snapshot = showing->snapshot;
	bool links_only = is_page_by_name(showing);
	int error;

	if (snapshot->wd < 0 || snapshot->fresh)
		return 0;
	if (!showing->handler->options->alone && snapshot_untold_looks(snapshot, links_only) > LISTCACHE_LOOKS)
		return -EINPROGRESS;
	error = snapshot_look_untold(snapshot, &showing->place, links_only);
	if (error == 0 && links_only && snapshot->elsewhere_count > snapshot->elsewhere_links) {
		error = order_rows(showing);
		if (error == 0)
			error = snapshot_look_untold_rows(snapshot, &showing->place, showing->page.rows,
			    showing->view.descending, showing->page.first, showing->page.shown);
		showing->page.rows = NULL;
	}
	return error == -ESTALE ? -EAGAIN : error;
}

/* Settles what the page is: remembered, or rendered now. -EINPROGRESS: a thread shall. */
static int
take_page(struct showing *showing)
{
	int error = -EAGAIN;

	for (int i = 0; i < ATTEMPTS && error == -EAGAIN; i++) {
		showing->page.rows = NULL;
		error = listcache_get(showing->handler->listings, &showing->place, showing->directory,
		    showing->request->received, &showing->snapshot);
		if (error != 0)
			return error;
		set_window(showing);
		error = look_untold(showing);
		if (error != 0)
			continue;
		if (pages_find(showing->handler->pages, showing->snapshot->version, &showing->page, &showing->rendered))
			return 0;
		if (showing_is_long_work(showing))
			return -EINPROGRESS;
		error = render(showing);
	}
	return error;
}

int
showing_scan(struct showing *showing)
{
	const struct page page = { .url = showing->page.url, .mount = showing->page.mount, .view = &showing->view };
	int error = scan_start(showing->handler, &showing->place, showing->directory, &page, showing->snapshot,
	    showing->request->received);

	return error == 0 ? -EINPROGRESS : error;
}

int
showing_take(struct showing *showing)
{
	struct page page = { .url = showing->page.url, .mount = showing->page.mount, .view = &showing->view };
	struct hash key = scan_key(&showing->place, showing->directory, &page);
	struct scan_result *result = scan_find(showing->handler, key, showing->request);
	int error;

	if (result != NULL && !result->pending) {
		showing->scanned = result;
		showing->rendered = result->rendered;
		showing->plain = result->blob;
		if (result->blob != NULL)
			result->blob->uses++;
		return result->error;
	}
	if (result != NULL)
		return -EINPROGRESS;
	error = take_page(showing);
	return error == -EINPROGRESS ? showing_scan(showing) : error;
}

struct blob *
showing_plain(struct showing *showing)
{
	struct blobs *blobs = showing->handler->blobs;
	struct hash key = coded_key(showing->rendered.hash, CODING_IDENTITY, QUALITY_QUICK);

	if (showing->plain == NULL)
		showing->plain = blobs_get(blobs, key);
	if (showing->plain == NULL && showing->bytes.ptr == NULL && showing->snapshot != NULL && !showing_is_long_work(showing) &&
	    render(showing) == 0)
		key = coded_key(showing->rendered.hash, CODING_IDENTITY, QUALITY_QUICK);
	if (showing->plain == NULL && showing->bytes.ptr != NULL)
		showing->plain = blobs_add(blobs, key, showing->bytes, false);
	if (showing->plain != NULL)
		showing->plain->uses++;
	return showing->plain;
}
