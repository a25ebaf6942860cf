/* Coded forms through whole answers: which one a request gets, that it is the file, that it is never an old one. */
#include "handler/coded.h"

#include "handler/fixture.h"
#include "suites.h"

#include <brotli/decode.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

Suite *coded_suite(void);

/* a.txt: 4000 bytes of text_at, written at WRITTEN. */
#define SIZE 4000
#define TAG "\"17979cfe362a0000-fa0\""
#define BROWSER "gzip, deflate, br, zstd"

/* Longer than anything here has to wait for the helper, which works when nobody else does. */
#define PATIENCE 4000

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
	for (int i = 0; i < CODING_COUNT; i++)
		f.options.codings[i] = true;
	f.options.cache_memory = (size_t)64 << 20;
	f.options.cache_disk = INT64_C(1) << 30;
	fixture_text(&f, "root/a.txt", SIZE);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static void
only(enum coding coding)
{
	for (int i = CODING_IDENTITY + 1; i < CODING_COUNT; i++)
		f.options.codings[i] = i == (int)coding;
}

static void
accept_coding(const char *field)
{
	f.request.accept_encoding = str_from(field);
}

/* The bytes that a coded content stands for; the length of what was written to out. */
static size_t
decode(struct str coding, struct str in, char *out, size_t room)
{
	size_t len = room;

	if (str_eq(coding, S("gzip"))) {
		struct libdeflate_decompressor *one = libdeflate_alloc_decompressor();

		ck_assert_int_eq(libdeflate_gzip_decompress(one, in.ptr, in.len, out, room, &len), LIBDEFLATE_SUCCESS);
		libdeflate_free_decompressor(one);
	} else if (str_eq(coding, S("zstd"))) {
		len = ZSTD_decompress(out, room, in.ptr, in.len);
		ck_assert(!ZSTD_isError(len));
	} else if (str_eq(coding, S("br"))) {
		ck_assert_int_eq(BrotliDecoderDecompress(in.len, (const uint8_t *)in.ptr, &len, (uint8_t *)out),
		    BROTLI_DECODER_RESULT_SUCCESS);
	} else {
		ck_assert_uint_eq(coding.len, 0);
		ck_assert_uint_le(in.len, room);
		memcpy(out, in.ptr, in.len);
		len = in.len;
	}
	return len;
}

static void
check_text(struct str coding, struct str content, size_t size)
{
	char *bytes = malloc(size + 1);
	size_t same = 0;

	ck_assert_uint_eq(decode(coding, content, bytes, size + 1), size);
	while (same < size && bytes[same] == text_at(same))
		same++;
	ck_assert_uint_eq(same, size);
	free(bytes);
}

/* A 200 with all of the file, in this coding (NULL: plain). */
static void
check_whole(const char *coding, size_t size)
{
	struct str field = fixture_field(&f, "Content-Encoding");

	if (coding != NULL)
		ck_assert_str_is(field, coding);
	else
		ck_assert_ptr_null(field.ptr);
	ck_assert(coding == NULL || f.content.len < size);
	check_text(field, buf_view(&f.content), size);
}

static const struct {
	const char *accept;
	const char *coding, *only_gzip; /* NULL: identity */
} choices[] = {
	{ NULL, NULL, NULL },
	{ "", NULL, NULL },
	{ "gzip", "gzip", "gzip" },
	{ "GZIP", "gzip", "gzip" },
	{ "x-gzip", "gzip", "gzip" },
	{ "X-Gzip;Q=0.5", "gzip", "gzip" },
	{ "gzipx", NULL, NULL },
	{ "xgzip", NULL, NULL },
	{ "br", "br", NULL },
	{ "Br", "br", NULL },
	{ "zstd", "zstd", NULL },
	{ "deflate", NULL, NULL },
	{ "compress, deflate", NULL, NULL },
	/* Liked alike: the one that makes the least of it. */
	{ "gzip, br", "br", "gzip" },
	{ "gzip, zstd", "zstd", "gzip" },
	{ BROWSER, "br", "gzip" },
	{ "gzip;q=1.0, br;q=0.5", "gzip", "gzip" },
	{ "gzip ; q=0.5 , br ; q=0.4", "gzip", "gzip" },
	{ "gzip;q=0.001", "gzip", "gzip" },
	{ "gzip;q=0.001, br;q=0.002", "br", "gzip" },
	{ "gzip;q=0", NULL, NULL },
	{ "gzip;q=0.000", NULL, NULL },
	{ "gzip;q=0, br", "br", NULL },
	{ "*", "br", "gzip" },
	{ "*;q=0", NULL, NULL },
	{ "*;q=0, gzip", "gzip", "gzip" },
	{ "br;q=0, *", "zstd", "gzip" },
	{ "br;q=0, zstd;q=0, gzip;q=0, *", NULL, NULL },
	{ "deflate, gzip;q=1.0, *;q=0.5", "gzip", "gzip" },
	{ "gzip;q=1.0, identity; q=0.5, *;q=0", "gzip", "gzip" },
	/* Identity that is refused: what there is in its place, else itself all the same (RFC 9110 12.5.3). */
	{ "identity;q=0", NULL, NULL },
	{ "identity;q=0, gzip;q=0.1", "gzip", "gzip" },
	{ "identity;q=0, *;q=0.1", "br", "gzip" },
	{ "identity;q=0, deflate", NULL, NULL },
	/* Identity that is liked better. */
	{ "identity", NULL, NULL },
	{ "identity, gzip;q=0.5", NULL, NULL },
	{ "identity;q=0.5, *;q=0.1", NULL, NULL },
	{ "identity;q=0.5, gzip;q=0.5", "gzip", "gzip" },
	{ "identity;q=0.4, br;q=0.3, gzip;q=0.5", "gzip", "gzip" },
	/* What cannot be read is as if it were not there. */
	{ "gzip;q=nonsense", NULL, NULL },
	{ "br;q=1.5, gzip", "gzip", "gzip" },
	{ ", ,gzip,", "gzip", "gzip" },
	{ "gzip br", NULL, NULL },
};

