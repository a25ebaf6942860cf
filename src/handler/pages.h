/* struct pages: what a page of a snapshot says, by the state that the snapshot was in, so that an unchanged folder costs neither
 * rendering nor the hashing of its facts. */
#ifndef HANDLER_PAGES_H
#define HANDLER_PAGES_H

#include "base/hash.h"
#include "listing/page.h"

struct pages;

/* NULL without memory. */
struct pages *pages_new(size_t budget);
void pages_free(struct pages *pages);

/* The hash of everything that the page shows, if it was noted for this version of the listing. */
bool pages_find(struct pages *pages, uint64_t version, const struct page *page, struct hash *facts);

/* Notes it. */
void pages_add(struct pages *pages, uint64_t version, const struct page *page, struct hash facts);

#endif
