/* Paths as the client wrote them, turned into paths as the file system has them: decoded exactly once, then
 * normalised, in that order, since a dot may come as %2E. A backslash is a byte like any other here. */
#include "http/path.h"

#include "base/escape.h"

/* Normalises into `to`, which may be path's own memory: the result is never longer than what was read of it.
 * False when the path does not start with '/' or climbs above it. */
static bool
normalise(char *to, struct str path, size_t *length)
{
	struct str rest = path, segment;
	size_t len = 0;
	bool directory = false;

	if (path.len == 0 || path.ptr[0] != '/')
		return false;
	while (str_cut(&rest, '/', &segment)) {
		directory = segment.len == 0 || str_eq(segment, S(".")) || str_eq(segment, S(".."));
		if (str_eq(segment, S(".."))) {
			if (len == 0)
				return false;
			while (to[--len] != '/')
				;
		} else if (!directory) {
			to[len++] = '/';
			memmove(to + len, segment.ptr, segment.len);
			len += segment.len;
		}
	}
	if (directory)
		to[len++] = '/';
	*length = len;
	return true;
}

bool
path_normalise(struct buf *out, struct str path)
{
	size_t length;

	if (path.len == 0 || !buf_reserve(out, path.len) || !normalise(out->ptr + out->len, path, &length))
		return false;
	out->len += length;
	return true;
}

/* RFC 3986 3.1 */
static bool
is_scheme(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = ascii_lower(text.ptr[i]);

		if (c >= 'a' && c <= 'z')
			continue;
		if (i == 0 || !(ascii_digit(c) || c == '+' || c == '-' || c == '.'))
			return false;
	}
	return text.len > 0;
}

/* RFC 9112 3.2: of origin-form and absolute-form what comes after scheme and authority; ptr NULL for the
 * others. A fragment has no place in a target, and the fronts cut it off before they judge the path: so do
 * we. */
static struct str
target_local_part(struct str target)
{
	struct str rest = target, local, scheme;
	size_t at = 0;

	if (!str_cut(&rest, '#', &local))
		return (struct str){ NULL, 0 };
	if (local.len > 0 && local.ptr[0] == '/')
		return local;
	rest = local;
	if (!str_cut(&rest, ':', &scheme) || !is_scheme(scheme) || !str_starts(rest, S("//")))
		return (struct str){ NULL, 0 };
	rest = str_after(rest, 2);
	while (at < rest.len && rest.ptr[at] != '/' && rest.ptr[at] != '?')
		at++;
	return str_after(rest, at);
}

static bool
has_encoded_slash(struct str path)
{
	for (size_t i = 0; i + 2 < path.len; i++)
		if (path.ptr[i] == '%' && path.ptr[i + 1] == '2' && ascii_lower(path.ptr[i + 2]) == 'f')
			return true;
	return false;
}

bool
path_from_target(struct buf *out, struct str target, bool *encoded_slash)
{
	struct str rest = target_local_part(target), path;
	size_t from = out->len, length;

	*encoded_slash = false;
	if (!str_cut(&rest, '?', &path))
		return false;
	/* RFC 9110 4.2.3: no path after the authority means "/". */
	if (path.len == 0)
		path = S("/");
	*encoded_slash = has_encoded_slash(path);
	percent_decode(out, path);
	if (buf_failed(out))
		return false;
	if (!normalise(out->ptr + from, buf_since(out, from), &length)) {
		out->len = from;
		return false;
	}
	out->len = from + length;
	return true;
}

struct str
query_from_target(struct str target)
{
	struct str rest = target_local_part(target), path;

	if (str_cut(&rest, '?', &path))
		return rest;
	return (struct str){ NULL, 0 };
}

enum status
path_check(struct str path)
{
	struct str rest = path, segment;

	if (path.len == 0 || path.ptr[0] != '/' || str_has(path, '\0'))
		return STATUS_NOT_FOUND;
	/* "." and ".." start with a dot: they are hidden names too. */
	while (str_cut(&rest, '/', &segment))
		if (name_is_hidden(segment))
			return STATUS_NOT_FOUND;
	return STATUS_UNDECIDED;
}

bool
name_is_hidden(struct str name)
{
	return name.len > 0 && name.ptr[0] == '.' && !str_eq(name, S(".well-known"));
}