/* The fields and the content of a request for a.txt, and the same by HEAD. */
static void
check_choice(const char *coding)
{
	struct buf fields;
	int64_t length;
	char tag[64];

	buf_init(&fields, 65536);
	f.request.method = METHOD_GET;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	check_whole(coding, SIZE);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	ck_assert_field(&f, "Content-Type", "text/plain; charset=utf-8");
	ck_assert_field(&f, "Last-Modified", WRITTEN_TEXT);
	ck_assert_field(&f, "Accept-Ranges", "bytes");
	fixture_etag(&f, tag);
	if (coding == NULL)
		ck_assert_str_eq(tag, TAG);
	else
		ck_assert_str_ne(tag, TAG);
	buf_str(&fields, buf_view(&f.response.fields));
	length = f.response.content_length;
	f.request.method = METHOD_HEAD;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert(str_eq(buf_view(&fields), buf_view(&f.response.fields)));
	ck_assert_int_eq(f.response.content_length, length);
	buf_release(&fields);
}

START_TEST(which_coding_a_request_gets)
{
	accept_coding(choices[_i].accept);
	check_choice(choices[_i].coding);
}
END_TEST

START_TEST(only_a_coding_that_is_on)
{
	only(CODING_GZIP);
	accept_coding(choices[_i].accept);
	check_choice(choices[_i].only_gzip);
}
END_TEST

START_TEST(nothing_is_coded_when_all_are_off)
{
	memset(f.options.codings, 0, sizeof(f.options.codings));
	accept_coding(choices[_i].accept);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	check_whole(NULL, SIZE);
	ck_assert_no_field(&f, "Vary");
	ck_assert_field(&f, "ETag", TAG);
}
END_TEST

/* RFC 9110 8.8.3.3: another coding is another representation. */
START_TEST(each_coding_has_a_tag_of_its_own)
{
	static const char *const accepts[] = { NULL, "gzip", "br", "zstd" };
	char tags[4][64];

	for (size_t i = 0; i < 4; i++) {
		accept_coding(accepts[i]);
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		fixture_etag(&f, tags[i]);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(tags[i], tags[j]);
	}
	ck_assert_str_eq(tags[0], TAG);
}
END_TEST

/* Which of two forms a request gets, by the tag that it has: of the plain form, of this coding, of another. */
enum which { NONE, PLAIN, CODED, CODED_WEAK, CODED_BY_A_FRONT, OTHER_CODING, FOREIGN, ANY };

static const struct {
	const char *accept;
	enum which if_match, if_none_match;
	bool dated; /* If-Modified-Since: its own date */
	enum status status;
	const char *coding;
} preconditions[] = {
	{ .accept = "gzip", .if_none_match = CODED, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = CODED_WEAK, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = CODED_BY_A_FRONT, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = PLAIN, .status = 200, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = OTHER_CODING, .status = 200, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = FOREIGN, .status = 200, .coding = "gzip" },
	{ .accept = "gzip", .if_none_match = ANY, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .dated = true, .status = 304, .coding = "gzip" },
	{ .accept = "gzip", .if_match = CODED, .status = 200, .coding = "gzip" },
	{ .accept = "gzip", .if_match = CODED_WEAK, .status = 412 },
	{ .accept = "gzip", .if_match = PLAIN, .status = 412 },
	{ .accept = "gzip", .if_match = ANY, .status = 200, .coding = "gzip" },
	{ .accept = NULL, .if_none_match = CODED, .status = 200 },
	{ .accept = NULL, .if_none_match = PLAIN, .status = 304 },
	{ .accept = NULL, .if_none_match = ANY, .status = 304 },
	{ .accept = NULL, .dated = true, .status = 304 },
	{ .accept = NULL, .if_match = CODED, .status = 412 },
	{ .accept = NULL, .if_match = PLAIN, .status = 200 },
	{ .accept = "identity", .if_none_match = PLAIN, .status = 304 },
};

