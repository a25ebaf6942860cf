/* An epoll loop owns every descriptor. One connection is accepted a turn, so that a busy worker leaves the next one to an idle
 * worker (EPOLLEXCLUSIVE wakes one of them). */
#include "gateway/fastcgi.h"

#include "gateway/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 64
#define CONNECTIONS_MAX 4096
#define BACKLOG 1024

static int64_t
monotonic_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec;
}

/* Whether the listening socket should be waited for now; epoll is told when that changes. */
static void
loop_listen(struct loop *loop, bool wanted)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = loop };

	if (wanted == loop->listening)
		return;
	if (epoll_ctl(loop->epoll, wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, loop->options->listen_fd, &event) == 0)
		loop->listening = wanted;
}

/* Accepts one connection and serves it as far as it goes. False when there was none. Out of descriptors
 * or memory, new ones wait in the backlog until a connection here ends or a second has passed. */
static bool
loop_accept(struct loop *loop)
{
	int fd = accept4(loop->options->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
	struct connection *c;

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			loop_listen(loop, false);
		return false;
	}
	if (loop->tcp)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c = connection_new(loop, fd);
	if (c == NULL) {
		close(fd);
		return false;
	}
	connection_ready(loop, c, EPOLLIN);
	if (loop->count >= CONNECTIONS_MAX)
		loop_listen(loop, false);
	return true;
}

/* No more connections. What already waits in the backlog is taken; a kept-alive connection that waits for its next request
 * ends, unless that request has just come in. */
static void
loop_stop(struct loop *loop)
{
	struct connection *c, *next;

	loop->stopping = true;
	loop->drain_until = loop->now + loop->options->drain_seconds;
	epoll_ctl(loop->epoll, EPOLL_CTL_DEL, loop->options->stop_fd, NULL);
	for (c = loop->connections; c != NULL; c = next) {
		next = c->next;
		connection_ready(loop, c, EPOLLIN);
	}
	for (int i = 0; i < BACKLOG && loop_accept(loop);)
		i++;
	loop_listen(loop, false);
}

/* Gives up what has waited too long; once a second at most. */
static void
loop_sweep(struct loop *loop)
{
	struct connection *c, *next;

	if (loop->now == loop->swept)
		return;
	loop->swept = loop->now;
	for (c = loop->connections; c != NULL; c = next) {
		next = c->next;
		if (c->deadline < loop->now || (loop->stopping && loop->drain_until < loop->now))
			connection_close(loop, c);
	}
	if (!loop->stopping && loop->count < CONNECTIONS_MAX)
		loop_listen(loop, true);
}

/* A thread has done something: every answer that waited is tried again. What is done meanwhile makes wake_fd readable once more. */
static void
loop_wake(struct loop *loop)
{
	const struct service *service = loop->options->service;
	struct connection *c, *next;

	service->wake(service->context);
	for (c = loop->connections; c != NULL; c = next) {
		next = c->next;
		if (c->waiting)
			connection_again(loop, c);
	}
	service->woken(service->context);
}

static int
loop_run(struct loop *loop)
{
	struct epoll_event events[EVENTS];

	while (!loop->stopping || loop->count > 0) {
		bool wait_short = loop->timed > 0 || loop->stopping || !loop->listening, stop = false, wake = false;
		int n = epoll_wait(loop->epoll, events, EVENTS, wait_short ? 1000 : -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		loop->now = monotonic_seconds();
		for (int i = 0; i < n; i++) {
			void *what = events[i].data.ptr;

			if (what == loop)
				loop_accept(loop);
			else if (what == NULL)
				stop = true;
			else if (what == &loop->wake)
				wake = true;
			else
				connection_ready(loop, what, events[i].events);
		}
		/* These end connections that may have had an event of this turn: so they come after it. */
		if (wake)
			loop_wake(loop);
		if (stop)
			loop_stop(loop);
		loop_sweep(loop);
		if (loop->freed && !loop->stopping)
			loop_listen(loop, true);
		loop->freed = false;
	}
	return 0;
}

static bool
socket_is_tcp(int fd)
{
	struct sockaddr_storage address = { 0 };
	socklen_t length = sizeof(address);

	return getsockname(fd, (struct sockaddr *)&address, &length) == 0 &&
	    (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

static int
loop_open(struct loop *loop)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
	int flags = fcntl(loop->options->listen_fd, F_GETFL);

	if (flags < 0 || fcntl(loop->options->listen_fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return -errno;
	loop->tcp = socket_is_tcp(loop->options->listen_fd);
	loop->input = malloc(CONNECTION_INPUT);
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->input == NULL || loop->epoll < 0)
		return loop->input == NULL ? -ENOMEM : -errno;
	if (loop->options->stop_fd >= 0 &&
	    epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->options->stop_fd, &event) != 0)
		return -errno;
	event.data.ptr = &loop->wake;
	if (loop->options->service->wake_fd >= 0 &&
	    epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->options->service->wake_fd, &event) != 0)
		return -errno;
	loop_listen(loop, true);
	return loop->listening ? 0 : -errno;
}

int
fastcgi_serve(const struct fastcgi_options *options)
{
	struct loop loop = { .options = options, .epoll = -1, .now = monotonic_seconds() };
	struct connection *c;
	int error = loop_open(&loop);

	if (error == 0)
		error = loop_run(&loop);
	while (loop.connections != NULL)
		connection_close(&loop, loop.connections);
	while ((c = loop.spare) != NULL) {
		loop.spare = c->next;
		connection_free(c);
	}
	if (loop.epoll >= 0)
		close(loop.epoll);
	free(loop.input);
	return error;
}
