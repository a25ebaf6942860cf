/* Coded forms in a directory that processes share, and a directory that is of no use. */
#include "handler/coded.h"

#include "handler/coding.h"
#include "suites.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *coded_cachedir_suite(void);

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

static char cache_dir[PATH_MAX];

static const char *const codings[] = { "gzip", "zstd", "br" };

/* Overwrites each file of the cache with as many bytes of a letter; how many there were. */
static int
mark_cache(char letter)
{
	char boot[PATH_MAX + 64], name[2 * PATH_MAX], bytes[65536];
	int count = 0;
	struct dirent *one;
	DIR *dir = opendir(cache_dir);

	ck_assert_ptr_nonnull(dir);
	boot[0] = '\0';
	while ((one = readdir(dir)) != NULL)
		if (one->d_name[0] != '.')
			snprintf(boot, sizeof(boot), "%s/%.40s", cache_dir, one->d_name);
	closedir(dir);
	dir = boot[0] != '\0' ? opendir(boot) : NULL;
	memset(bytes, letter, sizeof(bytes));
	while (dir != NULL && (one = readdir(dir)) != NULL) {
		struct stat st;
		int fd;

		if (one->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", boot, one->d_name);
		fd = open(name, O_WRONLY | O_CLOEXEC);
		ck_assert(fd >= 0 && fstat(fd, &st) == 0 && st.st_size <= (off_t)sizeof(bytes));
		ck_assert_int_eq(write(fd, bytes, (size_t)st.st_size), st.st_size);
		close(fd);
		count++;
	}
	if (dir != NULL)
		closedir(dir);
	return count;
}

/* The process beside this one, or the next life of the program, finds the work done: shown by what is put in its place. */
START_TEST(one_process_codes_for_all)
{
	struct handler second;
	struct response response;
	char tag[64];

	use_cache_dir(&f, cache_dir);
	fixture_settle(&f);
	accept_coding(&f, "gzip");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	fixture_etag(&f, tag);
	ck_assert(wait_for(&f, "/a.txt", "gzip", tag));
	ck_assert_int_eq(mark_cache('x'), 2);
	ck_assert_int_eq(handler_init(&second, &f.options), 0);
	response_init(&response);
	handler_respond(&second, &f.request, &response);
	ck_assert_int_eq(response.status, 200);
	ck_assert(str_eq(buf_view(&response.fields), buf_view(&f.response.fields)));
	ck_assert_uint_eq(response.segment_count, 1);
	for (int64_t i = 0; i < response.segments[0].length; i++)
		ck_assert_int_eq(response.segments[0].bytes[i], 'x');
	handler_finish(&second, &response);
	response_reset(&response);
	/* Of another state of the file there is nothing yet. */
	fixture_tick();
	fixture_text(&f, "root/a.txt", SIZE);
	fixture_settle(&f);
	handler_respond(&second, &f.request, &response);
	check_text(S("gzip"), (struct str){ response.segments[0].bytes, (size_t)response.segments[0].length }, SIZE);
	handler_finish(&second, &response);
	response_release(&response);
	handler_release(&second);
}
END_TEST

enum trouble { NO_PARENT, A_FILE, WRITABLE_BY_ALL, A_LINK, NO_ROOM };

static const struct {
	enum trouble trouble;
	int error; /* what is said of it; 0: nothing */
} troubles[] = {
	{ NO_PARENT, ENOENT }, { A_FILE, ENOTDIR }, { WRITABLE_BY_ALL, EPERM }, { A_LINK, ENOTDIR }, { NO_ROOM, 0 },
};

static void
make_trouble(enum trouble trouble)
{
	use_cache_dir(&f, cache_dir);
	if (trouble == NO_PARENT)
		fixture_path(&f, "nowhere/cache", cache_dir);
	if (trouble == A_FILE)
		fixture_file(&f, "cache", "");
	if (trouble == WRITABLE_BY_ALL) {
		fixture_directory(&f, "cache");
		fixture_mode(&f, "cache", 0777);
	}
	if (trouble == A_LINK)
		fixture_link(&f, "cache", "root");
	if (trouble == NO_ROOM)
		f.options.cache_disk = 0;
}

/* It costs speed and never an answer; and it is said, once. */
START_TEST(a_cache_directory_that_cannot_be_used)
{
	struct complaint complaint;

	make_trouble(troubles[_i].trouble);
	fixture_text(&f, "root/b.txt", 400000);
	fixture_settle(&f);
	f.request.front = FRONT_LIGHTTPD;
	for (int i = 0; i < 3; i++) {
		accept_coding(&f, codings[i]);
		ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
		check_whole(&f, codings[i], SIZE);
		ck_assert_int_eq(fixture_get(&f, "/b.txt"), 200);
		check_whole(&f, codings[i], 400000);
	}
	complaint = handler_complaint(&f.handler);
	ck_assert_int_eq(complaint.error, troubles[_i].error);
	if (troubles[_i].error != 0) {
		ck_assert_int_eq(complaint.about, COMPLAINT_CACHE_DIR);
		ck_assert_str_is(complaint.what, cache_dir);
	}
	ck_assert_int_eq(handler_complaint(&f.handler).about, COMPLAINT_NONE);
}
END_TEST

Suite *
coded_cachedir_suite(void)
{
	Suite *suite = suite_create("handler/coded_cachedir");

	suite_add_case(suite, one_process_codes_for_all, 1, setup, teardown);
	suite_add_case(suite, a_cache_directory_that_cannot_be_used, ROWS(troubles), setup, teardown);
	return suite;
}
