#include "waits.h"

#include "suites.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

void
waits_done(struct waits *server, int work)
{
	atomic_store(&server->done[work], true);
	eventfd_write(server->service.wake_fd, 1);
}

static void
respond_text(struct response *response, size_t length)
{
	buf_reserve(&response->text, length);
	while (response->text.len < length)
		buf_char(&response->text, 'x');
	response->status = STATUS_OK;
	response_bytes(response, buf_view(&response->text));
	response->content_length = (int64_t)length;
}

static void
respond(void *context, struct exchange *exchange)
{
	struct waits *server = context;
	const struct str *values = exchange->params.values;
	struct str path = values[PARAM_PATH_INFO], query = values[PARAM_QUERY_STRING];
	int work = path.len > 0 ? path.ptr[path.len - 1] - '0' : 0;
	int64_t length = 2;

	atomic_fetch_add(&server->responded, 1);
	if (str_starts(path, S("/wait/"))) {
		if (!server->taken[work])
			return;
		if (str_eq(query, S("next")))
			waits_done(server, work + 1);
	}
	if (str_eq(path, S("/hold"))) {
		sem_post(&server->entered);
		sem_wait(&server->go);
	}
	if (str_starts(path, S("/end/")))
		waits_done(server, work);
	str_digits(query, &length);
	respond_text(&exchange->response, (size_t)length);
}

static void
finish(void *context, struct exchange *exchange)
{
	struct waits *server = context;

	(void)exchange;
	atomic_fetch_add(&server->finished, 1);
}

static void
wake(void *context)
{
	struct waits *server = context;
	eventfd_t count;

	eventfd_read(server->service.wake_fd, &count);
	for (int i = 0; i < WORKS; i++)
		server->taken[i] = atomic_exchange(&server->done[i], false);
}

/* What was taken over is for those who waited at that time. */
static void
woken(void *context)
{
	struct waits *server = context;

	for (int i = 0; i < WORKS; i++)
		server->taken[i] = false;
	atomic_fetch_add(&server->woken, 1);
}

static void *
serve(void *context)
{
	struct waits *server = context;

	server->result = fastcgi_serve(&server->options);
	return NULL;
}

void
waits_start(struct waits *server)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memset(server, 0, sizeof(*server));
	server->address.sun_family = AF_UNIX;
	server->address_length = sizeof(server->address);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&server->address, sizeof(sa_family_t)), 0);
	ck_assert_int_eq(listen(fd, 100), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&server->address, &server->address_length), 0);
	server->service = (struct service){ server, respond, finish, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), wake, woken };
	server->options = (struct fastcgi_options){
		.listen_fd = fd, .stop_fd = eventfd(0, EFD_CLOEXEC), .service = &server->service, .request_seconds = 1,
		.stall_seconds = 20, .drain_seconds = 10,
	};
	sem_init(&server->entered, 0, 0);
	sem_init(&server->go, 0, 0);
	ck_assert_int_eq(pthread_create(&server->thread, NULL, serve, server), 0);
}

void
waits_stop(struct waits *server)
{
	eventfd_write(server->options.stop_fd, 1);
	ck_assert_int_eq(pthread_join(server->thread, NULL), 0);
	ck_assert_int_eq(server->result, 0);
	close(server->options.listen_fd);
	close(server->options.stop_fd);
	close(server->service.wake_fd);
}

void
waits_connect(const struct waits *server, struct client *client)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&server->address, server->address_length), 0);
	client_from(client, fd);
}

void
waits_put_start(struct buf *out, bool keep, const char *path, const char *query)
{
	struct buf pairs;

	buf_init(&pairs, CLIENT_MAX);
	client_pair(&pairs, S("PATH_INFO"), str_from(path));
	client_pair(&pairs, S("QUERY_STRING"), str_from(query));
	client_begin(out, 1, FCGI_RESPONDER, keep);
	client_stream(out, FCGI_PARAMS, 1, buf_view(&pairs));
	buf_release(&pairs);
}

void
waits_ask(struct client *client, const char *path, const char *query)
{
	struct buf out;

	buf_init(&out, CLIENT_MAX);
	waits_put_start(&out, true, path, query);
	client_stream(&out, FCGI_STDIN, 1, S(""));
	ck_assert(client_send(client, buf_view(&out)));
	buf_release(&out);
}

void
waits_ask_unsettled(struct waits *server, struct client *client, const char *path, const char *query)
{
	int before = atomic_load(&server->responded);

	waits_connect(server, client);
	waits_ask(client, path, query);
	for (int i = 0; i < 1000 && atomic_load(&server->responded) == before; i++)
		usleep(10000);
	ck_assert_int_eq(atomic_load(&server->responded), before + 1);
}

void
waits_expect_answer(struct client *client, size_t length)
{
	struct client_answer answer;

	answer_init(&answer, 1);
	ck_assert_int_eq(client_answer(client, &answer), CLIENT_OK);
	ck_assert(str_starts(buf_view(&answer.out), S("Status: 200 OK\r\n")));
	ck_assert_uint_eq(answer_body(&answer).len, length);
	answer_release(&answer);
}

void
waits_expect_nothing(struct client *client)
{
	struct pollfd p = { .fd = client->fd, .events = POLLIN };

	ck_assert_int_eq(poll(&p, 1, 100), 0);
}

void
waits_expect_count(atomic_int *count, int want)
{
	for (int i = 0; i < 1000 && atomic_load(count) < want; i++)
		usleep(10000);
	ck_assert_int_eq(atomic_load(count), want);
}

static int64_t
processor_milliseconds(const struct waits *server)
{
	struct timespec t = { 0 };
	clockid_t clock;

	ck_assert_int_eq(pthread_getcpuclockid(server->thread, &clock), 0);
	ck_assert_int_eq(clock_gettime(clock, &t), 0);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
waits_expect_idle(const struct waits *server)
{
	int64_t before = processor_milliseconds(server);

	usleep(500000);
	ck_assert_int_lt(processor_milliseconds(server) - before, 50);
}
