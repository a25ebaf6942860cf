/* An epoll loop owns every descriptor. A front that opens a connection for each request (mod_fcgid, lighttpd, nginx
 * by default) costs accept, read, write and close: the connection enters epoll only when it has to wait. One connection is
 * accepted a turn, so that a busy worker leaves the next one to an idle worker (EPOLLEXCLUSIVE wakes
 * one of them). Idle kept-alive connections cost a descriptor and nothing else. */
#include "gateway/fastcgi.h"

#include "gateway/record.h"
#include "gateway/sink.h"

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
#define INPUT 65536
#define CONNECTIONS_MAX 4096
#define SPARE_MAX 16
#define BACKLOG 1024
#define NO_DEADLINE INT64_MAX

struct connection {
	struct connection *next, *previous;
	int fd;
	uint32_t events;       /* registered with epoll; 0: not at all */
	int64_t deadline;      /* monotonic seconds, or NO_DEADLINE */
	struct record_reader reader;
	struct exchange exchange;
	struct sink sink;
	size_t reply_sent;     /* of reader.reply */
	bool sending;          /* an answer is on its way */
	bool waiting;          /* an answer is not settled yet: a thread works on it */
	bool served;           /* at least one request was answered */
	bool ended;            /* the front sends nothing more, but may still read */
	bool closing;          /* close once nothing is left to send */
};

struct loop {
	const struct fastcgi_options *options;
	int epoll;
	bool listening;        /* the listening socket is in epoll */
	bool stopping;
	bool tcp;
	char wake;             /* its address stands for wake_fd in epoll */
	int64_t now;           /* monotonic seconds */
	int64_t swept;
	int64_t drain_until;
	size_t count;
	size_t timed;          /* connections with a deadline */
	struct connection *connections;
	struct connection *spare;
	size_t spare_count;
	char *input;
};

static int64_t
monotonic_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec;
}

static void
connection_set_deadline(struct loop *loop, struct connection *c, int64_t deadline)
{
	loop->timed += (size_t)(deadline != NO_DEADLINE) - (size_t)(c->deadline != NO_DEADLINE);
	c->deadline = deadline;
}

static struct connection *
connection_new(struct loop *loop, int fd)
{
	struct connection *c = loop->spare;

	if (c != NULL) {
		loop->spare = c->next;
		loop->spare_count--;
	} else {
		c = malloc(sizeof(*c));
		if (c == NULL)
			return NULL;
		record_init(&c->reader);
		exchange_init(&c->exchange);
	}
	c->fd = fd;
	c->events = 0;
	c->deadline = NO_DEADLINE;
	connection_set_deadline(loop, c, loop->now + loop->options->request_seconds);
	c->reply_sent = 0;
	c->sending = c->waiting = c->served = c->ended = c->closing = false;
	c->previous = NULL;
	c->next = loop->connections;
	if (c->next != NULL)
		c->next->previous = c;
	loop->connections = c;
	loop->count++;
	return c;
}

static void
connection_free(struct connection *c)
{
	record_release(&c->reader);
	exchange_release(&c->exchange);
	free(c);
}

static void
exchange_end(struct loop *loop, struct connection *c)
{
	const struct service *service = loop->options->service;

	service->finish(service->context, &c->exchange);
	exchange_reset(&c->exchange);
	record_finish(&c->reader);
	c->sending = c->waiting = false;
	c->served = true;
	connection_set_deadline(loop, c, NO_DEADLINE);
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

static void
connection_close(struct loop *loop, struct connection *c)
{
	if (c->sending || c->waiting)
		exchange_end(loop, c);
	connection_set_deadline(loop, c, NO_DEADLINE);
	close(c->fd);
	if (c->next != NULL)
		c->next->previous = c->previous;
	if (c->previous != NULL)
		c->previous->next = c->next;
	else
		loop->connections = c->next;
	loop->count--;
	if (!loop->stopping)
		loop_listen(loop, true);
	if (loop->spare_count == SPARE_MAX) {
		connection_free(c);
		return;
	}
	record_reset(&c->reader);
	c->next = loop->spare;
	loop->spare = c;
	loop->spare_count++;
}

/* Asks epoll for what the connection waits for. */
static bool
connection_watch(struct loop *loop, struct connection *c, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = c };

	if (c->events == events)
		return true;
	if (epoll_ctl(loop->epoll, c->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, c->fd, &event) != 0)
		return false;
	c->events = events;
	return true;
}

