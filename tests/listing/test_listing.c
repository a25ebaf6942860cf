#include "listing/listing.h"

#include <stdio.h>

#include "suites.h"

Suite *listing_suite(void);

START_TEST(test_names_are_copied)
{
	struct listing listing;
	char name[] = "first";
	struct entry *entry;

	listing_init(&listing);
	entry = listing_add(&listing, str_from(name));
	ck_assert_ptr_nonnull(entry);
	ck_assert_int_eq(entry->kind, ENTRY_FILE);
	ck_assert(!entry->is_link && !entry->has_stat);
	ck_assert_int_eq(entry->size, 0);
	ck_assert_int_eq(entry->mtime, 0);
	name[0] = 'X';
	ck_assert_ptr_nonnull(listing_add(&listing, S("second")));
	ck_assert_uint_eq(listing.count, 2);
	ck_assert_str_is(listing_name(&listing, &listing.entries[0]), "first");
	ck_assert_str_is(listing_name(&listing, &listing.entries[1]), "second");
	listing_release(&listing);
}
END_TEST

START_TEST(test_key_is_natural)
{
	struct listing listing;
	struct entry *entries;

	listing_init(&listing);
	listing_add(&listing, S("File10"));
	listing_add(&listing, S("file9"));
	entries = listing.entries;
	ck_assert_int_gt(str_compare(listing_key(&listing, &entries[0]), listing_key(&listing, &entries[1])), 0);
	listing_release(&listing);
}
END_TEST

START_TEST(test_any_bytes)
{
	static const char bytes[] = "a\0\xff\n";
	struct listing listing;
	struct entry *entry;

	listing_init(&listing);
	entry = listing_add(&listing, (struct str){ bytes, 4 });
	ck_assert_ptr_nonnull(entry);
	ck_assert(str_eq(listing_name(&listing, entry), (struct str){ bytes, 4 }));
	listing_release(&listing);
}
END_TEST

START_TEST(test_growth_and_reset)
{
	struct listing listing;
	char name[16];
	size_t capacity;

	listing_init(&listing);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 5000; i++) {
			snprintf(name, sizeof(name), "n%d", i);
			ck_assert_ptr_nonnull(listing_add(&listing, str_from(name)));
		}
		ck_assert_uint_eq(listing.count, 5000);
		ck_assert_str_is(listing_name(&listing, &listing.entries[4999]), "n4999");
		ck_assert_str_is(listing_name(&listing, &listing.entries[0]), "n0");
		capacity = listing.capacity;
		listing_reset(&listing);
		ck_assert_uint_eq(listing.count, 0);
		ck_assert_uint_eq(listing.capacity, capacity);
	}
	listing_release(&listing);
	ck_assert_uint_eq(listing.capacity, 0);
	ck_assert_ptr_nonnull(listing_add(&listing, S("again")));
	listing_release(&listing);
}
END_TEST

START_TEST(test_name_too_long_fails)
{
	static char name[UINT16_MAX + 1];
	struct listing listing;

	memset(name, '7', sizeof(name));
	listing_init(&listing);
	ck_assert_ptr_nonnull(listing_add(&listing, (struct str){ name, 4096 }));
	ck_assert_ptr_null(listing_add(&listing, (struct str){ name, sizeof(name) }));
	ck_assert(listing.failed);
	/* Incomplete once, incomplete until the next reset. */
	ck_assert_ptr_null(listing_add(&listing, S("short")));
	listing_reset(&listing);
	ck_assert(!listing.failed);
	ck_assert_ptr_nonnull(listing_add(&listing, S("short")));
	listing_release(&listing);
}
END_TEST

START_TEST(test_full_arena_fails)
{
	struct listing listing;

	listing_init(&listing);
	listing.arena.max = 512;
	while (listing_add(&listing, S("0123456789")) != NULL)
		ck_assert_uint_lt(listing.count, 512 / 10);
	ck_assert(listing.failed);
	listing_release(&listing);
}
END_TEST

START_TEST(test_release_of_zeroed)
{
	struct listing listing = { 0 };

	listing_release(&listing);
	ck_assert_ptr_null(listing.entries);
}
END_TEST

Suite *
listing_suite(void)
{
	Suite *suite = suite_create("listing");

	suite_add_test(suite, test_names_are_copied);
	suite_add_test(suite, test_key_is_natural);
	suite_add_test(suite, test_any_bytes);
	suite_add_test(suite, test_growth_and_reset);
	suite_add_test(suite, test_name_too_long_fails);
	suite_add_test(suite, test_full_arena_fails);
	suite_add_test(suite, test_release_of_zeroed);
	return suite;
}
