/* The log: lines on standard error or in a file. Only daemon/ and cli/ write it; what is below leaves its reason in the
 * response. */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

#include "base/buf.h"

#include <stdarg.h>

/* Sends the log to a file, opened for appending, or to standard error for "stderr". 0, or -errno and the log stays where it was. */
int log_open(const char *name);

/* What log_open would find, without a trace: -ENOENT when the file is to be made. A pipe that nobody reads is -ENXIO:
 * it would be waited for. */
int log_check(const char *name);

/* One line: "staticgi[PID]: text". Nothing waits or fails for it: a line that finds no room is lost, and the next one that finds some says how
 * many were. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As log_line, with ": " and the message of an errno (positive) behind it. */
void log_error(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
