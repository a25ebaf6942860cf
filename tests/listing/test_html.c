#include "listing/html.h"

#include <stdio.h>

#include "listing/style.h"
#include "suites.h"

Suite *html_suite(void);

#define TIME INT64_C(1700000000123456789)
#define TIME_CELL "<td><time datetime=\"2023-11-14T22:13:20Z\">2023-11-14 22:13</time>\n"
#define NONE "\xe2\x80\x93"

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

/* How often a text stands in the page. */
static int
count(const struct buf *out, const char *text)
{
	const char *at = out->ptr, *end = out->ptr + out->len;
	int found = 0;

	while ((at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL) {
		at += strlen(text);
		found++;
	}
	return found;
}

#define ck_assert_once(out, text) \
	ck_assert_msg(count((out), (text)) == 1, "not once \"%s\" in:\n%.*s", (text), STR_ARGS(buf_view(out)))
#define ck_assert_never(out, text) \
	ck_assert_msg(count((out), (text)) == 0, "\"%s\" in:\n%.*s", (text), STR_ARGS(buf_view(out)))

static void
set(struct listing *listing, const char *name, struct entry facts)
{
	struct entry *entry = listing_add(listing, str_from(name));

	ck_assert_ptr_nonnull(entry);
	facts.name = entry->name;
	facts.name_len = entry->name_len;
	facts.key = entry->key;
	facts.key_len = entry->key_len;
	*entry = facts;
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
	set(&listing, entries[_i].name, entries[_i].entry);
	render(&out, "/", "/", &by_name, &listing);
	ck_assert_once(&out, entries[_i].row);
	ck_assert_int_eq(count(&out, "<tr><td>"), 1);
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
	set(&listing, "f", (struct entry){ .has_stat = true, .size = sizes[_i].size, .mtime = TIME });
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
	set(&listing, "f", (struct entry){ .has_stat = true });
	render(&out, places[_i].url, places[_i].mount, &by_name, &listing);
	ck_assert_once(&out, places[_i].crumbs);
	ck_assert_int_eq(count(&out, "<tr><td><a href=\"../\">../</a><td>" NONE "<td>" NONE "\n"),
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
	set(&listing, "d", (struct entry){ .kind = ENTRY_DIRECTORY });
	render(&out, "/a/", "/", &heads[_i].view, &listing);
	ck_assert_once(&out, heads[_i].heads);
	/* Only the three heads carry a query: never an entry, never a crumb. */
	ck_assert_int_eq(count(&out, "?"), 3);
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
		set(&listing, "d", (struct entry){ .kind = ENTRY_DIRECTORY, .has_stat = true });
	for (int i = 0; i < footers[_i].files; i++)
		set(&listing, "f", (struct entry){ .has_stat = true, .size = 1000 });
	for (int i = 0; i < footers[_i].unknown; i++)
		set(&listing, "u", (struct entry){ .kind = ENTRY_UNREADABLE });
	render(&out, "/", "/", &by_name, &listing);
	ck_assert_once(&out, footers[_i].footer);
	ck_assert_int_eq(count(&out, "This folder is empty."), listing.count == 0);
	buf_release(&out);
	listing_release(&listing);
}
END_TEST

#define TO_PAGE(sort, order, page, rel, label) \
	"<a href=\"?sort=" sort "&amp;order=" order "&amp;page=" page "\" rel=\"" rel "\">" label "</a> "
#define FIRST(sort, order) TO_PAGE(sort, order, "1", "first nofollow", "First")
#define PREVIOUS(sort, order, page) TO_PAGE(sort, order, page, "prev nofollow", "Previous")
#define NEXT(sort, order, page) TO_PAGE(sort, order, page, "next nofollow", "Next")
#define LAST(sort, order, page) TO_PAGE(sort, order, page, "last nofollow", "Last")
#define ALL(sort, order) TO_PAGE(sort, order, "all", "nofollow", "All")
#define PAGER(text, links) "<nav aria-label=\"Pages\"><p>Rows " text " " links "</p></nav>\n"

/* Of two folders and five files, all named so that any order but the one by name is another. */
static const struct {
	struct view view;
	size_t size;
	const char *names; /* shown, in a row */
	const char *pager; /* NULL: none */
} pages[] = {
	{ { SORT_NAME, false, FORMAT_HTML, 1 }, 7, "d1 d2 f1 f2 f3 f4 f5 ", NULL },
	{ { SORT_NAME, false, FORMAT_HTML, 1 }, 0, "d1 d2 f1 f2 f3 f4 f5 ", NULL },
	{ { SORT_NAME, false, FORMAT_HTML, 0 }, 3, "d1 d2 f1 f2 f3 f4 f5 ", NULL },
	{ { SORT_NAME, false, FORMAT_HTML, 1 }, 3, "d1 d2 f1 ",
	  PAGER("1" NONE "3 of 7, page 1 of 3",
	      NEXT("name", "asc", "2") LAST("name", "asc", "3") ALL("name", "asc")) },
	{ { SORT_NAME, false, FORMAT_HTML, 2 }, 3, "f2 f3 f4 ",
	  PAGER("4" NONE "6 of 7, page 2 of 3",
	      FIRST("name", "asc") PREVIOUS("name", "asc", "1")
		  NEXT("name", "asc", "3") LAST("name", "asc", "3") ALL("name", "asc")) },
	{ { SORT_NAME, false, FORMAT_HTML, 3 }, 3, "f5 ",
	  PAGER("7" NONE "7 of 7, page 3 of 3",
	      FIRST("name", "asc") PREVIOUS("name", "asc", "2") ALL("name", "asc")) },
	{ { SORT_NAME, false, FORMAT_HTML, 99 }, 3, "f5 ",
	  PAGER("7" NONE "7 of 7, page 3 of 3",
	      FIRST("name", "asc") PREVIOUS("name", "asc", "2") ALL("name", "asc")) },
	{ { SORT_NAME, true, FORMAT_HTML, 1 }, 3, "d2 d1 f5 ",
	  PAGER("1" NONE "3 of 7, page 1 of 3",
	      NEXT("name", "desc", "2") LAST("name", "desc", "3") ALL("name", "desc")) },
	{ { SORT_SIZE, true, FORMAT_HTML, 2 }, 4, "f3 f4 f5 ",
	  PAGER("5" NONE "7 of 7, page 2 of 2",
	      FIRST("size", "desc") PREVIOUS("size", "desc", "1") ALL("size", "desc")) },
	{ { SORT_TIME, false, FORMAT_HTML, 1 }, 4, "d2 d1 f5 f4 ",
	  PAGER("1" NONE "4 of 7, page 1 of 2",
	      NEXT("time", "asc", "2") LAST("time", "asc", "2") ALL("time", "asc")) },
};

/* f1 is the largest and the newest. */
static void
fill_seven(struct listing *listing)
{
	for (int i = 5; i > 0; i--) {
		struct entry facts = { .has_stat = true, .size = 1000 * (6 - i), .mtime = TIME - i };
		char name[3] = { 'f', (char)('0' + i), '\0' };

		set(listing, name, facts);
		if (i > 2)
			continue;
		facts.kind = ENTRY_DIRECTORY;
		name[0] = 'd';
		set(listing, name, facts);
	}
}

/* The names of the rows in their order. */
static void
append_names(struct buf *names, const struct buf *out)
{
	const char *at = memmem(out->ptr, out->len, "<tbody>", 7), *end = out->ptr + out->len;

	ck_assert_ptr_nonnull(at);
	while ((at = memmem(at, (size_t)(end - at), "<bdi>", 5)) != NULL) {
		at += 5;
		buf_bytes(names, at, (size_t)((const char *)memchr(at, '<', (size_t)(end - at)) - at));
		buf_char(names, ' ');
	}
}

START_TEST(test_pages)
{
	struct page page = { .url = STR("/a/"), .mount = STR("/"), .view = &pages[_i].view };
	struct rows rows = { 0 };
	struct listing listing;
	struct buf out, names;

	listing_init(&listing);
	buf_init(&out, (size_t)1 << 20);
	buf_init(&names, 256);
	fill_seven(&listing);
	page_set_window(&page, listing.count, pages[_i].size);
	ck_assert(rows_sort(&rows, &listing, page.view, page.first, page.shown));
	page.rows = &rows;
	html_render(&out, &page, &listing, NULL);
	append_names(&names, &out);
	ck_assert_str_is(buf_view(&names), pages[_i].names);
	if (pages[_i].pager != NULL)
		ck_assert_once(&out, pages[_i].pager);
	ck_assert_int_eq(count(&out, "aria-label=\"Pages\""), pages[_i].pager != NULL);
	ck_assert_int_eq(count(&out, "page="), pages[_i].pager != NULL ? count(&out, "&amp;page=") : 0);
	/* On every page: the way up, and what the whole folder has. */
	ck_assert_once(&out, "<tr><td><a href=\"../\">../</a>");
	ck_assert_once(&out, page.pages > 1 && pages[_i].view.sort == SORT_NAME ? "<p>2 folders, 5 files</p>" :
	    "<p>2 folders, 5 files, 14.6 KiB</p>");
	buf_release(&names);
	buf_release(&out);
	rows_release(&rows);
	listing_release(&listing);
}
END_TEST

/* A sum of one page's rows would be taken for the folder's, and whether the others were looked at is nobody's business: by name
 * no page of many has one. By size everything is looked at. */
static const struct {
	struct entry last; /* beside two files of 1000 and 1024 bytes */
	size_t size;
	const char *by_name, *by_size;
} sums[] = {
	{ { .has_stat = true, .size = 24 }, 1, "<p>0 folders, 3 files</p>", "<p>0 folders, 3 files, 2.0 KiB</p>" },
	{ { .has_stat = true, .size = 24 }, 3, "<p>0 folders, 3 files, 2.0 KiB</p>", "<p>0 folders, 3 files, 2.0 KiB</p>" },
	{ { .has_stat = false }, 1, "<p>0 folders, 3 files</p>", "<p>0 folders, 3 files, at least 2.0 KiB</p>" },
	{ { .has_stat = false }, 2, "<p>0 folders, 3 files</p>", "<p>0 folders, 3 files, at least 2.0 KiB</p>" },
	{ { .has_stat = false }, 3, "<p>0 folders, 3 files, at least 2.0 KiB</p>",
	    "<p>0 folders, 3 files, at least 2.0 KiB</p>" },
	{ { .kind = ENTRY_UNREADABLE }, 2, "<p>0 folders, 3 files</p>", "<p>0 folders, 3 files, at least 2.0 KiB</p>" },
	{ { .kind = ENTRY_DIRECTORY }, 2, "<p>1 folder, 2 files</p>", "<p>1 folder, 2 files, 2.0 KiB</p>" },
	{ { .kind = ENTRY_BROKEN, .is_link = true }, 2, "<p>0 folders, 3 files</p>", "<p>0 folders, 3 files, 2.0 KiB</p>" },
};

START_TEST(test_sum_of_a_page)
{
	struct view view = { SORT_NAME, false, FORMAT_HTML, 1 };
	struct page page = { .url = STR("/"), .mount = STR("/"), .view = &view };
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	buf_init(&out, (size_t)1 << 20);
	set(&listing, "f", (struct entry){ .has_stat = true, .size = 1000 });
	set(&listing, "g", (struct entry){ .has_stat = true, .size = 1024 });
	set(&listing, "x", sums[_i].last);
	page_set_window(&page, listing.count, sums[_i].size);
	html_render(&out, &page, &listing, NULL);
	ck_assert_once(&out, sums[_i].by_name);
	view.sort = SORT_SIZE;
	buf_reset(&out);
	html_render(&out, &page, &listing, NULL);
	ck_assert_once(&out, sums[_i].by_size);
	ck_assert_never(&out, "This folder is empty.");
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
	set(&listing, "b", (struct entry){ 0 });
	set(&listing, "a", (struct entry){ 0 });
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
	set(&listing, "a", (struct entry){ .has_stat = true, .mtime = TIME });
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
	suite_add_rows(suite, test_pages, pages);
	suite_add_rows(suite, test_sum_of_a_page, sums);
	suite_add_test(suite, test_frame);
	suite_add_test(suite, test_order_is_kept);
	suite_add_test(suite, test_full_buffer_fails);
	suite_add_test(suite, test_policy);
	suite_add_test(suite, test_problem);
	return suite;
}
