/* What a page needs beside the listing itself, and the parts that HTML and JSON share. */
#ifndef LISTING_PAGE_H
#define LISTING_PAGE_H

#include "listing/listing.h"
#include "listing/order.h"
#include "listing/view.h"

struct page {
	struct str url;       /* decoded path of the directory, starts and ends with '/' */
	struct str mount;     /* the part of url that is the root: no parent link, no breadcrumb above it; ends with '/' */
	const struct view *view;
	const struct rows *rows; /* the order; NULL: as the entries stand */
	size_t first;         /* the first row shown */
	size_t shown;         /* rows shown */
	size_t number;        /* of this page, from 1 on */
	size_t pages;         /* 1: everything is on this page */
};

struct totals {
	size_t directories;
	size_t files;         /* and everything else that is not a directory */
	int64_t bytes;        /* of files */
};

/* Sets which of `count` rows the view's page shows. A number beyond the end means the last page; size 0: no pages. */
void page_set_window(struct page *page, size_t count, size_t size);

/* The entry that row `at` (0: the first one shown) is about. */
const struct entry *page_entry(const struct page *page, const struct listing *listing, size_t at);

/* Whether every file's size is known, so that a sum can be shown. */
bool listing_sizes_are_known(const struct listing *listing);

struct totals listing_totals(const struct listing *listing);

/* Whether an entry gets a link: a file or a directory. Of anything else the server has nothing to give. */
bool entry_is_followable(const struct entry *entry);

/* Appends the relative reference to an entry, e.g. "a%20b" or "dir/": byte-exact, never with a query. */
void page_href(struct buf *out, const struct listing *listing, const struct entry *entry);

#endif
