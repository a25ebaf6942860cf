/* A blob is written under a name of its own and renamed: whoever finds it finds all of it. The files of one boot of the
 * machine lie in a directory of that boot, so that what a power cut left half written is never looked at. A full, missing or
 * foreign directory costs speed, never an answer. */
#include "fs/blobs.h"

#include "fs/blobdir.h"
#include "fs/helper.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A blob costs at least this much of the budget: its record, and a descriptor is dear. */
#define COST_RECORD sizeof(struct blob)
#define COST_DESCRIPTOR ((size_t)16 << 10)

/* A hundred thousand files take a fifth of a second, for which nobody shall wait. */
struct sweep {
	struct job job;
	struct blobs *blobs;
	bool under_way, has_room;
};

struct blobs {
	struct cache cache;
	struct blobs_options options;
	size_t descriptor_cost;
	struct blobdir directory;
	struct blobdir apart[BLOBS_THREADS]; /* the same, as each thread has it */
	struct sweep sweep;
};

/* So dear that a quarter of those that the process may have open are taken at the most: the rest is for connections
 * and files. */
static size_t
descriptor_cost(size_t memory)
{
	struct rlimit limit;
	size_t cost;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return COST_DESCRIPTOR;
	cost = memory / (size_t)(limit.rlim_cur / 4 + 1);
	return cost > COST_DESCRIPTOR ? cost : COST_DESCRIPTOR;
}

static void
blob_free(struct blob *blob)
{
	free(blob->bytes);
	if (blob->fd >= 0)
		close(blob->fd);
	free(blob);
}

static void
evict(void *context, struct cache_node *node)
{
	struct blob *blob = (struct blob *)node;

	(void)context;
	if (--blob->uses == 0)
		blob_free(blob);
}

static void
sweep_run(struct job *job)
{
	struct sweep *sweep = (struct sweep *)job;

	sweep->has_room = blobdir_make_room(&sweep->blobs->apart[BLOBS_THREAD_IDLE]);
}

static void
sweep_finish(struct job *job)
{
	struct sweep *sweep = (struct sweep *)job;

	sweep->under_way = false;
	blobdir_swept(&sweep->blobs->directory, sweep->has_room);
}

static void
sweep_later(struct blobs *blobs)
{
	struct sweep *sweep = &blobs->sweep;

	if (!blobs->directory.sweep_due || sweep->under_way)
		return;
	*sweep = (struct sweep){ .job = { .run = sweep_run, .finish = sweep_finish }, .blobs = blobs, .has_room = true };
	sweep->under_way = helper_submit(blobs->options.helper, &sweep->job);
}

struct blobs *
blobs_new(const struct blobs_options *options)
{
	struct blobs *blobs = calloc(1, sizeof(*blobs));

	if (blobs == NULL)
		return NULL;
	blobs->options = *options;
	cache_init(&blobs->cache, options->memory, evict, blobs);
	blobs->descriptor_cost = descriptor_cost(options->memory);
	blobdir_init(&blobs->directory, options->directory, options->for_front, options->disk);
	blobs->directory.swept_elsewhere = options->helper != NULL;
	for (int i = 0; i < BLOBS_THREADS; i++)
		blobdir_init(&blobs->apart[i], options->directory, options->for_front, options->disk);
	return blobs;
}

void
blobs_free(struct blobs *blobs)
{
	if (blobs == NULL)
		return;
	cache_release(&blobs->cache);
	blobdir_release(&blobs->directory);
	for (int i = 0; i < BLOBS_THREADS; i++)
		blobdir_release(&blobs->apart[i]);
	free(blobs);
}

void
blob_put(struct blobs *blobs, struct blob *blob)
{
	(void)blobs;
	if (blob != NULL && --blob->uses == 0)
		blob_free(blob);
}

static struct blob *
find(struct blobs *blobs, struct hash key)
{
	struct cache_node *node = NULL;

	while ((node = cache_find(&blobs->cache, key.low, node)) != NULL) {
		struct blob *blob = (struct blob *)node;

		if (blob->key.high == key.high)
			return blob;
	}
	return NULL;
}

/* A record for the caller and, if the budget lets it, the cache. */
static struct blob *
keep(struct blobs *blobs, const struct blob *made)
{
	struct blob *blob = malloc(sizeof(*blob));
	size_t cost = COST_RECORD;

	if (blob == NULL)
		return NULL;
	*blob = *made;
	blob->uses = 1;
	if (blob->bytes != NULL)
		cost += (size_t)blob->length;
	else if (blob->fd >= 0)
		cost += blobs->descriptor_cost + (blob->has_path ? 0 : (size_t)blob->length);
	if (cache_add(&blobs->cache, &blob->node, blob->key.low, cost))
		blob->uses++;
	return blob;
}

