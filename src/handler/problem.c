/* Errors as values like any other answer. The sentences are for the person who sees them; what happened stands
 * in the log. */
#include "handler/problem.h"

#include "base/escape.h"
#include "listing/html.h"

#include <errno.h>

#define ALLOWED "GET, HEAD, OPTIONS"

static const struct {
	enum status status;
	struct str sentence;
} sentences[] = {
	{ STATUS_MOVED_PERMANENTLY, STR("This folder's address ends with a slash.") },
	{ STATUS_BAD_REQUEST, STR("The request could not be understood.") },
	{ STATUS_FORBIDDEN, STR("The server may not read this.") },
	{ STATUS_NOT_FOUND, STR("There is nothing at this address.") },
	{ STATUS_METHOD_NOT_ALLOWED, STR("Files and folders here can only be read.") },
	{ STATUS_PRECONDITION_FAILED, STR("The file is not the version that the request asked for.") },
	{ STATUS_RANGE_NOT_SATISFIABLE, STR("The requested part lies beyond the end of the file.") },
	{ STATUS_FIELDS_TOO_LARGE, STR("The request's header fields are too large.") },
	{ STATUS_INTERNAL_SERVER_ERROR, STR("Something failed here. The server's log says what.") },
	{ STATUS_NOT_IMPLEMENTED, STR("This method is not known here.") },
	{ STATUS_SERVICE_UNAVAILABLE, STR("The server has too much to do. Please try again in a moment.") },
};

static struct str
sentence_of(enum status status)
{
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (sentences[i].status == status)
			return sentences[i].sentence;
	return (struct str){ NULL, 0 };
}

static void
problem_page(struct response *response)
{
	const char *phrase = status_reason(response->status);
	char title[64] = { (char)('0' + response->status / 100), (char)('0' + response->status / 10 % 10),
		(char)('0' + response->status % 10), ' ' };
	size_t len = strlen(phrase);

	if (len > sizeof(title) - 4)
		len = sizeof(title) - 4;
	memcpy(title + 4, phrase, len);
	buf_reset(&response->text);
	html_problem(&response->text, (struct str){ title, 4 + len }, sentence_of(response->status));
	response_field(response, "Content-Type", S("text/html; charset=utf-8"));
	response_field(response, "Content-Security-Policy", html_security_policy());
	response_field(response, "X-Content-Type-Options", S("nosniff"));
	response->segment_count = 0;
	response_bytes(response, buf_view(&response->text));
	response->content_length = (int64_t)response->text.len;
}

void
problem_respond(struct response *response, enum status status, const char *reason)
{
	response->status = status;
	response->reason = reason;
	if (status == STATUS_METHOD_NOT_ALLOWED || status == STATUS_NOT_IMPLEMENTED)
		response_field(response, "Allow", S(ALLOWED));
	if (status == STATUS_SERVICE_UNAVAILABLE)
		response_field(response, "Retry-After", S("2"));
	response_field(response, "Cache-Control", S("no-store"));
	problem_page(response);
}

enum status
status_from_errno(int error)
{
	switch (-error) {
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
	case EXDEV:
	case ENAMETOOLONG:
		return STATUS_NOT_FOUND;
	case EACCES:
	case EPERM:
		return STATUS_FORBIDDEN;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case EAGAIN:
		return STATUS_SERVICE_UNAVAILABLE;
	default:
		return STATUS_INTERNAL_SERVER_ERROR;
	}
}

void
problem_respond_errno(struct response *response, int error, const char *reason)
{
	response->error = -error;
	problem_respond(response, status_from_errno(error), reason);
}

void
redirect_to_slash(struct response *response, const struct request *request)
{
	struct buf *location = &response->text;
	struct str url = request->url;

	/* RFC 3986 4.2: "//" would name another host. The gateway normalises; this does not rely on it. */
	while (str_starts(url, S("//")))
		url = str_after(url, 1);
	escape_path(location, url);
	buf_char(location, '/');
	if (request->query.len > 0) {
		buf_char(location, '?');
		escape_query(location, request->query);
	}
	response->status = STATUS_MOVED_PERMANENTLY;
	response->reason = "folder without slash";
	response_field(response, "Location", buf_view(location));
	response_field(response, "Cache-Control", S("no-cache"));
	problem_page(response);
}

void
options_respond(struct response *response)
{
	response->status = STATUS_NO_CONTENT;
	response->reason = "options";
	response_field(response, "Allow", S(ALLOWED));
}
