/* Two kinds of facts are in a listing. What the directory's watch tells of: names that come and go, and the size, time and
 * rights of files. And what it does not tell of (entry.elsewhere): the time of a subdirectory, what a link leads to, a
 * file that has a second name: of those the ones that a page depends on are looked at again at every use,
 * but for subdirectories that have a watch of their own by then (fs/subdirs). Writing through a
 * memory map tells nobody until that is let go of; so some entries are compared with the disk once a second, and a surprise throws
 * everything away. */
#include "fs/snapshot_parts.h"

#include "fs/directory.h"
#include "http/path.h"

#include <errno.h>
#include <stdlib.h>

#define CHECK_NANOSECONDS INT64_C(1000000000)
/* So many at least, and an eighth of them all, up to what takes two milliseconds. */
#define CHECK_ENTRIES 4
#define CHECK_ENTRIES_MAX 1000
#define CHECK_SHARE 8

/* So many changed names are noted of the smallest directory. */
#define CHANGES_LEAST 64

/* Names of entries that are gone stay in the arena; beyond this and as much as there was, all is read again. */
#define GARBAGE_MAX ((size_t)64 << 10)

/* More names than the directory had are looked at no quicker than it is read again; and they wait in memory that counts against no
 * budget, in every folder that is watched and that nobody asks for. One that is being read elsewhere may have any number. */
static size_t
most_changes(const struct snapshot *snapshot)
{
	size_t most = snapshot->listing.count + CHANGES_LEAST;

	return most < SNAPSHOT_CHANGES_MAX && !snapshot->stale ? most : SNAPSHOT_CHANGES_MAX;
}

/* A file that is written all the time, or some in turn, are told again and again: each name is noted once. */
static struct entry *
note_name(struct listing *changes, struct str name, size_t most)
{
	struct entry *entry;

	if (changes->slots == NULL && !listing_index(changes))
		return NULL;
	entry = listing_find(changes, name);
	if (entry != NULL || changes->count >= most)
		return entry;
	entry = listing_add(changes, name);
	if (entry != NULL)
		entry->told = true;
	return entry;
}

/* `by_subdir`: the entry is the same directory still, and its own watch goes on. */
static void
note(struct snapshot *snapshot, struct str name, bool by_subdir)
{
	struct entry *entry;

	if (snapshot->lost || name_is_hidden(name))
		return;
	entry = name.len > 0 ? note_name(&snapshot->changes, name, most_changes(snapshot)) : NULL;
	if (entry != NULL) {
		entry->told = entry->told && by_subdir;
		return;
	}
	snapshot->stale = snapshot->lost = true;
	listing_release(&snapshot->changes);
}

void
snapshot_note_change(struct snapshot *snapshot, struct str name)
{
	note(snapshot, name, false);
}

void
snapshot_note_subdir(struct snapshot *snapshot, struct str name)
{
	note(snapshot, name, true);
}

static bool
same_facts(const struct entry *a, const struct entry *b)
{
	return a->kind == b->kind && a->is_link == b->is_link && a->has_stat == b->has_stat && a->size == b->size &&
	    a->mtime == b->mtime;
}

/* Looks at an entry anew. -ENOENT when it is gone (it is still in the listing then). *surprise: it was not as it was held to be. */
static int
look_again(struct snapshot *snapshot, const struct place *place, struct entry *entry, bool *surprise)
{
	struct entry before = *entry;
	int error = directory_look(&snapshot->listing, entry, place->root, place->dir, place->path);

	if (error != 0)
		return error;
	*surprise = before.looked && !same_facts(&before, entry);
	if (!before.looked || *surprise)
		snapshot_entry_changed(snapshot, entry, before.kind != entry->kind);
	if (before.elsewhere != entry->elsewhere)
		snapshot->elsewhere_ready = false;
	return 0;
}

/* A name that went and came again while the directory was read may have been read twice: the first one stays. */
bool
snapshot_index_names(struct snapshot *snapshot)
{
	size_t count = snapshot->listing.count;

	if (snapshot->listing.slots != NULL)
		return true;
	if (!listing_index(&snapshot->listing))
		return false;
	if (snapshot->listing.count != count)
		snapshot_changed(snapshot, true);
	return true;
}

/* A file of two names came: the other name may be one of this directory, and was looked at when it was the only one. */
static bool
has_twin(const struct entry *entry, uint32_t inode)
{
	return entry->kind == ENTRY_FILE && entry->elsewhere && !entry->is_link && entry->inode != inode;
}

static int
take_change(struct snapshot *snapshot, const struct place *place, const struct entry *change)
{
	struct str name = listing_name(&snapshot->changes, change);
	struct entry *entry = listing_find(&snapshot->listing, name);
	bool fresh = entry == NULL, surprise;
	uint32_t inode = fresh ? 0 : entry->inode;
	int error;

	if (fresh && snapshot->listing.arena.len > 2 * snapshot->arena_read + GARBAGE_MAX)
		return -ESTALE;
	if (fresh)
		entry = listing_add(&snapshot->listing, name);
	if (entry == NULL)
		return -ESTALE;
	if (entry->told && !change->told) {
		entry->told = false;
		snapshot->elsewhere_ready = false;
	}
	error = look_again(snapshot, place, entry, &surprise);
	if (error == 0 && fresh)
		snapshot_changed(snapshot, true);
	if (error == 0 && has_twin(entry, inode))
		return -ESTALE;
	if (error != -ENOENT)
		return error;
	listing_remove(&snapshot->listing, entry);
	if (!fresh)
		snapshot_changed(snapshot, true);
	return 0;
}

