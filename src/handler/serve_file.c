/* A file is opened once; its length, its tag and its bytes come from that one descriptor, so a file replaced by
 * rename is wholly old or wholly new. Small content is read before anything is sent and checked against the file's time
 * afterwards, and kept; large content is handed off or sent from the descriptor. A file that is remembered is not opened at all,
 * and the usual answer with it, 200 and all of it, is made once. */
#include "handler/serve_file.h"

#include "handler/attempt.h"
#include "handler/complaint.h"
#include "handler/content.h"
#include "handler/kept_answer.h"
#include "handler/problem.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* How often a file that changes while it is read is read again. */
#define ATTEMPTS 4

/* What the front's configuration says counts before our own. */
static struct handoff
handoff_in_force(struct handler *handler, const struct request *request)
{
	struct handoff handoff = { .mode = HANDOFF_OFF };

	if (request->handoff.len == 0)
		return handler->options->handoff;
	if (!handoff_parse(request->handoff, &handoff))
		complaint_handoff(handler, request->handoff);
	return handoff;
}

static void
common_fields(struct attempt *attempt)
{
	attempt->shared_from = attempt->response->fields.len;
	content_validators(attempt->response, attempt->request, &attempt->representation, attempt->vary);
	attempt->shared_len = attempt->response->fields.len - attempt->shared_from;
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
	int error = attempt_open(attempt);

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
	if (outcome->status == STATUS_OK)
		kept_answer_keep(attempt, blob);
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
	error = attempt_read(attempt, &response->text);
	if (error != 0)
		return error;
	if (attempt->cached != NULL && attempt_is_settled(attempt))
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
	char text[PATH_MAX];
	struct buf path = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	if (attempt->representation.has_last_modified &&
	    content_can_hand_off(
		attempt->handler, attempt->request, &attempt->representation, outcome, attempt->coded.blob, &path)) {
		respond_handoff(attempt, &attempt->handler->options->cache_handoff, S(""), buf_view(&path));
		return 0;
	}
	respond_blob(attempt, outcome, attempt->coded.blob);
	return 0;
}

/* nginx's own tag tells whole seconds apart: what may change within one is streamed, with a tag of ours. lighttpd would tell a
 * Last-Modified that is left out here, since it is yet to come. */
static bool
can_hand_off(const struct attempt *attempt)
{
	if (!attempt->representation.has_last_modified && !handoff_front_validates(&attempt->handoff))
		return false;
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
		representation->etag_alias = hand_off ? representation->etag : attempt_nginx_tag(attempt);
		if (hand_off)
			representation->etag = attempt_nginx_tag(attempt);
	}
	if (hand_off && handoff_front_validates(&attempt->handoff)) {
		respond_handoff(attempt, &attempt->handoff, attempt->target->root_path, attempt->target->path);
		return 0;
	}
	outcome = conditional_evaluate(attempt->request, representation);
	if (content_settle(attempt->response, attempt->request, representation, &outcome, attempt->vary)) {
		if (outcome.status == STATUS_NOT_MODIFIED)
			kept_answer_keep(attempt, NULL);
		return 0;
	}
	if (hand_off && handoff_agrees(attempt->request, representation, &outcome)) {
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
	if (kept_answer_respond(attempt))
		return 0;
	attempt_select(attempt);
	if (attempt->coded.undecided)
		return 0;
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
		error = attempt_open_target(first, &file);
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
