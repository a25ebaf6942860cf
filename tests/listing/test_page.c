/* What a page shows of a listing: its window, its entries, their links and their sum. */
#include "listing/page.h"

#include "listing/entries.h"
#include "suites.h"

Suite *page_suite(void);

static const struct {
	size_t count, size, page;
	size_t first, shown, number, pages;
} windows[] = {
	{ 0, 100, 1, 0, 0, 1, 1 },
	{ 0, 100, 7, 0, 0, 1, 1 },
	{ 0, 0, 1, 0, 0, 1, 1 },
	{ 1, 1, 1, 0, 1, 1, 1 },
	{ 99, 100, 1, 0, 99, 1, 1 },
	{ 100, 100, 1, 0, 100, 1, 1 },
	{ 100, 100, 2, 0, 100, 1, 1 },
	{ 101, 100, 1, 0, 100, 1, 2 },
	{ 101, 100, 2, 100, 1, 2, 2 },
	{ 250, 100, 2, 100, 100, 2, 3 },
	{ 250, 100, 3, 200, 50, 3, 3 },
	{ 300, 100, 3, 200, 100, 3, 3 },
	{ 3, 1, 2, 1, 1, 2, 3 },
	/* Beyond the end: the last one. */
	{ 101, 100, 3, 100, 1, 2, 2 },
	{ 300, 100, 4, 200, 100, 3, 3 },
	{ 250, 100, SIZE_MAX, 200, 50, 3, 3 },
	/* No pages wanted, or none made. */
	{ 250, 100, 0, 0, 250, 1, 1 },
	{ 250, 0, 2, 0, 250, 1, 1 },
	{ 250, SIZE_MAX, 2, 0, 250, 1, 1 },
	/* No sum runs over. */
	{ SIZE_MAX, SIZE_MAX - 1, 2, SIZE_MAX - 1, 1, 2, 2 },
	{ SIZE_MAX, 10, SIZE_MAX, SIZE_MAX / 10 * 10, SIZE_MAX % 10, SIZE_MAX / 10 + 1, SIZE_MAX / 10 + 1 },
};

START_TEST(test_window)
{
	const struct view view = { .page = windows[_i].page };
	const struct rows rows = { 0 };
	/* What it was before does not count. */
	struct page page = { STR("/p/q/"), STR("/p/"), &view, &rows, 5, 6, 7, 8 };

	page_set_window(&page, windows[_i].count, windows[_i].size);
	ck_assert_uint_eq(page.first, windows[_i].first);
	ck_assert_uint_eq(page.shown, windows[_i].shown);
	ck_assert_uint_eq(page.number, windows[_i].number);
	ck_assert_uint_eq(page.pages, windows[_i].pages);
	ck_assert_str_is(page.url, "/p/q/");
	ck_assert_str_is(page.mount, "/p/");
	ck_assert_ptr_eq(page.view, &view);
	ck_assert_ptr_eq(page.rows, &rows);
}
END_TEST

static const struct {
	size_t page;
	bool has_rows, descending;
	const char *shown; /* of a listing of c, D/, b, E/, a */
} shows[] = {
	{ 1, false, false, "c D " },
	{ 2, false, false, "b E " },
	{ 3, false, true, "a " },
	{ 0, false, true, "c D b E a " },
	{ 1, true, false, "D E " },
	{ 2, true, false, "a b " },
	{ 3, true, false, "c " },
	{ 1, true, true, "E D " },
	{ 2, true, true, "c b " },
	{ 3, true, true, "a " },
	{ 0, true, true, "E D c b a " },
};

START_TEST(test_entry)
{
	const struct view view = { SORT_NAME, shows[_i].descending, FORMAT_HTML, shows[_i].page };
	struct page page = { .view = &view };
	struct rows rows = { 0 };
	struct listing listing;
	struct buf got;

	listing_init(&listing);
	buf_init(&got, 256);
	add_entry(&listing, "c", ENTRY_FILE, 0);
	add_entry(&listing, "D", ENTRY_DIRECTORY, 0);
	add_entry(&listing, "b", ENTRY_FILE, 0);
	add_entry(&listing, "E", ENTRY_DIRECTORY, 0);
	add_entry(&listing, "a", ENTRY_FILE, 0);
	page_set_window(&page, listing.count, 2);
	if (shows[_i].has_rows) {
		ck_assert(rows_sort(&rows, &listing, &view, page.first, page.shown));
		page.rows = &rows;
	}
	for (size_t at = 0; at < page.shown; at++) {
		buf_str(&got, listing_name(&listing, page_entry(&page, &listing, at)));
		buf_char(&got, ' ');
	}
	ck_assert_str_is(buf_view(&got), shows[_i].shown);
	buf_release(&got);
	rows_release(&rows);
	listing_release(&listing);
}
END_TEST

