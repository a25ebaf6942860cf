/* The order of rows. */
#ifndef LISTING_ORDER_H
#define LISTING_ORDER_H

#include "listing/listing.h"
#include "listing/view.h"

/* Sorts the entries: directories first whatever the direction, then by the view's key, ties by natural
 * name, then by bytes. Descending turns the key and the name, never the groups. Sort by size leaves
 * directories by name. */
void listing_sort(struct listing *listing, const struct view *view);

#endif
