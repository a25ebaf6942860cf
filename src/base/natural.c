/* Natural order as a key: made once a name, compared with memcmp as often as the sort likes.
 *
 * Other bytes stand for themselves, folded. A run of digits becomes its length and then its digits without
 * leading zeros, so that a longer number is a greater one. The lengths 1 to 9 are the bytes '0' to '8', and
 * '9' says that the length follows: so numbers keep their place among the other characters. What
 * leading zeros there were follows after a NUL, one count a run, because they only matter once all the
 * rest is equal. */
#include "base/natural.h"

/* A number of any size in bytes that order as the number does. */
static char *
put_count(char *out, size_t count)
{
	for (; count >= 255; count -= 255)
		*out++ = (char)255;
	*out++ = (char)count;
	return out;
}

/* Takes the digits off the front of *rest: how many leading zeros the value does without, and the others. */
static size_t
cut_number(struct str *rest, struct str *digits)
{
	size_t len = 0, zeros = 0;

	while (len < rest->len && ascii_digit(rest->ptr[len]))
		len++;
	while (zeros + 1 < len && rest->ptr[zeros] == '0')
		zeros++;
	*digits = str_sub(*rest, zeros, len - zeros);
	*rest = str_after(*rest, len);
	return zeros;
}

static char *
put_number(char *out, struct str digits)
{
	*out++ = (char)('0' + (digits.len <= 9 ? digits.len - 1 : 9));
	if (digits.len > 9)
		out = put_count(out, digits.len - 10);
	for (size_t i = 0; i < digits.len; i++)
		*out++ = digits.ptr[i];
	return out;
}

/* The leading zeros of the first runs of digits. */
static char *
put_zeros(char *out, struct str rest, size_t runs)
{
	struct str digits;

	*out++ = '\0';
	for (size_t i = 0; i < runs; i++) {
		while (!ascii_digit(rest.ptr[0]))
			rest = str_after(rest, 1);
		out = put_count(out, cut_number(&rest, &digits));
	}
	return out;
}

void
natural_key(struct buf *key, struct str name)
{
	struct str rest = name, digits;
	size_t numbers = 0, last_padded = 0;
	char *out;

	if (!buf_reserve(key, NATURAL_KEY_MAX(name.len)))
		return;
	out = key->ptr + key->len;
	while (rest.len > 0) {
		if (!ascii_digit(rest.ptr[0])) {
			/* No name holds a NUL; one that did must not end the key. */
			*out++ = rest.ptr[0] != '\0' ? ascii_lower(rest.ptr[0]) : '\1';
			rest = str_after(rest, 1);
			continue;
		}
		numbers++;
		if (cut_number(&rest, &digits) > 0)
			last_padded = numbers;
		out = put_number(out, digits);
	}
	if (last_padded > 0)
		out = put_zeros(out, name, last_padded);
	key->len = (size_t)(out - key->ptr);
}
