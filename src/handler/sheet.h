/* struct sheet: the listing rendered last, so that the next one that differs in a few rows is not rendered as a whole. */
#ifndef HANDLER_SHEET_H
#define HANDLER_SHEET_H

#include "base/hash.h"
#include "fs/snapshot.h"
#include "listing/html.h"

struct sheet {
	struct buf body;
	struct buf row;            /* scratch */
	struct html_marks marks;
	struct hash view;          /* which page, of which URL */
	uint64_t version;          /* of the snapshot, when it was rendered */
	uint64_t order_version;
};

void sheet_init(struct sheet *sheet);
void sheet_release(struct sheet *sheet);

/* The page of a snapshot in its format; valid until the next call. ptr NULL without memory. */
struct str sheet_render(struct sheet *sheet, const struct snapshot *snapshot, const struct page *page);

/* Renders a page in its format. */
void page_render(struct buf *out, const struct page *page, const struct listing *listing, struct html_marks *marks);

/* What tells one page of a listing from its others: the view, the rows, the URL in it. */
struct hash page_identity(const struct page *page);

#endif
