/* Sorting 10,000 entries: all of them, and only what one page shows. Instructions an entry. */
#include "listing/order.h"

#include "entries.h"
#include "micro.h"

static void
sort(struct view view, size_t count, size_t shown, size_t times)
{
	struct listing listing;

	entries_make(&listing, count);
	for (size_t i = 0; i < times; i++) {
		struct rows rows = { 0 };

		micro_sink += rows_sort(&rows, &listing, &view, 0, shown);
		micro_sink += rows.index[0];
		rows_release(&rows);
	}
	listing_release(&listing);
}

static void by_name(size_t n) { sort((struct view){ .sort = SORT_NAME }, 10000, SIZE_MAX, n); }
static void by_size(size_t n) { sort((struct view){ .sort = SORT_SIZE }, 10000, SIZE_MAX, n); }
static void by_time(size_t n) { sort((struct view){ .sort = SORT_TIME }, 10000, SIZE_MAX, n); }
static void page(size_t n) { sort((struct view){ .sort = SORT_NAME, .page = 1 }, 10000, 200, n); }
static void page_of_many(size_t n) { sort((struct view){ .sort = SORT_NAME, .page = 1 }, 100000, 200, n); }

static const struct micro table[] = {
	{ "name", 10000, by_name },
	{ "size", 10000, by_size },
	{ "time", 10000, by_time },
	{ "name-200-shown", 10000, page },
	{ "name-200-of-100000", 100000, page_of_many },
};
MICRO_MAIN(table)
