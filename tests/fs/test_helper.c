/* The threads beside: everything given to them is finished once, by who collects; by one thread in order. Also run
 * under ThreadSanitizer. */
#include "fs/helper.h"

#include "suites.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

Suite *helper_suite(void);

enum { MANY = 500, WAITING_MAX = 64 };

/* Allocated, and freed by finish: whoever forgets one leaks it. */
struct work {
	struct job job;
	int number;
	bool ran;
	sem_t *gate;     /* waits for it while it runs; NULL: does not */
	sem_t *entered;
};

static struct log {
	pthread_t owner;
	int numbers[MANY];
	bool ran[MANY];
	int count;
} finished;

static void
run(struct job *job)
{
	struct work *work = (struct work *)job;

	if (work->entered != NULL)
		sem_post(work->entered);
	if (work->gate != NULL)
		sem_wait(work->gate);
	work->ran = true;
}

static void
finish(struct job *job)
{
	struct work *work = (struct work *)job;

	ck_assert(pthread_equal(pthread_self(), finished.owner));
	finished.numbers[finished.count] = work->number;
	finished.ran[finished.count++] = work->ran;
	free(work);
}

static struct job *
make_job(int number, sem_t *entered, sem_t *gate)
{
	struct work *work = calloc(1, sizeof(*work));

	ck_assert_ptr_nonnull(work);
	work->job = (struct job){ .run = run, .finish = finish };
	work->number = number;
	work->entered = entered;
	work->gate = gate;
	return &work->job;
}

static void
setup(void)
{
	finished = (struct log){ .owner = pthread_self() };
}

static void
collect(struct helper *helper, int count)
{
	struct pollfd ready = { .fd = helper_descriptor(helper), .events = POLLIN };

	ck_assert_int_ge(ready.fd, 0);
	while (finished.count < count) {
		ck_assert_int_eq(poll(&ready, 1, 10000), 1);
		helper_collect(helper);
	}
	ck_assert_int_eq(finished.count, count);
	ck_assert_int_eq(poll(&ready, 1, 0), 0);
}

START_TEST(all_run_in_order)
{
	struct helper *helper = helper_new(1, _i != 0);

	for (int i = 0; i < MANY; i++) {
		struct job *job = make_job(i, NULL, NULL);

		while (!helper_submit(helper, job))
			helper_collect(helper);
	}
	collect(helper, MANY);
	for (int i = 0; i < MANY; i++) {
		ck_assert(finished.ran[i]);
		ck_assert_int_eq(finished.numbers[i], i);
	}
	helper_free(helper);
}
END_TEST

START_TEST(nothing_to_do)
{
	struct helper *helper = helper_new(1, true);

	helper_collect(helper);
	helper_free(helper);
	helper_free(NULL);
	ck_assert_int_eq(finished.count, 0);
}
END_TEST

START_TEST(too_many_wait)
{
	struct helper *helper = helper_new(1, false);
	struct job *refused = make_job(99, NULL, NULL);
	sem_t entered, gate;

	sem_init(&entered, 0, 0);
	sem_init(&gate, 0, 0);
	ck_assert(helper_submit(helper, make_job(0, &entered, &gate)));
	sem_wait(&entered);
	for (int i = 1; i <= WAITING_MAX; i++)
		ck_assert(helper_submit(helper, make_job(i, NULL, NULL)));
	ck_assert(!helper_submit(helper, refused));
	helper_collect(helper);
	ck_assert_int_eq(finished.count, 0);
	sem_post(&gate);
	collect(helper, 1 + WAITING_MAX);
	ck_assert(helper_submit(helper, refused));
	collect(helper, 2 + WAITING_MAX);
	helper_free(helper);
}
END_TEST

/* One that takes long keeps nobody waiting while there are threads. */
START_TEST(several_at_once)
{
	struct helper *helper = helper_new(3, false);
	sem_t entered, gate;

	sem_init(&entered, 0, 0);
	sem_init(&gate, 0, 0);
	for (int i = 0; i < 3; i++) {
		ck_assert(helper_submit(helper, make_job(i, &entered, &gate)));
		sem_wait(&entered);
	}
	ck_assert(helper_submit(helper, make_job(3, &entered, NULL)));
	usleep(10000);
	ck_assert_int_ne(sem_trywait(&entered), 0);
	sem_post(&gate);
	sem_wait(&entered);
	collect(helper, 2);
	sem_post(&gate);
	sem_post(&gate);
	collect(helper, 4);
	helper_free(helper);
}
END_TEST

/* A thread whose stack finds no room is refused as one beyond a limit of processes is. */
static void
refuse_threads(void)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	ck_assert_int_eq(pthread_attr_setstacksize(&attributes, (size_t)1 << 46), 0);
	ck_assert_int_eq(pthread_setattr_default_np(&attributes), 0);
}

START_TEST(without_a_thread)
{
	struct helper *helper = helper_new(2, false);
	struct job *job = make_job(5, NULL, NULL);

	refuse_threads();
	ck_assert(!helper_submit(helper, job));
	helper_run(helper, job);
	ck_assert_int_eq(finished.count, 0);
	collect(helper, 1);
	ck_assert(finished.ran[0]);
	helper_free(helper);
}
END_TEST

static void *
open_later(void *gate)
{
	usleep(20000);
	sem_post(gate);
	return NULL;
}

