/* What is said of a file comes from one look at it, by descriptor or by path, and its bytes are checked against that. */
#include "handler/attempt.h"

#include "fs/filetype.h"
#include "fs/magic.h"
#include "http/date.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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

struct str
attempt_nginx_tag(struct attempt *attempt)
{
	struct buf tag = { .ptr = attempt->nginx, .cap = ETAG_MAX, .max = ETAG_MAX };

	etag_format_nginx(&tag, attempt->file.mtime, attempt->file.size);
	return buf_view(&tag);
}

bool
attempt_is_settled(const struct attempt *attempt)
{
	return !etag_is_unsettled(attempt->file.ctime, attempt->request->received);
}

/* The type by name, else by content; and the file is remembered with it, unless that content may change unseen yet. */
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
	if (type.media_type.len == 0 && !attempt_is_settled(attempt))
		return;
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

int
attempt_open_target(struct attempt *attempt, struct file *file)
{
	int error = target_open(attempt->handler, attempt->target);

	return error != 0 ? error : file_open(file, attempt->target->root, attempt->target->path);
}

int
attempt_open(struct attempt *attempt)
{
	struct file file;
	int error;

	if (attempt->file.fd >= 0)
		return 0;
	error = attempt_open_target(attempt, &file);
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

int
attempt_read(struct attempt *attempt, struct buf *out)
{
	int error = attempt_open(attempt);

	if (error == 0)
		error = file_read(&attempt->file, out);
	return error == 0 ? file_check(&attempt->file) : error;
}

static int
read_for_coding(void *context, struct buf *out)
{
	return attempt_read(context, out);
}

static int
open_for_coding(void *context)
{
	struct attempt *attempt = context;
	int error = attempt_open(attempt), fd;

	if (error != 0)
		return error;
	fd = fcntl(attempt->file.fd, F_DUPFD_CLOEXEC, 0);
	return fd >= 0 ? fd : -errno;
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
		.settled = attempt_is_settled(attempt),
		.tag = attempt->representation.etag,
		.request = attempt->request,
		.read = read_for_coding,
		.open = open_for_coding,
		.file = file,
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
	attempt->coded.final = coding == CODING_IDENTITY;
	if (attempt->coded.final)
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

void
attempt_select(struct attempt *attempt)
{
	represent(attempt);
	select_coding(attempt);
}
