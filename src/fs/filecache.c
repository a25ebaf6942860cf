/* One statx instead of open, fstat, read, fstat, close. The path is resolved anew each time, with every right along it;
 * that what it finds is the very inode, with the very ctime (which no user can set), that was opened under the root's rules,
 * makes the remembered facts and bytes those of now. A file just changed could change again within one tick
 * of its clock: its bytes are not kept. */
#include "fs/filecache.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

static void
evict(void *context, struct cache_node *node)
{
	struct filecache *cache = context;
	struct cached_file *cached = (struct cached_file *)node;

	blob_put(cache->blobs, cached->content);
	free(cached);
}

void
filecache_init(struct filecache *cache, size_t budget, struct blobs *blobs)
{
	cache_init(&cache->cache, budget, evict, cache);
	cache->blobs = blobs;
}

void
filecache_release(struct filecache *cache)
{
	cache_release(&cache->cache);
}

static struct str
relative(struct str path)
{
	while (path.len > 0 && path.ptr[0] == '/')
		path = str_after(path, 1);
	return path;
}

static struct cached_file *
find(const struct filecache *cache, const struct root *root, struct str path, uint64_t hash)
{
	struct cache_node *node = NULL;

	while ((node = cache_find(&cache->cache, hash, node)) != NULL) {
		struct cached_file *cached = (struct cached_file *)node;

		if (cached->root_device == root->device && cached->root_inode == root->inode &&
		    str_eq((struct str){ cached->path, cached->path_len }, path))
			return cached;
	}
	return NULL;
}

static bool
is_same(const struct file *file, const struct stat *st)
{
	return st->st_dev == file->device && st->st_ino == file->inode && st->st_size == file->size &&
	    file_nanoseconds(&st->st_mtim) == file->mtime && file_nanoseconds(&st->st_ctim) == file->ctime;
}

static struct cached_file *
check(struct filecache *cache, struct cached_file *cached, int at, const char *path)
{
	struct stat st;

	if (fstatat(at, path, &st, 0) == 0 && is_same(&cached->file, &st)) {
		cache_touch(&cache->cache, &cached->node);
		return cached;
	}
	cache_remove(&cache->cache, &cached->node);
	evict(cache, &cached->node);
	return NULL;
}

struct cached_file *
filecache_get(struct filecache *cache, const struct root *root, struct str path)
{
	struct str below = relative(path);
	struct cached_file *cached = find(cache, root, below, hash_bytes(below).low);

	return cached != NULL ? check(cache, cached, root->fd, cached->path) : NULL;
}

struct cached_file *
filecache_get_by_path(struct filecache *cache, const struct root *root, struct str root_path, struct str path)
{
	struct str below = relative(path);
	struct cached_file *cached = find(cache, root, below, hash_bytes(below).low);
	char text[PATH_MAX];

	if (cached == NULL || root_path.len + 1 + cached->path_len >= sizeof(text))
		return NULL;
	memcpy(text, root_path.ptr, root_path.len);
	text[root_path.len] = '/';
	memcpy(text + root_path.len + 1, cached->path, cached->path_len + 1);
	return check(cache, cached, AT_FDCWD, text);
}

struct cached_file *
filecache_add(struct filecache *cache, const struct root *root, struct str path, const struct file *file,
    struct str media_type, struct str coding)
{
	struct str below = relative(path);
	uint64_t hash = hash_bytes(below).low;
	struct cached_file *cached = find(cache, root, below, hash);
	size_t bytes = sizeof(*cached) + below.len + 1 + media_type.len;

	if (cached != NULL) {
		cache_remove(&cache->cache, &cached->node);
		evict(cache, &cached->node);
	}
	if (root->symlinks == SYMLINKS_REFUSE || below.len == 0 || below.len >= PATH_MAX)
		return NULL;
	cached = malloc(bytes);
	if (cached == NULL)
		return NULL;
	*cached = (struct cached_file){ .root_device = root->device, .root_inode = root->inode, .file = *file,
		.coding = coding, .path_len = below.len };
	cached->file.fd = -1;
	memcpy(cached->path, below.ptr, below.len);
	cached->path[below.len] = '\0';
	memcpy(cached->path + below.len + 1, media_type.ptr, media_type.len);
	cached->media_type = (struct str){ cached->path + below.len + 1, media_type.len };
	if (cache_add(&cache->cache, &cached->node, hash, bytes))
		return cached;
	free(cached);
	return NULL;
}

void
filecache_keep_content(struct filecache *cache, struct cached_file *cached, struct str bytes)
{
	if (cached->content != NULL)
		return;
	cached->content = blobs_make(cache->blobs, bytes);
	if (cached->content != NULL)
		cache_recost(&cache->cache, &cached->node, cached->node.cost + bytes.len);
}
