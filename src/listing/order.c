/* The order of rows. Natural keys were made when the names were read, so that comparing is comparing bytes;
 * the arena that holds them goes through qsort_r, so that nothing here is global. */
#include "listing/order.h"

#include <stdlib.h>

struct order {
	const struct listing *listing;
	enum sort_key sort;
	bool descending;
};

static int
compare_names(const struct listing *listing, const struct entry *a, const struct entry *b)
{
	int order = str_compare(listing_key(listing, a), listing_key(listing, b));

	if (order != 0)
		return order;
	return str_compare(listing_name(listing, a), listing_name(listing, b));
}

/* What an entry is sorted by before its name. What is not known is least. */
static int64_t
sort_value(const struct entry *entry, enum sort_key sort)
{
	if (sort == SORT_TIME)
		return entry->has_stat ? entry->mtime : INT64_MIN;
	if (sort == SORT_SIZE && entry->has_stat && entry->kind == ENTRY_FILE)
		return entry->size;
	return 0;
}

static int
compare_entries(const void *left, const void *right, void *context)
{
	const struct order *by = context;
	const struct entry *a = left, *b = right;
	int64_t value_a, value_b;
	int order;

	if ((a->kind == ENTRY_DIRECTORY) != (b->kind == ENTRY_DIRECTORY))
		return a->kind == ENTRY_DIRECTORY ? -1 : 1;
	value_a = sort_value(a, by->sort);
	value_b = sort_value(b, by->sort);
	order = (value_a > value_b) - (value_a < value_b);
	if (order == 0)
		order = compare_names(by->listing, a, b);
	if (order == 0 || !by->descending)
		return order;
	return order < 0 ? 1 : -1;
}

void
listing_sort(struct listing *listing, const struct view *view)
{
	struct order by = { listing, view->sort, view->descending };

	if (listing->count > 1)
		qsort_r(listing->entries, listing->count, sizeof(listing->entries[0]), compare_entries, &by);
}
