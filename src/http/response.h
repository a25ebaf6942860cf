/* struct response: the whole answer as a value, settled before its first byte. The content is described, not sent: a
 * list of segments, each of bytes or of a range of one open file; of none when the front sends the content that a field
 * names. */
#ifndef HTTP_RESPONSE_H
#define HTTP_RESPONSE_H

#include "base/buf.h"
#include "http/range.h"
#include "http/status.h"

struct segment {
	const char *bytes; /* NULL: the file's bytes from offset on */
	int64_t offset;
	int64_t length;
};

/* A part header and a part for every range, and the closing delimiter. */
#define RESPONSE_SEGMENTS (2 * RANGE_MAX + 1)

struct response {
	enum status status;
	bool local_redirect;      /* RFC 3875 6.2.2: goes out without Status, the front serves the Location */
	bool content_omitted;     /* HEAD: everything but the content is as for GET */
	int64_t content_length;   /* -1: no Content-Length field (304, 204, hand-off) */
	struct buf fields;        /* "Name: value\r\n" each; neither Status nor Content-Length */
	struct buf text;          /* bytes that segments may point into; settled before they do */
	struct segment segments[RESPONSE_SEGMENTS];
	size_t segment_count;
	int fd;                   /* of the file that segments mean; -1: none. Owned by whoever filled it */
	bool fd_is_stable;        /* nobody shortens or overwrites that file: its pages may be lent */
	void *owner;              /* what handler_finish gives back */
	const char *reason;       /* why this answer, for the log; static text */
	int error;                /* errno behind a failure, else 0 */
};

/* An empty answer, status 0, no content; the two buffers get their ceilings. */
void response_init(struct response *response);

/* Frees the buffers. Everything that a handler put in has been given back before (handler_finish). */
void response_release(struct response *response);

/* As after response_init, memory kept. */
void response_reset(struct response *response);

/* Appends a field. Control bytes in the value (CR, LF, NUL) are dropped: no value can start a field of its own. */
void response_field(struct response *response, const char *name, struct str value);

/* Appends a segment; the caller sees to it that there is room. */
void response_bytes(struct response *response, struct str bytes);
void response_file(struct response *response, int64_t offset, int64_t length);

#endif
