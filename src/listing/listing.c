/* A directory as read once: small records in one array, every name and sort key in one arena. A listing that
 * is used again for the next directory allocates nothing once it has grown. */
#include "listing/listing.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/natural.h"

#define SLOTS_LEAST 64

static void
drop_index(struct listing *listing)
{
	free(listing->slots);
	listing->slots = NULL;
	listing->slot_count = 0;
}

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
	drop_index(listing);
	buf_release(&listing->arena);
	listing_init(listing);
}

void
listing_reset(struct listing *listing)
{
	listing->count = 0;
	listing->failed = false;
	drop_index(listing);
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

/* Where the search for a name begins; it ends at the first free slot. */
static size_t
first_slot(const struct listing *listing, struct str name)
{
	return (size_t)hash_bytes(name).low & (listing->slot_count - 1);
}

static size_t
next_slot(const struct listing *listing, size_t at)
{
	return (at + 1) & (listing->slot_count - 1);
}

static struct str
slot_name(const struct listing *listing, size_t at)
{
	return listing_name(listing, &listing->entries[listing->slots[at] - 1]);
}

/* The slot of a name, or the free one that it would have. */
static size_t
find_slot(const struct listing *listing, struct str name)
{
	size_t at = first_slot(listing, name);

	while (listing->slots[at] != 0 && !str_eq(slot_name(listing, at), name))
		at = next_slot(listing, at);
	return at;
}

/* Frees a slot, and moves up what was only behind it because it was taken. */
static void
free_slot(struct listing *listing, size_t at)
{
	size_t mask = listing->slot_count - 1;

	for (size_t i = next_slot(listing, at); listing->slots[i] != 0; i = next_slot(listing, i)) {
		size_t home = first_slot(listing, slot_name(listing, i));

		if (((i - home) & mask) < ((i - at) & mask))
			continue;
		listing->slots[at] = listing->slots[i];
		at = i;
	}
	listing->slots[at] = 0;
}

bool
listing_index(struct listing *listing)
{
	size_t wanted = SLOTS_LEAST;

	while (wanted / 2 <= listing->count)
		wanted *= 2;
	drop_index(listing);
	listing->slots = calloc(wanted, sizeof(*listing->slots));
	if (listing->slots == NULL)
		return false;
	listing->slot_count = wanted;
	for (size_t i = 0; i < listing->count;) {
		size_t at = find_slot(listing, listing_name(listing, &listing->entries[i]));

		if (listing->slots[at] == 0)
			listing->slots[at] = (uint32_t)++i;
		else
			listing->entries[i] = listing->entries[--listing->count];
	}
	return true;
}

/* The last entry comes into the index, which grows with the listing; without memory it is given up. */
static void
index_last(struct listing *listing)
{
	const struct entry *entry = &listing->entries[listing->count - 1];

	if (listing->count > listing->slot_count / 2) {
		listing_index(listing);
		return;
	}
	listing->slots[find_slot(listing, listing_name(listing, entry))] = (uint32_t)listing->count;
}

struct entry *
listing_add(struct listing *listing, struct str name)
{
	size_t key_max = NATURAL_KEY_MAX(name.len);
	struct buf *arena = &listing->arena;
	struct entry *entry;

	if (listing->failed || key_max > UINT16_MAX || !listing_grow(listing) ||
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
	if (listing->slots != NULL)
		index_last(listing);
	return entry;
}

struct entry *
listing_find(const struct listing *listing, struct str name)
{
	if (listing->slots != NULL) {
		size_t at = find_slot(listing, name);

		return listing->slots[at] != 0 ? &listing->entries[listing->slots[at] - 1] : NULL;
	}
	for (size_t i = 0; i < listing->count; i++)
		if (str_eq(listing_name(listing, &listing->entries[i]), name))
			return &listing->entries[i];
	return NULL;
}

void
listing_remove(struct listing *listing, struct entry *entry)
{
	size_t last = listing->count - 1, position = (size_t)(entry - listing->entries);

	if (listing->slots != NULL) {
		free_slot(listing, find_slot(listing, listing_name(listing, entry)));
		if (position != last)
			listing->slots[find_slot(listing, listing_name(listing, &listing->entries[last]))] = (uint32_t)position + 1;
	}
	*entry = listing->entries[last];
	listing->count = last;
}