/* A small one out of the directory comes into memory. */
static bool
read_small(struct blob *blob)
{
	char *bytes = malloc((size_t)blob->length + 1);

	if (bytes == NULL || pread(blob->fd, bytes, (size_t)blob->length, 0) != blob->length) {
		free(bytes);
		return false;
	}
	close(blob->fd);
	blob->fd = -1;
	blob->bytes = bytes;
	return true;
}

static void
drop(struct blob *made)
{
	if (made->fd >= 0)
		close(made->fd);
	free(made->bytes);
}

void
blobs_forget(struct blobs *blobs, struct hash key)
{
	struct blob *blob = find(blobs, key);

	if (blob == NULL)
		return;
	cache_remove(&blobs->cache, &blob->node);
	evict(blobs, &blob->node);
}

struct blob *
blobs_get(struct blobs *blobs, struct hash key)
{
	struct blob made = { .key = key, .fd = -1, .has_path = true }, *blob = find(blobs, key);

	/* Another process may have taken the file away, and a front would be sent where nothing is. */
	if (blob != NULL && blob->has_path && !blobdir_touch(&blobs->directory, key, blob->fd)) {
		blobs_forget(blobs, key);
		blob = NULL;
	}
	if (blob != NULL) {
		cache_touch(&blobs->cache, &blob->node);
		blob->uses++;
		return blob;
	}
	made.fd = blobdir_open(&blobs->directory, key, &made.length);
	if (made.fd < 0)
		return NULL;
	if (made.length <= (int64_t)blobs->options.small)
		made.has_path = !read_small(&made);
	blob = keep(blobs, &made);
	if (blob == NULL)
		drop(&made);
	return blob;
}

static int
nameless_file(struct str bytes)
{
	int fd = memfd_create("staticgi", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (bytes.len > 0) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -ENOSPC;
		}
		bytes = str_after(bytes, (size_t)n);
	}
	return fd;
}

/* Small bytes into memory, others into a file without a name, unless they have one; or into memory when no file can be had. */
static bool
hold(const struct blobs *blobs, struct blob *made, struct str bytes)
{
	if (bytes.len > blobs->options.small && made->fd < 0)
		made->fd = nameless_file(bytes);
	if (bytes.len > blobs->options.small && made->fd >= 0)
		return true;
	if (made->fd >= 0)
		close(made->fd);
	made->fd = -1;
	made->has_path = false;
	made->bytes = malloc(bytes.len + 1);
	if (made->bytes == NULL)
		return false;
	memcpy(made->bytes, bytes.ptr, bytes.len);
	return true;
}

struct blob *
blobs_add(struct blobs *blobs, struct hash key, struct str bytes, bool shared)
{
	struct blob made = { .key = key, .fd = -1, .length = (int64_t)bytes.len }, *blob;

	blobs_forget(blobs, key);
	if (bytes.ptr == NULL) {
		made.length = -1;
		return keep(blobs, &made);
	}
	if (shared || bytes.len > blobs->options.small)
		made.fd = blobdir_write(&blobs->directory, key, bytes);
	sweep_later(blobs);
	made.has_path = made.fd >= 0;
	blob = hold(blobs, &made, bytes) ? keep(blobs, &made) : NULL;
	if (blob == NULL)
		drop(&made);
	return blob;
}

struct blob *
blobs_make(struct blobs *blobs, struct str bytes)
{
	struct blob made = { .fd = -1, .length = (int64_t)bytes.len, .uses = 1 }, *blob = malloc(sizeof(*blob));

	if (blob == NULL || !hold(blobs, &made, bytes)) {
		free(blob);
		return NULL;
	}
	*blob = made;
	return blob;
}

int
blobs_claim(struct blobs *blobs, enum blobs_thread thread, struct hash key)
{
	return blobdir_claim(&blobs->apart[thread], key);
}

int
blobs_settle(struct blobs *blobs, enum blobs_thread thread, struct hash key, int claim, struct str bytes)
{
	struct blobdir *apart = &blobs->apart[thread];
	int fd = claim >= 0 && bytes.len > 0 ? blobdir_write(apart, key, bytes) : -ENOENT;

	blobdir_disclaim(apart, key, claim);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void
blob_path(const struct blobs *blobs, const struct blob *blob, struct buf *out)
{
	blobdir_path(&blobs->directory, blob->key, out);
}

int
blobs_complaint(struct blobs *blobs, const char **path)
{
	return blobdir_complaint(&blobs->directory, path);
}
