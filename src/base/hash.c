/* XXH3 is inlined from its header: no library to load at start, and the same value on every machine. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct hash
hash_bytes(struct str bytes)
{
	XXH128_hash_t h = XXH3_128bits(bytes.ptr, bytes.len);

	return (struct hash){ h.high64, h.low64 };
}

static void
hash_format_half(struct buf *out, uint64_t half)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		buf_char(out, "0123456789abcdef"[half >> shift & 15]);
}

void
hash_format(struct buf *out, struct hash h)
{
	hash_format_half(out, h.high);
	hash_format_half(out, h.low);
}
