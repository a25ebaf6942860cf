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

/* Of a listener's path, with room for what a pid makes of it. */
#define PATH_LONGEST (sizeof(((struct listener *)0)->path) - 9)

/* A name without an address. No socket gives this, and getaddrinfo's own words were logged. */
#define UNRESOLVED (-ENXIO)

/* 0 when the path is free or holds a dead socket. */
static int
check_path(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat there;
	int fd, error;

	if (strlen(path) > PATH_LONGEST)
		return -ENAMETOOLONG;
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

/* What is wrong and what to do about it. */
static void
complain(int error, const char *where)
{
	if (error == -EADDRINUSE)
		log_line("listen: somebody already listens on %s: stop that first, or listen elsewhere", where);
	else if (error == -ENOTSOCK)
		log_line("listen: %s is there and is no socket: move it away, or listen elsewhere", where);
	else if (error == -ENAMETOOLONG)
		log_line("listen: %s is too long for a socket: at most %zu bytes", where, PATH_LONGEST);
	else if (error == -EADDRNOTAVAIL || error == -EAFNOSUPPORT)
		log_line("listen: %s is no address of this machine: listen on one that is, as 127.0.0.1:PORT", where);
	else if (where[0] == '/')
		log_error(-error, "listen: cannot listen on %s (its directory must be there and writable)", where);
	else
		log_error(-error, "listen: cannot listen on %s (ports below 1024 want privilege)", where);
}

static int
open_unix(struct listener *listener, const char *path, unsigned mode)
{
	struct stat there;
	int error = check_path(path);

	if (error == 0) {
		listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		error = listener->fd < 0 ? -errno : bind_unix(listener->fd, path, mode);
	}
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

/* A descriptor or -errno. */
static int
bind_address(const struct addrinfo *address)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, error;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
	    bind(fd, address->ai_addr, address->ai_addrlen) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/* Of a name's addresses (localhost has ::1 and 127.0.0.1) the first that this machine has. One that is taken is not passed
 * over: who asks for the name would be answered by somebody else. A descriptor or -errno. */
static int
bind_tcp(const char *where)
{
	struct addrinfo *found;
	int failed = resolve(where, &found), fd = -EADDRNOTAVAIL;

	if (failed != 0) {
		log_line("listen: %s: %s: give an address of this machine and a port, as 127.0.0.1:9000", where,
		    gai_strerror(failed));
		return UNRESOLVED;
	}
	for (const struct addrinfo *one = found; one != NULL && (fd == -EADDRNOTAVAIL || fd == -EAFNOSUPPORT);
	    one = one->ai_next)
		fd = bind_address(one);
	freeaddrinfo(found);
	return fd;
}

static int
open_tcp(struct listener *listener, const char *where)
{
	int fd = bind_tcp(where);

	if (fd < 0)
		return fd;
	listener->fd = fd;
	return listen(fd, BACKLOG) == 0 ? 0 : -errno;
}

const char *
listener_path(const char *where)
{
	struct str unix_prefix = S("unix:");

	return str_starts(str_from(where), unix_prefix) ? where + unix_prefix.len : NULL;
}

int
listener_open(struct listener *listener, const char *where, unsigned mode)
{
	const char *path = listener_path(where);
	int error;

	*listener = (struct listener){ .fd = -1 };
	error = path != NULL ? open_unix(listener, path, mode) : open_tcp(listener, where);
	if (error == 0)
		return 0;
	if (error != UNRESOLVED)
		complain(error, path != NULL ? path : where);
	listener_close(listener);
	return error;
}

int
listener_check(const char *where)
{
	const char *path = listener_path(where);
	int error = path != NULL ? check_path(path) : bind_tcp(where);

	if (path == NULL && error >= 0) {
		close(error);
		error = 0;
	}
	if (error != 0 && error != UNRESOLVED && error != -EADDRINUSE)
		complain(error, path != NULL ? path : where);
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
