/* A page of HTML: each row, size, place, head and footer, and the frame around them. */
#include "listing/html.h"

#include <stdio.h>

#include "listing/entries.h"
#include "listing/markup.h"
#include "listing/style.h"
#include "suites.h"

Suite *html_suite(void);

#define TIME INT64_C(1700000000123456789)
#define TIME_CELL "<td><time datetime=\"2023-11-14T22:13:20Z\">2023-11-14 22:13</time>\n"

static const struct view by_name = { SORT_NAME, false, FORMAT_HTML, 0 };

static void
render(struct buf *out, const char *url, const char *mount, const struct view *view,
    const struct listing *listing)
{
	struct page page = { .url = str_from(url), .mount = str_from(mount), .view = view };

	page_set_window(&page, listing->count, 0);
	buf_init(out, (size_t)1 << 20);
	html_render(out, &page, listing, NULL);
	ck_assert(!buf_failed(out));
}

static const struct {
	const char *name;
	struct entry entry;
	const char *row;
} entries[] = {
	{ "a.txt", { .has_stat = true, .size = 5, .mtime = TIME },
	  "<tr><td><a href=\"a.txt\"><bdi>a.txt</bdi></a><td>5 B" TIME_CELL },
	{ "a b", { .has_stat = true, .size = 1536, .mtime = TIME },
	  "<tr><td><a href=\"a%20b\"><bdi>a b</bdi></a><td title=\"1536 bytes\">1.5 KiB" TIME_CELL },
	{ "dir", { .kind = ENTRY_DIRECTORY, .has_stat = true, .size = 4096, .mtime = TIME },
	  "<tr><td><a href=\"dir/\"><bdi>dir</bdi>/</a><td>" NONE TIME_CELL },
	{ "dir", { .kind = ENTRY_DIRECTORY, .is_link = true, .has_stat = true, .mtime = TIME },
	  "<tr><td><a href=\"dir/\"><bdi>dir</bdi>/</a> <small>link</small><td>" NONE TIME_CELL },
	{ "l", { .is_link = true, .has_stat = true, .size = 0, .mtime = TIME },
	  "<tr><td><a href=\"l\"><bdi>l</bdi></a> <small>link</small><td>0 B" TIME_CELL },
	{ "fifo", { .kind = ENTRY_SPECIAL, .has_stat = true, .mtime = TIME },
	  "<tr><td><bdi>fifo</bdi> <small>special file</small><td>" NONE TIME_CELL },
	{ "fifo", { .kind = ENTRY_SPECIAL, .is_link = true, .has_stat = true, .mtime = TIME },
	  "<tr><td><bdi>fifo</bdi> <small>link to a special file</small><td>" NONE TIME_CELL },
	{ "gone", { .kind = ENTRY_BROKEN, .is_link = true, .has_stat = true, .size = 9, .mtime = TIME },
	  "<tr><td><bdi>gone</bdi> <small>broken link</small><td>" NONE TIME_CELL },
	{ "dark", { .kind = ENTRY_UNREADABLE },
	  "<tr><td><bdi>dark</bdi> <small>unreadable</small><td>" NONE "<td>" NONE "\n" },
	{ "new", { .kind = ENTRY_FILE },
	  "<tr><td><a href=\"new\"><bdi>new</bdi></a><td>" NONE "<td>" NONE "\n" },
	{ "old", { .has_stat = true, .mtime = -1 },
	  "<tr><td><a href=\"old\"><bdi>old</bdi></a><td>0 B"
	  "<td><time datetime=\"1969-12-31T23:59:59Z\">1969-12-31 23:59</time>\n" },
	{ "<script>", { .has_stat = true, .mtime = TIME },
	  "<tr><td><a href=\"%3Cscript%3E\"><bdi>&lt;script&gt;</bdi></a><td>0 B" TIME_CELL },
	{ "a?b#c%:&", { .has_stat = true, .mtime = TIME },
	  "<tr><td><a href=\"a%3Fb%23c%25%3A%26\"><bdi>a?b#c%:&amp;</bdi></a><td>0 B" TIME_CELL },
	{ "\xe9", { .has_stat = true, .mtime = TIME },
	  "<tr><td><a href=\"%E9\"><bdi>\xef\xbf\xbd</bdi></a><td>0 B" TIME_CELL },
};

