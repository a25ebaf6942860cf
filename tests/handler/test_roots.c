/* The root: which one counts, what links out of it do, copies of it, and one that is none. */
#include "handler/handler.h"

#include "handler/trees.h"
#include "suites.h"

#include <errno.h>
#include <unistd.h>

Suite *roots_suite(void);

static struct fixture f;

static void
setup(void)
{
	trees_make_small(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static const struct {
	enum symlink_policy policy;
	enum status inside, absolute, outside, folder;
} links[] = {
	{ SYMLINKS_WITHIN_ROOT, 200, 200, 404, 200 },
	{ SYMLINKS_FOLLOW, 200, 200, 200, 200 },
	{ SYMLINKS_REFUSE, 404, 404, 404, 404 },
};

START_TEST(links_by_policy)
{
	char path[PATH_MAX];

	f.options.symlinks = links[_i].policy;
	f.options.cache_memory = (size_t)1 << 20;
	fixture_link(&f, "root/inside", "dir/b.txt");
	fixture_path(&f, "root/a.txt", path);
	fixture_link(&f, "root/absolute", path);
	fixture_link(&f, "root/outside", "../secret");
	fixture_link(&f, "root/folder", "dir");
	for (int again = 0; again < 2; again++) {
		ck_assert_int_eq(fixture_get(&f, "/inside"), links[_i].inside);
		ck_assert_int_eq(fixture_get(&f, "/absolute"), links[_i].absolute);
		ck_assert_int_eq(fixture_get(&f, "/outside"), links[_i].outside);
		ck_assert_int_eq(fixture_get(&f, "/folder/b.txt"), links[_i].folder);
		ck_assert_int_eq(fixture_get(&f, "/folder/"), links[_i].folder);
	}
}
END_TEST

START_TEST(a_request_may_bring_its_root)
{
	char other[PATH_MAX];

	fixture_directory(&f, "other");
	fixture_file(&f, "other/a.txt", "other");
	fixture_path(&f, "other", other);
	f.request.root = str_from(other);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "other");
	ck_assert_int_eq(fixture_get(&f, "/dir/b.txt"), 404);
	f.request.root = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "hello");
}
END_TEST

/* The last root stays open: only as long as its path leads there, and for that path alone. */
START_TEST(roots_that_take_turns_and_move)
{
	char first[PATH_MAX], second[PATH_MAX], current[PATH_MAX], next[PATH_MAX];

	f.options.cache_memory = (size_t)_i << 20;
	fixture_directory(&f, "first");
	fixture_file(&f, "first/a.txt", "first");
	fixture_directory(&f, "second");
	fixture_file(&f, "second/a.txt", "second");
	fixture_link(&f, "current", "first");
	fixture_link(&f, "next", "second");
	fixture_settle(&f);
	fixture_path(&f, "first", first);
	fixture_path(&f, "second", second);
	fixture_path(&f, "current", current);
	fixture_path(&f, "next", next);
	for (int i = 0; i < 6; i++) {
		f.request.root = str_from(i % 3 == 0 ? first : i % 3 == 1 ? second : current);
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		ck_assert_content(&f, i % 3 == 1 ? "second" : "first");
		ck_assert_int_eq(fixture_get(&f, "/"), 200);
	}
	ck_assert_int_eq(rename(next, current), 0);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "second");
	ck_assert_int_eq(unlink(current), 0);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	ck_assert_int_eq(fixture_get(&f, "/"), 404);
	f.request.root = str_from(first);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "first");
}
END_TEST

START_TEST(without_a_root_the_request_must_bring_one)
{
	char root[PATH_MAX];

	fixture_path(&f, "root", root);
	f.options.root = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	f.request.root = str_from(root);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	f.request.root = S("/nowhere at all");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	f.request.root = (struct str){ "/\0x", 3 };
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	f.request.root = str_from("relative");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
}
END_TEST

/* Nothing may be left over but the root. */
START_TEST(descriptors_do_not_leak)
{
	int before, after;

	fixture_bytes(&f, "root/large.bin", 100000);
	fixture_get(&f, "/a.txt");
	fixture_get(&f, "/nothing");
	before = dup(0);
	close(before);
	f.request.root = f.options.root;
	for (int i = 0; i < 20; i++) {
		fixture_get(&f, "/large.bin");
		fixture_get(&f, "/dir/");
		fixture_get(&f, "/dir");
		fixture_get(&f, "/nothing");
		fixture_get(&f, "/a.txt/");
	}
	handler_finish(&f.handler, &f.response);
	after = dup(0);
	close(after);
	ck_assert_int_eq(after, before);
}
END_TEST

START_TEST(a_root_that_is_no_directory)
{
	struct handler handler;
	char path[PATH_MAX];

	fixture_path(&f, "root/a.txt", path);
	f.options.root = str_from(path);
	ck_assert_int_eq(handler_init(&handler, &f.options), -ENOTDIR);
	handler_release(&handler);
	f.options.root = S("/nowhere at all");
	ck_assert_int_eq(handler_init(&handler, &f.options), -ENOENT);
	handler_release(&handler);
}
END_TEST

/* RFC 9110 8.8.3: no inode, no device in it, so that mirrors agree. */
START_TEST(a_copy_of_the_tree_has_the_same_tags)
{
	static const char *const targets[] = { "/a.txt", "/dir/" };
	char own[64], copied[64], copy[PATH_MAX];

	fixture_directory(&f, "copy");
	fixture_file(&f, "copy/filler", "takes another inode");
	fixture_file(&f, "copy/a.txt", "hello");
	fixture_directory(&f, "copy/dir");
	fixture_file(&f, "copy/dir/b.txt", "inner");
	fixture_path(&f, "copy", copy);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		f.request.root = (struct str){ NULL, 0 };
		ck_assert_int_eq(fixture_get(&f, targets[i]), 200);
		fixture_etag(&f, own);
		f.request.root = str_from(copy);
		ck_assert_int_eq(fixture_get(&f, targets[i]), 200);
		fixture_etag(&f, copied);
		ck_assert_str_eq(own, copied);
	}
}
END_TEST

Suite *
roots_suite(void)
{
	Suite *suite = suite_create("handler/roots");

	suite_add_case(suite, links_by_policy, ROWS(links), setup, teardown);
	suite_add_case(suite, a_request_may_bring_its_root, 1, setup, teardown);
	suite_add_case(suite, roots_that_take_turns_and_move, 2, setup, teardown);
	suite_add_case(suite, without_a_root_the_request_must_bring_one, 1, setup, teardown);
	suite_add_case(suite, descriptors_do_not_leak, 1, setup, teardown);
	suite_add_case(suite, a_root_that_is_no_directory, 1, setup, teardown);
	suite_add_case(suite, a_copy_of_the_tree_has_the_same_tags, 1, setup, teardown);
	return suite;
}
