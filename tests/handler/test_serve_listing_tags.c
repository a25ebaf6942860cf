/* Directories as representations: the same preconditions and ranges as for files, on what the page shows. */
#include "handler/serve_listing.h"

#include "handler/trees.h"
#include "suites.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *serve_listing_tags_suite(void);

static struct fixture f;

static void
setup(void)
{
	trees_make_listed(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static void
set_size(void)
{
	fixture_file(&f, "root/dir/b.txt", "longer");
}

static void
set_time(void)
{
	fixture_time(&f, "root/dir/b.txt", WRITTEN + 60, 0);
}

static void
set_name(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	fixture_path(&f, "root/dir/b.txt", from);
	fixture_path(&f, "root/dir/c.txt", to);
	ck_assert_int_eq(rename(from, to), 0);
}

static void
set_kind(void)
{
	char path[PATH_MAX];

	fixture_path(&f, "root/dir/sub", path);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(mkfifo(path, 0644), 0);
	fixture_time(&f, "root/dir/sub", WRITTEN, 0);
}

static void
set_more(void)
{
	fixture_file(&f, "root/dir/new", "");
}

static void
set_less(void)
{
	char path[PATH_MAX];

	fixture_path(&f, "root/dir/a9", path);
	ck_assert_int_eq(unlink(path), 0);
}

static void
set_link(void)
{
	set_less();
	fixture_link(&f, "root/dir/a9", "b.txt");
}

static void
set_subfolder_time(void)
{
	fixture_time(&f, "root/dir/sub", WRITTEN + 60, 0);
}

static void (*const changes[])(void) = {
	set_size, set_time, set_name, set_kind, set_more, set_less, set_link, set_subfolder_time,
};

/* The folder's own time is put back each time: what counts is what the page shows. */
START_TEST(each_fact_shown_changes_the_tag)
{
	static const char *const accepts[] = { "text/html", "application/json" };

	fixture_time(&f, "root/dir", WRITTEN, 0);
	for (size_t i = 0; i < 2; i++) {
		char before[64], after[64];

		teardown();
		setup();
		f.request.accept = str_from(accepts[i]);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		fixture_etag(&f, before);
		changes[_i]();
		fixture_time(&f, "root/dir", WRITTEN, 0);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		fixture_etag(&f, after);
		ck_assert_str_ne(before, after);
	}
}
END_TEST

static void
touch_folder(void)
{
	fixture_time(&f, "root/dir", WRITTEN + 60, 0);
}

static void
add_hidden(void)
{
	fixture_file(&f, "root/dir/.hidden", "");
}

static void
close_file(void)
{
	fixture_mode(&f, "root/dir/b.txt", 0600);
}

static void (*const no_changes[])(void) = { touch_folder, add_hidden, close_file };

START_TEST(what_is_not_shown_does_not)
{
	char before[64], after[64];

	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	fixture_etag(&f, before);
	no_changes[_i]();
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	fixture_etag(&f, after);
	ck_assert_str_eq(before, after);
}
END_TEST

START_TEST(each_view_has_a_tag_of_its_own)
{
	static const char *const queries[] = { "", "format=json", "sort=size", "order=desc", "sort=time&order=desc" };
	enum { VIEWS = sizeof(queries) / sizeof(queries[0]) };
	char tags[VIEWS][64];

	for (size_t i = 0; i < VIEWS; i++) {
		f.request.query = str_from(queries[i]);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		fixture_etag(&f, tags[i]);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(tags[i], tags[j]);
	}
}
END_TEST

START_TEST(not_modified)
{
	char tag[64], suffixed[80], weak[80];

	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	fixture_etag(&f, tag);
	snprintf(suffixed, sizeof(suffixed), "%.*s-gzip\"", (int)strlen(tag) - 1, tag);
	snprintf(weak, sizeof(weak), "\"x\", W/%s", tag);
	f.request.if_none_match = str_from(tag);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 304);
	ck_assert_field(&f, "ETag", tag);
	ck_assert_field(&f, "Vary", "Accept");
	ck_assert_field(&f, "Cache-Control", "no-cache");
	ck_assert_no_field(&f, "Content-Type");
	f.request.if_none_match = str_from(suffixed);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 304);
	f.request.if_none_match = str_from(weak);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 304);
	f.request.if_none_match = S("*");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 304);
	/* The other representation of the same folder. */
	f.request.if_none_match = str_from(tag);
	f.request.accept = S("application/json");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	f.request.accept = (struct str){ NULL, 0 };
	f.request.if_none_match = (struct str){ NULL, 0 };
	f.request.if_match = S("\"other\"");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 412);
	/* There is no date that says what a listing shows: any is ignored. */
	f.request.if_match = (struct str){ NULL, 0 };
	f.request.if_modified_since = S("Fri, 31 Dec 9999 23:59:59 GMT");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
}
END_TEST

START_TEST(ranges_of_a_listing)
{
	char tag[64], want[128];
	size_t size;

	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	size = f.content.len;
	fixture_etag(&f, tag);
	f.request.range = S("bytes=0-14");
	f.request.if_range = str_from(tag);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 206);
	ck_assert_content(&f, "<!DOCTYPE html>");
	snprintf(want, sizeof(want), "bytes 0-14/%zu", size);
	ck_assert_field(&f, "Content-Range", want);
	ck_assert_field(&f, "ETag", tag);
	ck_assert_field(&f, "Vary", "Accept");
	f.request.if_range = S("\"other\"");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_uint_eq(f.content.len, size);
	f.request.if_range = (struct str){ NULL, 0 };
	f.request.range = S("bytes=9999999-");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 416);
	snprintf(want, sizeof(want), "bytes */%zu", size);
	ck_assert_field(&f, "Content-Range", want);
	f.request.range = S("bytes=0-14,500-509");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 206);
	ck_assert(str_starts(fixture_field(&f, "Content-Type"), S("multipart/byteranges; boundary=")));
	ck_assert_no_field(&f, "Content-Range");
	snprintf(want, sizeof(want), "Content-Range: bytes 0-14/%zu\r\n\r\n<!DOCTYPE html>\r\n--", size);
	ck_assert(fixture_has(&f, want));
	snprintf(want, sizeof(want), "Content-Range: bytes 500-509/%zu\r\n\r\n", size);
	ck_assert(fixture_has(&f, want));
	f.request.method = METHOD_HEAD;
	f.request.range = S("bytes=0-14");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_int_eq(f.response.content_length, (int64_t)size);
}
END_TEST

Suite *
serve_listing_tags_suite(void)
{
	Suite *suite = suite_create("handler/serve_listing_tags");

	suite_add_case(suite, each_fact_shown_changes_the_tag, ROWS(changes), setup, teardown);
	suite_add_case(suite, what_is_not_shown_does_not, ROWS(no_changes), setup, teardown);
	suite_add_case(suite, each_view_has_a_tag_of_its_own, 1, setup, teardown);
	suite_add_case(suite, not_modified, 1, setup, teardown);
	suite_add_case(suite, ranges_of_a_listing, 1, setup, teardown);
	return suite;
}
