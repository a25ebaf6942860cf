/* What no watch tells of, in folders that are shown a page at a time: each page is right when it is asked for, and none looks at
 * more than it shows. */
#include "handler/fixture.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *untold_suite(void);

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
	f.options.page_size = 10;
	f.options.watches = 16;
	f.options.cache_memory = (size_t)16 << 20;
	f.options.snapshot_age = SECOND;
	f.request.accept = S("text/html");
	fixture_directory(&f, "root/dir");
	fixture_directory(&f, "root/other");
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static void
make_folders(int count)
{
	char path[64];

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "root/dir/s%d", i);
		fixture_directory(&f, path);
		fixture_time(&f, path, WRITTEN, 0);
	}
}

/* Gives a subfolder another time, which its parent is not told of. */
static void
change_inside(const char *folder)
{
	char path[64];

	snprintf(path, sizeof(path), "root/dir/%s/x", folder);
	fixture_directory(&f, path);
}

static void
ask_page(const char *page, char tag[64])
{
	f.request.query = str_from(page);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	fixture_etag(&f, tag);
}

START_TEST(each_page_by_itself)
{
	char first[64], second[64], all[64], tag[64];

	make_folders(25);
	ask_page("page=1", first);
	ask_page("page=2", second);
	ask_page("page=all", all);
	change_inside("s15");
	ask_page("page=1", tag);
	ck_assert_str_eq(tag, first);
	ask_page("page=2", tag);
	ck_assert_str_ne(tag, second);
	ck_assert_uint_eq(fixture_count(&f, "2023-11-14 22:13"), 9);
	ask_page("page=all", tag);
	ck_assert_str_ne(tag, all);
	ck_assert_uint_eq(fixture_count(&f, "2023-11-14 22:13"), 24);
	change_inside("s3");
	ask_page("order=desc&page=3", tag);
	ck_assert_uint_eq(fixture_count(&f, "2023-11-14 22:13"), 4);
	ask_page("sort=time&page=1", tag);
	ck_assert_uint_eq(fixture_count(&f, "2023-11-14 22:13"), 10);
	change_inside("s7");
	ask_page("sort=time&page=3", tag);
	ck_assert_uint_eq(fixture_count(&f, "2023-11-14 22:13"), 2);
}
END_TEST

/* A link leads to a folder now: it stands among the folders, on another page. */
START_TEST(a_link_moves_a_row)
{
	char tag[64], path[PATH_MAX];

	make_folders(15);
	for (int i = 0; i < 15; i++) {
		char name[64];

		snprintf(name, sizeof(name), "root/dir/t%d", i);
		fixture_file(&f, name, "x");
	}
	fixture_file(&f, "root/other/target", "x");
	fixture_link(&f, "root/dir/a-link", "../other/target");
	for (int i = 0; i < 2; i++) {
		ask_page("page=1", tag);
		ck_assert(!fixture_has(&f, "a-link"));
		ask_page("page=2", tag);
		ck_assert(fixture_has(&f, "href=\"a-link\""));
	}
	fixture_path(&f, "root/other/target", path);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	ask_page("page=1", tag);
	ck_assert(fixture_has(&f, "href=\"a-link/\""));
	ck_assert(fixture_has(&f, "16 folders, 15 files"));
}
END_TEST

/* Whether the answer is there at once; a thread's answer is waited for and left. */
static bool
is_answered_here(const char *query)
{
	bool here;

	f.request.query = str_from(query);
	fixture_target(&f, "/dir/");
	handler_finish(&f.handler, &f.response);
	response_reset(&f.response);
	handler_respond(&f.handler, &f.request, &f.response);
	here = f.response.status != 0;
	ck_assert_int_eq(fixture_ask(&f), 200);
	return here;
}

START_TEST(a_lot_is_the_threads)
{
	char tag[64], before[64];

	make_folders(LISTCACHE_LOOKS + 100);
	ask_page("page=1", tag);
	ask_page("page=all", before);
	for (int i = 0; i < 3; i++) {
		f.request.received += SECOND;
		ck_assert(is_answered_here("page=1"));
		ck_assert(is_answered_here("order=desc&page=7"));
		f.request.received += SECOND;
		ck_assert(!is_answered_here("page=all"));
		f.request.received += SECOND;
		ck_assert(!is_answered_here("sort=time&order=desc&page=1"));
	}
	f.request.received += SECOND;
	ask_page("page=all", tag);
	ck_assert_str_eq(tag, before);
	change_inside("s2000");
	f.request.received += SECOND;
	ask_page("page=all", tag);
	ck_assert_str_ne(tag, before);
	ask_page("page=200", tag);
	ask_page("sort=time&order=desc&page=1", tag);
	ck_assert(fixture_has(&f, "href=\"s2000/\""));
}
END_TEST

/* Any change moves rows here: the page shown is put in order, not the folder. */
START_TEST(sorted_by_what_changes)
{
	char tag[64], path[PATH_MAX], name[64];

	for (int i = 0; i < 20100; i++) {
		snprintf(name, sizeof(name), "root/dir/f%d", i);
		fixture_path(&f, name, path);
		close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	}
	ask_page("sort=time&order=desc&page=1", tag);
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "f%d", i * 600);
		fixture_path(&f, "root/dir", path);
		snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s", name);
		ck_assert_int_eq(truncate(path, 1000 + i), 0);
		snprintf(path, sizeof(path), "root/dir/%s", name);
		fixture_time(&f, path, 4000000000 + i, 0);
		f.request.received += SECOND;
		ask_page("sort=time&order=desc&page=1", tag);
		snprintf(path, sizeof(path), "href=\"%s\"", name);
		ck_assert(fixture_has(&f, path));
		f.request.received += SECOND;
		ask_page("sort=size&page=2010", tag);
		ck_assert(fixture_has(&f, path));
		ask_page("sort=size&order=desc&page=1", tag);
		ck_assert(fixture_has(&f, path));
	}
}
END_TEST

Suite *
untold_suite(void)
{
	Suite *suite = suite_create("handler/untold");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 120);
	tcase_add_test(all, each_page_by_itself);
	tcase_add_test(all, a_link_moves_a_row);
	tcase_add_test(all, a_lot_is_the_threads);
	tcase_add_test(all, sorted_by_what_changes);
	suite_add_tcase(suite, all);
	return suite;
}
