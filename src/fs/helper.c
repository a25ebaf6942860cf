/* Two lists and a lock. The threads take no signals: those are the event loop's. An idle one is merely nice: under
 * SCHED_IDLE it might hold the lock, or malloc's, for as long as the machine is busy, while the event loop waits for
 * it. */
#include "fs/helper.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define WAITING_MAX 64
#define NICEST 19

/* One thread and the event loop have a processor each on the smallest machine; further ones leave both to them. */
#define NICER 10

struct helper {
	pthread_t threads[HELPER_THREADS_MAX];
	size_t most, started, running, busy;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct job *waiting, **waiting_end;
	struct job *done, **done_end;
	size_t count;
	atomic_bool has_done, stop;
	bool idle;
	int event;           /* eventfd */
};

static void
destroy(struct helper *helper)
{
	pthread_mutex_destroy(&helper->lock);
	pthread_cond_destroy(&helper->wake);
	if (helper->event >= 0)
		close(helper->event);
	free(helper);
}

struct helper *
helper_new(size_t threads, bool idle)
{
	struct helper *helper = calloc(1, sizeof(*helper));

	if (helper == NULL)
		return NULL;
	helper->most = threads < HELPER_THREADS_MAX ? threads : HELPER_THREADS_MAX;
	pthread_mutex_init(&helper->lock, NULL);
	pthread_cond_init(&helper->wake, NULL);
	helper->waiting_end = &helper->waiting;
	helper->done_end = &helper->done;
	helper->idle = idle;
	helper->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (helper->event < 0) {
		destroy(helper);
		return NULL;
	}
	return helper;
}

int
helper_descriptor(const struct helper *helper)
{
	return helper != NULL ? helper->event : -1;
}

static struct job *
take(struct helper *helper)
{
	struct job *job = helper->waiting;

	if (job == NULL)
		return NULL;
	helper->waiting = job->next;
	if (helper->waiting == NULL)
		helper->waiting_end = &helper->waiting;
	helper->count--;
	return job;
}

/* With the lock held. */
static void
put_done(struct helper *helper, struct job *job)
{
	job->next = NULL;
	*helper->done_end = job;
	helper->done_end = &job->next;
	atomic_store(&helper->has_done, true);
	eventfd_write(helper->event, 1);
}

static void *
work(void *context)
{
	struct helper *helper = context;
	struct job *job;

	pthread_mutex_lock(&helper->lock);
	/* Of this thread alone: Linux has it so. */
	if (helper->idle || helper->running > 0)
		setpriority(PRIO_PROCESS, 0, helper->idle ? NICEST : NICER);
	helper->running++;
	while (!helper->stop) {
		job = take(helper);
		if (job == NULL) {
			pthread_cond_wait(&helper->wake, &helper->lock);
			continue;
		}
		helper->busy++;
		pthread_mutex_unlock(&helper->lock);
		job->run(job);
		pthread_mutex_lock(&helper->lock);
		helper->busy--;
		put_done(helper, job);
	}
	pthread_mutex_unlock(&helper->lock);
	return NULL;
}

static bool
start_one(struct helper *helper)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&helper->threads[helper->started], NULL, work, helper) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	helper->started += started;
	return started;
}

/* With the lock held: enough threads for one more job, or as many as there can be. False: there is none. */
static bool
start(struct helper *helper)
{
	if (helper->busy + helper->count >= helper->started && helper->started < helper->most)
		start_one(helper);
	return helper->started > 0;
}

bool
helper_submit(struct helper *helper, struct job *job)
{
	bool room;

	if (helper == NULL)
		return false;
	pthread_mutex_lock(&helper->lock);
	room = helper->count < WAITING_MAX && start(helper);
	if (room) {
		job->next = NULL;
		job->stop = &helper->stop;
		*helper->waiting_end = job;
		helper->waiting_end = &job->next;
		helper->count++;
		pthread_cond_signal(&helper->wake);
	}
	pthread_mutex_unlock(&helper->lock);
	return room;
}

void
helper_run(struct helper *helper, struct job *job)
{
	job->stop = &helper->stop;
	job->run(job);
	pthread_mutex_lock(&helper->lock);
	put_done(helper, job);
	pthread_mutex_unlock(&helper->lock);
}

static void
finish_all(struct job *job)
{
	struct job *next;

	for (; job != NULL; job = next) {
		next = job->next;
		job->finish(job);
	}
}

void
helper_collect(struct helper *helper)
{
	struct job *done;
	eventfd_t count;

	if (helper == NULL || !atomic_load_explicit(&helper->has_done, memory_order_acquire))
		return;
	pthread_mutex_lock(&helper->lock);
	done = helper->done;
	helper->done = NULL;
	helper->done_end = &helper->done;
	atomic_store(&helper->has_done, false);
	eventfd_read(helper->event, &count);
	pthread_mutex_unlock(&helper->lock);
	finish_all(done);
}

void
helper_free(struct helper *helper)
{
	struct job *waiting;

	if (helper == NULL)
		return;
	pthread_mutex_lock(&helper->lock);
	helper->stop = true;
	waiting = helper->waiting;
	helper->waiting = NULL;
	pthread_cond_broadcast(&helper->wake);
	pthread_mutex_unlock(&helper->lock);
	for (size_t i = 0; i < helper->started; i++)
		pthread_join(helper->threads[i], NULL);
	finish_all(helper->done);
	finish_all(waiting);
	destroy(helper);
}
