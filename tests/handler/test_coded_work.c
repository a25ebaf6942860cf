/* Who codes what, and when: this thread or the helper, this process or another; and what that may cost. */
#include "handler/coded.h"

#include "handler/fixture.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *coded_work_suite(void);

#define SIZE 4000
#define LATER ((size_t)2 << 20)   /* more than is coded while somebody waits */
#define NO_BEST ((size_t)1200000) /* more than is ever coded in the best quality */
#define PATIENCE 4000

static struct fixture f;
static char cache_dir[PATH_MAX];

static void
setup(void)
{
	fixture_make(&f);
	f.options.codings[CODING_IDENTITY] = f.options.codings[CODING_GZIP] = true;
	f.options.cache_memory = (size_t)64 << 20;
	f.options.cache_disk = INT64_C(1) << 30;
	f.request.accept_encoding = S("gzip");
	fixture_text(&f, "root/a.txt", SIZE);
	fixture_path(&f, "cache", cache_dir);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

/* A 200 with all of a file made by fixture_text. */
static void
check_whole(const char *path, bool coded, size_t size)
{
	char *bytes = malloc(size + 1);
	size_t len = f.content.len, same = 0;

	ck_assert_int_eq(f.response.status, 200);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	ck_assert_msg((fixture_field(&f, "Content-Encoding").ptr != NULL) == coded, "%s", path);
	if (coded) {
		struct libdeflate_decompressor *one = libdeflate_alloc_decompressor();

		ck_assert_int_eq(libdeflate_gzip_decompress(one, f.content.ptr, f.content.len, bytes, size + 1, &len),
		    LIBDEFLATE_SUCCESS);
		libdeflate_free_decompressor(one);
	} else {
		memcpy(bytes, f.content.ptr, len <= size ? len : 0);
	}
	ck_assert_uint_eq(len, size);
	while (same < size && bytes[same] == text_at(same))
		same++;
	ck_assert_uint_eq(same, size);
	free(bytes);
}

static void
get(const char *path, bool coded, size_t size)
{
	fixture_get(&f, path);
	check_whole(path, coded, size);
}

/* Which quality the last answer has. */
static bool
is_best(void)
{
	return str_ends(fixture_field(&f, "ETag"), S(".gz9\""));
}

static bool
wait_for(const char *path, bool best, size_t size)
{
	for (int i = 0; i < PATIENCE; i++) {
		fixture_get(&f, path);
		if (fixture_field(&f, "Content-Encoding").ptr != NULL && (!best || is_best())) {
			check_whole(path, true, size);
			return true;
		}
		usleep(10000);
	}
	return false;
}

/* Many files whose coded forms have a descriptor each: whatever is asked afterwards can still be opened. */
START_TEST(descriptors_are_left)
{
	const struct rlimit limit = { 64, 64 };
	const size_t size = 140000;
	char name[64];

	f.options.alone = true;
	f.options.cache_dir = _i != 0 ? cache_dir : NULL;
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "root/f%d.txt", i);
		fixture_text(&f, name, size);
	}
	fixture_settle(&f);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "/f%d.txt", i);
		get(name, true, size);
		ck_assert_int_eq(fixture_body(&f), BODY_FILE);
	}
	f.request.accept_encoding = (struct str){ NULL, 0 };
	get("/a.txt", false, SIZE);
	ck_assert_int_eq(fixture_get(&f, "/"), 200);
}
END_TEST

/* What a thread is to code it reads itself. */
START_TEST(a_large_file_is_not_read_while_others_wait)
{
	f.options.alone = _i == 1;
	fixture_text(&f, "root/large.txt", LATER);
	fixture_settle(&f);
	get("/large.txt", true, LATER);
	/* A request alone keeps nobody waiting. */
	ck_assert_int_eq(f.handler.plain.cap > 0, f.options.alone);
}
END_TEST

static const struct {
	size_t size;
	bool coded;
} changing[] = { { 600, true }, { 65536, true }, { 65537, false }, { 1000000, false }, { LATER, false } };

