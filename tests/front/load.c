/* Requests over a few kept-alive connections while the workers of a pool are killed: every body is compared
 * byte by byte, and every failure is held against the times of the kills.
 *
 *   load PORT REQUESTS CONNECTIONS POOL-PID MILLISECONDS PREFIX FILE...
 *
 * Each FILE is asked for as PREFIX/basename and must come back as it is on disk; PREFIX/ (the listing) must hold
 * the name of each. POOL-PID 0 kills nobody. Exit status 1: a wrong byte, or a failure that no kill explains. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MAX = 64, KILLS_MAX = 100000, BODY_MAX = 4 << 20, HEAD_MAX = 16384 };

/* How long after a kill a failure may still be its doing: the front has to notice first. */
enum { BLAME_MS = 1000 };

struct sample {
	const char *name;
	const char *bytes;
	size_t len;
};

struct load {
	int port;
	long requests;
	const char *prefix;
	int pool;
	int every_ms;
	struct sample samples[FILES_MAX];
	int sample_count;
	pthread_mutex_t lock;
	long next;
	long right, failed, unexplained, wrong;
	long kill_count;
	long long kills[KILLS_MAX];
	atomic_bool done;
};

struct connection {
	struct load *load;
	int fd;
	char *buffer; /* HEAD_MAX + BODY_MAX */
	size_t held;
	bool last; /* the front said that it closes after this answer */
};

enum result { RIGHT, FAILED, WRONG };

static long long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void
connection_close(struct connection *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->held = 0;
}

static bool
connection_open(struct connection *c)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)c->load->port) };
	const struct timeval patience = { .tv_sec = 20 };

	if (c->fd >= 0)
		return true;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	c->held = 0;
	c->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (c->fd < 0)
		return false;
	setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(c->fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return true;
	connection_close(c);
	return false;
}

static bool
connection_fill(struct connection *c)
{
	ssize_t n;

	if (c->held == HEAD_MAX + BODY_MAX)
		return false;
	n = recv(c->fd, c->buffer + c->held, HEAD_MAX + BODY_MAX - c->held, 0);
	if (n <= 0)
		return false;
	c->held += (size_t)n;
	return true;
}

/* Value of a field in the head, NULL when it is not there. */
static const char *
field_find(const char *head, const char *name)
{
	const char *at = strcasestr(head, name);

	return at == NULL ? NULL : at + strlen(name);
}

/* A listing may change its order, never lose a name. */
static bool
listing_is_whole(const struct load *load, const char *body, size_t len)
{
	for (int i = 0; i < load->sample_count; i++)
		if (memmem(body, len, load->samples[i].name, strlen(load->samples[i].name)) == NULL)
			return false;
	return len > 7 && memcmp(body + len - 8, "</html>\n", 8) == 0;
}

/* Which < 0 asks for the listing. */
static enum result
exchange(struct connection *c, int which)
{
	const struct load *load = c->load;
	const struct sample *sample = which < 0 ? NULL : &load->samples[which];
	char line[1024], *end;
	const char *length;
	size_t head, body;
	int n, status;

	if (!connection_open(c))
		return FAILED;
	n = snprintf(line, sizeof(line), "GET %s/%s HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n",
	    load->prefix, sample != NULL ? sample->name : "");
	if (send(c->fd, line, (size_t)n, MSG_NOSIGNAL) != n)
		return FAILED;
	c->held = 0;
	do {
		if (!connection_fill(c))
			return FAILED;
		end = memmem(c->buffer, c->held, "\r\n\r\n", 4);
	} while (end == NULL);
	*end = '\0';
	head = (size_t)(end - c->buffer) + 4;
	status = atoi(c->buffer + strcspn(c->buffer, " "));
	if (status >= 500)
		return FAILED;
	length = field_find(c->buffer, "\r\ncontent-length:");
	c->last = field_find(c->buffer, "\r\nconnection: close") != NULL;
	if (status != 200 || length == NULL)
		return WRONG;
	body = strtoull(length, NULL, 10);
	while (c->held < head + body)
		if (!connection_fill(c))
			return FAILED;
	if (c->held > head + body)
		return WRONG;
	if (sample == NULL)
		return listing_is_whole(load, c->buffer + head, body) ? RIGHT : WRONG;
	return body == sample->len && memcmp(c->buffer + head, sample->bytes, body) == 0 ? RIGHT : WRONG;
}

static bool
is_explained(const struct load *load, long long started, long long ended)
{
	for (long i = load->kill_count - 1; i >= 0; i--)
		if (load->kills[i] <= ended && load->kills[i] >= started - BLAME_MS)
			return true;
	return false;
}

