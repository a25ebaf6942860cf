/* Each coding decoded again by its library, and what is not worth coding. */
#include "fs/compress.h"

#include "suites.h"

#include <brotli/decode.h>
#include <errno.h>
#include <libdeflate.h>
#include <pthread.h>
#include <unistd.h>
#include <zstd.h>

Suite *compress_suite(void);

enum { MOST = 5 << 18 };

static char original[MOST], decoded[MOST];

/* Text that repeats itself, but not from its start on. */
static struct str
make_text(size_t len)
{
	static const char words[8][8] = { "index ", "of ", "photo", "2024-", "<td>", ".html\n", "a", "README " };
	uint32_t state = 1;
	size_t at = 0;

	while (at < len) {
		const char *word;

		state = state * 1664525 + 1013904223;
		word = words[state >> 29];
		for (size_t i = 0; word[i] != '\0' && at < len; i++)
			original[at++] = word[i];
	}
	return (struct str){ original, len };
}

static struct str
make_noise(size_t len)
{
	uint64_t state = 88172645463325252;

	for (size_t i = 0; i < len; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		original[i] = (char)(state >> 32);
	}
	return (struct str){ original, len };
}

static size_t
decode_gzip(struct str coded)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	size_t n = 0;

	ck_assert_int_eq(libdeflate_gzip_decompress(decompressor, coded.ptr, coded.len, decoded, MOST, &n), LIBDEFLATE_SUCCESS);
	libdeflate_free_decompressor(decompressor);
	return n;
}

static size_t
decode(enum coding coding, struct str coded)
{
	size_t n = MOST;

	if (coding == CODING_GZIP)
		return decode_gzip(coded);
	if (coding == CODING_ZSTD)
		return ZSTD_decompress(decoded, MOST, coded.ptr, coded.len);
	ck_assert_int_eq(BrotliDecoderDecompress(coded.len, (const uint8_t *)coded.ptr, &n, (uint8_t *)decoded),
	    BROTLI_DECODER_RESULT_SUCCESS);
	return n;
}

static const struct {
	enum coding coding;
	enum quality quality;
	size_t len;
} round_trips[] = {
	{ CODING_GZIP, QUALITY_QUICK, 200 },
	{ CODING_GZIP, QUALITY_QUICK, 70000 },
	{ CODING_GZIP, QUALITY_QUICK, MOST },
	{ CODING_GZIP, QUALITY_BEST, 200 },
	{ CODING_GZIP, QUALITY_BEST, 70000 },
	{ CODING_ZSTD, QUALITY_QUICK, 200 },
	{ CODING_ZSTD, QUALITY_QUICK, 70000 },
	{ CODING_ZSTD, QUALITY_QUICK, MOST },
	{ CODING_ZSTD, QUALITY_BEST, 200 },
	{ CODING_ZSTD, QUALITY_BEST, 70000 },
	{ CODING_BR, QUALITY_QUICK, 200 },
	{ CODING_BR, QUALITY_QUICK, 70000 },
	{ CODING_BR, QUALITY_QUICK, MOST },
	{ CODING_BR, QUALITY_BEST, 200 },
	{ CODING_BR, QUALITY_BEST, 70000 },
	{ CODING_BR, QUALITY_BEST, MOST },
};

/* What is in the buffer already stays before it. */
START_TEST(round_trip)
{
	struct str bytes = make_text(round_trips[_i].len), coded;
	struct buf out;

	buf_init(&out, 2 * MOST);
	buf_text(&out, "before");
	ck_assert_int_eq(compress_bytes(&out, bytes, round_trips[_i].coding, round_trips[_i].quality), 0);
	ck_assert_str_is(str_sub(buf_view(&out), 0, 6), "before");
	coded = buf_since(&out, 6);
	ck_assert_uint_le(coded.len, bytes.len - bytes.len / 20);
	ck_assert_uint_eq(decode(round_trips[_i].coding, coded), bytes.len);
	ck_assert_int_eq(memcmp(decoded, bytes.ptr, bytes.len), 0);
	buf_release(&out);
}
END_TEST

/* RFC 9659 3: a window of more than 8 MB need not be decoded. */
START_TEST(zstd_window)
{
	struct buf out;

	buf_init(&out, 2 * MOST);
	ck_assert_int_eq(compress_bytes(&out, make_text(COMPRESS_LARGE), CODING_ZSTD, QUALITY_BEST), 0);
	ZSTD_DCtx *context = ZSTD_createDCtx();
	ck_assert(!ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 23)));
	ck_assert_uint_eq(ZSTD_decompressDCtx(context, decoded, MOST, out.ptr, out.len), COMPRESS_LARGE);
	ZSTD_freeDCtx(context);
	buf_release(&out);
}
END_TEST

static const struct {
	const char *what;
	size_t len;
	bool noise;
} useless[] = {
	{ "nothing", 0, false },
	{ "one byte", 1, false },
	{ "a word", 6, false },
	{ "noise", 1000, true },
	{ "much noise", 300000, true },
};

START_TEST(not_worth_it)
{
	for (int coding = CODING_IDENTITY; coding < CODING_COUNT; coding++)
		for (int quality = QUALITY_QUICK; quality <= QUALITY_BEST; quality++) {
			struct str bytes = useless[_i].noise ? make_noise(useless[_i].len) : make_text(useless[_i].len);
			struct buf out;

			buf_init(&out, 2 * MOST);
			ck_assert_int_eq(compress_bytes(&out, bytes, (enum coding)coding, (enum quality)quality), -E2BIG);
			ck_assert_uint_eq(out.len, 0);
			ck_assert(!buf_failed(&out));
			buf_release(&out);
		}
}
END_TEST

