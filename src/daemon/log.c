/* A line is put together first and written with one write, so that lines of several workers do not mix. */
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define LINE_MAX_BYTES 8192

/* The log's destination: the one global beside the signals. */
static int log_fd = STDERR_FILENO;

int
log_open(const char *destination)
{
	int fd = STDERR_FILENO;

	if (strcmp(destination, "stderr") != 0)
		fd = open(destination, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
	if (fd < 0)
		return -errno;
	if (log_fd != STDERR_FILENO)
		close(log_fd);
	log_fd = fd;
	return 0;
}

static void __attribute__((format(printf, 1, 0)))
log_write(const char *format, va_list arguments, const char *suffix)
{
	char line[LINE_MAX_BYTES];
	int prefix = snprintf(line, sizeof(line), "staticgi[%d]: ", (int)getpid());
	int room = (int)sizeof(line) - prefix - 1;
	int n = vsnprintf(line + prefix, (size_t)room, format, arguments);
	ssize_t written;

	n = prefix + (n < 0 ? 0 : n >= room ? room - 1 : n);
	if (suffix != NULL && n + 2 + (int)strlen(suffix) < (int)sizeof(line) - 1)
		n += snprintf(line + n, sizeof(line) - (size_t)n - 1, ": %s", suffix);
	line[n++] = '\n';
	written = write(log_fd, line, (size_t)n);
	(void)written;
}

void
log_line(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_write(format, arguments, NULL);
	va_end(arguments);
}

void
log_error(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_write(format, arguments, strerror(error));
	va_end(arguments);
}
