/* A version of a snapshot never comes again, so nothing here is ever wrong; what is old falls out by use. */
#include "handler/pages.h"

#include "base/cache.h"
#include "handler/sheet.h"

#include <stdlib.h>

struct noted {
	struct cache_node node;
	struct hash key;
	struct rendered rendered;
};

struct pages {
	struct cache cache;
};

static void
evict(void *context, struct cache_node *node)
{
	(void)context;
	free(node);
}

struct pages *
pages_new(size_t budget)
{
	struct pages *pages = calloc(1, sizeof(*pages));

	if (pages != NULL)
		cache_init(&pages->cache, budget, evict, NULL);
	return pages;
}

void
pages_free(struct pages *pages)
{
	if (pages == NULL)
		return;
	cache_release(&pages->cache);
	free(pages);
}

/* Everything that makes one page of one listing another: its version, its view, the URL that is in it. */
static struct hash
key_of(uint64_t version, const struct page *page)
{
	struct hash view = page_identity(page);
	const uint64_t key[] = { version, view.high, view.low };

	return hash_bytes((struct str){ (const char *)key, sizeof(key) });
}

static struct noted *
find(struct pages *pages, struct hash key)
{
	struct cache_node *node = NULL;

	while ((node = cache_find(&pages->cache, key.low, node)) != NULL)
		if (((struct noted *)node)->key.high == key.high)
			return (struct noted *)node;
	return NULL;
}

bool
pages_find(struct pages *pages, uint64_t version, const struct page *page, struct rendered *rendered)
{
	struct noted *noted = find(pages, key_of(version, page));

	if (noted == NULL)
		return false;
	cache_touch(&pages->cache, &noted->node);
	*rendered = noted->rendered;
	return true;
}

void
pages_add(struct pages *pages, uint64_t version, const struct page *page, struct rendered rendered)
{
	struct noted *noted = malloc(sizeof(*noted));

	if (noted == NULL)
		return;
	noted->key = key_of(version, page);
	noted->rendered = rendered;
	if (!cache_add(&pages->cache, &noted->node, noted->key.low, sizeof(*noted)))
		free(noted);
}
