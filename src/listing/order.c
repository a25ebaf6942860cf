/* Natural keys were made when the names were read, so that comparing is comparing bytes; eight of them, from the first
 * in which any two names differ, are a number, which decides nearly always. Quicksort that leaves alone what nobody looks at: one page of a million
 * names costs a pass over them and the sorting of the page. */
#include "listing/order.h"

#include <stdlib.h>

/* Below this many, insertion is quicker; deeper than this, the names were chosen to hurt, and the C library's sort takes
 * over. */
#define SMALL 16
#define DEEPEST 64

struct item {
	uint64_t value;   /* decides when it differs: size, time or the first bytes of the key that are not all names' */
	uint32_t index;
};

struct order {
	const struct listing *listing;
	struct item *items;
	size_t want_from, want_to; /* of the items that must be in place */
};

static int
compare_names(const struct listing *listing, uint32_t left, uint32_t right)
{
	const struct entry *a = &listing->entries[left], *b = &listing->entries[right];
	int order = str_compare(listing_key(listing, a), listing_key(listing, b));

	return order != 0 ? order : str_compare(listing_name(listing, a), listing_name(listing, b));
}

static bool
item_before(const struct listing *listing, const struct item *a, const struct item *b)
{
	if (a->value != b->value)
		return a->value < b->value;
	return compare_names(listing, a->index, b->index) < 0;
}

static int
item_compare(const void *left, const void *right, void *context)
{
	const struct listing *const *listing = context;

	if (item_before(*listing, left, right))
		return -1;
	return item_before(*listing, right, left) ? 1 : 0;
}

/* Signed to unsigned, order kept. */
static uint64_t
lift(int64_t n)
{
	return (uint64_t)n + ((uint64_t)1 << 63);
}

static uint64_t
key_start(struct str key)
{
	uint64_t value = 0;

	for (size_t i = 0; i < 8; i++)
		value = value << 8 | (i < key.len ? (unsigned char)key.ptr[i] : 0);
	return value;
}

/* How many bytes all keys begin with: cameras and logs name a thousand files alike. */
static size_t
common_length(const struct listing *listing)
{
	struct str common = listing->count > 0 ? listing_key(listing, &listing->entries[0]) : (struct str){ NULL, 0 };

	for (size_t i = 1; i < listing->count && common.len > 0; i++) {
		struct str key = listing_key(listing, &listing->entries[i]);
		size_t same = 0;

		while (same < common.len && same < key.len && key.ptr[same] == common.ptr[same])
			same++;
		common.len = same;
	}
	return common.len;
}

/* What an entry is ordered by before its whole name. Only files have a size. */
static uint64_t
sort_value(const struct listing *listing, const struct entry *entry, enum sort_key sort, size_t common)
{
	if (sort == SORT_NAME)
		return key_start(str_after(listing_key(listing, entry), common));
	if (sort == SORT_TIME)
		return entry->has_stat ? lift(entry->mtime) : 0;
	return entry->has_stat && entry->kind == ENTRY_FILE ? lift(entry->size) : lift(0);
}

static void
swap(struct item *a, struct item *b)
{
	struct item kept = *a;

	*a = *b;
	*b = kept;
}

static void
sort_small(const struct order *order, size_t from, size_t to)
{
	struct item *items = order->items;

	for (size_t i = from + 1; i < to; i++)
		for (size_t j = i; j > from && item_before(order->listing, &items[j], &items[j - 1]); j--)
			swap(&items[j], &items[j - 1]);
}

/* Puts the median of three at `from`, splits around it, says where it ended. */
static size_t
split(const struct order *order, size_t from, size_t to)
{
	struct item *items = order->items;
	size_t middle = from + (to - from) / 2, last = to - 1, left = from, right = to;

	if (item_before(order->listing, &items[middle], &items[from]))
		swap(&items[middle], &items[from]);
	if (item_before(order->listing, &items[last], &items[from]))
		swap(&items[last], &items[from]);
	if (item_before(order->listing, &items[last], &items[middle]))
		swap(&items[last], &items[middle]);
	swap(&items[from], &items[middle]);
	for (;;) {
		while (++left < to && item_before(order->listing, &items[left], &items[from]))
			continue;
		while (item_before(order->listing, &items[from], &items[--right]))
			continue;
		if (left >= right)
			break;
		swap(&items[left], &items[right]);
	}
	swap(&items[from], &items[right]);
	return right;
}

/* Orders [from, to) as far as it is wanted. */
static void
sort_wanted(const struct order *order, size_t from, size_t to, int depth)
{
	while (to > from + 1 && from < order->want_to && to > order->want_from) {
		const struct listing *listing = order->listing;
		size_t at;

		if (to - from <= SMALL) {
			sort_small(order, from, to);
			return;
		}
		if (depth >= DEEPEST) {
			qsort_r(order->items + from, to - from, sizeof(struct item), item_compare, &listing);
			return;
		}
		at = split(order, from, to);
		sort_wanted(order, from, at, ++depth);
		from = at + 1;
	}
}

/* Orders one group, of which the view shows rows [first, last) counted in its direction. */
static void
sort_group(struct order *order, size_t from, size_t to, bool descending, size_t first, size_t last)
{
	size_t count = to - from;

	if (first > count)
		first = count;
	if (last > count)
		last = count;
	order->want_from = from + (descending ? count - last : first);
	order->want_to = from + (descending ? count - first : last);
	if (order->want_from < order->want_to)
		sort_wanted(order, from, to, 0);
}

/* Directories from the front, everything else behind them. */
static void
fill_items(struct item *items, struct rows *rows, const struct listing *listing, enum sort_key sort)
{
	size_t next[2] = { 0, 0 }, common = sort == SORT_NAME ? common_length(listing) : 0;

	rows->directories = 0;
	for (size_t i = 0; i < listing->count; i++)
		rows->directories += listing->entries[i].kind == ENTRY_DIRECTORY;
	next[1] = rows->directories;
	for (size_t i = 0; i < listing->count; i++) {
		const struct entry *entry = &listing->entries[i];

		items[next[entry->kind != ENTRY_DIRECTORY]++] =
		    (struct item){ sort_value(listing, entry, sort, common), (uint32_t)i };
	}
}

bool
rows_sort(struct rows *rows, const struct listing *listing, const struct view *view, size_t first, size_t shown)
{
	struct item *items = malloc((listing->count + 1) * sizeof(*items));
	uint32_t *index = realloc(rows->index, (listing->count + 1) * sizeof(*index));
	struct order order = { .listing = listing, .items = items };
	size_t last = shown > SIZE_MAX - first ? SIZE_MAX : first + shown, directories;

	if (index != NULL)
		rows->index = index;
	if (items == NULL || index == NULL) {
		free(items);
		return false;
	}
	rows->count = listing->count;
	fill_items(items, rows, listing, view->sort);
	directories = rows->directories;
	sort_group(&order, 0, directories, view->descending, first, last);
	sort_group(&order, directories, rows->count, view->descending, first > directories ? first - directories : 0,
	    last > directories ? last - directories : 0);
	for (size_t i = 0; i < rows->count; i++)
		rows->index[i] = items[i].index;
	free(items);
	return true;
}

void
rows_release(struct rows *rows)
{
	free(rows->index);
	*rows = (struct rows){ 0 };
}

size_t
rows_at(const struct rows *rows, size_t at, bool descending)
{
	if (!descending)
		return rows->index[at];
	if (at < rows->directories)
		return rows->index[rows->directories - 1 - at];
	return rows->index[rows->count - 1 - (at - rows->directories)];
}