/* What is done is finished, the one that runs is waited for, and what waits is finished without having run. */
START_TEST(freed_while_one_runs)
{
	static const struct {
		int number;
		bool ran;
	} want[] = { { 0, true }, { 1, true }, { 2, false }, { 3, false } };
	struct helper *helper = helper_new(1, false);
	sem_t entered, gate;
	pthread_t opener;

	sem_init(&entered, 0, 0);
	sem_init(&gate, 0, 0);
	ck_assert(helper_submit(helper, make_job(0, NULL, NULL)));
	ck_assert(helper_submit(helper, make_job(1, &entered, &gate)));
	sem_wait(&entered);
	ck_assert(helper_submit(helper, make_job(2, NULL, NULL)));
	ck_assert(helper_submit(helper, make_job(3, NULL, NULL)));
	ck_assert_int_eq(pthread_create(&opener, NULL, open_later, &gate), 0);
	helper_free(helper);
	pthread_join(opener, NULL);
	ck_assert_int_eq(finished.count, ROWS(want));
	for (int i = 0; i < ROWS(want); i++) {
		ck_assert_int_eq(finished.numbers[i], want[i].number);
		ck_assert_int_eq(finished.ran[i], want[i].ran);
	}
}
END_TEST

START_TEST(freed_with_done_jobs)
{
	struct helper *helper = helper_new(1, true);
	struct pollfd ready = { .fd = helper_descriptor(helper), .events = POLLIN };

	ck_assert(helper_submit(helper, make_job(7, NULL, NULL)));
	ck_assert_int_eq(poll(&ready, 1, 10000), 1);
	ck_assert_int_eq(finished.count, 0);
	helper_free(helper);
	ck_assert_int_eq(finished.count, 1);
	ck_assert(finished.ran[0]);
	ck_assert_int_eq(fcntl(ready.fd, F_GETFD), -1);
}
END_TEST

/* The thread's own end comes at any moment of the last job. */
START_TEST(freed_at_any_moment)
{
	for (int i = 0; i < 100; i++) {
		struct helper *helper = helper_new(1, false);
		sem_t entered;

		setup();
		sem_init(&entered, 0, 0);
		ck_assert(helper_submit(helper, make_job(0, &entered, NULL)));
		if (i % 2 != 0)
			sem_wait(&entered);
		while (finished.count == 0)
			helper_collect(helper);
		helper_free(helper);
		ck_assert_int_eq(finished.count, 1);
	}
}
END_TEST

static void
run_until_stopped(struct job *job)
{
	struct work *work = (struct work *)job;

	sem_post(work->entered);
	while (!atomic_load(job->stop))
		usleep(1000);
	work->ran = true;
}

/* Work without an end of its own looks whether anybody wants it. */
START_TEST(freed_while_one_runs_on)
{
	struct helper *helper = helper_new(1, true);
	struct job *job;
	sem_t entered;

	sem_init(&entered, 0, 0);
	job = make_job(1, &entered, NULL);
	job->run = run_until_stopped;
	ck_assert(helper_submit(helper, job));
	sem_wait(&entered);
	ck_assert(!atomic_load(job->stop));
	helper_free(helper);
	ck_assert_int_eq(finished.count, 1);
	ck_assert(finished.ran[0]);
}
END_TEST

static void
run_asking_priority(struct job *job)
{
	((struct work *)job)->number = getpriority(PRIO_PROCESS, 0);
}

/* The idle one leaves the processor to others; who made it does not. */
START_TEST(priority)
{
	struct helper *helper = helper_new(1, _i != 0);
	int before = getpriority(PRIO_PROCESS, 0);
	struct job *job = make_job(0, NULL, NULL);

	job->run = run_asking_priority;
	ck_assert(helper_submit(helper, job));
	collect(helper, 1);
	ck_assert_int_eq(finished.numbers[0], _i != 0 ? 19 : before);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), before);
	helper_free(helper);
}
END_TEST

START_TEST(no_descriptor_left)
{
	struct rlimit none = { 0, 0 }, before;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none.rlim_max = before.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_ptr_null(helper_new(1, false));
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}
END_TEST

START_TEST(none_at_all)
{
	struct job *job = make_job(0, NULL, NULL);

	ck_assert(!helper_submit(NULL, job));
	helper_collect(NULL);
	ck_assert_int_eq(helper_descriptor(NULL), -1);
	helper_free(NULL);
	free(job);
}
END_TEST

Suite *
helper_suite(void)
{
	Suite *suite = suite_create("helper");

	suite_add_case(suite, all_run_in_order, 2, setup, NULL);
	suite_add_case(suite, nothing_to_do, 1, setup, NULL);
	suite_add_case(suite, too_many_wait, 1, setup, NULL);
	suite_add_case(suite, several_at_once, 1, setup, NULL);
	suite_add_case(suite, without_a_thread, 1, setup, NULL);
	suite_add_case(suite, freed_while_one_runs, 1, setup, NULL);
	suite_add_case(suite, freed_with_done_jobs, 1, setup, NULL);
	suite_add_case(suite, freed_at_any_moment, 1, setup, NULL);
	suite_add_case(suite, freed_while_one_runs_on, 1, setup, NULL);
	suite_add_case(suite, priority, 2, setup, NULL);
	suite_add_case(suite, none_at_all, 1, setup, NULL);
	suite_add_case(suite, no_descriptor_left, 1, setup, NULL);
	return suite;
}
