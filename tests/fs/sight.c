/* The oracle is read_directory, which knows nothing of watches and snapshots. */
#include "fs/sight.h"

#include "fs/directory.h"
#include "suites.h"

#include <errno.h>
#include <stdio.h>

void
sight_make_tree(struct tree *tree)
{
	tree_make(tree);
	tree_directory(tree, "root", 0755);
	tree_directory(tree, "root/d", 0755);
	tree_directory(tree, "root/e", 0755);
	tree_directory(tree, "root/other", 0755);
	tree_file(tree, "root/other/x", "x");
	tree_file(tree, "root/other/twin", "twin");
	tree_directory(tree, "out", 0755);
	tree_file(tree, "out/secret", "secret");
	tree_file(tree, "root/d/a", "a");
	tree_file(tree, "root/e/a", "a");
}

struct listcache *
sight_cache(size_t budget, size_t watches)
{
	const struct listcache_options options = { .budget = budget, .watches = watches, .age = SECOND };
	struct listcache *cache = listcache_new(&options);

	ck_assert_ptr_nonnull(cache);
	return cache;
}

bool
sight_open(struct sight *sight)
{
	char top[PATH_MAX];

	tree_path(sight->tree, sight->root, top);
	if (root_open(&sight->open, top, SYMLINKS_WITHIN_ROOT) != 0)
		return false;
	if (file_open(&sight->directory, &sight->open, str_from(sight->path)) != 0) {
		root_close(&sight->open);
		return false;
	}
	sight->place = (struct place){ &sight->open, sight->directory.fd, str_from(sight->path) };
	return true;
}

void
sight_close(struct sight *sight)
{
	file_close(&sight->directory);
	root_close(&sight->open);
}

static int
compare_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* A line an entry, sorted. */
static void
describe(struct buf *out, const struct listing *listing)
{
	char **lines = calloc(listing->count + 1, sizeof(*lines));

	buf_reset(out);
	for (size_t i = 0; i < listing->count; i++) {
		const struct entry *entry = &listing->entries[i];

		ck_assert_int_ge(asprintf(&lines[i], "%.*s kind %d link %d known %d size %lld time %lld\n",
		    STR_ARGS(listing_name(listing, entry)), entry->kind, entry->is_link, entry->has_stat,
		    (long long)entry->size, (long long)entry->mtime), 0);
	}
	qsort(lines, listing->count, sizeof(*lines), compare_text);
	for (size_t i = 0; i < listing->count; i++) {
		buf_text(out, lines[i]);
		free(lines[i]);
	}
	free(lines);
}

static void
read_anew(struct buf *out, const struct place *place)
{
	struct listing listing;

	listing_init(&listing);
	ck_assert_int_eq(read_directory(&listing, place->root, place->dir, place->path), 0);
	describe(out, &listing);
	listing_release(&listing);
}

/* What the handler does for a page of everything. */
static int
get_all(struct listcache *cache, struct sight *sight, int64_t now, struct snapshot **snapshot)
{
	int error = -ESTALE;

	for (int i = 0; i < 3 && error == -ESTALE; i++) {
		error = listcache_get(cache, &sight->place, &sight->directory, now, snapshot);
		if (error == 0 && (*snapshot)->wd >= 0 && !(*snapshot)->fresh)
			error = snapshot_look_untold(*snapshot, &sight->place, false);
	}
	return error;
}

struct snapshot *
sight_compare(struct listcache *cache, struct sight *sight, int64_t now, struct buf *got, const char *what)
{
	struct snapshot *snapshot = NULL;
	struct buf want;
	int error;

	buf_init(&want, 1 << 24);
	if (!sight_open(sight))
		return NULL;
	error = get_all(cache, sight, now, &snapshot);
	ck_assert_msg(error == 0, "%s: error %d", what, error);
	ck_assert_int_eq(snapshot_look_all(snapshot, &sight->place), 0);
	describe(got, &snapshot->listing);
	read_anew(&want, &sight->place);
	ck_assert_msg(str_eq(buf_view(got), buf_view(&want)), "%s: %s of %s is\n%.*s\nbut ought to be\n%.*s", what, sight->path,
	    sight->root, STR_ARGS(buf_view(got)), STR_ARGS(buf_view(&want)));
	buf_release(&want);
	return snapshot;
}

struct snapshot *
sight_get(struct listcache *cache, struct sight *sight, int64_t now)
{
	struct snapshot *snapshot = NULL;

	ck_assert(sight_open(sight));
	ck_assert_int_eq(listcache_get(cache, &sight->place, &sight->directory, now, &snapshot), 0);
	return snapshot;
}

void
sight_check(struct listcache *cache, struct sight *sight, int64_t now)
{
	struct buf got;
	struct snapshot *snapshot;

	buf_init(&got, 1 << 24);
	snapshot = sight_compare(cache, sight, now, &got, "a change");
	ck_assert_ptr_nonnull(snapshot);
	listcache_settle(cache, snapshot);
	buf_release(&got);
	sight_close(sight);
}
