/* Made once, kept by what it was made from, in the quick quality while somebody waits and in the best one when the
 * processor is idle. The tag says which: other bytes, another tag. What the helper codes it reads itself. */
#include "handler/coded.h"

#include "fs/helper.h"
#include "http/etag.h"
#include "http/negotiate.h"

#include <errno.h>
#include <stdlib.h>

#define SIZE_MIN 512
#define SIZE_LONGEST ((int64_t)16 << 20)

/* Coding this much takes some 20 ms; more is the helper's. */
#define SIZE_AT_ONCE ((int64_t)3 << 19)

/* As long as it may change unseen nothing is kept: what changes all the time would be coded for each request. */
#define SIZE_UNSETTLED ((int64_t)64 << 10)

/* The best quality of more than this takes the helper too long (brotli: half a megabyte a second): a worker that ends waits for it. */
#define SIZE_BEST ((int64_t)1 << 20)

/* The best form that is not there is looked for again after so many requests: another process may have made it. */
#define LOOK_AGAIN 64

#define TAG_MAX (ETAG_MAX + 16)

bool
coded_is_worth(struct str media_type, int64_t size)
{
	static const struct str types[] = {
		STR("application/json"), STR("application/xml"), STR("application/wasm"), STR("application/manifest+json"),
		STR("application/javascript"), STR("application/rtf"), STR("application/x-tar"), STR("application/yaml"),
		STR("application/toml"), STR("application/vnd.ms-fontobject"), STR("application/postscript"),
		STR("application/x-sh"), STR("application/sql"), STR("application/x-httpd-php"), STR("font/ttf"),
		STR("font/otf"), STR("image/bmp"), STR("image/vnd.microsoft.icon"), STR("image/x-ms-bmp"),
	};
	struct str type = media_type;

	if (size < SIZE_MIN || size > SIZE_LONGEST)
		return false;
	str_cut(&media_type, ';', &type);
	type = str_trim(type);
	if (str_starts(type, S("text/")) || str_ends(type, S("+json")) || str_ends(type, S("+xml")))
		return true;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (str_eq(type, types[i]))
			return true;
	return false;
}

enum coding
coded_choose(const struct handler *handler, const struct request *request)
{
	static const enum coding by_preference[] = { CODING_BR, CODING_ZSTD, CODING_GZIP };
	enum coding chosen = CODING_IDENTITY;
	int best = 0, identity;

	if (request->accept_encoding.ptr == NULL)
		return CODING_IDENTITY;
	identity = negotiate_coding(request->accept_encoding, S("identity"));
	for (size_t i = 0; i < sizeof(by_preference) / sizeof(by_preference[0]); i++) {
		int quality;

		if (!handler->options->codings[by_preference[i]])
			continue;
		quality = negotiate_coding(request->accept_encoding, coding_name(by_preference[i]));
		if (quality > best) {
			best = quality;
			chosen = by_preference[i];
		}
	}
	/* Identity that is named and liked better. Not named, it is merely acceptable. */
	return identity > best ? CODING_IDENTITY : chosen;
}

struct hash
coded_key(struct hash base, enum coding coding, enum quality quality)
{
	uint64_t mixed[] = { base.high, base.low, (uint64_t)coding << 8 | (uint64_t)quality };

	return hash_bytes((struct str){ (const char *)mixed, sizeof(mixed) });
}

void
coded_tag(struct buf *out, struct str tag, enum coding coding, enum quality quality)
{
	if (coding == CODING_IDENTITY || tag.len == 0) {
		buf_str(out, tag);
		return;
	}
	buf_str(out, str_sub(tag, 0, tag.len - 1));
	buf_str(out, coding_tag(coding, quality));
	buf_char(out, '"');
}

/* By name: "*" is any form. */
static bool
names(struct str list, struct str tag)
{
	return !str_eq(str_trim(list), S("*")) && etag_list_has(list, tag, S(""), ETAG_WEAK);
}

static bool
request_names(const struct request *request, struct str tag)
{
	return names(request->if_range, tag) || names(request->if_none_match, tag) || names(request->if_match, tag);
}

bool
coded_is_meant(const struct request *request, struct str tag)
{
	return request->range.ptr == NULL || request->method != METHOD_GET || request_names(request, tag);
}

/* Coding in the helper's thread. */
struct coding_job {
	struct job job;
	struct handler *handler;
	struct blobs *blobs;
	struct hash key;
	enum coding coding;
	enum quality quality;
	struct file file;        /* fd -1: the bytes are in `in` */
	bool may_change;         /* then file is what it must still be */
	struct buf in, out;
	int error;               /* -EEXIST: it is in the directory */
};

