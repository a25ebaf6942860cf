/* Media types by name: what browsers need, and what is no extension. */
#include "fs/filetype_table.h"

#include "suites.h"

Suite *filetype_suite(void);

#define TEXT(type) type "; charset=utf-8"

static const struct {
	const char *name, *media_type, *coding;
} names[] = {
	{ "index.html", TEXT("text/html"), "" },
	{ "INDEX.HTM", TEXT("text/html"), "" },
	{ "a.xhtml", "application/xhtml+xml", "" },
	{ "a.js", TEXT("text/javascript"), "" },
	{ "a.mjs", TEXT("text/javascript"), "" },
	{ "a.cjs", TEXT("text/javascript"), "" },
	{ "a.min.Js", TEXT("text/javascript"), "" },
	{ "a.css", TEXT("text/css"), "" },
	{ "a.css.map", "application/json", "" },
	{ "a.json", "application/json", "" },
	{ "a.webmanifest", "application/manifest+json", "" },
	{ "a.geojson", "application/geo+json", "" },
	{ "a.wasm", "application/wasm", "" },
	{ "a.xml", "application/xml", "" },
	{ "a.svg", "image/svg+xml", "" },
	{ "a.svgz", "image/svg+xml", "gzip" },
	{ "a.png", "image/png", "" },
	{ "a.jpg", "image/jpeg", "" },
	{ "a.JPEG", "image/jpeg", "" },
	{ "a.gif", "image/gif", "" },
	{ "a.avif", "image/avif", "" },
	{ "a.webp", "image/webp", "" },
	{ "a.jxl", "image/jxl", "" },
	{ "favicon.ico", "image/vnd.microsoft.icon", "" },
	{ "a.woff2", "font/woff2", "" },
	{ "a.woff", "font/woff", "" },
	{ "a.ttf", "font/ttf", "" },
	{ "a.otf", "font/otf", "" },
	{ "a.mp3", "audio/mpeg", "" },
	{ "a.m4a", "audio/mp4", "" },
	{ "a.ogg", "audio/ogg", "" },
	{ "a.wav", "audio/wav", "" },
	{ "a.mp4", "video/mp4", "" },
	{ "a.webm", "video/webm", "" },
	{ "a.vtt", TEXT("text/vtt"), "" },
	{ "a.pdf", "application/pdf", "" },
	{ "a.zip", "application/zip", "" },
	{ "a.gz", "application/gzip", "" },
	{ "a.tar.gz", "application/gzip", "" },
	{ "a.tgz", "application/gzip", "" },
	{ "a.js.gz", "application/gzip", "" },
	{ "a.bz2", "application/x-bzip2", "" },
	{ "a.xz", "application/x-xz", "" },
	{ "a.zst", "application/zstd", "" },
	{ "a.txt", TEXT("text/plain"), "" },
	{ "a.log", TEXT("text/plain"), "" },
	{ "a.conf", TEXT("text/plain"), "" },
	{ "a.ini", TEXT("text/plain"), "" },
	{ "a.md", TEXT("text/markdown"), "" },
	{ "a.csv", TEXT("text/csv"), "" },
	{ "a.yaml", "application/yaml", "" },
	{ "a.yml", "application/yaml", "" },
	{ "a.toml", "application/toml", "" },
	{ "a.py", TEXT("text/plain"), "" },
	{ "a.sh", TEXT("text/plain"), "" },
	{ "a.rs", TEXT("text/plain"), "" },
	{ "a.c++", TEXT("text/x-c++src"), "" },

	/* the content decides */
	{ "a.ts", "", "" },
	{ "a.bak", "", "" },
	{ "a.a", "", "" },
	{ "README", "", "" },
	{ "noext.", "", "" },
	{ ".", "", "" },
	{ "..", "", "" },
	{ "", "", "" },
	{ ".profile", "", "" },
	{ ".html", "", "" },
	{ "dir.html/README", "", "" },
	{ "/dir/.html", "", "" },
	{ ".a.html", TEXT("text/html"), "" },
	{ "..html", TEXT("text/html"), "" },
	{ "dir/a.html", TEXT("text/html"), "" },
	{ "a.unheard-of", "", "" },
	{ "a.html ", "", "" },
	{ "a.htmlx", "", "" },
	{ "a.htm\xc3", "", "" },
	{ "a.0123456789012345678901234567890", "", "" },
	{ "a.01234567890123456789012345678901234567890", "", "" },
};

START_TEST(by_name)
{
	struct filetype got = filetype_from_name(str_from(names[_i].name));

	ck_assert_str_is(got.media_type, names[_i].media_type);
	ck_assert_str_is(got.coding, names[_i].coding);
	ck_assert_ptr_nonnull(got.media_type.ptr);
	ck_assert_ptr_nonnull(got.coding.ptr);
}
END_TEST

START_TEST(table_in_order)
{
	ck_assert_uint_gt(filetype_row_count, 100);
	for (size_t i = 0; i < filetype_row_count; i++) {
		const struct filetype_row *row = &filetype_rows[i];

		ck_assert_uint_gt(row->extension.len, 0);
		ck_assert_uint_le(row->extension.len, 31);
		ck_assert(str_has(row->filetype.media_type, '/'));
		for (size_t j = 0; j < row->extension.len; j++)
			ck_assert_int_eq(row->extension.ptr[j], ascii_lower(row->extension.ptr[j]));
		ck_assert_int_eq(str_starts(row->filetype.media_type, S("text/"))
		    && !str_starts(row->filetype.media_type, S("text/xml")),
		    str_ends(row->filetype.media_type, S("; charset=utf-8")));
		if (i > 0)
			ck_assert_int_lt(str_compare(row[-1].extension, row->extension), 0);
	}
}
END_TEST

Suite *
filetype_suite(void)
{
	Suite *suite = suite_create("filetype");

	suite_add_rows(suite, by_name, names);
	suite_add_test(suite, table_in_order);
	return suite;
}
