/* A pool in a process of its own, with workers that do nothing but come, wait and go. What they do is seen in memory that
 * all share. */
#ifndef TESTS_DAEMON_POOLED_H
#define TESTS_DAEMON_POOLED_H

#include "daemon/scratch.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#define WORKERS 3
#define PIDS 256

struct shared {
	atomic_int starts, ready, ended, reloads, least_ready;
	atomic_bool dies, refuses, stopping;
	atomic_int start_ms, end_ms;  /* how long a worker takes to come and to go */
	_Atomic pid_t pids[PIDS];     /* of every worker started, in order */
	_Atomic pid_t bystander;      /* a child of the pool's that is no worker */
};

extern struct scratch scratch;
extern struct shared *shared;
extern char socket_path[PATH_MAX];
extern pid_t pool;

/* For the pool that is started next. */
extern bool has_bystander;
extern int drain_ms;

void pooled_setup(void);
void pooled_teardown(void);
void start_pool(void);
void sleep_ms(int ms);

/* Wait until a count has a value, or the log a text: five seconds at most, then the test fails. */
void await(atomic_int *count, int value);
void await_log(const char *text);

/* The exit status, or -1 when it has not ended within so many milliseconds. */
int end_of_pool(int ms);

/* The same once it was told to end. */
int stop_within(int ms);
int stop_pool(void);

#endif
