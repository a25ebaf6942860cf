/* The configuration file (libconfuse syntax) into settings. */
#ifndef DAEMON_CONFIGFILE_H
#define DAEMON_CONFIGFILE_H

#include "daemon/settings.h"

/* Finds and reads the file: `path` if given, else $STATICGI_CONFIG, else staticgi.conf beside the program, else in the
 * system's configuration directory. The first two must be there; without any of the others the defaults hold.
 * Every mistake goes to the log with file and line and what is allowed. False when there was one. */
bool configfile_read(struct settings *settings, const char *path);

#endif
