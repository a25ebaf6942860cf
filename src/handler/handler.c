/* The order of a request: refused? method, root, path, what lies there, index file or listing. Each step either
 * settles the answer or hands on. */
#include "handler/handler.h"

#include "fs/helper.h"
#include "fs/magic.h"
#include "handler/coding_job.h"
#include "handler/pages.h"
#include "handler/problem.h"
#include "handler/scan.h"
#include "handler/serve_file.h"
#include "handler/serve_listing.h"
#include "handler/sheet.h"
#include "http/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define PAGES_BUDGET ((size_t)1 << 20)
#define TEXT_MAX ((size_t)1 << 30)

/* Without memory for what is to be kept there is still the listing that is being shown. */
#define LISTINGS_LEAST ((size_t)64 << 10)

/* Readable when either of those has done something that somebody waits for. */
static int
watch_helpers(const struct helper *const helpers[], size_t count)
{
	struct epoll_event event = { .events = EPOLLIN };
	int wake = epoll_create1(EPOLL_CLOEXEC);

	for (size_t i = 0; wake >= 0 && i < count; i++)
		if (epoll_ctl(wake, EPOLL_CTL_ADD, helper_descriptor(helpers[i]), &event) != 0) {
			close(wake);
			return -1;
		}
	return wake;
}

static bool
open_helpers(struct handler *handler)
{
	if (handler->options->alone)
		return true;
	handler->helper = helper_new(1, true);
	handler->scanner = helper_new(HELPER_THREADS_MAX, false);
	handler->coder = helper_new(1, false);
	if (handler->helper == NULL || handler->scanner == NULL || handler->coder == NULL)
		return false;
	handler->wake = watch_helpers((const struct helper *const[]){ handler->scanner, handler->coder }, 2);
	return handler->wake >= 0;
}

static int
open_caches(struct handler *handler)
{
	const struct handler_options *options = handler->options;
	const struct blobs_options blobs = {
		.directory = options->cache_dir,
		.for_front = options->cache_handoff.mode != HANDOFF_OFF,
		.memory = options->cache_memory,
		.disk = options->cache_disk,
		.helper = handler->helper,
		.small = INLINE_MAX,
	};
	const struct listcache_options listings = {
		.budget = options->cache_memory > LISTINGS_LEAST ? options->cache_memory : LISTINGS_LEAST,
		.watches = options->watches,
		.age = options->snapshot_age,
		.leave_large = !options->alone,
	};

	handler->magic = magic_new();
	handler->blobs = blobs_new(&blobs);
	handler->listings = listcache_new(&listings);
	handler->pages = pages_new(PAGES_BUDGET);
	handler->scans = calloc(HANDLER_SCANS_MAX, sizeof(*handler->scans));
	handler->sheet = malloc(sizeof(*handler->sheet));
	if (handler->sheet != NULL)
		sheet_init(handler->sheet);
	filecache_init(&handler->files, options->cache_memory, options->symlinks, handler->blobs);
	return handler->magic != NULL && handler->blobs != NULL && handler->listings != NULL && handler->pages != NULL &&
	    handler->scans != NULL && handler->sheet != NULL ? 0 : -ENOMEM;
}

int
handler_init(struct handler *handler, const struct handler_options *options)
{
	struct target target = { .root_path = options->root };
	int error;

	*handler = (struct handler){ .options = options, .root.fd = -1, .wake = -1 };
	buf_init(&handler->root_path, PATH_MAX);
	buf_init(&handler->plain, TEXT_MAX);
	buf_init(&handler->coded, TEXT_MAX);
	buf_init(&handler->mistake, PATH_MAX);
	error = open_helpers(handler) ? open_caches(handler) : -ENOMEM;
	if (error != 0 || options->root.len == 0)
		return error;
	return target_open(handler, &target);
}

