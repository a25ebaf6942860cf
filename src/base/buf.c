/* The one growing buffer. Failure is sticky, so that code which writes a page reads like the page. */
#include "base/buf.h"

#include <stdlib.h>

void
buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void
buf_release(struct buf *b)
{
	free(b->ptr);
	buf_init(b, b->max);
}

void
buf_reset(struct buf *b)
{
	b->len = 0;
	b->failed = false;
}

bool
buf_reserve(struct buf *b, size_t more)
{
	size_t want, cap;
	char *grown;

	if (b->failed)
		return false;
	if (more <= b->cap - b->len)
		return true;
	if (more > b->max - b->len) {
		b->failed = true;
		return false;
	}
	want = b->len + more;
	cap = b->cap < 256 ? 256 : b->cap;
	if (cap > b->max)
		cap = b->max;
	while (cap < want)
		cap = cap > b->max / 2 ? b->max : cap * 2;
	grown = realloc(b->ptr, cap);
	if (grown == NULL) {
		b->failed = true;
		return false;
	}
	b->ptr = grown;
	b->cap = cap;
	return true;
}

void
buf_int(struct buf *b, int64_t n)
{
	if (n < 0)
		buf_char(b, '-');
	buf_pad(b, n < 0 ? -(uint64_t)n : (uint64_t)n, 1);
}

void
buf_hex(struct buf *b, uint64_t n)
{
	char digits[16];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[n & 15];
		n >>= 4;
	} while (n > 0);
	buf_bytes(b, digits + at, sizeof(digits) - at);
}

void
buf_pad(struct buf *b, uint64_t n, int width)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
		width--;
	} while ((n > 0 || width > 0) && at > 0);
	buf_bytes(b, digits + at, sizeof(digits) - at);
}

const char *
buf_cstr(struct buf *b)
{
	if (!buf_reserve(b, 1))
		return NULL;
	b->ptr[b->len] = '\0';
	return b->ptr;
}
