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
static char top[PATH_MAX + 8];

static void
open_root(enum symlink_policy policy)
{
	snprintf(top, sizeof(top), "%s/root", tree.path);
	root_close(&root);
	tree_open_root(&tree, "root", &root, policy);
	filecache_release(&cache);
	filecache_init(&cache, BUDGET, policy, blobs);
}

static struct cached_file *
get(const char *path)
{
	return filecache_get(&cache, str_from(top), str_from(path));
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
	tree_directory(&tree, "root/dir/deep", 0755);
	tree_file(&tree, "root/dir/deep/file", "content");
	tree_file(&tree, "root/other", "content");
	tree_file(&tree, "outside", "content");
	tree_directory(&tree, "away", 0755);
	tree_link(&tree, "root/link", "dir/file");
	tree_link(&tree, "root/dirlink", "dir");
	blobs = blobs_new(&options);
	open_root(SYMLINKS_WITHIN_ROOT);
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
	cached = filecache_add(&cache, str_from(top), str_from(path), &file, S("text/plain"), S("gzip"));
	file_close(&file);
	return cached;
}

START_TEST(found_again)
{
	static const char *const written[] = { "/dir/file", "dir/file", "//dir/file" };
	struct cached_file *cached = remember(written[_i]);

	ck_assert_ptr_nonnull(cached);
	for (int i = 0; i < ROWS(written); i++) {
		ck_assert_ptr_eq(get(written[i]), cached);
		ck_assert_str_is(cached->media_type, "text/plain");
		ck_assert_str_is(cached->coding, "gzip");
		ck_assert_int_eq(cached->file.fd, -1);
		ck_assert_int_eq(cached->file.size, 7);
		ck_assert_ptr_null(cached->content);
	}
	ck_assert_ptr_null(get("/dir/fil"));
	ck_assert_ptr_null(get("/dir/file2"));
	ck_assert_ptr_null(get("/dir/twin"));
	ck_assert_ptr_null(get("/link"));
	ck_assert_ptr_eq(get("/dir/file"), cached);
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

/* The same inode, by the same path, and yet not below the root any more. */
static void
move_directory_out_and_link(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/dir", tree.fd, "away/dir"), 0);
	tree_link(&tree, "root/dir", "../away/dir");
}

static void
move_deep_directory_out_and_link(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/dir/deep", tree.fd, "away/deep"), 0);
	tree_link(&tree, "root/dir/deep", "../../away/deep");
}

static void
move_file_out_and_link(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root/dir/file", tree.fd, "away/file"), 0);
	tree_link(&tree, "root/dir/file", "../../away/file");
}

static void
link_root_elsewhere(void)
{
	ck_assert_int_eq(renameat(tree.fd, "root", tree.fd, "away/root"), 0);
	tree_directory(&tree, "root", 0755);
	tree_link(&tree, "root/dir", "../away/root/dir");
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
	enum symlink_policy policy;
} changes[] = {
	{ "/dir/file", write_same_size, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", write_and_restore_time, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", append, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", rename_over, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", rename_twin_over, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", take_rights, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", delete, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", make_again, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", replace_by_directory, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", replace_directory, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", move_directory, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", link_to_itself, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", touch, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", touch, SYMLINKS_REFUSE },
	{ "/dir/file", move_directory_out_and_link, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", move_directory_out_and_link, SYMLINKS_REFUSE },
	{ "/dir/deep/file", move_directory_out_and_link, SYMLINKS_WITHIN_ROOT },
	{ "/dir/deep/file", move_deep_directory_out_and_link, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", move_file_out_and_link, SYMLINKS_WITHIN_ROOT },
	{ "/dir/file", link_root_elsewhere, SYMLINKS_WITHIN_ROOT },
	{ "/dir/deep/file", link_root_elsewhere, SYMLINKS_WITHIN_ROOT },
	{ "/link", write_and_restore_time, SYMLINKS_FOLLOW },
	{ "/link", rename_twin_over, SYMLINKS_FOLLOW },
	{ "/link", delete, SYMLINKS_FOLLOW },
	{ "/link", swap_link, SYMLINKS_FOLLOW },
	{ "/link", swap_link_out, SYMLINKS_FOLLOW },
	{ "/link", break_link, SYMLINKS_FOLLOW },
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
	open_root(changes[_i].policy);
	let_the_clock_tick();
	ck_assert_ptr_nonnull(remember(changes[_i].path));
	ck_assert_ptr_nonnull(get(changes[_i].path));
	changes[_i].change();
	ck_assert_ptr_null(get(changes[_i].path));
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
	ck_assert_ptr_eq(get("/dir/file"), cached);
}
END_TEST

static int
try_unsearchable(void)
{
	if (remember("/dir/file") == NULL || get("/dir/file") == NULL)
		return 1;
	/* Whoever may closes it meanwhile. */
	for (int i = 0; i < 1000 && faccessat(tree.fd, "root/dir/file", F_OK, 0) == 0; i++)
		usleep(10000);
	return get("/dir/file") == NULL ? 0 : 2;
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
		open_root(rows[i].policy);
		ck_assert_int_eq(remember(rows[i].path) != NULL, rows[i].remembered);
		ck_assert_int_eq(get(rows[i].path) != NULL, rows[i].remembered);
	}
}
END_TEST

/* As a switched link is, that a root is reached through: allowed. */
START_TEST(root_through_a_link)
{
	tree_link(&tree, "current", "root");
	snprintf(top, sizeof(top), "%s/current", tree.path);
	ck_assert_ptr_nonnull(remember("/dir/file"));
	ck_assert_ptr_nonnull(get("/dir/file"));
	tree_link(&tree, "new", "away");
	ck_assert_int_eq(renameat(tree.fd, "new", tree.fd, "current"), 0);
	ck_assert_ptr_null(get("/dir/file"));
}
END_TEST

/* procfs tells of no change, as a network file system does not. */
START_TEST(untold_is_not_remembered)
{
	struct file file;
	struct root proc;

	ck_assert_int_eq(root_open(&proc, "/proc/sys", SYMLINKS_WITHIN_ROOT), 0);
	ck_assert_int_eq(file_open(&file, &proc, S("/kernel/ostype")), 0);
	ck_assert_ptr_null(filecache_add(&cache, S("/proc/sys"), S("/kernel/ostype"), &file, S("text/plain"), S("")));
	ck_assert_uint_eq(cache.cache.count, 0);
	file_close(&file);
	root_close(&proc);
}
END_TEST

START_TEST(paths_that_name_no_file)
{
	static char long_path[PATH_MAX + 1];

	memset(long_path, 'a', PATH_MAX);
	ck_assert_ptr_null(get(""));
	ck_assert_ptr_null(get("/"));
	ck_assert_ptr_null(get(long_path));
	ck_assert_ptr_null(filecache_get(&cache, S(""), S("/dir/file")));
	ck_assert_ptr_null(filecache_get(&cache, str_from(long_path), S("/dir/file")));
}
END_TEST

/* The same path under another root is another file. */
START_TEST(two_roots)
{
	struct cached_file *cached;
	char second[PATH_MAX + 16], above[PATH_MAX];

	cached = remember("/dir/file");
	snprintf(second, sizeof(second), "%s/second", tree.path);
	tree_directory(&tree, "second", 0755);
	tree_directory(&tree, "second/dir", 0755);
	ck_assert_int_eq(linkat(tree.fd, "root/dir/file", tree.fd, "second/dir/file", 0), 0);
	ck_assert_ptr_null(filecache_get(&cache, str_from(second), S("/dir/file")));
	/* The same file, but other folders on the way to it may be links. */
	snprintf(above, sizeof(above), "%s", tree.path);
	ck_assert_ptr_null(filecache_get(&cache, str_from(above), S("/root/dir/file")));
	unlinkat(tree.fd, "second/dir/file", 0);
	ck_assert_ptr_null(get("/dir/file")); /* the link count is of its inode's time */
	cached = remember("/dir/file");
	ck_assert_ptr_eq(get("/dir/file"), cached);
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
	ck_assert_ptr_eq(get("/dir/file"), cached);
	ck_assert_ptr_nonnull(cached->content);
	tree_append(&tree, "root/dir/file", "more");
	ck_assert_ptr_null(get("/dir/file"));
	cached = remember("/dir/file");
	ck_assert_ptr_null(cached->content);
}
END_TEST

/* A response that still sends it keeps the content alive. */
/* The newest few; every one counts against the budget, and a content that two have is counted with each. */
START_TEST(answers_are_kept)
{
	struct cached_file *cached = remember("/dir/file");
	struct blob *content = blobs_make(blobs, S("other form"));
	char accepted[16];
	int count = 0;

	for (int i = 0; i < 10; i++) {
		size_t before = cache.cache.cost;

		snprintf(accepted, sizeof(accepted), "coding%d", i);
		filecache_keep_answer(&cache, cached, &(struct kept_answer){ .accepted = str_from(accepted), .varies = true,
		    .content = i % 2 == 0 ? content : NULL, .fields = S("A: b\r\n"), .tag = S("\"tag\"") });
		ck_assert_str_is(cached->answers->accepted, accepted);
		ck_assert_str_is(cached->answers->fields, "A: b\r\n");
		ck_assert_str_is(cached->answers->tag, "\"tag\"");
		ck_assert(i > 3 || cache.cache.cost > before);
		ck_assert(i < 5 || cache.cache.cost == before);
	}
	for (const struct kept_answer *answer = cached->answers; answer != NULL; answer = answer->next)
		count++;
	ck_assert_int_eq(count, 4);
	ck_assert_uint_eq(content->uses, 3);
	filecache_release(&cache);
	ck_assert_uint_eq(cache.cache.cost, 0);
	ck_assert_uint_eq(content->uses, 1);
	blob_put(blobs, content);
}
END_TEST

START_TEST(content_in_use)
{
	struct cached_file *cached = remember("/dir/file");
	struct blob *content;

	filecache_keep_content(&cache, cached, S("content"));
	content = cached->content;
	content->uses++;
	tree_append(&tree, "root/dir/file", "more");
	ck_assert_ptr_null(get("/dir/file"));
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
		ck_assert_ptr_eq(get(path + 4), cached);
	}
	ck_assert_uint_lt(cache.cache.count, 500);
	ck_assert_ptr_null(get("/f0"));
}
END_TEST

START_TEST(no_budget)
{
	struct filecache none;
	struct file file;

	filecache_init(&none, 0, SYMLINKS_WITHIN_ROOT, blobs);
	ck_assert_int_eq(file_open(&file, &root, S("/dir/file")), 0);
	ck_assert_ptr_null(filecache_add(&none, str_from(top), S("/dir/file"), &file, S("text/plain"), S("")));
	ck_assert_ptr_null(filecache_get(&none, str_from(top), S("/dir/file")));
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
	suite_add_case(suite, links_that_are_remembered, 1, setup, teardown);
	suite_add_case(suite, root_through_a_link, 1, setup, teardown);
	suite_add_case(suite, untold_is_not_remembered, 1, setup, teardown);
	suite_add_case(suite, paths_that_name_no_file, 1, setup, teardown);
	suite_add_case(suite, two_roots, 1, setup, teardown);
	suite_add_case(suite, content_is_kept_once, 1, setup, teardown);
	suite_add_case(suite, answers_are_kept, 1, setup, teardown);
	suite_add_case(suite, content_in_use, 1, setup, teardown);
	suite_add_case(suite, remembered_twice, 1, setup, teardown);
	suite_add_case(suite, no_more_than_the_budget, 1, setup, teardown);
	suite_add_case(suite, no_budget, 1, setup, teardown);
	return suite;
}