void
handler_release(struct handler *handler)
{
	helper_free(handler->coder);
	helper_free(handler->scanner);
	helper_free(handler->helper);
	if (handler->wake >= 0)
		close(handler->wake);
	root_close(&handler->root);
	buf_release(&handler->root_path);
	filecache_release(&handler->files);
	listcache_free(handler->listings);
	pages_free(handler->pages);
	if (handler->sheet != NULL)
		sheet_release(handler->sheet);
	free(handler->sheet);
	scan_release(handler);
	coding_job_forget(handler);
	blobs_free(handler->blobs);
	buf_release(&handler->plain);
	buf_release(&handler->coded);
	buf_release(&handler->mistake);
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
serve_index(struct handler *handler, const struct target *directory, const struct request *request,
    struct response *response)
{
	char joined[PATH_MAX];

	for (size_t i = 0; i < handler->options->index_count; i++) {
		struct str name = handler->options->index[i];
		struct target target = { directory->root_path, join(joined, directory->path, name), directory->root };
		struct file file;
		int error;

		if (target.path.ptr == NULL || name_is_hidden(name))
			continue;
		error = file_open(&file, target.root, target.path);
		if (error == 0 && file.kind == FILE_REGULAR) {
			serve_file(handler, &target, request, &file, response);
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
serve_directory(struct handler *handler, const struct target *target, const struct request *request,
    struct file *directory, struct response *response)
{
	if (!str_ends(request->url, S("/"))) {
		redirect_to_slash(response, request);
		return;
	}
	if (!request->directory_only && serve_index(handler, target, request, response))
		return;
	serve_listing(handler, target, request, directory, response);
}

/* A folder that may be entered and not read (mode 0711) has its index all the same. */
static bool
serve_unreadable_directory(struct handler *handler, const struct target *target, const struct request *request,
    struct response *response)
{
	int fd = root_open_below(target->root, target->path, O_PATH | O_DIRECTORY);

	if (fd < 0)
		return false;
	close(fd);
	if (str_ends(request->url, S("/")))
		return !request->directory_only && serve_index(handler, target, request, response);
	redirect_to_slash(response, request);
	return true;
}

/* A file that is remembered is not opened; nor is the directory of a remembered first index file. */
static bool
serve_remembered(struct handler *handler, const struct target *target, const struct request *request,
    struct response *response)
{
	bool slash = str_ends(target->path, S("/"));
	char joined[PATH_MAX];
	struct target index = *target;

	if (request->directory_only || slash != str_ends(request->url, S("/")))
		return false;
	if (!slash)
		return serve_remembered_file(handler, target, request, response);
	if (handler->options->index_count == 0)
		return false;
	index.path = join(joined, target->path, handler->options->index[0]);
	return index.path.ptr != NULL && serve_remembered_file(handler, &index, request, response);
}

static void
serve_below(struct handler *handler, const struct target *target, const struct request *request, struct response *response)
{
	struct file file;
	int error;

	error = file_open(&file, target->root, target->path);
	if (error == -EACCES && serve_unreadable_directory(handler, target, request, response))
		return;
	if (error != 0) {
		problem_respond_errno(response, error, "not to be opened");
		return;
	}
	if (file.kind == FILE_DIRECTORY)
		serve_directory(handler, target, request, &file, response);
	else if (file.kind != FILE_REGULAR)
		problem_respond(response, STATUS_NOT_FOUND, "no regular file");
	else if (str_ends(request->url, S("/")) || str_ends(target->path, S("/")) || request->directory_only)
		problem_respond(response, STATUS_NOT_FOUND, "a file, not a folder");
	else
		serve_file(handler, target, request, &file, response);
	file_close(&file);
}

/* The root that was used last is open; opened anew when it is another, or its path leads elsewhere now (a deployment switched
 * the link). */
int
target_open(struct handler *handler, struct target *target)
{
	struct buf *path = &handler->root_path;

	if (target->root != NULL)
		return 0;
	target->root = &handler->root;
	if (handler->root.fd >= 0 && str_eq(target->root_path, buf_view(path)) &&
	    root_is_current(&handler->root, buf_cstr(path)))
		return 0;
	root_close(&handler->root);
	buf_reset(path);
	buf_str(path, target->root_path);
	if (buf_cstr(path) == NULL || path->len == 0 || str_has(target->root_path, '\0'))
		return -ENOENT;
	return root_open(&handler->root, path->ptr, handler->options->symlinks);
}

static void
serve(struct handler *handler, const struct request *request, struct response *response)
{
	struct target target = {
		.root_path = request->root.len > 0 ? request->root : handler->options->root,
		.path = request->path,
	};
	int error;

	if (serve_remembered(handler, &target, request, response))
		return;
	error = target_open(handler, &target);
	if (error != 0)
		problem_respond_errno(response, error, "the root is not to be opened");
	else
		serve_below(handler, &target, request, response);
}

void
handler_collect(struct handler *handler)
{
	helper_collect(handler->scanner);
	helper_collect(handler->coder);
}

void
handler_collected(struct handler *handler)
{
	scan_forget(handler);
	coding_job_forget(handler);
}

void
handler_respond(struct handler *handler, const struct request *request, struct response *response)
{
	enum status status = request->refused;
	struct str path = request->path.len > 0 ? request->path : S("/");
	struct request asked = *request;

	asked.path = path;
	/* Not the others: taking what they have done takes the call to ask again from those who wait for it. */
	helper_collect(handler->helper);
	if (request->order > handler->newest)
		handler->newest = request->order;
	listcache_drain(handler->listings, request->received);
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

int
handler_descriptor(const struct handler *handler)
{
	return handler->wake;
}

void
handler_finish(struct handler *handler, struct response *response)
{
	/* A kept body's descriptor is the body's. */
	if (response->fd >= 0 && response->owner == NULL)
		close(response->fd);
	response->fd = -1;
	blob_put(handler->blobs, response->owner);
	response->owner = NULL;
}
