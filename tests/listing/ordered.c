#include "listing/ordered.h"

#include <stdlib.h>

int
compare_as_shown(const struct listing *listing, const struct view *view, const struct entry *a,
    const struct entry *b)
{
	const int64_t size[] = { a->has_stat && a->kind == ENTRY_FILE ? a->size : 0,
		b->has_stat && b->kind == ENTRY_FILE ? b->size : 0 };
	int order = 0;

	if ((a->kind == ENTRY_DIRECTORY) != (b->kind == ENTRY_DIRECTORY))
		return a->kind == ENTRY_DIRECTORY ? -1 : 1;
	if (view->sort == SORT_SIZE)
		order = (size[0] > size[1]) - (size[0] < size[1]);
	if (view->sort == SORT_TIME && a->has_stat && b->has_stat)
		order = (a->mtime > b->mtime) - (a->mtime < b->mtime);
	else if (view->sort == SORT_TIME)
		order = a->has_stat - b->has_stat;
	if (order == 0)
		order = str_compare(listing_key(listing, a), listing_key(listing, b));
	if (order == 0)
		order = str_compare(listing_name(listing, a), listing_name(listing, b));
	return view->descending ? -order : order;
}

bool
is_whole(const struct listing *listing, const struct rows *rows)
{
	bool *seen = calloc(listing->count + 1, sizeof(*seen));
	bool whole = seen != NULL && rows->count == listing->count;

	for (size_t i = 0; whole && i < rows->count; i++) {
		uint32_t at = rows->index[i];

		whole = at < listing->count && !seen[at] &&
		    (listing->entries[at].kind == ENTRY_DIRECTORY) == (i < rows->directories);
		if (whole)
			seen[at] = true;
	}
	free(seen);
	return whole;
}