static int
job_read(struct coding_job *work)
{
	int error = work->file.fd >= 0 ? file_read(&work->file, &work->in) : 0;

	return error == 0 && work->may_change ? file_check(&work->file) : error;
}

static void
job_run(struct job *job)
{
	struct coding_job *work = (struct coding_job *)job;
	int claim = blobs_claim(work->blobs, work->key);

	work->error = claim == -EEXIST || claim == -EBUSY ? claim : job_read(work);
	if (work->error == 0)
		work->error = compress_until(&work->out, buf_view(&work->in), work->coding, work->quality, job->stop);
	buf_release(&work->in);
	if (work->error != 0)
		buf_reset(&work->out);
	if (blobs_settle(work->blobs, work->key, claim, buf_view(&work->out)) == 0)
		work->error = -EEXIST;
}

static void
job_free(struct coding_job *work)
{
	if (work == NULL)
		return;
	file_close(&work->file);
	buf_release(&work->in);
	buf_release(&work->out);
	free(work);
}

static void
forget_pending(struct handler *handler, struct hash key)
{
	for (size_t i = 0; i < HANDLER_PENDING_MAX; i++)
		if (handler->pending[i].low == key.low && handler->pending[i].high == key.high)
			handler->pending[i] = (struct hash){ 0, 0 };
}

static void
job_finish(struct job *job)
{
	struct coding_job *work = (struct coding_job *)job;

	if (work->error == -EEXIST)
		blobs_forget(work->blobs, work->key);
	else if (work->error == -E2BIG)
		blob_put(work->blobs, blobs_add(work->blobs, work->key, (struct str){ NULL, 0 }, false));
	else if (work->error == 0 && work->out.len > 0)
		blob_put(work->blobs, blobs_add(work->blobs, work->key, buf_view(&work->out), false));
	forget_pending(work->handler, work->key);
	job_free(work);
}

static bool
is_pending(const struct handler *handler, struct hash key)
{
	for (size_t i = 0; i < HANDLER_PENDING_MAX; i++)
		if (handler->pending[i].low == key.low && handler->pending[i].high == key.high)
			return true;
	return false;
}

/* Room for one more in the table of what is under way. */
static bool
note_pending(struct handler *handler, struct hash key)
{
	for (size_t i = 0; i < HANDLER_PENDING_MAX; i++) {
		if (handler->pending[i].low != 0 || handler->pending[i].high != 0)
			continue;
		handler->pending[i] = key;
		return true;
	}
	return false;
}

/* The job takes a descriptor along. What is in memory has none, is small, and is copied. */
static struct coding_job *
job_new(struct handler *handler, const struct coded_source *source, enum coding coding, enum quality quality)
{
	struct coding_job *work = calloc(1, sizeof(*work));

	if (work == NULL)
		return NULL;
	work->job = (struct job){ .run = job_run, .finish = job_finish };
	work->handler = handler;
	work->blobs = handler->blobs;
	work->key = coded_key(source->base, coding, quality);
	work->coding = coding;
	work->quality = quality;
	buf_init(&work->in, (size_t)SIZE_LONGEST + 1);
	buf_init(&work->out, (size_t)SIZE_LONGEST);
	work->file.fd = source->open(source->context);
	if (work->file.fd >= 0) {
		int fd = work->file.fd;

		work->may_change = source->file != NULL;
		if (work->may_change)
			work->file = *source->file;
		work->file.fd = fd;
		work->file.size = source->size;
		return work;
	}
	if (source->size <= SIZE_BEST && source->read(source->context, &work->in) == 0 && !buf_failed(&work->in))
		return work;
	job_free(work);
	return NULL;
}

/* Leaves it to the helper, unless it has it already. False: it takes no more. */
static bool
code_later(struct handler *handler, const struct coded_source *source, enum coding coding, enum quality quality)
{
	struct hash key = coded_key(source->base, coding, quality);
	struct coding_job *work;

	if (is_pending(handler, key))
		return true;
	/* After the only request there is no idle time: the process would live on for it. */
	if (handler->options->alone || !note_pending(handler, key))
		return false;
	work = job_new(handler, source, coding, quality);
	if (work != NULL && helper_submit(handler->helper, &work->job))
		return true;
	job_free(work);
	forget_pending(handler, key);
	return false;
}

