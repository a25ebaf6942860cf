/* A FastCGI client for tests: writes records as one likes, reads answers strictly, never waits for ever. */
#ifndef TESTS_CLIENT_H
#define TESTS_CLIENT_H

#include "base/buf.h"

#include <fastcgi.h>

#define CLIENT_MAX ((size_t)64 << 20)

/* ---- records to send ---- */

void client_record(struct buf *out, int type, unsigned id, struct str content, unsigned padding);
void client_begin(struct buf *out, unsigned id, int role, bool keep);

/* A stream: as many records as it takes, and the empty one that ends it. */
void client_stream(struct buf *out, int type, unsigned id, struct str content);

/* A name-value pair; lengths in the shortest form. */
void client_pair(struct buf *out, struct str name, struct str value);

/* Pairs of "NAME=value" texts; the list ends with NULL. */
void client_pairs(struct buf *out, const char *const *texts);

/* A whole request without a body. */
void client_request(struct buf *out, unsigned id, bool keep, const char *const *texts);

/* ---- a connection ---- */

struct client {
	int fd;
	struct buf in;
	size_t used; /* of in */
};

struct client_record {
	int type;
	unsigned id;
	struct str content; /* until the next read */
};

enum client_result {
	CLIENT_OK,
	CLIENT_CLOSED,    /* between two records */
	CLIENT_CUT,       /* in the middle of one */
	CLIENT_TIMEOUT,
	CLIENT_MALFORMED, /* not the answer that FastCGI allows here */
};

struct client_answer {
	unsigned id;
	struct buf out, err;
	bool out_ended;
	int protocol_status;
};

/* To a unix socket's path, or with NULL to a port on loopback. */
void client_open(struct client *client, const char *path, int port);

/* Reads from a descriptor that is open already. */
void client_from(struct client *client, int fd);
void client_close(struct client *client);

/* False when the other side closed, or took nothing for ten seconds. */
bool client_send(struct client *client, struct str bytes);

/* Returns once the other side has read everything that was sent. False after ten seconds. */
bool client_taken(struct client *client);

/* The next record of the answer stream. */
enum client_result client_next(struct client *client, struct client_record *record, int milliseconds);

void answer_init(struct client_answer *answer, unsigned id);
void answer_release(struct client_answer *answer);

/* Records of one request, and of no other, until END_REQUEST. After a failure the answer holds what had come. */
enum client_result client_answer(struct client *client, struct client_answer *answer);

/* What follows the head of an answer; ptr NULL when there is none. */
struct str answer_body(const struct client_answer *answer);

int64_t client_milliseconds(void);

#endif
