/* A directory as one root sees it, and what a listing cache says of it beside what reading it anew says. */
#ifndef TESTS_FS_SIGHT_H
#define TESTS_FS_SIGHT_H

#include "fs/listcache.h"
#include "fs/tree.h"

#define SECOND INT64_C(1000000000)
#define NOW (INT64_C(2000000000) * SECOND)

struct sight {
	const struct tree *tree;
	const char *root;  /* below the tree */
	const char *path;  /* below the root */
	struct root open;
	struct file directory;
	struct place place;
};

/* Two directories to look at in a root, d and e, each with the file a; and "other" in it and "out" beside it to link to. */
void sight_make_tree(struct tree *tree);

/* False where there is no such directory. */
bool sight_open(struct sight *sight);
void sight_close(struct sight *sight);

/* A cache with an age of a second. */
struct listcache *sight_cache(size_t budget, size_t watches);

/* Opens it and asks the cache. */
struct snapshot *sight_get(struct listcache *cache, struct sight *sight, int64_t now);

/* Opens it, asks the cache, looks at all entries, and reads it anew: both must be the same. *got is what is shown, a line an
 * entry. NULL where there is no such directory. `what` is said when the test fails. */
struct snapshot *sight_compare(struct listcache *cache, struct sight *sight, int64_t now, struct buf *got, const char *what);

/* Compares, settles and closes. */
void sight_check(struct listcache *cache, struct sight *sight, int64_t now);

#endif
