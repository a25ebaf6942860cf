/* struct str: bytes that somebody else owns. Passed by value, never freed, may hold NUL.
 * ptr == NULL means "absent" where a caller tells absent from empty (a request field, a setting). */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *ptr;
	size_t len;
};

/* A literal as a struct str; also in static tables. */
#define STR(literal) { "" literal, sizeof(literal) - 1 }
#define S(literal) ((struct str)STR(literal))

/* For printf's "%.*s". */
#define STR_ARGS(s) ((int)(s).len), ((s).ptr != NULL ? (s).ptr : "")

static inline struct str
str_from(const char *text)
{
	return (struct str){ text, text != NULL ? strlen(text) : 0 };
}

/* The part from byte `from` on, at most `len` bytes long; both are clipped to what is there. */
static inline struct str
str_sub(struct str s, size_t from, size_t len)
{
	if (from > s.len)
		from = s.len;
	if (len > s.len - from)
		len = s.len - from;
	return (struct str){ s.ptr != NULL ? s.ptr + from : NULL, len };
}

static inline struct str
str_after(struct str s, size_t from)
{
	return str_sub(s, from, SIZE_MAX);
}

static inline bool
str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool
str_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len && str_eq(str_sub(s, 0, prefix.len), prefix);
}

static inline bool
str_ends(struct str s, struct str suffix)
{
	return s.len >= suffix.len && str_eq(str_after(s, s.len - suffix.len), suffix);
}

static inline bool
str_has(struct str s, char byte)
{
	return s.len > 0 && memchr(s.ptr, byte, s.len) != NULL;
}

/* ASCII only, whatever the locale says. */
static inline char
ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static inline bool
ascii_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Equal but for ASCII case. */
bool str_ieq(struct str a, struct str b);

/* Byte-wise order, shorter first when one is a prefix of the other: <0, 0 or >0. */
int str_compare(struct str a, struct str b);

/* Without blanks and tabs at either end (RFC 9110 5.6.3, OWS). */
struct str str_trim(struct str s);

/* Takes everything before the first `at` out of *rest and steps past it; the whole rest when there is none.
 * False when *rest was already used up (ptr NULL). */
bool str_cut(struct str *rest, char at, struct str *part);

/* Decimal digits only, at least one, no sign. False on anything else. A value beyond INT64_MAX
 * becomes INT64_MAX and counts as read: a range that ends there is still past every file. */
bool str_digits(struct str s, int64_t *value);

#endif
