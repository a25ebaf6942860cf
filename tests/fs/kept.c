#include "fs/kept.h"

#include "suites.h"

#include <stdio.h>

struct kept kept;

void
kept_open_root(enum symlink_policy policy)
{
	snprintf(kept.top, sizeof(kept.top), "%s/root", kept.tree.path);
	root_close(&kept.root);
	tree_open_root(&kept.tree, "root", &kept.root, policy);
	filecache_release(&kept.cache);
	filecache_init(&kept.cache, BUDGET, policy, kept.blobs);
}

struct cached_file *
kept_get(const char *path)
{
	return filecache_get(&kept.cache, str_from(kept.top), str_from(path));
}

void
kept_make(void)
{
	const struct blobs_options options = { .memory = 1 << 20, .small = 4096 };

	tree_make(&kept.tree);
	tree_directory(&kept.tree, "root", 0755);
	tree_directory(&kept.tree, "root/dir", 0755);
	tree_file(&kept.tree, "root/dir/file", "content");
	tree_file(&kept.tree, "root/dir/twin", "content");
	tree_directory(&kept.tree, "root/dir/deep", 0755);
	tree_file(&kept.tree, "root/dir/deep/file", "content");
	tree_file(&kept.tree, "root/other", "content");
	tree_file(&kept.tree, "outside", "content");
	tree_directory(&kept.tree, "away", 0755);
	tree_link(&kept.tree, "root/link", "dir/file");
	tree_link(&kept.tree, "root/dirlink", "dir");
	kept.blobs = blobs_new(&options);
	kept_open_root(SYMLINKS_WITHIN_ROOT);
}

void
kept_remove(void)
{
	filecache_release(&kept.cache);
	blobs_free(kept.blobs);
	root_close(&kept.root);
	tree_remove(&kept.tree);
}

struct cached_file *
kept_add(const char *path)
{
	struct cached_file *cached;
	struct file file;

	ck_assert_int_eq(file_open(&file, &kept.root, str_from(path)), 0);
	cached = filecache_add(&kept.cache, str_from(kept.top), str_from(path), &file, S("text/plain"), S("gzip"));
	file_close(&file);
	return cached;
}
