/* Read, then sort, then decide, then render: the tag comes from what the page would show, so a client that has it
 * already costs no rendering, and a reading that failed is an error page, never half a listing. */
#include "handler/serve_listing.h"

#include "base/hash.h"
#include "fs/directory.h"
#include "handler/content.h"
#include "handler/problem.h"
#include "listing/html.h"
#include "listing/json.h"
#include "listing/order.h"

/* The part of the URL that is the root: nothing above it is linked. Where the front mapped the URL
 * elsewhere (a rewrite), the site's own root. */
static struct str
mount_of(const struct request *request)
{
	if (str_ends(request->url, request->path))
		return str_sub(request->url, 0, request->url.len - request->path.len + 1);
	return S("/");
}

static struct str
listing_tag(struct handler *handler, const struct page *page, char text[36])
{
	struct buf tag = { .ptr = text, .cap = 36, .max = 36 };

	buf_reset(&handler->digest);
	page_digest(&handler->digest, page, &handler->listing);
	if (buf_failed(&handler->digest))
		return (struct str){ NULL, 0 };
	buf_char(&tag, '"');
	hash_format(&tag, hash_bytes(buf_view(&handler->digest)));
	buf_char(&tag, '"');
	return buf_view(&tag);
}

static void
listing_fields(struct response *response, const struct request *request, const struct representation *representation)
{
	content_validators(response, request, representation);
	response_field(response, "Vary", S("Accept"));
}

static void
respond_page(struct handler *handler, const struct page *page, const struct request *request,
    struct representation *representation, struct response *response)
{
	struct outcome outcome;
	struct str bytes;

	if (page->view->format == FORMAT_JSON)
		json_render(&response->text, page, &handler->listing);
	else
		html_render(&response->text, page, &handler->listing);
	if (buf_failed(&response->text)) {
		problem_respond(response, STATUS_SERVICE_UNAVAILABLE, "no memory for the listing");
		return;
	}
	bytes = buf_view(&response->text);
	representation->complete_length = (int64_t)bytes.len;
	outcome = conditional_evaluate(request, representation);
	if (content_settle(response, request, representation, &outcome))
		return;
	/* Part headers would need the buffer that holds the page: the whole page is the better answer. */
	if (outcome.ranges.count > 1)
		outcome = (struct outcome){ .status = STATUS_OK };
	response->reason = "listing";
	content_respond(response, representation, &outcome, bytes, request);
	response_field(response, "Accept-Ranges", S("bytes"));
	response_field(response, "X-Content-Type-Options", S("nosniff"));
	response_field(response, "Referrer-Policy", S("same-origin"));
	if (page->view->format == FORMAT_HTML)
		response_field(response, "Content-Security-Policy", html_security_policy());
	listing_fields(response, request, representation);
}

void
serve_listing(struct handler *handler, const struct root *root, struct str path, const struct request *request,
    const struct file *directory, struct response *response)
{
	struct view view = view_parse(request->query, request->accept);
	struct page page = { .url = request->url, .mount = mount_of(request), .view = &view };
	struct representation representation = {
		.media_type = view.format == FORMAT_JSON ? S("application/json") : S("text/html; charset=utf-8"),
	};
	struct outcome outcome;
	char tag[36];
	int error;

	listing_reset(&handler->listing);
	error = directory_read(&handler->listing, root, directory->fd, path);
	if (error != 0) {
		problem_respond_errno(response, error, "reading the folder failed");
		return;
	}
	listing_sort(&handler->listing, &view);
	representation.etag = listing_tag(handler, &page, tag);
	outcome = conditional_evaluate(request, &representation);
	if (content_settle(response, request, &representation, &outcome)) {
		if (outcome.status == STATUS_NOT_MODIFIED)
			response_field(response, "Vary", S("Accept"));
		return;
	}
	respond_page(handler, &page, request, &representation, response);
}
