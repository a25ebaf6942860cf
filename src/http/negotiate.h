/* Proactive negotiation (RFC 9110 12): quality values whole, no substring guesses. */
#ifndef HTTP_NEGOTIATE_H
#define HTTP_NEGOTIATE_H

#include "base/str.h"

/* Quality in thousandths, 0 (not acceptable) to 1000, that an Accept field gives a media type such as
 * "text/html" (RFC 9110 12.5.1: the most specific range counts). A range with parameters is another type's,
 * but for charset=utf-8, which all our text has. A field that is absent or names nothing accepts everything.
 * *named tells whether a range named the type exactly, not by a wildcard; may be NULL. */
int negotiate_media(struct str accept, struct str media_type, bool *named);

/* Quality in thousandths that an Accept-Encoding field gives a coding ("gzip", "br", "zstd", "identity"),
 * RFC 9110 12.5.3. x-gzip counts as gzip. Identity is acceptable unless excluded; where the field does not
 * speak of it, 1, so that any coding that it does name comes before it. Absent field: 1000 for
 * identity, 0 for the others (a client that names no coding gets none). */
int negotiate_coding(struct str accept_encoding, struct str coding);

#endif
