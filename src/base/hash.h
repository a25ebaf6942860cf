/* A 128-bit hash for validators and cache keys (not for secrets): XXH3 from the xxhash library. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/buf.h"

struct hash {
	uint64_t high;
	uint64_t low;
};

/* The hash of the bytes. */
struct hash hash_bytes(struct str bytes);

/* Appends 32 hexadecimal digits. */
void hash_format(struct buf *out, struct hash h);

#endif
