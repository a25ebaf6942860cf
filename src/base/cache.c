/* One table with one order of use serves open files, snapshots and bodies alike. */
#include "base/cache.h"

#include <stdlib.h>

void
cache_init(struct cache *cache, size_t budget, void (*evict)(void *context, struct cache_node *node), void *context)
{
	*cache = (struct cache){ .budget = budget, .evict = evict, .context = context };
	cache->use.newer = cache->use.older = &cache->use;
}

void
cache_release(struct cache *cache)
{
	struct cache_node *node;

	while ((node = cache_oldest(cache)) != NULL) {
		cache_remove(cache, node);
		cache->evict(cache->context, node);
	}
	free(cache->buckets);
	cache->buckets = NULL;
	cache->bucket_count = 0;
}

static struct cache_node **
bucket_of(const struct cache *cache, uint64_t hash)
{
	return &cache->buckets[hash & (cache->bucket_count - 1)];
}

struct cache_node *
cache_find(const struct cache *cache, uint64_t hash, const struct cache_node *after)
{
	struct cache_node *node = NULL;

	if (after != NULL)
		node = after->chain;
	else if (cache->bucket_count > 0)
		node = *bucket_of(cache, hash);
	while (node != NULL && node->hash != hash)
		node = node->chain;
	return node;
}

static void
link_newest(struct cache *cache, struct cache_node *node)
{
	node->newer = &cache->use;
	node->older = cache->use.older;
	node->older->newer = node;
	cache->use.older = node;
}

static void
unlink_use(struct cache_node *node)
{
	node->newer->older = node->older;
	node->older->newer = node->newer;
}

void
cache_touch(struct cache *cache, struct cache_node *node)
{
	if (cache->use.older == node)
		return;
	unlink_use(node);
	link_newest(cache, node);
}

struct cache_node *
cache_oldest(const struct cache *cache)
{
	return cache->count > 0 ? cache->use.newer : NULL;
}

/* Twice as many buckets once there are as many nodes. */
static bool
grow(struct cache *cache)
{
	size_t wanted = cache->bucket_count == 0 ? 64 : cache->bucket_count * 2;
	struct cache_node **old = cache->buckets, **fresh, *node, *next;
	size_t old_count = cache->bucket_count;

	if (cache->count < cache->bucket_count)
		return true;
	fresh = calloc(wanted, sizeof(struct cache_node *));
	if (fresh == NULL)
		return cache->bucket_count > 0;
	cache->buckets = fresh;
	cache->bucket_count = wanted;
	for (size_t i = 0; i < old_count; i++)
		for (node = old[i]; node != NULL; node = next) {
			struct cache_node **bucket = bucket_of(cache, node->hash);

			next = node->chain;
			node->chain = *bucket;
			*bucket = node;
		}
	free(old);
	return true;
}

static void
evict_over_budget(struct cache *cache, const struct cache_node *keep)
{
	struct cache_node *node;

	while (cache->cost > cache->budget && (node = cache_oldest(cache)) != keep && node != NULL) {
		cache_remove(cache, node);
		cache->evict(cache->context, node);
	}
}

bool
cache_add(struct cache *cache, struct cache_node *node, uint64_t hash, size_t cost)
{
	struct cache_node **bucket;

	if (cost > cache->budget || !grow(cache))
		return false;
	node->hash = hash;
	node->cost = cost;
	bucket = bucket_of(cache, hash);
	node->chain = *bucket;
	*bucket = node;
	link_newest(cache, node);
	cache->count++;
	cache->cost += cost;
	evict_over_budget(cache, node);
	return true;
}

void
cache_recost(struct cache *cache, struct cache_node *node, size_t cost)
{
	cache->cost += cost - node->cost;
	node->cost = cost;
	cache_touch(cache, node);
	evict_over_budget(cache, node);
}

void
cache_remove(struct cache *cache, struct cache_node *node)
{
	struct cache_node **at = bucket_of(cache, node->hash);

	while (*at != node)
		at = &(*at)->chain;
	*at = node->chain;
	unlink_use(node);
	cache->count--;
	cache->cost -= node->cost;
}
