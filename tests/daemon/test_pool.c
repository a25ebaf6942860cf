/* The pool: as many workers as asked for, whatever becomes of them, and others after SIGHUP. */
#include "daemon/pool.h"

#include "daemon/pooled.h"
#include "suites.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

Suite *pool_suite(void);

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

Suite *
pool_suite(void)
{
	Suite *suite = suite_create("daemon/pool");

	suite_add_case(suite, as_many_as_asked_for, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, a_killed_worker_is_replaced, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, all_killed_at_once_are_replaced, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, dying_at_once_is_put_off, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, a_pool_whose_workers_die_can_be_stopped, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, hangup_replaces_all_one_by_one, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, hangup_while_replacing_is_remembered, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, hangup_with_a_new_worker_that_fails, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, hangup_with_a_configuration_that_is_refused, 1, pooled_setup, pooled_teardown);
	suite_add_case(suite, the_old_worker_dies_while_it_is_replaced, 1, pooled_setup, pooled_teardown);
	return suite;
}
