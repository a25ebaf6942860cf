/* Escaping: twice a row of a page, and decoding once a request. */
#include "base/escape.h"

#include "micro.h"

static void
escape(void (*by)(struct buf *, struct str), struct str text, size_t times)
{
	struct buf out;

	buf_init(&out, 4096);
	for (size_t i = 0; i < times; i++) {
		buf_reset(&out);
		by(&out, text);
		micro_sink += out.len;
	}
	buf_release(&out);
}

static void path_plain(size_t n) { escape(escape_path, S("report-1234.tar.gz"), n); }
static void path_odd(size_t n) { escape(escape_path, S("100% b\xc3\xa4\xc3\xb6\xc3\xbc & more?.txt"), n); }
static void html_plain(size_t n) { escape(escape_html, S("report-1234.tar.gz"), n); }
static void html_odd(size_t n) { escape(escape_html, S("100% b\xc3\xa4\xc3\xb6\xc3\xbc & more?.txt"), n); }
static void json_plain(size_t n) { escape(escape_json, S("report-1234.tar.gz"), n); }
static void decode_plain(size_t n) { escape(percent_decode, S("/pub/photos/2024/IMG_0042.jpg"), n); }
static void decode_odd(size_t n) { escape(percent_decode, S("/b%C3%A4%C3%B6/100%25%20more%3F.txt"), n); }

static const struct micro table[] = {
	{ "path", 1, path_plain },
	{ "path-odd", 1, path_odd },
	{ "html", 1, html_plain },
	{ "html-odd", 1, html_odd },
	{ "json", 1, json_plain },
	{ "decode", 1, decode_plain },
	{ "decode-odd", 1, decode_odd },
};
MICRO_MAIN(table)
