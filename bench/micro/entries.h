/* A folder of N entries, the same each time: names with digits, mixed case and endings, one folder in forty. */
#ifndef ENTRIES_H
#define ENTRIES_H

#include "listing/listing.h"

#include <stdio.h>

static inline void
entries_make(struct listing *listing, size_t count)
{
	static const char *const words[] = { "report", "Photo", "backup", "invoice", "draft", "notes", "Scan", "lecture" };
	static const char *const kinds[] = { "txt", "pdf", "jpg", "tar.gz", "html", "log", "mp4", "csv" };
	uint64_t state = 1;

	listing_init(listing);
	for (size_t i = 0; i < count; i++) {
		char name[64];
		struct entry *entry;
		bool folder = i % 40 == 39;

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		if (folder)
			snprintf(name, sizeof(name), "%s-%zu", words[state >> 61], i);
		else
			snprintf(name, sizeof(name), "%s-%zu.%s", words[state >> 61], i, kinds[(state >> 58) & 7]);
		entry = listing_add(listing, str_from(name));
		if (entry == NULL)
			return;
		entry->kind = folder ? ENTRY_DIRECTORY : ENTRY_FILE;
		entry->has_stat = true;
		entry->size = (int64_t)((state >> 33) % 10000000);
		entry->mtime = (INT64_C(1600000000) + (int64_t)((state >> 30) % 90000000)) * 1000000000;
	}
}

#endif
