/* struct representation: the facts about what a GET would send now (RFC 9110 3.2, 8). A file and a listing
 * state the same facts; http/conditional turns them into 200, 206, 304, 412 or 416. */
#ifndef HTTP_REPRESENTATION_H
#define HTTP_REPRESENTATION_H

#include "base/str.h"

struct representation {
	struct str media_type;     /* with charset; never empty when there is content */
	struct str coding;         /* content coding, empty for identity */
	struct str etag;           /* as sent: quoted, W/ in front when weak; empty: none */
	struct str etag_alias;     /* another form of the same tag that a front may have given out; empty: none */
	int64_t complete_length;   /* bytes */
	int64_t last_modified;     /* nanoseconds since 1970 */
	bool has_last_modified;
};

#endif
