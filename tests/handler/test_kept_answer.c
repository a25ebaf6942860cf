/* What is answered out of memory is what is answered without one, to the byte. */
#include "handler/handler.h"

#include "handler/coding.h"
#include "http/etag.h"
#include "suites.h"

#include <stdio.h>

Suite *kept_answer_suite(void);

static struct fixture kept, plain; /* one root, remembered by the first handler alone */

static void
setup(void)
{
	coding_make(&kept);
	fixture_bytes(&kept, "root/b.zip", 3000);
	fixture_file(&kept, "root/empty.txt", "");
	coding_make(&plain);
	plain.options.root = kept.options.root;
	plain.options.cache_memory = 0;
	fixture_settle(&kept);
	plain.request.received = kept.request.received;
}

static void
teardown(void)
{
	fixture_remove(&plain);
	fixture_remove(&kept);
}

/* What a request asks for; the first three ask for the usual answer. */
static const struct {
	enum method method;
	const char *range, *if_match, *if_none_match, *if_modified_since, *if_unmodified_since, *if_range, *accept_encoding;
	bool authenticated;
} asked[] = {
	{ .method = METHOD_GET },
	{ .method = METHOD_HEAD },
	{ .if_range = TAG },
	{ .authenticated = true },
	{ .range = "bytes=0-9" },
	{ .range = "bytes=0-9,100-109" },
	{ .range = "bytes=9999-" },
	{ .range = "bytes=0-9", .if_range = TAG },
	{ .range = "bytes=0-9", .if_range = "\"other\"" },
	{ .if_match = "\"other\"" },
	{ .if_none_match = "*" },
	{ .if_none_match = TAG },
	{ .if_none_match = "\"other\"" },
	{ .if_modified_since = WRITTEN_TEXT },
	{ .if_modified_since = "Tue, 14 Nov 2023 22:13:19 GMT" },
	{ .if_unmodified_since = "Tue, 14 Nov 2023 22:13:19 GMT" },
	{ .accept_encoding = "identity" },
	{ .accept_encoding = "identity;q=0, *;q=0" },
};

static struct str
field(const char *value)
{
	return value != NULL ? str_from(value) : (struct str){ NULL, 0 };
}

static enum status
ask(struct fixture *f, const char *path, int row)
{
	struct request *request = &f->request;

	request->method = asked[row].method;
	request->range = field(asked[row].range);
	request->if_match = field(asked[row].if_match);
	request->if_none_match = field(asked[row].if_none_match);
	request->if_modified_since = field(asked[row].if_modified_since);
	request->if_unmodified_since = field(asked[row].if_unmodified_since);
	request->if_range = field(asked[row].if_range);
	request->accept_encoding = field(asked[row].accept_encoding);
	request->authenticated = asked[row].authenticated;
	return fixture_get(f, path);
}

/* Each field of an answer ends a line, and each name is there once: the order does not matter to anybody. */
static void
check_fields(struct str got, struct str want)
{
	struct str rest = want, line;

	ck_assert_uint_eq(got.len, want.len);
	while (str_cut(&rest, '\n', &line)) {
		struct str left = got, other;
		bool found = line.len == 0;

		while (!found && str_cut(&left, '\n', &other))
			found = str_eq(other, line);
		ck_assert_msg(found, "no \"%.*s\"", STR_ARGS(line));
	}
}

static void
check_same(const char *path, int row)
{
	ck_assert_int_eq(ask(&kept, path, row), ask(&plain, path, row));
	ck_assert_int_eq(kept.response.content_length, plain.response.content_length);
	ck_assert_int_eq(kept.response.content_omitted, plain.response.content_omitted);
	check_fields(buf_view(&kept.response.fields), buf_view(&plain.response.fields));
	ck_assert(str_eq(buf_view(&kept.content), buf_view(&plain.content)));
}

START_TEST(the_same_with_and_without_memory)
{
	static const char *const paths[] = { "/a.txt", "/b.zip", "/empty.txt" };

	for (int i = 0; i < ROWS(paths); i++) {
		for (int times = 0; times < 3; times++)
			ck_assert_int_eq(ask(&kept, paths[i], 0), 200);
		check_same(paths[i], _i);
		check_same(paths[i], 0);
	}
}
END_TEST

/* Whose tag is weak yet, and strong a moment later: not the fields of before. */
START_TEST(fields_of_a_settled_file_only)
{
	int64_t settled = kept.request.received;

	fixture_time(&kept, "root/a.txt", settled / SECOND, 0);
	fixture_tick();
	fixture_settle(&kept);
	kept.request.received = settled + SECOND;
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(ask(&kept, "/a.txt", 0), 200);
		ck_assert(str_starts(fixture_field(&kept, "ETag"), S("W/")));
	}
	kept.request.received = settled + 3 * SECOND;
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(ask(&kept, "/a.txt", 0), 200);
		ck_assert(!str_starts(fixture_field(&kept, "ETag"), S("W/")));
	}
	/* A clock that was set back. */
	kept.request.received = settled + SECOND;
	ck_assert_int_eq(ask(&kept, "/a.txt", 0), 200);
	ck_assert(str_starts(fixture_field(&kept, "ETag"), S("W/")));
}
END_TEST

