/* The order of a listing once more, in the simplest way: what rows_sort is compared with. */
#ifndef TESTS_LISTING_ORDERED_H
#define TESTS_LISTING_ORDERED_H

#include "listing/order.h"

/* The words of header order.h: which of two entries a view shows first. */
int compare_as_shown(const struct listing *listing, const struct view *view, const struct entry *a,
    const struct entry *b);

/* Every position once, directories first: also of what no window wanted. */
bool is_whole(const struct listing *listing, const struct rows *rows);

#endif
