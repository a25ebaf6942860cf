/* struct buf: bytes that grow to a ceiling and remember failure.
 *
 * Invariants: len <= cap <= max; ptr may be NULL while cap is 0. After a failure (ceiling reached or no
 * memory) every append is ignored, so a renderer appends freely and its caller asks buf_failed() once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

struct buf {
	char *ptr;
	size_t len;
	size_t cap;
	size_t max;
	bool failed;
};

/* An empty buffer that will never hold more than max bytes. Allocates nothing. */
void buf_init(struct buf *b, size_t max);

/* Frees the memory; the buffer is as after buf_init. A zeroed buffer is fine. */
void buf_release(struct buf *b);

/* Forgets content and failure, keeps the memory for the next use. */
void buf_reset(struct buf *b);

/* Room for `more` further bytes, so that what points into the buffer stays valid while they are
 * appended. False (and failed) when the ceiling or memory does not allow it. */
bool buf_reserve(struct buf *b, size_t more);

/* Append. Inline, since a page is thousands of short appends. */
static inline void
buf_bytes(struct buf *b, const void *bytes, size_t len)
{
	if (len == 0 || ((b->failed || len > b->cap - b->len) && !buf_reserve(b, len)))
		return;
	memcpy(b->ptr + b->len, bytes, len);
	b->len += len;
}

static inline void
buf_str(struct buf *b, struct str s)
{
	buf_bytes(b, s.ptr, s.len);
}

static inline void
buf_char(struct buf *b, char c)
{
	buf_bytes(b, &c, 1);
}

/* A literal's length is known to the compiler. */
static inline void
buf_text(struct buf *b, const char *text)
{
	buf_bytes(b, text, strlen(text));
}

void buf_int(struct buf *b, int64_t n);              /* decimal */
void buf_hex(struct buf *b, uint64_t n);             /* lower case, no leading zeros */
void buf_pad(struct buf *b, uint64_t n, int width);  /* decimal, at least width digits */

static inline bool
buf_failed(const struct buf *b)
{
	return b->failed;
}

/* What is in it; valid until the next append. */
static inline struct str
buf_view(const struct buf *b)
{
	return (struct str){ b->ptr != NULL ? b->ptr : "", b->len };
}

/* The part from byte `from` on. */
static inline struct str
buf_since(const struct buf *b, size_t from)
{
	return str_after(buf_view(b), from);
}

/* As a C string; "" when empty. The NUL is not counted. NULL after a failure. */
const char *buf_cstr(struct buf *b);

#endif
