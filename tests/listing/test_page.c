#include "listing/page.h"

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
	buf_init(&out, 4096);
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

/* What a digest is taken of; every row below turns one fact of it. */
struct facts {
	struct view view;
	struct page page;
	struct listing listing;
};

static void
facts_init(struct facts *facts)
{
	*facts = (struct facts){ .page = { STR("/p/q/"), STR("/p/"), NULL } };
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

static const struct {
	void (*turn)(struct facts *facts);
} turns[] = {
	{ turn_sort },  { turn_order }, { turn_format }, { turn_url },  { turn_mount }, { turn_boundary },
	{ turn_names }, { turn_kind },  { turn_link },   { turn_stat }, { turn_size },  { turn_time },
	{ turn_directory_time },        { turn_one_less },              { turn_one_more },
	{ turn_sequence },
};

static void
digest(struct buf *out, void (*turn)(struct facts *facts))
{
	struct facts facts;

	buf_init(out, 4096);
	facts_init(&facts);
	facts.page.view = &facts.view;
	if (turn != NULL)
		turn(&facts);
	page_digest(out, &facts.page, &facts.listing);
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

Suite *
page_suite(void)
{
	Suite *suite = suite_create("page");
	TCase *kinds = tcase_create("test_followable");

	suite_add_test(suite, test_totals);
	suite_add_rows(suite, test_href, hrefs);
	tcase_add_loop_test(kinds, test_followable, ENTRY_FILE, ENTRY_UNREADABLE + 1);
	suite_add_tcase(suite, kinds);
	suite_add_rows(suite, test_digest_tells_apart, turns);
	suite_add_rows(suite, test_digest_stays, stills);
	return suite;
}
