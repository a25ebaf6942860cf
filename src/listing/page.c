/* What the formats of a listing share, and the input of its validator. The digest holds what is shown, not
 * the directory's own mtime: an edited file does not change that, and its row must change all the same. */
#include "listing/page.h"

#include "base/escape.h"
#include "listing/html.h"

/* Raise it when html.c or json.c writes something else for the same listing. The style counts by itself. */
#define TEMPLATE_VERSION 2

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

/* Least byte first on every machine, so that a fleet of them agrees on the validator. */
static void
digest_number(struct buf *out, uint64_t n)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(n >> (8 * i));
	buf_bytes(out, bytes, sizeof(bytes));
}

/* The length in front keeps "ab" + "c" apart from "a" + "bc". */
static void
digest_str(struct buf *out, struct str s)
{
	digest_number(out, s.len);
	buf_str(out, s);
}

static void
digest_entry(struct buf *out, const struct listing *listing, const struct entry *entry)
{
	bool has_size = entry->has_stat && entry->kind == ENTRY_FILE;

	digest_str(out, listing_name(listing, entry));
	buf_char(out, (char)entry->kind);
	buf_char(out, (char)entry->is_link);
	buf_char(out, (char)entry->has_stat);
	digest_number(out, has_size ? (uint64_t)entry->size : 0);
	digest_number(out, entry->has_stat ? (uint64_t)entry->mtime : 0);
}

void
page_digest(struct buf *out, const struct page *page, const struct listing *listing)
{
	struct totals totals = listing_totals(listing);

	digest_number(out, TEMPLATE_VERSION);
	digest_number(out, page->view->format);
	digest_number(out, page->view->sort);
	digest_number(out, page->view->descending);
	/* The policy names the style by its hash: a 304 with a new policy must never meet an old style. */
	if (page->view->format == FORMAT_HTML)
		digest_str(out, html_security_policy());
	digest_str(out, page->url);
	digest_str(out, page->mount);
	digest_number(out, page->number);
	digest_number(out, page->pages);
	digest_number(out, totals.directories);
	digest_number(out, totals.files);
	digest_number(out, (uint64_t)totals.bytes);
	digest_number(out, listing_sizes_are_known(listing));
	for (size_t i = 0; i < page->shown; i++)
		digest_entry(out, listing, page_entry(page, listing, i));
}
