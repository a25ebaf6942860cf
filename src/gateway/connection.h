/* struct connection: one FastCGI connection of the event loop. It reads what there is, answers what is whole, sends what is
 * taken, and never waits. */
#ifndef GATEWAY_CONNECTION_H
#define GATEWAY_CONNECTION_H

#include "gateway/fastcgi.h"
#include "gateway/record.h"
#include "gateway/sink.h"

/* Bytes read at a time. */
#define CONNECTION_INPUT 65536

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
	bool served;           /* at least one request, or question about the application, was answered */
	bool ended;            /* the front sends nothing more, but may still read */
	bool closing;          /* close once nothing is left to send */
};

/* What the connections have in common. */
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
	bool freed;            /* a descriptor was given back: listen again */
	struct connection *connections;
	struct connection *spare;
	size_t spare_count;
	char *input;
};

/* Takes an accepted, non-blocking descriptor over. NULL without memory: the descriptor stays the caller's. */
struct connection *connection_new(struct loop *loop, int fd);

/* Frees what connection_close kept for the next one. */
void connection_free(struct connection *c);

/* Gives up what is under way, closes, and keeps the memory for another connection. */
void connection_close(struct loop *loop, struct connection *c);

/* Acts on what epoll says; afterwards the connection may be gone. */
void connection_ready(struct loop *loop, struct connection *c, uint32_t events);

/* Tries an answer again that was not settled; afterwards the connection may be gone. */
void connection_again(struct loop *loop, struct connection *c);

#endif
