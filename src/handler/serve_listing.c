/* Take the snapshot, decide the rows, then decide the answer, then render: the tag comes from what the page would show, so
 * a client that has it already costs no rendering, and a reading that failed is an error page, never half a
 * listing. A rendered page is kept by the hash of its facts, plain and coded, for all who ask for the same. */
#include "handler/serve_listing.h"

#include "handler/coded.h"
#include "handler/content.h"
#include "handler/pages.h"
#include "handler/problem.h"
#include "listing/html.h"
#include "listing/json.h"
#include "listing/order.h"

#include <errno.h>

#define ATTEMPTS 3

/* From so many names on, one page by name is put in order alone. */
#define WINDOW_FROM 20000

#define TAG_MAX 48

struct showing {
	struct handler *handler;
	const struct target *target;
	const struct request *request;
	struct response *response;
	struct place place;
	struct snapshot *snapshot;
	struct view view;
	struct page page;
	struct hash facts;
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

/* The rows that one page by name shows, of a folder too large to be put in order as a whole. */
static int
order_window(struct showing *showing)
{
	struct rows *rows = &showing->handler->window;

	if (!rows_sort(rows, &showing->snapshot->listing, &showing->view, showing->page.first, showing->page.shown))
		return -ENOMEM;
	showing->page.rows = rows;
	return 0;
}

static int
order_all(struct showing *showing)
{
	showing->page.rows = snapshot_rows(showing->snapshot, &showing->view);
	return showing->page.rows != NULL ? 0 : -ENOMEM;
}

/* Decides which rows are shown and sees to it that their facts are known. Names come from reading; sizes and times cost a look
 * each, so one page by name looks at its own rows only. -EAGAIN: a row vanished under the look. */
static int
choose_rows(struct showing *showing)
{
	struct snapshot *snapshot = showing->snapshot;
	size_t page_size = showing->handler->options->page_size;
	bool vanished = false;
	int error;

	page_set_window(&showing->page, snapshot->listing.count, page_size);
	if (showing->page.pages == 1 || showing->view.sort != SORT_NAME)
		error = snapshot_look_all(snapshot, &showing->place);
	else
		error = 0;
	if (error != 0)
		return error;
	page_set_window(&showing->page, snapshot->listing.count, page_size);
	if (showing->page.pages > 1 && showing->view.sort == SORT_NAME && snapshot->listing.count >= WINDOW_FROM &&
	    !snapshot->rows_ready[SORT_NAME])
		error = order_window(showing);
	else
		error = order_all(showing);
	if (error == 0)
		error = snapshot_look_rows(snapshot, &showing->place, showing->page.rows, showing->view.descending,
		    showing->page.first, showing->page.shown, &vanished);
	return error == 0 && vanished ? -EAGAIN : error;
}

static int
find_facts(struct showing *showing)
{
	struct buf *digest = &showing->handler->digest;
	uint64_t version = showing->snapshot->version;

	if (pages_find(showing->handler->pages, version, &showing->page, &showing->facts))
		return 0;
	buf_reset(digest);
	page_digest(digest, &showing->page, &showing->snapshot->listing);
	if (buf_failed(digest))
		return -ENOMEM;
	showing->facts = hash_bytes(buf_view(digest));
	pages_add(showing->handler->pages, version, &showing->page, showing->facts);
	return 0;
}

static int
take_snapshot(struct showing *showing, const struct file *directory)
{
	int error = -EAGAIN;

	for (int i = 0; i < ATTEMPTS && error == -EAGAIN; i++) {
		error = listcache_get(showing->handler->listings, &showing->place, directory, showing->request->received,
		    &showing->snapshot);
		if (error == 0)
			error = choose_rows(showing);
	}
	return error == 0 ? find_facts(showing) : error;
}

static void
render(const struct showing *showing, struct buf *out)
{
	if (showing->view.format == FORMAT_JSON)
		json_render(out, &showing->page, &showing->snapshot->listing);
	else
		html_render(out, &showing->page, &showing->snapshot->listing);
}

/* The rendered page, kept or made now. NULL when it cannot be had. */
static struct blob *
plain_page(struct showing *showing)
{
	struct hash key = coded_key(showing->facts, CODING_IDENTITY, QUALITY_QUICK);
	struct blob *blob = blobs_get(showing->handler->blobs, key);
	struct buf *out = &showing->handler->plain;

	if (blob != NULL)
		return blob;
	buf_reset(out);
	render(showing, out);
	if (buf_failed(out))
		return NULL;
	blob = blobs_add(showing->handler->blobs, key, buf_view(out), false);
	if (out->cap > ((size_t)4 << 20))
		buf_release(out);
	return blob;
}

/* The page's bytes for coding: rendered again rather than read back, it is as quick. */
static int
read_for_coding(void *context, struct buf *out)
{
	render(context, out);
	return buf_failed(out) ? -ENOMEM : 0;
}

static void
set_tag(struct showing *showing, enum coding coding, enum quality quality)
{
	char text[TAG_MAX];
	struct buf plain = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };
	struct buf tag = { .ptr = showing->tag, .cap = TAG_MAX, .max = TAG_MAX };

