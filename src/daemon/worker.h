/* One worker: a handler behind a gateway. */
#ifndef DAEMON_WORKER_H
#define DAEMON_WORKER_H

#include "daemon/settings.h"

struct worker_options {
	const struct settings *settings;
	bool started_by_front;  /* by mod_fcgid, lighttpd or as CGI: the script is a file of this program's */
	void (*ready)(void);    /* called once requests can be taken; may be NULL */
};

/* Serves FastCGI on a listening socket until SIGTERM or SIGUSR1. Sets the process's signals up for that. The exit status of the process. */
int worker_fastcgi(const struct worker_options *options, int listen_fd);

/* Answers the one CGI request of the environment on standard output. The exit status of the process. */
int worker_cgi(const struct worker_options *options, char *const *environment);

#endif
