/* Byte ranges (RFC 9110 14). */
#ifndef HTTP_RANGE_H
#define HTTP_RANGE_H

#include "base/buf.h"

/* More ranges than this in one request and the field is ignored: the whole content is cheaper. */
#define RANGE_MAX 32

/* Ranges this close or overlapping are joined: a part header costs about as much (RFC 9110 15.3.7.2). */
#define RANGE_JOIN_GAP 80

struct range {
	int64_t first;  /* first-pos */
	int64_t length; /* bytes, at least 1 */
};

struct range_set {
	size_t count;
	struct range ranges[RANGE_MAX]; /* in the client's order, joined, never overlapping */
};

enum range_result {
	RANGE_IGNORED,       /* another unit, malformed, too many, or nothing to cut: answer 200 */
	RANGE_SATISFIABLE,   /* *set has at least one */
	RANGE_UNSATISFIABLE, /* 416 */
};

/* Reads a Range field value against a representation of complete_length bytes. Unsatisfiable members
 * are left out; joined ranges take the place of the first of them. A representation of length 0 has
 * nothing to cut: RANGE_IGNORED. */
enum range_result range_parse(struct str field, int64_t complete_length, struct range_set *set);

/* Whether every server reads the field alike: well formed, no empty member, no number that overflows somewhere, not too many. */
bool range_is_plain(struct str field);

/* Appends "bytes 0-9/100" (RFC 9110 14.4). */
void range_format(struct buf *out, const struct range *range, int64_t complete_length);

/* Appends "bytes * /100", without the blank: what a 416 says. */
void range_format_unsatisfied(struct buf *out, int64_t complete_length);

#endif