/* Coding it anew for each request would keep everybody waiting. */
START_TEST(a_file_that_keeps_changing_is_coded_while_small)
{
	fixture_text(&f, "root/log.txt", changing[_i].size);
	for (int i = 0; i < 3; i++)
		get("/log.txt", changing[_i].coded, changing[_i].size);
	fixture_settle(&f);
	ck_assert(wait_for("/log.txt", false, changing[_i].size));
}
END_TEST

static void
fill_pending(struct hash key)
{
	for (int i = 0; i < HANDLER_PENDING_MAX; i++)
		f.handler.pending[i].key = key;
}

/* Too much was to do when it was first asked for. */
START_TEST(whom_the_helper_turned_away_comes_again)
{
	const size_t size = _i == 0 ? SIZE : LATER;
	const char *path = _i == 0 ? "/a.txt" : "/large.txt";

	fixture_text(&f, "root/large.txt", LATER);
	fixture_settle(&f);
	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	f.open = true;
	fill_pending((struct hash){ 1, 1 });
	f.handler.awaited = (struct awaited_coding){ .valid = true, .pending = true, .key = { 1, 1 } };
	for (int i = 0; i < 3; i++) {
		get(path, _i == 0, size);
		ck_assert(!is_best());
	}
	fill_pending((struct hash){ 0, 0 });
	f.handler.awaited.valid = _i == 0;
	ck_assert(wait_for(path, _i == 0, size));
}
END_TEST

/* Another handler, as another process or a later life of the program has it. */
static void
start_anew(bool alone)
{
	if (f.open) {
		handler_finish(&f.handler, &f.response);
		response_reset(&f.response);
		handler_release(&f.handler);
	}
	f.options.alone = alone;
	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	f.open = true;
}

/* The one before had no time for the best quality. */
START_TEST(the_best_quality_comes_in_a_later_life)
{
	f.options.cache_dir = cache_dir;
	fixture_settle(&f);
	start_anew(true);
	get("/a.txt", true, SIZE);
	start_anew(false);
	get("/a.txt", true, SIZE);
	ck_assert(wait_for("/a.txt", true, SIZE));
	/* And is there in the next. */
	start_anew(true);
	get("/a.txt", true, SIZE);
	ck_assert(is_best());
}
END_TEST

static struct hash
identity_of(const char *file)
{
	char path[PATH_MAX];
	struct stat st;

	fixture_path(&f, file, path);
	ck_assert_int_eq(stat(path, &st), 0);
	return hash_bytes((struct str){ (const char *)(const uint64_t[]){ st.st_dev, st.st_ino, (uint64_t)st.st_size,
	    (uint64_t)file_nanoseconds(&st.st_mtim), (uint64_t)file_nanoseconds(&st.st_ctim) }, 5 * sizeof(uint64_t) });
}

static struct blobs *
other_process(void)
{
	const struct blobs_options options = { .directory = cache_dir, .memory = 1 << 20, .disk = 1 << 30 };

	f.options.cache_dir = cache_dir;
	return blobs_new(&options);
}

/* What is never made in the best quality is not looked for in it. */
START_TEST(no_best_quality_of_a_large_one)
{
	struct blobs *others = other_process();
	struct hash key;

	fixture_text(&f, "root/b.txt", NO_BEST);
	fixture_settle(&f);
	get("/b.txt", true, NO_BEST);
	key = coded_key(identity_of("root/b.txt"), CODING_GZIP, QUALITY_BEST);
	blob_put(others, blobs_add(others, key, S("never looked for"), true));
	blobs_free(others);
	for (int i = 0; i < 70; i++) {
		get("/b.txt", true, NO_BEST);
		ck_assert(!is_best());
		usleep(1000);
	}
}
END_TEST

