/* fastcgi_serve in a child, and requests to it whose answers are expected to be whole. */
#ifndef TESTS_SERVER_H
#define TESTS_SERVER_H

#include "client.h"

#include <sys/types.h>

#define LARGE 20000000
#define LARGE_TEXT "20000000"

/* ---- the child ---- */

struct server {
	pid_t pid;
	char directory[40], path[60];
	int port; /* 0: unix */
	int stop;
};

void server_start(struct server *server);

/* request_seconds: of the options; spare: 0, or so many descriptors for connections and no more. */
void server_start_with(struct server *server, bool tcp, int request_seconds, int spare);
void server_signal_stop(struct server *server);

/* The child has to end by itself, soon, with nothing left behind. */
void server_wait(struct server *server);
void server_stop(struct server *server);
void server_connect(const struct server *server, struct client *client);

/* ---- requests ---- */

void put_request(struct buf *out, unsigned id, bool keep, const char *path_info, const char *query);
void send_request(struct client *client, unsigned id, bool keep, const char *path_info, const char *query);

/* A file for "/file" to answer with, as long as it says; and the request for it. */
void write_file(const char *path, size_t length);
void send_file_request(struct client *client, const char *path, bool keep);

/* ---- answers ---- */

void expect_answer(struct client *client, unsigned id, const char *body);
void expect_status(struct client *client, unsigned id, const char *status);
void expect_pattern(struct client *client, unsigned id, size_t length);
void expect_record(struct client *client, int type, unsigned id, struct str content);
void expect_end(struct client *client, unsigned id, int protocol_status);
void expect_closed(struct client *client);

/* How many of the bytes are not the service's. */
size_t count_wrong(struct str bytes);

/* One request on a connection of its own; milliseconds until its answer. */
int64_t one_request(const struct server *server);

/* That nobody waits for another. */
void expect_quick(const struct server *server);

/* What /numbers says: [0] descriptors, [1] responded, [2] finished, [3] whole. */
void ask_numbers(const struct server *server, int64_t numbers[4]);

/* Waits until `finished` is all but the asking request itself. */
void expect_all_finished(const struct server *server, int64_t numbers[4]);

#endif
