/* What snapshot.c and snapshot_refresh.c share. */
#ifndef FS_SNAPSHOT_PARTS_H
#define FS_SNAPSHOT_PARTS_H

#include "fs/snapshot.h"

/* Something shown changed; `order`: names or kinds too, so that no order of rows holds. */
void snapshot_changed(struct snapshot *snapshot, bool order);

/* The same, of one entry. */
void snapshot_entry_changed(struct snapshot *snapshot, struct entry *entry, bool order);

/* Makes listing_find quick. Entries may change their places. False without memory. */
bool snapshot_index_names(struct snapshot *snapshot);

/* Looks at an entry anew that was there. 0, -ESTALE when it is gone, or -errno as directory_look; then the snapshot is stale. */
int snapshot_look_again(struct snapshot *snapshot, const struct place *place, size_t position);

#endif
