/* Media types by content. libmagic's data is megabytes, so nothing is loaded before the first name that decides
 * nothing. An answer costs far more than the rest of a request; it is remembered with the file (filecache.c). What
 * comes back is nothing that a browser runs: a page or a script must say so by its name. */
#include "fs/magic.h"

#include "base/escape.h"

#include <magic.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOKED_AT = 4096, TYPE_MAX = 96 };

struct magic {
	magic_t cookie;
	bool tried; /* once: without its data today, without it until the next start */
	char type[TYPE_MAX];
};

struct magic *
magic_new(void)
{
	return calloc(1, sizeof(struct magic));
}

void
magic_free(struct magic *magic)
{
	if (magic == NULL)
		return;
	if (magic->cookie != NULL)
		magic_close(magic->cookie);
	free(magic);
}

static magic_t
magic_cookie(struct magic *magic)
{
	if (magic->tried)
		return magic->cookie;
	magic->tried = true;
	magic->cookie = magic_open(MAGIC_MIME_TYPE);
	if (magic->cookie != NULL && magic_load(magic->cookie, NULL) != 0) {
		magic_close(magic->cookie);
		magic->cookie = NULL;
	}
	return magic->cookie;
}

static bool
has(struct str type, struct str word)
{
	for (size_t i = 0; i + word.len <= type.len; i++)
		if (str_eq(str_sub(type, i, word.len), word))
			return true;
	return false;
}

/* Copies a media type in lower case. Empty unless it has one slash and nothing that could not stand in a
 * field (RFC 9110 8.3.1): libmagic's data is not ours. */
static struct str
media_type(char copy[static TYPE_MAX], struct str type)
{
	size_t slashes = 0;

	if (type.len < 3 || type.len > TYPE_MAX || type.ptr[0] == '/' || type.ptr[type.len - 1] == '/')
		return S("");
	for (size_t i = 0; i < type.len; i++) {
		char c = ascii_lower(type.ptr[i]);

		if (c == '/')
			slashes++;
		else if (!(c >= 'a' && c <= 'z') && !ascii_digit(c) && !str_has(S("!#$&^_.+-"), c))
			return S("");
		copy[i] = c;
	}
	return slashes == 1 ? (struct str){ copy, type.len } : S("");
}

/* Text of any kind, mail, and whatever browsers run under another name (XHTML, SVG, scripts). */
static bool
is_shown_as_text(struct str type)
{
	return str_starts(type, S("text/")) || str_starts(type, S("message/"))
	    || str_starts(type, S("multipart/")) || str_starts(type, S("image/svg")) || str_ends(type, S("xml"))
	    || has(type, S("javascript")) || has(type, S("ecmascript"));
}

/* Without a UTF-8 sequence that the end of what was read cuts in two. */
static struct str
without_cut_sequence(struct str bytes)
{
	for (size_t back = 1; back < 4 && back <= bytes.len; back++) {
		unsigned char byte = (unsigned char)bytes.ptr[bytes.len - back];
		size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;

		if (byte < 0x80)
			break;
		if (byte >= 0xC0)
			return whole > back ? str_sub(bytes, 0, bytes.len - back) : bytes;
	}
	return bytes;
}

static struct str
type_of_bytes(struct magic *magic, struct str bytes)
{
	magic_t cookie = magic_cookie(magic);
	const char *answer = cookie != NULL ? magic_buffer(cookie, bytes.ptr, bytes.len) : NULL;
	struct str type = media_type(magic->type, str_from(answer));

	if (type.len == 0 || str_starts(type, S("inode/")))
		return S("application/octet-stream");
	if (!is_shown_as_text(type))
		return type;
	return utf8_valid(bytes) ? S("text/plain; charset=utf-8") : S("text/plain");
}

struct str
magic_type(struct magic *magic, const struct file *file)
{
	char bytes[LOOKED_AT];
	struct str read;
	ssize_t len;

	if (file->kind != FILE_REGULAR || file->size <= 0)
		return S("application/octet-stream");
	len = pread(file->fd, bytes, sizeof(bytes), 0);
	if (len <= 0)
		return S("application/octet-stream");

	read = (struct str){ bytes, (size_t)len };
	if (len < file->size)
		read = without_cut_sequence(read);
	return type_of_bytes(magic, read);
}
