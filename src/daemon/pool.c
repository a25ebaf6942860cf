/* All signals are blocked and one is taken at a time (sigtimedwait): there is no moment between looking and waiting in which
 * a child could be missed. A worker says that it is ready by a queued real-time signal, which carries its pid. */
#include "daemon/pool.h"

#include "daemon/log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READY SIGRTMIN

/* A worker that lived less than this died at once; the next start waits twice as long as the one before. */
#define AT_ONCE_MS 100
#define WAIT_FIRST_MS 50
#define WAIT_LONGEST_MS 5000

struct slot {
	pid_t pid;          /* 0: none now */
	pid_t replaces;     /* told to end once pid is ready; 0: none */
	int64_t started;    /* monotonic milliseconds */
	int64_t start_at;   /* when to start the next one, if pid is 0 */
	int64_t wait;       /* how long the last start was put off */
	bool ready;
};

struct pool {
	const struct pool_options *options;
	struct listener *listener;
	struct slot *slots;
	int count;
	int replacing;      /* the slot whose new worker is awaited; count: none */
	bool reload_wanted; /* SIGHUP came, maybe while the last one is still being followed */
	bool stopping;
	bool killed;        /* the workers were, and there is nothing to do but wait for them */
	int64_t kill_at;
	sigset_t signals;
	pid_t pid;
};

/* In a worker: its pool. One whose pool is dead has another parent, who is told nothing. */
static pid_t pool_pid;

static int64_t
monotonic_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
pool_worker_ready(void)
{
	if (getppid() == pool_pid)
		sigqueue(pool_pid, READY, (union sigval){ 0 });
}

/* The new process. It ends with the pool: a killed pool leaves nobody behind. */
static void
work(const struct pool *pool)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	pool_pid = pool->pid;
	if (getppid() != pool_pid)
		_exit(EXIT_FAILURE);
	_exit(pool->options->work(pool->options->context, pool->listener->fd));
}

static void
slot_start(struct pool *pool, struct slot *slot)
{
	pid_t pid = fork();

	if (pid == 0)
		work(pool);
	slot->started = monotonic_ms();
	slot->ready = false;
	if (pid > 0) {
		slot->pid = pid;
		return;
	}
	log_error(errno, "cannot start a worker");
	slot->pid = 0;
	slot->wait = slot->wait == 0 ? WAIT_FIRST_MS : slot->wait * 2 > WAIT_LONGEST_MS ? WAIT_LONGEST_MS : slot->wait * 2;
	slot->start_at = slot->started + slot->wait;
}

/* Starts the worker that shall take this slot over; the old one serves until the new one is ready. */
static void
slot_replace(struct pool *pool, struct slot *slot)
{
	pid_t old = slot->pid;

	slot_start(pool, slot);
	if (slot->pid == 0) {
		slot->pid = old;
		pool->replacing = pool->count;
		return;
	}
	slot->replaces = old;
}

static void
replace_next(struct pool *pool)
{
	while (++pool->replacing < pool->count) {
		struct slot *slot = &pool->slots[pool->replacing];

		if (slot->pid == 0)
			continue;
		slot_replace(pool, slot);
		return;
	}
	log_line("all workers are replaced");
}

static void
worker_is_ready(struct pool *pool, pid_t pid)
{
	for (int i = 0; i < pool->count; i++) {
		struct slot *slot = &pool->slots[i];

		if (slot->pid != pid)
			continue;
		slot->ready = true;
		if (slot->replaces != 0)
			kill(slot->replaces, SIGTERM);
		slot->replaces = 0;
		if (i == pool->replacing)
			replace_next(pool);
	}
}

static void
log_death(pid_t pid, int status)
{
	if (WIFSIGNALED(status))
		log_line("worker %d was killed by signal %d", (int)pid, WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		log_line("worker %d ended with status %d", (int)pid, WEXITSTATUS(status));
}

static void
slot_died(struct pool *pool, struct slot *slot)
{
	int64_t now = monotonic_ms();

	slot->pid = 0;
	if (slot->replaces != 0) {
		/* The new one did not come up: the old one goes on. */
		log_line("the new worker did not start; the old ones are kept");
		slot->pid = slot->replaces;
		slot->replaces = 0;
		slot->ready = true;
		pool->replacing = pool->count;
		return;
	}
	if (now - slot->started >= AT_ONCE_MS)
		slot->wait = 0;
	else if (slot->wait == 0)
		slot->wait = WAIT_FIRST_MS;
	else
		slot->wait = slot->wait * 2 > WAIT_LONGEST_MS ? WAIT_LONGEST_MS : slot->wait * 2;
	slot->start_at = now + slot->wait;
	if (slot->wait >= WAIT_LONGEST_MS)
		log_line("workers die as soon as they start; the next try is in %d seconds", WAIT_LONGEST_MS / 1000);
}

static void
reap(struct pool *pool)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (!pool->stopping)
			log_death(pid, status);
		for (int i = 0; i < pool->count; i++) {
			if (pool->slots[i].replaces == pid)
				pool->slots[i].replaces = 0;
			if (pool->slots[i].pid == pid)
				slot_died(pool, &pool->slots[i]);
		}
	}
}

