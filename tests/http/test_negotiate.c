#include "http/negotiate.h"

#include "suites.h"

Suite *negotiate_suite(void);

static const struct {
	struct str accept, media_type;
	int quality;
	bool named;
} media[] = {
	{ { NULL, 0 }, STR("text/html"), 1000, false },
	{ STR(""), STR("text/html"), 1000, false },
	{ STR(" , ,"), STR("text/html"), 1000, false },
	{ STR("*/*"), STR("text/html"), 1000, false },
	{ STR("text/*"), STR("text/html"), 1000, false },
	{ STR("text/html"), STR("text/html"), 1000, true },
	{ STR("TEXT/Html"), STR("text/html"), 1000, true },
	{ STR("text/html"), STR("application/json"), 0, false },
	{ STR("text/htmlx"), STR("text/html"), 0, false },
	{ STR("xtext/html"), STR("text/html"), 0, false },
	{ STR("text/htm"), STR("text/html"), 0, false },
	{ STR("textx/*"), STR("text/html"), 0, false },
	{ STR("tex/*"), STR("text/html"), 0, false },
	{ STR("*/html"), STR("text/html"), 0, false },
	{ STR("application/xhtml+xml"), STR("text/html"), 0, false },
	/* RFC 9110 12.5.1, its own example; the most specific range counts. */
	{ STR("text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5"),
	    STR("text/plain"), 700, true },
	{ STR("text/*;q=0.3, text/plain;q=0.7, */*;q=0.5"), STR("text/html"), 300, false },
	{ STR("text/*;q=0.3, text/plain;q=0.7, */*;q=0.5"), STR("image/jpeg"), 500, false },
	{ STR("*/*, text/html;q=0"), STR("text/html"), 0, true },
	{ STR("text/html;q=0, */*"), STR("application/json"), 1000, false },
	{ STR("text/html;q=0.2, text/html;q=0.9"), STR("text/html"), 200, true },
	/* A browser, and Java's URL connection. */
	{ STR("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"),
	    STR("text/html"), 1000, true },
	{ STR("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"),
	    STR("application/json"), 800, false },
	{ STR("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"), STR("text/html"), 1000, true },
	{ STR("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"), STR("text/css"), 200, false },
	/* Quality values. */
	{ STR("text/html;q=0"), STR("text/html"), 0, true },
	{ STR("text/html;q=0.000"), STR("text/html"), 0, true },
	{ STR("text/html;q=0.001"), STR("text/html"), 1, true },
	{ STR("text/html;q=0.5"), STR("text/html"), 500, true },
	{ STR("text/html;q=0.25"), STR("text/html"), 250, true },
	{ STR("text/html;q=0.999"), STR("text/html"), 999, true },
	{ STR("text/html;q=0.3333333333333333"), STR("text/html"), 333, true },
	{ STR("text/html;q=1"), STR("text/html"), 1000, true },
	{ STR("text/html;q=1.000"), STR("text/html"), 1000, true },
	{ STR("text/html;q=0."), STR("text/html"), 0, true },
	{ STR("text/html;Q=0.5"), STR("text/html"), 500, true },
	{ STR("text/html ;\tq=0.5 "), STR("text/html"), 500, true },
	{ STR("text/html;q=0.5;ext=1"), STR("text/html"), 500, true },
	/* No quality values: that member is skipped, the others count. */
	{ STR("text/html;q=2, */*;q=0.1"), STR("text/html"), 100, false },
	{ STR("text/html;q=1.1, */*;q=0.1"), STR("text/html"), 100, false },
	{ STR("text/html;q=-1, */*;q=0.1"), STR("text/html"), 100, false },
	{ STR("text/html;q=, */*;q=0.1"), STR("text/html"), 100, false },
	{ STR("text/html;q=., */*;q=0.1"), STR("text/html"), 100, false },
	{ STR("text/html;q=0.5.5, */*;q=0.1"), STR("text/html"), 100, false },
	{ STR("text/html;q=high, */*;q=0.1"), STR("text/html"), 100, false },
	{ STR("text/html;q=0,5, */*;q=0.1"), STR("text/html"), 0, true },
	/* Other parameters are another type, but for what all our text is. */
	{ STR("text/html;level=1"), STR("text/html"), 0, false },
	{ STR("text/html;level=1, */*;q=0.1"), STR("text/html"), 100, false },
	{ STR("application/json; charset=utf-8"), STR("application/json"), 1000, true },
	{ STR("application/json;charset=\"UTF-8\";q=0.4"), STR("application/json"), 400, true },
	{ STR("application/json;charset=utf-16"), STR("application/json"), 0, false },
	{ STR("text/html;"), STR("text/html"), 1000, true },
	{ STR("text/html;x=\"a,text/css;q=0\\\",\", text/css;q=0.3"), STR("text/css"), 300, true },
	/* Nothing in it that names a type. */
	{ STR("gibberish"), STR("text/html"), 1000, false },
	{ STR(";q=0.5"), STR("text/html"), 1000, false },
};

