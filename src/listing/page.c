/* What the formats of a listing share. */
#include "listing/page.h"

#include "base/escape.h"

void
page_set_window(struct page *page, size_t count, size_t size)
{
	*page = (struct page){ page->url, page->mount, page->view, page->rows, 0, count, 1, 1 };
	if (page->view->page == 0 || size == 0 || count <= size)
		return;
	page->pages = (count - 1) / size + 1;
	page->number = page->view->page < page->pages ? page->view->page : page->pages;
	page->first = (page->number - 1) * size;
	page->shown = count - page->first < size ? count - page->first : size;
}

const struct entry *
page_entry(const struct page *page, const struct listing *listing, size_t at)
{
	if (page->rows == NULL)
		return &listing->entries[page->first + at];
	return &listing->entries[rows_at(page->rows, page->first + at, page->view->descending)];
}

bool
listing_sizes_are_known(const struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		if (listing->entries[i].kind == ENTRY_UNREADABLE ||
		    (listing->entries[i].kind == ENTRY_FILE && !listing->entries[i].has_stat))
			return false;
	return true;
}

struct totals
listing_totals(const struct listing *listing)
{
	struct totals totals = { 0 };

	for (size_t i = 0; i < listing->count; i++) {
		const struct entry *entry = &listing->entries[i];

		if (entry->kind == ENTRY_DIRECTORY) {
			totals.directories++;
			continue;
		}
		totals.files++;
		if (entry->kind != ENTRY_FILE || !entry->has_stat || entry->size <= 0)
			continue;
		/* A tree of sparse files can claim more than there are numbers. */
		totals.bytes = entry->size > INT64_MAX - totals.bytes ? INT64_MAX : totals.bytes + entry->size;
	}
	return totals;
}

bool
entry_is_followable(const struct entry *entry)
{
	return entry->kind == ENTRY_FILE || entry->kind == ENTRY_DIRECTORY;
}

void
page_href(struct buf *out, const struct listing *listing, const struct entry *entry)
{
	escape_path(out, listing_name(listing, entry));
	if (entry->kind == ENTRY_DIRECTORY)
		buf_char(out, '/');
}
