/* A file is opened once; its length, its tag and its bytes come from that one descriptor, so a file replaced by
 * rename is wholly old or wholly new. Small content is read before anything is sent and checked against the file's time
 * afterwards, and kept; large content is handed off or sent from the descriptor. A file that is remembered is not opened at all. */
#include "handler/serve_file.h"

#include "fs/filetype.h"
#include "fs/magic.h"
#include "handler/coded.h"
#include "handler/content.h"
#include "handler/problem.h"
#include "http/date.h"
#include "http/etag.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often a file that changes while it is read is read again. */
#define ATTEMPTS 4

/* One attempt to answer with one state of a file. */
struct attempt {
	struct handler *handler;
	struct target *target;
	const struct request *request;
	struct response *response;
	struct file file;             /* fd -1 as long as it was not needed */
	struct cached_file *cached;   /* NULL: not remembered */
	struct representation representation;
	struct handoff handoff;
	struct coded coded;
	struct str vary;
	char own[ETAG_MAX], nginx[ETAG_MAX], marked[ETAG_MAX];
};

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
	const int64_t first = INT64_C(-62167219200), last = INT64_C(253402300799); /* years 0 to 9999 */
	int64_t seconds = seconds_from_nanoseconds(mtime);

	return mtime <= received && seconds >= first && seconds <= last;
}

static struct str
own_tag(struct attempt *attempt)
{
	struct buf tag = { .ptr = attempt->own, .cap = ETAG_MAX, .max = ETAG_MAX };

	etag_format(&tag, attempt->file.mtime, attempt->file.size,
	    etag_is_unsettled(attempt->file.mtime, attempt->request->received));
	return buf_view(&tag);
}

static struct str
nginx_tag(struct attempt *attempt)
{
	struct buf tag = { .ptr = attempt->nginx, .cap = ETAG_MAX, .max = ETAG_MAX };

	etag_format_nginx(&tag, attempt->file.mtime, attempt->file.size);
	return buf_view(&tag);
}

/* The type by name, else by content; and the file is remembered with it. */
static void
find_type(struct attempt *attempt)
{
	struct representation *representation = &attempt->representation;
	struct filetype type;

	if (attempt->cached != NULL) {
		representation->media_type = attempt->cached->media_type;
		representation->coding = attempt->cached->coding;
		return;
	}
	type = filetype_from_name(last_name(attempt->target->path));
	representation->media_type = type.media_type;
	representation->coding = type.coding;
	if (type.media_type.len == 0)
		representation->media_type = magic_type(attempt->handler->magic, &attempt->file);
	attempt->cached = filecache_add(&attempt->handler->files, attempt->target->root_path, attempt->target->path,
	    &attempt->file, representation->media_type, representation->coding);
	if (attempt->cached != NULL)
		representation->media_type = attempt->cached->media_type;
}

