/* Listings that are remembered: pages of a view, the two forms of each, and a root that becomes another. */
#include "handler/pages.h"

#include "handler/trees.h"
#include "suites.h"

#include <stdio.h>
#include <unistd.h>

Suite *pages_suite(void);

static struct fixture f;

static void
setup(void)
{
	trees_make_paged(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

/* Of 25 files and 3 folders, ten rows a page; folders come first. */
static const struct {
	const char *query, *accept;
	int folders, first, last; /* the files' numbers, last excluded */
	const char *says;         /* NULL: everything is there, and no word of pages */
} paged[] = {
	{ NULL, BROWSER, 3, 0, 7, "Rows 1\xe2\x80\x93" "10 of 28, page 1 of 3" },
	{ NULL, "text/html", 3, 0, 7, "Rows 1\xe2\x80\x93" "10 of 28, page 1 of 3" },
	{ "page=1", BROWSER, 3, 0, 7, "Rows 1\xe2\x80\x93" "10 of 28, page 1 of 3" },
	{ "page=2", BROWSER, 0, 7, 17, "Rows 11\xe2\x80\x93" "20 of 28, page 2 of 3" },
	{ "page=3", BROWSER, 0, 17, 25, "Rows 21\xe2\x80\x93" "28 of 28, page 3 of 3" },
	{ "page=4", BROWSER, 0, 17, 25, "Rows 21\xe2\x80\x93" "28 of 28, page 3 of 3" },
	{ "page=99999999999999999999", BROWSER, 0, 17, 25, "Rows 21\xe2\x80\x93" "28 of 28, page 3 of 3" },
	{ "page=0", BROWSER, 3, 0, 7, "page 1 of 3" },
	{ "page=-1", BROWSER, 3, 0, 7, "page 1 of 3" },
	{ "page=x", BROWSER, 3, 0, 7, "page 1 of 3" },
	{ "page=all", BROWSER, 3, 0, 25, NULL },
	{ "page=2", NULL, 0, 7, 17, "page 2 of 3" },
	{ NULL, NULL, 3, 0, 25, NULL },
	{ NULL, "*/*", 3, 0, 25, NULL },
	{ NULL, "text/*", 3, 0, 25, NULL },
	{ NULL, "", 3, 0, 25, NULL },
	{ "format=json", BROWSER, 3, 0, 25, NULL },
	{ "format=json&page=2", BROWSER, 3, 0, 25, NULL },
	{ NULL, "application/json", 3, 0, 25, NULL },
	{ "sort=name&order=desc", BROWSER, 3, 18, 25, "page 1 of 3" },
	{ "sort=name&order=desc&page=3", BROWSER, 0, 0, 8, "page 3 of 3" },
	{ "sort=size", BROWSER, 3, 0, 7, "page 1 of 3" },
	{ "sort=time&order=desc&page=3", BROWSER, 0, 0, 8, "page 3 of 3" },
};

static void
check_paged(int folders, int first, int last, bool json)
{
	char want[32];

	for (int i = 0; i < 3; i++) {
		snprintf(want, sizeof(want), json ? "\"href\":\"d%d/\"" : "<a href=\"d%d/\">", i);
		ck_assert_int_eq((int)fixture_count(&f, want), i < folders);
	}
	for (int i = 0; i < 25; i++) {
		snprintf(want, sizeof(want), json ? "\"href\":\"f%02d\"" : "<a href=\"f%02d\">", i);
		ck_assert_msg((int)fixture_count(&f, want) == (i >= first && i < last), "f%02d", i);
	}
}

START_TEST(pages_of_a_view)
{
	bool json = str_has(str_from(paged[_i].accept), 'j') ||
	    (paged[_i].query != NULL && strstr(paged[_i].query, "json") != NULL);

	trees_add_28(&f);
	f.request.query = str_from(paged[_i].query);
	f.request.accept = str_from(paged[_i].accept);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	check_paged(paged[_i].folders, paged[_i].first, paged[_i].last, json);
	if (paged[_i].says != NULL)
		ck_assert(fixture_has(&f, paged[_i].says));
	else
		ck_assert(!fixture_has(&f, "aria-label=\"Pages\""));
	/* The counts are of the folder, not of the page. */
	ck_assert(fixture_has(&f, json ? "\"directories\":3,\"files\":25," : "3 folders, 25 files"));
}
END_TEST

START_TEST(no_pages_when_none_are_wanted)
{
	trees_add_28(&f);
	f.options.page_size = (size_t[]){ 0, 28, 1000 }[_i];
	f.request.accept = S(BROWSER);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	check_paged(3, 0, 25, false);
	ck_assert(!fixture_has(&f, "aria-label=\"Pages\""));
	ck_assert(fixture_has(&f, "3 folders, 25 files, 25 B"));
}
END_TEST

/* A sum is shown when all of it was looked at; never that of one page as if it were the folder's. */
START_TEST(a_sum_is_the_folders)
{
	trees_add_28(&f);
	f.request.accept = S(BROWSER);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(!fixture_has(&f, "25 files, 7 B"));
	ck_assert(!fixture_has(&f, "at least"));
	f.request.query = S("page=all");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(fixture_has(&f, "25 files, 25 B"));
}
END_TEST

START_TEST(each_page_has_a_tag_of_its_own)
{
	static const char *const queries[] = { "page=1", "page=2", "page=3", "page=all", "format=json", "order=desc" };
	enum { VIEWS = sizeof(queries) / sizeof(queries[0]) };
	char tags[VIEWS][64];

	trees_add_28(&f);
	f.request.accept = S(BROWSER);
	for (size_t round = 0; round < 2; round++)
		for (size_t i = 0; i < VIEWS; i++) {
			char again[64];

			f.request.query = str_from(queries[i]);
			ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
			fixture_etag(&f, round == 0 ? tags[i] : again);
			if (round == 1)
				ck_assert_str_eq(tags[i], again);
			for (size_t j = 0; round == 0 && j < i; j++)
				ck_assert_str_ne(tags[i], tags[j]);
		}
}
END_TEST

/* Each answer says what it depends on; with codings the two forms have tags of their own. */
START_TEST(both_forms_of_a_listing)
{
	static const char *const targets[] = { NULL, "gzip" };
	char forms[2][64];

	f.options.codings[CODING_IDENTITY] = f.options.codings[CODING_GZIP] = true;
	trees_add_28(&f);
	for (size_t i = 0; i < 2; i++) {
		f.request.accept_encoding = str_from(targets[i]);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_field(&f, "Vary", "Accept, Accept-Encoding");
		fixture_etag(&f, forms[i]);
		f.request.method = METHOD_HEAD;
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_field(&f, "Vary", "Accept, Accept-Encoding");
		f.request.method = METHOD_GET;
		f.request.range = S("bytes=0-9");
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 206);
		ck_assert_content(&f, "<!DOCTYPE ");
		ck_assert_field(&f, "Vary", "Accept, Accept-Encoding");
		f.request.range = (struct str){ NULL, 0 };
	}
	ck_assert_str_ne(forms[0], forms[1]);
	for (size_t i = 0; i < 2; i++) {
		f.request.accept_encoding = str_from(targets[i]);
		f.request.if_none_match = str_from(forms[0]);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), i == 0 ? 304 : 200);
		ck_assert_field(&f, "Vary", "Accept, Accept-Encoding");
	}
	f.request.accept_encoding = (struct str){ NULL, 0 };
	f.request.if_none_match = str_from(forms[1]);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_no_field(&f, "Content-Encoding");
}
END_TEST

