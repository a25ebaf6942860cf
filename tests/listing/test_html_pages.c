/* Pages of HTML that show a part of a listing: their rows, the ways to the other pages, and what is said of the sum. */
#include "listing/html.h"

#include "listing/entries.h"
#include "listing/markup.h"
#include "suites.h"

Suite *html_pages_suite(void);

#define TIME INT64_C(1700000000123456789)

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

		set_entry(listing, name, facts);
		if (i > 2)
			continue;
		facts.kind = ENTRY_DIRECTORY;
		name[0] = 'd';
		set_entry(listing, name, facts);
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
	ck_assert_int_eq(markup_count(&out, "aria-label=\"Pages\""), pages[_i].pager != NULL);
	ck_assert_int_eq(markup_count(&out, "page="), pages[_i].pager != NULL ? markup_count(&out, "&amp;page=") : 0);
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
	set_entry(&listing, "f", (struct entry){ .has_stat = true, .size = 1000 });
	set_entry(&listing, "g", (struct entry){ .has_stat = true, .size = 1024 });
	set_entry(&listing, "x", sums[_i].last);
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

Suite *
html_pages_suite(void)
{
	Suite *suite = suite_create("html_pages");

	suite_add_rows(suite, test_pages, pages);
	suite_add_rows(suite, test_sum_of_a_page, sums);
	return suite;
}
