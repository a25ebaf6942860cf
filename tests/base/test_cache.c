#include "base/cache.h"

#include "suites.h"

Suite *cache_suite(void);

/* What is cached here: a letter. */
struct thing {
	struct cache_node node;
	char letter;
};

#define THINGS 26

struct fixture {
	struct cache cache;
	struct thing things[THINGS];
	struct buf evicted; /* the letters in the order in which they went */
};

static void
evict(void *context, struct cache_node *node)
{
	struct fixture *fixture = context;
	const struct thing *thing = (const struct thing *)node;

	buf_char(&fixture->evicted, thing->letter);
}

static void
fixture_init(struct fixture *fixture, size_t budget)
{
	*fixture = (struct fixture){ 0 };
	for (int i = 0; i < THINGS; i++)
		fixture->things[i].letter = (char)('a' + i);
	buf_init(&fixture->evicted, 4096);
	cache_init(&fixture->cache, budget, evict, fixture);
}

static void
fixture_release(struct fixture *fixture)
{
	cache_release(&fixture->cache);
	buf_release(&fixture->evicted);
}

static struct thing *
thing_of(struct fixture *fixture, char letter)
{
	return &fixture->things[letter - 'a'];
}

static struct thing *
find(const struct cache *cache, uint64_t hash, char letter)
{
	struct cache_node *node = NULL;

	while ((node = cache_find(cache, hash, node)) != NULL) {
		ck_assert_uint_eq(node->hash, hash);
		if (((struct thing *)node)->letter == letter)
			return (struct thing *)node;
	}
	return NULL;
}

/* The letters that are in, the least recently used first, and whether the sums are right. */
static void
check_use(const struct fixture *fixture, const char *want)
{
	const struct cache *cache = &fixture->cache;
	size_t cost = 0, count = 0;
	struct buf got;

	buf_init(&got, 256);
	for (const struct cache_node *node = cache->use.newer; node != &cache->use; node = node->newer) {
		ck_assert_ptr_eq(node->newer->older, node);
		buf_char(&got, ((const struct thing *)node)->letter);
		cost += node->cost;
		count++;
	}
	ck_assert_str_is(buf_view(&got), want);
	ck_assert_uint_eq(cache->count, count);
	ck_assert_uint_eq(cache->cost, cost);
	if (count == 0)
		ck_assert_ptr_null(cache_oldest(cache));
	else
		ck_assert_int_eq(((struct thing *)cache_oldest(cache))->letter, want[0]);
	buf_release(&got);
}

/* A story is told in steps, a letter and what is done with it:
 *   a3   add it with cost 3        a!   add it, which is refused
 *   a=5  its cost becomes 5        a.   touch it        a-   take it out
 * Costs are one digit; '*' is more than the budget of 9. */
static void
tell(struct fixture *fixture, const char *story)
{
	while (*story != '\0') {
		struct thing *thing = thing_of(fixture, story[0]);
		struct cache *cache = &fixture->cache;
		char what = story[1];

		story += 2;
		if (what == '.')
			cache_touch(cache, &thing->node);
		else if (what == '-')
			cache_remove(cache, &thing->node);
		else if (what == '=')
			cache_recost(cache, &thing->node, *story == '*' ? 10 : (size_t)(*story - '0'));
		else if (what == '!')
			ck_assert(!cache_add(cache, &thing->node, (unsigned char)thing->letter, 10));
		else
			ck_assert(cache_add(cache, &thing->node, (unsigned char)thing->letter, (size_t)(what - '0')));
		story += what == '=';
		story += *story == ' ';
	}
}

