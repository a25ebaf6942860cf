/* URL paths as rules: decoded once, normalised, and what may never be asked for. */
#ifndef HTTP_PATH_H
#define HTTP_PATH_H

#include "base/buf.h"
#include "http/status.h"

/* Appends the path with runs of '/' as one and "." and ".." segments resolved (RFC 3986 5.2.4), for a
 * decoded absolute path. False, and nothing appended, when it does not start with '/' or climbs above it. */
bool path_normalise(struct buf *out, struct str path);

/* Appends the decoded, normalised path of a request target (REQUEST_URI): the scheme and authority of an
 * absolute-form target and the query are left out. Sets *encoded_slash when a %2F was in it.
 * False when there is no such path. */
bool path_from_target(struct buf *out, struct str target, bool *encoded_slash);

/* The query of a request target, without '?'; ptr NULL when there is none. */
struct str query_from_target(struct str target);

/* Whether a path below the root may be asked for: 0, or STATUS_NOT_FOUND for a NUL, a "." or ".."
 * segment, a hidden one, or no leading '/'. All refusals look alike. */
enum status path_check(struct str path);

/* Whether a name is hidden from listings and refused: it starts with '.' and is not ".well-known".
 * (".ht*" is among them whatever the front's rules say.) */
bool name_is_hidden(struct str name);

#endif
