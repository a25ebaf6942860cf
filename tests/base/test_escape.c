#include "base/escape.h"

#include "suites.h"

Suite *escape_suite(void);

#define GONE "\xef\xbf\xbd" /* U+FFFD */

static void
check_text(void (*escape)(struct buf *, struct str), struct str text, const char *want)
{
	struct buf out;

	buf_init(&out, 10000);
	escape(&out, text);
	ck_assert(!buf_failed(&out));
	ck_assert_str_is(buf_view(&out), want);
	buf_release(&out);
}

struct row {
	struct str text;
	const char *want;
};

static const struct row paths[] = {
	{ STR(""), "" },
	{ STR("/a/B9-._~"), "/a/B9-._~" },
	{ STR("a b"), "a%20b" },
	{ STR("a?b"), "a%3Fb" },
	{ STR("50%"), "50%25" },
	{ STR("%41"), "%2541" },
	{ STR("#x"), "%23x" },
	{ STR("\"q\""), "%22q%22" },
	{ STR("<b>"), "%3Cb%3E" },
	{ STR("a:b"), "a%3Ab" },
	{ STR("a+b&c"), "a%2Bb%26c" },
	{ STR("it's"), "it%27s" },
	{ STR("a\\b"), "a%5Cb" },
	{ STR("\n\r\0\x7f"), "%0A%0D%00%7F" },
	{ STR("\xc3\xbc"), "%C3%BC" },
	{ STR("\xff"), "%FF" },
	{ STR("!$()*,;=@[]^`{|}"), "%21%24%28%29%2A%2C%3B%3D%40%5B%5D%5E%60%7B%7C%7D" },
};

START_TEST(path)
{
	check_text(escape_path, paths[_i].text, paths[_i].want);
}
END_TEST

static const struct row queries[] = {
	{ STR("x=1&y=%20"), "x=1&y=%20" },
	{ STR("a+b/c?d:e@f!$()*,;"), "a+b/c?d:e@f!$()*,;" },
	{ STR("a[]=1"), "a[]=1" },
	{ STR("100%"), "100%" },
	{ STR("a b"), "a%20b" },
	{ STR("\"'<>"), "%22%27%3C%3E" },
	{ STR("\r\nX: y"), "%0D%0AX:%20y" },
	{ STR("\xc3\xbc\0"), "%C3%BC%00" },
	{ STR("#"), "%23" },
};

START_TEST(query)
{
	check_text(escape_query, queries[_i].text, queries[_i].want);
}
END_TEST

