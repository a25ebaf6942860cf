/* A tree, and a cache that remembers files of its root. */
#ifndef TESTS_FS_KEPT_H
#define TESTS_FS_KEPT_H

#include "fs/filecache.h"
#include "fs/tree.h"

#define BUDGET ((size_t)1 << 16)

struct kept {
	struct tree tree;
	struct blobs *blobs;
	struct filecache cache;
	struct root root;         /* "root" in the tree */
	char top[PATH_MAX + 8];   /* its path */
};

/* Of the test that runs. In "root": dir/file, dir/twin, dir/deep/file, other, and links to the first and its directory. Beside it: outside
 * and the directory away. */
extern struct kept kept;

void kept_make(void);
void kept_remove(void);

/* With an empty cache, and that policy. */
void kept_open_root(enum symlink_policy policy);

/* What filecache_get and filecache_add say of a path below the root. */
struct cached_file *kept_get(const char *path);
struct cached_file *kept_add(const char *path);

#endif
