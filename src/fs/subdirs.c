/* Of a subdirectory a listing shows the time, which moves when something in it comes or goes: the parent's watch is not told of that. A
 * look at each costs a microsecond, and a folder of folders is nothing else; a watch costs memory in the kernel and five microseconds
 * once. So it is worth it for what is listed again and again, and for a number of them that leaves watches to others.
 *
 * Whatever the parent's watch tells of the name (it was renamed, replaced, touched) ends this for that one: it is looked at again
 * until it has a new watch. */
#include "fs/subdirs.h"

#include "fs/snapshot_parts.h"
#include "fs/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* All names of a snapshot's subdirectories together. */
#define NAMES_MAX ((size_t)16 << 20)

static struct subdir **
place_of(struct subdirs_table *table, int wd)
{
	return &table->by_wd[(size_t)wd % SUBDIRS_PLACES];
}

static bool
is_candidate(const struct entry *entry, bool only_shown)
{
	return entry->kind == ENTRY_DIRECTORY && entry->looked && !entry->is_link && entry->elsewhere &&
	       (entry->shown || !only_shown);
}

/* Whether its own watch tells all. What is mounted there has its time set without telling by name: its parent is elsewhere. */
static bool
tells_all(int dir)
{
	struct statx found;

	if (statx(dir, "", AT_EMPTY_PATH, STATX_TYPE, &found) == 0 && (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0)
		return false;
	return watch_is_told(dir);
}

/* The number of a new watch, or -errno. */
static int
watch_one(struct watch *watch, int dir, struct str name)
{
	char text[NAME_MAX + 1];
	int fd, wd;

	if (name.len > NAME_MAX)
		return -ENOENT;
	memcpy(text, name.ptr, name.len);
	text[name.len] = '\0';
	fd = openat(dir, text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	wd = tells_all(fd) ? watch_add(watch, fd, WATCH_NAMES) : -EXDEV;
	close(fd);
	return wd;
}

static void
add(struct subdirs_table *table, struct snapshot *snapshot, struct subdirs *subdirs, int wd, struct str name)
{
	struct subdir *subdir = &subdirs->list[subdirs->count++];

	*subdir = (struct subdir){ .wd = wd, .name = (uint32_t)subdirs->names.len, .name_len = (uint32_t)name.len,
		.snapshot = snapshot, .next = *place_of(table, wd) };
	*place_of(table, wd) = subdir;
	buf_str(&subdirs->names, name);
}

static void
unlink_one(struct subdirs_table *table, const struct subdir *subdir)
{
	struct subdir **at = place_of(table, subdir->wd);

	while (*at != subdir)
		at = &(*at)->next;
	*at = subdir->next;
}

static struct str
name_of(const struct subdirs *subdirs, const struct subdir *subdir)
{
	return str_sub(buf_view(&subdirs->names), subdir->name, subdir->name_len);
}

static size_t
count_candidates(const struct listing *listing, bool only_shown, size_t *names)
{
	size_t count = 0;

	*names = 0;
	for (size_t i = 0; i < listing->count; i++) {
		if (!is_candidate(&listing->entries[i], only_shown))
			continue;
		count++;
		*names += listing->entries[i].name_len;
	}
	return count;
}

/* Makes room for so many, and goes on with those that are told still: each watch given up and taken again would cost as much as ten looks.
 * False without memory. */
static bool
make_room(struct subdirs_table *table, struct watch *watch, struct snapshot *snapshot, bool only_shown, size_t count,
    size_t names)
{
	struct subdirs *subdirs = &snapshot->subdirs, fresh = { .list = malloc((count + 1) * sizeof(*fresh.list)) };

	buf_init(&fresh.names, NAMES_MAX);
	if (fresh.list == NULL || !buf_reserve(&fresh.names, names)) {
		free(fresh.list);
		return false;
	}
	for (size_t i = 0; i < subdirs->count; i++) {
		const struct subdir *subdir = &subdirs->list[i];
		struct entry *entry = listing_find(&snapshot->listing, name_of(subdirs, subdir));
		bool told = entry != NULL && entry->told;

		unlink_one(table, subdir);
		if (told && is_candidate(entry, only_shown)) {
			add(table, snapshot, &fresh, subdir->wd, name_of(subdirs, subdir));
			continue;
		}
		if (told)
			entry->told = false;
		watch_remove(watch, subdir->wd);
	}
	free(subdirs->list);
	buf_release(&subdirs->names);
	*subdirs = fresh;
	return true;
}

/* Those that are not told yet, at the most so many. 0 or as subdirs_watch. */
static int
watch_untold(struct subdirs_table *table, struct watch *watch, struct snapshot *snapshot, const struct place *place,
    bool only_shown, size_t most)
{
	struct listing *listing = &snapshot->listing;
	struct subdirs *subdirs = &snapshot->subdirs;
	size_t enough = subdirs->count + most;
	int error = 0;

	subdirs->left = 0;
	for (size_t i = 0; i < listing->count && error == 0 && subdirs->count < enough; i++) {
		struct entry *entry = &listing->entries[i];
		int wd;

		if (entry->told || !is_candidate(entry, only_shown))
			continue;
		wd = watch_one(watch, place->dir, listing_name(listing, entry));
		if (wd == -ENOSPC || wd == -ENOMEM || wd == -EMFILE) {
			subdirs->left = SIZE_MAX;
			break;
		}
		subdirs->left += wd < 0;
		if (wd < 0)
			continue;
		add(table, snapshot, subdirs, wd, listing_name(listing, entry));
		entry->told = true;
		error = snapshot_look_again(snapshot, place, i);
	}
	return error;
}

/* Which pages are asked for now is to be found out anew. */
static void
forget_shown(struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		listing->entries[i].shown = false;
}

int
subdirs_watch(struct subdirs_table *table, struct watch *watch, struct snapshot *snapshot, const struct place *place, size_t most,
    size_t at_once)
{
	struct subdirs *subdirs = &snapshot->subdirs;
	bool indexed = subdirs->count == 0 || snapshot_index_names(snapshot), only_shown;
	size_t names, all = count_candidates(&snapshot->listing, false, &names), count = all;
	int error;

	only_shown = all > most;
	if (only_shown)
		count = count_candidates(&snapshot->listing, true, &names);
	if (count > most)
		forget_shown(&snapshot->listing);
	if (!indexed || count == 0 || count > most || !make_room(table, watch, snapshot, only_shown, count, names)) {
		subdirs_unwatch(table, watch, snapshot);
		subdirs->left = all;
		return 0;
	}
	error = watch_untold(table, watch, snapshot, place, only_shown, at_once);
	subdirs->left = subdirs->left == SIZE_MAX ? all - subdirs->count : subdirs->left + all - count;
	snapshot->elsewhere_ready = false;
	return error;
}

void
subdirs_unwatch(struct subdirs_table *table, struct watch *watch, struct snapshot *snapshot)
{
	struct subdirs *subdirs = &snapshot->subdirs;

	for (size_t i = 0; i < subdirs->count; i++) {
		unlink_one(table, &subdirs->list[i]);
		watch_remove(watch, subdirs->list[i].wd);
	}
	if (subdirs->count > 0)
		snapshot->elsewhere_ready = false;
	for (size_t i = 0; i < snapshot->listing.count && subdirs->count > 0; i++)
		snapshot->listing.entries[i].told = false;
	free(subdirs->list);
	buf_release(&subdirs->names);
	subdirs->list = NULL;
	subdirs->count = 0;
}

void
subdirs_tell(struct subdirs_table *table, int wd, struct str name)
{
	for (struct subdir *subdir = *place_of(table, wd); subdir != NULL; subdir = subdir->next) {
		struct snapshot *snapshot = subdir->snapshot;
		struct str own = name_of(&snapshot->subdirs, subdir);

		if (subdir->wd != wd)
			continue;
		/* Of itself: moved, deleted, or its watch is no more. */
		if (name.len == 0)
			snapshot_note_change(snapshot, own);
		else
			snapshot_note_subdir(snapshot, own);
	}
}