static const struct row html_texts[] = {
	{ STR(""), "" },
	{ STR("plain text.txt"), "plain text.txt" },
	{ STR("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;" },
	{ STR("&amp;"), "&amp;amp;" },
	{ STR("a\\b`c"), "a\\b`c" },
	{ STR("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f" },
	{ STR("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80" },
	{ STR("\0"), "\xe2\x90\x80" },
	{ STR("a\nb\tc"), "a\xe2\x90\x8a" "b\xe2\x90\x89" "c" },
	{ STR("\x1b[31m"), "\xe2\x90\x9b[31m" },
	{ STR("\x1f"), "\xe2\x90\x9f" },
	{ STR("\x7f"), "\xe2\x90\xa1" },
	{ STR("\xc2\x80"), GONE },                     /* U+0080 */
	{ STR("\xc2\x85"), GONE },                     /* U+0085, next line */
	{ STR("\xc2\x9f"), GONE },                     /* U+009F */
	{ STR("\xc2\xa0"), "\xc2\xa0" },               /* U+00A0 is a blank */
	{ STR("a\xc2\xad" "b"), "a" GONE "b" },        /* U+00AD */
	{ STR("\xcd\x8f"), GONE },                     /* U+034F */
	{ STR("\xd8\x9c"), GONE },                     /* U+061C */
	{ STR("\xe1\x85\x9f\xe1\x85\xa0"), GONE GONE },/* U+115F, U+1160 */
	{ STR("\xe1\x9e\xb4\xe1\x9e\xb5"), GONE GONE },/* U+17B4, U+17B5 */
	{ STR("\xe1\xa0\x8e"), GONE },                 /* U+180E */
	{ STR("\xe2\x80\x8b"), GONE },                 /* U+200B */
	{ STR("\xe2\x80\x8c\xe2\x80\x8d"), "\xe2\x80\x8c\xe2\x80\x8d" }, /* ZWNJ, ZWJ stay */
	{ STR("\xe2\x80\x8e\xe2\x80\x8f"), GONE GONE },/* U+200E, U+200F */
	{ STR("\xe2\x80\xa8\xe2\x80\xa9"), GONE GONE },/* U+2028, U+2029 */
	{ STR("exe.\xe2\x80\xae" "gpj"), "exe." GONE "gpj" },  /* U+202E */
	{ STR("\xe2\x80\xaf"), "\xe2\x80\xaf" },       /* U+202F is a blank */
	{ STR("\xe2\x81\xa0\xe2\x81\xa6\xe2\x81\xaf"), GONE GONE GONE }, /* U+2060, U+2066, U+206F */
	{ STR("\xe3\x85\xa4"), GONE },                 /* U+3164 */
	{ STR("\xef\xbb\xbf"), GONE },                 /* U+FEFF */
	{ STR("\xef\xb8\x8f"), "\xef\xb8\x8f" },       /* U+FE0F, emoji selector, stays */
	{ STR("\xef\xbe\xa0"), GONE },                 /* U+FFA0 */
	{ STR("\xef\xbf\xb9\xef\xbf\xbb"), GONE GONE },/* U+FFF9, U+FFFB */
	{ STR("\xef\xbf\xbc"), "\xef\xbf\xbc" },       /* U+FFFC */
	{ STR("\xf3\xa0\x81\xa1"), GONE },             /* U+E0061 */
	{ STR("\xf3\xa0\x84\x80"), "\xf3\xa0\x84\x80" }, /* U+E0100, ideographic selector, stays */
	{ STR("\xff<"), GONE "&lt;" },
	{ STR("\xc3"), GONE },
	{ STR("\xe2\x82<"), GONE GONE "&lt;" },        /* a cut sequence never swallows the next byte */
	{ STR("\xc0\xbc"), GONE GONE },                /* an overlong '<' */
};

START_TEST(html)
{
	check_text(escape_html, html_texts[_i].text, html_texts[_i].want);
}
END_TEST

static const struct row json_texts[] = {
	{ STR("plain 'text'/"), "plain 'text'/" },
	{ STR("\"\\"), "\\\"\\\\" },
	{ STR("\n\t\0\x1f\x7f"), "\\u000a\\u0009\\u0000\\u001f\\u007f" },
	{ STR("</script>&"), "\\u003c/script\\u003e\\u0026" },
	{ STR("\xe2\x80\xa8\xe2\x80\xa9"), "\\u2028\\u2029" },
	{ STR("\xc2\x85"), "\\u0085" },
	{ STR("\xc3\xbc\xf0\x9f\x98\x80"), "\xc3\xbc\xf0\x9f\x98\x80" },
	{ STR("a\xff" "b"), "a" GONE "b" },
	{ STR("\xed\xa0\x80"), GONE GONE GONE }, /* a surrogate */
	{ STR("\xef\xbb\xbf"), "\xef\xbb\xbf" },
};

START_TEST(json)
{
	check_text(escape_json, json_texts[_i].text, json_texts[_i].want);
}
END_TEST

static const struct row log_texts[] = {
	{ STR("GET /a%20b?x=\"y\" <&>"), "GET /a%20b?x=\"y\" <&>" },
	{ STR("a\r\nb\\n"), "a\\x0d\\x0ab\\\\n" },
	{ STR("\0\x1b\x7f\xff\xc3\xbc"), "\\x00\\x1b\\x7f\\xff\\xc3\\xbc" },
};

START_TEST(log_line)
{
	check_text(escape_log, log_texts[_i].text, log_texts[_i].want);
}
END_TEST

static const struct {
	struct str text, want;
} encoded[] = {
	{ STR(""), STR("") },
	{ STR("/a%20b"), STR("/a b") },
	{ STR("%2520"), STR("%20") }, /* once */
	{ STR("a+b"), STR("a+b") },
	{ STR("%41%4a%4A"), STR("AJJ") },
	{ STR("%00"), STR("\0") },
	{ STR("%fF"), STR("\xff") },
	{ STR("/a%"), STR("/a%") },
	{ STR("/a%f"), STR("/a%f") },
	{ STR("/a%+1"), STR("/a%+1") },
	{ STR("/a% 1"), STR("/a% 1") },
	{ STR("%%41"), STR("%A") },
	{ STR("%4%41"), STR("%4A") },
	{ STR("%g1%1g%:0%0:%@1%`1"), STR("%g1%1g%:0%0:%@1%`1") },
};

START_TEST(decode)
{
	struct buf out;

	buf_init(&out, 1000);
	percent_decode(&out, encoded[_i].text);
	ck_assert_msg(str_eq(buf_view(&out), encoded[_i].want), "got \"%.*s\"", STR_ARGS(buf_view(&out)));
	buf_release(&out);
}
END_TEST

START_TEST(every_byte_round_trips)
{
	char byte = (char)_i;
	struct buf out, back;

	buf_init(&out, 100);
	buf_init(&back, 100);
	escape_path(&out, (struct str){ &byte, 1 });
	percent_decode(&back, buf_view(&out));
	ck_assert(str_eq(buf_view(&back), (struct str){ &byte, 1 }));
	buf_release(&out);
	buf_release(&back);
}
END_TEST

static const struct {
	struct str text;
	size_t len;
	uint32_t code;
} sequences[] = {
	{ STR(""), 0, 0 },
	{ STR("\0"), 1, 0 },
	{ STR("ab"), 1, 'a' },
	{ STR("\x7f"), 1, 0x7f },
	{ STR("\x80"), 0, 0 },
	{ STR("\xbf"), 0, 0 },
	{ STR("\xc1\xbf"), 0, 0 },
	{ STR("\xc2\x80z"), 2, 0x80 },
	{ STR("\xdf\xbf"), 2, 0x7ff },
	{ STR("\xe0\x9f\xbf"), 0, 0 },
	{ STR("\xe0\xa0\x80"), 3, 0x800 },
	{ STR("\xed\x9f\xbf"), 3, 0xd7ff },
	{ STR("\xed\xa0\x80"), 0, 0 },
	{ STR("\xed\xbf\xbf"), 0, 0 },
	{ STR("\xee\x80\x80"), 3, 0xe000 },
	{ STR("\xef\xbf\xbf"), 3, 0xffff },
	{ STR("\xf0\x8f\xbf\xbf"), 0, 0 },
	{ STR("\xf0\x90\x80\x80"), 4, 0x10000 },
	{ STR("\xf4\x8f\xbf\xbf"), 4, 0x10ffff },
	{ STR("\xf4\x90\x80\x80"), 0, 0 },
	{ STR("\xf5\x80\x80\x80"), 0, 0 },
	{ STR("\xff"), 0, 0 },
	{ STR("\xc3"), 0, 0 },
	{ STR("\xc3z"), 0, 0 },
	{ STR("\xe2\x82"), 0, 0 },
	{ STR("\xf0\x9f\x98"), 0, 0 },
	{ STR("\xf0\x9f\x98z"), 0, 0 },
};

START_TEST(utf8)
{
	uint32_t code = 0;

	ck_assert_uint_eq(utf8_next(sequences[_i].text, &code), sequences[_i].len);
	if (sequences[_i].len > 0)
		ck_assert_uint_eq(code, sequences[_i].code);
}
END_TEST

START_TEST(utf8_whole)
{
	ck_assert(utf8_valid(S("")));
	ck_assert(utf8_valid(S("a\0gr\xc3\xbc\xc3\x9f\xf0\x9f\x98\x80")));
	ck_assert(!utf8_valid(S("gr\xfc")));
	ck_assert(!utf8_valid(S("\xc3\xbc\xc3")));
}
END_TEST

Suite *
escape_suite(void)
{
	Suite *suite = suite_create("escape");
	TCase *bytes = tcase_create("every_byte_round_trips");

	suite_add_rows(suite, path, paths);
	suite_add_rows(suite, query, queries);
	suite_add_rows(suite, html, html_texts);
	suite_add_rows(suite, json, json_texts);
	suite_add_rows(suite, log_line, log_texts);
	suite_add_rows(suite, decode, encoded);
	tcase_add_loop_test(bytes, every_byte_round_trips, 0, 256);
	suite_add_tcase(suite, bytes);
	suite_add_rows(suite, utf8, sequences);
	suite_add_test(suite, utf8_whole);
	return suite;
}
