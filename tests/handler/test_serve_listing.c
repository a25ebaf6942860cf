/* Directories as representations: formats, order, and a row for everything that is there. */
#include "handler/serve_listing.h"

#include "handler/trees.h"
#include "suites.h"

#include <stdio.h>
#include <sys/stat.h>

Suite *serve_listing_suite(void);

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

/* Where a text stands in the content; -1: nowhere. */
static ptrdiff_t
place_of(const char *text)
{
	const char *found = memmem(f.content.ptr, f.content.len, text, strlen(text));

	return found != NULL ? found - f.content.ptr : -1;
}

START_TEST(a_page_with_all_its_fields)
{
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_field(&f, "Content-Type", "text/html; charset=utf-8");
	ck_assert_field(&f, "Vary", "Accept");
	ck_assert_field(&f, "Cache-Control", "no-cache");
	ck_assert_field(&f, "Accept-Ranges", "bytes");
	ck_assert_field(&f, "X-Content-Type-Options", "nosniff");
	ck_assert_no_field(&f, "Last-Modified");
	ck_assert(str_starts(fixture_field(&f, "ETag"), S("\"")));
	ck_assert(str_starts(fixture_field(&f, "Content-Security-Policy"), S("default-src 'none'")));
	ck_assert_int_eq(fixture_body(&f), BODY_BYTES);
	ck_assert(fixture_has(&f, "<!DOCTYPE html>"));
	ck_assert(!fixture_has(&f, "<script"));
	ck_assert(fixture_has(&f, "href=\"../\""));
	ck_assert(fixture_has(&f, "href=\"sub/\""));
	ck_assert(fixture_has(&f, "href=\"b.txt\""));
	ck_assert(place_of("href=\"sub/\"") < place_of("href=\"a9\""));
	ck_assert(place_of("href=\"a9\"") < place_of("href=\"a10\""));
	ck_assert(place_of("href=\"a10\"") < place_of("href=\"b.txt\""));
}
END_TEST

static const struct {
	const char *query, *accept;
	bool json;
} formats[] = {
	{ NULL, NULL, false },
	{ NULL, "*/*", false },
	{ NULL, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false },
	{ NULL, "application/json", true },
	{ NULL, "application/json, text/html;q=0.9", true },
	{ NULL, "application/json;q=0.5, text/html", false },
	{ "format=json", NULL, true },
	{ "format=json", "text/html", true },
	{ "format=html", "application/json", false },
	{ "format=xml", "application/json", true },
	{ "sort=size&format=json", "text/html", true },
};

START_TEST(format_by_query_and_accept)
{
	f.request.query = str_from(formats[_i].query);
	f.request.accept = str_from(formats[_i].accept);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_field(&f, "Vary", "Accept");
	if (!formats[_i].json) {
		ck_assert_field(&f, "Content-Type", "text/html; charset=utf-8");
		return;
	}
	ck_assert_field(&f, "Content-Type", "application/json");
	ck_assert_no_field(&f, "Content-Security-Policy");
	ck_assert(f.content.ptr[0] == '{');
	ck_assert(fixture_has(&f, "\"path\":\"/dir/\",\"directories\":1,\"files\":3,\"bytes\":19,"));
	ck_assert(fixture_has(&f,
	    "{\"name\":\"b.txt\",\"type\":\"file\",\"size\":5,\"mtime\":\"2023-11-14T22:13:20Z\",\"href\":\"b.txt\"}"));
	ck_assert(fixture_has(&f,
	    "{\"name\":\"sub\",\"type\":\"directory\",\"mtime\":\"2023-11-14T22:13:20Z\",\"href\":\"sub/\"}"));
}
END_TEST

