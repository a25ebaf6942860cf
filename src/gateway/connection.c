/* A front that opens a connection for each request (mod_fcgid, lighttpd, nginx by default) costs accept, read, write and
 * close: the connection enters epoll only when it has to wait. Idle kept-alive connections cost a descriptor and nothing
 * else. */
#include "gateway/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define SPARE_MAX 16
#define NO_DEADLINE INT64_MAX

static void
connection_set_deadline(struct loop *loop, struct connection *c, int64_t deadline)
{
	loop->timed += (size_t)(deadline != NO_DEADLINE) - (size_t)(c->deadline != NO_DEADLINE);
	c->deadline = deadline;
}

struct connection *
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

void
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

void
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
	loop->freed = true;
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
	/* nginx holds a kept-alive connection for whole when END_REQUEST comes: then only a close tells. */
	exchange->ends_short = exchange->ends_short && !c->reader.keep;
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
	if (buf_failed(reply))
		return SINK_FAILED;
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
	ssize_t n = recv(c->fd, loop->input, CONNECTION_INPUT, 0);
	struct str bytes = { loop->input, n > 0 ? (size_t)n : 0 };
	enum record_event event;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0) {
		c->ended = c->closing = true;
		return c->sending || c->waiting;
	}
	/* A body may take its sender long (mod_proxy_fcgi passes it on as it comes): it has to go on, no more. */
	if (record_is_in_body(&c->reader))
		connection_set_deadline(loop, c, loop->now + loop->options->request_seconds);
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
		c->served = c->served || c->reader.reply.len > 0;
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
	/* A hang-up is told of unasked; asking for it says that the descriptor is in epoll. */
	uint32_t events = c->ended ? EPOLLHUP : EPOLLIN;

	if (result == SINK_FAILED || (result == SINK_DONE && !c->waiting && (c->closing || (loop->stopping && idle && c->served)))) {
		connection_close(loop, c);
		return;
	}
	if (result != SINK_DONE)
		events |= EPOLLOUT;
	if (!idle && c->deadline == NO_DEADLINE)
		connection_set_deadline(loop, c, loop->now + loop->options->request_seconds);
	/* What there was one for was given up, or was no request. */
	if (idle && c->served)
		connection_set_deadline(loop, c, NO_DEADLINE);
	if (!connection_watch(loop, c, events))
		connection_close(loop, c);
}

void
connection_ready(struct loop *loop, struct connection *c, uint32_t events)
{
	/* Nobody is left to read what is being worked on; epoll would say so again and again until it is done. */
	bool gone = c->waiting && (events & (EPOLLHUP | EPOLLERR)) != 0;

	if (gone || ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && !c->ended && !connection_read(loop, c))) {
		connection_close(loop, c);
		return;
	}
	connection_settle(loop, c);
}

void
connection_again(struct loop *loop, struct connection *c)
{
	exchange_again(&c->exchange);
	exchange_respond(loop, c);
	if (!c->waiting)
		connection_settle(loop, c);
}
