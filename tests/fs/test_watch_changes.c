/* What is told of each change to a watched directory, by name, and what is not. */
#include "fs/watch.h"

#include "fs/told.h"
#include "suites.h"

Suite *watch_changes_suite(void);

static struct tree tree;

static void
setup(void)
{
	told_make_tree(&tree);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

static const struct {
	enum change change;
	const char *path, *to;
	const char *first, *second; /* names told; NULL: none */
} changes[] = {
	{ CREATE, "dir/new", NULL, "new", NULL },
	{ CREATE, "dir/.hidden", NULL, ".hidden", NULL },
	{ CREATE, "dir/\x01\n\xff", NULL, "\x01\n\xff", NULL },
	{ MAKE_DIRECTORY, "dir/new", NULL, "new", NULL },
	{ FIFO, "dir/new", NULL, "new", NULL },
	{ UNLINK, "dir/file", NULL, "file", NULL },
	{ UNLINK, "dir/link", NULL, "link", NULL },
	{ REMOVE_DIRECTORY, "dir/empty", NULL, "empty", NULL },
	{ RENAME, "dir/file", "other/moved", "file", NULL },
	{ RENAME, "other/file", "dir/moved", "moved", NULL },
	{ RENAME, "dir/file", "dir/moved", "file", "moved" },
	{ RENAME, "dir/file", "dir/second", "file", "second" },
	{ RENAME, "dir/sub", "dir/moved", "sub", "moved" },
	{ RENAME, "dir/sub", "other/sub", "sub", NULL },
	{ WRITE, "dir/file", NULL, "file", NULL },
	{ TRUNCATE, "dir/file", NULL, "file", NULL },
	{ MAP, "dir/file", NULL, "file", NULL },
	{ SUBMIT, "dir/file", NULL, "file", NULL },
	{ CHMOD, "dir/file", NULL, "file", NULL },
	{ CHMOD, "dir/sub", NULL, "sub", NULL },
	{ TOUCH, "dir/file", NULL, "file", NULL },
	{ TOUCH, "dir/sub", NULL, "sub", NULL },
	{ TOUCH, "dir/link", NULL, "link", NULL },
	{ SYMLINK, "dir/new", "nowhere", "new", NULL },
	{ LINK, "dir/file", "dir/new", "new", NULL },
	{ LINK, "other/file", "dir/new", "new", NULL },
	/* of the directory itself: without a name */
	{ CHMOD, "dir", NULL, "", NULL },
	{ TOUCH, "dir", NULL, "", NULL },
	{ RENAME, "dir", "moved", "", NULL },
	/* elsewhere, or no change at all */
	{ CREATE, "dir/sub/new", NULL, NULL, NULL },
	{ UNLINK, "dir/sub/inner", NULL, NULL, NULL },
	{ WRITE, "dir/sub/inner", NULL, NULL, NULL },
	{ CHMOD, "dir/sub/inner", NULL, NULL, NULL },
	{ WRITE, "other/file", NULL, NULL, NULL },
	{ WRITE, "dir/link", NULL, NULL, NULL },
	{ CREATE, "new", NULL, NULL, NULL },
	{ READ, "dir/file", NULL, NULL, NULL },
};

START_TEST(each_change)
{
	struct told told;
	struct watch *watch = watch_directory(&tree, &told, "dir");

	apply(&tree, changes[_i].change, changes[_i].path, changes[_i].to);
	watch_drain(watch);
	ck_assert_int_eq(told.strangers, 0);
	ck_assert_int_eq(told.overflows, 0);
	ck_assert_int_eq(told.events > 0, changes[_i].first != NULL);
	if (changes[_i].first != NULL)
		ck_assert(was_told(&told, changes[_i].first));
	if (changes[_i].second != NULL)
		ck_assert(was_told(&told, changes[_i].second));
	forget(&told);
	watch_drain(watch);
	ck_assert_int_eq(told.events, 0);
	release(watch, &told);
}
END_TEST

Suite *
watch_changes_suite(void)
{
	Suite *suite = suite_create("watch_changes");

	suite_add_case(suite, each_change, ROWS(changes), setup, teardown);
	return suite;
}
