/* Whole buffers in one call: the libraries are quickest so, and the length is known before the first byte goes out. Only brotli,
 * which takes seconds for what takes the others tenths, is fed in steps; its output is the same. */
#include "fs/compress.h"

#include <brotli/encode.h>
#include <errno.h>
#include <libdeflate.h>
#include <zstd.h>

#define BROTLI_STEP ((size_t)64 << 10)

/* Bytes. For more than this brotli's quick level is one as quick as those of the others: 5 takes four times as long. */
#define SIZE_SMALL ((size_t)256 << 10)

enum size { SMALL, MIDDLE, LARGE };

/* For large ones the best levels would take half a minute. Only brotli has one in between that gains a fifth; gzip and zstd gain
 * next to nothing. */
static const struct {
	struct str name;
	struct str tags[2];
	int levels[3][2];
} codings[CODING_COUNT] = {
	[CODING_IDENTITY] = { STR(""), { STR(""), STR("") }, { { 0, 0 }, { 0, 0 }, { 0, 0 } } },
	[CODING_GZIP] = { STR("gzip"), { STR(".gz"), STR(".gz9") }, { { 6, 12 }, { 6, 12 }, { 6, 6 } } },
	[CODING_ZSTD] = { STR("zstd"), { STR(".zst"), STR(".zst9") }, { { 5, 19 }, { 5, 19 }, { 5, 5 } } },
	[CODING_BR] = { STR("br"), { STR(".br"), STR(".br9") }, { { 5, 11 }, { 3, 11 }, { 3, 5 } } },
};

static int
level_of(enum coding coding, enum quality quality, size_t size)
{
	enum size class = size <= SIZE_SMALL ? SMALL : size <= COMPRESS_LARGE ? MIDDLE : LARGE;

	return codings[coding].levels[class][quality];
}

struct str
coding_name(enum coding coding)
{
	return codings[coding].name;
}

struct str
coding_tag(enum coding coding, enum quality quality)
{
	return codings[coding].tags[quality];
}

bool
coding_has_best(enum coding coding, size_t size)
{
	return level_of(coding, QUALITY_BEST, size) != level_of(coding, QUALITY_QUICK, size);
}

static bool
is_stopped(const atomic_bool *stop)
{
	return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

static size_t
gzip(void *out, size_t room, struct str bytes, int level)
{
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
	size_t n;

	if (compressor == NULL)
		return 0;
	n = libdeflate_gzip_compress(compressor, bytes.ptr, bytes.len, out, room);
	libdeflate_free_compressor(compressor);
	return n;
}

/* False: given up, or there is no room for what comes out. */
static bool
brotli_feed(BrotliEncoderState *encoder, uint8_t *out, size_t *room, struct str bytes, const atomic_bool *stop)
{
	while (!BrotliEncoderIsFinished(encoder)) {
		struct str step = str_sub(bytes, 0, BROTLI_STEP);
		const uint8_t *in = (const uint8_t *)step.ptr;
		size_t left = step.len, before = *room;
		bool last = step.len == bytes.len;

		if (is_stopped(stop) || !BrotliEncoderCompressStream(encoder,
		    last ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS, &left, &in, room, &out, NULL))
			return false;
		if (left == step.len && *room == before)
			return BrotliEncoderIsFinished(encoder);
		bytes = str_after(bytes, step.len - left);
	}
	return true;
}

static size_t
brotli(void *out, size_t room, struct str bytes, int level, const atomic_bool *stop)
{
	BrotliEncoderState *encoder = BrotliEncoderCreateInstance(NULL, NULL, NULL);
	size_t left = room;
	bool done;

	if (encoder == NULL)
		return 0;
	BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, (uint32_t)level);
	BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, BROTLI_DEFAULT_WINDOW);
	BrotliEncoderSetParameter(encoder, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT);
	BrotliEncoderSetParameter(encoder, BROTLI_PARAM_SIZE_HINT, (uint32_t)bytes.len);
	done = brotli_feed(encoder, out, &left, bytes, stop);
	BrotliEncoderDestroyInstance(encoder);
	return done ? room - left : 0;
}

static size_t
zstd(void *out, size_t room, struct str bytes, int level)
{
	size_t n = ZSTD_compress(out, room, bytes.ptr, bytes.len, level);

	return ZSTD_isError(n) ? 0 : n;
}

int
compress_bytes(struct buf *out, struct str bytes, enum coding coding, enum quality quality)
{
	return compress_until(out, bytes, coding, quality, NULL);
}

int
compress_until(struct buf *out, struct str bytes, enum coding coding, enum quality quality, const atomic_bool *stop)
{
	size_t room = bytes.len - (bytes.len + 19) / 20, n = 0;
	int level = level_of(coding, quality, bytes.len);
	void *end;

	/* What does not fit into this much is not worth it; all three say so by failing. */
	if (room == 0)
		return -E2BIG;
	if (!buf_reserve(out, room))
		return -ENOMEM;
	if (is_stopped(stop))
		return -ECANCELED;
	end = out->ptr + out->len;
	if (coding == CODING_GZIP)
		n = gzip(end, room, bytes, level);
	else if (coding == CODING_BR)
		n = brotli(end, room, bytes, level, stop);
	else if (coding == CODING_ZSTD)
		n = zstd(end, room, bytes, level);
	if (n == 0)
		return is_stopped(stop) ? -ECANCELED : -E2BIG;
	out->len += n;
	return 0;
}
