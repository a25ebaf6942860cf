/* Subdirectories that tell their times: which are, what ends it, and that nothing of it is ever wrong. */
#include "fs/sight.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *subdirs_suite(void);

static struct tree tree;
static struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
static struct listcache *cache;

static void
setup(void)
{
	sight_make_tree(&tree);
	tree_directory(&tree, "root/d/s1", 0755);
	tree_directory(&tree, "root/d/s2", 0755);
	tree_directory(&tree, "root/d/s3", 0755);
	tree_directory(&tree, "root/other/s9", 0755);
	cache = sight_cache(1 << 20, 64);
}

static void
teardown(void)
{
	listcache_free(cache);
	tree_remove(&tree);
}

/* Enough for LISTCACHE_LOOKS of them, some hundred after every few uses. */
#define USES 40

/* Lists it as often as it takes until what can be told is told. The number of those. */
static size_t
use(void)
{
	size_t told = 0;

	for (int i = 0; i < USES; i++) {
		struct snapshot *snapshot;
		struct buf got;

		buf_init(&got, 1 << 20);
		snapshot = sight_compare(cache, &sight, NOW, &got, "a use");
		ck_assert_ptr_nonnull(snapshot);
		told = 0;
		for (size_t at = 0; at < snapshot->listing.count; at++)
			told += snapshot->listing.entries[at].told;
		listcache_settle(cache, snapshot);
		buf_release(&got);
		sight_close(&sight);
	}
	return told;
}

START_TEST(told_when_used_again_and_again)
{
	sight_check(cache, &sight, NOW);
	ck_assert_uint_eq(use(), 3);
}
END_TEST

static void
create_inside(void)
{
	tree_file(&tree, "root/d/s1/new", "");
}

static void
delete_inside(void)
{
	ck_assert_int_eq(unlinkat(tree.fd, "root/d/s1/old", 0), 0);
}

static void
rename_inside(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/d/s1/old", tree.fd, "root/d/s1/new"), 0);
}

static void
rename_out_of_one_into_another(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/d/s1/old", tree.fd, "root/d/s2/old"), 0);
}

static void
write_inside(void)
{
	tree_append(&tree, "root/d/s1/old", "more");
}

static void
touch_it(void)
{
	tree_time(&tree, "root/d/s1", 2000, 1);
}

static void
close_it(void)
{
	ck_assert_int_eq(fchmodat(tree.fd, "root/d/s1", 0, 0), 0);
}

static void
rename_it(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/d/s1", tree.fd, "root/d/s0"), 0);
}

static void
rename_it_and_create_inside(void)
{
	rename_it();
	tree_file(&tree, "root/d/s0/new", "");
}

static void
exchange_two(void)
{
	ck_assert_int_eq(renameat2(tree.fd, "root/d/s1", tree.fd, "root/d/s2", RENAME_EXCHANGE), 0);
	tree_file(&tree, "root/d/s1/new", "");
}

static void
exchange_with_one_elsewhere(void)
{
	ck_assert_int_eq(renameat2(tree.fd, "root/d/s1", tree.fd, "root/other/s9", RENAME_EXCHANGE), 0);
	tree_file(&tree, "root/d/s1/new", "");
}

static void
move_it_away(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/d/s1", tree.fd, "root/other/s1"), 0);
}

static void
make_it_again(void)
{
	tree_take_away(&tree, "root/d/s1/old");
	tree_take_away(&tree, "root/d/s1");
	tree_directory(&tree, "root/d/s1", 0755);
	tree_file(&tree, "root/d/s1/new", "");
}

static void
replace_it_by_a_link(void)
{
	move_it_away();
	tree_link(&tree, "root/d/s1", "../other/s1");
	tree_file(&tree, "root/other/s1/new", "");
}

static void
replace_it_by_a_file(void)
{
	move_it_away();
	tree_file(&tree, "root/d/s1", "file");
}