/* Starts what is due. The milliseconds until something else is, or -1. */
static int64_t
start_due(struct pool *pool)
{
	int64_t now = monotonic_ms(), soonest = -1;

	if (pool->killed)
		return -1;
	if (pool->stopping)
		return pool->kill_at > now ? pool->kill_at - now : 0;
	for (int i = 0; i < pool->count; i++) {
		struct slot *slot = &pool->slots[i];

		if (slot->pid == 0 && slot->start_at <= now)
			slot_start(pool, slot);
		if (slot->pid == 0 && (soonest < 0 || slot->start_at - now < soonest))
			soonest = slot->start_at > now ? slot->start_at - now : 0;
	}
	return soonest;
}

static void
signal_workers(struct pool *pool, int signal_number)
{
	for (int i = 0; i < pool->count; i++) {
		if (pool->slots[i].pid > 0)
			kill(pool->slots[i].pid, signal_number);
		if (pool->slots[i].replaces > 0)
			kill(pool->slots[i].replaces, signal_number);
	}
}

/* Other children than the workers may be there, of the program that became the pool. */
static bool
has_workers(const struct pool *pool)
{
	for (int i = 0; i < pool->count; i++)
		if (pool->slots[i].pid > 0 || pool->slots[i].replaces > 0)
			return true;
	return false;
}

static void
kill_workers(struct pool *pool)
{
	pool->killed = true;
	signal_workers(pool, SIGKILL);
}

/* The second SIGTERM or SIGINT, or the end of the time to drain, ends the workers at once. */
static void
stop(struct pool *pool)
{
	if (pool->stopping) {
		kill_workers(pool);
		return;
	}
	pool->stopping = true;
	pool->kill_at = monotonic_ms() + pool->options->drain_ms;
	signal_workers(pool, SIGTERM);
	listener_close(pool->listener);
}

static void
handle(struct pool *pool, int signal_number, pid_t sender)
{
	if (signal_number == SIGTERM || signal_number == SIGINT)
		stop(pool);
	else if (signal_number == SIGCHLD)
		reap(pool);
	else if (signal_number == READY)
		worker_is_ready(pool, sender);
	else if (signal_number == SIGHUP)
		pool->reload_wanted = true;
}

static void
reload_due(struct pool *pool)
{
	if (!pool->reload_wanted || pool->stopping || pool->replacing < pool->count)
		return;
	pool->reload_wanted = false;
	if (pool->options->reload != NULL && !pool->options->reload(pool->options->context))
		return;
	pool->replacing = -1;
	replace_next(pool);
}

static void
pool_wait(struct pool *pool, int64_t ms)
{
	struct timespec timeout = { ms / 1000, ms % 1000 * 1000000 };
	siginfo_t info = { 0 };
	int signal_number = ms < 0 ? sigwaitinfo(&pool->signals, &info) : sigtimedwait(&pool->signals, &info, &timeout);

	if (signal_number > 0)
		handle(pool, signal_number, info.si_pid);
	else if (pool->stopping && monotonic_ms() >= pool->kill_at)
		kill_workers(pool);
}

int
pool_run(const struct pool_options *options, struct listener *listener)
{
	struct pool pool = {
		.options = options,
		.listener = listener,
		.slots = calloc((size_t)options->workers, sizeof(struct slot)),
		.count = options->workers,
		.replacing = options->workers,
		.pid = getpid(),
	};

	if (pool.slots == NULL)
		return EXIT_FAILURE;
	sigemptyset(&pool.signals);
	sigaddset(&pool.signals, SIGTERM);
	sigaddset(&pool.signals, SIGINT);
	sigaddset(&pool.signals, SIGHUP);
	sigaddset(&pool.signals, SIGCHLD);
	sigaddset(&pool.signals, READY);
	sigprocmask(SIG_BLOCK, &pool.signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	while (!pool.stopping || has_workers(&pool)) {
		reload_due(&pool);
		pool_wait(&pool, start_due(&pool));
	}
	free(pool.slots);
	return EXIT_SUCCESS;
}