/* Nobody waits for it, nobody does the same beside it; and what it made is found before long. */
START_TEST(another_process_codes_it)
{
	const enum quality quality = _i == 0 ? QUALITY_BEST : QUALITY_QUICK;
	const char *path = _i == 0 ? "/a.txt" : "/large.txt";
	const size_t size = _i == 0 ? SIZE : LATER;
	struct blobs *others = other_process();
	struct hash key;
	int claim, asked = 0;

	fixture_text(&f, "root/large.txt", LATER);
	fixture_settle(&f);
	key = coded_key(identity_of(_i == 0 ? "root/a.txt" : "root/large.txt"), CODING_GZIP, quality);
	claim = blobs_claim(others, BLOBS_THREAD_IDLE, key);
	ck_assert_int_ge(claim, 0);
	for (int i = 0; i < 200; i++) {
		get(path, _i == 0, size);
		ck_assert(!is_best());
		usleep(1000);
	}
	ck_assert_int_eq(blobs_settle(others, BLOBS_THREAD_IDLE, key, claim, S("by the other one")), 0);
	for (; asked < 100 && !fixture_has(&f, "by the other one"); asked++) {
		fixture_get(&f, path);
		usleep(1000);
	}
	ck_assert_int_lt(asked, 100);
	ck_assert_int_eq(is_best(), _i == 0);
	blobs_free(others);
}
END_TEST

/* It was killed: its claim is nobody's. */
START_TEST(another_process_gave_up)
{
	struct blobs *others = other_process();
	struct hash key;
	int claim;

	fixture_settle(&f);
	key = coded_key(identity_of("root/a.txt"), CODING_GZIP, QUALITY_BEST);
	claim = blobs_claim(others, BLOBS_THREAD_IDLE, key);
	ck_assert_int_ge(claim, 0);
	get("/a.txt", true, SIZE);
	usleep(50000);
	close(claim);
	ck_assert(wait_for("/a.txt", true, SIZE));
	blobs_free(others);
}
END_TEST

enum named { BY_NONE_MATCH, BY_IF_RANGE, BY_MATCH, BY_NONE_MATCH_OF_THE_BEST, BY_NOTHING };

static const struct {
	enum named named;
	enum status status;
	bool best;
} names[] = {
	{ BY_NONE_MATCH, 304, false },
	{ BY_IF_RANGE, 206, false },
	{ BY_MATCH, 200, false },
	{ BY_NONE_MATCH_OF_THE_BEST, 304, true },
	{ BY_NOTHING, 200, true },
};

/* A better one came since: who has the quick one has it still. */
START_TEST(the_quality_that_is_named)
{
	char quick[64], best[64];

	fixture_settle(&f);
	get("/a.txt", true, SIZE);
	fixture_etag(&f, quick);
	ck_assert(wait_for("/a.txt", true, SIZE));
	fixture_etag(&f, best);
	ck_assert_str_ne(quick, best);
	if (names[_i].named == BY_NONE_MATCH)
		f.request.if_none_match = str_from(quick);
	if (names[_i].named == BY_NONE_MATCH_OF_THE_BEST)
		f.request.if_none_match = str_from(best);
	if (names[_i].named == BY_MATCH)
		f.request.if_match = str_from(quick);
	if (names[_i].named == BY_IF_RANGE) {
		f.request.if_range = str_from(quick);
		f.request.range = S("bytes=10-19");
	}
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), names[_i].status);
	ck_assert_field(&f, "ETag", names[_i].best ? best : quick);
	if (names[_i].status == 200)
		check_whole("/a.txt", true, SIZE);
}
END_TEST

Suite *
coded_work_suite(void)
{
	Suite *suite = suite_create("handler/coded_work");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 120);
	tcase_add_loop_test(all, descriptors_are_left, 0, 2);
	tcase_add_loop_test(all, a_large_file_is_not_read_while_others_wait, 0, 2);
	tcase_add_loop_test(all, a_file_that_keeps_changing_is_coded_while_small, 0, ROWS(changing));
	tcase_add_loop_test(all, whom_the_helper_turned_away_comes_again, 0, 2);
	tcase_add_test(all, the_best_quality_comes_in_a_later_life);
	tcase_add_test(all, no_best_quality_of_a_large_one);
	tcase_add_loop_test(all, another_process_codes_it, 0, 2);
	tcase_add_test(all, another_process_gave_up);
	tcase_add_loop_test(all, the_quality_that_is_named, 0, ROWS(names));
	suite_add_tcase(suite, all);
	return suite;
}
