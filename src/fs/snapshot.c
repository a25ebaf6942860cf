/* Two kinds of facts are in a listing. What the directory's watch tells of: names that come and go, and the size, time and
 * rights of files. And what it does not tell of (entry.elsewhere): the time of a subdirectory, what a link leads to, a
 * file that has a second name: those are looked at again at every use. Writing through a memory map tells nobody; so some
 * entries are compared with the disk once a second, and a surprise throws everything away. */
#include "fs/snapshot.h"

#include "fs/directory.h"
#include "http/path.h"

#include <errno.h>
#include <stdlib.h>

#define CHECK_NANOSECONDS INT64_C(1000000000)
/* So many at least, and an eighth of them all, up to what takes two milliseconds. */
#define CHECK_ENTRIES 4
#define CHECK_ENTRIES_MAX 1000
#define CHECK_SHARE 8

/* Names of entries that are gone stay in the arena; beyond this and as much as there was, all is read again. */
#define GARBAGE_MAX ((size_t)64 << 10)

void
snapshot_init(struct snapshot *snapshot)
{
	*snapshot = (struct snapshot){ .wd = -1, .stale = true };
	listing_init(&snapshot->listing);
	buf_init(&snapshot->changes, SNAPSHOT_CHANGES_MAX);
}

void
snapshot_release(struct snapshot *snapshot)
{
	listing_release(&snapshot->listing);
	for (size_t i = 0; i < 3; i++)
		rows_release(&snapshot->rows[i]);
	free(snapshot->elsewhere);
	buf_release(&snapshot->changes);
}

/* Something shown changed; `order`: names or kinds too, so that no order of rows holds. */
static void
changed(struct snapshot *snapshot, bool order)
{
	snapshot->version++;
	snapshot->rows_ready[SORT_SIZE] = false;
	snapshot->rows_ready[SORT_TIME] = false;
	if (!order)
		return;
	snapshot->order_version = snapshot->version;
	snapshot->rows_ready[SORT_NAME] = false;
	snapshot->elsewhere_ready = false;
}

static void
entry_changed(struct snapshot *snapshot, struct entry *entry, bool order)
{
	changed(snapshot, order);
	entry->stamp = (uint32_t)snapshot->version;
}

int
snapshot_read(struct snapshot *snapshot, const struct place *place, int64_t now)
{
	int error;

	listing_reset(&snapshot->listing);
	buf_reset(&snapshot->changes);
	changed(snapshot, true);
	snapshot->looked_at_all = false;
	snapshot->lost = false;
	snapshot->read_at = snapshot->checked_at = now;
	snapshot->check_next = 0;
	error = directory_names(&snapshot->listing, place->root, place->dir, place->path);
	snapshot->stale = error != 0;
	snapshot->arena_read = snapshot->listing.arena.len;
	return error;
}

void
snapshot_note_change(struct snapshot *snapshot, struct str name)
{
	if (name.len == 0)
		snapshot->stale = snapshot->lost = true;
	if (snapshot->lost || name_is_hidden(name))
		return;
	buf_str(&snapshot->changes, name);
	buf_char(&snapshot->changes, '\0');
	if (buf_failed(&snapshot->changes))
		snapshot->stale = snapshot->lost = true;
}

void
snapshot_forget(struct snapshot *snapshot)
{
	listing_release(&snapshot->listing);
	for (size_t i = 0; i < 3; i++)
		rows_release(&snapshot->rows[i]);
	buf_reset(&snapshot->changes);
	changed(snapshot, true);
	snapshot->stale = true;
	snapshot->lost = false;
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
		entry_changed(snapshot, entry, before.kind != entry->kind);
	if (before.elsewhere != entry->elsewhere)
		snapshot->elsewhere_ready = false;
	return 0;
}

/* A name that went and came again while the directory was read may have been read twice: the first one stays. */
static void
remove_doubles(struct snapshot *snapshot, size_t first)
{
	struct listing *listing = &snapshot->listing;
	struct str name = listing_name(listing, &listing->entries[first]);

	for (size_t i = first + 1; i < listing->count;) {
		if (!str_eq(listing_name(listing, &listing->entries[i]), name)) {
			i++;
			continue;
		}
		listing_remove(listing, &listing->entries[i]);
		changed(snapshot, true);
	}
}

/* A file of two names came: the other name may be one of this directory, and was looked at when it was the only one. */
static bool
has_twin(const struct entry *entry, uint32_t inode)
{
	return entry->kind == ENTRY_FILE && entry->elsewhere && !entry->is_link && entry->inode != inode;
}

static int
take_change(struct snapshot *snapshot, const struct place *place, struct str name)
{
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
	if (!fresh)
		remove_doubles(snapshot, (size_t)(entry - snapshot->listing.entries));
	error = look_again(snapshot, place, entry, &surprise);
	if (error == 0 && fresh)
		changed(snapshot, true);
	if (error == 0 && has_twin(entry, inode))
		return -ESTALE;
	if (error != -ENOENT)
		return error;
	listing_remove(&snapshot->listing, entry);
	if (!fresh)
		changed(snapshot, true);
	return 0;
}