	buf_char(&plain, '"');
	hash_format(&plain, showing->facts);
	buf_char(&plain, '"');
	coded_tag(&tag, buf_view(&plain), coding, quality);
	showing->representation.etag = buf_view(&tag);
}

/* An upper bound that decides whether coding is worth it, and whether it is done at once. */
static int64_t
guess_size(const struct showing *showing)
{
	return 4096 + (int64_t)showing->page.shown * 200;
}

static void
select_coding(struct showing *showing)
{
	struct coded_source source = { .base = showing->facts, .size = guess_size(showing), .settled = true,
		.read = read_for_coding, .context = showing };

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
hand_off(struct showing *showing, const struct blob *blob)
{
	const struct handler_options *options = showing->handler->options;
	char text[256];
	struct buf path = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	if (!blob->has_path || blob->length <= options->handoff_above || handoff_drops_vary(&options->cache_handoff))
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

static void
respond_page(struct showing *showing, struct blob *blob)
{
	struct response *response = showing->response;
	struct outcome outcome;

	showing->representation.complete_length = blob->length;
	outcome = conditional_evaluate(showing->request, &showing->representation);
	if (content_settle(response, showing->request, &showing->representation, &outcome, varies(showing)) ||
	    hand_off(showing, blob)) {
		blob_put(showing->handler->blobs, blob);
		return;
	}
	response->reason = "listing";
	content_respond_blob(response, &showing->representation, &outcome, blob, showing->request);
	response_field(response, "Accept-Ranges", S("bytes"));
	listing_fields(showing);
}

/* First whether the client has it already: no page is rendered for that. Its length is not known yet, and does not matter: a
 * precondition comes before a range (RFC 9110 13.2.2). */
static void
respond(struct showing *showing)
{
	struct outcome outcome;
	struct blob *blob;

	set_tag(showing, CODING_IDENTITY, QUALITY_QUICK);
	select_coding(showing);
	outcome = conditional_evaluate(showing->request, &showing->representation);
	if (content_settle(showing->response, showing->request, &showing->representation, &outcome, varies(showing))) {
		blob_put(showing->handler->blobs, showing->coded.blob);
		return;
	}
	blob = showing->coded.blob != NULL ? showing->coded.blob : plain_page(showing);
	if (blob == NULL)
		problem_respond(showing->response, STATUS_SERVICE_UNAVAILABLE, "no memory for the listing");
	else
		respond_page(showing, blob);
}

void
serve_listing(struct handler *handler, const struct target *target, const struct request *request,
    const struct file *directory, struct response *response)
{
	struct showing showing = { .handler = handler, .target = target, .request = request, .response = response,
		.place = { target->root, directory->fd, target->path }, .view = view_parse(request->query, request->accept) };
	int error;

	showing.page = (struct page){ .url = request->url, .mount = mount_of(request), .view = &showing.view };
	showing.representation.media_type =
	    showing.view.format == FORMAT_JSON ? S("application/json") : S("text/html; charset=utf-8");
	error = take_snapshot(&showing, directory);
	if (error == 0)
		respond(&showing);
	else
		problem_respond_errno(response, error, error == -EAGAIN ? "the folder changes while it is read" :
		    "reading the folder failed");
	if (showing.snapshot != NULL)
		listcache_settle(handler->listings, showing.snapshot);
}
