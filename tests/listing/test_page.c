#include "listing/page.h"

#include "listing/html.h"
#include "listing/json.h"

#include "suites.h"

Suite *page_suite(void);

static struct entry *
add(struct listing *listing, const char *name, enum entry_kind kind, int64_t size)
{
	struct entry *entry = listing_add(listing, str_from(name));

	ck_assert_ptr_nonnull(entry);
	entry->kind = (uint8_t)kind;
	entry->has_stat = true;
	entry->size = size;
	entry->mtime = INT64_C(1700000000123456789);
	return entry;
}

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
	add(&listing, "c", ENTRY_FILE, 0);
	add(&listing, "D", ENTRY_DIRECTORY, 0);
	add(&listing, "b", ENTRY_FILE, 0);
	add(&listing, "E", ENTRY_DIRECTORY, 0);
	add(&listing, "a", ENTRY_FILE, 0);
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
	add(&listing, "known", ENTRY_FILE, 1);
	add(&listing, "x", knowns[_i].kind, 1)->has_stat = knowns[_i].has_stat;
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
	add(&listing, "d", ENTRY_DIRECTORY, 4096);
	add(&listing, "a", ENTRY_FILE, 5);
	add(&listing, "b", ENTRY_FILE, 7)->is_link = true;
	add(&listing, "c", ENTRY_FILE, 100)->has_stat = false;
	add(&listing, "s", ENTRY_SPECIAL, 1000);
	add(&listing, "l", ENTRY_BROKEN, 20);
	add(&listing, "u", ENTRY_UNREADABLE, 30);
	totals = listing_totals(&listing);
	ck_assert_uint_eq(totals.directories, 1);
	ck_assert_uint_eq(totals.files, 6);
	ck_assert_int_eq(totals.bytes, 12);
	add(&listing, "huge", ENTRY_FILE, INT64_MAX);
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
	page_href(&out, &listing, add(&listing, hrefs[_i].name, hrefs[_i].kind, 0));
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

/* A page is named by the hash of its bytes: so its bytes must tell every fact that it shows. */
static void
render(struct buf *out, const struct page *page, const struct listing *listing)
{
	if (page->view->format == FORMAT_JSON)
		json_render(out, page, listing);
	else
		html_render(out, page, listing, NULL);
}

/* What is rendered; every row below turns one fact of it. */
struct facts {
	struct view view;
	struct page page;
	size_t size; /* of a page; 0: no pages */
	struct listing listing;
};

static void
facts_init(struct facts *facts)
{
	*facts = (struct facts){ .page = { .url = STR("/p/q/"), .mount = STR("/p/") } };
	listing_init(&facts->listing);
	add(&facts->listing, "ab", ENTRY_FILE, 5);
	add(&facts->listing, "c", ENTRY_DIRECTORY, 0);
}

static void
turn_sort(struct facts *facts)
{
	facts->view.sort = SORT_SIZE;
}

static void
turn_order(struct facts *facts)
{
	facts->view.descending = true;
}

static void
turn_format(struct facts *facts)
{
	facts->view.format = FORMAT_JSON;
}

static void
turn_url(struct facts *facts)
{
	facts->page.url = S("/p/r/");
}

static void
turn_mount(struct facts *facts)
{
	facts->page.mount = S("/");
}

/* The same bytes, the boundary elsewhere. */
static void
turn_boundary(struct facts *facts)
{
	facts->page.url = S("/p/q");
	facts->page.mount = S("//p/");
}

static void
turn_names(struct facts *facts)
{
	listing_reset(&facts->listing);
	add(&facts->listing, "a", ENTRY_FILE, 5);
	add(&facts->listing, "bc", ENTRY_DIRECTORY, 0);
}

static void
turn_kind(struct facts *facts)
{
	facts->listing.entries[0].kind = ENTRY_BROKEN;
}

static void
turn_link(struct facts *facts)
{
	facts->listing.entries[0].is_link = true;
}

static void
turn_stat(struct facts *facts)
{
	facts->listing.entries[0].has_stat = false;
}

static void
turn_size(struct facts *facts)
{
	facts->listing.entries[0].size = 6;
}

static void
turn_time(struct facts *facts)
{
	facts->listing.entries[0].mtime -= INT64_C(1000000000);
}

static void
turn_directory_time(struct facts *facts)
{
	facts->listing.entries[1].mtime += INT64_C(1000000000);
}

static void
turn_one_less(struct facts *facts)
{
	facts->listing.count--;
}

static void
turn_one_more(struct facts *facts)
{
	add(&facts->listing, "d", ENTRY_FILE, 0);
}

