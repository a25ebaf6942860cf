/* Take the snapshot, decide the rows, render, and name the page by the hash of its bytes; then decide the answer. What a snapshot's
 * version was rendered to is remembered, so an unchanged folder costs neither; and a reading that failed is an error page,
 * never half a listing. The pages are blobs, plain and coded, for all who ask for the same. A large folder is read by
 * a thread (scan.c): the request waits, the worker does not. */
#include "handler/serve_listing.h"

#include "handler/coded.h"
#include "handler/content.h"
#include "handler/pages.h"
#include "handler/problem.h"
#include "handler/scan.h"
#include "handler/sheet.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define ATTEMPTS 3

/* From so many names on, one page of several is put in order alone. */
#define WINDOW_FROM 20000

#define TAG_MAX 48

struct showing {
	struct handler *handler;
	const struct target *target;
	const struct request *request;
	struct response *response;
	const struct file *directory;
	struct place place;
	struct snapshot *snapshot;
	struct view view;
	struct page page;
	struct rendered rendered;
	struct str bytes;            /* the page just rendered, in the sheet; ptr NULL: it was not */
	struct blob *plain;          /* the page, whether it is kept or not */
	struct representation representation;
	struct coded coded;
	char tag[TAG_MAX];
};

/* The part of the URL that is the root: nothing above it is linked. Where the front mapped the URL
 * elsewhere (a rewrite), the site's own root. */
static struct str
mount_of(const struct request *request)
{
	if (str_ends(request->url, request->path))
		return str_sub(request->url, 0, request->url.len - request->path.len + 1);
	return S("/");
}

/* One page of several, by name: it shows nothing but its own rows, and what it says of the others is their number and kind. */
static bool
is_page_by_name(const struct showing *showing)
{
	return showing->page.pages > 1 && showing->view.sort == SORT_NAME;
}

/* A folder that is too large for one page of it to be put in order as a whole has the rows of that page in order. */
static int
order_rows(struct showing *showing)
{
	struct snapshot *snapshot = showing->snapshot;
	struct page *page = &showing->page;

	if (page->pages > 1 && snapshot->listing.count >= WINDOW_FROM && !snapshot->rows_ready[showing->view.sort])
		page->rows = snapshot_window(snapshot, &showing->view, page->first, page->shown);
	else
		page->rows = snapshot_rows(snapshot, &showing->view);
	return page->rows != NULL ? 0 : -ENOMEM;
}

static void
set_window(struct showing *showing)
{
	page_set_window(&showing->page, showing->snapshot->listing.count, showing->handler->options->page_size);
}

/* Decides which rows are shown and sees to it that their facts are known. Names come from reading; sizes and times cost a look
 * each, so one page by name looks at its own rows only. -EAGAIN: a row vanished under the look. */
static int
choose_rows(struct showing *showing)
{
	struct snapshot *snapshot = showing->snapshot;
	bool vanished = false;
	int error = 0;

	if (!is_page_by_name(showing))
		error = snapshot_look_all(snapshot, &showing->place);
	if (error != 0)
		return error;
	set_window(showing);
	error = order_rows(showing);
	if (error == 0 && !snapshot->looked_at_all)
		error = snapshot_look_rows(snapshot, &showing->place, showing->page.rows, showing->view.descending,
		    showing->page.first, showing->page.shown, &vanished);
	return error == 0 && vanished ? -EAGAIN : error;
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

/* So much to look at and to render that it is the thread's. */
static bool
is_long_work(const struct showing *showing)
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
		if (is_long_work(showing))
			return -EINPROGRESS;
		error = render(showing);
	}
	return error;
}

/* Has a thread read the folder and render the page. -EINPROGRESS: wait. */
static int
start_scan(struct showing *showing)
{
	const struct page page = { .url = showing->page.url, .mount = showing->page.mount, .view = &showing->view };
	int error = scan_start(showing->handler, &showing->place, showing->directory, &page, showing->snapshot,
	    showing->request->received);

	return error == 0 ? -EINPROGRESS : error;
}

/* -EINPROGRESS: wait. */
static int
take_scan(struct showing *showing)
{
	struct page page = { .url = showing->page.url, .mount = showing->page.mount, .view = &showing->view };
	struct hash key = scan_key(&showing->place, showing->directory, &page);
	const struct scan_result *result = scan_find(showing->handler, key, showing->request);
	int error;

	if (result != NULL && !result->pending) {
		showing->rendered = result->rendered;
		showing->plain = result->blob;
		if (result->blob != NULL)
			result->blob->uses++;
		return result->error;
	}
	if (result != NULL)
		return -EINPROGRESS;
	error = take_page(showing);
	return error == -EINPROGRESS ? start_scan(showing) : error;
}

