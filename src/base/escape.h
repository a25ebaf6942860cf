/* Bytes made safe for a place: a URL path, HTML text, a JSON string, a log line; and percent-decoding. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include "base/buf.h"

/* RFC 3986 3.3: percent-encodes all but unreserved characters and '/'. Byte-exact for names of any bytes;
 * the result can stand in an href, a Location or a hand-off header. Keeps ':' out too, so that no
 * relative reference can look like one with a scheme (RFC 3986 4.2). */
void escape_path(struct buf *out, struct str path);

/* The query as the client sent it, with everything that must not stand in a header field or in HTML
 * (controls, blanks, quotes, angle brackets, non-ASCII) percent-encoded; '%', '&', '=' and the like stay. */
void escape_query(struct buf *out, struct str query);

/* Text for an HTML element or a quoted attribute: & < > " '. Control characters, bidi controls, other
 * invisible format characters and bytes that are not UTF-8 are made visible (U+FFFD or a picture
 * of the control), so that a name shows what it is. */
void escape_html(struct buf *out, struct str text);

/* The inside of a JSON string (RFC 8259 7): always valid UTF-8. A byte that is no UTF-8 becomes U+FFFD. */
void escape_json(struct buf *out, struct str text);

/* One log line's worth: controls and bytes beyond ASCII as \xHH, backslash doubled. */
void escape_log(struct buf *out, struct str text);

/* Percent-decodes exactly once. A '%' that no two hex digits follow stays as it is.
 * '+' stays '+': a path is not a form (RFC 3986 2.1). */
void percent_decode(struct buf *out, struct str text);

/* Length of the well-formed UTF-8 sequence at the start of text (1 to 4) and its code point,
 * or 0 when the first byte starts none (RFC 3629: no surrogates, no overlong forms). */
size_t utf8_next(struct str text, uint32_t *code);

/* Whether all of it is UTF-8. */
bool utf8_valid(struct str text);

#endif
