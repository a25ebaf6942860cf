/* How a pool ends: told to, told twice, killed; and whom it waits for. */
#include "daemon/pool.h"

#include "daemon/pooled.h"
#include "suites.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Suite *pool_stop_suite(void);

static const int stop_signals[] = { SIGTERM, SIGINT };

START_TEST(stopping_waits_for_the_workers)
{
	shared->end_ms = 300;
	start_pool();
	await(&shared->ready, WORKERS);
	shared->stopping = true;
	kill(pool, stop_signals[_i]);
	await(&shared->ready, 0);
	ck_assert_int_eq(shared->ended, 0);
	ck_assert_int_eq(access(socket_path, F_OK), -1);
	ck_assert_int_eq(end_of_pool(3000), 0);
	ck_assert_int_eq(shared->ended, WORKERS);
}
END_TEST

START_TEST(stopping_twice_does_not_wait)
{
	shared->end_ms = 60000;
	start_pool();
	await(&shared->ready, WORKERS);
	shared->stopping = true;
	kill(pool, SIGTERM);
	await(&shared->ready, 0);
	ck_assert_int_eq(end_of_pool(100), -1);
	kill(pool, SIGTERM);
	ck_assert_int_eq(end_of_pool(3000), 0);
}
END_TEST

/* The workers become ready after their pool has died: whoever inherits them (an init, a subreaper) is told nothing. */
START_TEST(a_dead_pool_is_told_nothing)
{
	struct timespec at_once = { 0 };
	sigset_t real_time;

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	sigemptyset(&real_time);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigaddset(&real_time, number);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &real_time, NULL), 0);
	shared->start_ms = 300;
	start_pool();
	await(&shared->starts, WORKERS);
	kill(pool, SIGKILL);
	ck_assert_int_eq(end_of_pool(3000), 128 + SIGKILL);
	await(&shared->ended, WORKERS);
	ck_assert_int_eq(sigtimedwait(&real_time, NULL, &at_once), -1);
}
END_TEST

/* What the pool's process had for children before it became the pool is not its business. */
START_TEST(a_child_that_is_no_worker_is_not_waited_for)
{
	has_bystander = true;
	start_pool();
	await(&shared->ready, WORKERS);
	ck_assert_int_eq(stop_pool(), 0);
	ck_assert_int_eq(shared->ended, WORKERS);
	ck_assert_int_gt(shared->bystander, 0);
	kill(shared->bystander, SIGKILL);
}
END_TEST

static int64_t
processor_ms(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	ck_assert_int_eq(clock_getcpuclockid(pid, &clock), 0);
	ck_assert_int_eq(clock_gettime(clock, &t), 0);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A killed worker that does not go (it hangs in a network file system; here its tracer holds it) is waited for, asleep. */
START_TEST(a_worker_that_does_not_go)
{
	pid_t held;
	int64_t used;

	drain_ms = 50;
	shared->end_ms = 60000;
	start_pool();
	await(&shared->ready, WORKERS);
	held = shared->pids[0];
	if (ptrace(PTRACE_SEIZE, held, NULL, NULL) != 0) {
		suite_skipped("daemon/pool: a worker that does not go: no process may be traced here");
		return;
	}
	ck_assert_int_eq(stop_within(400), -1);
	used = processor_ms(pool);
	ck_assert_int_eq(end_of_pool(500), -1);
	ck_assert_int_lt(processor_ms(pool) - used, 100);
	ck_assert_int_eq(waitpid(held, NULL, 0), held);
	ck_assert_int_eq(end_of_pool(3000), 0);
}
END_TEST

START_TEST(a_killed_pool_leaves_nobody_behind)
{
	start_pool();
	await(&shared->ready, WORKERS);
	kill(pool, SIGKILL);
	ck_assert_int_eq(end_of_pool(3000), 128 + SIGKILL);
	await(&shared->ended, WORKERS);
}
END_TEST

Suite *
pool_stop_suite(void)
{
	Suite *suite = suite_create("daemon/pool_stop");

	suite_add_case(suite, stopping_waits_for_the_workers, ROWS(stop_signals), pooled_setup, pooled_teardown);
	suite_add_case(suite, stopping_twice_does_not_wait, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, a_dead_pool_is_told_nothing, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, a_child_that_is_no_worker_is_not_waited_for, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, a_worker_that_does_not_go, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, a_killed_pool_leaves_nobody_behind, 1, pooled_setup, pooled_teardown);
	return suite;
}
