/* What may not be read, and what becomes of a file that is remembered, for one who is not root. */
#include "handler/handler.h"

#include "handler/trees.h"
#include "suites.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *rights_suite(void);

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

static void
unreadable(void)
{
	ck_assert_int_eq(fixture_get(&f, "/closed.txt"), 403);
	ck_assert(!fixture_has(&f, "closed"));
	ck_assert_int_eq(f.response.error, EACCES);
	ck_assert_int_eq(fixture_get(&f, "/closed/"), 403);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 403);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
}

/* The owner of an index that may not be read did not mean a listing. */
START_TEST(unreadable_is_403)
{
	fixture_file(&f, "root/closed.txt", "closed");
	fixture_mode(&f, "root/closed.txt", 0);
	fixture_directory(&f, "root/closed");
	fixture_mode(&f, "root/closed", 0);
	fixture_file(&f, "root/dir/index.html", "index");
	fixture_mode(&f, "root/dir/index.html", 0);
	ck_assert_int_eq(without_privilege(unreadable), 0);
}
END_TEST

/* A folder that may be entered and not read: its listing is refused, its index is not, asked for the first time or again. */
static void
index_of_a_folder_that_is_not_read(void)
{
	fixture_settle(&f);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "index");
		ck_assert_int_eq(fixture_get(&f, "/dir/b.txt"), 200);
		ck_assert_int_eq(fixture_get(&f, "/bare/"), 403);
		ck_assert_int_eq(fixture_get(&f, "/bare"), 301);
		ck_assert_int_eq(fixture_get(&f, "/dir"), 301);
		ck_assert_int_eq(fixture_get(&f, "/closed"), 403);
	}
	f.request.directory_only = true;
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 403);
}

START_TEST(a_folder_that_may_only_be_entered)
{
	f.options.cache_memory = (size_t)_i << 20;
	fixture_file(&f, "root/dir/index.html", "index");
	fixture_directory(&f, "root/bare");
	fixture_mode(&f, "root/dir", 0711);
	fixture_mode(&f, "root/bare", 0711);
	fixture_file(&f, "root/closed", "a file");
	fixture_mode(&f, "root/closed", 0);
	ck_assert_int_eq(without_privilege(index_of_a_folder_that_is_not_read), 0);
}
END_TEST

/* What becomes of a file that is remembered. Everything is done by one who is not root. */
enum fate { DELETED, A_FOLDER, CLOSED, IN_CLOSED_FOLDER, REPLACED, REWRITTEN, SHORTENED, A_LINK_OUT, A_LINK_IN, A_FIFO, RETURNS };

static const struct {
	enum fate fate;
	enum status status, index; /* of the file itself, and of the folder whose index it is */
	const char *content;
} fates[] = {
	{ DELETED, 404, 200, NULL },
	{ A_FOLDER, 301, 200, NULL },
	{ CLOSED, 403, 403, NULL },
	{ IN_CLOSED_FOLDER, 403, 403, NULL },
	{ REPLACED, 200, 200, "other" },
	{ REWRITTEN, 200, 200, "HELLO" },
	{ SHORTENED, 200, 200, "he" },
	{ A_LINK_OUT, 404, 200, NULL },
	{ A_LINK_IN, 200, 200, "linked" },
	{ A_FIFO, 404, 200, NULL },
	{ RETURNS, 200, 200, "hello" },
};

static enum fate fate;
static int fate_row;

static void
meet_fate(void)
{
	char path[PATH_MAX], other[PATH_MAX];

	fixture_path(&f, "root/open/sub/index.html", path);
	fixture_path(&f, "root/open/other", other);
	fixture_file(&f, "root/open/other", fate == REPLACED ? "other" : "linked");
	if (fate == REPLACED)
		ck_assert_int_eq(rename(other, path), 0);
	if (fate == CLOSED)
		fixture_mode(&f, "root/open/sub/index.html", 0);
	if (fate == IN_CLOSED_FOLDER)
		fixture_mode(&f, "root/open/sub", 0);
	if (fate == REWRITTEN)
		fixture_file(&f, "root/open/sub/index.html", "HELLO");
	if (fate == SHORTENED)
		ck_assert_int_eq(truncate(path, 2), 0);
	if (fate == DELETED || fate == A_FOLDER || fate == A_LINK_OUT || fate == A_LINK_IN || fate == A_FIFO)
		ck_assert_int_eq(unlink(path), 0);
	if (fate == A_FOLDER)
		fixture_directory(&f, "root/open/sub/index.html");
	if (fate == A_LINK_OUT)
		fixture_link(&f, "root/open/sub/index.html", "../../../secret");
	if (fate == A_LINK_IN)
		fixture_link(&f, "root/open/sub/index.html", "../other");
	if (fate == A_FIFO)
		ck_assert_int_eq(mkfifo(path, 0644), 0);
	if (fate == RETURNS) {
		fixture_path(&f, "root/open/away", other);
		ck_assert_int_eq(rename(path, other), 0);
		ck_assert_int_eq(fixture_get(&f, "/open/sub/index.html"), 404);
		ck_assert_int_eq(rename(other, path), 0);
	}
}

static void
remember_and_ask(void)
{
	bool listed = fates[fate_row].index == 200 && fates[fate_row].content == NULL;

	fixture_directory(&f, "root/open/sub");
	fixture_file(&f, "root/open/sub/index.html", "hello");
	fixture_settle(&f);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/open/sub/index.html"), 200);
		ck_assert_content(&f, "hello");
		ck_assert_int_eq(fixture_get(&f, "/open/sub/"), 200);
		ck_assert_content(&f, "hello");
	}
	fixture_tick();
	meet_fate();
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/open/sub/index.html"), fates[fate_row].status);
		if (fates[fate_row].content != NULL)
			ck_assert_content(&f, fates[fate_row].content);
		ck_assert_int_eq(fixture_get(&f, "/open/sub/"), fates[fate_row].index);
		if (listed)
			ck_assert(fixture_has(&f, "Index of /open/sub/"));
		else if (fates[fate_row].content != NULL)
			ck_assert_content(&f, fates[fate_row].content);
	}
}

START_TEST(what_becomes_of_a_remembered_file)
{
	f.options.cache_memory = (size_t)1 << 20;
	fate_row = _i;
	fate = fates[_i].fate;
	fixture_directory(&f, "root/open");
	fixture_mode(&f, "root/open", 0777);
	ck_assert_int_eq(without_privilege(remember_and_ask), 0);
}
END_TEST

Suite *
rights_suite(void)
{
	Suite *suite = suite_create("handler/rights");

	suite_add_case(suite, unreadable_is_403, 1, setup, teardown);
	suite_add_case(suite, a_folder_that_may_only_be_entered, 2, setup, teardown);
	suite_add_case(suite, what_becomes_of_a_remembered_file, ROWS(fates), setup, teardown);
	return suite;
}
