/* multipart/byteranges (RFC 9110 14.6): the text around the parts. The bytes of the parts are described by
 * the response's segments; every header is rendered before the first byte is sent, so the length is exact. */
#ifndef HTTP_MULTIPART_H
#define HTTP_MULTIPART_H

#include "http/range.h"

#define BOUNDARY_LENGTH 32

/* Writes a boundary of BOUNDARY_LENGTH token characters made from the seed bytes (tag and time of the request). */
void multipart_boundary(char boundary[BOUNDARY_LENGTH + 1], struct str seed);

/* Appends what stands before a part: CRLF (but for the first part), --boundary, Content-Type, Content-Range, blank line. */
void multipart_part(struct buf *out, const char *boundary, bool first, struct str media_type,
    const struct range *range, int64_t complete_length);

/* Appends the closing delimiter. */
void multipart_end(struct buf *out, const char *boundary);

#endif