START_TEST(who_accepts_a_coding_gets_it)
{
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(ask(&kept, "/a.txt", 0), 200);
		ck_assert_no_field(&kept, "Content-Encoding");
		accept_coding(&kept, "gzip");
		ck_assert_int_eq(fixture_get(&kept, "/a.txt"), 200);
		ck_assert_field(&kept, "Content-Encoding", "gzip");
	}
}
END_TEST

static void
check_kept(enum status status)
{
	ck_assert_int_eq(kept.response.status, status);
	ck_assert_str_eq(kept.response.reason, "answer, kept");
}

/* Browsers and programs by turns, each with what it has got; more ways to ask than are kept. */
START_TEST(each_gets_the_form_it_accepts)
{
	static const struct {
		const char *accepts, *coding;
	} rows[] = {
		{ NULL, NULL },
		{ "gzip", "gzip" },
		{ BROWSER_CODINGS, "br" },
		{ "zstd, br;q=0.5", "zstd" },
		{ "identity", NULL },
		{ "gzip;q=0", NULL },
		{ "", NULL },
	};
	char tag[ETAG_MAX + 16];

	for (int i = 0; i < ROWS(rows); i++) {
		struct str found;

		accept_coding(&kept, rows[i].accepts);
		if (rows[i].coding != NULL) {
			ck_assert_int_eq(fixture_get(&kept, "/a.txt"), 200);
			found = fixture_field(&kept, "ETag");
			snprintf(tag, sizeof(tag), "%.*s", STR_ARGS(found));
			ck_assert(wait_for(&kept, "/a.txt", rows[i].coding, tag));
		}
		for (int times = 0; times < 3; times++) {
			ck_assert_int_eq(fixture_get(&kept, "/a.txt"), 200);
			check_whole(&kept, rows[i].coding, SIZE);
			ck_assert_field(&kept, "Vary", "Accept-Encoding");
		}
		check_kept(STATUS_OK);
		found = fixture_field(&kept, "ETag");
		snprintf(tag, sizeof(tag), "%.*s", STR_ARGS(found));
		kept.request.if_none_match = str_from(tag);
		fixture_get(&kept, "/a.txt");
		check_kept(STATUS_NOT_MODIFIED);
		ck_assert_field(&kept, "ETag", tag);
		ck_assert_field(&kept, "Vary", "Accept-Encoding");
		ck_assert_no_field(&kept, "Content-Type");
		ck_assert_no_field(&kept, "Content-Encoding");
		kept.request.if_none_match = (struct str){ NULL, 0 };
	}
}
END_TEST

/* Whoever has the file already is told so without anybody having asked for it here. */
START_TEST(not_modified_alone)
{
	static const char *const paths[] = { "/a.txt", "/large.zip" };

	fixture_bytes(&kept, "root/large.zip", 2 * INLINE_MAX);
	fixture_settle(&kept);
	for (int i = 0; i < ROWS(paths); i++) {
		char tag[ETAG_MAX];
		struct str found;

		kept.request.method = METHOD_HEAD;
		ck_assert_int_eq(fixture_get(&kept, paths[i]), 200);
		kept.request.method = METHOD_GET;
		found = fixture_field(&kept, "ETag");
		snprintf(tag, sizeof(tag), " %.*s ", STR_ARGS(found));
		kept.request.if_none_match = str_from(tag);
		for (int times = 0; times < 3; times++)
			ck_assert_int_eq(fixture_get(&kept, paths[i]), 304);
		check_kept(STATUS_NOT_MODIFIED);
		ck_assert(str_eq(fixture_field(&kept, "ETag"), str_trim(str_from(tag))));
		kept.request.if_none_match = (struct str){ NULL, 0 };
		ck_assert_int_eq(fixture_get(&kept, paths[i]), 200);
		ck_assert_int_eq(kept.response.content_length, i == 0 ? SIZE : 2 * INLINE_MAX);
	}
}
END_TEST

Suite *
kept_answer_suite(void)
{
	Suite *suite = suite_create("kept_answer");

	suite_add_case(suite, the_same_with_and_without_memory, ROWS(asked), setup, teardown);
	suite_add_case(suite, fields_of_a_settled_file_only, 1, setup, teardown);
	suite_add_case(suite, who_accepts_a_coding_gets_it, 1, setup, teardown);
	suite_add_case(suite, each_gets_the_form_it_accepts, 1, setup, teardown);
	suite_add_case(suite, not_modified_alone, 1, setup, teardown);
	return suite;
}