/* Tags as the server gave them out. */
static char plain_tag[64], coded_tag_text[64], weak_tag[80], suffixed_tag[80], other_tag[64];

static void
learn_tags(const char *path)
{
	accept_coding(NULL);
	ck_assert_int_eq(fixture_get(&f, path), 200);
	fixture_etag(&f, plain_tag);
	accept_coding("br");
	ck_assert_int_eq(fixture_get(&f, path), 200);
	fixture_etag(&f, other_tag);
	accept_coding("gzip");
	ck_assert_int_eq(fixture_get(&f, path), 200);
	fixture_etag(&f, coded_tag_text);
	snprintf(weak_tag, sizeof(weak_tag), "W/%s", coded_tag_text);
	snprintf(suffixed_tag, sizeof(suffixed_tag), "%.*s-gzip\"", (int)strlen(coded_tag_text) - 1, coded_tag_text);
}

static struct str
tag_of(enum which which)
{
	const char *const tags[] = { NULL, plain_tag, coded_tag_text, weak_tag, suffixed_tag, other_tag, "\"foreign\"",
		"*" };

	return str_from(tags[which]);
}

START_TEST(preconditions_of_both_forms)
{
	learn_tags("/a.txt");
	accept_coding(preconditions[_i].accept);
	f.request.if_match = tag_of(preconditions[_i].if_match);
	f.request.if_none_match = tag_of(preconditions[_i].if_none_match);
	if (preconditions[_i].dated)
		f.request.if_modified_since = S(WRITTEN_TEXT);
	for (int head = 0; head < 2; head++) {
		f.request.method = head ? METHOD_HEAD : METHOD_GET;
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), preconditions[_i].status);
		if (preconditions[_i].status == 412)
			continue;
		ck_assert_field(&f, "Vary", "Accept-Encoding");
		ck_assert_field(&f, "ETag", preconditions[_i].coding != NULL ? coded_tag_text : plain_tag);
		if (preconditions[_i].status == 200 && !head)
			check_whole(preconditions[_i].coding, SIZE);
		if (preconditions[_i].status == 304)
			ck_assert_no_field(&f, "Content-Encoding");
	}
}
END_TEST

/* A part is of the plain form, unless the request names the coded one's tag: then it is of those bytes. */
static const struct {
	enum which if_range, if_match, if_none_match;
	enum status status;
	bool coded;
} parts[] = {
	{ .status = 206 },
	{ .if_range = PLAIN, .status = 206 },
	{ .if_range = CODED, .status = 206, .coded = true },
	{ .if_range = FOREIGN, .status = 200 },
	{ .if_range = OTHER_CODING, .status = 200 },
	{ .if_range = CODED_WEAK, .status = 200, .coded = true },
	{ .if_match = PLAIN, .status = 206 },
	{ .if_match = CODED, .status = 206, .coded = true },
	{ .if_match = ANY, .status = 206 },
	{ .if_match = FOREIGN, .status = 412 },
	{ .if_none_match = CODED, .status = 304, .coded = true },
	{ .if_none_match = PLAIN, .status = 304 },
	{ .if_none_match = ANY, .status = 304 },
	{ .if_none_match = FOREIGN, .status = 206 },
};

static char coded_bytes[SIZE];

/* What a part must be: its bytes, and its place in the whole. */
static void
check_part(size_t first, size_t length, bool coded, size_t coded_size)
{
	char want[64];

	snprintf(want, sizeof(want), "bytes %zu-%zu/%zu", first, first + length - 1, coded ? coded_size : (size_t)SIZE);
	ck_assert_field(&f, "Content-Range", want);
	ck_assert_uint_eq(f.content.len, length);
	for (size_t i = 0; i < length; i++)
		ck_assert_int_eq(f.content.ptr[i], coded ? coded_bytes[first + i] : text_at(first + i));
}

START_TEST(parts_of_both_forms)
{
	size_t coded_size;

	learn_tags("/a.txt");
	coded_size = f.content.len;
	memcpy(coded_bytes, f.content.ptr, coded_size);
	f.request.range = S("bytes=100-149");
	f.request.if_range = tag_of(parts[_i].if_range);
	f.request.if_match = tag_of(parts[_i].if_match);
	f.request.if_none_match = tag_of(parts[_i].if_none_match);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), parts[_i].status);
	if (parts[_i].status == 412)
		return;
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	ck_assert_field(&f, "ETag", parts[_i].coded ? coded_tag_text : plain_tag);
	if (parts[_i].status == 206 && parts[_i].coded)
		ck_assert_field(&f, "Content-Encoding", "gzip");
	else if (parts[_i].status == 206)
		ck_assert_no_field(&f, "Content-Encoding");
	if (parts[_i].status == 206)
		check_part(100, 50, parts[_i].coded, coded_size);
	if (parts[_i].status == 200)
		check_whole(parts[_i].coded ? "gzip" : NULL, SIZE);
	/* HEAD knows no Range: the form that a GET without it has. */
	f.request.method = METHOD_HEAD;
	f.request.if_range = f.request.if_match = f.request.if_none_match = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_field(&f, "ETag", coded_tag_text);
	ck_assert_field(&f, "Content-Encoding", "gzip");
	ck_assert_int_eq(f.response.content_length, (int64_t)coded_size);
}
END_TEST

