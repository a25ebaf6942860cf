/* The text around the parts of multipart/byteranges. The boundary is a hash of what the answer is about and
 * when, not a random number: an answer is a function of its request, and nobody who writes a file knows
 * the time of the request that will read it. */
#include "http/multipart.h"

#include "base/hash.h"

static void
write_hex(char digits[16], uint64_t n)
{
	for (int i = 15; i >= 0; i--) {
		digits[i] = "0123456789abcdef"[n & 15];
		n >>= 4;
	}
}

void
multipart_boundary(char boundary[BOUNDARY_LENGTH + 1], struct str seed)
{
	struct hash hash = hash_bytes(seed);

	write_hex(boundary, hash.high);
	write_hex(boundary + 16, hash.low);
	boundary[BOUNDARY_LENGTH] = '\0';
}

void
multipart_part(struct buf *out, const char *boundary, bool first, struct str media_type,
    const struct range *range, int64_t complete_length)
{
	if (!first)
		buf_text(out, "\r\n");
	buf_text(out, "--");
	buf_text(out, boundary);
	/* RFC 9110 14.6: a part says its type if the whole would have. */
	if (media_type.len > 0) {
		buf_text(out, "\r\nContent-Type: ");
		buf_str(out, media_type);
	}
	buf_text(out, "\r\nContent-Range: ");
	range_format(out, range, complete_length);
	buf_text(out, "\r\n\r\n");
}

void
multipart_end(struct buf *out, const char *boundary)
{
	buf_text(out, "\r\n--");
	buf_text(out, boundary);
	buf_text(out, "--\r\n");
}
