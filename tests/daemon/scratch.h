/* A directory of its own for a test, with the log in it. */
#ifndef TESTS_DAEMON_SCRATCH_H
#define TESTS_DAEMON_SCRATCH_H

#include "base/str.h"

#include <limits.h>

struct scratch {
	char path[PATH_MAX - 256];
};

/* Makes it, sends the log to "log" in it, and forgets STATICGI_CONFIG. */
void scratch_make(struct scratch *scratch);
void scratch_remove(struct scratch *scratch);

/* The absolute path of a name in it. */
void scratch_name(const struct scratch *scratch, const char *name, char out[PATH_MAX]);
void scratch_file(const struct scratch *scratch, const char *name, const char *content, unsigned mode);

/* What has been logged so far; valid until the next call. */
const char *scratch_log(const struct scratch *scratch);

/* Fails the test unless the log holds the text. */
void scratch_log_has(const struct scratch *scratch, const char *text);

#endif
