/* A log whose reader is slow, gone or stopped is no reason to wait. */
#include "daemon/log.h"

#include "daemon/scratch.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *log_suite(void);

static struct scratch scratch;

static void
setup(void)
{
	scratch_make(&scratch);
}

static void
teardown(void)
{
	scratch_remove(&scratch);
}

START_TEST(line)
{
	log_line("one %d", 1);
	log_error(ENOENT, "two");
	scratch_log_has(&scratch, "]: one 1\n");
	scratch_log_has(&scratch, "]: two: No such file or directory\n");
}
END_TEST

START_TEST(long_line_is_cut)
{
	static char text[3 * PIPE_BUF];
	const char *log;

	memset(text, 'x', sizeof(text) - 1);
	log_error(ENOENT, "%s", text);
	log_line("next");
	log = scratch_log(&scratch);
	ck_assert_uint_le((size_t)(strchr(log, '\n') - log), PIPE_BUF);
	ck_assert_ptr_nonnull(strstr(strchr(log, '\n'), "]: next\n"));
}
END_TEST

START_TEST(destination_that_cannot_be_opened)
{
	char path[PATH_MAX];

	scratch_name(&scratch, "no/log", path);
	ck_assert_int_eq(log_open(path), -ENOENT);
	log_line("still here");
	scratch_log_has(&scratch, "still here");
}
END_TEST

/* Looked at only: neither made, nor written, nor waited for. */
START_TEST(looking)
{
	char path[PATH_MAX];

	ck_assert_int_eq(log_check("stderr"), 0);
	ck_assert_int_eq(log_check(scratch.path), -EISDIR);
	scratch_name(&scratch, "new", path);
	ck_assert_int_eq(log_check(path), -ENOENT);
	ck_assert_int_eq(access(path, F_OK), -1);
	scratch_file(&scratch, "new", "kept", 0600);
	ck_assert_int_eq(log_check(path), 0);
	scratch_name(&scratch, "pipe", path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(log_check(path), -ENXIO);
	log_line("still here");
	scratch_log_has(&scratch, "still here");
}
END_TEST

/* A pipe as a front gives it, read by nobody for a while. check ends the test when something waits. */
START_TEST(stalled_pipe)
{
	static char block[1 << 16];
	char path[PATH_MAX];
	int pipe_fd;
	ssize_t n;

	scratch_name(&scratch, "pipe", path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	pipe_fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_eq(log_open(path), 0);
	while (write(pipe_fd, block, sizeof(block)) > 0)
		;
	for (int i = 0; i < 3; i++)
		log_line("lost");
	while (read(pipe_fd, block, sizeof(block)) > 0)
		;
	log_line("found");
	log_line("again");
	n = read(pipe_fd, block, sizeof(block) - 1);
	ck_assert_int_gt(n, 0);
	block[n] = '\0';
	ck_assert_ptr_null(strstr(block, "lost"));
	ck_assert_msg(strstr(block, "]: (3 lines before this one found no room) found\n") != NULL, "%s", block);
	ck_assert_msg(strstr(block, "]: again\n") != NULL, "%s", block);
	close(pipe_fd);
	ck_assert_int_eq(log_open("stderr"), 0);
}
END_TEST

Suite *
log_suite(void)
{
	Suite *suite = suite_create("log");
	TCase *all = tcase_create("log");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_test(all, line);
	tcase_add_test(all, long_line_is_cut);
	tcase_add_test(all, destination_that_cannot_be_opened);
	tcase_add_test(all, looking);
	tcase_add_test(all, stalled_pipe);
	suite_add_tcase(suite, all);
	return suite;
}
