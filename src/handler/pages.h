/* struct pages: the hash of a page's bytes, by the state that the snapshot was in, so that an unchanged folder costs no
 * rendering. */
#ifndef HANDLER_PAGES_H
#define HANDLER_PAGES_H

#include "base/hash.h"
#include "listing/page.h"

struct pages;

/* A rendered page, which is a blob under its hash as long as there is room. */
struct rendered {
	struct hash hash;
	int64_t length;
};

/* NULL without memory. */
struct pages *pages_new(size_t budget);
void pages_free(struct pages *pages);

/* The hash of the rendered page, if it was noted for this version of the listing. */
bool pages_find(struct pages *pages, uint64_t version, const struct page *page, struct rendered *rendered);

/* Notes it. */
void pages_add(struct pages *pages, uint64_t version, const struct page *page, struct rendered rendered);

#endif
