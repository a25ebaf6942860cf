/* Files that change while they are served: an answer is wholly old or wholly new, and each change has its tag. */
#include "handler/serve_file.h"

#include "handler/fixture.h"
#include "suites.h"

#include <stdio.h>
#include <unistd.h>

Suite *serve_file_changes_suite(void);

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
	fixture_file(&f, "root/a.txt", "hello");
	fixture_time(&f, "root/a.txt", WRITTEN, 500000000);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

enum change { SHRINKS, GROWS, REWRITTEN, BECOMES_EMPTY, REPLACED, VANISHES, BECOMES_DIRECTORY };

static const struct {
	enum change change;
	enum status status;
	const char *content;
} changes[] = {
	{ SHRINKS, 200, "he" },
	{ GROWS, 200, "hello you" },
	{ REWRITTEN, 200, "HELLO" },
	{ BECOMES_EMPTY, 200, "" },
	/* What was opened is whole, and answers. */
	{ REPLACED, 200, "hello" },
	{ VANISHES, 200, "hello" },
	/* Shrunk and gone: nothing whole is left. */
	{ BECOMES_DIRECTORY, 404, NULL },
};

static void
make_change(enum change change)
{
	char path[PATH_MAX], other[PATH_MAX];

	fixture_path(&f, "root/a.txt", path);
	if (change == SHRINKS)
		ck_assert_int_eq(truncate(path, 2), 0);
	if (change == GROWS)
		fixture_file(&f, "root/a.txt", "hello you");
	if (change == REWRITTEN)
		fixture_file(&f, "root/a.txt", "HELLO");
	if (change == BECOMES_EMPTY || change == BECOMES_DIRECTORY)
		ck_assert_int_eq(truncate(path, 0), 0);
	if (change == VANISHES || change == BECOMES_DIRECTORY)
		ck_assert_int_eq(unlink(path), 0);
	if (change == BECOMES_DIRECTORY)
		fixture_directory(&f, "root/a.txt");
	if (change == REPLACED) {
		fixture_file(&f, "root/new.txt", "a new text");
		fixture_path(&f, "root/new.txt", other);
		ck_assert_int_eq(rename(other, path), 0);
	}
}

/* Between the look at the file and the reading of it. */
START_TEST(a_file_that_changes_meanwhile)
{
	struct target target;
	struct file file;

	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	f.open = true;
	fixture_target(&f, "/a.txt");
	ck_assert_int_eq(file_open(&file, &f.handler.root, f.request.path), 0);
	make_change(changes[_i].change);
	target = (struct target){ f.options.root, f.request.path, &f.handler.root };
	serve_file(&f.handler, &target, &f.request, &file, &f.response);
	ck_assert_int_eq(file.fd, -1);
	ck_assert_int_eq(f.response.status, changes[_i].status);
	if (changes[_i].content == NULL)
		return;
	ck_assert_int_eq(f.response.content_length, (int64_t)strlen(changes[_i].content));
	ck_assert_uint_eq(f.response.segment_count, 1);
	ck_assert(memcmp(f.response.segments[0].bytes, changes[_i].content, strlen(changes[_i].content)) == 0);
}
END_TEST

/* Wholly old: the bytes come out of the descriptor that the length and the tag came from. */
START_TEST(a_large_file_replaced_while_it_is_sent)
{
	char path[PATH_MAX], other[PATH_MAX], byte;

	fixture_bytes(&f, "root/large.zip", 100000);
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	fixture_file(&f, "root/new.zip", "new");
	fixture_path(&f, "root/new.zip", other);
	fixture_path(&f, "root/large.zip", path);
	ck_assert_int_eq(rename(other, path), 0);
	ck_assert_int_eq(pread(f.response.fd, &byte, 1, 99999), 1);
	ck_assert_int_eq(byte, pattern_at(99999));
	ck_assert_int_eq(fixture_get(&f, "/large.zip"), 200);
	ck_assert_content(&f, "new");
}
END_TEST

START_TEST(every_change_changes_the_tag)
{
	char first[64], second[64];

	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_etag(&f, first);
	fixture_time(&f, "root/a.txt", WRITTEN, 500000001);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_etag(&f, second);
	ck_assert_str_ne(first, second);
	fixture_file(&f, "root/a.txt", "hello!");
	fixture_time(&f, "root/a.txt", WRITTEN, 500000000);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_etag(&f, second);
	ck_assert_str_ne(first, second);
}
END_TEST

Suite *
serve_file_changes_suite(void)
{
	Suite *suite = suite_create("handler/serve_file_changes");

	suite_add_case(suite, a_file_that_changes_meanwhile, ROWS(changes), setup, teardown);
	suite_add_case(suite, a_large_file_replaced_while_it_is_sent, 1, setup, teardown);
	suite_add_case(suite, every_change_changes_the_tag, 1, setup, teardown);
	return suite;
}
