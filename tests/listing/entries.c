#include "listing/entries.h"

#include "suites.h"

struct entry *
add_entry(struct listing *listing, const char *name, enum entry_kind kind, int64_t size)
{
	struct entry *entry = listing_add(listing, str_from(name));

	ck_assert_ptr_nonnull(entry);
	entry->kind = (uint8_t)kind;
	entry->has_stat = true;
	entry->size = size;
	entry->mtime = INT64_C(1700000000123456789);
	return entry;
}

void
set_entry(struct listing *listing, const char *name, struct entry facts)
{
	struct entry *entry = listing_add(listing, str_from(name));

	ck_assert_ptr_nonnull(entry);
	facts.name = entry->name;
	facts.name_len = entry->name_len;
	facts.key = entry->key;
	facts.key_len = entry->key_len;
	*entry = facts;
}
