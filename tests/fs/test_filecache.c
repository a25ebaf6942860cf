/* What of a file is remembered, under which names, and how much. */
#include "fs/filecache.h"

#include "fs/kept.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *filecache_suite(void);

START_TEST(found_again)
{
	static const char *const written[] = { "/dir/file", "dir/file", "//dir/file" };
	struct cached_file *cached = kept_add(written[_i]);

	ck_assert_ptr_nonnull(cached);
	for (int i = 0; i < ROWS(written); i++) {
		ck_assert_ptr_eq(kept_get(written[i]), cached);
		ck_assert_str_is(cached->media_type, "text/plain");
		ck_assert_str_is(cached->coding, "gzip");
		ck_assert_int_eq(cached->file.fd, -1);
		ck_assert_int_eq(cached->file.size, 7);
		ck_assert_ptr_null(cached->content);
	}
	ck_assert_ptr_null(kept_get("/dir/fil"));
	ck_assert_ptr_null(kept_get("/dir/file2"));
	ck_assert_ptr_null(kept_get("/dir/twin"));
	ck_assert_ptr_null(kept_get("/link"));
	ck_assert_ptr_eq(kept_get("/dir/file"), cached);
}
END_TEST

/* One look does not tell where a link leads to: where that matters such a file is opened each time. */
START_TEST(links_that_are_remembered)
{
	static const struct {
		enum symlink_policy policy;
		const char *path;
		bool remembered;
	} rows[] = {
		{ SYMLINKS_FOLLOW, "/link", true },
		{ SYMLINKS_FOLLOW, "/dirlink/file", true },
		{ SYMLINKS_WITHIN_ROOT, "/link", false },
		{ SYMLINKS_WITHIN_ROOT, "/dirlink/file", false },
		{ SYMLINKS_WITHIN_ROOT, "/dir/file", true },
		{ SYMLINKS_WITHIN_ROOT, "/dir/deep/file", true },
		{ SYMLINKS_REFUSE, "/dir/file", true },
	};

	for (int i = 0; i < ROWS(rows); i++) {
		kept_open_root(rows[i].policy);
		ck_assert_int_eq(kept_add(rows[i].path) != NULL, rows[i].remembered);
		ck_assert_int_eq(kept_get(rows[i].path) != NULL, rows[i].remembered);
	}
}
END_TEST

/* As a switched link is, that a root is reached through: allowed. */
START_TEST(root_through_a_link)
{
	tree_link(&kept.tree, "current", "root");
	snprintf(kept.top, sizeof(kept.top), "%s/current", kept.tree.path);
	ck_assert_ptr_nonnull(kept_add("/dir/file"));
	ck_assert_ptr_nonnull(kept_get("/dir/file"));
	tree_link(&kept.tree, "new", "away");
	ck_assert_int_eq(renameat(kept.tree.fd, "new", kept.tree.fd, "current"), 0);
	ck_assert_ptr_null(kept_get("/dir/file"));
}
END_TEST

/* procfs tells of no change, as a network file system does not. */
START_TEST(untold_is_not_remembered)
{
	struct file file;
	struct root proc;

	ck_assert_int_eq(root_open(&proc, "/proc/sys", SYMLINKS_WITHIN_ROOT), 0);
	ck_assert_int_eq(file_open(&file, &proc, S("/kernel/ostype")), 0);
	ck_assert_ptr_null(filecache_add(&kept.cache, S("/proc/sys"), S("/kernel/ostype"), &file, S("text/plain"), S("")));
	ck_assert_uint_eq(kept.cache.cache.count, 0);
	file_close(&file);
	root_close(&proc);
}
END_TEST

START_TEST(paths_that_name_no_file)
{
	static char long_path[PATH_MAX + 1];

	memset(long_path, 'a', PATH_MAX);
	ck_assert_ptr_null(kept_get(""));
	ck_assert_ptr_null(kept_get("/"));
	ck_assert_ptr_null(kept_get(long_path));
	ck_assert_ptr_null(filecache_get(&kept.cache, S(""), S("/dir/file")));
	ck_assert_ptr_null(filecache_get(&kept.cache, str_from(long_path), S("/dir/file")));
}
END_TEST

/* The same path under another root is another file. */
START_TEST(two_roots)
{
	struct cached_file *cached;
	char second[PATH_MAX + 16], above[PATH_MAX];

	cached = kept_add("/dir/file");
	snprintf(second, sizeof(second), "%s/second", kept.tree.path);
	tree_directory(&kept.tree, "second", 0755);
	tree_directory(&kept.tree, "second/dir", 0755);
	ck_assert_int_eq(linkat(kept.tree.fd, "root/dir/file", kept.tree.fd, "second/dir/file", 0), 0);
	ck_assert_ptr_null(filecache_get(&kept.cache, str_from(second), S("/dir/file")));
	/* The same file, but other folders on the way to it may be links. */
	snprintf(above, sizeof(above), "%s", kept.tree.path);
	ck_assert_ptr_null(filecache_get(&kept.cache, str_from(above), S("/root/dir/file")));
	unlinkat(kept.tree.fd, "second/dir/file", 0);
	ck_assert_ptr_null(kept_get("/dir/file")); /* the link count is of its inode's time */
	cached = kept_add("/dir/file");
	ck_assert_ptr_eq(kept_get("/dir/file"), cached);
}
END_TEST

