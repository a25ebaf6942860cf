/* Latency of one request after the other over kept-alive connections, and of several at once. A load generator that
 * keeps a server busy measures throughput; here nothing is queued, so the time is what one client waits.
 *
 *   get [-n TURNS] [-d SECONDS] [-m LEAST] [-c CONNECTIONS] [-o] [-t FILE] [-H 'Name: value']... PORT PATH...
 *
 * A turn sends one request on each connection (the paths in turn) and ends with the last byte of the last answer. It
 * stops after TURNS or SECONDS, but not before LEAST turns; -o: after each path was asked for once. -t sets the time of
 * FILE to now before each turn, outside the measured time. Prints one line of JSON, times in microseconds. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 256, HEAD_MAX = 16384, INPUT = 1 << 18, PATIENCE_MS = 120000 };

enum stage {
	STAGE_HEAD,
	STAGE_LENGTH, /* content with a Content-Length */
	STAGE_TO_END, /* content up to the end of the connection */
	STAGE_CHUNK_SIZE,
	STAGE_CHUNK,
	STAGE_CHUNK_END,
	STAGE_TRAILER,
	STAGE_DONE,
};

struct connection {
	int fd;
	enum stage stage;
	char head[HEAD_MAX];
	size_t head_len;
	int status;
	int64_t left;      /* of the content, or of the chunk */
	int64_t body;      /* bytes of content */
	bool line_empty;   /* of a trailer */
	bool close_after;
};

