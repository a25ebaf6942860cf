/* What a page needs beside the listing itself, and the parts that HTML and JSON share. */
#ifndef LISTING_PAGE_H
#define LISTING_PAGE_H

#include "listing/listing.h"
#include "listing/view.h"

struct page {
	struct str url;       /* decoded path of the directory, starts and ends with '/' */
	struct str mount;     /* the part of url that is the root: no parent link, no breadcrumb above it; ends with '/' */
	const struct view *view;
};

struct totals {
	size_t directories;
	size_t files;         /* and everything else that is not a directory */
	int64_t bytes;        /* of files */
};

struct totals listing_totals(const struct listing *listing);

/* Whether an entry gets a link: a file or a directory. Of anything else the server has nothing to give. */
bool entry_is_followable(const struct entry *entry);

/* Appends the relative reference to an entry, e.g. "a%20b" or "dir/": byte-exact, never with a query. */
void page_href(struct buf *out, const struct listing *listing, const struct entry *entry);

/* Appends what the validator of a page is made of: every fact it shows, unambiguous, cheaper than the page
 * itself. Two pages with the same bytes here are the same page. */
void page_digest(struct buf *out, const struct page *page, const struct listing *listing);

#endif
