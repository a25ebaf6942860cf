/* The index of a listing says what going through all entries says. */
#include "listing/listing.h"

#include <stdio.h>

#include "suites.h"

Suite *listing_index_suite(void);

static struct str
name_of(char text[32], unsigned i)
{
	snprintf(text, 32, "a name, %u", i);
	return str_from(text);
}

/* Both ways, for names that are there and names that are not. */
static void
check_all(const struct listing *listing, unsigned names)
{
	struct listing plain = *listing;
	char text[32];

	plain.slots = NULL;
	for (unsigned i = 0; i < names; i++)
		ck_assert_ptr_eq(listing_find(listing, name_of(text, i)), listing_find(&plain, name_of(text, i)));
}

static const struct {
	unsigned before;  /* names there when the index is made */
	unsigned names;   /* drawn from */
	int steps;
} walks[] = {
	{ 0, 10, 200 }, { 5, 40, 1000 }, { 31, 32, 300 }, { 32, 200, 2000 }, { 1000, 3000, 6000 },
};

START_TEST(random_comings_and_goings)
{
	struct listing listing;
	uint32_t state = 20240229;
	char text[32];

	listing_init(&listing);
	for (unsigned i = 0; i < walks[_i].before; i++)
		ck_assert_ptr_nonnull(listing_add(&listing, name_of(text, i)));
	ck_assert(listing_index(&listing));
	ck_assert_uint_eq(listing.count, walks[_i].before);
	for (int i = 0; i < walks[_i].steps; i++) {
		struct entry *entry;

		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		entry = listing_find(&listing, name_of(text, state % walks[_i].names));
		if (entry != NULL)
			listing_remove(&listing, entry);
		else
			ck_assert_ptr_nonnull(listing_add(&listing, str_from(text)));
		if (i % 331 == 0)
			check_all(&listing, walks[_i].names);
	}
	ck_assert_ptr_nonnull(listing.slots);
	check_all(&listing, walks[_i].names);
	listing_release(&listing);
	ck_assert_ptr_null(listing.slots);
}
END_TEST

START_TEST(the_first_of_one_name_stays)
{
	static const char *const names[] = { "a", "b", "a", "c", "b", "a", "b" };
	struct listing listing;

	listing_init(&listing);
	for (int i = 0; i < ROWS(names); i++)
		listing_add(&listing, str_from(names[i]))->size = i;
	ck_assert(listing_index(&listing));
	ck_assert_uint_eq(listing.count, 3);
	ck_assert_int_eq(listing_find(&listing, S("a"))->size, 0);
	ck_assert_int_eq(listing_find(&listing, S("b"))->size, 1);
	ck_assert_int_eq(listing_find(&listing, S("c"))->size, 3);
	check_all(&listing, 0);
	listing_reset(&listing);
	ck_assert_ptr_null(listing.slots);
	ck_assert_ptr_null(listing_find(&listing, S("a")));
	listing_release(&listing);
}
END_TEST

Suite *
listing_index_suite(void)
{
	Suite *suite = suite_create("listing_index");

	suite_add_rows(suite, random_comings_and_goings, walks);
	suite_add_test(suite, the_first_of_one_name_stays);
	return suite;
}
