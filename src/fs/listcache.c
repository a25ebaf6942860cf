/* The directory has been opened anew for each request, along its path and under the root's rules; so nothing here
 * decides what may be seen. What is saved is reading and looking. */
#include "fs/listcache.h"

#include "base/hash.h"
#include "fs/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define WD_PLACES 1024

/* So often a snapshot is used as it is before its subdirectories are worth a watch each. */
#define CALM_USES 2

/* So many get one in one use: that takes as long as ten looks each. */
#define SUBDIRS_AT_ONCE (LISTCACHE_LOOKS / 10)
#define DRAIN_NANOSECONDS INT64_C(1000000000)

struct listcache {
	struct cache cache;
	struct watch *watch;
	struct subdirs_table subdirs;
	struct snapshot *by_wd[WD_PLACES];  /* the watched ones: one told change is one look here */
	int64_t drained_at;
	struct listcache_options options;
	size_t watched;
	uint64_t versions;
	int error;              /* why a directory is not watched that could be; 0: none was */
	bool complained;
};

static struct snapshot **
wd_place(struct listcache *cache, int wd)
{
	return &cache->by_wd[(size_t)wd % WD_PLACES];
}

static void
take_event(void *context, int wd, struct str name)
{
	struct listcache *cache = context;
	size_t first = wd < 0 ? 0 : (size_t)wd % WD_PLACES, last = wd < 0 ? WD_PLACES - 1 : first;

	for (size_t i = first; i <= last; i++)
		for (struct snapshot *snapshot = cache->by_wd[i]; snapshot != NULL; snapshot = snapshot->wd_next)
			if (wd < 0 || snapshot->wd == wd)
				snapshot_note_change(snapshot, name);
	if (wd >= 0)
		subdirs_tell(&cache->subdirs, wd, name);
}

static void
unwatch(struct listcache *cache, struct snapshot *snapshot)
{
	struct snapshot **at;

	if (snapshot->wd < 0)
		return;
	for (at = wd_place(cache, snapshot->wd); *at != snapshot; at = &(*at)->wd_next)
		continue;
	*at = snapshot->wd_next;
	watch_remove(cache->watch, snapshot->wd);
	snapshot->wd = -1;
	cache->watched -= 1 + snapshot->subdirs.count;
	subdirs_unwatch(&cache->subdirs, cache->watch, snapshot);
}

static void
evict(void *context, struct cache_node *node)
{
	struct snapshot *snapshot = (struct snapshot *)node;

	unwatch(context, snapshot);
	snapshot_release(snapshot);
	free(snapshot);
}

struct listcache *
listcache_new(const struct listcache_options *options)
{
	struct listcache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	cache->options = *options;
	cache_init(&cache->cache, options->budget, evict, cache);
	cache->watch = watch_new(take_event, cache);
	if (cache->watch == NULL) {
		free(cache);
		return NULL;
	}
	return cache;
}

void
listcache_free(struct listcache *cache)
{
	if (cache == NULL)
		return;
	cache_release(&cache->cache);
	watch_free(cache->watch);
	free(cache);
}

/* The least recently used one that has a watch gives it up, and so itself. */
static bool
give_up_watch(struct listcache *cache, const struct snapshot *keep)
{
	struct cache_node *ring = &cache->cache.use;

	for (struct cache_node *node = ring->newer; node != ring; node = node->newer) {
		struct snapshot *snapshot = (struct snapshot *)node;

		if (snapshot->wd < 0 || snapshot == keep)
			continue;
		cache_remove(&cache->cache, node);
		evict(cache, node);
		return true;
	}
	return false;
}

/* One that was deleted meanwhile cannot be watched, and need not. */
static void
note_failure(struct listcache *cache, int dir, int error)
{
	struct stat st;

	if (cache->error == 0 && fstat(dir, &st) == 0 && st.st_nlink > 0)
		cache->error = error;
}