START_TEST(ranges_of_the_coded_form)
{
	size_t coded_size;
	char want[128];

	learn_tags("/a.txt");
	coded_size = f.content.len;
	memcpy(coded_bytes, f.content.ptr, coded_size);
	f.request.if_range = tag_of(CODED);
	f.request.range = S("bytes=-10");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 206);
	check_part(coded_size - 10, 10, true, coded_size);
	/* Within the file, beyond its coded form. */
	f.request.range = S("bytes=3990-");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 416);
	snprintf(want, sizeof(want), "bytes */%zu", coded_size);
	ck_assert_field(&f, "Content-Range", want);
	f.request.range = S("bytes=0-9,500-509");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 206);
	ck_assert_field(&f, "Content-Encoding", "gzip");
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	snprintf(want, sizeof(want), "Content-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 500-509/%zu\r\n",
	    coded_size);
	ck_assert(fixture_has(&f, want));
	ck_assert_ptr_nonnull(memmem(f.content.ptr, f.content.len, coded_bytes + 500, 10));
}
END_TEST

/* What is never coded has one form, and says nothing of Accept-Encoding. */
static const struct {
	const char *name;
	int64_t size;
	bool coded;
} files[] = {
	{ "a.html", SIZE, true }, { "a.css", SIZE, true }, { "a.js", SIZE, true }, { "a.json", SIZE, true },
	{ "a.svg", SIZE, true }, { "a.xml", SIZE, true }, { "a.wasm", SIZE, true }, { "a.webmanifest", SIZE, true },
	{ "a.rss", SIZE, true }, { "a.ttf", SIZE, true }, { "a.tar", SIZE, true },
	{ "a.png", SIZE, false }, { "a.jpg", SIZE, false }, { "a.svgz", SIZE, false }, { "a.gz", SIZE, false },
	{ "a.tar.gz", SIZE, false }, { "a.zip", SIZE, false }, { "a.woff2", SIZE, false }, { "a.mp4", SIZE, false },
	{ "a.pdf", SIZE, false },
	/* Too small for it to help, too large for the memory it takes. */
	{ "empty.txt", 0, false }, { "one.txt", 1, false }, { "small.txt", 511, false }, { "enough.txt", 512, true },
	{ "huge.txt", (INT64_C(16) << 20) + 1, false }, { "gigantic.txt", INT64_C(5) << 30, false },
};

static void
make_file(const char *name, int64_t size)
{
	char made[64], path[PATH_MAX];

	snprintf(made, sizeof(made), "root/%s", name);
	fixture_text(&f, made, size <= SIZE ? (size_t)size : 0);
	fixture_path(&f, made, path);
	if (size > SIZE)
		ck_assert_int_eq(truncate(path, size), 0);
	fixture_time(&f, made, WRITTEN, 0);
}

START_TEST(which_files_have_two_forms)
{
	static const char *const accepts[] = { NULL, "gzip" };
	char asked[64];

	make_file(files[_i].name, files[_i].size);
	snprintf(asked, sizeof(asked), "/%s", files[_i].name);
	f.request.method = METHOD_HEAD;
	for (size_t i = 0; i < 2; i++) {
		const char *vary = files[_i].coded ? "Accept-Encoding" : NULL;

		accept_coding(accepts[i]);
		fixture_target(&f, asked);
		if (!f.open)
			ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
		f.open = true;
		/* Not gathered: five gigabytes. */
		handler_finish(&f.handler, &f.response);
		response_reset(&f.response);
		handler_respond(&f.handler, &f.request, &f.response);
		ck_assert_int_eq(f.response.status, 200);
		ck_assert_str_is(fixture_field(&f, "Vary"), vary != NULL ? vary : "");
		if (accepts[i] != NULL && files[_i].coded)
			ck_assert_field(&f, "Content-Encoding", "gzip");
		else if (!str_ends(str_from(asked), S(".svgz")))
			ck_assert_no_field(&f, "Content-Encoding");
		if (!files[_i].coded || accepts[i] == NULL)
			ck_assert_int_eq(f.response.content_length, files[_i].size);
	}
}
END_TEST

