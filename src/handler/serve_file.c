/* A file is opened once; its length, its tag and its bytes come from that one descriptor, so a file replaced by
 * rename is wholly old or wholly new. Small content is read before anything is sent and checked against the file's time
 * afterwards; large content is handed off or sent from the descriptor. */
#include "handler/serve_file.h"

#include "fs/filetype.h"
#include "fs/magic.h"
#include "handler/content.h"
#include "handler/problem.h"
#include "http/date.h"
#include "http/etag.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often a file that changes while it is read is read again. */
#define ATTEMPTS 4

struct tags {
	char own[ETAG_MAX], nginx[ETAG_MAX];
};

static struct str
format_tag(char *text, const struct file *file, int64_t received, bool nginx)
{
	struct buf tag = { .ptr = text, .cap = ETAG_MAX, .max = ETAG_MAX };

	if (nginx)
		etag_format_nginx(&tag, file->mtime, file->size);
	else
		etag_format(&tag, file->mtime, file->size, etag_is_unsettled(file->mtime, received));
	return buf_view(&tag);
}

static struct str
last_name(struct str path)
{
	size_t at = path.len;

	while (at > 0 && path.ptr[at - 1] != '/')
		at--;
	return str_after(path, at);
}

/* RFC 9110 8.8.2.1: no Last-Modified later than now. One that no HTTP date can say is left out as well. */
static bool
has_last_modified(int64_t mtime, int64_t received)
{
	char text[DATE_LENGTH];
	struct buf date = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	return mtime <= received && date_format(&date, seconds_from_nanoseconds(mtime));
}

static void
represent(struct representation *representation, struct tags *tags, struct handler *handler, struct str path,
    const struct file *file, int64_t received)
{
	struct filetype type = filetype_from_name(last_name(path));

	*representation = (struct representation){
		.media_type = type.media_type,
		.coding = type.coding,
		.etag = format_tag(tags->own, file, received, false),
		.complete_length = file->size,
		.last_modified = file->mtime,
		.has_last_modified = has_last_modified(file->mtime, received),
	};
	if (representation->media_type.len == 0)
		representation->media_type = magic_type(handler->magic, file);
}

/* What the front's configuration says counts before our own. */
static struct handoff
handoff_in_force(const struct handler *handler, const struct request *request)
{
	struct handoff handoff = { .mode = HANDOFF_OFF };

	if (request->handoff.len > 0 && !handoff_parse(request->handoff, &handoff))
		return (struct handoff){ .mode = HANDOFF_OFF };
	return request->handoff.len > 0 ? handoff : handler->options->handoff;
}

/* Reads size bytes from the start. 0, or -EAGAIN when the file is not, or no longer, what was looked at. */
static int
read_whole(struct buf *out, struct file *file)
{
	struct stat now;

	buf_reset(out);
	if (!buf_reserve(out, (size_t)file->size + 1))
		return -ENOMEM;
	while ((int64_t)out->len < file->size) {
		ssize_t n = pread(file->fd, out->ptr + out->len, (size_t)file->size - out->len, (off_t)out->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EAGAIN;
		out->len += (size_t)n;
	}
	if (fstat(file->fd, &now) != 0)
		return -errno;
	return now.st_size == file->size && file_nanoseconds(&now.st_mtim) == file->mtime ? 0 : -EAGAIN;
}

static void
common_fields(struct response *response, const struct request *request, const struct representation *representation)
{
	content_validators(response, request, representation);
	response_field(response, "X-Content-Type-Options", S("nosniff"));
}

static void
respond_handoff(struct response *response, const struct request *request, const struct representation *representation,
    const struct handoff *handoff, struct str root_path, struct str path)
{
	response->status = STATUS_OK;
	response->reason = "file, handed off";
	response_field(response, "Content-Type", representation->media_type);
	if (representation->coding.len > 0)
		response_field(response, "Content-Encoding", representation->coding);
	common_fields(response, request, representation);
	handoff_respond(response, handoff, request->front, root_path, path);
}

/* The descriptor goes with the response; handler_finish closes it. */
static void
respond_streamed(struct response *response, const struct request *request, const struct representation *representation,
    const struct outcome *outcome, struct file *file)
{
	response->fd = file->fd;
	file->fd = -1;
	response->reason = "file, streamed";
	content_respond(response, representation, outcome, (struct str){ NULL, 0 }, request);
	response_field(response, "Accept-Ranges", S("bytes"));
	common_fields(response, request, representation);
}

/* 0, or -EAGAIN when the file changed meanwhile: look again. Multipart wants text for itself, so it is streamed. */
static int
respond_inline(struct response *response, const struct request *request, const struct representation *representation,
    const struct outcome *outcome, struct file *file)
{
	int error = read_whole(&response->text, file);

	if (error != 0)
		return error;
	response->reason = "file";
	content_respond(response, representation, outcome, buf_view(&response->text), request);
	response_field(response, "Accept-Ranges", S("bytes"));
	common_fields(response, request, representation);
	return 0;
}

static void
swap_tags(struct representation *representation)
{
	struct str own = representation->etag;

	representation->etag = representation->etag_alias;
	representation->etag_alias = own;
}

/* One attempt with one open file. */
static int
serve_once(struct handler *handler, struct str root_path, struct str path, const struct request *request,
    struct file *file, struct response *response)
{
	struct handoff handoff = handoff_in_force(handler, request);
	struct representation representation;
	struct outcome outcome;
	struct tags tags;
	bool hand_off;

	represent(&representation, &tags, handler, path, file, request->received);
	hand_off = file->size > handler->options->handoff_above &&
	    handoff_can_carry(&handoff, request->front, root_path, path, representation.coding);
	/* What goes through X-Accel-Redirect shows the client nginx's own tag: it is the tag then. */
	if (handoff.mode == HANDOFF_X_ACCEL_REDIRECT) {
		representation.etag_alias = format_tag(tags.nginx, file, request->received, true);
		if (hand_off)
			swap_tags(&representation);
	}
	if (hand_off && handoff_front_validates(&handoff)) {
		respond_handoff(response, request, &representation, &handoff, root_path, path);
		return 0;
	}
	outcome = conditional_evaluate(request, &representation);
	if (content_settle(response, request, &representation, &outcome))
		return 0;
	if (hand_off) {
		respond_handoff(response, request, &representation, &handoff, root_path, path);
		return 0;
	}
	if (file->size > INLINE_MAX || outcome.ranges.count > 1) {
		respond_streamed(response, request, &representation, &outcome, file);
		return 0;
	}
	return respond_inline(response, request, &representation, &outcome, file);
}

void
serve_file(struct handler *handler, const struct root *root, struct str root_path, struct str path,
    const struct request *request, struct file *file, struct response *response)
{
	int error = -EAGAIN;

	for (int attempt = 0; attempt < ATTEMPTS && error == -EAGAIN; attempt++) {
		if (attempt > 0) {
			file_close(file);
			response_reset(response);
			error = file_open(file, root, path);
			if (error == 0 && file->kind != FILE_REGULAR)
				error = -ENOENT;
			if (error != 0)
				break;
		}
		error = serve_once(handler, root_path, path, request, file, response);
	}
	file_close(file);
	if (error != 0) {
		response_reset(response);
		problem_respond_errno(response, error, error == -EAGAIN ? "file changes while it is read" : "read failed");
	}
}