START_TEST(test_row)
{
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	set_entry(&listing, entries[_i].name, entries[_i].entry);
	render(&out, "/", "/", &by_name, &listing);
	ck_assert_once(&out, entries[_i].row);
	ck_assert_int_eq(markup_count(&out, "<tr><td>"), 1);
	buf_release(&out);
	listing_release(&listing);
}
END_TEST

static const struct {
	int64_t size;
	const char *text;
} sizes[] = {
	{ 0, "0 B" },
	{ 1, "1 B" },
	{ 1023, "1023 B" },
	{ 1024, "1.0 KiB" },
	{ 1075, "1.0 KiB" },       /* 1.0498 */
	{ 1076, "1.1 KiB" },       /* 1.0508 */
	{ 1536, "1.5 KiB" },
	{ 1048524, "1023.9 KiB" }, /* 1023.949 */
	{ 1048525, "1.0 MiB" },    /* 1023.950 would be 1024.0 KiB */
	{ 1048576, "1.0 MiB" },
	{ 123456789, "117.7 MiB" },
	{ INT64_C(1) << 30, "1.0 GiB" },
	{ INT64_C(5) << 30, "5.0 GiB" },
	{ INT64_C(1) << 40, "1.0 TiB" },
	{ INT64_C(1) << 50, "1.0 PiB" },
	{ INT64_C(1) << 60, "1.0 EiB" },
	{ INT64_MAX, "8.0 EiB" },
	{ -5, "0 B" },
};

START_TEST(test_size)
{
	struct listing listing;
	struct buf out;
	char footer[64], cell[64];

	listing_init(&listing);
	set_entry(&listing, "f", (struct entry){ .has_stat = true, .size = sizes[_i].size, .mtime = TIME });
	render(&out, "/", "/", &by_name, &listing);
	/* The same in the row and in the footer. */
	snprintf(cell, sizeof(cell), ">%s<td><time", sizes[_i].text);
	ck_assert_once(&out, cell);
	snprintf(footer, sizeof(footer), "<p>0 folders, 1 file, %s</p>", sizes[_i].text);
	ck_assert_once(&out, footer);
	buf_release(&out);
	listing_release(&listing);
}
END_TEST

#define HERE "\" aria-current=\"page"

static const struct {
	const char *url, *mount;
	const char *crumbs;
	bool parent;
} places[] = {
	{ "/", "/", "<h1><a href=\"./" HERE "\"><bdi></bdi>/</a><wbr></h1>", false },
	{ "/a/", "/",
	  "<h1><a href=\"../\"><bdi></bdi>/</a><wbr><a href=\"./" HERE "\"><bdi>a</bdi>/</a><wbr></h1>", true },
	{ "/pub/a/b/", "/pub/",
	  "<h1><a href=\"../../\"><bdi>/pub</bdi>/</a><wbr><a href=\"../\"><bdi>a</bdi>/</a><wbr>"
	  "<a href=\"./" HERE "\"><bdi>b</bdi>/</a><wbr></h1>", true },
	{ "/pub/", "/pub/", "<h1><a href=\"./" HERE "\"><bdi>/pub</bdi>/</a><wbr></h1>", false },
	{ "/~me/x/", "/~me/x/", "<h1><a href=\"./" HERE "\"><bdi>/~me/x</bdi>/</a><wbr></h1>", false },
	{ "/<i>/", "/",
	  "<h1><a href=\"../\"><bdi></bdi>/</a><wbr>"
	  "<a href=\"./" HERE "\"><bdi>&lt;i&gt;</bdi>/</a><wbr></h1>", true },
	/* An empty segment is a segment to whoever resolves "../". */
	{ "/a//", "/",
	  "<h1><a href=\"../../\"><bdi></bdi>/</a><wbr><a href=\"../\"><bdi>a</bdi>/</a><wbr>"
	  "<a href=\"./" HERE "\"><bdi></bdi>/</a><wbr></h1>", true },
	/* A mount that is none of the page's: nothing above it is offered. */
	{ "/a/", "/b/", "<h1><a href=\"./" HERE "\"><bdi>/a</bdi>/</a><wbr></h1>", false },
	{ "/a/", "", "<h1><a href=\"./" HERE "\"><bdi>/a</bdi>/</a><wbr></h1>", false },
};

