/* A look by path instead of open, fstat, read, fstat, close. The path is resolved anew each time, with every right along it;
 * that what it finds is the very inode, with the very ctime (which no user can set), that was opened under the root's rules,
 * makes the remembered facts and bytes those of now. Below the root each folder on the way is looked at too: one that was moved out of the
 * root with a link left in its place would lead to the same inode still. A file a folder deep costs two looks, which is
 * what one openat2 and its fstat and close cost; most are not deeper. inotify would need none, but is not told of a mount. On a network file system a look is answered from what the kernel was
 * told some seconds ago, and only opening asks the server: nothing is remembered there.
 *
 * A file just changed could change again within one tick of its clock: its bytes are not kept. */
#include "fs/filecache.h"

#include "fs/watch.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Browsers name codings in three or four ways. */
#define ANSWERS_MAX 4

static void
answers_release(struct filecache *cache, struct kept_answer *answer)
{
	while (answer != NULL) {
		struct kept_answer *next = answer->next;

		blob_put(cache->blobs, answer->content);
		free(answer);
		answer = next;
	}
}

static size_t
answer_size(const struct kept_answer *answer)
{
	return sizeof(*answer) + answer->fields.len + answer->accepted.len + answer->tag.len;
}

static size_t
cost_of(const struct cached_file *cached)
{
	size_t cost = sizeof(*cached) + cached->path_len + 1 + cached->media_type.len;

	if (cached->content != NULL)
		cost += (size_t)cached->content->length;
	for (const struct kept_answer *answer = cached->answers; answer != NULL; answer = answer->next) {
		cost += answer_size(answer);
		if (answer->content != NULL && answer->content != cached->content)
			cost += (size_t)answer->content->length;
	}
	return cost;
}

static void
evict(void *context, struct cache_node *node)
{
	struct filecache *cache = context;
	struct cached_file *cached = (struct cached_file *)node;

	blob_put(cache->blobs, cached->content);
	answers_release(cache, cached->answers);
	free(cached);
}

void
filecache_init(struct filecache *cache, size_t budget, enum symlink_policy symlinks, struct blobs *blobs)
{
	cache_init(&cache->cache, budget, evict, cache);
	cache->symlinks = symlinks;
	cache->blobs = blobs;
}

void
filecache_release(struct filecache *cache)
{
	cache_release(&cache->cache);
}

/* A path with the length of the part that is the root's. */
struct whole_path {
	char text[PATH_MAX];
	size_t len, root_len;
	uint64_t hash;
};

static bool
join(struct whole_path *whole, struct str root_path, struct str path)
{
	while (path.len > 0 && path.ptr[0] == '/')
		path = str_after(path, 1);
	if (path.len == 0 || root_path.len == 0 || root_path.len >= PATH_MAX || path.len >= PATH_MAX - 1 - root_path.len)
		return false;
	memcpy(whole->text, root_path.ptr, root_path.len);
	whole->text[root_path.len] = '/';
	memcpy(whole->text + root_path.len + 1, path.ptr, path.len);
	whole->root_len = root_path.len;
	whole->len = root_path.len + 1 + path.len;
	whole->text[whole->len] = '\0';
	whole->hash = hash_bytes((struct str){ whole->text, whole->len }).low;
	return true;
}

