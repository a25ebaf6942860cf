/* fastcgi_serve in a thread of the test, with a service whose work ends when the test says so, over a real eventfd. */
#ifndef TESTS_GATEWAY_WAITS_H
#define TESTS_GATEWAY_WAITS_H

#include "gateway/fastcgi.h"

#include "client.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>

#define WORKS 4

/* /wait/N?LENGTH: once work N is done. /hold: once the test says go. /end/N: at once, and N is done then. A
 * request for /wait/N that is settled ends work N + 1 as well, where the query says so. */
struct waits {
	struct fastcgi_options options;
	struct service service;
	struct sockaddr_un address;
	socklen_t address_length;
	pthread_t thread;
	int result;
	atomic_bool done[WORKS];   /* and not taken over yet */
	bool taken[WORKS];         /* the loop's own */
	sem_t entered, go;         /* of /hold */
	atomic_int responded, finished, woken;
};

/* On a socket of the kernel's own naming. */
void waits_start(struct waits *server);
void waits_stop(struct waits *server);

/* That work is done. */
void waits_done(struct waits *server, int work);

void waits_connect(const struct waits *server, struct client *client);

/* Appends a request up to its body, which is still to come. */
void waits_put_start(struct buf *out, bool keep, const char *path, const char *query);

/* A whole request; and one on a connection of its own that is not settled. */
void waits_ask(struct client *client, const char *path, const char *query);
void waits_ask_unsettled(struct waits *server, struct client *client, const char *path, const char *query);

/* An answer of so many bytes; nothing for a tenth of a second; a count that becomes so large; half a second asleep. */
void waits_expect_answer(struct client *client, size_t length);
void waits_expect_nothing(struct client *client);
void waits_expect_count(atomic_int *count, int want);
void waits_expect_idle(const struct waits *server);

#endif
