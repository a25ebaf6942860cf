/* Things found by a hash, the least recently used given up when a budget is full. Intrusive: a cached thing has a
 * struct cache_node as its first member; the cache allocates nothing but its buckets and owns no memory of the things. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include "base/str.h"

struct cache_node {
	struct cache_node *chain;          /* next in the bucket */
	struct cache_node *newer, *older;  /* by use */
	uint64_t hash;
	size_t cost;                       /* what it counts against the budget */
};

struct cache {
	struct cache_node **buckets;
	size_t bucket_count;               /* a power of two, or 0 */
	size_t count;
	size_t cost;                       /* of all nodes */
	size_t budget;
	struct cache_node use;             /* ring: use.older is the newest, use.newer the oldest */
	void (*evict)(void *context, struct cache_node *node); /* the node is out already: give it up */
	void *context;
};

/* An empty cache. Allocates nothing. */
void cache_init(struct cache *cache, size_t budget, void (*evict)(void *context, struct cache_node *node), void *context);

/* Evicts every node. */
void cache_release(struct cache *cache);

/* The first node with this hash, or the next one after `after` (NULL: the first). The caller compares keys. Does not count as use. */
struct cache_node *cache_find(const struct cache *cache, uint64_t hash, const struct cache_node *after);

/* Makes it the most recently used. */
void cache_touch(struct cache *cache, struct cache_node *node);

/* Adds a node, then evicts the least recently used others until the budget holds. False, and nothing done, without memory
 * or when it alone is over the budget. */
bool cache_add(struct cache *cache, struct cache_node *node, uint64_t hash, size_t cost);

/* The node's cost has changed; evicts others as cache_add does. */
void cache_recost(struct cache *cache, struct cache_node *node, size_t cost);

/* Takes a node out without evicting it. */
void cache_remove(struct cache *cache, struct cache_node *node);

/* The least recently used node, or NULL. */
struct cache_node *cache_oldest(const struct cache *cache);

#endif
