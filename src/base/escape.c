/* Escaping, one driver for all places: bytes that are plain there are copied in runs, whatever is not goes to
 * the place's own function, one character at a time. What is plain where stands in one table. A byte that is
 * no UTF-8 never spoils the rest: it is answered alone. */
#include "base/escape.h"

enum place {
	IN_PATH = 1,
	IN_QUERY = 2,
	IN_HTML = 4,
	IN_JSON = 8,
	IN_LOG = 16,
	IN_TEXT = IN_HTML | IN_JSON | IN_LOG,
	IN_ALL = IN_PATH | IN_QUERY | IN_TEXT,
};

/* RFC 3986 2.3 (unreserved) and 3.4 (query). JSON leaves out < > & too: it may come to stand in a script. */
static const uint8_t plain_in[256] = {
	[' '] = IN_TEXT,
	['!'] = IN_QUERY | IN_TEXT,
	['"'] = IN_LOG,
	['#'] = IN_TEXT,
	['$'] = IN_QUERY | IN_TEXT,
	['%'] = IN_QUERY | IN_TEXT,
	['&'] = IN_QUERY | IN_LOG,
	['\''] = IN_JSON | IN_LOG,
	['(' ... ','] = IN_QUERY | IN_TEXT,
	['-' ... '/'] = IN_ALL,
	['0' ... '9'] = IN_ALL,
	[':' ... ';'] = IN_QUERY | IN_TEXT,
	['<'] = IN_LOG,
	['='] = IN_QUERY | IN_TEXT,
	['>'] = IN_LOG,
	['?' ... '@'] = IN_QUERY | IN_TEXT,
	['A' ... 'Z'] = IN_ALL,
	['['] = IN_QUERY | IN_TEXT,
	['\\'] = IN_HTML,
	[']'] = IN_QUERY | IN_TEXT,
	['^'] = IN_TEXT,
	['_'] = IN_ALL,
	['`'] = IN_TEXT,
	['a' ... 'z'] = IN_ALL,
	['{' ... '}'] = IN_TEXT,
	['~'] = IN_ALL,
};

/* Characters that show as nothing or that turn the text around them. Left alone are ZWNJ and ZWJ (U+200C,
 * U+200D) and the variation selectors: Persian, Indic scripts and emoji cannot be written without them. */
