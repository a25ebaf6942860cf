/* A page patched in its place is, byte for byte, the page rendered anew. */
#include "listing/html.h"

#include <stdio.h>

#include "suites.h"

Suite *html_patch_suite(void);

enum { ENTRIES = 60 };

static struct listing listing;
static struct html_marks marks;
static struct buf body, row;

static void
setup(void)
{
	char name[32];

	listing_init(&listing);
	for (int i = 0; i < ENTRIES; i++) {
		struct entry *entry;

		snprintf(name, sizeof(name), "entry <%d>", i);
		entry = listing_add(&listing, str_from(name));
		entry->has_stat = entry->looked = true;
		entry->size = 1000 + i;
		entry->stamp = 1;
	}
	buf_init(&body, (size_t)1 << 20);
	buf_init(&row, (size_t)1 << 16);
}

static void
teardown(void)
{
	listing_release(&listing);
	html_marks_release(&marks);
	buf_release(&body);
	buf_release(&row);
}

/* Every so manyth entry gets a size and a time. */
static const struct {
	int first, every;
	int64_t size, seconds;
	bool patched;
} changes[] = {
	{ 0, 1000, 1001, 0, true },           /* as long as before */
	{ 0, 1000, 5, 0, true },              /* shorter */
	{ 0, 1000, 123456789012, 0, true },   /* longer */
	{ ENTRIES - 1, 1000, 5, 0, true },
	{ ENTRIES - 1, 1000, 123456789012, 0, true },
	{ 0, 1, 1500, 1700000000, true },     /* all */
	{ 3, 6, 5, 1700000000, true },
	{ 3, 6, 123456789012, 1700000000, true },
	{ 0, 2, 5, 0, false },                /* too many to be moved */
	{ 0, 1, 123456789012, 0, false },
};

static void
change(int which, uint32_t stamp)
{
	for (int i = changes[which].first; i < ENTRIES; i += changes[which].every) {
		listing.entries[i].size = changes[which].size;
		listing.entries[i].mtime = changes[which].seconds * 1000000000;
		listing.entries[i].stamp = stamp;
	}
}

static void
check_whole(const struct page *page)
{
	struct buf fresh;

	buf_init(&fresh, (size_t)1 << 20);
	html_render(&fresh, page, &listing, NULL);
	ck_assert(str_eq(buf_view(&body), buf_view(&fresh)));
	buf_release(&fresh);
}

/* The second one shows that the marks are right after the first. Sizes of four digits all have one length. */
START_TEST(patched_twice)
{
	const struct view view = { .sort = SORT_NAME };
	struct page page = { .url = S("/a/"), .mount = S("/"), .view = &view };

	for (int second = 0; second < ROWS(changes); second++) {
		teardown();
		setup();
		page_set_window(&page, listing.count, 0);
		for (int i = 0; i < ENTRIES; i++)
			listing.entries[i].size = 1500;
		html_render(&body, &page, &listing, &marks);
		ck_assert_uint_eq(marks.count, ENTRIES);
		change(_i, 2);
		ck_assert_int_eq(html_patch(&body, &row, &marks, &page, &listing, 1), changes[_i].patched);
		if (!changes[_i].patched)
			return;
		check_whole(&page);
		change(second, 3);
		if (html_patch(&body, &row, &marks, &page, &listing, 2))
			check_whole(&page);
	}
}
END_TEST

/* One page of several: its rows, and what is said of the others. */
START_TEST(a_page_in_the_middle)
{
	const struct view view = { .sort = SORT_NAME, .page = 2 };
	struct page page = { .url = S("/a/"), .mount = S("/"), .view = &view };

	page_set_window(&page, listing.count, 10);
	html_render(&body, &page, &listing, &marks);
	listing.entries[9].size = 5;
	listing.entries[9].stamp = 2;
	listing.entries[10].size = 123456;
	listing.entries[10].stamp = 2;
	ck_assert(html_patch(&body, &row, &marks, &page, &listing, 1));
	check_whole(&page);
}
END_TEST

START_TEST(no_room)
{
	const struct view view = { .sort = SORT_NAME };
	struct page page = { .url = S("/a/"), .mount = S("/"), .view = &view };

	page_set_window(&page, listing.count, 0);
	html_render(&body, &page, &listing, &marks);
	body.max = body.cap = body.len;
	change(2, 2);
	/* Refused, or said by the buffer: never a torn page that looks whole. */
	if (html_patch(&body, &row, &marks, &page, &listing, 1))
		ck_assert(buf_failed(&body));
}
END_TEST

Suite *
html_patch_suite(void)
{
	Suite *suite = suite_create("html_patch");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_loop_test(all, patched_twice, 0, ROWS(changes));
	tcase_add_test(all, a_page_in_the_middle);
	tcase_add_test(all, no_room);
	suite_add_tcase(suite, all);
	return suite;
}
