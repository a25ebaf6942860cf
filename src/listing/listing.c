/* A directory as read once: small records in one array, every name and sort key in one arena. A listing that
 * is used again for the next directory allocates nothing once it has grown. */
#include "listing/listing.h"

#include <stdlib.h>

#include "base/natural.h"

void
listing_init(struct listing *listing)
{
	*listing = (struct listing){ 0 };
	buf_init(&listing->arena, UINT32_MAX);
}

void
listing_release(struct listing *listing)
{
	free(listing->entries);
	buf_release(&listing->arena);
	listing_init(listing);
}

void
listing_reset(struct listing *listing)
{
	listing->count = 0;
	listing->failed = false;
	buf_reset(&listing->arena);
}

static bool
listing_grow(struct listing *listing)
{
	size_t capacity = listing->capacity < 64 ? 64 : listing->capacity * 2;
	struct entry *grown;

	if (listing->count < listing->capacity)
		return true;
	if (capacity > SIZE_MAX / sizeof(*grown))
		return false;
	grown = realloc(listing->entries, capacity * sizeof(*grown));
	if (grown == NULL)
		return false;
	listing->entries = grown;
	listing->capacity = capacity;
	return true;
}

struct entry *
listing_add(struct listing *listing, struct str name)
{
	/* A key may take twice the name and two bytes; both lengths must fit their fields. */
	size_t key_max = 2 * name.len + 2;
	struct buf *arena = &listing->arena;
	struct entry *entry;

	if (listing->failed || name.len > (UINT16_MAX - 2) / 2 || !listing_grow(listing) ||
	    !buf_reserve(arena, name.len + key_max)) {
		listing->failed = true;
		return NULL;
	}
	entry = &listing->entries[listing->count++];
	*entry = (struct entry){ .name = (uint32_t)arena->len, .name_len = (uint16_t)name.len };
	buf_str(arena, name);
	entry->key = (uint32_t)arena->len;
	natural_key(arena, name);
	entry->key_len = (uint16_t)(arena->len - entry->key);
	return entry;
}

struct entry *
listing_find(const struct listing *listing, struct str name)
{
	for (size_t i = 0; i < listing->count; i++)
		if (str_eq(listing_name(listing, &listing->entries[i]), name))
			return &listing->entries[i];
	return NULL;
}

void
listing_remove(struct listing *listing, struct entry *entry)
{
	*entry = listing->entries[--listing->count];
}
