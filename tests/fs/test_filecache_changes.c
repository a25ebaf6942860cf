/* A file is remembered until anything about it is another. */
#include "fs/filecache.h"

#include "fs/kept.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *filecache_changes_suite(void);

static void
write_same_size(void)
{
	int fd = openat(kept.tree.fd, "root/dir/file", O_WRONLY | O_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, "CONTENT", 7, 0), 7);
	close(fd);
}

/* As `cp -p`, rsync and backups do: only the inode's own time tells. */
static void
write_and_restore_time(void)
{
	struct stat st;

	ck_assert_int_eq(fstatat(kept.tree.fd, "root/dir/file", &st, 0), 0);
	write_same_size();
	tree_time(&kept.tree, "root/dir/file", st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

static void
append(void)
{
	tree_append(&kept.tree, "root/dir/file", "more");
}

static void
rename_over(void)
{
	ck_assert_int_eq(renameat(kept.tree.fd, "root/dir/twin", kept.tree.fd, "root/dir/file"), 0);
}

/* Another file of the same size and time. */
static void
rename_twin_over(void)
{
	tree_time(&kept.tree, "root/dir/twin", 1000, 0);
	rename_over();
}

static void
take_rights(void)
{
	ck_assert_int_eq(fchmodat(kept.tree.fd, "root/dir/file", 0, 0), 0);
}

static void
delete(void)
{
	ck_assert_int_eq(unlinkat(kept.tree.fd, "root/dir/file", 0), 0);
}

static void
make_again(void)
{
	delete();
	tree_file(&kept.tree, "root/dir/file", "content");
	tree_time(&kept.tree, "root/dir/file", 1000, 0);
}

static void
replace_by_directory(void)
{
	delete();
	tree_directory(&kept.tree, "root/dir/file", 0755);
}

static void
replace_directory(void)
{
	ck_assert_int_eq(renameat(kept.tree.fd, "root/dir", kept.tree.fd, "root/old"), 0);
	tree_directory(&kept.tree, "root/dir", 0755);
	tree_file(&kept.tree, "root/dir/file", "content");
	tree_time(&kept.tree, "root/dir/file", 1000, 0);
}

static void
move_directory(void)
{
	ck_assert_int_eq(renameat(kept.tree.fd, "root/dir", kept.tree.fd, "root/old"), 0);
}

/* The same inode, by the same path, and yet not below the root any more. */
static void
move_directory_out_and_link(void)
{
	ck_assert_int_eq(renameat(kept.tree.fd, "root/dir", kept.tree.fd, "away/dir"), 0);
	tree_link(&kept.tree, "root/dir", "../away/dir");
}

static void
move_deep_directory_out_and_link(void)
{
	ck_assert_int_eq(renameat(kept.tree.fd, "root/dir/deep", kept.tree.fd, "away/deep"), 0);
	tree_link(&kept.tree, "root/dir/deep", "../../away/deep");
}

static void
move_file_out_and_link(void)
{
	ck_assert_int_eq(renameat(kept.tree.fd, "root/dir/file", kept.tree.fd, "away/file"), 0);
	tree_link(&kept.tree, "root/dir/file", "../../away/file");
}

static void
link_root_elsewhere(void)
{
	ck_assert_int_eq(renameat(kept.tree.fd, "root", kept.tree.fd, "away/root"), 0);
	tree_directory(&kept.tree, "root", 0755);
	tree_link(&kept.tree, "root/dir", "../away/root/dir");
}

static void
swap_link(void)
{
	tree_link(&kept.tree, "new", "other");
	ck_assert_int_eq(renameat(kept.tree.fd, "new", kept.tree.fd, "root/link"), 0);
}

static void
swap_link_out(void)
{
	tree_link(&kept.tree, "new", "../outside");
	ck_assert_int_eq(renameat(kept.tree.fd, "new", kept.tree.fd, "root/link"), 0);
}

static void
break_link(void)
{
	tree_link(&kept.tree, "new", "nowhere");
	ck_assert_int_eq(renameat(kept.tree.fd, "new", kept.tree.fd, "root/link"), 0);
}

static void
link_to_itself(void)
{
	delete();
	tree_link(&kept.tree, "root/dir/file", "file");
}

static void
touch(void)
{
	tree_time(&kept.tree, "root/dir/file", 2000, 1);
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
	tree_time(&kept.tree, "root/dir/file", 1000, 0);
	tree_time(&kept.tree, "root/other", 1000, 0);
	tree_time(&kept.tree, "outside", 1000, 0);
	kept_open_root(changes[_i].policy);
	let_the_clock_tick();
	ck_assert_ptr_nonnull(kept_add(changes[_i].path));
	ck_assert_ptr_nonnull(kept_get(changes[_i].path));
	changes[_i].change();
	ck_assert_ptr_null(kept_get(changes[_i].path));
	ck_assert_uint_eq(kept.cache.cache.count, 0);
	ck_assert_uint_eq(kept.cache.cache.cost, 0);
}
END_TEST

/* What others do to the directory or beside the file leaves it alone. */
START_TEST(changes_beside)
{
	struct cached_file *cached;

	let_the_clock_tick();
	cached = kept_add("/dir/file");
	tree_append(&kept.tree, "root/dir/twin", "more");
	tree_file(&kept.tree, "root/dir/new", "");
	swap_link();
	ck_assert_ptr_eq(kept_get("/dir/file"), cached);
}
END_TEST

static int
try_unsearchable(void)
{
	if (kept_add("/dir/file") == NULL || kept_get("/dir/file") == NULL)
		return 1;
	/* Whoever may closes it meanwhile. */
	for (int i = 0; i < 1000 && faccessat(kept.tree.fd, "root/dir/file", F_OK, 0) == 0; i++)
		usleep(10000);
	return kept_get("/dir/file") == NULL ? 0 : 2;
}

START_TEST(directory_closed)
{
	pid_t closer = fork();

	if (closer == 0) {
		usleep(200000);
		(void)!fchmodat(kept.tree.fd, "root/dir", 0600, 0);
		_exit(0);
	}
	ck_assert_int_eq(tree_without_privilege(try_unsearchable), 0);
}
END_TEST

Suite *
filecache_changes_suite(void)
{
	Suite *suite = suite_create("filecache_changes");

	suite_add_case(suite, each_change_is_seen, ROWS(changes), kept_make, kept_remove);
	suite_add_case(suite, changes_beside, 1, kept_make, kept_remove);
	suite_add_case(suite, directory_closed, 1, kept_make, kept_remove);
	return suite;
}
