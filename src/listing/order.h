/* The order of rows. The listing itself stays as it was read; an order is a list of positions in it. */
#ifndef LISTING_ORDER_H
#define LISTING_ORDER_H

#include "listing/listing.h"
#include "listing/view.h"

/* An ascending order: directories first, then by the key, ties by natural name, then by bytes. Descending turns
 * the key and the name, never the groups, so one list serves both. */
struct rows {
	uint32_t *index;     /* positions in the listing's entries */
	size_t count;
	size_t directories;  /* so many come first */
};

void rows_release(struct rows *rows);

/* Orders the entries, at least those that a view shows from row `first` on, `shown` of them; the others stand in
 * any order behind or before them. SIZE_MAX orders all. What an entry's size or time is when it was not looked at:
 * least. False without memory. */
bool rows_sort(struct rows *rows, const struct listing *listing, const struct view *view, size_t first, size_t shown);

/* The position in the listing of the row that a view shows at `at`. */
size_t rows_at(const struct rows *rows, size_t at, bool descending);

#endif
