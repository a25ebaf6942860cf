/* Made once, kept by what it was made from, in the quick quality while somebody waits and in the best one when the
 * processor is idle. The tag says which: other bytes, another tag. */
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

/* The best quality of more than this takes the helper too long (brotli: half a megabyte a second): a worker that ends waits for it. */
#define SIZE_BEST ((int64_t)1 << 20)

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

bool
coded_is_meant(const struct request *request, struct str tag)
{
	if (request->range.ptr == NULL || request->method != METHOD_GET)
		return true;
	return names(request->if_range, tag) || names(request->if_none_match, tag) || names(request->if_match, tag);
}

/* Coding in the helper's thread. */
struct coding_job {
	struct job job;
	struct handler *handler;
	struct hash key;
	enum coding coding;
	enum quality quality;
	struct buf in, out;
	int error;
};

static void
job_run(struct job *job)
{
	struct coding_job *work = (struct coding_job *)job;

	work->error = compress_until(&work->out, buf_view(&work->in), work->coding, work->quality, job->stop);
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
	struct blobs *blobs = work->handler->blobs;

	if (work->error == 0 && work->out.len > 0)
		blob_put(blobs, blobs_add(blobs, work->key, buf_view(&work->out), true));
	else if (work->error == -E2BIG)
		blob_put(blobs, blobs_add(blobs, work->key, (struct str){ NULL, 0 }, false));
	forget_pending(work->handler, work->key);
	buf_release(&work->in);
	buf_release(&work->out);
	free(work);
}

static bool
is_pending(const struct handler *handler, struct hash key)
{
	for (size_t i = 0; i < HANDLER_PENDING_MAX; i++)
		if (handler->pending[i].low == key.low && handler->pending[i].high == key.high)
			return true;
	return false;
}

/* One at a time for each key: the second one who asks finds it pending. */
static bool
note_pending(struct handler *handler, struct hash key)
{
	if (is_pending(handler, key))
		return false;
	for (size_t i = 0; i < HANDLER_PENDING_MAX; i++) {
		if (handler->pending[i].low != 0 || handler->pending[i].high != 0)
			continue;
		handler->pending[i] = key;
		return true;
	}
	return false;
}

/* Hands the coding of these bytes to the helper. `bytes` is copied. */
static void
code_later(struct handler *handler, struct hash key, struct str bytes, enum coding coding, enum quality quality)
{
	struct coding_job *work;

	/* After the only request there is no idle time: the process would live on for it. */
	if (handler->options->alone || !note_pending(handler, key))
		return;
	work = calloc(1, sizeof(*work));
	if (work != NULL) {
		work->job.run = job_run;
		work->job.finish = job_finish;
		work->handler = handler;
		work->key = key;
		work->coding = coding;
		work->quality = quality;
		buf_init(&work->in, (size_t)SIZE_LONGEST);
		buf_init(&work->out, (size_t)SIZE_LONGEST);
		buf_str(&work->in, bytes);
		if (!buf_failed(&work->in) && helper_submit(handler->helper, &work->job))
			return;
		buf_release(&work->in);
		free(work);
	}
	forget_pending(handler, key);
}

static struct blob *
code_now(struct handler *handler, const struct coded_source *source, struct hash key, struct str bytes, enum coding coding)
{
	struct buf *out = &handler->coded;
	struct blob *blob = NULL;
	int error;

	buf_reset(out);
	error = compress_bytes(out, bytes, coding, QUALITY_QUICK);
	if (error == 0 && !source->settled)
		return blobs_make(handler->blobs, buf_view(out));
	if (error == 0)
		blob = blobs_add(handler->blobs, key, buf_view(out), true);
	else if (error == -E2BIG && source->settled)
		blob = blobs_add(handler->blobs, key, (struct str){ NULL, 0 }, false);
	if (error == 0 && source->settled && source->size <= SIZE_BEST)
		code_later(handler, coded_key(source->base, coding, QUALITY_BEST), bytes, coding, QUALITY_BEST);
	return blob;
}

static const struct coded uncoded = { CODING_IDENTITY, QUALITY_QUICK, NULL };

static struct coded
take(struct handler *handler, struct blob *blob, enum coding coding, enum quality quality)
{
	if (blob != NULL && blob->length > 0)
		return (struct coded){ coding, quality, blob };
	blob_put(handler->blobs, blob);
	return uncoded;
}

struct coded
coded_get(struct handler *handler, const struct coded_source *source, enum coding coding)
{
	struct hash key = coded_key(source->base, coding, QUALITY_QUICK);
	struct buf *in = &handler->plain;
	struct blob *blob = NULL;

	if (coding == CODING_IDENTITY)
		return uncoded;
	if (source->settled) {
		blob = blobs_get(handler->blobs, coded_key(source->base, coding, QUALITY_BEST));
		if (blob != NULL && blob->length > 0)
			return take(handler, blob, coding, QUALITY_BEST);
		blob_put(handler->blobs, blob);
		blob = blobs_get(handler->blobs, key);
		if (blob != NULL)
			return take(handler, blob, coding, QUALITY_QUICK);
	}
	if (source->size > SIZE_AT_ONCE && (!source->settled || is_pending(handler, key)))
		return uncoded;
	buf_reset(in);
	if (source->read(source->context, in) != 0 || buf_failed(in))
		return uncoded;
	if (source->size <= SIZE_AT_ONCE)
		return take(handler, code_now(handler, source, key, buf_view(in), coding), coding, QUALITY_QUICK);
	code_later(handler, key, buf_view(in), coding, QUALITY_QUICK);
	return uncoded;
}
