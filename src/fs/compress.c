/* Whole buffers in one call: the libraries are quickest so, and the length is known before the first byte goes out. */
#include "fs/compress.h"

#include <brotli/encode.h>
#include <errno.h>
#include <libdeflate.h>
#include <zstd.h>

static const struct {
	struct str name;
	struct str tags[2];
	int levels[2];
} codings[CODING_COUNT] = {
	[CODING_IDENTITY] = { STR(""), { STR(""), STR("") }, { 0, 0 } },
	[CODING_GZIP] = { STR("gzip"), { STR(".gz"), STR(".gz9") }, { 6, 12 } },
	[CODING_ZSTD] = { STR("zstd"), { STR(".zst"), STR(".zst9") }, { 5, 19 } },
	[CODING_BR] = { STR("br"), { STR(".br"), STR(".br9") }, { 5, 11 } },
};

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

static size_t
brotli(void *out, size_t room, struct str bytes, int level)
{
	size_t n = room;

	return BrotliEncoderCompress(level, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, bytes.len,
	    (const uint8_t *)bytes.ptr, &n, out) ? n : 0;
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
	size_t room = bytes.len - (bytes.len + 19) / 20, n = 0;
	int level = codings[coding].levels[quality];
	void *end;

	/* What does not fit into this much is not worth it; all three say so by failing. */
	if (room == 0)
		return -E2BIG;
	if (!buf_reserve(out, room))
		return -ENOMEM;
	end = out->ptr + out->len;
	if (coding == CODING_GZIP)
		n = gzip(end, room, bytes, level);
	else if (coding == CODING_BR)
		n = brotli(end, room, bytes, level);
	else if (coding == CODING_ZSTD)
		n = zstd(end, room, bytes, level);
	if (n == 0)
		return -E2BIG;
	out->len += n;
	return 0;
}