static void
exchange_respond(struct loop *loop, struct connection *c)
{
	const struct service *service = loop->options->service;
	struct exchange *exchange = &c->exchange;

	service->respond(service->context, exchange);
	connection_set_deadline(loop, c, loop->now + loop->options->stall_seconds);
	c->waiting = exchange->response.status == STATUS_UNDECIDED;
	if (c->waiting)
		return;
	exchange_write_head(exchange);
	sink_start(&c->sink, exchange, c->reader.request_id);
	c->sending = true;
}

static void
exchange_begin(struct loop *loop, struct connection *c)
{
	struct exchange *exchange = &c->exchange;

	if (c->reader.too_large)
		exchange->refused = STATUS_FIELDS_TOO_LARGE;
	else if (!params_parse(&exchange->params, buf_view(&c->reader.params)))
		exchange->refused = STATUS_BAD_REQUEST;
	exchange_respond(loop, c);
}

/* The front gave up an answer that is not settled yet. */
static void
exchange_abandon(struct loop *loop, struct connection *c)
{
	unsigned id = c->reader.request_id;

	exchange_end(loop, c);
	c->closing = c->closing || loop->stopping || !c->reader.keep;
	record_end_request(&c->reader.reply, id, FCGI_REQUEST_COMPLETE);
}

/* Sends what there is to send: replies between answers, the answer itself. */
static enum sink_result
connection_write(struct loop *loop, struct connection *c)
{
	struct buf *reply = &c->reader.reply;

	if (c->sending) {
		int64_t before = c->sink.position;
		enum sink_result result = sink_write(&c->sink, c->fd);

		if (c->sink.position != before)
			connection_set_deadline(loop, c, loop->now + loop->options->stall_seconds);
		if (result != SINK_DONE)
			return result;
		c->closing = c->closing || loop->stopping || !c->reader.keep;
		exchange_end(loop, c);
	}
	while (c->reply_sent < reply->len) {
		ssize_t n = send(c->fd, reply->ptr + c->reply_sent, reply->len - c->reply_sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN)
			return SINK_BLOCKED;
		if (n < 0 && errno != EINTR)
			return SINK_FAILED;
		if (n > 0)
			c->reply_sent += (size_t)n;
	}
	buf_reset(reply);
	c->reply_sent = 0;
	return SINK_DONE;
}

/* Reads once and acts on it. False: the connection is at its end. */
static bool
connection_read(struct loop *loop, struct connection *c)
{
	ssize_t n = recv(c->fd, loop->input, INPUT, 0);
	struct str bytes = { loop->input, n > 0 ? (size_t)n : 0 };
	enum record_event event;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0) {
		c->ended = c->closing = true;
		return c->sending || c->waiting;
	}
	do {
		event = record_feed(&c->reader, &bytes);
		if (event == RECORD_BROKEN)
			return false;
		if (event == RECORD_ABORT && c->sending)
			sink_abort(&c->sink);
		if (event == RECORD_ABORT && c->waiting)
			exchange_abandon(loop, c);
		if (event == RECORD_CLOSE)
			c->closing = true;
		if (event == RECORD_REQUEST)
			exchange_begin(loop, c);
		if (event != RECORD_MORE && connection_write(loop, c) == SINK_FAILED)
			return false;
	} while (event != RECORD_MORE && !(c->closing && !c->sending && !c->waiting));
	return true;
}

/* After reading and writing: close, or wait for what is missing. */
static void
connection_settle(struct loop *loop, struct connection *c)
{
	enum sink_result result = connection_write(loop, c);
	bool idle = !c->sending && !c->waiting && record_is_idle(&c->reader);
	uint32_t events = c->ended ? 0 : EPOLLIN;

	if (result == SINK_FAILED || (result == SINK_DONE && !c->waiting && (c->closing || (loop->stopping && idle && c->served)))) {
		connection_close(loop, c);
		return;
	}
	if (result != SINK_DONE)
		events |= EPOLLOUT;
	if (!idle && c->deadline == NO_DEADLINE)
		connection_set_deadline(loop, c, loop->now + loop->options->request_seconds);
	if (!connection_watch(loop, c, events))
		connection_close(loop, c);
}

static void
connection_ready(struct loop *loop, struct connection *c, uint32_t events)
{
	if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && !c->ended && !connection_read(loop, c)) {
		connection_close(loop, c);
		return;
	}
	connection_settle(loop, c);
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

/* A thread has done something: every answer that waited is tried again. */
static void
loop_wake(struct loop *loop)
{
	const struct service *service = loop->options->service;
	struct connection *c, *next;

	service->wake(service->context);
	for (c = loop->connections; c != NULL; c = next) {
		next = c->next;
		if (!c->waiting)
			continue;
		exchange_again(&c->exchange);
		exchange_respond(loop, c);
		if (!c->waiting)
			connection_settle(loop, c);
	}
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
	loop->input = malloc(INPUT);
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