static const struct {
	const char *query;
	const char *order[4];
} orders[] = {
	{ NULL, { "sub", "a9", "a10", "b.txt" } },
	{ "sort=name&order=asc", { "sub", "a9", "a10", "b.txt" } },
	{ "sort=name&order=desc", { "sub", "b.txt", "a10", "a9" } },
	{ "sort=size", { "sub", "a10", "b.txt", "a9" } },
	{ "sort=size&order=desc", { "sub", "a9", "b.txt", "a10" } },
	{ "sort=time&order=desc", { "sub", "b.txt", "a9", "a10" } },
	{ "sort=time", { "sub", "a10", "a9", "b.txt" } },
	{ "sort=%00&order=x", { "sub", "a9", "a10", "b.txt" } },
};

START_TEST(order_by_query)
{
	ptrdiff_t last = -1;

	fixture_time(&f, "root/dir/a10", WRITTEN + 1, 0);
	fixture_time(&f, "root/dir/a9", WRITTEN + 2, 0);
	fixture_time(&f, "root/dir/b.txt", WRITTEN + 3, 0);
	f.request.query = str_from(orders[_i].query);
	f.request.accept = S("application/json");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	for (size_t i = 0; i < 4; i++) {
		char name[32];

		snprintf(name, sizeof(name), "\"name\":\"%s\"", orders[_i].order[i]);
		ck_assert_int_gt(place_of(name), last);
		last = place_of(name);
	}
}
END_TEST

static const struct {
	const char *name, *href, *text;
} names[] = {
	{ "a b.txt", "a%20b.txt", "a b.txt" },
	{ "a&b", "a%26b", "a&amp;b" },
	{ "<b>.txt", "%3Cb%3E.txt", "&lt;b&gt;.txt" },
	{ "\"q\"", "%22q%22", "&quot;q&quot;" },
	{ "50%", "50%25", "50%" },
	{ "a?b#c", "a%3Fb%23c", "a?b#c" },
	{ "javascript:alert(1)", "javascript%3Aalert%281%29", "javascript:alert(1)" },
	{ "\xc3\xa9", "%C3%A9", "\xc3\xa9" },
	{ "\xff\xfe", "%FF%FE", "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "..x", NULL, NULL },
};

/* Shown, and linked byte for byte; the link leads to the file. */
START_TEST(any_name_is_linked)
{
	char made[64], href[64], text[64];

	snprintf(made, sizeof(made), "root/dir/%s", names[_i].name);
	fixture_file(&f, made, "x");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	if (names[_i].href == NULL) {
		ck_assert(!fixture_has(&f, names[_i].name));
		return;
	}
	snprintf(href, sizeof(href), "href=\"%s\"", names[_i].href);
	snprintf(text, sizeof(text), "<bdi>%s</bdi>", names[_i].text);
	ck_assert(fixture_has(&f, href));
	ck_assert(fixture_has(&f, text));
	ck_assert_int_eq(fixture_get(&f, made + strlen("root")), 200);
}
END_TEST

START_TEST(what_cannot_be_followed_has_a_row)
{
	char path[PATH_MAX];

	fixture_path(&f, "root/dir/fifo", path);
	ck_assert_int_eq(mkfifo(path, 0644), 0);
	fixture_link(&f, "root/dir/gone", "nowhere");
	fixture_link(&f, "root/dir/out", "../../secret");
	fixture_link(&f, "root/dir/circle", "circle");
	f.request.accept = S("application/json");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(fixture_has(&f, "{\"name\":\"fifo\",\"type\":\"special\""));
	ck_assert(fixture_has(&f, "{\"name\":\"gone\",\"type\":\"broken\",\"link\":true}"));
	ck_assert(fixture_has(&f, "{\"name\":\"out\",\"type\":\"broken\",\"link\":true}"));
	ck_assert(fixture_has(&f, "{\"name\":\"circle\",\"type\":\"broken\",\"link\":true}"));
	ck_assert(!fixture_has(&f, "\"href\":\"fifo\""));
	ck_assert(fixture_has(&f, "\"files\":7,"));
}
END_TEST

static void
list_unreadable(void)
{
	f.request.accept = S("application/json");
	/* Names may be read, nothing may be looked at. */
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(fixture_has(&f, "{\"name\":\"b.txt\",\"type\":\"unreadable\"}"));
	ck_assert(fixture_has(&f, "{\"name\":\"sub\",\"type\":\"unreadable\"}"));
	f.request.accept = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(fixture_has(&f, "unreadable"));
	ck_assert(!fixture_has(&f, "href=\"b.txt\""));
}

static void
list_closed(void)
{
	ck_assert_int_eq(fixture_get(&f, "/"), 200);
	ck_assert(fixture_has(&f, "href=\"dir/\""));
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 403);
	ck_assert(!fixture_has(&f, "b.txt"));
}