/* A deployment: "current" is a link that is switched to the new tree. */
START_TEST(a_root_that_is_switched)
{
	char current[PATH_MAX], next[PATH_MAX];

	fixture_directory(&f, "one");
	fixture_directory(&f, "two");
	fixture_file(&f, "one/a.txt", "first");
	fixture_file(&f, "two/a.txt", "later");
	fixture_file(&f, "two/only-there", "");
	fixture_link(&f, "current", "one");
	fixture_path(&f, "current", current);
	f.options.root = str_from(current);
	fixture_settle(&f);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		ck_assert_content(&f, "first");
		ck_assert_int_eq(fixture_get(&f, "/"), 200);
		ck_assert(!fixture_has(&f, "only-there"));
		ck_assert_int_eq(fixture_get(&f, "/only-there"), 404);
	}
	fixture_link(&f, "next", "two");
	fixture_path(&f, "next", next);
	ck_assert_int_eq(rename(next, current), 0);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "later");
	ck_assert_int_eq(fixture_get(&f, "/"), 200);
	ck_assert(fixture_has(&f, "only-there"));
	ck_assert_int_eq(fixture_get(&f, "/only-there"), 200);
	/* Gone for a moment, then back. */
	ck_assert_int_eq(unlink(current), 0);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	ck_assert_int_eq(fixture_get(&f, "/"), 404);
	fixture_link(&f, "current", "one");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "first");
}
END_TEST

Suite *
pages_suite(void)
{
	Suite *suite = suite_create("handler/pages");

	suite_add_case(suite, pages_of_a_view, ROWS(paged), setup, teardown);
	suite_add_case(suite, no_pages_when_none_are_wanted, 3, setup, teardown);
	suite_add_case(suite, a_sum_is_the_folders, 1, setup, teardown);
	suite_add_case(suite, each_page_has_a_tag_of_its_own, 1, setup, teardown);
	suite_add_case(suite, both_forms_of_a_listing, 1, setup, teardown);
	suite_add_case(suite, a_root_that_is_switched, 1, setup, teardown);
	return suite;
}
