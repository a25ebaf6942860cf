/* What is mounted in a listed folder changes by way of other folders too, and the folder's own watch is told of none of that. */
#include "fs/listcache.h"

#include "fs/sight.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

Suite *listcache_mounted_suite(void);

static struct tree tree;
static int row;

static void
setup(void)
{
	sight_make_tree(&tree);
	tree_directory(&tree, "root/d/sub", 0755);
	tree_directory(&tree, "out/folder", 0755);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

static void
write_to(const char *path)
{
	tree_append(&tree, path, "more");
}

static void
set_time(const char *path)
{
	tree_time(&tree, path, 1000, 0);
}

static void
make_in(const char *path)
{
	char inner[64];

	snprintf(inner, sizeof(inner), "%s/new", path);
	tree_file(&tree, inner, "");
}

static const struct {
	const char *from, *to;       /* what is mounted where */
	void (*change)(const char *path);
	const char *path;
} mounted[] = {
	{ "out/secret", "root/d/a", write_to, "out/secret" },
	{ "out/secret", "root/d/a", write_to, "root/d/a" },
	{ "out/secret", "root/d/a", set_time, "out/secret" },
	{ "out/folder", "root/d/sub", set_time, "out/folder" },
	{ "out/folder", "root/d/sub", set_time, "root/d/sub" },
	{ "out/folder", "root/d/sub", make_in, "out/folder" },
	{ "root/e", "root/d/sub", set_time, "root/e" },
};

static int
try_mounted(void)
{
	struct listcache *cache = sight_cache(1 << 20, 16);
	struct sight sight = { .tree = &tree, .root = "root", .path = "/d" };
	char from[PATH_MAX], to[PATH_MAX];

	tree_path(&tree, mounted[row].from, from);
	tree_path(&tree, mounted[row].to, to);
	if (unshare(CLONE_NEWNS) != 0 || mount(from, to, NULL, MS_BIND, NULL) != 0) {
		suite_skipped("changed_where_it_comes_from: nothing can be mounted: %s", strerror(errno));
		return 0;
	}
	/* Below the descriptor there is what was there before. */
	tree.fd = open(tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Used so often that the subdirectories have their watches. */
	for (int i = 0; i < 6; i++)
		sight_check(cache, &sight, NOW);
	for (int i = 0; i < 2; i++) {
		mounted[row].change(mounted[row].path);
		sight_check(cache, &sight, NOW);
		tree_take_away(&tree, "out/folder/new");
	}
	listcache_free(cache);
	return 0;
}

START_TEST(changed_where_it_comes_from)
{
	row = _i;
	tree_in_namespace("changed_where_it_comes_from", try_mounted);
}
END_TEST

Suite *
listcache_mounted_suite(void)
{
	Suite *suite = suite_create("listcache_mounted");

	suite_add_case(suite, changed_where_it_comes_from, ROWS(mounted), setup, teardown);
	return suite;
}