START_TEST(unreadable_entries_have_rows)
{
	/* Readable, not searchable. With index files 403: who can say that none is there? */
	f.options.index_count = 0;
	fixture_mode(&f, "root/dir", 0444);
	ck_assert_int_eq(without_privilege(list_unreadable), 0);
}
END_TEST

START_TEST(a_closed_folder_is_403)
{
	fixture_mode(&f, "root/dir", 0);
	ck_assert_int_eq(without_privilege(list_closed), 0);
}
END_TEST

START_TEST(an_empty_folder)
{
	ck_assert_int_eq(fixture_get(&f, "/dir/sub/"), 200);
	ck_assert(fixture_has(&f, "empty"));
	f.request.query = S("format=json");
	ck_assert_int_eq(fixture_get(&f, "/dir/sub/"), 200);
	ck_assert_content(&f, "{\"path\":\"/dir/sub/\",\"directories\":0,\"files\":0,\"bytes\":0,\"entries\":[]}\n");
}
END_TEST

/* The parent link and the breadcrumbs end at the mount. */
static const struct {
	const char *url, *path;
	bool parent;
} mounts[] = {
	{ "/", "/", false },
	{ "/dir/", "/dir/", true },
	{ "/files/", "/", false },
	{ "/files/dir/", "/dir/", true },
	{ "/rewritten/", "/dir/", true },
};

START_TEST(nothing_above_the_mount_is_linked)
{
	f.request.url = str_from(mounts[_i].url);
	f.request.path = str_from(mounts[_i].path);
	ck_assert_int_eq(fixture_ask(&f), 200);
	ck_assert_int_eq(fixture_has(&f, "<a href=\"../\">../</a>"), mounts[_i].parent);
}
END_TEST

START_TEST(many_entries_are_all_there)
{
	char name[32];

	fixture_directory(&f, "root/many");
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "root/many/f%d", i);
		fixture_file(&f, name, "");
	}
	f.request.query = S("format=json");
	ck_assert_int_eq(fixture_get(&f, "/many/"), 200);
	ck_assert(fixture_has(&f, "\"files\":3000,"));
	for (int i = 0; i < 3000; i += 7) {
		snprintf(name, sizeof(name), "\"name\":\"f%d\"", i);
		ck_assert(fixture_has(&f, name));
	}
}
END_TEST

Suite *
serve_listing_suite(void)
{
	Suite *suite = suite_create("handler/serve_listing");

	suite_add_case(suite, a_page_with_all_its_fields, 1, setup, teardown);
	suite_add_case(suite, format_by_query_and_accept, ROWS(formats), setup, teardown);
	suite_add_case(suite, order_by_query, ROWS(orders), setup, teardown);
	suite_add_case(suite, any_name_is_linked, ROWS(names), setup, teardown);
	suite_add_case(suite, what_cannot_be_followed_has_a_row, 1, setup, teardown);
	suite_add_case(suite, unreadable_entries_have_rows, 1, setup, teardown);
	suite_add_case(suite, a_closed_folder_is_403, 1, setup, teardown);
	suite_add_case(suite, an_empty_folder, 1, setup, teardown);
	suite_add_case(suite, nothing_above_the_mount_is_linked, ROWS(mounts), setup, teardown);
	suite_add_case(suite, many_entries_are_all_there, 1, setup, teardown);
	return suite;
}
