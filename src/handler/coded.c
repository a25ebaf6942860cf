/* Made once, kept by what it was made from, in the quick quality while somebody waits and in the best one when the
 * processor is idle. The tag says which: other bytes, another tag. */
#include "handler/coded.h"

#include "handler/coding_job.h"
#include "http/etag.h"
#include "http/negotiate.h"

#include <errno.h>

#define SIZE_MIN 512

/* Coding this much takes 10 to 20 ms, for which others wait; more is a thread's. */
#define SIZE_AT_ONCE ((int64_t)1 << 19)

/* Coding this much takes some 160 ms. Who asks for more has the uncoded form sooner than that. */
#define SIZE_AWAITED ((int64_t)8 << 20)

/* As long as it may change unseen nothing is kept: what changes all the time would be coded for each request. */
#define SIZE_UNSETTLED ((int64_t)64 << 10)

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

	if (size < SIZE_MIN || size > CODING_JOB_LONGEST)
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

static bool
has_best(const struct coded_source *source, enum coding coding)
{
	return coding_has_best(coding, (size_t)source->size);
}

/* A large page may be another before its best form is there: that is not begun until the page was asked for often. */
static bool
is_patient(const struct coded_source *source)
{
	return source->file == NULL && source->size > CODING_JOB_COPIED;
}

/* The best form. That it is not there is remembered for a while, by a blob that was asked for; *due: it was looked
 * for in vain now, and shall be made. */
static struct blob *
find_best(struct handler *handler, const struct coded_source *source, enum coding coding, bool *due)
{
	struct hash key = coded_key(source->base, coding, QUALITY_BEST);
	struct blobs *blobs = handler->blobs;
	struct blob *blob = blobs_get(blobs, key);
	bool again =
	    blob != NULL && blob->asked > 0 && (++blob->asked > LOOK_AGAIN || is_named(source, coding, QUALITY_BEST));

	if (again) {
		blob_put(blobs, blob);
		blobs_forget(blobs, key);
		blob = blobs_get(blobs, key);
	}
	*due = blob == NULL && (again || !is_patient(source));
	if (blob != NULL)
		return blob;
	blob = blobs_add(blobs, key, (struct str){ NULL, 0 }, false);
	if (blob != NULL)
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
		return (struct coded){ .coding = coding, .quality = QUALITY_QUICK, .blob = blob };
	blob_put(handler->blobs, blob);
	blob = has_best(source, coding) ? find_best(handler, source, coding, due) : NULL;
	if (is_coded(blob))
		return (struct coded){ .coding = coding, .quality = QUALITY_BEST, .blob = blob, .final = true };
	best_is_settled = !has_best(source, coding) || (blob != NULL && blob->asked == 0);
	blob_put(handler->blobs, blob);
	blob = blobs_get(handler->blobs, quick);
	return (struct coded){ .coding = coding, .quality = QUALITY_QUICK, .blob = blob,
		.final = blob != NULL && best_is_settled };
}

/* Whether the quick form would be sent: who asks for a part of the uncoded one, or has that, gets that. */
static bool
is_wanted(const struct coded_source *source, enum coding coding)
{
	const struct request *request = source->request;

	if (request->range.ptr != NULL && request->method == METHOD_GET && !is_named(source, coding, QUALITY_QUICK))
		return false;
	return !request_names(request, source->tag);
}

/* The quick form of something new. */
static void
make(struct handler *handler, const struct coded_source *source, struct coded *coded)
{
	struct hash key = coded_key(source->base, coded->coding, QUALITY_QUICK);
	bool awaited = source->size <= SIZE_AWAITED && is_wanted(source, coded->coding);

	if (source->size <= SIZE_AT_ONCE || (awaited && handler->options->alone))
		coded->blob = code_now(handler, source, coded->coding);
	else if (awaited)
		coded->undecided = coding_job_await(handler, source, key, coded->coding, &coded->blob);
	else
		coding_job_later(handler, source, key, coded->coding, QUALITY_QUICK);
}

struct coded
coded_get(struct handler *handler, const struct coded_source *source, enum coding coding)
{
	struct coded coded = { .coding = coding, .quality = QUALITY_QUICK };
	struct hash best;
	bool due = false;

	if (coding == CODING_IDENTITY || (!source->settled && source->size > SIZE_UNSETTLED))
		return (struct coded){ .coding = CODING_IDENTITY };
	if (source->settled)
		coded = find_kept(handler, source, coding, &due);
	if (coded.blob == NULL)
		make(handler, source, &coded);
	if (!is_coded(coded.blob)) {
		blob_put(handler->blobs, coded.blob);
		return (struct coded){ .coding = CODING_IDENTITY, .final = coded.final, .undecided = coded.undecided };
	}
	/* Whom the helper turned away asks it again next time. */
	best = coded_key(source->base, coding, QUALITY_BEST);
	if (due && !coding_job_later(handler, source, best, coding, QUALITY_BEST))
		blobs_forget(handler->blobs, best);
	return coded;
}