/* A name told twice is looked at twice at the most: the list is short. */
static int
take_changes(struct snapshot *snapshot, const struct place *place)
{
	struct str rest = buf_view(&snapshot->changes), name, last = S("");
	int error = 0;

	while (rest.len > 0 && error == 0 && str_cut(&rest, '\0', &name)) {
		if (!str_eq(name, last))
			error = take_change(snapshot, place, name);
		last = name;
	}
	buf_reset(&snapshot->changes);
	return error;
}

static bool
list_elsewhere(struct snapshot *snapshot)
{
	const struct listing *listing = &snapshot->listing;
	size_t count = 0;
	uint32_t *grown;

	for (size_t i = 0; i < listing->count; i++)
		count += listing->entries[i].elsewhere;
	grown = realloc(snapshot->elsewhere, (count + 1) * sizeof(*grown));
	if (grown == NULL)
		return false;
	snapshot->elsewhere = grown;
	snapshot->elsewhere_count = 0;
	for (size_t i = 0; i < listing->count; i++)
		if (listing->entries[i].elsewhere)
			grown[snapshot->elsewhere_count++] = (uint32_t)i;
	snapshot->elsewhere_ready = true;
	return true;
}

static int
look_elsewhere(struct snapshot *snapshot, const struct place *place)
{
	bool surprise;

	if (!snapshot->elsewhere_ready && !list_elsewhere(snapshot))
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->elsewhere_count; i++) {
		int error = look_again(snapshot, place, &snapshot->listing.entries[snapshot->elsewhere[i]], &surprise);

		if (error != 0)
			return error == -ENOENT ? -ESTALE : error;
	}
	return 0;
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
		if (!entry->looked || entry->elsewhere)
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

	if (error == 0)
		error = look_elsewhere(snapshot, place);
	if (error == 0)
		error = check_some(snapshot, place, now);
	/* What could not be looked at (no descriptor left) was taken off the list of changes all the same. */
	if (error != 0)
		snapshot->stale = true;
	return error;
}

int
snapshot_look_all(struct snapshot *snapshot, const struct place *place)
{
	struct listing *listing = &snapshot->listing;
	bool order = false;

	if (snapshot->looked_at_all)
		return 0;
	for (size_t i = 0; i < listing->count;) {
		struct entry *entry = &listing->entries[i];
		enum entry_kind kind = entry->kind;
		int error = 0;

		if (!entry->looked) {
			error = directory_look(listing, entry, place->root, place->dir, place->path);
			entry->stamp = (uint32_t)(snapshot->version + 1);
		}
		if (error != 0 && error != -ENOENT) {
			snapshot->stale = true;
			return error;
		}
		order = order || error == -ENOENT || kind != entry->kind;
		if (error == -ENOENT)
			listing_remove(listing, entry);
		else
			i++;
	}
	snapshot->looked_at_all = true;
	changed(snapshot, order);
	snapshot->elsewhere_ready = false;
	return 0;
}

int
snapshot_look_rows(struct snapshot *snapshot, const struct place *place, const struct rows *rows, bool descending,
    size_t first, size_t shown, bool *vanished)
{
	*vanished = false;
	for (size_t i = first; i < first + shown; i++) {
		struct entry *entry = &snapshot->listing.entries[rows_at(rows, i, descending)];
		enum entry_kind kind = entry->kind;
		int error;

		if (entry->looked)
			continue;
		error = directory_look(&snapshot->listing, entry, place->root, place->dir, place->path);
		if (error != 0)
			snapshot->stale = true;
		if (error != 0 && error != -ENOENT)
			return error;
		/* Gone, or another kind than the directory said: the order is another now. */
		*vanished = *vanished || error == -ENOENT || kind != entry->kind;
		entry_changed(snapshot, entry, kind != entry->kind);
		snapshot->elsewhere_ready = false;
	}
	return 0;
}

void
snapshot_adopt(struct snapshot *snapshot, struct listing *listing, struct rows *rows, enum sort_key sort, bool looked,
    int64_t began)
{
	listing_release(&snapshot->listing);
	snapshot->listing = *listing;
	listing_init(listing);
	changed(snapshot, true);
	snapshot->stale = false;
	snapshot->looked_at_all = looked;
	snapshot->arena_read = snapshot->listing.arena.len;
	snapshot->read_at = snapshot->checked_at = began;
	snapshot->check_next = 0;
	if (rows == NULL)
		return;
	rows_release(&snapshot->rows[sort]);
	snapshot->rows[sort] = *rows;
	*rows = (struct rows){ 0 };
	snapshot->rows_ready[sort] = true;
}

const struct rows *
snapshot_rows(struct snapshot *snapshot, const struct view *view)
{
	const struct view ascending = { .sort = view->sort };
	struct rows *rows = &snapshot->rows[view->sort];

	if (!snapshot->rows_ready[view->sort] && !rows_sort(rows, &snapshot->listing, &ascending, 0, SIZE_MAX))
		return NULL;
	snapshot->rows_ready[view->sort] = true;
	return rows;
}

size_t
snapshot_cost(const struct snapshot *snapshot)
{
	const struct listing *listing = &snapshot->listing;
	size_t rows = 0;

	for (size_t i = 0; i < 3; i++)
		rows += snapshot->rows[i].index != NULL ? listing->count * sizeof(uint32_t) : 0;
	return sizeof(*snapshot) + listing->capacity * sizeof(struct entry) + listing->arena.cap + rows +
	    snapshot->elsewhere_count * sizeof(uint32_t);
}
