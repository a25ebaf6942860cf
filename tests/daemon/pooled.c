#include "daemon/pooled.h"

#include "daemon/pool.h"
#include "suites.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct scratch scratch;
struct shared *shared;
char socket_path[PATH_MAX];
pid_t pool;
bool has_bystander;
int drain_ms = POOL_DRAIN_MS;

static char where[PATH_MAX + 8];

void
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

void
pooled_setup(void)
{
	scratch_make(&scratch);
	scratch_name(&scratch, "socket", socket_path);
	snprintf(where, sizeof(where), "unix:%s", socket_path);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	shared->least_ready = WORKERS;
	pool = 0;
}

void
pooled_teardown(void)
{
	if (pool > 0) {
		kill(pool, SIGKILL);
		waitpid(pool, NULL, 0);
	}
	munmap(shared, sizeof(*shared));
	scratch_remove(&scratch);
}

static void
start_bystander(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		sleep_ms(60000);
		_exit(0);
	}
	shared->bystander = pid;
}

void
start_pool(void)
{
	struct pool_options options = { .workers = WORKERS, .drain_ms = drain_ms, .work = work, .reload = reload };
	struct listener listener;

	pool = fork();
	ck_assert_int_ge(pool, 0);
	if (pool > 0)
		return;
	if (has_bystander)
		start_bystander();
	if (listener_open(&listener, where, 0600) != 0)
		_exit(99);
	_exit(pool_run(&options, &listener));
}

void
await(atomic_int *count, int value)
{
	for (int i = 0; i < 1000 && *count != value; i++)
		sleep_ms(5);
	ck_assert_int_eq(*count, value);
}

void
await_log(const char *text)
{
	for (int i = 0; i < 1000 && strstr(scratch_log(&scratch), text) == NULL; i++)
		sleep_ms(5);
	scratch_log_has(&scratch, text);
}

int
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

int
stop_within(int ms)
{
	shared->stopping = true;
	kill(pool, SIGTERM);
	return end_of_pool(ms);
}

int
stop_pool(void)
{
	return stop_within(5000);
}