static struct blob *
code_now(struct handler *handler, const struct coded_source *source, enum coding coding)
{
	struct hash key = coded_key(source->base, coding, QUALITY_QUICK);
	struct buf *in = &handler->plain, *out = &handler->coded;
	int error;

	buf_reset(in);
	buf_reset(out);
	if (source->read(source->context, in) != 0 || buf_failed(in))
		return NULL;
	error = compress_bytes(out, buf_view(in), coding, QUALITY_QUICK);
	if (error == 0 && !source->settled)
		return blobs_make(handler->blobs, buf_view(out));
	if (error == 0)
		return blobs_add(handler->blobs, key, buf_view(out), true);
	if (error == -E2BIG && source->settled)
		return blobs_add(handler->blobs, key, (struct str){ NULL, 0 }, false);
	return NULL;
}

/* Whether the request has the form in this quality, and says so. */
static bool
is_named(const struct coded_source *source, enum coding coding, enum quality quality)
{
	const struct request *request = source->request;
	char text[TAG_MAX];
	struct buf tag = { .ptr = text, .cap = sizeof(text), .max = sizeof(text) };

	if (request->if_none_match.ptr == NULL && request->if_match.ptr == NULL && request->if_range.ptr == NULL)
		return false;
	coded_tag(&tag, source->tag, coding, quality);
	return request_names(request, buf_view(&tag));
}

static bool
is_coded(const struct blob *blob)
{
	return blob != NULL && blob->length > 0;
}

/* The best form. That it is not there is remembered for a while, by a blob that was asked for; *due: it was looked
 * for in vain now. */
static struct blob *
find_best(struct handler *handler, const struct coded_source *source, enum coding coding, bool *due)
{
	struct hash key = coded_key(source->base, coding, QUALITY_BEST);
	struct blobs *blobs = handler->blobs;
	struct blob *blob = blobs_get(blobs, key);

	if (blob != NULL && blob->asked > 0 && (++blob->asked > LOOK_AGAIN || is_named(source, coding, QUALITY_BEST))) {
		blob_put(blobs, blob);
		blobs_forget(blobs, key);
		blob = blobs_get(blobs, key);
	}
	*due = blob == NULL;
	if (blob == NULL)
		blob = blobs_add(blobs, key, (struct str){ NULL, 0 }, false);
	if (blob != NULL && *due)
		blob->asked = 1;
	return blob;
}

/* What is kept: the form that the request has already, so that a better one is not sent to all who have that; else
 * the best. */
static struct coded
find_kept(struct handler *handler, const struct coded_source *source, enum coding coding, bool *due)
{
	struct hash quick = coded_key(source->base, coding, QUALITY_QUICK);
	struct blob *blob = NULL;
	bool best_is_settled;

	if (is_named(source, coding, QUALITY_QUICK))
		blob = blobs_get(handler->blobs, quick);
	if (is_coded(blob))
		return (struct coded){ coding, QUALITY_QUICK, blob, false };
	blob_put(handler->blobs, blob);
	blob = source->size <= SIZE_BEST ? find_best(handler, source, coding, due) : NULL;
	if (is_coded(blob))
		return (struct coded){ coding, QUALITY_BEST, blob, true };
	best_is_settled = source->size > SIZE_BEST || (blob != NULL && blob->asked == 0);
	blob_put(handler->blobs, blob);
	blob = blobs_get(handler->blobs, quick);
	return (struct coded){ coding, QUALITY_QUICK, blob, blob != NULL && best_is_settled };
}

struct coded
coded_get(struct handler *handler, const struct coded_source *source, enum coding coding)
{
	struct coded coded = { .coding = coding, .quality = QUALITY_QUICK };
	bool due = false;

	if (coding == CODING_IDENTITY || (!source->settled && source->size > SIZE_UNSETTLED))
		return (struct coded){ .coding = CODING_IDENTITY };
	if (source->settled)
		coded = find_kept(handler, source, coding, &due);
	if (coded.blob == NULL && source->size <= SIZE_AT_ONCE)
		coded.blob = code_now(handler, source, coding);
	else if (coded.blob == NULL)
		code_later(handler, source, coding, QUALITY_QUICK);
	if (!is_coded(coded.blob)) {
		blob_put(handler->blobs, coded.blob);
		return (struct coded){ .coding = CODING_IDENTITY, .final = coded.final };
	}
	/* Whom the helper turned away asks it again next time. */
	if (due && !code_later(handler, source, coding, QUALITY_BEST))
		blobs_forget(handler->blobs, coded_key(source->base, coding, QUALITY_BEST));
	return coded;
}
