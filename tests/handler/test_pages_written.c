/* A large plain page is written to the cache directory when it is sent, not when it is made. */
#include "handler/coding.h"
#include "handler/trees.h"
#include "suites.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *pages_written_suite(void);

static struct fixture f;
static char cache_dir[PATH_MAX];

static void
setup(void)
{
	coding_make(&f);
	use_cache_dir(&f, cache_dir);
	f.options.watches = 16;
	f.request.front = FRONT_LIGHTTPD;
	fixture_directory(&f, "root/dir");
	trees_add_files(&f, "dir", 2000);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static int large;

static int
count_large(const char *path, const struct stat *st, int type)
{
	(void)path;
	large += type == FTW_F && st->st_size > INLINE_MAX;
	return 0;
}

/* Files in the cache directory that are no coded form of such a page: that is small. */
static int
plain_pages(void)
{
	large = 0;
	ftw(cache_dir, count_large, 8);
	return large;
}

static void
change_one(int i)
{
	fixture_time(&f, "root/dir/f07", WRITTEN + i, 0);
}

static void
ask(const char *coding)
{
	accept_coding(&f, coding);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
}

START_TEST(written_when_sent)
{
	for (int i = 1; i <= 3; i++) {
		change_one(i);
		ask("br");
		ck_assert_field(&f, "Content-Encoding", "br");
		ck_assert_int_eq(plain_pages(), i - 1);
		/* Made again from what is known: the page's bytes were not kept. */
		ask(NULL);
		ck_assert_int_eq(fixture_body(&f), BODY_HANDOFF);
		ck_assert_int_eq(plain_pages(), i);
		ask(NULL);
		ck_assert_int_eq(plain_pages(), i);
	}
}
END_TEST

/* As it was an hour ago: what the client has is right, and is found to be so without a file. */
START_TEST(not_written_for_a_304)
{
	char tag[64];

	change_one(1);
	ask("gzip");
	ask(NULL);
	fixture_etag(&f, tag);
	change_one(2);
	ask("gzip");
	change_one(1);
	f.request.if_none_match = str_from(tag);
	accept_coding(&f, NULL);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 304);
	ck_assert_int_eq(plain_pages(), 1);
}
END_TEST

Suite *
pages_written_suite(void)
{
	Suite *suite = suite_create("handler/pages_written");

	suite_add_case(suite, written_when_sent, 1, setup, teardown);
	suite_add_case(suite, not_written_for_a_304, 1, setup, teardown);
	return suite;
}
