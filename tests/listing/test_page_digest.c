/* A page is named by the hash of its bytes: so its bytes must tell every fact that it shows, and none that it does not. */
#include "listing/page.h"

#include "listing/entries.h"
#include "listing/html.h"
#include "listing/json.h"
#include "suites.h"

Suite *page_digest_suite(void);

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
	add_entry(&facts->listing, "ab", ENTRY_FILE, 5);
	add_entry(&facts->listing, "c", ENTRY_DIRECTORY, 0);
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
	add_entry(&facts->listing, "a", ENTRY_FILE, 5);
	add_entry(&facts->listing, "bc", ENTRY_DIRECTORY, 0);
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
	add_entry(&facts->listing, "d", ENTRY_FILE, 0);
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

/* Of a page of so many rows with this number (0 and 0: of all in one), one fact turned. */
static void
digest(struct buf *out, size_t size, size_t number, void (*turn)(struct facts *facts))
{
	struct facts facts;

	buf_init(out, 65536);
	facts_init(&facts);
	facts.size = size;
	facts.view.page = number;
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

	digest(&before, 0, 0, NULL);
	digest(&after, 0, 0, turns[_i].turn);
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

	digest(&before, 0, 0, NULL);
	digest(&after, 0, 0, stills[_i].turn);
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

START_TEST(test_digest_of_a_page)
{
	struct buf before, after;

	digest(&before, 1, 1, NULL);
	digest(&after, 1, 1, page_turns[_i].turn);
	ck_assert_int_eq(str_eq(buf_view(&before), buf_view(&after)), page_turns[_i].same);
	buf_release(&before);
	buf_release(&after);
}
END_TEST

/* Whoever asks for more than there is gets the last page and its validator. */
START_TEST(test_digest_beyond_the_end)
{
	struct buf last, beyond;

	digest(&last, 1, 2, NULL);
	digest(&beyond, 1, 99, NULL);
	ck_assert(str_eq(buf_view(&last), buf_view(&beyond)));
	buf_release(&last);
	buf_release(&beyond);
}
END_TEST

Suite *
page_digest_suite(void)
{
	Suite *suite = suite_create("page_digest");

	suite_add_rows(suite, test_digest_tells_apart, turns);
	suite_add_rows(suite, test_digest_stays, stills);
	suite_add_rows(suite, test_digest_of_a_page, page_turns);
	suite_add_test(suite, test_digest_beyond_the_end);
	return suite;
}
