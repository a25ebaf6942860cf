/* The order of a request: refused? method, root, path, what lies there, index file or listing. Each step either
 * settles the answer or hands on. */
#include "handler/handler.h"

#include "fs/magic.h"
#include "handler/problem.h"
#include "handler/serve_file.h"
#include "handler/serve_listing.h"
#include "http/path.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

int
handler_init(struct handler *handler, const struct handler_options *options)
{
	*handler = (struct handler){ .options = options, .root.fd = -1 };
	listing_init(&handler->listing);
	buf_init(&handler->digest, (size_t)1 << 30);
	handler->magic = magic_new();
	if (handler->magic == NULL)
		return -ENOMEM;
	return options->root.len > 0 ? root_open(&handler->root, options->root.ptr, options->symlinks) : 0;
}

void
handler_release(struct handler *handler)
{
	root_close(&handler->root);
	listing_release(&handler->listing);
	buf_release(&handler->digest);
	magic_free(handler->magic);
}

/* RFC 9110 15.6.2: 501 for a method that nobody knows here, 405 for one that files do not have. */
static bool
settle_method(const struct request *request, struct response *response)
{
	switch (request->method) {
	case METHOD_GET:
	case METHOD_HEAD:
		return false;
	case METHOD_OPTIONS:
		options_respond(response);
		return true;
	case METHOD_KNOWN:
		problem_respond(response, STATUS_METHOD_NOT_ALLOWED, "method not allowed");
		return true;
	case METHOD_UNKNOWN:
		break;
	}
	problem_respond(response, STATUS_NOT_IMPLEMENTED, "unknown method");
	return true;
}

/* Joins a directory's path and a name. A front may have mapped "/dir/" to a path without the final slash. */
static struct str
join(char out[PATH_MAX], struct str path, struct str name)
{
	while (path.len > 0 && path.ptr[path.len - 1] == '/')
		path.len--;
	if (path.len + 1 + name.len > PATH_MAX)
		return (struct str){ NULL, 0 };
	memcpy(out, path.ptr, path.len);
	out[path.len] = '/';
	memcpy(out + path.len + 1, name.ptr, name.len);
	return (struct str){ out, path.len + 1 + name.len };
}

/* The first index file that is there: an index that is hidden, no regular file or leads out of the root counts as
 * absent. One that may not be read is the answer all the same: the owner did not mean a listing. */
static bool
serve_index(struct handler *handler, const struct root *root, struct str root_path, const struct request *request,
    struct response *response)
{
	char joined[PATH_MAX];

	for (size_t i = 0; i < handler->options->index_count; i++) {
		struct str name = handler->options->index[i], path = join(joined, request->path, name);
		struct file file;
		int error;

		if (path.ptr == NULL || name_is_hidden(name))
			continue;
		error = file_open(&file, root, path);
		if (error == 0 && file.kind == FILE_REGULAR) {
			serve_file(handler, root, root_path, path, request, &file, response);
			return true;
		}
		if (error == 0)
			file_close(&file);
		if (error != 0 && status_from_errno(error) != STATUS_NOT_FOUND) {
			problem_respond_errno(response, error, "index file");
			return true;
		}
	}
	return false;
}

static void
serve_directory(struct handler *handler, const struct root *root, struct str root_path, const struct request *request,
    struct file *directory, struct response *response)
{
	if (!str_ends(request->url, S("/"))) {
		redirect_to_slash(response, request);
		return;
	}
	if (!request->directory_only && serve_index(handler, root, root_path, request, response))
		return;
	serve_listing(handler, root, request->path, request, directory, response);
}

static void
serve_below(struct handler *handler, const struct root *root, struct str root_path, const struct request *request,
    struct response *response)
{
	struct file file;
	int error = file_open(&file, root, request->path);

	if (error != 0) {
		problem_respond_errno(response, error, "not to be opened");
		return;
	}
	if (file.kind == FILE_DIRECTORY)
		serve_directory(handler, root, root_path, request, &file, response);
	else if (file.kind != FILE_REGULAR)
		problem_respond(response, STATUS_NOT_FOUND, "no regular file");
	else if (str_ends(request->url, S("/")) || str_ends(request->path, S("/")) || request->directory_only)
		problem_respond(response, STATUS_NOT_FOUND, "a file, not a folder");
	else
		serve_file(handler, root, root_path, request->path, request, &file, response);
	file_close(&file);
}

/* A root that the front named is opened for this request; our own is open. */
static void
serve(struct handler *handler, const struct request *request, struct response *response)
{
	char path[PATH_MAX];
	struct root root;
	int error;

	if (request->root.len == 0 && handler->options->root.len > 0) {
		serve_below(handler, &handler->root, handler->options->root, request, response);
		return;
	}
	if (request->root.len == 0 || request->root.len >= PATH_MAX || str_has(request->root, '\0')) {
		problem_respond(response, STATUS_NOT_FOUND, "no root");
		return;
	}
	memcpy(path, request->root.ptr, request->root.len);
	path[request->root.len] = '\0';
	error = root_open(&root, path, handler->options->symlinks);
	if (error != 0) {
		problem_respond_errno(response, error, "root not to be opened");
		return;
	}
	serve_below(handler, &root, request->root, request, response);
	root_close(&root);
}

void
handler_respond(struct handler *handler, const struct request *request, struct response *response)
{
	enum status status = request->refused;
	struct str path = request->path.len > 0 ? request->path : S("/");
	struct request asked = *request;

	asked.path = path;
	if (status != 0)
		problem_respond(response, status, request->located);
	else if (settle_method(request, response))
		status = response->status;
	else if (path_check(path) != 0)
		problem_respond(response, STATUS_NOT_FOUND, "not a path to ask for");
	else
		serve(handler, &asked, response);
	response->content_omitted = request->method == METHOD_HEAD;
	if (buf_failed(&response->fields)) {
		response_reset(response);
		problem_respond(response, STATUS_INTERNAL_SERVER_ERROR, "header fields too large");
	}
}

void
handler_finish(struct handler *handler, struct response *response)
{
	(void)handler;
	if (response->fd >= 0)
		close(response->fd);
	response->fd = -1;
}