static void
make_noise(size_t size)
{
	char path[PATH_MAX], *bytes = malloc(size);
	uint64_t state = 88172645463325252u;
	int fd;

	for (size_t i = 0; i < size; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		bytes[i] = (char)(state >> 32);
	}
	fixture_file(&f, "root/noise.txt", "");
	fixture_path(&f, "root/noise.txt", path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	free(bytes);
	fixture_time(&f, "root/noise.txt", WRITTEN, 0);
}

/* It would have two forms, so it says so; there is one. */
START_TEST(what_does_not_get_smaller_stays_plain)
{
	char tag[64];

	make_noise(_i == 0 ? 5000 : 200000);
	for (int settled = 0; settled < 2; settled++) {
		if (settled)
			fixture_settle(&f);
		accept_coding(NULL);
		ck_assert_int_eq(fixture_get(&f, "/noise.txt"), 200);
		fixture_etag(&f, tag);
		accept_coding(BROWSER);
		for (int again = 0; again < 3; again++) {
			ck_assert_int_eq(fixture_get(&f, "/noise.txt"), 200);
			ck_assert_no_field(&f, "Content-Encoding");
			ck_assert_field(&f, "Vary", "Accept-Encoding");
			ck_assert_field(&f, "ETag", tag);
			ck_assert_uint_eq(f.content.len, _i == 0 ? 5000 : 200000);
		}
	}
}
END_TEST

/* Writes size bytes of one letter into the file that is there. */
static void
overwrite(const char *name, char letter, size_t size)
{
	char path[PATH_MAX], *bytes = malloc(size);
	int fd;

	memset(bytes, letter, size);
	fixture_path(&f, name, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	free(bytes);
}

/* The answer is all of this letter, in whatever form. */
static void
check_letter(const char *asked, char letter, size_t size)
{
	char *bytes = malloc(size + 1);
	size_t same = 0;

	ck_assert_int_eq(fixture_get(&f, asked), 200);
	ck_assert_uint_eq(decode(fixture_field(&f, "Content-Encoding"), buf_view(&f.content), bytes, size + 1), size);
	while (same < size && bytes[same] == letter)
		same++;
	ck_assert_uint_eq(same, size);
	free(bytes);
}

static void
ask_now(const char *asked, char letter, size_t size)
{
	static const char *const accepts[] = { "gzip", NULL, "br", "zstd", "gzip" };
	struct timespec now;

	for (size_t i = 0; i < sizeof(accepts) / sizeof(accepts[0]); i++) {
		clock_gettime(CLOCK_REALTIME, &now);
		f.request.received = (int64_t)now.tv_sec * SECOND + now.tv_nsec;
		accept_coding(accepts[i]);
		check_letter(asked, letter, size);
	}
}

/* Many changes within one tick of the file system's clock, of equal size, with the time put back: no fact tells them apart. */
START_TEST(a_file_just_changed_is_never_an_old_one)
{
	for (int i = 0; i < 200; i++) {
		overwrite("root/a.txt", (char)('a' + i % 26), SIZE);
		if (i % 3 == 0)
			fixture_time(&f, "root/a.txt", WRITTEN, 0);
		ask_now("/a.txt", (char)('a' + i % 26), SIZE);
	}
}
END_TEST

START_TEST(a_kept_form_goes_with_its_file)
{
	char path[PATH_MAX], other[PATH_MAX];

	fixture_path(&f, "root/a.txt", path);
	fixture_path(&f, "root/b.txt", other);
	accept_coding(BROWSER);
	for (int i = 0; i < 20; i++) {
		char letter = (char)('a' + i);

		fixture_tick();
		if (i % 2 == 0) {
			overwrite("root/a.txt", letter, SIZE);
			fixture_time(&f, "root/a.txt", WRITTEN, 0);
		} else {
			fixture_file(&f, "root/b.txt", "");
			overwrite("root/b.txt", letter, SIZE);
			fixture_time(&f, "root/b.txt", WRITTEN, 0);
			ck_assert_int_eq(rename(other, path), 0);
		}
		fixture_settle(&f);
		check_letter("/a.txt", letter, SIZE);
		check_letter("/a.txt", letter, SIZE);
	}
}
END_TEST

/* Asks until the answer has a coding, or another tag than before. */
static bool
wait_for(const char *asked, const char *coding, const char *not_tag)
{
	for (int i = 0; i < PATIENCE; i++) {
		ck_assert_int_eq(fixture_get(&f, asked), 200);
		ck_assert_field(&f, "Vary", "Accept-Encoding");
		if (str_eq(fixture_field(&f, "Content-Encoding"), str_from(coding)) &&
		    (not_tag == NULL || !str_eq(fixture_field(&f, "ETag"), str_from(not_tag))))
			return true;
		usleep(10000);
	}
	return false;
}

START_TEST(a_large_file_is_coded_later)
{
	const size_t size = (size_t)2 << 20;

	fixture_text(&f, "root/large.txt", size);
	fixture_settle(&f);
	accept_coding("gzip");
	ck_assert_int_eq(fixture_get(&f, "/large.txt"), 200);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	check_whole(NULL, size);
	ck_assert(wait_for("/large.txt", "gzip", NULL));
	check_whole("gzip", size);
	/* It is in a file without a name, of which nothing is ever taken away. */
	ck_assert_int_eq(f.response.body, BODY_FILE);
	ck_assert(f.response.fd_is_stable);
}
END_TEST

/* A coding of it would be of bytes that are others by then. */
START_TEST(a_large_file_just_changed_is_not_coded)
{
	fixture_text(&f, "root/large.txt", (size_t)2 << 20);
	accept_coding("gzip");
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(fixture_get(&f, "/large.txt"), 200);
		check_whole(NULL, (size_t)2 << 20);
		usleep(20000);
	}
}
END_TEST

static const char *const codings[] = { "gzip", "zstd", "br" };

/* Better when nobody waits for it; other bytes, so another tag. */
START_TEST(the_best_quality_comes_later)
{
	char tag[64], later[64];

	fixture_settle(&f);
	accept_coding(codings[_i]);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	check_whole(codings[_i], SIZE);
	fixture_etag(&f, tag);
	ck_assert(wait_for("/a.txt", codings[_i], tag));
	check_whole(codings[_i], SIZE);
	fixture_etag(&f, later);
	f.request.if_none_match = str_from(later);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 304);
	ck_assert_field(&f, "ETag", later);
	f.request.if_none_match = (struct str){ NULL, 0 };
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		ck_assert_field(&f, "ETag", later);
		check_whole(codings[_i], SIZE);
	}
}
END_TEST