START_TEST(content_is_kept_once)
{
	struct cached_file *cached = kept_add("/dir/file");
	size_t before = kept.cache.cache.cost;

	filecache_keep_content(&kept.cache, cached, S("content"));
	ck_assert_ptr_nonnull(cached->content);
	ck_assert_int_eq(cached->content->length, 7);
	ck_assert_int_eq(memcmp(cached->content->bytes, "content", 7), 0);
	ck_assert_uint_eq(kept.cache.cache.cost, before + 7);
	filecache_keep_content(&kept.cache, cached, S("content"));
	ck_assert_uint_eq(kept.cache.cache.cost, before + 7);
	ck_assert_ptr_eq(kept_get("/dir/file"), cached);
	ck_assert_ptr_nonnull(cached->content);
	tree_append(&kept.tree, "root/dir/file", "more");
	ck_assert_ptr_null(kept_get("/dir/file"));
	cached = kept_add("/dir/file");
	ck_assert_ptr_null(cached->content);
}
END_TEST

/* The newest few; every one counts against the budget, and a content that two have is counted with each. */
START_TEST(answers_are_kept)
{
	struct cached_file *cached = kept_add("/dir/file");
	struct blob *content = blobs_make(kept.blobs, S("other form"));
	char accepted[16];
	int count = 0;

	for (int i = 0; i < 10; i++) {
		size_t before = kept.cache.cache.cost;

		snprintf(accepted, sizeof(accepted), "coding%d", i);
		filecache_keep_answer(&kept.cache, cached, &(struct kept_answer){ .accepted = str_from(accepted), .varies = true,
		    .content = i % 2 == 0 ? content : NULL, .fields = S("A: b\r\n"), .tag = S("\"tag\"") });
		ck_assert_str_is(cached->answers->accepted, accepted);
		ck_assert_str_is(cached->answers->fields, "A: b\r\n");
		ck_assert_str_is(cached->answers->tag, "\"tag\"");
		ck_assert(i > 3 || kept.cache.cache.cost > before);
		ck_assert(i < 5 || kept.cache.cache.cost == before);
	}
	for (const struct kept_answer *answer = cached->answers; answer != NULL; answer = answer->next)
		count++;
	ck_assert_int_eq(count, 4);
	ck_assert_uint_eq(content->uses, 3);
	filecache_release(&kept.cache);
	ck_assert_uint_eq(kept.cache.cache.cost, 0);
	ck_assert_uint_eq(content->uses, 1);
	blob_put(kept.blobs, content);
}
END_TEST

/* A response that still sends it keeps the content alive. */
START_TEST(content_in_use)
{
	struct cached_file *cached = kept_add("/dir/file");
	struct blob *content;

	filecache_keep_content(&kept.cache, cached, S("content"));
	content = cached->content;
	content->uses++;
	tree_append(&kept.tree, "root/dir/file", "more");
	ck_assert_ptr_null(kept_get("/dir/file"));
	ck_assert_int_eq(memcmp(content->bytes, "content", 7), 0);
	blob_put(kept.blobs, content);
}
END_TEST

START_TEST(remembered_twice)
{
	ck_assert_ptr_nonnull(kept_add("/dir/file"));
	ck_assert_ptr_nonnull(kept_add("/dir/file"));
	ck_assert_uint_eq(kept.cache.cache.count, 1);
}
END_TEST

START_TEST(no_more_than_the_budget)
{
	static char block[10000];
	struct cached_file *cached;
	char path[64];

	for (int i = 0; i < 500; i++) {
		snprintf(path, sizeof(path), "root/f%d", i);
		tree_file(&kept.tree, path, "x");
		cached = kept_add(path + 4);
		ck_assert_ptr_nonnull(cached);
		if (i % 10 == 0)
			filecache_keep_content(&kept.cache, cached, (struct str){ block, sizeof(block) });
		ck_assert_uint_le(kept.cache.cache.cost, BUDGET);
		ck_assert_ptr_eq(kept_get(path + 4), cached);
	}
	ck_assert_uint_lt(kept.cache.cache.count, 500);
	ck_assert_ptr_null(kept_get("/f0"));
}
END_TEST

START_TEST(no_budget)
{
	struct filecache none;
	struct file file;

	filecache_init(&none, 0, SYMLINKS_WITHIN_ROOT, kept.blobs);
	ck_assert_int_eq(file_open(&file, &kept.root, S("/dir/file")), 0);
	ck_assert_ptr_null(filecache_add(&none, str_from(kept.top), S("/dir/file"), &file, S("text/plain"), S("")));
	ck_assert_ptr_null(filecache_get(&none, str_from(kept.top), S("/dir/file")));
	file_close(&file);
	filecache_release(&none);
}
END_TEST

Suite *
filecache_suite(void)
{
	Suite *suite = suite_create("filecache");

	suite_add_case(suite, found_again, 3, kept_make, kept_remove);
	suite_add_case(suite, links_that_are_remembered, 1, kept_make, kept_remove);
	suite_add_case(suite, root_through_a_link, 1, kept_make, kept_remove);
	suite_add_case(suite, untold_is_not_remembered, 1, kept_make, kept_remove);
	suite_add_case(suite, paths_that_name_no_file, 1, kept_make, kept_remove);
	suite_add_case(suite, two_roots, 1, kept_make, kept_remove);
	suite_add_case(suite, content_is_kept_once, 1, kept_make, kept_remove);
	suite_add_case(suite, answers_are_kept, 1, kept_make, kept_remove);
	suite_add_case(suite, content_in_use, 1, kept_make, kept_remove);
	suite_add_case(suite, remembered_twice, 1, kept_make, kept_remove);
	suite_add_case(suite, no_more_than_the_budget, 1, kept_make, kept_remove);
	suite_add_case(suite, no_budget, 1, kept_make, kept_remove);
	return suite;
}
