/* The pool in a process of its own, with workers that do nothing but come, wait and go. What they do is seen in
 * memory that all share. */
#include "daemon/pool.h"

#include "daemon/scratch.h"
#include "suites.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Suite *pool_suite(void);

#define WORKERS 3
#define PIDS 256

struct shared {
	atomic_int starts, ready, ended, reloads, least_ready;
	atomic_bool dies, refuses, stopping;
	atomic_int start_ms, end_ms;  /* how long a worker takes to come and to go */
	_Atomic pid_t pids[PIDS];     /* of every worker started, in order */
};

static struct scratch scratch;
static struct shared *shared;
static char where[PATH_MAX + 8], socket_path[PATH_MAX];
static pid_t pool;

static void
sleep_ms(int ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

/* SIGTERM is blocked by the pool already: it is waited for. */
static int
work(void *context, int listen_fd)
{
	sigset_t stop;
	int n = atomic_fetch_add(&shared->starts, 1), left, got;

	(void)context, (void)listen_fd;
	if (n < PIDS)
		shared->pids[n] = getpid();
	if (shared->dies)
		return 1;
	sleep_ms(shared->start_ms);
	atomic_fetch_add(&shared->ready, 1);
	pool_worker_ready();
	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigwait(&stop, &got);
	left = atomic_fetch_sub(&shared->ready, 1) - 1;
	if (!shared->stopping && left < shared->least_ready)
		shared->least_ready = left;
	sleep_ms(shared->end_ms);
	atomic_fetch_add(&shared->ended, 1);
	return 0;
}

static bool
reload(void *context)
{
	(void)context;
	atomic_fetch_add(&shared->reloads, 1);
	return !shared->refuses;
}

static void
setup(void)
{
	scratch_make(&scratch);
	scratch_name(&scratch, "socket", socket_path);
	snprintf(where, sizeof(where), "unix:%s", socket_path);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	shared->least_ready = WORKERS;
	pool = 0;
}

static void
teardown(void)
{
	if (pool > 0) {
		kill(pool, SIGKILL);
		waitpid(pool, NULL, 0);
	}
	munmap(shared, sizeof(*shared));
	scratch_remove(&scratch);
}

static void
start_pool(void)
{
	struct pool_options options = { .workers = WORKERS, .work = work, .reload = reload };
	struct listener listener;

	pool = fork();
	ck_assert_int_ge(pool, 0);
	if (pool > 0)
		return;
	if (listener_open(&listener, where, 0600) != 0)
		_exit(99);
	_exit(pool_run(&options, &listener));
}

/* Waits until a count has a value: five seconds at most. */
static void
await(atomic_int *count, int value)
{
	for (int i = 0; i < 1000 && *count != value; i++)
		sleep_ms(5);
	ck_assert_int_eq(*count, value);
}

static void
await_log(const char *text)
{
	for (int i = 0; i < 1000 && strstr(scratch_log(&scratch), text) == NULL; i++)
		sleep_ms(5);
	scratch_log_has(&scratch, text);
}

/* The exit status, or -1 when it has not ended within so many milliseconds. */
static int
end_of_pool(int ms)
{
	int status;

	for (int i = 0; i < ms / 5; i++) {
		if (waitpid(pool, &status, WNOHANG) == pool) {
			pool = 0;
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
		sleep_ms(5);
	}
	return -1;
}

static int
stop_pool(void)
{
	shared->stopping = true;
	kill(pool, SIGTERM);
	return end_of_pool(5000);
}

START_TEST(as_many_as_asked_for)
{
	start_pool();
	await(&shared->ready, WORKERS);
	sleep_ms(100);
	ck_assert_int_eq(shared->starts, WORKERS);
	for (int i = 0; i < WORKERS; i++)
		ck_assert_int_eq(kill(shared->pids[i], 0), 0);
	ck_assert_int_eq(stop_pool(), 0);
	ck_assert_int_eq(shared->ended, WORKERS);
	ck_assert_int_eq(access(socket_path, F_OK), -1);
}
END_TEST

START_TEST(a_killed_worker_is_replaced)
{
	char text[64];

	start_pool();
	await(&shared->ready, WORKERS);
	sleep_ms(150);
	for (int i = 0; i < 5; i++) {
		atomic_fetch_sub(&shared->ready, 1);
		kill(shared->pids[shared->starts - 1], SIGKILL);
		await(&shared->starts, WORKERS + i + 1);
		await(&shared->ready, WORKERS);
		/* Older than what counts as dying at once. */
		sleep_ms(120);
	}
	snprintf(text, sizeof(text), "worker %d was killed by signal 9", (int)shared->pids[WORKERS - 1]);
	scratch_log_has(&scratch, text);
	/* The others never noticed. */
	ck_assert_int_eq(kill(shared->pids[0], 0), 0);
	ck_assert_int_eq(stop_pool(), 0);
	ck_assert_int_eq(shared->ended, WORKERS);
}
END_TEST

START_TEST(all_killed_at_once_are_replaced)
{
	start_pool();
	await(&shared->ready, WORKERS);
	sleep_ms(150);
	shared->ready = 0;
	for (int i = 0; i < WORKERS; i++)
		kill(shared->pids[i], SIGKILL);
	await(&shared->ready, WORKERS);
	ck_assert_int_eq(shared->starts, 2 * WORKERS);
	ck_assert_int_eq(stop_pool(), 0);
}
END_TEST

/* 0, 50, 150, 350, 750 ms: five starts of each in a second, not thousands. */
START_TEST(dying_at_once_is_put_off)
{
	shared->dies = true;
	start_pool();
	sleep_ms(1000);
	ck_assert_int_ge(shared->starts, 2 * WORKERS);
	ck_assert_int_le(shared->starts, 6 * WORKERS);
	scratch_log_has(&scratch, "ended with status 1");
	/* Once they can live, they come back. */
	shared->dies = false;
	await(&shared->ready, WORKERS);
	ck_assert_int_eq(stop_pool(), 0);
}
END_TEST

START_TEST(a_pool_whose_workers_die_can_be_stopped)
{
	shared->dies = true;
	start_pool();
	await_log("ended with status 1");
	ck_assert_int_eq(stop_pool(), 0);
}
END_TEST

START_TEST(hangup_replaces_all_one_by_one)
{
	start_pool();
	await(&shared->ready, WORKERS);
	kill(pool, SIGHUP);
	await_log("all workers are replaced");
	await(&shared->ended, WORKERS);
	ck_assert_int_eq(shared->starts, 2 * WORKERS);
	ck_assert_int_eq(shared->ready, WORKERS);
	ck_assert_int_eq(shared->reloads, 1);
	/* The new one was ready before the old one was told to end. */
	ck_assert_int_ge(shared->least_ready, WORKERS);
	for (int i = 0; i < WORKERS; i++)
		ck_assert_int_eq(kill(shared->pids[WORKERS + i], 0), 0);
	ck_assert_int_eq(access(socket_path, F_OK), 0);
	ck_assert_int_eq(stop_pool(), 0);
	ck_assert_int_eq(shared->ended, 2 * WORKERS);
}
END_TEST

/* The second one may mean a file that the first did not see. */
START_TEST(hangup_while_replacing_is_remembered)
{
	shared->start_ms = 60;
	start_pool();
	await(&shared->ready, WORKERS);
	kill(pool, SIGHUP);
	await(&shared->starts, WORKERS + 1);
	kill(pool, SIGHUP);
	await(&shared->starts, 3 * WORKERS);
	await(&shared->ended, 2 * WORKERS);
	ck_assert_int_eq(shared->reloads, 2);
	ck_assert_int_ge(shared->least_ready, WORKERS);
	ck_assert_int_eq(stop_pool(), 0);
}
END_TEST

START_TEST(hangup_with_a_new_worker_that_fails)
{
	start_pool();
	await(&shared->ready, WORKERS);
	shared->dies = true;
	kill(pool, SIGHUP);
	await_log("the old ones are kept");
	sleep_ms(200);
	ck_assert_int_eq(shared->starts, WORKERS + 1);
	ck_assert_int_eq(shared->ready, WORKERS);
	for (int i = 0; i < WORKERS; i++)
		ck_assert_int_eq(kill(shared->pids[i], 0), 0);
	/* And the next one goes through. */
	shared->dies = false;
	kill(pool, SIGHUP);
	await(&shared->ended, WORKERS);
	await(&shared->ready, WORKERS);
	ck_assert_int_eq(stop_pool(), 0);
}
END_TEST

START_TEST(hangup_with_a_configuration_that_is_refused)
{
	shared->refuses = true;
	start_pool();
	await(&shared->ready, WORKERS);
	kill(pool, SIGHUP);
	await(&shared->reloads, 1);
	sleep_ms(100);
	ck_assert_int_eq(shared->starts, WORKERS);
	ck_assert_int_eq(shared->ready, WORKERS);
	ck_assert_int_eq(stop_pool(), 0);
}
END_TEST

/* The worker that was to be replaced dies before its successor is ready. */
START_TEST(the_old_worker_dies_while_it_is_replaced)
{
	start_pool();
	await(&shared->ready, WORKERS);
	sleep_ms(150);
	shared->start_ms = 150;
	kill(pool, SIGHUP);
	await(&shared->starts, WORKERS + 1);
	for (int i = 0; i < WORKERS; i++)
		kill(shared->pids[i], SIGKILL);
	sleep_ms(50);
	shared->ready = 0;
	await_log("all workers are replaced");
	sleep_ms(300);
	ck_assert_int_eq(shared->ready, WORKERS);
	ck_assert_int_eq(stop_pool(), 0);
}
END_TEST

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
pool_suite(void)
{
	Suite *suite = suite_create("daemon/pool");

	suite_add_case(suite, as_many_as_asked_for, 1, setup, teardown);
	suite_add_case(suite, a_killed_worker_is_replaced, 1, setup, teardown);
	suite_add_case(suite, all_killed_at_once_are_replaced, 1, setup, teardown);
	suite_add_case(suite, dying_at_once_is_put_off, 1, setup, teardown);
	suite_add_case(suite, a_pool_whose_workers_die_can_be_stopped, 1, setup, teardown);
	suite_add_case(suite, hangup_replaces_all_one_by_one, 1, setup, teardown);
	suite_add_case(suite, hangup_while_replacing_is_remembered, 1, setup, teardown);
	suite_add_case(suite, hangup_with_a_new_worker_that_fails, 1, setup, teardown);
	suite_add_case(suite, hangup_with_a_configuration_that_is_refused, 1, setup, teardown);
	suite_add_case(suite, the_old_worker_dies_while_it_is_replaced, 1, setup, teardown);
	suite_add_case(suite, stopping_waits_for_the_workers, ROWS(stop_signals), setup, teardown);
	suite_add_case(suite, stopping_twice_does_not_wait, 1, setup, teardown);
	suite_add_case(suite, a_killed_pool_leaves_nobody_behind, 1, setup, teardown);
	return suite;
}