static const struct {
	const char *story;
	const char *left, *evicted;
} stories[] = {
	{ "", "", "" },
	{ "a1", "a", "" },
	{ "a3 b3 c3", "abc", "" },             /* just the budget */
	{ "a3 b3 c3 d1", "bcd", "a" },
	{ "a3 b3 c3 d4", "cd", "ab" },         /* as many as it takes, oldest first */
	{ "a3 b3 c3 d9", "d", "abc" },
	{ "a3 b3 c3 d!", "abc", "" },          /* larger than the budget: nothing done */
	{ "a!", "", "" },
	{ "a9 b9 c9", "c", "ab" },
	{ "a0 b9 c0", "abc", "" },             /* what costs nothing stays */
	{ "a0 b9 c1", "c", "ab" },             /* but goes when its turn comes */
	{ "a3 b3 c3 a. d1", "cad", "b" },
	{ "a3 b3 c3 c. d1", "bcd", "a" },      /* the newest already */
	{ "a3 b3 c3 b. a. d4", "ad", "cb" },
	{ "a9 a. a. b1", "b", "a" },
	{ "a3 b3 c3 b- d3", "acd", "" },       /* taken out is not evicted */
	{ "a3 a-", "", "" },
	{ "a3 b3 a- b-", "", "" },
	{ "a3 b3 c3 a- a3", "bca", "" },       /* back again as the newest */
	{ "a3 b3 c3 a=1 d2", "bcad", "" },     /* cheaper leaves room; and it was used */
	{ "a1 b1 c1 a=8", "ca", "b" },
	{ "a1 b1 c1 b=9", "b", "ac" },
	{ "a1 b1 c1 c=7", "abc", "" },
	{ "a1 b1 a=*", "a", "b" },             /* it grew beyond everything: still in use, so it stays */
	{ "a1 b1 a=* c1", "c", "ba" },         /* until another comes */
	{ "a1 b1 a=* a=2 c1", "ac", "b" },
	{ "a5 a=0 b9", "ab", "" },
};

START_TEST(test_story)
{
	struct fixture fixture;

	fixture_init(&fixture, 9);
	tell(&fixture, stories[_i].story);
	check_use(&fixture, stories[_i].left);
	ck_assert_str_is(buf_view(&fixture.evicted), stories[_i].evicted);
	for (const char *letter = stories[_i].left; *letter != '\0'; letter++)
		ck_assert_ptr_nonnull(find(&fixture.cache, (unsigned char)*letter, *letter));
	for (const char *letter = stories[_i].evicted; *letter != '\0'; letter++)
		ck_assert_ptr_null(find(&fixture.cache, (unsigned char)*letter, *letter));
	fixture_release(&fixture);
}
END_TEST

START_TEST(test_release_evicts_all)
{
	struct fixture fixture;

	fixture_init(&fixture, 9);
	tell(&fixture, "a1 b2 c3 a.");
	cache_release(&fixture.cache);
	ck_assert_str_is(buf_view(&fixture.evicted), "bca");
	check_use(&fixture, "");
	ck_assert_ptr_null(cache_find(&fixture.cache, 'a', NULL));
	/* Released is as good as new. */
	tell(&fixture, "a1 b9");
	check_use(&fixture, "b");
	fixture_release(&fixture);
}
END_TEST

START_TEST(test_empty)
{
	struct fixture fixture;
	struct cache zeroed = { 0 };

	fixture_init(&fixture, 0);
	ck_assert_ptr_null(cache_find(&fixture.cache, 0, NULL));
	ck_assert_ptr_null(cache_oldest(&fixture.cache));
	/* No budget, no cache: but for what costs nothing. */
	ck_assert(!cache_add(&fixture.cache, &fixture.things[0].node, 1, 1));
	ck_assert(cache_add(&fixture.cache, &fixture.things[1].node, 1, 0));
	fixture_release(&fixture);
	cache_release(&zeroed);
}
END_TEST

/* All in one bucket, some with one hash: each is found, and taking out one does not lose another. */
START_TEST(test_equal_hashes)
{
	static const uint64_t hashes[] = { 7, UINT64_C(7) << 32 | 7, 7, UINT64_MAX << 20 | 7, 7 };
	struct fixture fixture;
	struct cache *cache = &fixture.cache;

	fixture_init(&fixture, 1000);
	for (int i = 0; i < ROWS(hashes); i++)
		ck_assert(cache_add(cache, &fixture.things[i].node, hashes[i], 1));
	for (int i = 0; i < ROWS(hashes); i++)
		ck_assert_ptr_eq(find(cache, hashes[i], (char)('a' + i)), &fixture.things[i]);
	ck_assert_ptr_null(find(cache, 7, 'b'));
	ck_assert_ptr_null(cache_find(cache, 8, NULL));
	ck_assert_ptr_null(cache_find(cache, UINT64_C(9) << 32 | 7, NULL));
	cache_remove(cache, &fixture.things[2].node);
	ck_assert_ptr_null(find(cache, 7, 'c'));
	ck_assert_ptr_eq(find(cache, 7, 'a'), &fixture.things[0]);
	ck_assert_ptr_eq(find(cache, 7, 'e'), &fixture.things[4]);
	ck_assert_ptr_eq(find(cache, hashes[1], 'b'), &fixture.things[1]);
	ck_assert_ptr_eq(find(cache, hashes[3], 'd'), &fixture.things[3]);
	check_use(&fixture, "abde");
	fixture_release(&fixture);
}
END_TEST