START_TEST(media_type)
{
	bool named = !media[_i].named;

	ck_assert_int_eq(negotiate_media(media[_i].accept, media[_i].media_type, &named), media[_i].quality);
	ck_assert(named == media[_i].named);
	ck_assert_int_eq(negotiate_media(media[_i].accept, media[_i].media_type, NULL), media[_i].quality);
}
END_TEST

static const struct {
	struct str accept_encoding;
	int gzip, br, identity;
} codings[] = {
	{ { NULL, 0 }, 0, 0, 1000 },
	{ STR(""), 0, 0, 1 },
	{ STR("gzip"), 1000, 0, 1 },
	{ STR("GZIP"), 1000, 0, 1 },
	{ STR("x-gzip"), 1000, 0, 1 },
	{ STR("X-GZip;q=0.5"), 500, 0, 1 },
	{ STR("gzip, deflate, br, zstd"), 1000, 1000, 1 },
	{ STR("gzip;q=0.001"), 1, 0, 1 },
	{ STR("br;q=1.0, gzip;q=0.8, *;q=0.1"), 800, 1000, 100 },
	{ STR("gzip;q=0"), 0, 0, 1 },
	{ STR("gzip;q=0.000, br"), 0, 1000, 1 },
	{ STR("gzipx"), 0, 0, 1 },
	{ STR("xgzip"), 0, 0, 1 },
	{ STR("gzip-x"), 0, 0, 1 },
	{ STR("brotli"), 0, 0, 1 },
	{ STR("identity"), 0, 0, 1000 },
	{ STR("identity;q=0.5, gzip;q=0.2"), 200, 0, 500 },
	{ STR("identity;q=0"), 0, 0, 0 },
	{ STR("identity;q=0, gzip"), 1000, 0, 0 },
	{ STR("*"), 1000, 1000, 1000 },
	{ STR("*;q=0"), 0, 0, 0 },
	{ STR("*;q=0, gzip"), 1000, 0, 0 },
	{ STR("*;q=0, identity;q=0.3"), 0, 0, 300 },
	{ STR("identity;q=1, *;q=0"), 0, 0, 1000 }, /* a browser's media request */
	{ STR("gzip;q=0, *"), 0, 1000, 1000 },
	{ STR("gzip;q=nonsense, br;q=0.5"), 0, 500, 1 },
	{ STR(" ,gzip ,\tbr ; q=0.5,"), 1000, 500, 1 },
};

START_TEST(coding)
{
	ck_assert_int_eq(negotiate_coding(codings[_i].accept_encoding, S("gzip")), codings[_i].gzip);
	ck_assert_int_eq(negotiate_coding(codings[_i].accept_encoding, S("br")), codings[_i].br);
	ck_assert_int_eq(negotiate_coding(codings[_i].accept_encoding, S("identity")), codings[_i].identity);
}
END_TEST

Suite *
negotiate_suite(void)
{
	Suite *suite = suite_create("negotiate");

	suite_add_rows(suite, media_type, media);
	suite_add_rows(suite, coding, codings);
	return suite;
}
