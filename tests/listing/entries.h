/* Entries for a listing of a test. */
#ifndef TESTS_LISTING_ENTRIES_H
#define TESTS_LISTING_ENTRIES_H

#include "listing/listing.h"

/* Adds one that was looked at, of a time in 2023. */
struct entry *add_entry(struct listing *listing, const char *name, enum entry_kind kind, int64_t size);

/* Adds one with these facts; its name is what the listing made of `name`. */
void set_entry(struct listing *listing, const char *name, struct entry facts);

#endif
