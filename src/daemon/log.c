/* A line is put together first and written with one write, so that lines of several workers do not mix. A reader that does not
 * keep up (a stalled pipe, a terminal that was stopped) must not stop the worker: what it has no room for is counted instead. */
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

/* What a pipe that is writable takes at once. */
#define LINE_MAX_BYTES PIPE_BUF

/* The log's destination: the one global beside the signals. */
static struct {
	int fd;
	unsigned lost; /* lines since the last one that was written */
} destination = { .fd = STDERR_FILENO };

static bool
is_stderr(const char *name)
{
	return strcmp(name, "stderr") == 0;
}

int
log_check(const char *name)
{
	int fd = is_stderr(name) ? STDERR_FILENO : open(name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (fd != STDERR_FILENO)
		close(fd);
	return 0;
}

int
log_open(const char *name)
{
	int fd = is_stderr(name) ? STDERR_FILENO :
	    open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);

	if (fd < 0)
		return -errno;
	if (destination.fd != STDERR_FILENO)
		close(destination.fd);
	destination.fd = fd;
	return 0;
}

static bool
has_room(void)
{
	struct pollfd wait = { .fd = destination.fd, .events = POLLOUT };

	return poll(&wait, 1, 0) > 0 && (wait.revents & POLLOUT) != 0;
}

static void __attribute__((format(printf, 1, 0)))
log_write(const char *format, va_list arguments, const char *suffix)
{
	char line[LINE_MAX_BYTES];
	int prefix = snprintf(line, sizeof(line), "staticgi[%d]: ", (int)getpid());
	int room, n;

	if (!has_room()) {
		destination.lost++;
		return;
	}
	if (destination.lost > 0)
		prefix += snprintf(line + prefix, sizeof(line) - (size_t)prefix, "(%u lines before this one found no room) ",
		    destination.lost);
	room = (int)sizeof(line) - prefix - 1;
	n = vsnprintf(line + prefix, (size_t)room, format, arguments);
	n = prefix + (n < 0 ? 0 : n >= room ? room - 1 : n);
	if (suffix != NULL && n + 2 + (int)strlen(suffix) < (int)sizeof(line) - 1)
		n += snprintf(line + n, sizeof(line) - (size_t)n - 1, ": %s", suffix);
	line[n++] = '\n';
	destination.lost = write(destination.fd, line, (size_t)n) == n ? 0 : destination.lost + 1;
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