static void
load_count(struct load *load, enum result result, int which, long long started)
{
	pthread_mutex_lock(&load->lock);
	if (result == RIGHT) {
		load->right++;
	} else if (result == WRONG) {
		load->wrong++;
		printf("FAIL a wrong answer for %s\n", which < 0 ? "the listing" : load->samples[which].name);
	} else {
		load->failed++;
		if (!is_explained(load, started, now_ms()))
			load->unexplained++;
	}
	pthread_mutex_unlock(&load->lock);
}

static void *
client_run(void *argument)
{
	struct connection c = { .load = argument, .fd = -1 };
	struct load *load = c.load;

	c.buffer = malloc(HEAD_MAX + BODY_MAX);
	if (c.buffer == NULL)
		abort();
	for (;;) {
		long long started = now_ms();
		enum result result;
		int which;
		long n;

		pthread_mutex_lock(&load->lock);
		n = load->next++;
		pthread_mutex_unlock(&load->lock);
		if (n >= load->requests)
			break;
		which = (int)(n % (load->sample_count + 1)) - 1;
		result = exchange(&c, which);
		load_count(load, result, which, started);
		/* After a failure it is not known where the next answer begins. */
		if (result != RIGHT || c.last)
			connection_close(&c);
	}
	connection_close(&c);
	free(c.buffer);
	return NULL;
}

/* One child of the pool, another one each time; 0 when there is none. */
static pid_t
worker_pick(int pool, long turn)
{
	char name[64], text[4096];
	pid_t pids[64];
	int count = 0, fd;
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%d/task/%d/children", pool, pool);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	for (char *at = text; count < 64;) {
		char *end;
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		pids[count++] = (pid_t)pid;
		at = end;
	}
	return count > 0 ? pids[turn % count] : 0;
}

static void *
killer_run(void *argument)
{
	struct load *load = argument;
	const struct timespec pause = { load->every_ms / 1000, load->every_ms % 1000 * 1000000L };

	while (load->pool > 0 && !load->done && load->kill_count < KILLS_MAX) {
		pid_t victim;

		nanosleep(&pause, NULL);
		victim = worker_pick(load->pool, load->kill_count);
		pthread_mutex_lock(&load->lock);
		/* The time is taken before, so that no failure is earlier than its kill. */
		load->kills[load->kill_count] = now_ms();
		if (victim > 0 && kill(victim, SIGKILL) == 0)
			load->kill_count++;
		pthread_mutex_unlock(&load->lock);
	}
	return NULL;
}

static bool
sample_read(struct sample *sample, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0 || st.st_size > BODY_MAX)
		return false;
	sample->name = slash != NULL ? slash + 1 : path;
	sample->len = (size_t)st.st_size;
	sample->bytes = st.st_size == 0 ? "" : mmap(NULL, sample->len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return sample->bytes != MAP_FAILED;
}

int
main(int argc, char **argv)
{
	static struct load load = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t threads[64], killer;
	long long started = now_ms();
	int connections;
	bool explained, few;

	if (argc < 8) {
		fprintf(stderr, "usage: load PORT REQUESTS CONNECTIONS POOL-PID MILLISECONDS PREFIX FILE...\n");
		return 2;
	}
	load.port = atoi(argv[1]);
	load.requests = atol(argv[2]);
	connections = atoi(argv[3]) < 64 ? atoi(argv[3]) : 64;
	load.pool = atoi(argv[4]);
	load.every_ms = atoi(argv[5]);
	load.prefix = argv[6];
	for (int i = 7; i < argc && load.sample_count < FILES_MAX; i++) {
		if (!sample_read(&load.samples[load.sample_count++], argv[i])) {
			fprintf(stderr, "load: %s: %s\n", argv[i], strerror(errno));
			return 2;
		}
	}
	for (int i = 0; i < connections; i++)
		pthread_create(&threads[i], NULL, client_run, &load);
	pthread_create(&killer, NULL, killer_run, &load);
	for (int i = 0; i < connections; i++)
		pthread_join(threads[i], NULL);
	load.done = true;
	pthread_join(killer, NULL);
	explained = load.unexplained == 0;
	few = load.failed <= load.kill_count * connections;
	printf("     %ld requests in %.1f s: %ld right, %ld failed, %ld wrong; %ld workers killed\n", load.requests,
	    (double)(now_ms() - started) / 1000, load.right, load.failed, load.wrong, load.kill_count);
	printf("%s no body has a wrong byte\n", load.wrong == 0 ? "ok  " : "FAIL");
	printf("%s each failure is within a second of a kill, but for %ld\n", explained ? "ok  " : "FAIL",
	    load.unexplained);
	printf("%s %ld failures are not more than %ld kills with %d connections explain\n", few ? "ok  " : "FAIL",
	    load.failed, load.kill_count, connections);
	return load.wrong == 0 && explained && few ? 0 : 1;
}