static const struct {
	void (*change)(void);
	size_t told; /* in the end */
} changes[] = {
	{ create_inside, 3 },
	{ delete_inside, 3 },
	{ rename_inside, 3 },
	{ rename_out_of_one_into_another, 3 },
	{ write_inside, 3 },
	{ touch_it, 3 },
	{ close_it, 3 },
	{ rename_it, 3 },
	{ rename_it_and_create_inside, 3 },
	{ exchange_two, 3 },
	{ exchange_with_one_elsewhere, 3 },
	{ move_it_away, 2 },
	{ make_it_again, 3 },
	{ replace_it_by_a_link, 2 },
	{ replace_it_by_a_file, 2 },
};

START_TEST(each_change_is_seen)
{
	tree_file(&tree, "root/d/s1/old", "old");
	tree_time(&tree, "root/d/s1", 1000, 0);
	tree_time(&tree, "root/d/s2", 1000, 0);
	ck_assert_uint_eq(use(), 3);
	changes[_i].change();
	sight_check(cache, &sight, NOW);
	use();
	tree_file(&tree, "root/d/s3/new", "");
	sight_check(cache, &sight, NOW);
	ck_assert_uint_eq(use(), changes[_i].told);
}
END_TEST

/* They leave three quarters of the watches to others. */
START_TEST(no_more_than_a_quarter)
{
	static const struct { size_t watches, told; } rows[] = { { 11, 0 }, { 12, 3 }, { 1, 0 }, { 0, 0 } };

	listcache_free(cache);
	cache = sight_cache(1 << 20, rows[_i].watches);
	ck_assert_uint_eq(use(), rows[_i].told);
}
END_TEST

/* Watching them, and giving that up, is done while others wait. */
START_TEST(no_more_than_takes_a_moment)
{
	char path[64];

	for (int i = 0; i < LISTCACHE_LOOKS; i++) {
		snprintf(path, sizeof(path), "root/d/m%d", i);
		tree_directory(&tree, path, 0755);
	}
	listcache_free(cache);
	cache = sight_cache(1 << 24, 1000000);
	ck_assert_uint_eq(use(), 0);
	tree_take_away(&tree, "root/d/m0");
	tree_take_away(&tree, "root/d/m1");
	tree_take_away(&tree, "root/d/m2");
	ck_assert_uint_eq(use(), LISTCACHE_LOOKS);
}
END_TEST

/* The number of a watch. */
static int
number_of(const struct subdirs *subdirs, const char *name)
{
	for (size_t i = 0; i < subdirs->count; i++)
		if (str_eq(str_sub(buf_view(&subdirs->names), subdirs->list[i].name, subdirs->list[i].name_len), str_from(name)))
			return subdirs->list[i].wd;
	return -1;
}

/* What happens to one costs nothing of the others. */
START_TEST(the_others_keep_theirs)
{
	const struct subdirs *subdirs;
	int s2, s3;

	ck_assert_uint_eq(use(), 3);
	subdirs = &sight_get(cache, &sight, NOW)->subdirs;
	sight_close(&sight);
	s2 = number_of(subdirs, "s2");
	s3 = number_of(subdirs, "s3");
	tree_directory(&tree, "root/d/s0", 0755);
	tree_take_away(&tree, "root/d/s1");
	tree_take_away(&tree, "root/d/s3");
	tree_directory(&tree, "root/d/s3", 0755);
	ck_assert_uint_eq(use(), 3);
	ck_assert_int_eq(number_of(subdirs, "s2"), s2);
	ck_assert_int_ne(number_of(subdirs, "s3"), s3);
	ck_assert_int_eq(number_of(subdirs, "s1"), -1);
	tree_file(&tree, "root/d/s0/new", "");
	sight_check(cache, &sight, NOW);
	tree_file(&tree, "root/d/s3/new", "");
	sight_check(cache, &sight, NOW);
}
END_TEST