static char cache_dir[PATH_MAX];

static void
use_cache_dir(void)
{
	fixture_path(&f, "cache", cache_dir);
	f.options.cache_dir = cache_dir;
	f.options.cache_handoff.mode = HANDOFF_X_SENDFILE;
}

/* Reads what the front was told to send. */
static struct str
handed_off(char *bytes, size_t room)
{
	struct str path = fixture_field(&f, "X-Sendfile");
	char name[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd;

	ck_assert_int_eq(f.response.body, BODY_HANDOFF);
	ck_assert(str_starts(path, str_from(cache_dir)));
	snprintf(name, sizeof(name), "%.*s", STR_ARGS(path));
	fd = open(name, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	/* The front is another user. */
	ck_assert(fstat(fd, &st) == 0 && (st.st_mode & 0444) == 0444);
	n = read(fd, bytes, room);
	ck_assert_int_gt(n, 0);
	close(fd);
	return (struct str){ bytes, (size_t)n };
}

/* Only lighttpd sends a file with the coding that the answer says it has. */
static const struct {
	enum front front;
	const char *accept;
	bool handed_off;
} fronts[] = {
	{ FRONT_LIGHTTPD, "gzip", true },
	{ FRONT_LIGHTTPD, "br", true },
	{ FRONT_LIGHTTPD, "zstd", true },
	{ FRONT_LIGHTTPD, NULL, false },
	{ FRONT_APACHE, "gzip", false },
	{ FRONT_NGINX, "gzip", false },
	{ FRONT_LITESPEED, "gzip", false },
	{ FRONT_UNKNOWN, "gzip", false },
};

START_TEST(a_coded_form_is_handed_off_where_the_front_keeps_it)
{
	const size_t size = 400000;
	char *bytes = malloc(size), tag[64];

	use_cache_dir();
	fixture_text(&f, "root/b.txt", size);
	fixture_settle(&f);
	f.request.front = fronts[_i].front;
	accept_coding(fronts[_i].accept);
	ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	ck_assert_field(&f, "Cache-Control", "no-cache");
	ck_assert_field(&f, "X-Content-Type-Options", "nosniff");
	fixture_etag(&f, tag);
	if (fronts[_i].handed_off) {
		ck_assert_field(&f, "Content-Encoding", fronts[_i].accept);
		ck_assert_field(&f, "Content-Type", "text/plain; charset=utf-8");
		check_text(str_from(fronts[_i].accept), handed_off(bytes, size), size);
		f.request.if_none_match = str_from(tag);
		/* By then it may be the best one, with another tag. */
		if (fixture_get(&f, "/b.txt") == 304)
			ck_assert_field(&f, "ETag", tag);
	} else {
		check_whole(fronts[_i].accept, size);
	}
	free(bytes);
}
END_TEST

/* A small one is in memory, and quicker so. */
START_TEST(a_small_coded_form_is_not_handed_off)
{
	use_cache_dir();
	fixture_settle(&f);
	f.request.front = FRONT_LIGHTTPD;
	accept_coding("gzip");
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		ck_assert_int_eq(f.response.body, BODY_BYTES);
		check_whole("gzip", SIZE);
	}
}
END_TEST

/* Dialects whose front leaves Vary out: an answer that has one is streamed, in either form. */
static const struct {
	struct handoff handoff;
	enum front front;
	bool drops_vary;
} dialects[] = {
	{ { HANDOFF_X_ACCEL_REDIRECT, STR("/p/") }, FRONT_NGINX, true },
	{ { HANDOFF_X_LITESPEED_LOCATION, STR("/p/") }, FRONT_LITESPEED, true },
	{ { HANDOFF_LOCAL_REDIRECT, STR("/p/") }, FRONT_APACHE, true },
	{ { HANDOFF_X_SENDFILE, STR("") }, FRONT_APACHE, false },
	{ { HANDOFF_X_SENDFILE, STR("") }, FRONT_LIGHTTPD, false },
};

START_TEST(a_file_with_two_forms_is_not_handed_off_without_vary)
{
	f.options.handoff = dialects[_i].handoff;
	f.request.front = dialects[_i].front;
	fixture_text(&f, "root/b.txt", 400000);
	fixture_text(&f, "root/b.zip", 400000);
	fixture_settle(&f);
	ck_assert_int_eq(fixture_get(&f, "/b.zip"), 200);
	ck_assert_int_eq(f.response.body, BODY_HANDOFF);
	ck_assert_no_field(&f, "Vary");
	ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	if (dialects[_i].drops_vary)
		check_whole(NULL, 400000);
	else
		ck_assert_int_eq(f.response.body, BODY_HANDOFF);
	accept_coding("gzip");
	ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	check_whole("gzip", 400000);
}
END_TEST

/* Overwrites each file of the cache with as many bytes of a letter; how many there were. */
static int
mark_cache(char letter)
{
	char boot[PATH_MAX + 64], name[2 * PATH_MAX], bytes[65536];
	int count = 0;
	struct dirent *one;
	DIR *dir = opendir(cache_dir);

	ck_assert_ptr_nonnull(dir);
	boot[0] = '\0';
	while ((one = readdir(dir)) != NULL)
		if (one->d_name[0] != '.')
			snprintf(boot, sizeof(boot), "%s/%.40s", cache_dir, one->d_name);
	closedir(dir);
	dir = boot[0] != '\0' ? opendir(boot) : NULL;
	memset(bytes, letter, sizeof(bytes));
	while (dir != NULL && (one = readdir(dir)) != NULL) {
		struct stat st;
		int fd;

		if (one->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", boot, one->d_name);
		fd = open(name, O_WRONLY | O_CLOEXEC);
		ck_assert(fd >= 0 && fstat(fd, &st) == 0 && st.st_size <= (off_t)sizeof(bytes));
		ck_assert_int_eq(write(fd, bytes, (size_t)st.st_size), st.st_size);
		close(fd);
		count++;
	}
	if (dir != NULL)
		closedir(dir);
	return count;
}

/* The process beside this one, or the next life of the program, finds the work done: shown by what is put in its place. */
START_TEST(one_process_codes_for_all)
{
	struct handler second;
	struct response response;
	char tag[64];

	use_cache_dir();
	fixture_settle(&f);
	accept_coding("gzip");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_etag(&f, tag);
	ck_assert(wait_for("/a.txt", "gzip", tag));
	ck_assert_int_eq(mark_cache('x'), 2);
	ck_assert_int_eq(handler_init(&second, &f.options), 0);
	response_init(&response);
	handler_respond(&second, &f.request, &response);
	ck_assert_int_eq(response.status, 200);
	ck_assert(str_eq(buf_view(&response.fields), buf_view(&f.response.fields)));
	ck_assert_uint_eq(response.segment_count, 1);
	for (int64_t i = 0; i < response.segments[0].length; i++)
		ck_assert_int_eq(response.segments[0].bytes[i], 'x');
	handler_finish(&second, &response);
	response_reset(&response);
	/* Of another state of the file there is nothing yet. */
	fixture_tick();
	fixture_text(&f, "root/a.txt", SIZE);
	fixture_settle(&f);
	handler_respond(&second, &f.request, &response);
	check_text(S("gzip"), (struct str){ response.segments[0].bytes, (size_t)response.segments[0].length }, SIZE);
	handler_finish(&second, &response);
	response_release(&response);
	handler_release(&second);
}
END_TEST

enum trouble { NO_PARENT, A_FILE, WRITABLE_BY_ALL, A_LINK, NO_ROOM };

static const struct {
	enum trouble trouble;
	int error; /* what is said of it; 0: nothing */
} troubles[] = {
	{ NO_PARENT, ENOENT }, { A_FILE, ENOTDIR }, { WRITABLE_BY_ALL, EPERM }, { A_LINK, ENOTDIR }, { NO_ROOM, 0 },
};

static void
make_trouble(enum trouble trouble)
{
	use_cache_dir();
	if (trouble == NO_PARENT)
		fixture_path(&f, "nowhere/cache", cache_dir);
	if (trouble == A_FILE)
		fixture_file(&f, "cache", "");
	if (trouble == WRITABLE_BY_ALL) {
		fixture_directory(&f, "cache");
		fixture_mode(&f, "cache", 0777);
	}
	if (trouble == A_LINK)
		fixture_link(&f, "cache", "root");
	if (trouble == NO_ROOM)
		f.options.cache_disk = 0;
}

/* It costs speed and never an answer; and it is said, once. */
START_TEST(a_cache_directory_that_cannot_be_used)
{
	const char *path = NULL;

	make_trouble(troubles[_i].trouble);
	fixture_text(&f, "root/b.txt", 400000);
	fixture_settle(&f);
	f.request.front = FRONT_LIGHTTPD;
	for (int i = 0; i < 3; i++) {
		accept_coding(codings[i]);
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		check_whole(codings[i], SIZE);
		ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
		check_whole(codings[i], 400000);
	}
	ck_assert_int_eq(handler_complaint(&f.handler, &path), troubles[_i].error);
	if (troubles[_i].error != 0)
		ck_assert_str_eq(path, cache_dir);
	ck_assert_int_eq(handler_complaint(&f.handler, &path), 0);
}
END_TEST

/* An answer that is being sent keeps its bytes whatever is given up meanwhile. */
START_TEST(an_answer_outlives_what_is_given_up)
{
	struct response held;
	struct buf bytes;
	char name[32];

	buf_init(&bytes, (size_t)1 << 20);
	response_init(&held);
	f.options.cache_memory = 20000;
	fixture_settle(&f);
	accept_coding("gzip");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_target(&f, "/a.txt");
	handler_respond(&f.handler, &f.request, &held);
	ck_assert_int_eq(held.status, 200);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "root/f%d.txt", i);
		fixture_text(&f, name, SIZE);
		fixture_settle(&f);
		ck_assert_int_eq(fixture_get(&f, name + strlen("root")), 200);
		check_whole("gzip", SIZE);
	}
	for (size_t i = 0; i < held.segment_count; i++)
		buf_bytes(&bytes, held.segments[i].bytes, (size_t)held.segments[i].length);
	check_text(S("gzip"), buf_view(&bytes), SIZE);
	handler_finish(&f.handler, &held);
	response_release(&held);
	buf_release(&bytes);
}
END_TEST