static int
take_changes(struct snapshot *snapshot, const struct place *place)
{
	struct listing *changes = &snapshot->changes;
	int error = 0;

	if (changes->count > 0 && !snapshot_index_names(snapshot))
		error = -ENOMEM;
	for (size_t i = 0; i < changes->count && error == 0; i++)
		error = take_change(snapshot, place, &changes->entries[i]);
	if (changes->count > 0)
		listing_release(changes);
	return error;
}

static bool
is_untold(const struct entry *entry)
{
	return entry->elsewhere && !entry->told;
}

static bool
list_elsewhere(struct snapshot *snapshot)
{
	const struct listing *listing = &snapshot->listing;
	size_t count = 0, links = 0, dirs = 0, others;
	uint32_t *grown;

	if (snapshot->elsewhere_ready)
		return true;
	for (size_t i = 0; i < listing->count; i++) {
		count += is_untold(&listing->entries[i]);
		links += is_untold(&listing->entries[i]) && listing->entries[i].is_link;
		dirs += is_untold(&listing->entries[i]) && !listing->entries[i].is_link && listing->entries[i].kind == ENTRY_DIRECTORY;
	}
	grown = realloc(snapshot->elsewhere, (count + 1) * sizeof(*grown));
	if (grown == NULL)
		return false;
	snapshot->elsewhere = grown;
	snapshot->elsewhere_count = count;
	snapshot->elsewhere_links = others = links;
	snapshot->elsewhere_dirs = dirs;
	links = 0;
	for (size_t i = 0; i < listing->count; i++)
		if (is_untold(&listing->entries[i]))
			grown[listing->entries[i].is_link ? links++ : others++] = (uint32_t)i;
	snapshot->elsewhere_ready = true;
	snapshot->calm = 0;
	return true;
}

/* One that is gone was told to go, in a moment: it is read again. */
int
snapshot_look_again(struct snapshot *snapshot, const struct place *place, size_t position)
{
	bool surprise;
	int error = look_again(snapshot, place, &snapshot->listing.entries[position], &surprise);

	if (error == 0)
		return 0;
	snapshot->stale = true;
	return error == -ENOENT ? -ESTALE : error;
}

int
snapshot_look_untold(struct snapshot *snapshot, const struct place *place, bool links_only)
{
	size_t count;
	int error = 0;

	if (!list_elsewhere(snapshot))
		return -ENOMEM;
	count = links_only ? snapshot->elsewhere_links : snapshot->elsewhere_count;
	for (size_t i = 0; i < count && error == 0; i++)
		error = snapshot_look_again(snapshot, place, snapshot->elsewhere[i]);
	return error;
}

/* Where there are too many subdirectories for a watch each, those of the pages that are asked for get one. */
static void
note_shown(struct snapshot *snapshot, struct entry *entry)
{
	if (entry->shown)
		return;
	entry->shown = true;
	snapshot->calm = 0;
	snapshot->subdirs.left = 0;
}

int
snapshot_look_untold_rows(struct snapshot *snapshot, const struct place *place, const struct rows *rows, bool descending,
    size_t first, size_t shown)
{
	int error = 0;

	for (size_t i = first; i < first + shown && error == 0; i++) {
		size_t position = rows_at(rows, i, descending);
		struct entry *entry = &snapshot->listing.entries[position];

		if (!is_untold(entry) || entry->is_link)
			continue;
		note_shown(snapshot, entry);
		error = snapshot_look_again(snapshot, place, position);
	}
	return error;
}

size_t
snapshot_untold_looks(struct snapshot *snapshot, bool links_only)
{
	size_t links, others;

	if (!list_elsewhere(snapshot))
		return 0;
	links = snapshot->elsewhere_links;
	others = snapshot->elsewhere_count - links;
	return links * DIRECTORY_LINK_LOOKS + (links_only ? 0 : others);
}

static int
check_some(struct snapshot *snapshot, const struct place *place, int64_t now)
{
	size_t share = snapshot->listing.count / CHECK_SHARE;
	size_t most = share < CHECK_ENTRIES ? CHECK_ENTRIES : share > CHECK_ENTRIES_MAX ? CHECK_ENTRIES_MAX : share;
	bool surprise = false;
	int error;

	if (now - snapshot->checked_at < CHECK_NANOSECONDS && now >= snapshot->checked_at)
		return 0;
	snapshot->checked_at = now;
	for (size_t i = 0; i < most && i < snapshot->listing.count; i++) {
		struct entry *entry;

		if (snapshot->check_next >= snapshot->listing.count)
			snapshot->check_next = 0;
		entry = &snapshot->listing.entries[snapshot->check_next++];
		if (!entry->looked || is_untold(entry))
			continue;
		error = look_again(snapshot, place, entry, &surprise);
		if (error != 0 || surprise)
			return error == 0 || error == -ENOENT ? -ESTALE : error;
	}
	return 0;
}

int
snapshot_refresh(struct snapshot *snapshot, const struct place *place, int64_t now)
{
	int error = snapshot->stale ? -ESTALE : take_changes(snapshot, place);

	snapshot->fresh = false;
	if (error == 0)
		error = check_some(snapshot, place, now);
	/* What could not be looked at (no descriptor left) was taken off the list of changes all the same. */
	if (error != 0)
		snapshot->stale = true;
	return error;
}