/* Taking a watch is slower than a look: nobody waits for thousands. */
START_TEST(some_at_a_time)
{
	size_t before = 0, count = 0;
	char path[64];

	for (int i = 0; i < LISTCACHE_LOOKS / 4; i++) {
		snprintf(path, sizeof(path), "root/d/m%d", i);
		tree_directory(&tree, path, 0755);
	}
	listcache_free(cache);
	cache = sight_cache(1 << 24, 1000000);
	for (int i = 0; i < USES; i++) {
		struct buf got;

		buf_init(&got, 1 << 20);
		count = sight_compare(cache, &sight, NOW, &got, "a use")->subdirs.count;
		ck_assert_uint_le(count, before + LISTCACHE_LOOKS / 10);
		before = count;
		buf_release(&got);
		sight_close(&sight);
	}
	ck_assert_uint_eq(count, LISTCACHE_LOOKS / 4 + 3);
}
END_TEST

/* Uses it as one page of several does, often enough. The number of those that are told. */
static size_t
use_page(size_t first, size_t shown)
{
	const struct view by_name = { .sort = SORT_NAME };
	size_t told = 0;

	for (int i = 0; i < 8; i++) {
		struct snapshot *snapshot = sight_get(cache, &sight, NOW);

		ck_assert_int_eq(snapshot_look_untold(snapshot, &sight.place, true), 0);
		ck_assert_int_eq(snapshot_look_untold_rows(
				     snapshot, &sight.place, snapshot_rows(snapshot, &by_name), false, first, shown),
		    0);
		told = snapshot->subdirs.count;
		sight_close(&sight);
	}
	return told;
}

/* Too many for a watch each: those of the page that is asked for have one, and give it up for those of another. */
START_TEST(those_of_a_page)
{
	char path[64];

	for (int i = 4; i < 10; i++) {
		snprintf(path, sizeof(path), "root/d/s%d", i);
		tree_directory(&tree, path, 0755);
	}
	listcache_free(cache);
	cache = sight_cache(1 << 20, 12);
	ck_assert_uint_eq(use(), 0);
	ck_assert_uint_eq(use_page(0, 2), 2);
	for (int i = 1; i < 10; i++) {
		snprintf(path, sizeof(path), "root/d/s%d/new", i);
		tree_file(&tree, path, "");
		sight_check(cache, &sight, NOW);
	}
	ck_assert_uint_eq(use_page(0, 2), 2);
	ck_assert_uint_eq(use_page(2, 3), 3);
	ck_assert_uint_eq(use_page(2, 4), 0);
	ck_assert_uint_eq(use_page(5, 1), 1);
	ck_assert_uint_eq(use(), 1);
	tree_take_away(&tree, "root/d/s6");
	sight_check(cache, &sight, NOW);
}
END_TEST

/* Listed itself as well: one watch, and each of the two is told what it wants. */
START_TEST(listed_by_itself_too)
{
	struct sight below = { .tree = &tree, .root = "root", .path = "/d/s1" };

	tree_file(&tree, "root/d/s1/old", "old");
	ck_assert_uint_eq(use(), 3);
	sight_check(cache, &below, NOW);
	tree_append(&tree, "root/d/s1/old", "more");
	sight_check(cache, &below, NOW);
	sight_check(cache, &sight, NOW);
	tree_file(&tree, "root/d/s1/new", "");
	sight_check(cache, &sight, NOW);
	sight_check(cache, &below, NOW);
	ck_assert_uint_eq(use(), 3);
}
END_TEST

Suite *
subdirs_suite(void)
{
	Suite *suite = suite_create("subdirs");

	suite_add_case(suite, told_when_used_again_and_again, 1, setup, teardown);
	suite_add_case(suite, each_change_is_seen, ROWS(changes), setup, teardown);
	suite_add_case(suite, no_more_than_a_quarter, 4, setup, teardown);
	suite_add_case(suite, no_more_than_takes_a_moment, 1, setup, teardown);
	suite_add_case(suite, the_others_keep_theirs, 1, setup, teardown);
	suite_add_case(suite, some_at_a_time, 1, setup, teardown);
	suite_add_case(suite, those_of_a_page, 1, setup, teardown);
	suite_add_case(suite, listed_by_itself_too, 1, setup, teardown);
	return suite;
}
