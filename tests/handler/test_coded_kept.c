/* Coded forms that are kept: made when there is time, never of an old file, and given up without harm. */
#include "handler/coded.h"

#include "handler/coding.h"
#include "handler/decode.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

Suite *coded_kept_suite(void);

static struct fixture f;

static void
setup(void)
{
	coding_make(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

/* Writes size bytes of one letter into the file that is there. */
static void
overwrite(const char *name, char letter, size_t size)
{
	char path[PATH_MAX], *bytes = malloc(size);
	int fd;

	memset(bytes, letter, size);
	fixture_path(&f, name, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	free(bytes);
}

/* The answer is all of this letter, in whatever form. */
static void
check_letter(const char *asked, char letter, size_t size)
{
	char *bytes = malloc(size + 1);
	size_t same = 0;

	ck_assert_int_eq(fixture_get(&f, asked), 200);
	ck_assert_uint_eq(decode(fixture_field(&f, "Content-Encoding"), buf_view(&f.content), bytes, size + 1), size);
	while (same < size && bytes[same] == letter)
		same++;
	ck_assert_uint_eq(same, size);
	free(bytes);
}

static void
ask_now(const char *asked, char letter, size_t size)
{
	static const char *const accepts[] = { "gzip", NULL, "br", "zstd", "gzip" };
	struct timespec now;

	for (size_t i = 0; i < sizeof(accepts) / sizeof(accepts[0]); i++) {
		clock_gettime(CLOCK_REALTIME, &now);
		f.request.received = (int64_t)now.tv_sec * SECOND + now.tv_nsec;
		accept_coding(&f, accepts[i]);
		check_letter(asked, letter, size);
	}
}

/* Many changes within one tick of the file system's clock, of equal size, with the time put back: no fact tells them apart. */
START_TEST(a_file_just_changed_is_never_an_old_one)
{
	for (int i = 0; i < 200; i++) {
		overwrite("root/a.txt", (char)('a' + i % 26), SIZE);
		if (i % 3 == 0)
			fixture_time(&f, "root/a.txt", WRITTEN, 0);
		ask_now("/a.txt", (char)('a' + i % 26), SIZE);
	}
}
END_TEST

START_TEST(a_kept_form_goes_with_its_file)
{
	char path[PATH_MAX], other[PATH_MAX];

	fixture_path(&f, "root/a.txt", path);
	fixture_path(&f, "root/b.txt", other);
	accept_coding(&f, BROWSER_CODINGS);
	for (int i = 0; i < 20; i++) {
		char letter = (char)('a' + i);

		fixture_tick();
		if (i % 2 == 0) {
			overwrite("root/a.txt", letter, SIZE);
			fixture_time(&f, "root/a.txt", WRITTEN, 0);
		} else {
			fixture_file(&f, "root/b.txt", "");
			overwrite("root/b.txt", letter, SIZE);
			fixture_time(&f, "root/b.txt", WRITTEN, 0);
			ck_assert_int_eq(rename(other, path), 0);
		}
		fixture_settle(&f);
		check_letter("/a.txt", letter, SIZE);
		check_letter("/a.txt", letter, SIZE);
	}
}
END_TEST

START_TEST(a_large_file_is_coded_later)
{
	const size_t size = (size_t)2 << 20;

	fixture_text(&f, "root/large.txt", size);
	fixture_settle(&f);
	accept_coding(&f, "gzip");
	ck_assert_int_eq(fixture_get(&f, "/large.txt"), 200);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	check_whole(&f, NULL, size);
	ck_assert(wait_for(&f, "/large.txt", "gzip", NULL));
	check_whole(&f, "gzip", size);
	/* It is in a file without a name, of which nothing is ever taken away. */
	ck_assert_int_eq(fixture_body(&f), BODY_FILE);
	ck_assert(f.response.fd_is_stable);
}
END_TEST

/* A coding of it would be of bytes that are others by then. */
START_TEST(a_large_file_just_changed_is_not_coded)
{
	fixture_text(&f, "root/large.txt", (size_t)2 << 20);
	accept_coding(&f, "gzip");
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(fixture_get(&f, "/large.txt"), 200);
		check_whole(&f, NULL, (size_t)2 << 20);
		usleep(20000);
	}
}
END_TEST

static const char *const codings[] = { "gzip", "zstd", "br" };

/* Better when nobody waits for it; other bytes, so another tag. */
START_TEST(the_best_quality_comes_later)
{
	char tag[64], later[64];

	fixture_settle(&f);
	accept_coding(&f, codings[_i]);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	check_whole(&f, codings[_i], SIZE);
	fixture_etag(&f, tag);
	ck_assert(wait_for(&f, "/a.txt", codings[_i], tag));
	check_whole(&f, codings[_i], SIZE);
	fixture_etag(&f, later);
	f.request.if_none_match = str_from(later);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 304);
	ck_assert_field(&f, "ETag", later);
	f.request.if_none_match = (struct str){ NULL, 0 };
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		ck_assert_field(&f, "ETag", later);
		check_whole(&f, codings[_i], SIZE);
	}
}
END_TEST

/* An answer that is being sent keeps its bytes whatever is given up meanwhile. */
START_TEST(an_answer_outlives_what_is_given_up)
{
	struct response held;
	struct buf bytes;
	char name[32];

	buf_init(&bytes, (size_t)1 << 20);
	response_init(&held);
	f.options.cache_memory = 20000;
	fixture_settle(&f);
	accept_coding(&f, "gzip");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_target(&f, "/a.txt");
	handler_respond(&f.handler, &f.request, &held);
	ck_assert_int_eq(held.status, 200);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "root/f%d.txt", i);
		fixture_text(&f, name, SIZE);
		fixture_settle(&f);
		ck_assert_int_eq(fixture_get(&f, name + strlen("root")), 200);
		check_whole(&f, "gzip", SIZE);
	}
	for (size_t i = 0; i < held.segment_count; i++)
		buf_bytes(&bytes, held.segments[i].bytes, (size_t)held.segments[i].length);
	check_text(S("gzip"), buf_view(&bytes), SIZE);
	handler_finish(&f.handler, &held);
	response_release(&held);
	buf_release(&bytes);
}
END_TEST

START_TEST(without_memory_to_keep_anything)
{
	f.options.cache_memory = 0;
	fixture_text(&f, "root/b.txt", 400000);
	fixture_settle(&f);
	for (int i = 0; i < 6; i++) {
		accept_coding(&f, codings[i % 3]);
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		check_whole(&f, codings[i % 3], SIZE);
		ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
		check_whole(&f, codings[i % 3], 400000);
	}
}
END_TEST

Suite *
coded_kept_suite(void)
{
	Suite *suite = suite_create("handler/coded_kept");

	suite_add_case(suite, a_file_just_changed_is_never_an_old_one, 1, setup, teardown);
	suite_add_case(suite, a_kept_form_goes_with_its_file, 1, setup, teardown);
	suite_add_case(suite, a_large_file_is_coded_later, 1, setup, teardown);
	suite_add_case(suite, a_large_file_just_changed_is_not_coded, 1, setup, teardown);
	suite_add_case(suite, the_best_quality_comes_later, ROWS(codings), setup, teardown);
	suite_add_case(suite, an_answer_outlives_what_is_given_up, 1, setup, teardown);
	suite_add_case(suite, without_memory_to_keep_anything, 1, setup, teardown);
	return suite;
}
