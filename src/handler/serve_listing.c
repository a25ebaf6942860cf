/* Take the page (showing.c) and name it by the hash of its bytes; then decide the answer. A reading that failed is an
 * error page, never half a listing. The pages are blobs, plain and coded, for all who ask for the same. */
#include "handler/serve_listing.h"

#include "handler/content.h"
#include "handler/problem.h"
#include "handler/scan.h"
#include "handler/showing.h"
#include "listing/html.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

/* The part of the URL that is the root: nothing above it is linked. Where the front mapped the URL
 * elsewhere (a rewrite), the site's own root. */
static struct str
mount_of(const struct request *request)
{
	if (str_ends(request->url, request->path))
		return str_sub(request->url, 0, request->url.len - request->path.len + 1);
	return S("/");
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
	blob = showing_plain(showing);
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
	struct blob *blob = showing->bytes.ptr == NULL ? showing_plain(showing) : NULL;
	int fd = blob != NULL && blob->fd >= 0 ? fcntl(blob->fd, F_DUPFD_CLOEXEC, 0) : -1;

	blob_put(showing->handler->blobs, blob);
	return fd >= 0 ? fd : -ENOENT;
}

static void
set_tag(struct showing *showing, enum coding coding, enum quality quality)
{
	char text[SHOWING_TAG_MAX];
	struct buf plain = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };
	struct buf tag = { .ptr = showing->tag, .cap = SHOWING_TAG_MAX, .max = SHOWING_TAG_MAX };

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
	const struct handoff *handoff = &showing->handler->options->cache_handoff;
	const struct request *request = showing->request;
	char text[PATH_MAX];
	struct buf path = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	/* lighttpd would compare that date with the time of the file, which is not the page's: a folder that is again as it
	 * was an hour ago has an old file. */
	if (request->if_modified_since.ptr != NULL && request->if_none_match.ptr == NULL)
		return false;
	if (!content_can_hand_off(showing->handler, request, &showing->representation, outcome, blob, &path))
		return false;
	showing->response->status = STATUS_OK;
	showing->response->reason = "listing, handed off";
	response_field(showing->response, "Content-Type", showing->representation.media_type);
	if (showing->representation.coding.len > 0)
		response_field(showing->response, "Content-Encoding", showing->representation.coding);
	listing_fields(showing);
	handoff_respond(showing->response, handoff, request->front, S(""), buf_view(&path));
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

/* 0, or as showing_take: a thread codes the page, or makes it again, since that of a large folder that is as it was may
 * have gone out of the cache. */
static int
respond(struct showing *showing)
{
	struct outcome outcome;
	struct blob *blob;

	set_tag(showing, CODING_IDENTITY, QUALITY_QUICK);
	select_coding(showing);
	if (showing->coded.undecided) {
		/* Read again it would be another page by then, whose coded form is to be made. */
		if (showing->scanned != NULL)
			showing->scanned->wanted = true;
		return -EINPROGRESS;
	}
	blob = showing->coded.blob;
	showing->representation.complete_length = blob != NULL ? blob->length : showing->rendered.length;
	outcome = conditional_evaluate(showing->request, &showing->representation);
	if (content_settle(showing->response, showing->request, &showing->representation, &outcome, varies(showing))) {
		blob_put(showing->handler->blobs, blob);
		return 0;
	}
	if (blob == NULL)
		blob = showing_plain(showing);
	if (blob == NULL && showing->snapshot != NULL && showing_is_long_work(showing))
		return showing_scan(showing);
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
	error = showing_take(&showing);
	if (error == 0)
		error = respond(&showing);
	if (error == -EBUSY)
		problem_respond(response, STATUS_SERVICE_UNAVAILABLE, "too many large folders at once");
	else if (error != 0 && error != -EINPROGRESS)
		problem_respond_errno(response, error, error == -EAGAIN ? "the folder changes while it is read" :
		    "reading the folder failed");
	blob_put(handler->blobs, showing.plain);
	/* What is being read has its cost when that is done. */
	if (showing.snapshot != NULL && showing.snapshot->reading == 0)
		listcache_settle(handler->listings, showing.snapshot);
}