static const struct {
	enum entry_kind kind;
	bool has_stat;
	bool known;
} knowns[] = {
	{ ENTRY_FILE, true, true },
	{ ENTRY_FILE, false, false },
	{ ENTRY_UNREADABLE, false, false },
	{ ENTRY_UNREADABLE, true, false },
	/* These have no size that could be missed. */
	{ ENTRY_DIRECTORY, false, true },
	{ ENTRY_SPECIAL, false, true },
	{ ENTRY_BROKEN, false, true },
};

START_TEST(test_sizes_are_known)
{
	struct listing listing;

	listing_init(&listing);
	ck_assert(listing_sizes_are_known(&listing));
	add_entry(&listing, "known", ENTRY_FILE, 1);
	add_entry(&listing, "x", knowns[_i].kind, 1)->has_stat = knowns[_i].has_stat;
	ck_assert_int_eq(listing_sizes_are_known(&listing), knowns[_i].known);
	listing_release(&listing);
}
END_TEST

START_TEST(test_totals)
{
	struct listing listing;
	struct totals totals;

	listing_init(&listing);
	totals = listing_totals(&listing);
	ck_assert_uint_eq(totals.directories + totals.files, 0);
	ck_assert_int_eq(totals.bytes, 0);
	add_entry(&listing, "d", ENTRY_DIRECTORY, 4096);
	add_entry(&listing, "a", ENTRY_FILE, 5);
	add_entry(&listing, "b", ENTRY_FILE, 7)->is_link = true;
	add_entry(&listing, "c", ENTRY_FILE, 100)->has_stat = false;
	add_entry(&listing, "s", ENTRY_SPECIAL, 1000);
	add_entry(&listing, "l", ENTRY_BROKEN, 20);
	add_entry(&listing, "u", ENTRY_UNREADABLE, 30);
	totals = listing_totals(&listing);
	ck_assert_uint_eq(totals.directories, 1);
	ck_assert_uint_eq(totals.files, 6);
	ck_assert_int_eq(totals.bytes, 12);
	add_entry(&listing, "huge", ENTRY_FILE, INT64_MAX);
	ck_assert_int_eq(listing_totals(&listing).bytes, INT64_MAX);
	listing_release(&listing);
}
END_TEST

static const struct {
	const char *name;
	enum entry_kind kind;
	const char *href;
} hrefs[] = {
	{ "a", ENTRY_FILE, "a" },
	{ "a", ENTRY_DIRECTORY, "a/" },
	{ "a b", ENTRY_FILE, "a%20b" },
	{ "50%", ENTRY_FILE, "50%25" },
	{ "%20", ENTRY_DIRECTORY, "%2520/" },
	{ "a?b", ENTRY_FILE, "a%3Fb" },
	{ "#x", ENTRY_FILE, "%23x" },
	{ "a:b", ENTRY_FILE, "a%3Ab" },
	{ "javascript:x", ENTRY_FILE, "javascript%3Ax" },
	{ "\"'<>&;", ENTRY_FILE, "%22%27%3C%3E%26%3B" },
	{ "\\", ENTRY_FILE, "%5C" },
	{ "\xe9", ENTRY_FILE, "%E9" },
	{ "\xc3\xa9", ENTRY_FILE, "%C3%A9" },
	{ "\n", ENTRY_FILE, "%0A" },
	{ "~._-", ENTRY_FILE, "~._-" },
};

START_TEST(test_href)
{
	struct listing listing;
	struct buf out;

	listing_init(&listing);
	buf_init(&out, 65536);
	page_href(&out, &listing, add_entry(&listing, hrefs[_i].name, hrefs[_i].kind, 0));
	ck_assert_str_is(buf_view(&out), hrefs[_i].href);
	buf_release(&out);
	listing_release(&listing);
}
END_TEST

START_TEST(test_followable)
{
	static const bool want[] = {
		[ENTRY_FILE] = true,    [ENTRY_DIRECTORY] = true,   [ENTRY_SPECIAL] = false,
		[ENTRY_BROKEN] = false, [ENTRY_UNREADABLE] = false,
	};
	const struct entry entry = { .kind = (uint8_t)_i };

	ck_assert_int_eq(entry_is_followable(&entry), want[_i]);
}
END_TEST

Suite *
page_suite(void)
{
	Suite *suite = suite_create("page");
	TCase *kinds = tcase_create("test_followable");

	suite_add_rows(suite, test_window, windows);
	suite_add_rows(suite, test_entry, shows);
	suite_add_rows(suite, test_sizes_are_known, knowns);
	suite_add_test(suite, test_totals);
	suite_add_rows(suite, test_href, hrefs);
	tcase_add_loop_test(kinds, test_followable, ENTRY_FILE, ENTRY_UNREADABLE + 1);
	suite_add_tcase(suite, kinds);
	return suite;
}
