#include "http/etag.h"

#include "suites.h"

Suite *etag_suite(void);

static const struct {
	int64_t mtime, size;
	const char *strong, *weak, *nginx;
} files[] = {
	{ 0, 0, "\"0-0\"", "W/\"0-0\"", "\"0-0\"" },
	{ 255, 16, "\"ff-10\"", "W/\"ff-10\"", "\"0-10\"" },
	/* 1700000000 is 0x6553f100, 5 GiB is 0x140000000. */
	{ INT64_C(1700000000000000000), INT64_C(5368709120), "\"17979cfe362a0000-140000000\"",
	    "W/\"17979cfe362a0000-140000000\"", "\"6553f100-140000000\"" },
	{ INT64_C(1700000000999999999), 1, "\"17979cfe71c4c9ff-1\"", "W/\"17979cfe71c4c9ff-1\"",
	    "\"6553f100-1\"" },
	{ -1, 1, "\"ffffffffffffffff-1\"", "W/\"ffffffffffffffff-1\"", "\"ffffffffffffffff-1\"" },
};

START_TEST(format)
{
	struct buf out;

	buf_init(&out, ETAG_MAX);
	etag_format(&out, files[_i].mtime, files[_i].size, false);
	ck_assert_str_is(buf_view(&out), files[_i].strong);
	buf_reset(&out);
	etag_format(&out, files[_i].mtime, files[_i].size, true);
	ck_assert_str_is(buf_view(&out), files[_i].weak);
	buf_reset(&out);
	etag_format_nginx(&out, files[_i].mtime, files[_i].size);
	ck_assert_str_is(buf_view(&out), files[_i].nginx);
	buf_release(&out);
}
END_TEST

START_TEST(the_longest_fits)
{
	struct buf out;

	buf_init(&out, ETAG_MAX);
	etag_format(&out, -1, -1, true);
	ck_assert(!buf_failed(&out));
	buf_release(&out);
}
END_TEST

#define SECOND INT64_C(1000000000)

static const struct {
	int64_t mtime, received;
	bool unsettled;
} ages[] = {
	{ 100 * SECOND, 100 * SECOND, true },
	{ 100 * SECOND, 101 * SECOND, true },
	{ 100 * SECOND, 102 * SECOND, true },
	{ 100 * SECOND, 102 * SECOND + 1, false },
	{ 100 * SECOND, 99 * SECOND, true }, /* in the future */
	{ INT64_MAX, 0, true },
	{ INT64_MIN, INT64_MAX, false },
	{ INT64_MIN, INT64_MIN, true },
	{ -SECOND, SECOND, true },
	{ -2 * SECOND, SECOND, false },
};

START_TEST(unsettled)
{
	ck_assert(etag_is_unsettled(ages[_i].mtime, ages[_i].received) == ages[_i].unsettled);
}
END_TEST