/* The rendered page, which gets its place among the blobs when it is sent and not before: who asks for a coded form, or has it already,
 * never needs that. NULL when it is not kept and cannot be made again. */
static struct blob *
plain_page(struct showing *showing)
{
	struct blobs *blobs = showing->handler->blobs;
	struct hash key = coded_key(showing->rendered.hash, CODING_IDENTITY, QUALITY_QUICK);

	if (showing->plain == NULL)
		showing->plain = blobs_get(blobs, key);
	if (showing->plain == NULL && showing->bytes.ptr == NULL && showing->snapshot != NULL && !is_long_work(showing) &&
	    render(showing) == 0)
		key = coded_key(showing->rendered.hash, CODING_IDENTITY, QUALITY_QUICK);
	if (showing->plain == NULL && showing->bytes.ptr != NULL)
		showing->plain = blobs_add(blobs, key, showing->bytes, false);
	if (showing->plain != NULL)
		showing->plain->uses++;
	return showing->plain;
}

static int
read_blob(const struct blob *blob, struct buf *out)
{
	ssize_t n = blob->length;

	if (!buf_reserve(out, (size_t)blob->length + 1))
		return -ENOMEM;
	if (blob->bytes != NULL)
		memcpy(out->ptr, blob->bytes, (size_t)blob->length);
	else
		n = pread(blob->fd, out->ptr, (size_t)blob->length, 0);
	out->len = n > 0 ? (size_t)n : 0;
	return n == blob->length ? 0 : -EIO;
}

static int
read_for_coding(void *context, struct buf *out)
{
	struct showing *showing = context;
	struct blob *blob;
	int error;

	if (showing->bytes.ptr != NULL) {
		buf_str(out, showing->bytes);
		return 0;
	}
	blob = plain_page(showing);
	if (blob == NULL)
		return -ENOENT;
	error = read_blob(blob, out);
	blob_put(showing->handler->blobs, blob);
	return error;
}

/* Of a page that is in a file. One that was rendered just now is at hand as bytes, and may never need a file. */
static int
open_for_coding(void *context)
{
	struct showing *showing = context;
	struct blob *blob = showing->bytes.ptr == NULL ? plain_page(showing) : NULL;
	int fd = blob != NULL && blob->fd >= 0 ? fcntl(blob->fd, F_DUPFD_CLOEXEC, 0) : -1;

	blob_put(showing->handler->blobs, blob);
	return fd >= 0 ? fd : -ENOENT;
}

static void
set_tag(struct showing *showing, enum coding coding, enum quality quality)
{
	char text[TAG_MAX];
	struct buf plain = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };
	struct buf tag = { .ptr = showing->tag, .cap = TAG_MAX, .max = TAG_MAX };

	buf_char(&plain, '"');
	hash_format(&plain, showing->rendered.hash);
	buf_char(&plain, '"');
	coded_tag(&tag, buf_view(&plain), coding, quality);
	showing->representation.etag = buf_view(&tag);
}

static void
select_coding(struct showing *showing)
{
	struct coded_source source = { .base = showing->rendered.hash, .size = showing->rendered.length, .settled = true,
		.tag = showing->representation.etag, .request = showing->request, .read = read_for_coding, .open = open_for_coding,
		.context = showing };

	if (!showing->handler->options->codings[CODING_IDENTITY] ||
	    !coded_is_worth(showing->representation.media_type, source.size))
		return;
	showing->coded = coded_get(showing->handler, &source, coded_choose(showing->handler, showing->request));
	if (showing->coded.blob == NULL)
		return;
	set_tag(showing, showing->coded.coding, showing->coded.quality);
	if (!coded_is_meant(showing->request, showing->representation.etag)) {
		blob_put(showing->handler->blobs, showing->coded.blob);
		showing->coded.blob = NULL;
		set_tag(showing, CODING_IDENTITY, QUALITY_QUICK);
		return;
	}
	showing->representation.coding = coding_name(showing->coded.coding);
}

static struct str
varies(const struct showing *showing)
{
	return showing->handler->options->codings[CODING_IDENTITY] ? S("Accept, Accept-Encoding") : S("Accept");
}