static struct cached_file *
find(const struct filecache *cache, const struct whole_path *whole)
{
	struct cache_node *node = NULL;

	while ((node = cache_find(&cache->cache, whole->hash, node)) != NULL) {
		struct cached_file *cached = (struct cached_file *)node;

		if (cached->root_len == whole->root_len && cached->path_len == whole->len &&
		    memcmp(cached->path, whole->text, whole->len) == 0)
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

/* Whether no folder between the root and the file is a link. */
static bool
is_without_links(const struct whole_path *whole)
{
	char text[PATH_MAX];
	struct stat st;

	memcpy(text, whole->text, whole->len);
	for (size_t at = whole->len - 1; at > whole->root_len; at--) {
		if (text[at] != '/')
			continue;
		text[at] = '\0';
		if (fstatat(AT_FDCWD, text, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode))
			return false;
	}
	return true;
}

static bool
is_there(const struct filecache *cache, const struct whole_path *whole, const struct file *file)
{
	bool follow = cache->symlinks == SYMLINKS_FOLLOW;
	struct stat st;

	return fstatat(AT_FDCWD, whole->text, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 && is_same(file, &st) &&
	    (follow || is_without_links(whole));
}

static void
forget(struct filecache *cache, struct cached_file *cached)
{
	cache_remove(&cache->cache, &cached->node);
	evict(cache, &cached->node);
}

struct cached_file *
filecache_get(struct filecache *cache, struct str root_path, struct str path)
{
	struct cached_file *cached;
	struct whole_path whole;

	if (!join(&whole, root_path, path))
		return NULL;
	cached = find(cache, &whole);
	if (cached == NULL)
		return NULL;
	if (!is_there(cache, &whole, &cached->file)) {
		forget(cache, cached);
		return NULL;
	}
	cache_touch(&cache->cache, &cached->node);
	return cached;
}

struct cached_file *
filecache_add(struct filecache *cache, struct str root_path, struct str path, const struct file *file, struct str media_type,
    struct str coding)
{
	struct cached_file *cached;
	struct whole_path whole;
	size_t bytes;

	if (!join(&whole, root_path, path))
		return NULL;
	cached = find(cache, &whole);
	if (cached != NULL)
		forget(cache, cached);
	if (!watch_is_told(file->fd) || !is_there(cache, &whole, file))
		return NULL;
	bytes = sizeof(*cached) + whole.len + 1 + media_type.len;
	cached = malloc(bytes);
	if (cached == NULL)
		return NULL;
	*cached = (struct cached_file){ .file = *file, .coding = coding, .root_len = whole.root_len, .path_len = whole.len };
	cached->file.fd = -1;
	memcpy(cached->path, whole.text, whole.len + 1);
	memcpy(cached->path + whole.len + 1, media_type.ptr, media_type.len);
	cached->media_type = (struct str){ cached->path + whole.len + 1, media_type.len };
	if (cache_add(&cache->cache, &cached->node, whole.hash, bytes))
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
		cache_recost(&cache->cache, &cached->node, cost_of(cached));
}

static struct str
copy_after(char **at, struct str bytes)
{
	struct str copy = { *at, bytes.len };

	if (bytes.len > 0)
		memcpy(*at, bytes.ptr, bytes.len);
	*at += bytes.len;
	return copy;
}

static struct kept_answer *
answer_copy(const struct kept_answer *answer)
{
	struct kept_answer *copy = malloc(answer_size(answer));
	char *at;

	if (copy == NULL)
		return NULL;
	at = (char *)(copy + 1);
	*copy = *answer;
	copy->fields = copy_after(&at, answer->fields);
	copy->accepted = copy_after(&at, answer->accepted);
	copy->tag = copy_after(&at, answer->tag);
	if (copy->content != NULL)
		copy->content->uses++;
	return copy;
}

/* Gives up all but the newest few. */
static void
answers_trim(struct filecache *cache, struct cached_file *cached)
{
	struct kept_answer **last = &cached->answers;

	for (int i = 0; i < ANSWERS_MAX && *last != NULL; i++)
		last = &(*last)->next;
	answers_release(cache, *last);
	*last = NULL;
}

void
filecache_keep_answer(struct filecache *cache, struct cached_file *cached, const struct kept_answer *answer)
{
	struct kept_answer *copy = answer_copy(answer);

	if (copy == NULL)
		return;
	copy->next = cached->answers;
	cached->answers = copy;
	answers_trim(cache, cached);
	cache_recost(&cache->cache, &cached->node, cost_of(cached));
}
