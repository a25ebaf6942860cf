#include "listing/json.h"

#include <stdio.h>

#include "suites.h"

Suite *json_suite(void);

#define TIME INT64_C(1700000000999999999) /* 2023-11-14T22:13:20.999999999Z */

static const struct {
	const char *name;
	struct entry entry;
	const char *want;
} entries[] = {
	{ "a", { .has_stat = true, .size = 12, .mtime = TIME },
	  "\"directories\":0,\"files\":1,\"bytes\":12,\"entries\":["
	  "{\"name\":\"a\",\"type\":\"file\",\"size\":12,\"mtime\":\"2023-11-14T22:13:20Z\",\"href\":\"a\"}" },
	{ "empty", { .has_stat = true, .mtime = 0 },
	  "\"directories\":0,\"files\":1,\"bytes\":0,\"entries\":["
	  "{\"name\":\"empty\",\"type\":\"file\",\"size\":0,\"mtime\":\"1970-01-01T00:00:00Z\","
	  "\"href\":\"empty\"}" },
	{ "old", { .has_stat = true, .size = 1, .mtime = -1 },
	  "\"directories\":0,\"files\":1,\"bytes\":1,\"entries\":["
	  "{\"name\":\"old\",\"type\":\"file\",\"size\":1,\"mtime\":\"1969-12-31T23:59:59Z\",\"href\":\"old\"}" },
	{ "huge", { .has_stat = true, .size = INT64_MAX, .mtime = TIME },
	  "\"directories\":0,\"files\":1,\"bytes\":9223372036854775807,\"entries\":["
	  "{\"name\":\"huge\",\"type\":\"file\",\"size\":9223372036854775807,\"mtime\":\"2023-11-14T22:13:20Z\","
	  "\"href\":\"huge\"}" },
	{ "x", { 0 },
	  "\"directories\":0,\"files\":1,\"bytes\":0,\"entries\":["
	  "{\"name\":\"x\",\"type\":\"file\",\"href\":\"x\"}" },
	{ "d e", { .kind = ENTRY_DIRECTORY, .is_link = true, .has_stat = true, .size = 4096, .mtime = TIME },
	  "\"directories\":1,\"files\":0,\"bytes\":0,\"entries\":["
	  "{\"name\":\"d e\",\"type\":\"directory\",\"link\":true,\"mtime\":\"2023-11-14T22:13:20Z\","
	  "\"href\":\"d%20e/\"}" },
	{ "f", { .kind = ENTRY_SPECIAL, .has_stat = true, .mtime = TIME },
	  "\"directories\":0,\"files\":1,\"bytes\":0,\"entries\":["
	  "{\"name\":\"f\",\"type\":\"special\",\"mtime\":\"2023-11-14T22:13:20Z\"}" },
	{ "l", { .kind = ENTRY_BROKEN, .is_link = true },
	  "\"directories\":0,\"files\":1,\"bytes\":0,\"entries\":["
	  "{\"name\":\"l\",\"type\":\"broken\",\"link\":true}" },
	{ "u", { .kind = ENTRY_UNREADABLE },
	  "\"directories\":0,\"files\":1,\"bytes\":0,\"entries\":["
	  "{\"name\":\"u\",\"type\":\"unreadable\"}" },
	{ "\"\\\xe9", { 0 },
	  "\"directories\":0,\"files\":1,\"bytes\":0,\"entries\":["
	  "{\"name\":\"\\\"\\\\\xef\xbf\xbd\",\"type\":\"file\",\"href\":\"%22%5C%E9\"}" },
};

static void
check_json(const struct listing *listing, const char *url, const char *want)
{
	static const struct view view = { .format = FORMAT_JSON };
	struct page page = { .url = str_from(url), .mount = STR("/"), .view = &view };
	struct buf out;

	page_set_window(&page, listing->count, 0);
	buf_init(&out, 4096);
	json_render(&out, &page, listing);
	ck_assert_str_is(buf_view(&out), want);
	buf_release(&out);
}

START_TEST(test_entry)
{
	struct listing listing;
	struct entry *entry, row = entries[_i].entry;
	char want[512];

	listing_init(&listing);
	entry = listing_add(&listing, str_from(entries[_i].name));
	ck_assert_ptr_nonnull(entry);
	row.name = entry->name;
	row.name_len = entry->name_len;
	*entry = row;
	snprintf(want, sizeof(want), "{\"path\":\"/\",%s]}\n", entries[_i].want);
	check_json(&listing, "/", want);
	listing_release(&listing);
}
END_TEST

START_TEST(test_empty)
{
	struct listing listing;

	listing_init(&listing);
	check_json(&listing, "/a \"b\"/",
	    "{\"path\":\"/a \\\"b\\\"/\",\"directories\":0,\"files\":0,\"bytes\":0,\"entries\":[]}\n");
	listing_release(&listing);
}
END_TEST

START_TEST(test_order_is_kept)
{
	struct listing listing;

	listing_init(&listing);
	listing_add(&listing, S("b"));
	listing_add(&listing, S("a"));
	check_json(&listing, "/",
	    "{\"path\":\"/\",\"directories\":0,\"files\":2,\"bytes\":0,\"entries\":["
	    "{\"name\":\"b\",\"type\":\"file\",\"href\":\"b\"},"
	    "{\"name\":\"a\",\"type\":\"file\",\"href\":\"a\"}]}\n");
	listing_release(&listing);
}
END_TEST

static const struct {
	struct view view;
	const char *want;
} rows_shown[] = {
	{ { SORT_NAME, false, FORMAT_JSON, 0 }, "[{\"name\":\"a\",\"type\":\"file\",\"href\":\"a\"},"
						"{\"name\":\"b\",\"type\":\"file\",\"href\":\"b\"},"
						"{\"name\":\"c\",\"type\":\"file\",\"href\":\"c\"}]}\n" },
	{ { SORT_NAME, true, FORMAT_JSON, 0 }, "[{\"name\":\"c\",\"type\":\"file\",\"href\":\"c\"},"
					       "{\"name\":\"b\",\"type\":\"file\",\"href\":\"b\"},"
					       "{\"name\":\"a\",\"type\":\"file\",\"href\":\"a\"}]}\n" },
	/* One page of many, should anybody want that: the comma stands between rows, the counts are the folder's. */
	{ { SORT_NAME, false, FORMAT_JSON, 2 }, "[{\"name\":\"c\",\"type\":\"file\",\"href\":\"c\"}]}\n" },
};

START_TEST(test_rows)
{
	struct page page = { .url = STR("/"), .mount = STR("/"), .view = &rows_shown[_i].view };
	struct rows rows = { 0 };
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	buf_init(&out, 4096);
	listing_add(&listing, S("b"));
	listing_add(&listing, S("c"));
	listing_add(&listing, S("a"));
	page_set_window(&page, listing.count, 2);
	ck_assert(rows_sort(&rows, &listing, page.view, page.first, page.shown));
	page.rows = &rows;
	json_render(&out, &page, &listing);
	ck_assert(str_starts(buf_view(&out),
	    S("{\"path\":\"/\",\"directories\":0,\"files\":3,\"bytes\":0,\"entries\":[")));
	ck_assert(str_ends(buf_view(&out), str_from(rows_shown[_i].want)));
	buf_release(&out);
	rows_release(&rows);
	listing_release(&listing);
}
END_TEST

Suite *
json_suite(void)
{
	Suite *suite = suite_create("json");

	suite_add_rows(suite, test_entry, entries);
	suite_add_test(suite, test_empty);
	suite_add_test(suite, test_order_is_kept);
	suite_add_rows(suite, test_rows, rows_shown);
	return suite;
}
