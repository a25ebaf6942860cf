/* The pool's listening socket. */
#ifndef DAEMON_LISTEN_H
#define DAEMON_LISTEN_H

#include <sys/types.h>

struct listener {
	int fd;
	char path[108];  /* of a unix socket; "": TCP */
	dev_t device;    /* of the socket file, to tell ours from another's */
	ino_t inode;
};

/* Opens "unix:/PATH" (with the mode's permissions from its first moment on) or "HOST:PORT": of a name's addresses the
 * first that this machine has. A socket file that nobody listens on any more is taken over; one that somebody does, or
 * what is no socket, is not touched. 0, or -errno with the reason in the log. */
int listener_open(struct listener *listener, const char *where, unsigned mode);

/* What listener_open would find wrong with the address, said in the log likewise. Nothing is left behind. -EADDRINUSE,
 * which it leaves to the caller to say: somebody listens there, who may be the pool that is looked after. */
int listener_check(const char *where);

/* The path in "unix:/PATH", or NULL. */
const char *listener_path(const char *where);

/* Takes the socket file away if it is still ours, and closes. */
void listener_close(struct listener *listener);

/* Whether a descriptor is a listening socket: how a front starts a FastCGI program (FastCGI 1.0, 2.2). */
int descriptor_is_listening(int fd);

#endif
