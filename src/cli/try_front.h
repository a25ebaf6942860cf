/* The private front server of `staticgi try`: its configuration, and how it is started. */
#ifndef CLI_TRY_FRONT_H
#define CLI_TRY_FRONT_H

#include "base/buf.h"

#define FRONT_ARGUMENTS 8

struct try_front {
	const char *name;
	const char *programs[3];              /* looked for in PATH and in the system's sbin directories */
	const char *package;                  /* Debian's, for the message when it is missing */
	const char *arguments[FRONT_ARGUMENTS]; /* behind the program; "@" stands for the configuration file */
	const char *hand_off;                 /* for the pool */
	/* Appends the configuration. `dir` is a directory of our own: "root" in it leads to what is served, "socket" is the
	 * pool's, "empty" holds nothing. Its path needs no quoting. */
	void (*configure)(struct buf *out, const char *dir, int port);
};

/* By its name, or NULL. */
const struct try_front *try_front_find(const char *name);

#endif
