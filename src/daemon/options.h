/* The command line: the same names as the configuration file, with -- in front. */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include "daemon/settings.h"

/* Reads defaults, then the configuration file, then the options in argv[1] and on, later ones over earlier ones. *first
 * is the index of the first argument that is no option. Every mistake goes to the log. False when there was one: usage, exit 2. */
bool options_read(struct settings *settings, int argc, char **argv, int *first);

/* Appends a line of help for each option. */
void options_help(struct buf *out);

#endif
