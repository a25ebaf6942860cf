/* The floor: a FastCGI responder that does nothing but answer. Every request gets the same bytes, built once; one
 * read, one write. What a responder costs beyond this is its own doing; what this one costs is the front server's
 * price.
 *
 *   responder --listen PATH [--workers N] --bytes N           N bytes of content
 *   responder --listen PATH [--workers N] --send HEADER:VALUE  a hand-off, e.g. X-Sendfile:/srv/file
 *
 * Without --listen descriptor 0 is the listening socket (mod_fcgid), and one process serves. */
#define _GNU_SOURCE
#include <errno.h>
#include <fastcgi.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORD_MAX = 65528, INPUT = 65536, CONNECTIONS_MAX = 4096 };

struct connection {
	int fd;
	unsigned char header[FCGI_HEADER_LEN];
	size_t header_have;
	size_t skip;       /* content and padding of the record at hand */
	int type;
	unsigned id;
	bool keep;
	size_t begin_seen; /* bytes of a BEGIN_REQUEST's content */
	size_t sent, total;
};

struct answer {
	unsigned char *bytes;
	size_t len;
	unsigned id; /* that stands in its headers */
};

static void
append(struct answer *answer, const void *bytes, size_t len)
{
	answer->bytes = realloc(answer->bytes, answer->len + len);
	if (answer->bytes == NULL)
		exit(1);
	memcpy(answer->bytes + answer->len, bytes, len);
	answer->len += len;
}

static void
append_record(struct answer *answer, int type, const void *content, size_t len)
{
	FCGI_Header header = { .version = 1, .type = (unsigned char)type, .requestIdB0 = 1,
		.contentLengthB1 = (unsigned char)(len >> 8), .contentLengthB0 = (unsigned char)len };

	append(answer, &header, sizeof(header));
	append(answer, content, len);
}

static void
answer_build(struct answer *answer, const char *head, size_t content_len)
{
	FCGI_EndRequestBody end = { .protocolStatus = FCGI_REQUEST_COMPLETE };
	size_t head_len = strlen(head), total = head_len + content_len;
	char *all = malloc(total);

	if (all == NULL)
		exit(1);
	memcpy(all, head, head_len);
	memset(all + head_len, 'x', content_len);
	for (size_t at = 0; at < total; at += RECORD_MAX)
		append_record(answer, FCGI_STDOUT, all + at, total - at < RECORD_MAX ? total - at : RECORD_MAX);
	append_record(answer, FCGI_STDOUT, "", 0);
	append_record(answer, FCGI_END_REQUEST, &end, sizeof(end));
	answer->id = 1;
	free(all);
}

/* The fronts number their requests 1; another number is put in when one comes. */
static void
answer_number(struct answer *answer, unsigned id)
{
	if (answer->id == id)
		return;
	for (size_t at = 0; at < answer->len;) {
		unsigned char *h = answer->bytes + at;

		h[2] = (unsigned char)(id >> 8);
		h[3] = (unsigned char)id;
		at += FCGI_HEADER_LEN + ((size_t)h[4] << 8) + h[5] + h[6];
	}
	answer->id = id;
}

/* Steps through what was read. True: a request ended. */
static bool
connection_take(struct connection *c, const unsigned char *bytes, size_t len)
{
	bool whole = false;

	while (len > 0) {
		size_t step = c->skip < len ? c->skip : len;

		if (step > 0) {
			if (c->type == FCGI_BEGIN_REQUEST && c->begin_seen <= 2 && c->begin_seen + step > 2)
				c->keep = (bytes[2 - c->begin_seen] & FCGI_KEEP_CONN) != 0;
			c->begin_seen += step;
			c->skip -= step;
			bytes += step;
			len -= step;
			continue;
		}
		c->header[c->header_have++] = *bytes++;
		len--;
		if (c->header_have < FCGI_HEADER_LEN)
			continue;
		c->header_have = 0;
		c->type = c->header[1];
		c->id = ((unsigned)c->header[2] << 8) | c->header[3];
		c->skip = ((size_t)c->header[4] << 8) + c->header[5] + c->header[6];
		c->begin_seen = 0;
		if (c->type == FCGI_STDIN && c->header[4] == 0 && c->header[5] == 0)
			whole = true;
	}
	return whole;
}

