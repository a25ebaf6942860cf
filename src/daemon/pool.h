/* The pool: a process that holds the listening socket and keeps N workers alive. It knows nothing of HTTP. */
#ifndef DAEMON_POOL_H
#define DAEMON_POOL_H

#include "daemon/listen.h"

#include <stdbool.h>
#include <stdint.h>

/* After SIGTERM the workers get a little more than their own time to drain. */
#define POOL_DRAIN_MS 35000

struct pool_options {
	int workers;
	int64_t drain_ms; /* from SIGTERM to SIGKILL */
	/* The life of a worker, in its own process, to its exit status. It calls pool_worker_ready() once it can take requests. */
	int (*work)(void *context, int listen_fd);
	/* SIGHUP: read the configuration anew for the workers to come. False: keep what there is (and say why). May be NULL. */
	bool (*reload)(void *context);
	void *context;
};

/* Runs until SIGTERM or SIGINT and every worker has ended. The exit status of the process. A dead worker is replaced, later and
 * later if it dies at once. SIGHUP replaces all, one by one: the new one is ready before the old one is told to end. */
int pool_run(const struct pool_options *options, struct listener *listener);

void pool_worker_ready(void);

#endif