START_TEST(without_memory_to_keep_anything)
{
	f.options.cache_memory = 0;
	fixture_text(&f, "root/b.txt", 400000);
	fixture_settle(&f);
	for (int i = 0; i < 6; i++) {
		accept_coding(codings[i % 3]);
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		check_whole(codings[i % 3], SIZE);
		ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
		check_whole(codings[i % 3], 400000);
	}
}
END_TEST

static const struct {
	const char *type;
	int64_t size;
	bool worth;
} worths[] = {
	{ "text/plain; charset=utf-8", 512, true },
	{ "text/plain", 511, false },
	{ "text/plain", INT64_C(16) << 20, true },
	{ "text/plain", (INT64_C(16) << 20) + 1, false },
	{ "text/plain", 0, false },
	{ "application/json", 1000, true },
	{ "application/ld+json", 1000, true },
	{ "application/atom+xml; charset=utf-8", 1000, true },
	{ "image/svg+xml", 1000, true },
	{ "image/png", 1000, false },
	{ "application/octet-stream", 1000, false },
	{ "application/zip", 1000, false },
	{ "video/mp4", 1000, false },
	{ "application/jsonx", 1000, false },
	{ "texts/plain", 1000, false },
	{ "", 1000, false },
};

START_TEST(is_worth)
{
	ck_assert_int_eq(coded_is_worth(str_from(worths[_i].type), worths[_i].size), worths[_i].worth);
}
END_TEST

