/* Sources state facts, this place applies them: so a listing has ranges and conditionals for free. */
#include "handler/content.h"

#include "handler/problem.h"
#include "http/date.h"
#include "http/multipart.h"

void
content_validators(struct response *response, const struct request *request, const struct representation *representation,
    struct str vary)
{
	char text[DATE_LENGTH + 1];
	struct buf date = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	if (representation->etag.len > 0)
		response_field(response, "ETag", representation->etag);
	if (representation->has_last_modified &&
	    date_format(&date, seconds_from_nanoseconds(representation->last_modified)))
		response_field(response, "Last-Modified", buf_view(&date));
	response_field(response, "Cache-Control", request->authenticated ? S("private, no-cache") : S("no-cache"));
	if (vary.len > 0)
		response_field(response, "Vary", vary);
}

bool
content_settle(struct response *response, const struct request *request, const struct representation *representation,
    const struct outcome *outcome, struct str vary)
{
	char text[64];
	struct buf range = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	switch (outcome->status) {
	case STATUS_NOT_MODIFIED:
		response->status = STATUS_NOT_MODIFIED;
		response->reason = "not modified";
		content_validators(response, request, representation, vary);
		return true;
	case STATUS_PRECONDITION_FAILED:
		problem_respond(response, STATUS_PRECONDITION_FAILED, "precondition failed");
		return true;
	case STATUS_RANGE_NOT_SATISFIABLE:
		range_format_unsatisfied(&range, representation->complete_length);
		response_field(response, "Content-Range", buf_view(&range));
		problem_respond(response, STATUS_RANGE_NOT_SATISFIABLE, "range not satisfiable");
		return true;
	default:
		return false;
	}
}

static void
add_slice(struct response *response, struct str bytes, const struct range *range)
{
	if (bytes.ptr != NULL)
		response_bytes(response, str_sub(bytes, (size_t)range->first, (size_t)range->length));
	else
		response_file(response, range->first, range->length);
}

static void
respond_multipart(struct response *response, const struct representation *representation,
    const struct range_set *ranges, struct str bytes, const struct request *request)
{
	char boundary[BOUNDARY_LENGTH + 1], type[BOUNDARY_LENGTH + 64];
	struct buf seed = { .ptr = type, .cap = sizeof(type), .max = sizeof(type) };
	struct buf field = seed, *text = &response->text;
	size_t ends[RANGE_MAX + 1], from = 0;

	buf_hex(&seed, (uint64_t)request->received);
	buf_str(&seed, representation->etag);
	multipart_boundary(boundary, buf_view(&seed));
	for (size_t i = 0; i < ranges->count; i++) {
		multipart_part(text, boundary, i == 0, representation->media_type, &ranges->ranges[i],
		    representation->complete_length);
		ends[i] = text->len;
	}
	multipart_end(text, boundary);
	ends[ranges->count] = text->len;
	for (size_t i = 0; i <= ranges->count; i++) {
		response_bytes(response, str_sub(buf_view(text), from, ends[i] - from));
		if (i < ranges->count)
			add_slice(response, bytes, &ranges->ranges[i]);
		from = ends[i];
	}
	buf_text(&field, "multipart/byteranges; boundary=");
	buf_text(&field, boundary);
	response_field(response, "Content-Type", buf_view(&field));
}

static void
respond_single(struct response *response, const struct representation *representation, const struct range *range,
    struct str bytes)
{
	char text[80];
	struct buf field = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	range_format(&field, range, representation->complete_length);
	response_field(response, "Content-Type", representation->media_type);
	response_field(response, "Content-Range", buf_view(&field));
	add_slice(response, bytes, range);
}

void
content_respond(struct response *response, const struct representation *representation, const struct outcome *outcome,
    struct str bytes, const struct request *request)
{
	response->status = outcome->status;
	if (representation->coding.len > 0)
		response_field(response, "Content-Encoding", representation->coding);
	if (outcome->status == STATUS_PARTIAL_CONTENT && outcome->ranges.count > 1) {
		respond_multipart(response, representation, &outcome->ranges, bytes, request);
	} else if (outcome->status == STATUS_PARTIAL_CONTENT) {
		respond_single(response, representation, &outcome->ranges.ranges[0], bytes);
	} else {
		const struct range whole = { 0, representation->complete_length };

		response_field(response, "Content-Type", representation->media_type);
		add_slice(response, bytes, &whole);
	}
	response->content_length = 0;
	for (size_t i = 0; i < response->segment_count; i++)
		response->content_length += response->segments[i].length;
}

void
content_respond_blob(struct response *response, const struct representation *representation,
    const struct outcome *outcome, struct blob *blob, const struct request *request)
{
	struct str bytes = { blob->bytes, blob->bytes != NULL ? (size_t)blob->length : 0 };

	response->owner = blob;
	if (blob->bytes == NULL) {
		response->fd = blob->fd;
		response->fd_is_stable = true;
	}
	content_respond(response, representation, outcome, bytes, request);
}

bool
content_can_hand_off(const struct handler *handler, const struct request *request,
    const struct representation *representation, const struct outcome *outcome, const struct blob *blob,
    struct buf *path)
{
	const struct handoff *handoff = &handler->options->cache_handoff;

	/* What has a coded form varies. */
	if (!blob->has_path || blob->length <= handler->options->handoff_above || handoff_drops_vary(handoff) ||
	    !handoff_agrees(request, representation, outcome))
		return false;
	blob_path(handler->blobs, blob, path);
	return !buf_failed(path) &&
	       handoff_can_carry(handoff, request->front, S(""), buf_view(path), representation->coding);
}
