/* A file is remembered until anything about it is another. */
#include "fs/filecache.h"

#include "fs/tree.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *filecache_suite(void);

#define BUDGET ((size_t)1 << 16)

static struct tree tree;
static struct blobs *blobs;
static struct filecache cache;
static struct root root;

static void
open_root(enum symlink_policy policy)
{
	root_close(&root);
	tree_open_root(&tree, "root", &root, policy);
}

static void
setup(void)
{
	const struct blobs_options options = { .memory = 1 << 20, .small = 4096 };

	tree_make(&tree);
	tree_directory(&tree, "root", 0755);
	tree_directory(&tree, "root/dir", 0755);
	tree_file(&tree, "root/dir/file", "content");
	tree_file(&tree, "root/dir/twin", "content");
	tree_file(&tree, "root/other", "content");
	tree_file(&tree, "outside", "content");
	tree_link(&tree, "root/link", "dir/file");
	open_root(SYMLINKS_WITHIN_ROOT);
	blobs = blobs_new(&options);
	filecache_init(&cache, BUDGET, blobs);
}

static void
teardown(void)
{
	filecache_release(&cache);
	blobs_free(blobs);
	root_close(&root);
	tree_remove(&tree);
}

static struct cached_file *
remember(const char *path)
{
	struct cached_file *cached;
	struct file file;

	ck_assert_int_eq(file_open(&file, &root, str_from(path)), 0);
	cached = filecache_add(&cache, &root, str_from(path), &file, S("text/plain"), S("gzip"));
	file_close(&file);
	return cached;
}

START_TEST(found_again)
{
	static const char *const written[] = { "/dir/file", "dir/file", "//dir/file" };
	struct cached_file *cached = remember(written[_i]);

	ck_assert_ptr_nonnull(cached);
	for (int i = 0; i < ROWS(written); i++) {
		ck_assert_ptr_eq(filecache_get(&cache, &root, str_from(written[i])), cached);
		ck_assert_str_is(cached->media_type, "text/plain");
		ck_assert_str_is(cached->coding, "gzip");
		ck_assert_int_eq(cached->file.fd, -1);
		ck_assert_int_eq(cached->file.size, 7);
		ck_assert_ptr_null(cached->content);
	}
	ck_assert_ptr_null(filecache_get(&cache, &root, S("/dir/fil")));
	ck_assert_ptr_null(filecache_get(&cache, &root, S("/dir/file2")));
	ck_assert_ptr_null(filecache_get(&cache, &root, S("/dir/twin")));
	ck_assert_ptr_null(filecache_get(&cache, &root, S("/link")));
	ck_assert_ptr_eq(filecache_get(&cache, &root, S("/dir/file")), cached);
}
END_TEST

static void
write_same_size(void)
{
	int fd = openat(tree.fd, "root/dir/file", O_WRONLY | O_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, "CONTENT", 7, 0), 7);
	close(fd);
}