static const struct {
	uint32_t first, last;
} invisible[] = {
	{ 0x80, 0x9f },       /* C1 controls */
	{ 0xad, 0xad },       /* soft hyphen */
	{ 0x34f, 0x34f },     /* combining grapheme joiner */
	{ 0x61c, 0x61c },     /* Arabic letter mark */
	{ 0x115f, 0x1160 },   /* Hangul fillers */
	{ 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
	{ 0x180b, 0x180f },   /* Mongolian selectors and vowel separator */
	{ 0x200b, 0x200b },   /* zero width space */
	{ 0x200e, 0x200f },   /* left-to-right and right-to-left marks */
	{ 0x2028, 0x202e },   /* line and paragraph separators, bidi embeddings and overrides */
	{ 0x2060, 0x206f },   /* word joiner, invisible operators, bidi isolates */
	{ 0x3164, 0x3164 },   /* Hangul filler */
	{ 0xfeff, 0xfeff },   /* byte order mark */
	{ 0xffa0, 0xffa0 },   /* halfwidth Hangul filler */
	{ 0xfff9, 0xfffb },   /* interlinear annotation */
	{ 0xe0000, 0xe007f }, /* tags */
};

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static bool
is_invisible(uint32_t code)
{
	for (size_t i = 0; i < sizeof(invisible) / sizeof(invisible[0]); i++)
		if (code <= invisible[i].last)
			return code >= invisible[i].first;
	return false;
}

/* Copies what is plain; `one` writes each of the others and answers how many bytes it has dealt with. */
static void
escape_with(struct buf *out, struct str text, enum place place, size_t (*one)(struct buf *, struct str))
{
	size_t at = 0;

	while (at < text.len) {
		size_t from = at;

		while (at < text.len && (plain_in[(unsigned char)text.ptr[at]] & place) != 0)
			at++;
		buf_bytes(out, text.ptr + from, at - from);
		if (at < text.len)
			at += one(out, str_after(text, at));
	}
}

static size_t
one_percent(struct buf *out, struct str rest)
{
	unsigned char byte = (unsigned char)rest.ptr[0];

	buf_char(out, '%');
	buf_char(out, "0123456789ABCDEF"[byte >> 4]);
	buf_char(out, "0123456789ABCDEF"[byte & 15]);
	return 1;
}

static const char *
html_entity(uint32_t code)
{
	switch (code) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static size_t
one_html(struct buf *out, struct str rest)
{
	uint32_t code = 0;
	size_t len = utf8_next(rest, &code);
	const char *entity = html_entity(code);

	if (len == 0 || is_invisible(code)) {
		buf_text(out, REPLACEMENT);
		return len > 0 ? len : 1;
	}
	if (entity != NULL) {
		buf_text(out, entity);
		return len;
	}
	if (code < 0x20 || code == 0x7f) {
		/* The pictures of the controls: U+2400 and on, DEL at U+2421. */
		buf_text(out, "\xe2\x90");
		buf_char(out, (char)(0x80 + (code == 0x7f ? 0x21 : code)));
		return len;
	}
	buf_str(out, str_sub(rest, 0, len));
	return len;
}

static size_t
one_json(struct buf *out, struct str rest)
{
	uint32_t code = 0;
	size_t len = utf8_next(rest, &code);

	if (len == 0) {
		buf_text(out, REPLACEMENT);
		return 1;
	}
	if (code == '"' || code == '\\') {
		buf_char(out, '\\');
		buf_char(out, (char)code);
		return len;
	}
	/* Of ASCII only what has to go comes here; U+2028 and U+2029 end a line in old JavaScript. */
	if (code >= 0xa0 && code != 0x2028 && code != 0x2029) {
		buf_str(out, str_sub(rest, 0, len));
		return len;
	}
	buf_text(out, "\\u");
	for (int shift = 12; shift >= 0; shift -= 4)
		buf_char(out, "0123456789abcdef"[code >> shift & 15]);
	return len;
}

static size_t
one_log(struct buf *out, struct str rest)
{
	unsigned char byte = (unsigned char)rest.ptr[0];

	if (byte == '\\') {
		buf_text(out, "\\\\");
		return 1;
	}
	buf_text(out, "\\x");
	buf_char(out, "0123456789abcdef"[byte >> 4]);
	buf_char(out, "0123456789abcdef"[byte & 15]);
	return 1;
}

void
escape_path(struct buf *out, struct str path)
{
	escape_with(out, path, IN_PATH, one_percent);
}

void
escape_query(struct buf *out, struct str query)
{
	escape_with(out, query, IN_QUERY, one_percent);
}

void
escape_html(struct buf *out, struct str text)
{
	escape_with(out, text, IN_HTML, one_html);
}

void
escape_json(struct buf *out, struct str text)
{
	escape_with(out, text, IN_JSON, one_json);
}

void
escape_log(struct buf *out, struct str text)
{
	escape_with(out, text, IN_LOG, one_log);
}

static int
hex_value(char c)
{
	if (ascii_digit(c))
		return c - '0';
	c = ascii_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void
percent_decode(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		int high = -1, low = -1;

		if (text.ptr[i] == '%' && text.len - i > 2) {
			high = hex_value(text.ptr[i + 1]);
			low = hex_value(text.ptr[i + 2]);
		}
		if (high < 0 || low < 0) {
			buf_char(out, text.ptr[i]);
			continue;
		}
		buf_char(out, (char)(high << 4 | low));
		i += 2;
	}
}

size_t
utf8_next(struct str text, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead;
	uint32_t value;
	size_t len;

	if (text.len == 0)
		return 0;
	lead = (unsigned char)text.ptr[0];
	if (lead < 0x80) {
		*code = lead;
		return 1;
	}
	len = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	if (lead < 0xc0 || lead > 0xf4 || len > text.len)
		return 0;
	value = lead & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		unsigned char byte = (unsigned char)text.ptr[i];

		if ((byte & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (byte & 0x3f);
	}
	if (value < least[len] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*code = value;
	return len;
}

bool
utf8_valid(struct str text)
{
	while (text.len > 0) {
		uint32_t code;
		size_t len = utf8_next(text, &code);

		if (len == 0)
			return false;
		text = str_after(text, len);
	}
	return true;
}