static void
turn_sequence(struct facts *facts)
{
	struct entry first = facts->listing.entries[0];

	facts->listing.entries[0] = facts->listing.entries[1];
	facts->listing.entries[1] = first;
}

/* Its own row only, and a way to the other one. */
static void
turn_page(struct facts *facts)
{
	facts->view.page = 1;
	facts->size = 1;
}

static const struct {
	void (*turn)(struct facts *facts);
} turns[] = {
	{ turn_sort },  { turn_order }, { turn_format }, { turn_url },  { turn_mount }, { turn_boundary },
	{ turn_names }, { turn_kind },  { turn_link },   { turn_stat }, { turn_size },  { turn_time },
	{ turn_directory_time },        { turn_one_less },              { turn_one_more },
	{ turn_sequence }, { turn_page },
};

static void
digest(struct buf *out, void (*turn)(struct facts *facts))
{
	struct facts facts;

	buf_init(out, 65536);
	facts_init(&facts);
	facts.page.view = &facts.view;
	if (turn != NULL)
		turn(&facts);
	page_set_window(&facts.page, facts.listing.count, facts.size);
	render(out, &facts.page, &facts.listing);
	ck_assert(!buf_failed(out));
	listing_release(&facts.listing);
}

START_TEST(test_digest_tells_apart)
{
	struct buf before, after;

	digest(&before, NULL);
	digest(&after, turns[_i].turn);
	ck_assert(!str_eq(buf_view(&before), buf_view(&after)));
	buf_release(&before);
	buf_release(&after);
}
END_TEST

/* What a page does not show does not change its validator. */
static void
turn_hidden_size(struct facts *facts)
{
	facts->listing.entries[1].size = 4096;
}

static const struct {
	void (*turn)(struct facts *facts);
} stills[] = {
	{ NULL },
	{ turn_hidden_size },
};

START_TEST(test_digest_stays)
{
	struct buf before, after;

	digest(&before, NULL);
	digest(&after, stills[_i].turn);
	ck_assert(str_eq(buf_view(&before), buf_view(&after)));
	buf_release(&before);
	buf_release(&after);
}
END_TEST

/* Page 1 of 2 shows the first entry alone. */

static void
turn_to_second(struct facts *facts)
{
	facts->view.page = 2;
}

static void
turn_beyond_the_end(struct facts *facts)
{
	facts->view.page = 3;
}

static void
turn_to_all(struct facts *facts)
{
	facts->view.page = 0;
}

static void
turn_page_size(struct facts *facts)
{
	facts->size = 2;
}

static void
turn_other_name(struct facts *facts)
{
	facts->listing.entries[1].name = facts->listing.entries[0].name;
}

static const struct {
	void (*turn)(struct facts *facts);
	bool same;
} page_turns[] = {
	{ NULL, true },
	{ turn_directory_time, true }, /* of the other page's */
	{ turn_other_name, true },
	{ turn_time, false },
	{ turn_size, false },
	{ turn_one_less, false },
	{ turn_one_more, false },      /* on another page: the counts are shown on each */
	{ turn_to_second, false },
	{ turn_beyond_the_end, false },
	{ turn_to_all, false },
	{ turn_page_size, false },
	{ turn_sequence, false },
};

static void
digest_page(struct buf *out, void (*turn)(struct facts *facts), size_t number)
{
	struct facts facts;

	buf_init(out, 65536);
	facts_init(&facts);
	turn_page(&facts);
	facts.view.page = number;
	facts.page.view = &facts.view;
	if (turn != NULL)
		turn(&facts);
	page_set_window(&facts.page, facts.listing.count, facts.size);
	render(out, &facts.page, &facts.listing);
	ck_assert(!buf_failed(out));
	listing_release(&facts.listing);
}

START_TEST(test_digest_of_a_page)
{
	struct buf before, after;

	digest_page(&before, NULL, 1);
	digest_page(&after, page_turns[_i].turn, 1);
	ck_assert_int_eq(str_eq(buf_view(&before), buf_view(&after)), page_turns[_i].same);
	buf_release(&before);
	buf_release(&after);
}
END_TEST

/* Whoever asks for more than there is gets the last page and its validator. */
START_TEST(test_digest_beyond_the_end)
{
	struct buf last, beyond;

	digest_page(&last, NULL, 2);
	digest_page(&beyond, NULL, 99);
	ck_assert(str_eq(buf_view(&last), buf_view(&beyond)));
	buf_release(&last);
	buf_release(&beyond);
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
	suite_add_rows(suite, test_digest_tells_apart, turns);
	suite_add_rows(suite, test_digest_stays, stills);
	suite_add_rows(suite, test_digest_of_a_page, page_turns);
	suite_add_test(suite, test_digest_beyond_the_end);
	return suite;
}
