/* The FastCGI responder: one event loop, any number of connections, none of which waits for another. */
#ifndef GATEWAY_FASTCGI_H
#define GATEWAY_FASTCGI_H

#include "gateway/exchange.h"

struct fastcgi_options {
	int listen_fd;                 /* a listening stream socket; made non-blocking */
	int stop_fd;                   /* readable: take no new connections, finish the open ones, return; -1: none */
	const struct service *service;
	int request_seconds;           /* a request whose parameters are not in after this long is given up, as is one
	                                  of whose body nothing came for this long */
	int stall_seconds;             /* an answer of which nothing was taken for this long is given up */
	int drain_seconds;             /* after stop_fd: open answers get this long */
};

/* The limits that suit a front on the same machine. */
#define FASTCGI_REQUEST_SECONDS 30
#define FASTCGI_STALL_SECONDS 600
#define FASTCGI_DRAIN_SECONDS 30

/* Serves until stop_fd is readable. 0, or -errno when the loop itself cannot go on. SIGPIPE must be ignored. */
int fastcgi_serve(const struct fastcgi_options *options);

#endif