START_TEST(test_place)
{
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	set_entry(&listing, "f", (struct entry){ .has_stat = true });
	render(&out, places[_i].url, places[_i].mount, &by_name, &listing);
	ck_assert_once(&out, places[_i].crumbs);
	ck_assert_int_eq(markup_count(&out, "<tr><td><a href=\"../\">../</a><td>" NONE "<td>" NONE "\n"),
	    places[_i].parent);
	buf_release(&out);
	listing_release(&listing);
}
END_TEST

#define TH "<th scope=\"col\""
#define ASC " aria-sort=\"ascending\""
#define DESC " aria-sort=\"descending\""
#define TO(sort, order) "><a href=\"?sort=" sort "&amp;order=" order "\" rel=\"nofollow\">"

static const struct {
	struct view view;
	const char *heads;
} heads[] = {
	{ { SORT_NAME, false, FORMAT_HTML, 0 },
	  TH ASC TO("name", "desc") "Name</a>" TH TO("size", "desc") "Size</a>" TH TO("time", "desc") },
	{ { SORT_NAME, true, FORMAT_HTML, 0 },
	  TH DESC TO("name", "asc") "Name</a>" TH TO("size", "desc") "Size</a>" TH TO("time", "desc") },
	{ { SORT_SIZE, false, FORMAT_HTML, 0 },
	  TH TO("name", "asc") "Name</a>" TH ASC TO("size", "desc") "Size</a>" TH TO("time", "desc") },
	{ { SORT_SIZE, true, FORMAT_HTML, 0 },
	  TH TO("name", "asc") "Name</a>" TH DESC TO("size", "asc") "Size</a>" TH TO("time", "desc") },
	{ { SORT_TIME, true, FORMAT_HTML, 0 },
	  TH TO("name", "asc") "Name</a>" TH TO("size", "desc") "Size</a>" TH DESC TO("time", "asc") },
};

START_TEST(test_heads)
{
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	set_entry(&listing, "d", (struct entry){ .kind = ENTRY_DIRECTORY });
	render(&out, "/a/", "/", &heads[_i].view, &listing);
	ck_assert_once(&out, heads[_i].heads);
	/* Only the three heads carry a query: never an entry, never a crumb. */
	ck_assert_int_eq(markup_count(&out, "?"), 3);
	buf_release(&out);
	listing_release(&listing);
}
END_TEST

static const struct {
	int directories, files, unknown;
	const char *footer;
} footers[] = {
	{ 0, 0, 0, "<p>0 folders, 0 files, 0 B</p>" },
	{ 1, 1, 0, "<p>1 folder, 1 file, 1000 B</p>" },
	{ 2, 3, 0, "<p>2 folders, 3 files, 2.9 KiB</p>" },
	{ 0, 1, 1, "<p>0 folders, 2 files, at least 1000 B</p>" },
};

START_TEST(test_footer)
{
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	for (int i = 0; i < footers[_i].directories; i++)
		set_entry(&listing, "d", (struct entry){ .kind = ENTRY_DIRECTORY, .has_stat = true });
	for (int i = 0; i < footers[_i].files; i++)
		set_entry(&listing, "f", (struct entry){ .has_stat = true, .size = 1000 });
	for (int i = 0; i < footers[_i].unknown; i++)
		set_entry(&listing, "u", (struct entry){ .kind = ENTRY_UNREADABLE });
	render(&out, "/", "/", &by_name, &listing);
	ck_assert_once(&out, footers[_i].footer);
	ck_assert_int_eq(markup_count(&out, "This folder is empty."), listing.count == 0);
	buf_release(&out);
	listing_release(&listing);
}
END_TEST

