/* The index file that stands for its folder, and what is none. */
#include "handler/handler.h"

#include "handler/trees.h"
#include "suites.h"

#include <stdio.h>
#include <unistd.h>

Suite *index_suite(void);

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

START_TEST(index_file_stands_for_its_folder)
{
	f.options.index[0] = S("index.html");
	f.options.index[1] = S("index.htm");
	f.options.index_count = 2;
	fixture_file(&f, "root/dir/index.htm", "second");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_content(&f, "second");
	fixture_file(&f, "root/dir/index.html", "first");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_content(&f, "first");
	ck_assert_field(&f, "Content-Type", "text/html; charset=utf-8");
	ck_assert_field(&f, "Last-Modified", WRITTEN_TEXT);
	ck_assert_no_field(&f, "Vary");
	/* Where the front mapped the folder without its final slash. */
	f.request.path = S("/dir");
	ck_assert_int_eq(fixture_ask(&f), 200);
	ck_assert_content(&f, "first");
}
END_TEST

/* What is no index: the listing is shown. */
static const struct {
	const char *index;
	const char *link; /* NULL: a directory of that name */
} no_index[] = {
	{ "index.html", NULL },
	{ "index.html", "../../secret" },
	{ "index.html", "nowhere" },
	{ "index.html", "/dev/null" },
	{ "index.html", "index.html" },
	{ ".index.html", "b.txt" },
	{ "other.html", NULL },
};

START_TEST(no_index_means_a_listing)
{
	char path[64];

	f.options.index[0] = str_from(no_index[_i].index);
	snprintf(path, sizeof(path), "root/dir/%s", no_index[_i].index);
	if (no_index[_i].link != NULL)
		fixture_link(&f, path, no_index[_i].link);
	else
		fixture_directory(&f, path);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(fixture_has(&f, "b.txt"));
	ck_assert(!fixture_has(&f, "secret"));
	ck_assert_field(&f, "Vary", "Accept");
}
END_TEST

START_TEST(index_by_a_link_inside_counts)
{
	fixture_link(&f, "root/dir/index.html", "../a.txt");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_content(&f, "hello");
}
END_TEST

/* The first index file of the list counts, whichever is remembered. */
START_TEST(an_index_file_that_comes_and_goes)
{
	char path[PATH_MAX];

	f.options.cache_memory = (size_t)1 << 20;
	f.options.index[0] = S("index.html");
	f.options.index[1] = S("index.htm");
	f.options.index_count = 2;
	fixture_path(&f, "root/dir/index.html", path);
	fixture_file(&f, "root/dir/index.htm", "second");
	for (int i = 0; i < 3; i++) {
		fixture_settle(&f);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "second");
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "second");
		fixture_tick();
		fixture_file(&f, "root/dir/index.html", "first");
		fixture_settle(&f);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "first");
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "first");
		ck_assert_int_eq(fixture_get(&f, "/dir"), 301);
		ck_assert_int_eq(fixture_get(&f, "/dir/index.html/"), 404);
		f.request.directory_only = true;
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert(fixture_has(&f, "href=\"b.txt\""));
		ck_assert_int_eq(fixture_get(&f, "/dir/index.html"), 404);
		f.request.directory_only = false;
		fixture_tick();
		ck_assert_int_eq(unlink(path), 0);
	}
}
END_TEST

Suite *
index_suite(void)
{
	Suite *suite = suite_create("handler/index");

	suite_add_case(suite, index_file_stands_for_its_folder, 1, setup, teardown);
	suite_add_case(suite, no_index_means_a_listing, ROWS(no_index), setup, teardown);
	suite_add_case(suite, index_by_a_link_inside_counts, 1, setup, teardown);
	suite_add_case(suite, an_index_file_that_comes_and_goes, 1, setup, teardown);
	return suite;
}