/* As `cp -p`, rsync and backups do: only the inode's own time tells. */
static void
write_and_restore_time(void)
{
	struct stat st;

	ck_assert_int_eq(fstatat(tree.fd, "root/dir/file", &st, 0), 0);
	write_same_size();
	tree_time(&tree, "root/dir/file", st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

static void
append(void)
{
	tree_append(&tree, "root/dir/file", "more");
}

static void
rename_over(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/dir/twin", tree.fd, "root/dir/file"), 0);
}

/* Another file of the same size and time. */
static void
rename_twin_over(void)
{
	tree_time(&tree, "root/dir/twin", 1000, 0);
	rename_over();
}

static void
take_rights(void)
{
	ck_assert_int_eq(fchmodat(tree.fd, "root/dir/file", 0, 0), 0);
}

static void
delete(void)
{
	ck_assert_int_eq(unlinkat(tree.fd, "root/dir/file", 0), 0);
}

static void
make_again(void)
{
	delete();
	tree_file(&tree, "root/dir/file", "content");
	tree_time(&tree, "root/dir/file", 1000, 0);
}

static void
replace_by_directory(void)
{
	delete();
	tree_directory(&tree, "root/dir/file", 0755);
}

static void
replace_directory(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/dir", tree.fd, "root/old"), 0);
	tree_directory(&tree, "root/dir", 0755);
	tree_file(&tree, "root/dir/file", "content");
	tree_time(&tree, "root/dir/file", 1000, 0);
}

static void
move_directory(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/dir", tree.fd, "root/old"), 0);
}

static void
swap_link(void)
{
	tree_link(&tree, "new", "other");
	ck_assert_int_eq(renameat(tree.fd, "new", tree.fd, "root/link"), 0);
}

static void
swap_link_out(void)
{
	tree_link(&tree, "new", "../outside");
	ck_assert_int_eq(renameat(tree.fd, "new", tree.fd, "root/link"), 0);
}

static void
break_link(void)
{
	tree_link(&tree, "new", "nowhere");
	ck_assert_int_eq(renameat(tree.fd, "new", tree.fd, "root/link"), 0);
}

static void
link_to_itself(void)
{
	delete();
	tree_link(&tree, "root/dir/file", "file");
}

static void
touch(void)
{
	tree_time(&tree, "root/dir/file", 2000, 1);
}

static const struct {
	const char *path;
	void (*change)(void);
} changes[] = {
	{ "/dir/file", write_same_size },
	{ "/dir/file", write_and_restore_time },
	{ "/dir/file", append },
	{ "/dir/file", rename_over },
	{ "/dir/file", rename_twin_over },
	{ "/dir/file", take_rights },
	{ "/dir/file", delete },
	{ "/dir/file", make_again },
	{ "/dir/file", replace_by_directory },
	{ "/dir/file", replace_directory },
	{ "/dir/file", move_directory },
	{ "/dir/file", link_to_itself },
	{ "/dir/file", touch },
	{ "/link", write_and_restore_time },
	{ "/link", rename_twin_over },
	{ "/link", delete },
	{ "/link", swap_link },
	{ "/link", swap_link_out },
	{ "/link", break_link },
};

/* A clock that ticks every 4 or 10 ms stands between two changes: so long ago was the last one. */
static void
let_the_clock_tick(void)
{
	usleep(20000);
}

START_TEST(each_change_is_seen)
{
	tree_time(&tree, "root/dir/file", 1000, 0);
	tree_time(&tree, "root/other", 1000, 0);
	tree_time(&tree, "outside", 1000, 0);
	let_the_clock_tick();
	ck_assert_ptr_nonnull(remember(changes[_i].path));
	ck_assert_ptr_nonnull(filecache_get(&cache, &root, str_from(changes[_i].path)));
	changes[_i].change();
	ck_assert_ptr_null(filecache_get(&cache, &root, str_from(changes[_i].path)));
	ck_assert_uint_eq(cache.cache.count, 0);
	ck_assert_uint_eq(cache.cache.cost, 0);
}
END_TEST

/* What others do to the directory or beside the file leaves it alone. */
START_TEST(changes_beside)
{
	struct cached_file *cached;

	let_the_clock_tick();
	cached = remember("/dir/file");
	tree_append(&tree, "root/dir/twin", "more");
	tree_file(&tree, "root/dir/new", "");
	swap_link();
	ck_assert_ptr_eq(filecache_get(&cache, &root, S("/dir/file")), cached);
}
END_TEST

static int
try_unsearchable(void)
{
	if (remember("/dir/file") == NULL || filecache_get(&cache, &root, S("/dir/file")) == NULL)
		return 1;
	/* Whoever may closes it meanwhile. */
	for (int i = 0; i < 1000 && faccessat(tree.fd, "root/dir/file", F_OK, 0) == 0; i++)
		usleep(10000);
	return filecache_get(&cache, &root, S("/dir/file")) == NULL ? 0 : 2;
}

START_TEST(directory_closed)
{
	pid_t closer = fork();

	if (closer == 0) {
		usleep(200000);
		(void)!fchmodat(tree.fd, "root/dir", 0600, 0);
		_exit(0);
	}
	ck_assert_int_eq(tree_without_privilege(try_unsearchable), 0);
}
END_TEST

START_TEST(refused_links_are_not_remembered)
{
	open_root(SYMLINKS_FOLLOW);
	ck_assert_ptr_nonnull(remember("/link"));
	open_root(SYMLINKS_REFUSE);
	ck_assert_ptr_null(remember("/dir/file"));
	ck_assert_uint_eq(cache.cache.count, 1);
}
END_TEST

/* The same path under another root is another file. */
START_TEST(two_roots)
{
	struct cached_file *cached;
	struct root other;

	cached = remember("/dir/file");
	tree_directory(&tree, "second", 0755);
	tree_directory(&tree, "second/dir", 0755);
	ck_assert_int_eq(linkat(tree.fd, "root/dir/twin", tree.fd, "second/dir/file", 0), 0);
	tree_open_root(&tree, "second", &other, SYMLINKS_WITHIN_ROOT);
	ck_assert_ptr_null(filecache_get(&cache, &other, S("/dir/file")));
	ck_assert_ptr_eq(filecache_get(&cache, &root, S("/dir/file")), cached);
	root_close(&other);
}
END_TEST

START_TEST(content_is_kept_once)
{
	struct cached_file *cached = remember("/dir/file");
	size_t before = cache.cache.cost;

	filecache_keep_content(&cache, cached, S("content"));
	ck_assert_ptr_nonnull(cached->content);
	ck_assert_int_eq(cached->content->length, 7);
	ck_assert_int_eq(memcmp(cached->content->bytes, "content", 7), 0);
	ck_assert_uint_eq(cache.cache.cost, before + 7);
	filecache_keep_content(&cache, cached, S("content"));
	ck_assert_uint_eq(cache.cache.cost, before + 7);
	ck_assert_ptr_eq(filecache_get(&cache, &root, S("/dir/file")), cached);
	ck_assert_ptr_nonnull(cached->content);
	tree_append(&tree, "root/dir/file", "more");
	ck_assert_ptr_null(filecache_get(&cache, &root, S("/dir/file")));
	cached = remember("/dir/file");
	ck_assert_ptr_null(cached->content);
}
END_TEST

/* A response that still sends it keeps the content alive. */
START_TEST(content_in_use)
{
	struct cached_file *cached = remember("/dir/file");
	struct blob *content;

	filecache_keep_content(&cache, cached, S("content"));
	content = cached->content;
	content->uses++;
	tree_append(&tree, "root/dir/file", "more");
	ck_assert_ptr_null(filecache_get(&cache, &root, S("/dir/file")));
	ck_assert_int_eq(memcmp(content->bytes, "content", 7), 0);
	blob_put(blobs, content);
}
END_TEST

START_TEST(remembered_twice)
{
	ck_assert_ptr_nonnull(remember("/dir/file"));
	ck_assert_ptr_nonnull(remember("/dir/file"));
	ck_assert_uint_eq(cache.cache.count, 1);
}
END_TEST

START_TEST(no_more_than_the_budget)
{
	static char block[10000];
	struct cached_file *cached;
	char path[64];

	for (int i = 0; i < 500; i++) {
		snprintf(path, sizeof(path), "root/f%d", i);
		tree_file(&tree, path, "x");
		cached = remember(path + 4);
		ck_assert_ptr_nonnull(cached);
		if (i % 10 == 0)
			filecache_keep_content(&cache, cached, (struct str){ block, sizeof(block) });
		ck_assert_uint_le(cache.cache.cost, BUDGET);
		ck_assert_ptr_eq(filecache_get(&cache, &root, str_from(path + 4)), cached);
	}
	ck_assert_uint_lt(cache.cache.count, 500);
	ck_assert_ptr_null(filecache_get(&cache, &root, S("/f0")));
}
END_TEST

START_TEST(no_budget)
{
	struct filecache none;
	struct file file;

	filecache_init(&none, 0, blobs);
	ck_assert_int_eq(file_open(&file, &root, S("/dir/file")), 0);
	ck_assert_ptr_null(filecache_add(&none, &root, S("/dir/file"), &file, S("text/plain"), S("")));
	ck_assert_ptr_null(filecache_get(&none, &root, S("/dir/file")));
	file_close(&file);
	filecache_release(&none);
}
END_TEST

Suite *
filecache_suite(void)
{
	Suite *suite = suite_create("filecache");

	suite_add_case(suite, found_again, 3, setup, teardown);
	suite_add_case(suite, each_change_is_seen, ROWS(changes), setup, teardown);
	suite_add_case(suite, changes_beside, 1, setup, teardown);
	suite_add_case(suite, directory_closed, 1, setup, teardown);
	suite_add_case(suite, refused_links_are_not_remembered, 1, setup, teardown);
	suite_add_case(suite, two_roots, 1, setup, teardown);
	suite_add_case(suite, content_is_kept_once, 1, setup, teardown);
	suite_add_case(suite, content_in_use, 1, setup, teardown);
	suite_add_case(suite, remembered_twice, 1, setup, teardown);
	suite_add_case(suite, no_more_than_the_budget, 1, setup, teardown);
	suite_add_case(suite, no_budget, 1, setup, teardown);
	return suite;
}