START_TEST(test_frame)
{
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	render(&out, "/a&<b/", "/", &by_name, &listing);
	ck_assert(str_starts(buf_view(&out),
	    S("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")));
	ck_assert(str_ends(buf_view(&out), S("</body>\n</html>\n")));
	ck_assert_once(&out, "<title>Index of /a&amp;&lt;b/</title>");
	ck_assert_once(&out, "<style>" LISTING_STYLE "</style>");
	ck_assert_never(&out, "<script");
	ck_assert_never(&out, "<img");
	ck_assert_never(&out, " style=");
	ck_assert_never(&out, "http");
	buf_release(&out);
	listing_release(&listing);
}
END_TEST

START_TEST(test_order_is_kept)
{
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	set_entry(&listing, "b", (struct entry){ 0 });
	set_entry(&listing, "a", (struct entry){ 0 });
	render(&out, "/", "/", &by_name, &listing);
	ck_assert_once(&out, "<bdi>b</bdi></a><td>" NONE "<td>" NONE "\n<tr><td><a href=\"a\"><bdi>a</bdi>");
	buf_release(&out);
	listing_release(&listing);
}
END_TEST

START_TEST(test_full_buffer_fails)
{
	struct page page = { .url = STR("/a/"), .mount = STR("/"), .view = &by_name };
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	set_entry(&listing, "a", (struct entry){ .has_stat = true, .mtime = TIME });
	page_set_window(&page, listing.count, 0);
	for (size_t max = 256; max < 8000; max += 97) {
		buf_init(&out, max);
		html_render(&out, &page, &listing, NULL);
		ck_assert(buf_failed(&out) || str_ends(buf_view(&out), S("</html>\n")));
		ck_assert_uint_le(out.len, max);
		buf_release(&out);
	}
	listing_release(&listing);
}
END_TEST

START_TEST(test_policy)
{
	ck_assert_str_is(html_security_policy(), "default-src 'none'; style-src '" LISTING_STYLE_HASH "'; "
						 "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
	/* 32 bytes in base64 behind the name of the hash (CSP 2.3.1). */
	ck_assert(str_starts(str_from(LISTING_STYLE_HASH), S("sha256-")));
	ck_assert_uint_eq(strlen(LISTING_STYLE_HASH), strlen("sha256-") + 44);
	/* A style that could end its own element would be another style than the one hashed. */
	ck_assert_ptr_null(strchr(LISTING_STYLE, '<'));
	ck_assert_ptr_null(strchr(LISTING_STYLE, '\n'));
	ck_assert_ptr_null(strstr(LISTING_STYLE, "/*"));
}
END_TEST

START_TEST(test_problem)
{
	struct buf out;

	buf_init(&out, 65536);
	html_problem(&out, S("404 Not <Found>"), S("There is \"nothing\" here."));
	ck_assert(str_starts(buf_view(&out), S("<!DOCTYPE html>\n<html lang=\"en\">\n")));
	ck_assert(str_ends(buf_view(&out), S("</body>\n</html>\n")));
	ck_assert_once(&out, "<title>404 Not &lt;Found&gt;</title>");
	ck_assert_once(&out, "<style>" LISTING_STYLE "</style>");
	ck_assert_once(&out, "<h1>404 Not &lt;Found&gt;</h1>\n<p>There is &quot;nothing&quot; here.</p>");
	ck_assert_never(&out, "<a");
	buf_release(&out);
}
END_TEST

Suite *
html_suite(void)
{
	Suite *suite = suite_create("html");

	suite_add_rows(suite, test_row, entries);
	suite_add_rows(suite, test_size, sizes);
	suite_add_rows(suite, test_place, places);
	suite_add_rows(suite, test_heads, heads);
	suite_add_rows(suite, test_footer, footers);
	suite_add_test(suite, test_frame);
	suite_add_test(suite, test_order_is_kept);
	suite_add_test(suite, test_full_buffer_fails);
	suite_add_test(suite, test_policy);
	suite_add_test(suite, test_problem);
	return suite;
}
