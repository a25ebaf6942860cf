/* The socket is bound under a name of its own, given its permissions, and renamed into place: at no moment can somebody
 * connect who may not, and a front that connects meanwhile still finds the old one or the new one. */
#include "daemon/listen.h"

#include "base/str.h"
#include "daemon/log.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 1024

/* 0 when the path is free or holds a dead socket. */
static int
check_path(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat there;
	int fd, error;

	if (lstat(path, &there) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(there.st_mode))
		return -ENOTSOCK;
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	error = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : errno;
	close(fd);
	return error == ECONNREFUSED || error == ENOENT ? 0 : -EADDRINUSE;
}

static int
bind_unix(int fd, const char *path, unsigned mode)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int n = snprintf(address.sun_path, sizeof(address.sun_path), "%s.%d", path, (int)getpid());
	mode_t old;
	int result;

	if (n < 0 || (size_t)n >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	unlink(address.sun_path);
	old = umask(0777);
	result = bind(fd, (struct sockaddr *)&address, sizeof(address));
	umask(old);
	if (result != 0)
		return -errno;
	if (chmod(address.sun_path, mode) != 0 || listen(fd, BACKLOG) != 0 || rename(address.sun_path, path) != 0) {
		result = -errno;
		unlink(address.sun_path);
		return result;
	}
	return 0;
}

static int
open_unix(struct listener *listener, const char *path, unsigned mode)
{
	struct stat there;
	int error;

	if (strlen(path) >= sizeof(listener->path) - 8) {
		log_line("listen: %s is too long for a socket: at most %zu bytes", path, sizeof(listener->path) - 9);
		return -ENAMETOOLONG;
	}
	error = check_path(path);
	if (error == 0) {
		listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		error = listener->fd < 0 ? -errno : bind_unix(listener->fd, path, mode);
	}
	if (error == -EADDRINUSE)
		log_line("listen: somebody already listens on %s: stop that first, or listen elsewhere", path);
	else if (error == -ENOTSOCK)
		log_line("listen: %s is there and is no socket: move it away, or listen elsewhere", path);
	else if (error != 0)
		log_error(-error, "listen: cannot listen on %s (its directory must be there and writable)", path);
	if (error != 0)
		return error;
	memcpy(listener->path, path, strlen(path) + 1);
	if (lstat(path, &there) == 0) {
		listener->device = there.st_dev;
		listener->inode = there.st_ino;
	}
	return 0;
}

/* Splits "HOST:PORT" or "[ADDRESS]:PORT". */
static int
resolve(const char *where, struct addrinfo **found)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	const char *colon = strrchr(where, ':');
	struct str host = { where, colon != NULL ? (size_t)(colon - where) : 0 };
	char name[256];

	if (colon == NULL)
		return EAI_NONAME;
	if (host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = str_sub(host, 1, host.len - 2);
	if (host.len >= sizeof(name))
		return EAI_NONAME;
	memcpy(name, host.ptr, host.len);
	name[host.len] = '\0';
	return getaddrinfo(name, colon + 1, &hints, found);
}

static int
open_tcp(struct listener *listener, const char *where)
{
	struct addrinfo *found;
	int failed = resolve(where, &found), one = 1, error = 0;

	if (failed != 0) {
		log_line("listen: %s: %s", where, gai_strerror(failed));
		return -EINVAL;
	}
	listener->fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener->fd < 0 || setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
	    bind(listener->fd, found->ai_addr, found->ai_addrlen) != 0 || listen(listener->fd, BACKLOG) != 0)
		error = -errno;
	freeaddrinfo(found);
	if (error != 0)
		log_error(-error, "listen: cannot listen on %s", where);
	return error;
}

int
listener_open(struct listener *listener, const char *where, unsigned mode)
{
	struct str unix_prefix = S("unix:");
	int error;

	*listener = (struct listener){ .fd = -1 };
	if (str_starts(str_from(where), unix_prefix))
		error = open_unix(listener, where + unix_prefix.len, mode);
	else
		error = open_tcp(listener, where);
	if (error != 0)
		listener_close(listener);
	return error;
}

void
listener_close(struct listener *listener)
{
	struct stat there;

	if (listener->path[0] != '\0' && lstat(listener->path, &there) == 0 && there.st_dev == listener->device &&
	    there.st_ino == listener->inode)
		unlink(listener->path);
	listener->path[0] = '\0';
	if (listener->fd >= 0)
		close(listener->fd);
	listener->fd = -1;
}

int
descriptor_is_listening(int fd)
{
	int listening = 0;
	socklen_t length = sizeof(listening);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) == 0 && listening;
}