struct run {
	int port;
	long turns_max, turns_least;
	double seconds;
	int connection_count;
	bool once;
	const char *touch;
	char fields[8192];
	char **paths;
	int path_count;
	int next_path;
	struct connection connections[CONNECTIONS_MAX];
	char *input;
	double *times;
	long turns, failed, requests;
	int64_t bytes;
	int status;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static bool
connection_open(struct connection *c, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
	int one = 1;

	if (c->fd >= 0)
		return true;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		return false;
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(c->fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return true;
	close(c->fd);
	c->fd = -1;
	return false;
}

static void
connection_close(struct connection *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static const char *
field_value(const char *head, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n"))
		if (strncasecmp(line + 2, name, len) == 0 && line[2 + len] == ':')
			return line + 3 + len + strspn(line + 3 + len, " \t");
	return NULL;
}

static void
head_read(struct connection *c)
{
	const char *length, *coding, *connection;

	c->head[c->head_len] = '\0';
	c->status = c->head_len > 12 ? atoi(c->head + 9) : 0;
	length = field_value(c->head, "content-length");
	coding = field_value(c->head, "transfer-encoding");
	connection = field_value(c->head, "connection");
	c->close_after = connection != NULL && strncasecmp(connection, "close", 5) == 0;
	if (c->status == 304 || c->status == 204) {
		c->stage = STAGE_DONE;
	} else if (coding != NULL && strncasecmp(coding, "chunked", 7) == 0) {
		c->stage = STAGE_CHUNK_SIZE;
		c->left = 0;
	} else if (length != NULL) {
		c->left = atoll(length);
		c->stage = c->left > 0 ? STAGE_LENGTH : STAGE_DONE;
	} else {
		c->stage = STAGE_TO_END;
	}
}

static size_t
take_content(struct connection *c, size_t len)
{
	size_t used = (int64_t)len < c->left ? len : (size_t)c->left;

	c->left -= (int64_t)used;
	c->body += (int64_t)used;
	if (c->left == 0)
		c->stage = c->stage == STAGE_LENGTH ? STAGE_DONE : STAGE_CHUNK_END;
	return used;
}

/* A chunk of size 0 is the last one. */
static void
chunk_begin(struct connection *c)
{
	c->stage = c->left > 0 ? STAGE_CHUNK : STAGE_TRAILER;
	c->line_empty = true;
}

static void
take_chunk_byte(struct connection *c, char byte)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = byte != '\0' ? strchr(digits, byte >= 'A' && byte <= 'F' ? byte | 32 : byte) : NULL;
	int digit = at != NULL ? (int)(at - digits) : -1;

	if (c->stage == STAGE_CHUNK_SIZE && digit >= 0)
		c->left = c->left * 16 + digit;
	else if (c->stage == STAGE_CHUNK_SIZE && byte == '\n')
		chunk_begin(c);
	else if (c->stage == STAGE_CHUNK_END && byte == '\n')
		c->stage = STAGE_CHUNK_SIZE;
	else if (c->stage == STAGE_TRAILER && byte == '\n' && c->line_empty)
		c->stage = STAGE_DONE;
	else if (c->stage == STAGE_TRAILER)
		c->line_empty = byte == '\n' || (byte == '\r' && c->line_empty);
}

static size_t
take_head(struct connection *c, const char *bytes, size_t len)
{
	size_t used = 0;

	while (used < len && c->stage == STAGE_HEAD && c->head_len + 1 < HEAD_MAX) {
		c->head[c->head_len++] = bytes[used++];
		if (c->head_len >= 4 && memcmp(c->head + c->head_len - 4, "\r\n\r\n", 4) == 0)
			head_read(c);
	}
	return used;
}

/* False: the answer is broken. */
static bool
connection_take(struct connection *c, const char *bytes, size_t len)
{
	while (len > 0) {
		size_t used = 1;

		if (c->stage == STAGE_DONE)
			return false;
		if (c->stage == STAGE_HEAD)
			used = take_head(c, bytes, len);
		else if (c->stage == STAGE_LENGTH || c->stage == STAGE_CHUNK)
			used = take_content(c, len);
		else if (c->stage == STAGE_TO_END)
			c->body += (int64_t)(used = len);
		else
			take_chunk_byte(c, *bytes);
		if (used == 0)
			return false;
		bytes += used;
		len -= used;
	}
	return true;
}

/* One read. False: the connection failed before its answer was whole. */
static bool
connection_read(struct run *run, struct connection *c)
{
	ssize_t n = recv(c->fd, run->input, INPUT, 0);

	if (n > 0)
		return connection_take(c, run->input, (size_t)n);
	if (n < 0 && errno == EINTR)
		return true;
	if (n == 0 && c->stage == STAGE_TO_END) {
		c->stage = STAGE_DONE;
		c->close_after = true;
		return true;
	}
	return false;
}

static bool
request_send(struct run *run, struct connection *c)
{
	char request[16384];
	const char *path = run->paths[run->next_path];
	int len = snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", path, run->port,
	    run->fields);

	run->next_path = (run->next_path + 1) % run->path_count;
	c->stage = STAGE_HEAD;
	c->head_len = 0;
	c->body = 0;
	return len > 0 && len < (int)sizeof(request) && send(c->fd, request, (size_t)len, MSG_NOSIGNAL) == len;
}

static bool
wait_all(struct run *run)
{
	struct pollfd polls[CONNECTIONS_MAX];
	int open = run->connection_count;

	while (open > 0) {
		open = 0;
		for (int i = 0; i < run->connection_count; i++) {
			bool waits = run->connections[i].stage != STAGE_DONE;

			polls[i] = (struct pollfd){ .fd = waits ? run->connections[i].fd : -1, .events = POLLIN };
			open += waits;
		}
		if (open > 0 && poll(polls, (nfds_t)run->connection_count, PATIENCE_MS) <= 0)
			return false;
		for (int i = 0; i < run->connection_count; i++)
			if (polls[i].revents != 0 && !connection_read(run, &run->connections[i]))
				return false;
	}
	return true;
}

static bool
turn(struct run *run)
{
	struct connection *one = &run->connections[0];

	for (int i = 0; i < run->connection_count; i++)
		if (!request_send(run, &run->connections[i]))
			return false;
	if (run->connection_count > 1)
		return wait_all(run);
	while (one->stage != STAGE_DONE)
		if (!connection_read(run, one))
			return false;
	return true;
}

static bool
connect_all(struct run *run)
{
	for (int i = 0; i < run->connection_count; i++)
		if (!connection_open(&run->connections[i], run->port))
			return false;
	return true;
}

static void
turn_count(struct run *run, bool good, double time)
{
	run->failed += !good;
	if (good)
		run->times[run->turns++] = time;
	for (int i = 0; i < run->connection_count; i++) {
		struct connection *c = &run->connections[i];

		run->status = c->status;
		run->bytes = c->body;
		run->requests++;
		if (!good || c->close_after)
			connection_close(c);
	}
}

static void
run_all(struct run *run)
{
	double start = now(), begin;

	while (run->turns < run->turns_max && run->failed < 20 && connect_all(run)) {
		bool good;

		if (run->turns >= run->turns_least && now() - start > run->seconds * 1e6)
			break;
		if (run->once && run->requests > 0 && run->next_path == 0)
			break;
		if (run->touch != NULL && utimensat(AT_FDCWD, run->touch, NULL, 0) != 0)
			perror(run->touch);
		begin = now();
		good = turn(run);
		turn_count(run, good, now() - begin);
	}
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
print(struct run *run)
{
	long n = run->turns;

	qsort(run->times, (size_t)n, sizeof(double), compare);
	printf("{\"turns\": %ld, \"requests\": %ld, \"failed\": %ld, \"status\": %d, \"bytes\": %lld, \"median\": %.2f, "
	       "\"min\": %.2f, \"p90\": %.2f}\n",
	    n, run->requests, run->failed, run->status, (long long)run->bytes, n > 0 ? run->times[n / 2] : 0,
	    n > 0 ? run->times[0] : 0, n > 0 ? run->times[n * 9 / 10] : 0);
}

static bool
arguments_read(struct run *run, int argc, char **argv)
{
	int option;
	size_t used = 0;

	while ((option = getopt(argc, argv, "n:d:m:c:ot:H:")) != -1) {
		switch (option) {
		case 'n':
			run->turns_max = atol(optarg);
			break;
		case 'd':
			run->seconds = atof(optarg);
			break;
		case 'm':
			run->turns_least = atol(optarg);
			break;
		case 'c':
			run->connection_count = atoi(optarg);
			break;
		case 'o':
			run->once = true;
			break;
		case 't':
			run->touch = optarg;
			break;
		case 'H':
			used += (size_t)snprintf(run->fields + used, sizeof(run->fields) - used, "%s\r\n", optarg);
			break;
		default:
			return false;
		}
		if (used >= sizeof(run->fields))
			return false;
	}
	if (argc - optind < 2 || run->connection_count < 1 || run->connection_count > CONNECTIONS_MAX)
		return false;
	run->port = atoi(argv[optind]);
	run->paths = argv + optind + 1;
	run->path_count = argc - optind - 1;
	return true;
}

int
main(int argc, char **argv)
{
	static struct run run;

	run.turns_max = 1000000;
	run.turns_least = 1;
	run.seconds = 1;
	run.connection_count = 1;
	if (!arguments_read(&run, argc, argv)) {
		fprintf(stderr, "usage: get [-n TURNS] [-d SECONDS] [-m LEAST] [-c CONNECTIONS] [-o] [-t FILE] [-H FIELD]... "
		                "PORT PATH...\n");
		return 2;
	}
	for (int i = 0; i < CONNECTIONS_MAX; i++)
		run.connections[i].fd = -1;
	run.times = calloc((size_t)run.turns_max, sizeof(double));
	run.input = malloc(INPUT);
	if (run.times == NULL || run.input == NULL)
		return 1;
	run_all(&run);
	print(&run);
	return run.turns > 0 ? 0 : 1;
}