static void
connection_watch(int epoll, struct connection *c, uint32_t events)
{
	epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &(struct epoll_event){ .events = events, .data.ptr = c });
}

static void
connection_drop(struct connection *c)
{
	close(c->fd);
	free(c);
}

/* Writes on. False: the connection is gone. */
static bool
connection_write(int epoll, struct connection *c, struct answer *answer)
{
	answer_number(answer, c->id);
	while (c->sent < c->total) {
		ssize_t n = send(c->fd, answer->bytes + c->sent, c->total - c->sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			connection_watch(epoll, c, EPOLLOUT);
			return true;
		}
		if (n < 0) {
			connection_drop(c);
			return false;
		}
		c->sent += (size_t)n;
	}
	if (!c->keep) {
		connection_drop(c);
		return false;
	}
	return true;
}

static bool
connection_read(int epoll, struct connection *c, struct answer *answer)
{
	static unsigned char input[INPUT];
	ssize_t n = recv(c->fd, input, sizeof(input), 0);

	if (n < 0 && errno == EAGAIN)
		return true;
	if (n <= 0) {
		connection_drop(c);
		return false;
	}
	if (!connection_take(c, input, (size_t)n))
		return true;
	c->sent = 0;
	c->total = answer->len;
	return connection_write(epoll, c, answer);
}

static void
accept_one(int epoll, int listening, struct answer *answer)
{
	int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct connection *c;

	if (fd < 0)
		return;
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		exit(1);
	c->fd = fd;
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &(struct epoll_event){ .events = EPOLLIN, .data.ptr = c });
	connection_read(epoll, c, answer);
}

static void
serve(int listening, struct answer *answer)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event events[64];

	epoll_ctl(epoll, EPOLL_CTL_ADD, listening, &(struct epoll_event){ .events = EPOLLIN | EPOLLEXCLUSIVE });
	for (;;) {
		int count = epoll_wait(epoll, events, 64, -1);

		for (int i = 0; i < count; i++) {
			struct connection *c = events[i].data.ptr;

			if (c == NULL) {
				accept_one(epoll, listening, answer);
			} else if (events[i].events & EPOLLOUT) {
				if (connection_write(epoll, c, answer) && c->sent == c->total)
					connection_watch(epoll, c, EPOLLIN);
			} else {
				connection_read(epoll, c, answer);
			}
		}
	}
}

static int
listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(fd, 1024) != 0 ||
	    chmod(path, 0666) != 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

static void
pool(int workers, int listening, struct answer *answer)
{
	for (int i = 0; i < workers; i++) {
		if (fork() != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listening, answer);
	}
	pause();
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "listen", required_argument, NULL, 'l' },
		{ "workers", required_argument, NULL, 'w' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "send", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	struct answer answer = { 0 };
	const char *path = NULL, *send_field = NULL;
	char head[8192];
	size_t bytes = 1024;
	int workers = 1, option, listening = 0;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'l': path = optarg; break;
		case 'w': workers = atoi(optarg); break;
		case 'b': bytes = strtoul(optarg, NULL, 10); break;
		case 's': send_field = optarg; break;
		default: return 2;
		}
	}
	if (send_field != NULL) {
		const char *value = strchr(send_field, ':');

		if (value == NULL)
			return 2;
		snprintf(head, sizeof(head), "Status: 200 OK\r\nContent-Type: application/octet-stream\r\n%.*s: %s\r\n\r\n",
		    (int)(value - send_field), send_field, value + 1);
		bytes = 0;
	} else {
		snprintf(head, sizeof(head), "Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n",
		    bytes);
	}
	answer_build(&answer, head, bytes);
	if (path != NULL)
		listening = listen_at(path);
	else
		fcntl(0, F_SETFL, O_NONBLOCK);
	if (path != NULL)
		pool(workers, listening, &answer);
	else
		serve(listening, &answer);
	return 0;
}