/* Before reading: what changes while it is read is told too. Without a watch (none left, a network file system) the snapshot is
 * right for a while only. */
static void
watch_directory(struct listcache *cache, struct snapshot *snapshot, int dir)
{
	int wd;

	if (!watch_is_told(dir))
		return;
	while (cache->watched >= cache->options.watches && give_up_watch(cache, snapshot))
		continue;
	if (cache->watched >= cache->options.watches)
		return;
	wd = watch_add(cache->watch, dir, WATCH_ALL);
	if (wd == -ENOSPC && give_up_watch(cache, snapshot))
		wd = watch_add(cache->watch, dir, WATCH_ALL);
	if (wd < 0) {
		note_failure(cache, dir, -wd);
		return;
	}
	snapshot->wd = wd;
	snapshot->wd_next = *wd_place(cache, wd);
	*wd_place(cache, wd) = snapshot;
	cache->watched++;
}

static uint64_t
key_hash(const struct place *place, const struct file *directory)
{
	const uint64_t key[] = { directory->device, directory->inode, directory->mount, place->root->device, place->root->inode };

	return hash_bytes((struct str){ (const char *)key, sizeof(key) }).low;
}

static struct snapshot *
find(struct listcache *cache, const struct place *place, const struct file *directory, uint64_t hash)
{
	struct cache_node *node = NULL;

	while ((node = cache_find(&cache->cache, hash, node)) != NULL) {
		struct snapshot *snapshot = (struct snapshot *)node;

		if (snapshot->device == directory->device && snapshot->inode == directory->inode &&
		    snapshot->mount == directory->mount && snapshot->root_device == place->root->device && snapshot->root_inode == place->root->inode)
			return snapshot;
	}
	return NULL;
}

static struct snapshot *
add(struct listcache *cache, const struct place *place, const struct file *directory, uint64_t hash)
{
	struct snapshot *snapshot = malloc(sizeof(*snapshot));

	if (snapshot == NULL)
		return NULL;
	snapshot_init(snapshot);
	snapshot->device = directory->device;
	snapshot->inode = directory->inode;
	snapshot->mount = directory->mount;
	snapshot->root_device = place->root->device;
	snapshot->root_inode = place->root->inode;
	/* The upper half tells snapshots apart, the lower half counts changes. */
	snapshot->version = ++cache->versions << 32;
	/* What it costs is settled once it is read; this request is served whatever the budget. */
	if (cache_add(&cache->cache, &snapshot->node, hash, 0))
		return snapshot;
	snapshot_release(snapshot);
	free(snapshot);
	return NULL;
}

static bool
is_too_old(const struct listcache *cache, const struct snapshot *snapshot, int64_t now)
{
	return snapshot->wd < 0 && (now - snapshot->read_at >= cache->options.age || now < snapshot->read_at);
}

/* By what was read last, else by the size of the directory itself: some 24 bytes a name on the usual file systems. Others say less
 * (overlay: that of its upper part; ZFS: the number of names): those show while they are read. */
static bool
is_large(const struct snapshot *snapshot, int dir)
{
	struct stat st;

	if (snapshot->listing.count >= LISTCACHE_LARGE)
		return true;
	return fstat(dir, &st) == 0 && st.st_size > (off_t)LISTCACHE_LARGE * 24;
}

/* Giving all of them up at once takes as long as five looks each. */
static size_t
most_subdirs(const struct listcache *cache, size_t own)
{
	size_t quarter = cache->options.watches / 4, free = cache->options.watches - cache->watched + own;
	size_t most = quarter < free ? quarter : free;

	return most < LISTCACHE_LOOKS ? most : LISTCACHE_LOOKS;
}

/* What is used again and again, and whose subdirectories have to be looked at each time: from now on those tell of themselves, if they take no more
 * than a quarter of all watches. */
