/* struct listing: a directory as read once. Names live in one arena; an entry is a small record. Pure: who fills
 * it (fs/directory) did the reading, who shows it (listing/html, listing/json) only looks. */
#ifndef LISTING_LISTING_H
#define LISTING_LISTING_H

#include "base/buf.h"

enum entry_kind {
	ENTRY_FILE,
	ENTRY_DIRECTORY,
	ENTRY_SPECIAL,    /* FIFO, device, socket: shown, never linked */
	ENTRY_BROKEN,     /* a link that leads nowhere, in a circle or out of the root: one kind, so that none tells */
	ENTRY_UNREADABLE, /* could not be looked at: shown with what is known */
};

struct entry {
	uint32_t name;      /* offset in the arena */
	uint32_t key;       /* offset of its natural key */
	uint16_t name_len;
	uint16_t key_len;
	uint8_t kind;       /* enum entry_kind, of the target for a link */
	bool is_link;
	bool has_stat : 1;  /* size and mtime are known */
	bool looked : 1;    /* whoever read the directory has looked at it: what is not known now cannot be known */
	bool elsewhere : 1; /* may change without the directory's knowing: a directory's time, a link's target, a file of two names,
	                     * what is mounted there */
	bool told : 1;      /* ... but is told of all the same: it has a watch of its own */
	bool shown : 1;     /* on a page that was asked for while it was not told */
	bool gone : 1;      /* it vanished under a look, and is taken out when that is done */
	uint32_t inode;     /* lower half: whether a name is another file now */
	uint32_t stamp;     /* goes up when what is shown of it changes: the lower half of its snapshot's version then */
	int64_t size;       /* bytes; of a file only */
	int64_t mtime;      /* nanoseconds since 1970 */
};

struct listing {
	struct entry *entries;
	size_t count;
	size_t capacity;
	struct buf arena;
	uint32_t *slots;    /* the index: a position and one, 0: free; NULL: none */
	size_t slot_count;  /* a power of two, or 0 */
	bool failed;        /* no memory: do not show it */
};

void listing_init(struct listing *listing);
void listing_release(struct listing *listing);

/* Forgets the entries, keeps the memory. */
void listing_reset(struct listing *listing);

/* Makes the index by which listing_find is quick, and keeps it until a reset: from then on no name may be added that is there. Of
 * entries of one name all but the first are taken out. False, and no index, without memory. */
bool listing_index(struct listing *listing);

/* The entry of a name, or NULL. */
struct entry *listing_find(const struct listing *listing, struct str name);

/* Takes an entry out; the last one takes its place. */
void listing_remove(struct listing *listing, struct entry *entry);

/* Appends an entry with a copy of its name and its natural key; the rest of it is zero. NULL (and failed)
 * without memory. The pointer is valid until the next call. */
struct entry *listing_add(struct listing *listing, struct str name);

static inline struct str
listing_name(const struct listing *listing, const struct entry *entry)
{
	return (struct str){ listing->arena.ptr + entry->name, entry->name_len };
}

static inline struct str
listing_key(const struct listing *listing, const struct entry *entry)
{
	return (struct str){ listing->arena.ptr + entry->key, entry->key_len };
}

#endif