/* Finding is no use: what is only looked for goes in its turn. */
START_TEST(test_find_is_no_use)
{
	struct fixture fixture;

	fixture_init(&fixture, 9);
	tell(&fixture, "a3 b3 c3");
	ck_assert_ptr_nonnull(cache_find(&fixture.cache, 'a', NULL));
	tell(&fixture, "d3");
	check_use(&fixture, "bcd");
	fixture_release(&fixture);
}
END_TEST

static void
count_evicted(void *context, struct cache_node *node)
{
	(void)node;
	++*(size_t *)context;
}

/* The table grows under what is in it. */
START_TEST(test_many)
{
	enum { MANY = 5000, KEPT = 3000 };
	struct cache_node *nodes = calloc(MANY, sizeof(*nodes));
	size_t evicted = 0, found = 0, gone = 0;
	struct cache cache;

	ck_assert_ptr_nonnull(nodes);
	cache_init(&cache, KEPT, count_evicted, &evicted);
	for (uint64_t i = 0; i < MANY; i++)
		/* Every hash twice. */
		found += cache_add(&cache, &nodes[i], i / 2 * UINT64_C(0x9e3779b97f4a7c15), 1);
	ck_assert_uint_eq(found, MANY);
	ck_assert_uint_eq(evicted, MANY - KEPT);
	ck_assert_uint_eq(cache.count, KEPT);
	ck_assert_uint_eq(cache.cost, KEPT);
	ck_assert_uint_eq(cache.bucket_count & (cache.bucket_count - 1), 0);
	found = 0;
	for (uint64_t i = 0; i < MANY; i++) {
		struct cache_node *node = NULL;

		while ((node = cache_find(&cache, i / 2 * UINT64_C(0x9e3779b97f4a7c15), node)) != NULL && node != &nodes[i])
			continue;
		found += node != NULL && i >= MANY - KEPT;
		gone += node == NULL && i < MANY - KEPT;
	}
	ck_assert_uint_eq(found, KEPT);
	ck_assert_uint_eq(gone, MANY - KEPT);
	cache_release(&cache);
	ck_assert_uint_eq(evicted, MANY);
	free(nodes);
}
END_TEST

/* The node is out before it is given up, so that its owner may free it at once. */
static void
free_thing(void *context, struct cache_node *node)
{
	const struct cache *cache = context;

	ck_assert_ptr_null(cache_find(cache, node->hash, NULL));
	memset(node, 0xff, sizeof(*node));
	free(node);
}

START_TEST(test_evicted_is_out)
{
	struct cache cache;

	cache_init(&cache, 10, free_thing, &cache);
	for (uint64_t i = 0; i < 100; i++) {
		struct cache_node *node = calloc(1, sizeof(*node));

		ck_assert_ptr_nonnull(node);
		ck_assert(cache_add(&cache, node, i, 1 + i % 4));
		ck_assert_uint_le(cache.cost, 10);
	}
	cache_release(&cache);
}
END_TEST

Suite *
cache_suite(void)
{
	Suite *suite = suite_create("cache");

	suite_add_rows(suite, test_story, stories);
	suite_add_test(suite, test_release_evicts_all);
	suite_add_test(suite, test_empty);
	suite_add_test(suite, test_equal_hashes);
	suite_add_test(suite, test_find_is_no_use);
	suite_add_test(suite, test_many);
	suite_add_test(suite, test_evicted_is_out);
	return suite;
}
