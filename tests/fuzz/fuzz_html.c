/* Names of any bytes change nothing but the text of a page: it has exactly the tags, quotes and lines of its
 * twin, the page of the same listing with plain names; no control character; UTF-8 throughout. The twin's
 * entries stand in the order of the page's rows. */
#include <stdlib.h>

#include "base/escape.h"
#include "listing/html.h"
#include "listing/json.h"
#include "listing/order.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE_MAX ((size_t)8 << 20)
#define PAGE_SIZE 5

static void
require(bool held)
{
	if (!held)
		abort();
}

/* Records of a byte of facts, a byte of length and the name. */
static void
read_entries(struct listing *listing, struct str data)
{
	while (data.len > 2) {
		unsigned char facts = (unsigned char)data.ptr[0];
		struct str name = str_sub(data, 2, (unsigned char)data.ptr[1]);
		struct entry *entry = listing_add(listing, name);

		require(entry != NULL);
		entry->kind = facts % (ENTRY_UNREADABLE + 1);
		entry->is_link = (facts & 0x40) != 0;
		entry->has_stat = (facts & 0x80) != 0;
		entry->size = (int64_t)(name.len << (facts & 31));
		entry->mtime = (int64_t)((uint64_t)facts << 56 | name.len);
		data = str_after(data, 2 + name.len);
	}
}

/* Every byte an 'x', but for the slashes: those are links in the path. */
static void
append_plain(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		buf_char(out, name.ptr[i] == '/' ? '/' : 'x');
}

static void
make_twin(struct listing *twin, const struct page *page, const struct listing *listing)
{
	struct buf name;

	buf_init(&name, 512);
	for (size_t i = 0; i < listing->count; i++) {
		const struct entry *from = &listing->entries[rows_at(page->rows, i, page->view->descending)];
		struct entry *to;

		buf_reset(&name);
		append_plain(&name, listing_name(listing, from));
		to = listing_add(twin, buf_view(&name));
		require(to != NULL);
		to->kind = from->kind;
		to->is_link = from->is_link;
		to->has_stat = from->has_stat;
		to->size = from->size;
		to->mtime = from->mtime;
	}
	buf_release(&name);
}

static size_t
count(const struct buf *page, char byte)
{
	size_t found = 0;

	for (size_t i = 0; i < page->len; i++)
		found += page->ptr[i] == byte;
	return found;
}

static void
require_clean(const struct buf *page)
{
	require(!buf_failed(page) && utf8_valid(buf_view(page)));
	for (size_t i = 0; i < page->len; i++)
		require(page->ptr[i] == '\n' || ((unsigned char)page->ptr[i] >= 0x20 && page->ptr[i] != 0x7f));
}

static void
require_same_shape(const struct buf *page, const struct buf *twin)
{
	for (const char *byte = "<>\"'\n"; *byte != '\0'; byte++)
		require(count(page, *byte) == count(twin, *byte));
}

/* An href says the name again, byte for byte, and is nothing but a path. */
static void
require_hrefs(const struct listing *listing)
{
	struct buf href, name;

	buf_init(&href, 1024);
	buf_init(&name, 1024);
	for (size_t i = 0; i < listing->count; i++) {
		const struct entry *entry = &listing->entries[i];
		struct str want = listing_name(listing, entry);

		buf_reset(&href);
		buf_reset(&name);
		page_href(&href, listing, entry);
		for (const char *byte = "?#:\\\"'<>& "; *byte != '\0'; byte++)
			require(!str_has(buf_view(&href), *byte));
		percent_decode(&name, buf_view(&href));
		require(str_starts(buf_view(&name), want));
		require(name.len == want.len + (entry->kind == ENTRY_DIRECTORY));
	}
	buf_release(&href);
	buf_release(&name);
}

static void
check_pages(const struct page *page, const struct page *twin_page, const struct listing *listing)
{
	struct buf out, twin_out;
	struct listing twin;

	listing_init(&twin);
	buf_init(&out, PAGE_MAX);
	buf_init(&twin_out, PAGE_MAX);
	make_twin(&twin, page, listing);
	html_render(&out, page, listing, NULL);
	html_render(&twin_out, twin_page, &twin, NULL);
	require_clean(&out);
	require_same_shape(&out, &twin_out);
	buf_reset(&out);
	json_render(&out, page, listing);
	require_clean(&out);
	require(count(&out, '\n') == 1);
	require_hrefs(listing);
	buf_release(&twin_out);
	buf_release(&out);
	listing_release(&twin);
}

/* A window sorted by itself has the rows that it has in the whole order. */
static void
require_window(const struct page *page, const struct listing *listing)
{
	struct rows all = { 0 };

	require(rows_sort(&all, listing, page->view, 0, SIZE_MAX));
	for (size_t at = page->first; at < page->first + page->shown; at++) {
		struct str want, got;

		want = listing_name(listing, &listing->entries[rows_at(&all, at, page->view->descending)]);
		got = listing_name(listing, page_entry(page, listing, at - page->first));
		require(str_eq(want, got));
	}
	rows_release(&all);
}

static void
check_view(struct str url, struct str plain_url, const struct view *view, const struct listing *listing)
{
	struct page page = { .url = url, .mount = STR("/"), .view = view }, twin_page;
	struct rows rows = { 0 };

	page_set_window(&page, listing->count, PAGE_SIZE);
	require(page.first + page.shown <= listing->count && page.number >= 1 && page.number <= page.pages);
	require(rows_sort(&rows, listing, view, page.first, page.shown));
	page.rows = &rows;
	require_window(&page, listing);
	twin_page = page;
	twin_page.url = plain_url;
	twin_page.rows = NULL;
	check_pages(&page, &twin_page, listing);
	rows_release(&rows);
}

/* A byte of view, a byte of length and the folder's path, then the entries. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = { (const char *)data, size }, folder;
	struct listing listing;
	struct buf url, plain;
	struct view view;

	if (size < 2)
		return 0;
	view = (struct view){ .sort = data[0] % (SORT_TIME + 1), .descending = (data[0] & 0x80) != 0 };
	view.page = data[0] >> 4 & 7;
	folder = str_sub(input, 2, data[1]);
	buf_init(&url, 512);
	buf_init(&plain, 512);
	buf_char(&url, '/');
	buf_str(&url, folder);
	buf_char(&url, '/');
	append_plain(&plain, buf_view(&url));
	listing_init(&listing);
	read_entries(&listing, str_after(input, 2 + folder.len));
	check_view(buf_view(&url), buf_view(&plain), &view, &listing);
	view.page = 0;
	check_view(buf_view(&url), buf_view(&plain), &view, &listing);
	listing_release(&listing);
	buf_release(&url);
	buf_release(&plain);
	return 0;
}
