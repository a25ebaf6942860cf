/* Looking at borrowed bytes. Everything here is ASCII and locale-free on purpose: these are protocol
 * bytes and file names, never text in somebody's language. */
#include "base/str.h"

bool
str_ieq(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (ascii_lower(a.ptr[i]) != ascii_lower(b.ptr[i]))
			return false;
	return true;
}

int
str_compare(struct str a, struct str b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter > 0 ? memcmp(a.ptr, b.ptr, shorter) : 0;

	if (order != 0)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

struct str
str_trim(struct str s)
{
	while (s.len > 0 && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
		s = str_after(s, 1);
	while (s.len > 0 && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

bool
str_cut(struct str *rest, char at, struct str *part)
{
	const char *found;

	if (rest->ptr == NULL)
		return false;
	found = rest->len > 0 ? memchr(rest->ptr, at, rest->len) : NULL;
	if (found == NULL) {
		*part = *rest;
		*rest = (struct str){ NULL, 0 };
		return true;
	}
	*part = str_sub(*rest, 0, (size_t)(found - rest->ptr));
	*rest = str_after(*rest, part->len + 1);
	return true;
}

bool
str_digits(struct str s, int64_t *value)
{
	int64_t sum = 0;

	if (s.len == 0)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		int digit = s.ptr[i] - '0';

		if (!ascii_digit(s.ptr[i]))
			return false;
		if (sum > (INT64_MAX - digit) / 10)
			sum = INT64_MAX;
		else if (sum != INT64_MAX)
			sum = sum * 10 + digit;
	}
	*value = sum;
	return true;
}
