/* Coded forms through whole answers: which files have them, which one a request gets, and that it is the file. */
#include "handler/coded.h"

#include "handler/coding.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

Suite *coded_suite(void);

static struct fixture f;

static void
setup(void)
{
	coding_make(&f);
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
	{ BROWSER_CODINGS, "br", "gzip" },
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
	check_whole(&f, coding, SIZE);
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
	accept_coding(&f, choices[_i].accept);
	check_choice(choices[_i].coding);
}
END_TEST

START_TEST(only_a_coding_that_is_on)
{
	only(CODING_GZIP);
	accept_coding(&f, choices[_i].accept);
	check_choice(choices[_i].only_gzip);
}
END_TEST

START_TEST(nothing_is_coded_when_all_are_off)
{
	memset(f.options.codings, 0, sizeof(f.options.codings));
	accept_coding(&f, choices[_i].accept);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	check_whole(&f, NULL, SIZE);
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
		accept_coding(&f, accepts[i]);
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		fixture_etag(&f, tags[i]);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(tags[i], tags[j]);
	}
	ck_assert_str_eq(tags[0], TAG);
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

		accept_coding(&f, accepts[i]);
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
		accept_coding(&f, NULL);
		ck_assert_int_eq(fixture_get(&f, "/noise.txt"), 200);
		fixture_etag(&f, tag);
		accept_coding(&f, BROWSER_CODINGS);
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

	suite_add_case(suite, which_coding_a_request_gets, ROWS(choices), setup, teardown);
	suite_add_case(suite, only_a_coding_that_is_on, ROWS(choices), setup, teardown);
	suite_add_case(suite, nothing_is_coded_when_all_are_off, ROWS(choices), setup, teardown);
	suite_add_case(suite, each_coding_has_a_tag_of_its_own, 1, setup, teardown);
	suite_add_case(suite, which_files_have_two_forms, ROWS(files), setup, teardown);
	suite_add_case(suite, what_does_not_get_smaller_stays_plain, 2, setup, teardown);
	suite_add_case(suite, is_worth, ROWS(worths), setup, teardown);
	return suite;
}
