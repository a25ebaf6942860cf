/* What is known of a directory, and in which order; fs/snapshot_refresh.c keeps it right. */
#include "fs/snapshot_parts.h"

#include "fs/directory.h"

#include <errno.h>
#include <stdlib.h>

void
snapshot_init(struct snapshot *snapshot)
{
	*snapshot = (struct snapshot){ .wd = -1, .stale = true };
	listing_init(&snapshot->listing);
	listing_init(&snapshot->changes);
}

void
snapshot_release(struct snapshot *snapshot)
{
	listing_release(&snapshot->listing);
	for (size_t i = 0; i < 3; i++)
		rows_release(&snapshot->rows[i]);
	rows_release(&snapshot->window.rows);
	free(snapshot->elsewhere);
	listing_release(&snapshot->changes);
}

void
snapshot_changed(struct snapshot *snapshot, bool order)
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

void
snapshot_entry_changed(struct snapshot *snapshot, struct entry *entry, bool order)
{
	snapshot_changed(snapshot, order);
	entry->stamp = (uint32_t)snapshot->version;
}

int
snapshot_read(struct snapshot *snapshot, const struct place *place, int64_t now, size_t most)
{
	int error;

	listing_reset(&snapshot->listing);
	listing_release(&snapshot->changes);
	snapshot_changed(snapshot, true);
	snapshot->looked_at_all = false;
	snapshot->lost = false;
	snapshot->fresh = true;
	snapshot->read_at = snapshot->checked_at = now;
	snapshot->check_next = 0;
	error = directory_names(&snapshot->listing, place->root, place->dir, place->path, most);
	snapshot->stale = error != 0;
	snapshot->arena_read = snapshot->listing.arena.len;
	return error;
}

void
snapshot_forget(struct snapshot *snapshot)
{
	listing_release(&snapshot->listing);
	for (size_t i = 0; i < 3; i++)
		rows_release(&snapshot->rows[i]);
	rows_release(&snapshot->window.rows);
	listing_release(&snapshot->changes);
	snapshot_changed(snapshot, true);
	snapshot->stale = true;
	snapshot->lost = false;
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
	snapshot_changed(snapshot, order);
	snapshot->elsewhere_ready = false;
	return 0;
}

/* Gone, or another kind than the directory said: the order is another now. */
static int
look_row(struct snapshot *snapshot, const struct place *place, struct entry *entry, bool *vanished)
{
	enum entry_kind kind = entry->kind;
	int error = directory_look(&snapshot->listing, entry, place->root, place->dir, place->path);

	if (error != 0 && error != -ENOENT) {
		snapshot->stale = true;
		return error;
	}
	entry->gone = error == -ENOENT;
	*vanished = *vanished || entry->gone || kind != entry->kind;
	snapshot_entry_changed(snapshot, entry, kind != entry->kind);
	snapshot->elsewhere_ready = false;
	return 0;
}

/* What has gone leaves the others right: a folder in which files come and go all the time need not be read again. */
static void
take_out_gone(struct snapshot *snapshot)
{
	struct listing *listing = &snapshot->listing;

	for (size_t i = 0; i < listing->count;) {
		if (listing->entries[i].gone)
			listing_remove(listing, &listing->entries[i]);
		else
			i++;
	}
	snapshot_changed(snapshot, true);
}

int
snapshot_look_rows(struct snapshot *snapshot, const struct place *place, const struct rows *rows, bool descending,
    size_t first, size_t shown, bool *vanished)
{
	int error = 0;

	*vanished = false;
	for (size_t i = first; i < first + shown && error == 0; i++) {
		struct entry *entry = &snapshot->listing.entries[rows_at(rows, i, descending)];

		if (!entry->looked)
			error = look_row(snapshot, place, entry, vanished);
	}
	if (*vanished)
		take_out_gone(snapshot);
	return error;
}

void
snapshot_adopt(struct snapshot *snapshot, struct listing *listing, struct rows *rows, enum sort_key sort, bool looked,
    int64_t began)
{
	listing_release(&snapshot->listing);
	snapshot->listing = *listing;
	listing_init(listing);
	snapshot_changed(snapshot, true);
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

/* By name nothing but names and kinds decides. */
static uint64_t
version_for(const struct snapshot *snapshot, enum sort_key sort)
{
	return sort == SORT_NAME ? snapshot->order_version : snapshot->version;
}

static bool
window_shows(const struct window *window, const struct view *view, size_t first, size_t shown)
{
	return window->sort == view->sort && window->descending == view->descending && window->first == first &&
	       window->shown == shown;
}

bool
snapshot_window_is_free(const struct snapshot *snapshot, const struct view *view, size_t first, size_t shown)
{
	const struct window *window = &snapshot->window;

	return window->version != version_for(snapshot, window->sort) || window_shows(window, view, first, shown);
}

const struct rows *
snapshot_window(struct snapshot *snapshot, const struct view *view, size_t first, size_t shown)
{
	uint64_t version = version_for(snapshot, view->sort);
	struct window *window = &snapshot->window;

	if (window->version == version && window_shows(window, view, first, shown))
		return &window->rows;
	window->version = 0;
	if (!rows_sort(&window->rows, &snapshot->listing, view, first, shown))
		return NULL;
	window->version = version;
	window->sort = view->sort;
	window->descending = view->descending;
	window->first = first;
	window->shown = shown;
	return &window->rows;
}

size_t
snapshot_cost(const struct snapshot *snapshot)
{
	const struct listing *listing = &snapshot->listing;
	size_t rows = snapshot->window.rows.index != NULL ? listing->count * sizeof(uint32_t) : 0;

	for (size_t i = 0; i < 3; i++)
		rows += snapshot->rows[i].index != NULL ? listing->count * sizeof(uint32_t) : 0;
	return sizeof(*snapshot) + listing->capacity * sizeof(struct entry) + listing->arena.cap + rows +
	    listing->slot_count * sizeof(uint32_t) +
	    snapshot->elsewhere_count * sizeof(uint32_t) + snapshot->subdirs.count * sizeof(struct subdir) +
	    snapshot->subdirs.names.cap;
}