/* What a list says about the own tag "a-1", and about W/"a-1"; the alias is "b-1". */
static const struct {
	struct str list;
	bool weakly;          /* with either own tag */
	bool strongly;        /* with the strong one */
	bool strongly_if_weak;/* with the weak one */
} lists[] = {
	{ STR("\"a-1\""), true, true, false },
	{ STR("  \"a-1\"\t"), true, true, false },
	{ STR("W/\"a-1\""), true, false, false },
	{ STR("*"), true, true, true },
	{ STR(" * "), true, true, true },
	{ STR("\"x\", \"a-1\""), true, true, false },
	{ STR("\"x\",W/\"a-1\",\"y\""), true, false, false },
	{ STR("W/\"a-1\", \"a-1\""), true, true, false },
	{ STR(",, ,\"a-1\",,"), true, true, false },
	{ STR("\"b-1\""), true, true, false },
	{ STR("W/\"b-1\""), true, false, false },
	/* A comma may stand in a tag. */
	{ STR("\"x,y\",\"a-1\""), true, true, false },
	{ STR("\"x,\"a-1\""), false, false, false },
	/* Members that are no tags. */
	{ STR("garbage, \"a-1\""), true, true, false },
	{ STR("W/x, \"a-1\""), true, true, false },
	{ STR("\"x y\", \"a-1\""), true, true, false },
	{ STR("\"x\"y, \"a-1\""), true, true, false },
	{ STR("*, \"x\""), false, false, false },
	{ STR("\"*\""), false, false, false },
	{ STR("w/\"a-1\""), false, false, false },
	{ STR("W/ \"a-1\""), false, false, false },
	{ STR("a-1"), false, false, false },
	{ STR("\"a-1"), false, false, false },
	{ STR("a-1\""), false, false, false },
	{ STR("\"a-1\"\"x\""), false, false, false },
	{ STR("\"a-1\" \"x\""), false, false, false },
	{ STR("\""), false, false, false },
	{ STR("\"\""), false, false, false },
	{ STR(""), false, false, false },
	{ { NULL, 0 }, false, false, false },
	{ STR("\"A-1\""), false, false, false },
	{ STR("\"a-10\""), false, false, false },
	{ STR("\"a-\""), false, false, false },
	/* What a front's compression adds: other bytes, so never strongly. */
	{ STR("\"a-1-gzip\""), true, false, false },
	{ STR("W/\"a-1-gzip\""), true, false, false },
	{ STR("\"a-1-br\""), true, false, false },
	{ STR("\"a-1-zstd\""), true, false, false },
	{ STR("\"a-1-deflate\""), true, false, false },
	{ STR("\"a-1;gzip\""), true, false, false },
	{ STR("\"a-1;br\""), true, false, false },
	{ STR("\"b-1-gzip\""), true, false, false },
	{ STR("\"a-1\"-gzip"), false, false, false },
	{ STR("\"a-1-gzip-gzip\""), false, false, false },
	{ STR("\"a-1-lzma\""), false, false, false },
	{ STR("\"a-1-\""), false, false, false },
	{ STR("\"-gzip\""), false, false, false },
	{ STR("\"a-2-gzip\""), false, false, false },
};

START_TEST(list_has)
{
	struct str strong = STR("\"a-1\""), weak = STR("W/\"a-1\""), alias = STR("\"b-1\"");
	struct str list = lists[_i].list;

	ck_assert(etag_list_has(list, strong, alias, ETAG_WEAK) == lists[_i].weakly);
	ck_assert(etag_list_has(list, weak, alias, ETAG_WEAK) == lists[_i].weakly);
	ck_assert(etag_list_has(list, strong, alias, ETAG_STRONG) == lists[_i].strongly);
	ck_assert(etag_list_has(list, weak, alias, ETAG_STRONG) == lists[_i].strongly_if_weak);
}
END_TEST

START_TEST(without_own_tag_only_a_star_matches)
{
	struct str none = STR("");

	ck_assert(etag_list_has(S("*"), none, none, ETAG_STRONG));
	ck_assert(!etag_list_has(S("\"\""), none, none, ETAG_WEAK));
	ck_assert(!etag_list_has(S("\"-gzip\""), none, none, ETAG_WEAK));
	ck_assert(!etag_list_has(S("\"a\""), (struct str){ NULL, 0 }, (struct str){ NULL, 0 }, ETAG_WEAK));
}
END_TEST

/* If-Range: one tag, nothing else. */
static const struct {
	struct str tag;
	bool same;
} singles[] = {
	{ STR("\"a-1\""), true },
	{ STR(" \"a-1\" "), true },
	{ STR("\"b-1\""), true },
	{ STR("W/\"a-1\""), false },
	{ STR("\"a-1-gzip\""), false },
	{ STR("*"), false },
	{ STR("\"a-1\", \"x\""), false },
	{ STR("\"x\", \"a-1\""), false },
	{ STR("\"a-1\","), false },
	{ STR(""), false },
	{ STR("Sun, 06 Nov 1994 08:49:37 GMT"), false },
};

START_TEST(is_same)
{
	ck_assert(etag_is_same(singles[_i].tag, S("\"a-1\""), S("\"b-1\""), ETAG_STRONG) == singles[_i].same);
	ck_assert(!etag_is_same(singles[_i].tag, S("W/\"a-1\""), S("\"b-1\""), ETAG_STRONG));
}
END_TEST

Suite *
etag_suite(void)
{
	Suite *suite = suite_create("etag");

	suite_add_rows(suite, format, files);
	suite_add_test(suite, the_longest_fits);
	suite_add_rows(suite, unsettled, ages);
	suite_add_rows(suite, list_has, lists);
	suite_add_test(suite, without_own_tag_only_a_star_matches);
	suite_add_rows(suite, is_same, singles);
	return suite;
}