static int
watch_subdirs(struct listcache *cache, struct snapshot *snapshot, const struct place *place)
{
	size_t own = snapshot->subdirs.count;
	int error;

	if (snapshot->calm++ != CALM_USES || snapshot->elsewhere_dirs == snapshot->subdirs.left)
		return 0;
	error = subdirs_watch(&cache->subdirs, cache->watch, snapshot, place, most_subdirs(cache, own), SUBDIRS_AT_ONCE);
	cache->watched += snapshot->subdirs.count - own;
	return error;
}

int
listcache_get(struct listcache *cache, const struct place *place, const struct file *directory, int64_t now,
    struct snapshot **found)
{
	uint64_t hash = key_hash(place, directory);
	struct snapshot *snapshot = find(cache, place, directory, hash);
	int error = 0;

	watch_drain(cache->watch);
	if (snapshot == NULL)
		snapshot = add(cache, place, directory, hash);
	if (snapshot == NULL)
		return -ENOMEM;
	cache_touch(&cache->cache, &snapshot->node);
	if (snapshot->stale || is_too_old(cache, snapshot, now))
		error = -ESTALE;
	else if (snapshot->wd >= 0)
		error = snapshot_refresh(snapshot, place, now);
	if (error == 0 && snapshot->wd >= 0)
		error = watch_subdirs(cache, snapshot, place);
	*found = snapshot;
	if (error == -ESTALE && cache->options.leave_large && (snapshot->reading != 0 || is_large(snapshot, place->dir)))
		return -EINPROGRESS;
	if (error == -ESTALE) {
		/* Anew: the directory that the watch was for may be gone, and its number another's now. */
		unwatch(cache, snapshot);
		watch_directory(cache, snapshot, place->dir);
		error = snapshot_read(snapshot, place, now, cache->options.leave_large ? LISTCACHE_LARGE : SIZE_MAX);
	}
	return error == -EFBIG ? -EINPROGRESS : error;
}

/* Read elsewhere because looking again at what is not told would take too long: that is to be done each time anyway. */
static bool
is_known(struct snapshot *snapshot)
{
	return !snapshot->stale && snapshot->wd >= 0 && snapshot->looked_at_all &&
	    snapshot_untold_looks(snapshot, false) > LISTCACHE_LOOKS;
}

uint64_t
listcache_begin(struct listcache *cache, struct snapshot *snapshot, const struct place *place)
{
	if (snapshot->reading != 0 || is_known(snapshot))
		return 0;
	unwatch(cache, snapshot);
	watch_directory(cache, snapshot, place->dir);
	snapshot_forget(snapshot);
	snapshot->reading = snapshot->version;
	return snapshot->reading;
}

struct snapshot *
listcache_end(struct listcache *cache, const struct place *place, const struct file *directory, uint64_t reading)
{
	struct snapshot *snapshot = find(cache, place, directory, key_hash(place, directory));

	if (reading == 0 || snapshot == NULL || snapshot->reading != reading)
		return NULL;
	snapshot->reading = 0;
	/* What was told up to now belongs to the time in which it was read. */
	watch_drain(cache->watch);
	return snapshot->lost ? NULL : snapshot;
}

void
listcache_drain(struct listcache *cache, int64_t now)
{
	if (now - cache->drained_at < DRAIN_NANOSECONDS && now >= cache->drained_at)
		return;
	cache->drained_at = now;
	watch_drain(cache->watch);
}

int
listcache_complaint(struct listcache *cache)
{
	if (cache->error == 0 || cache->complained)
		return 0;
	cache->complained = true;
	return cache->error;
}

void
listcache_settle(struct listcache *cache, struct snapshot *snapshot)
{
	size_t cost = snapshot_cost(snapshot);

	/* One that is larger than everything allowed serves this request and is read again for the next. */
	if (cost > cache->options.budget) {
		snapshot_forget(snapshot);
		cost = 0;
	}
	cache_recost(&cache->cache, &snapshot->node, cost);
}