Suite *
coded_suite(void)
{
	Suite *suite = suite_create("handler/coded");
	TCase *all = tcase_create("all"), *slow = tcase_create("slow");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 60);
	tcase_add_loop_test(all, which_coding_a_request_gets, 0, ROWS(choices));
	tcase_add_loop_test(all, only_a_coding_that_is_on, 0, ROWS(choices));
	tcase_add_loop_test(all, nothing_is_coded_when_all_are_off, 0, ROWS(choices));
	tcase_add_test(all, each_coding_has_a_tag_of_its_own);
	tcase_add_loop_test(all, preconditions_of_both_forms, 0, ROWS(preconditions));
	tcase_add_loop_test(all, parts_of_both_forms, 0, ROWS(parts));
	tcase_add_test(all, ranges_of_the_coded_form);
	tcase_add_loop_test(all, which_files_have_two_forms, 0, ROWS(files));
	tcase_add_loop_test(all, a_file_with_two_forms_is_not_handed_off_without_vary, 0, ROWS(dialects));
	tcase_add_test(all, a_small_coded_form_is_not_handed_off);
	tcase_add_loop_test(all, is_worth, 0, ROWS(worths));
	suite_add_tcase(suite, all);
	tcase_add_checked_fixture(slow, setup, teardown);
	tcase_set_timeout(slow, 120);
	tcase_add_loop_test(slow, what_does_not_get_smaller_stays_plain, 0, 2);
	tcase_add_test(slow, a_file_just_changed_is_never_an_old_one);
	tcase_add_test(slow, a_kept_form_goes_with_its_file);
	tcase_add_test(slow, a_large_file_is_coded_later);
	tcase_add_test(slow, a_large_file_just_changed_is_not_coded);
	tcase_add_loop_test(slow, the_best_quality_comes_later, 0, ROWS(codings));
	tcase_add_loop_test(slow, a_coded_form_is_handed_off_where_the_front_keeps_it, 0, ROWS(fronts));
	tcase_add_test(slow, one_process_codes_for_all);
	tcase_add_loop_test(slow, a_cache_directory_that_cannot_be_used, 0, ROWS(troubles));
	tcase_add_test(slow, an_answer_outlives_what_is_given_up);
	tcase_add_test(slow, without_memory_to_keep_anything);
	suite_add_tcase(suite, slow);
	return suite;
}
