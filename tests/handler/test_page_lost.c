/* The rendered page of a large folder goes out of the cache while the folder is as it was. */
#include "handler/coded.h"

#include "handler/fixture.h"
#include "suites.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *page_lost_suite(void);

/* More than is read, or rendered, while others wait. */
#define MANY 17000

static struct fixture f;
static char cache_dir[PATH_MAX];

static void
setup(void)
{
	char name[PATH_MAX];
	int dir, fd;

	fixture_make(&f);
	f.options.cache_memory = (size_t)64 << 20;
	f.options.cache_disk = INT64_C(1) << 30;
	f.options.watches = 16;
	fixture_path(&f, "cache", cache_dir);
	f.options.cache_dir = cache_dir;
	dir = open(f.root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "f%05d", i);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		ck_assert_int_ge(fd, 0);
		close(fd);
	}
	close(dir);
	fixture_settle(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static int
unlink_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)at;
	return type == FTW_F ? unlink(path) : 0;
}

/* As a sweep of another worker does, or whoever cleans up. */
static void
lose_pages(void)
{
	ck_assert_int_eq(nftw(cache_dir, unlink_one, 16, FTW_PHYS), 0);
	/* Not the same request any more. */
	f.request.received += SECOND;
}

static const struct {
	const char *accept_encoding;
	bool conditional;
	enum status status;
} rows[] = {
	{ NULL, false, 200 },
	{ "gzip", false, 200 },
	{ NULL, true, 304 },
};

START_TEST(a_lost_page_is_made_again)
{
	char tag[64];
	size_t length;

	f.options.codings[CODING_IDENTITY] = f.options.codings[CODING_GZIP] = true;
	f.request.accept_encoding = str_from(rows[_i].accept_encoding);
	ck_assert_int_eq(fixture_get(&f, "/"), 200);
	f.request.accept_encoding = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_get(&f, "/"), 200);
	length = f.content.len;
	ck_assert_uint_eq(fixture_count(&f, "<tr><td><a href=\"f"), MANY);
	fixture_etag(&f, tag);
	f.request.accept_encoding = str_from(rows[_i].accept_encoding);
	if (rows[_i].conditional)
		f.request.if_none_match = str_from(tag);
	for (int i = 0; i < 3; i++) {
		lose_pages();
		ck_assert_int_eq(fixture_get(&f, "/"), rows[_i].status);
	}
	f.request.accept_encoding = f.request.if_none_match = (struct str){ NULL, 0 };
	lose_pages();
	ck_assert_int_eq(fixture_get(&f, "/"), 200);
	ck_assert_uint_eq(f.content.len, length);
	ck_assert_field(&f, "ETag", tag);
}
END_TEST

Suite *
page_lost_suite(void)
{
	Suite *suite = suite_create("handler/page_lost");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 120);
	tcase_add_loop_test(all, a_lost_page_is_made_again, 0, ROWS(rows));
	suite_add_tcase(suite, all);
	return suite;
}