static void
represent(struct attempt *attempt)
{
	struct representation *representation = &attempt->representation;

	find_type(attempt);
	representation->etag = own_tag(attempt);
	representation->complete_length = attempt->file.size;
	representation->last_modified = attempt->file.mtime;
	representation->has_last_modified = has_last_modified(attempt->file.mtime, attempt->request->received);
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

static int
open_target(struct attempt *attempt, struct file *file)
{
	int error = target_open(attempt->handler, attempt->target);

	return error != 0 ? error : file_open(file, attempt->target->root, attempt->target->path);
}

/* A remembered file is opened when its bytes are needed after all. -EAGAIN: it is another now. */
static int
open_again(struct attempt *attempt)
{
	struct file file;
	int error;

	if (attempt->file.fd >= 0)
		return 0;
	error = open_target(attempt, &file);
	if (error != 0)
		return error == -ENOENT ? -EAGAIN : error;
	if (file.device != attempt->file.device || file.inode != attempt->file.inode || file.size != attempt->file.size ||
	    file.mtime != attempt->file.mtime || file.ctime != attempt->file.ctime) {
		file_close(&file);
		return -EAGAIN;
	}
	attempt->file.fd = file.fd;
	return 0;
}

/* Reads all of it. 0, or -EAGAIN when the file is not, or no longer, what was looked at. */
static int
read_whole(struct attempt *attempt, struct buf *out)
{
	const struct file *file = &attempt->file;
	size_t start = out->len;
	struct stat now;
	int error = open_again(attempt);

	if (error != 0)
		return error;
	if (!buf_reserve(out, (size_t)file->size + 1))
		return -ENOMEM;
	while ((int64_t)(out->len - start) < file->size) {
		size_t have = out->len - start;
		ssize_t n = pread(file->fd, out->ptr + out->len, (size_t)file->size - have, (off_t)have);

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

static int
read_for_coding(void *context, struct buf *out)
{
	return read_whole(context, out);
}

/* Whether its times tell these bytes from any that it may hold later. */
static bool
is_settled(const struct attempt *attempt)
{
	return !etag_is_unsettled(attempt->file.mtime, attempt->request->received) &&
	    !etag_is_unsettled(attempt->file.ctime, attempt->request->received);
}

static struct coded
get_coded(struct attempt *attempt, enum coding coding)
{
	const struct file *file = &attempt->file;
	const uint64_t identity[] = { file->device, file->inode, (uint64_t)file->size, (uint64_t)file->mtime,
		(uint64_t)file->ctime };
	struct coded_source source = {
		.base = hash_bytes((struct str){ (const char *)identity, sizeof(identity) }),
		.size = file->size,
		.settled = is_settled(attempt),
		.read = read_for_coding,
		.context = attempt,
	};

	return coded_get(attempt->handler, &source, coding);
}

/* Another representation when the request takes a coding: its own tag, its own length. */
static void
select_coding(struct attempt *attempt)
{
	struct representation *representation = &attempt->representation;
	enum coding coding;
	struct buf tag = { .ptr = attempt->marked, .cap = ETAG_MAX, .max = ETAG_MAX };

	if (!attempt->handler->options->codings[CODING_IDENTITY] || representation->coding.len > 0 ||
	    !coded_is_worth(representation->media_type, attempt->file.size))
		return;
	attempt->vary = S("Accept-Encoding");
	coding = coded_choose(attempt->handler, attempt->request);
	if (coding == CODING_IDENTITY)
		return;
	attempt->coded = get_coded(attempt, coding);
	if (attempt->coded.blob == NULL)
		return;
	coded_tag(&tag, representation->etag, attempt->coded.coding, attempt->coded.quality);
	if (!coded_is_meant(attempt->request, buf_view(&tag))) {
		blob_put(attempt->handler->blobs, attempt->coded.blob);
		attempt->coded.blob = NULL;
		return;
	}
	representation->etag = buf_view(&tag);
	representation->coding = coding_name(attempt->coded.coding);
	representation->complete_length = attempt->coded.blob->length;
}

static void
common_fields(struct attempt *attempt)
{
	content_validators(attempt->response, attempt->request, &attempt->representation, attempt->vary);
	response_field(attempt->response, "X-Content-Type-Options", S("nosniff"));
}

static void
respond_handoff(struct attempt *attempt, const struct handoff *handoff, struct str root_path, struct str path)
{
	struct response *response = attempt->response;

	response->status = STATUS_OK;
	response->reason = "file, handed off";
	response_field(response, "Content-Type", attempt->representation.media_type);
	if (attempt->representation.coding.len > 0)
		response_field(response, "Content-Encoding", attempt->representation.coding);
	common_fields(attempt);
	handoff_respond(response, handoff, attempt->request->front, root_path, path);
}

/* The descriptor goes with the response; handler_finish closes it. */
static int
respond_streamed(struct attempt *attempt, const struct outcome *outcome)
{
	struct response *response = attempt->response;
	int error = open_again(attempt);

	if (error != 0)
		return error;
	response->fd = attempt->file.fd;
	attempt->file.fd = -1;
	response->reason = "file, streamed";
	content_respond(response, &attempt->representation, outcome, (struct str){ NULL, 0 }, attempt->request);
	response_field(response, "Accept-Ranges", S("bytes"));
	common_fields(attempt);
	return 0;
}

static void
respond_blob(struct attempt *attempt, const struct outcome *outcome, struct blob *blob)
{
	blob->uses++;
	attempt->response->reason = "file, kept";
	content_respond_blob(attempt->response, &attempt->representation, outcome, blob, attempt->request);
	response_field(attempt->response, "Accept-Ranges", S("bytes"));
	common_fields(attempt);
}

/* 0, or -EAGAIN when the file changed meanwhile: look again. */
static int
respond_inline(struct attempt *attempt, const struct outcome *outcome)
{
	struct response *response = attempt->response;
	int error;

	if (attempt->cached != NULL && attempt->cached->content != NULL) {
		respond_blob(attempt, outcome, attempt->cached->content);
		return 0;
	}
	error = read_whole(attempt, &response->text);
	if (error != 0)
		return error;
	if (attempt->cached != NULL && is_settled(attempt))
		filecache_keep_content(&attempt->handler->files, attempt->cached, buf_view(&response->text));
	response->reason = "file";
	content_respond(response, &attempt->representation, outcome, buf_view(&response->text), attempt->request);
	response_field(response, "Accept-Ranges", S("bytes"));
	common_fields(attempt);
	return 0;
}

/* A coded form may be a file that the front can take, where the front keeps Content-Encoding. */
static int
respond_coded(struct attempt *attempt, const struct outcome *outcome)
{
	const struct handler_options *options = attempt->handler->options;
	char text[PATH_MAX];
	struct buf path = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	if (attempt->coded.blob->has_path && attempt->coded.blob->length > options->handoff_above) {
		blob_path(attempt->handler->blobs, attempt->coded.blob, &path);
		if (!buf_failed(&path) && handoff_can_carry(&options->cache_handoff, attempt->request->front, S(""),
		    buf_view(&path), attempt->representation.coding)) {
			respond_handoff(attempt, &options->cache_handoff, S(""), buf_view(&path));
			return 0;
		}
	}
	respond_blob(attempt, outcome, attempt->coded.blob);
	return 0;
}

/* nginx's own tag tells whole seconds apart: what may change within one is streamed, with a tag of ours. */
static bool
can_hand_off(const struct attempt *attempt)
{
	return attempt->coded.blob == NULL && attempt->file.size > attempt->handler->options->handoff_above &&
	    handoff_can_carry(&attempt->handoff, attempt->request->front, attempt->target->root_path,
		attempt->target->path, attempt->representation.coding) &&
	    !(attempt->vary.len > 0 && handoff_drops_vary(&attempt->handoff)) &&
	    !(attempt->handoff.mode == HANDOFF_X_ACCEL_REDIRECT &&
		etag_is_unsettled(attempt->file.mtime, attempt->request->received));
}

static int
respond(struct attempt *attempt)
{
	struct representation *representation = &attempt->representation;
	bool hand_off = can_hand_off(attempt);
	struct outcome outcome;

	/* What goes through X-Accel-Redirect shows the client nginx's own tag: it is the tag then. */
	if (attempt->handoff.mode == HANDOFF_X_ACCEL_REDIRECT && attempt->coded.blob == NULL) {
		representation->etag_alias = hand_off ? representation->etag : nginx_tag(attempt);
		if (hand_off)
			representation->etag = nginx_tag(attempt);
	}
	if (hand_off && handoff_front_validates(&attempt->handoff)) {
		respond_handoff(attempt, &attempt->handoff, attempt->target->root_path, attempt->target->path);
		return 0;
	}
	outcome = conditional_evaluate(attempt->request, representation);
	if (content_settle(attempt->response, attempt->request, representation, &outcome, attempt->vary))
		return 0;
	if (hand_off) {
		respond_handoff(attempt, &attempt->handoff, attempt->target->root_path, attempt->target->path);
		return 0;
	}
	if (attempt->coded.blob != NULL)
		return respond_coded(attempt, &outcome);
	/* Part headers want the buffer that inline content is read into. */
	if (attempt->file.size > INLINE_MAX || outcome.ranges.count > 1)
		return respond_streamed(attempt, &outcome);
	return respond_inline(attempt, &outcome);
}

static int
serve_once(struct attempt *attempt)
{
	int error;

	attempt->handoff = handoff_in_force(attempt->handler, attempt->request);
	represent(attempt);
	select_coding(attempt);
	error = respond(attempt);
	blob_put(attempt->handler->blobs, attempt->coded.blob);
	attempt->coded.blob = NULL;
	return error;
}

/* The first attempt is with what is given, each further one with the file opened anew. */
static void
serve(struct attempt *first)
{
	struct attempt attempt = *first;
	int error = serve_once(&attempt);

	for (int i = 1; i < ATTEMPTS && error == -EAGAIN; i++) {
		struct file file;

		file_close(&attempt.file);
		response_reset(first->response);
		error = open_target(first, &file);
		if (error == 0 && file.kind != FILE_REGULAR) {
			file_close(&file);
			error = -ENOENT;
		}
		if (error != 0)
			break;
		attempt = (struct attempt){ .handler = first->handler, .target = first->target, .request = first->request,
			.response = first->response, .file = file };
		error = serve_once(&attempt);
	}
	file_close(&attempt.file);
	if (error == 0)
		return;
	response_reset(first->response);
	problem_respond_errno(first->response, error, error == -EAGAIN ? "file changes while it is read" : "read failed");
}

void
serve_file(struct handler *handler, const struct target *given, const struct request *request, struct file *file,
    struct response *response)
{
	struct target target = *given;
	struct attempt attempt = { .handler = handler, .target = &target, .request = request, .response = response,
		.file = *file };

	file->fd = -1;
	serve(&attempt);
}

bool
serve_remembered_file(struct handler *handler, const struct target *given, const struct request *request,
    struct response *response)
{
	struct target target = *given;
	struct attempt attempt = { .handler = handler, .target = &target, .request = request, .response = response };

	attempt.cached = filecache_get(&handler->files, target.root_path, target.path);
	if (attempt.cached == NULL)
		return false;
	attempt.file = attempt.cached->file;
	serve(&attempt);
	return true;
}