static void
listing_fields(struct showing *showing)
{
	struct response *response = showing->response;

	response_field(response, "X-Content-Type-Options", S("nosniff"));
	response_field(response, "Referrer-Policy", S("same-origin"));
	if (showing->view.format == FORMAT_HTML)
		response_field(response, "Content-Security-Policy", html_security_policy());
	content_validators(response, showing->request, &showing->representation, varies(showing));
}

/* A large page that lies in a file is the front's to send, if that front keeps what the answer says. */
static bool
hand_off(struct showing *showing, const struct outcome *outcome, const struct blob *blob)
{
	const struct handler_options *options = showing->handler->options;
	char text[256];
	struct buf path = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	if (!blob->has_path || blob->length <= options->handoff_above || handoff_drops_vary(&options->cache_handoff) ||
	    !handoff_agrees(showing->request, &showing->representation, outcome))
		return false;
	/* lighttpd would compare that date with the time of the file, which is not the page's: a folder that is again as it
	 * was an hour ago has an old file. */
	if (showing->request->if_modified_since.ptr != NULL && showing->request->if_none_match.ptr == NULL)
		return false;
	blob_path(showing->handler->blobs, blob, &path);
	if (buf_failed(&path) || !handoff_can_carry(&options->cache_handoff, showing->request->front, S(""),
	    buf_view(&path), showing->representation.coding))
		return false;
	showing->response->status = STATUS_OK;
	showing->response->reason = "listing, handed off";
	response_field(showing->response, "Content-Type", showing->representation.media_type);
	if (showing->representation.coding.len > 0)
		response_field(showing->response, "Content-Encoding", showing->representation.coding);
	listing_fields(showing);
	handoff_respond(showing->response, &options->cache_handoff, showing->request->front, S(""), buf_view(&path));
	return true;
}

/* The blob is given to the response, or back. */
static void
respond_page(struct showing *showing, const struct outcome *outcome, struct blob *blob)
{
	struct response *response = showing->response;

	if (hand_off(showing, outcome, blob)) {
		blob_put(showing->handler->blobs, blob);
		return;
	}
	response->reason = "listing";
	content_respond_blob(response, &showing->representation, outcome, blob, showing->request);
	response_field(response, "Accept-Ranges", S("bytes"));
	listing_fields(showing);
}

/* 0, or as take_scan: of a large folder that is as it was the page may have gone out of the cache, and is made
 * again. */
static int
respond(struct showing *showing)
{
	struct outcome outcome;
	struct blob *blob;

	set_tag(showing, CODING_IDENTITY, QUALITY_QUICK);
	select_coding(showing);
	blob = showing->coded.blob;
	showing->representation.complete_length = blob != NULL ? blob->length : showing->rendered.length;
	outcome = conditional_evaluate(showing->request, &showing->representation);
	if (content_settle(showing->response, showing->request, &showing->representation, &outcome, varies(showing))) {
		blob_put(showing->handler->blobs, blob);
		return 0;
	}
	if (blob == NULL)
		blob = plain_page(showing);
	if (blob == NULL && showing->snapshot != NULL && is_long_work(showing))
		return start_scan(showing);
	if (blob == NULL)
		problem_respond(showing->response, STATUS_SERVICE_UNAVAILABLE, "no room for the listing");
	else
		respond_page(showing, &outcome, blob);
	return 0;
}

void
serve_listing(struct handler *handler, const struct target *target, const struct request *request,
    const struct file *directory, struct response *response)
{
	struct showing showing = { .handler = handler, .target = target, .request = request, .response = response,
		.directory = directory, .place = { target->root, directory->fd, target->path },
		.view = view_parse(request->query, request->accept) };
	int error;

	showing.page = (struct page){ .url = request->url, .mount = mount_of(request), .view = &showing.view };
	showing.representation.media_type =
	    showing.view.format == FORMAT_JSON ? S("application/json") : S("text/html; charset=utf-8");
	error = take_scan(&showing);
	if (error == 0)
		error = respond(&showing);
	if (error == -EINPROGRESS)
		return;
	if (error == -EBUSY)
		problem_respond(response, STATUS_SERVICE_UNAVAILABLE, "too many large folders at once");
	else if (error != 0)
		problem_respond_errno(response, error, error == -EAGAIN ? "the folder changes while it is read" :
		    "reading the folder failed");
	blob_put(handler->blobs, showing.plain);
	if (showing.snapshot != NULL)
		listcache_settle(handler->listings, showing.snapshot);
}