/* Of n equal bytes and a little noise, none that is coded is longer than 19 twentieths. */
START_TEST(smaller_by_a_twentieth)
{
	for (size_t len = 1; len <= 64; len++)
		for (int coding = CODING_GZIP; coding < CODING_COUNT; coding++) {
			struct buf out;
			int error;

			memset(original, 'a', len);
			buf_init(&out, MOST);
			error = compress_bytes(&out, (struct str){ original, len }, (enum coding)coding, QUALITY_QUICK);
			ck_assert(error == 0 || error == -E2BIG);
			ck_assert(error != 0 || 20 * out.len <= 19 * len);
			buf_release(&out);
		}
}
END_TEST

START_TEST(no_room)
{
	struct buf out;

	for (int coding = CODING_GZIP; coding < CODING_COUNT; coding++) {
		buf_init(&out, 10);
		ck_assert_int_eq(compress_bytes(&out, make_text(1000), (enum coding)coding, QUALITY_QUICK), -ENOMEM);
		buf_release(&out);
	}
}
END_TEST

static const struct {
	enum coding coding;
	size_t len;
	bool best;
} bests[] = {
	{ CODING_GZIP, COMPRESS_LARGE, true },
	{ CODING_GZIP, COMPRESS_LARGE + 1, false },
	{ CODING_ZSTD, COMPRESS_LARGE, true },
	{ CODING_ZSTD, COMPRESS_LARGE + 1, false },
	{ CODING_BR, COMPRESS_LARGE, true },
	{ CODING_BR, COMPRESS_LARGE + 1, true },
};

/* A best quality that is said to be there is smaller than the quick one, which is what the other is. */
START_TEST(best)
{
	struct buf out[2];

	ck_assert_int_eq(coding_has_best(bests[_i].coding, bests[_i].len), bests[_i].best);
	for (int quality = QUALITY_QUICK; quality <= QUALITY_BEST; quality++) {
		buf_init(&out[quality], 2 * MOST);
		ck_assert_int_eq(compress_bytes(&out[quality], make_text(bests[_i].len), bests[_i].coding, (enum quality)quality), 0);
	}
	ck_assert_int_eq(out[QUALITY_BEST].len < out[QUALITY_QUICK].len, bests[_i].best);
	for (int quality = QUALITY_QUICK; quality <= QUALITY_BEST; quality++)
		buf_release(&out[quality]);
}
END_TEST

static const struct {
	enum coding coding;
	const char *name;
} names[] = {
	{ CODING_IDENTITY, "" },
	{ CODING_GZIP, "gzip" },
	{ CODING_ZSTD, "zstd" },
	{ CODING_BR, "br" },
};

START_TEST(names_in_fields)
{
	ck_assert_str_is(coding_name(names[_i].coding), names[_i].name);
}
END_TEST

/* Other bytes, another tag; and none that a front adds itself ("-gzip", ";br", "-br"). */
START_TEST(tags)
{
	for (int a = 0; a < 2 * CODING_COUNT; a++) {
		struct str tag = coding_tag((enum coding)(a / 2), (enum quality)(a % 2));

		ck_assert_int_eq(tag.len == 0, a / 2 == CODING_IDENTITY);
		ck_assert(!str_has(tag, '-') && !str_has(tag, ';') && !str_has(tag, '"'));
		for (int b = 2; b < a; b++)
			ck_assert(!str_eq(tag, coding_tag((enum coding)(b / 2), (enum quality)(b % 2))));
	}
}
END_TEST

static void *
stop_soon(void *stop)
{
	usleep(20000);
	atomic_store((atomic_bool *)stop, true);
	return NULL;
}

static const struct {
	enum quality quality;
	bool before, meanwhile;
	int error;
} stops[] = {
	{ QUALITY_QUICK, false, false, 0 },
	{ QUALITY_QUICK, true, false, -ECANCELED },
	{ QUALITY_BEST, false, true, -ECANCELED }, /* some seconds' work */
};

START_TEST(stopped)
{
	struct str bytes = make_text(COMPRESS_LARGE);
	atomic_bool stop = stops[_i].before;
	pthread_t stopper;
	struct buf out;

	buf_init(&out, 2 * MOST);
	if (stops[_i].meanwhile)
		ck_assert_int_eq(pthread_create(&stopper, NULL, stop_soon, &stop), 0);
	ck_assert_int_eq(compress_until(&out, bytes, CODING_BR, stops[_i].quality, &stop), stops[_i].error);
	ck_assert_int_eq(out.len > 0, stops[_i].error == 0);
	if (stops[_i].meanwhile)
		pthread_join(stopper, NULL);
	buf_release(&out);
}
END_TEST

Suite *
compress_suite(void)
{
	Suite *suite = suite_create("compress");

	suite_add_rows(suite, round_trip, round_trips);
	suite_add_test(suite, zstd_window);
	suite_add_rows(suite, not_worth_it, useless);
	suite_add_test(suite, smaller_by_a_twentieth);
	suite_add_test(suite, no_room);
	suite_add_rows(suite, best, bests);
	suite_add_rows(suite, names_in_fields, names);
	suite_add_test(suite, tags);
	suite_add_rows(suite, stopped, stops);
	return suite;
}
