/* Answers that a thread works on. fastcgi_serve runs in a thread of the test, with a service whose work ends when the test
 * says so, over a real eventfd. */
#include "gateway/fastcgi.h"

#include "client.h"
#include "suites.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

Suite *waiting_suite(void);

#define WORKS 4
#define LARGE 20000000
#define LARGE_TEXT "20000000"

/* What the loop's thread and the test share. */
struct server {
	struct fastcgi_options options;
	struct service service;
	struct sockaddr_un address;
	socklen_t address_length;
	pthread_t thread;
	int result;
	atomic_bool done[WORKS];   /* and not taken over yet */
	bool taken[WORKS];         /* the loop's own */
	sem_t entered, go;         /* of /hold */
	atomic_int responded, finished, woken;
};

static void
work_done(struct server *server, int work)
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

/* /wait/N?LENGTH: once work N is done. /hold: once the test says go. /end/N: at once, and N is done then. A
 * request for /wait/N that is settled ends work N + 1 as well, where the query says so. */
static void
respond(void *context, struct exchange *exchange)
{
	struct server *server = context;
	const struct str *values = exchange->params.values;
	struct str path = values[PARAM_PATH_INFO], query = values[PARAM_QUERY_STRING];
	int work = path.len > 0 ? path.ptr[path.len - 1] - '0' : 0;
	int64_t length = 2;

	atomic_fetch_add(&server->responded, 1);
	if (str_starts(path, S("/wait/"))) {
		if (!server->taken[work])
			return;
		if (str_eq(query, S("next")))
			work_done(server, work + 1);
	}
	if (str_eq(path, S("/hold"))) {
		sem_post(&server->entered);
		sem_wait(&server->go);
	}
	if (str_starts(path, S("/end/")))
		work_done(server, work);
	str_digits(query, &length);
	respond_text(&exchange->response, (size_t)length);
}

static void
finish(void *context, struct exchange *exchange)
{
	struct server *server = context;

	(void)exchange;
	atomic_fetch_add(&server->finished, 1);
}

static void
wake(void *context)
{
	struct server *server = context;
	eventfd_t count;

	eventfd_read(server->service.wake_fd, &count);
	for (int i = 0; i < WORKS; i++)
		server->taken[i] = atomic_exchange(&server->done[i], false);
}

/* What was taken over is for those who waited at that time. */
static void
woken(void *context)
{
	struct server *server = context;

	for (int i = 0; i < WORKS; i++)
		server->taken[i] = false;
	atomic_fetch_add(&server->woken, 1);
}

static void *
serve(void *context)
{
	struct server *server = context;

	server->result = fastcgi_serve(&server->options);
	return NULL;
}

/* On a socket of the kernel's own naming. */
static void
server_start(struct server *server)
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

static void
server_stop(struct server *server)
{
	eventfd_write(server->options.stop_fd, 1);
	ck_assert_int_eq(pthread_join(server->thread, NULL), 0);
	ck_assert_int_eq(server->result, 0);
	close(server->options.listen_fd);
	close(server->options.stop_fd);
	close(server->service.wake_fd);
}

static void
connect_to(const struct server *server, struct client *client)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&server->address, server->address_length), 0);
	client_from(client, fd);
}

static void
put_start(struct buf *out, bool keep, const char *path, const char *query)
{
	struct buf pairs;

	buf_init(&pairs, CLIENT_MAX);
	client_pair(&pairs, S("PATH_INFO"), str_from(path));
	client_pair(&pairs, S("QUERY_STRING"), str_from(query));
	client_begin(out, 1, FCGI_RESPONDER, keep);
	client_stream(out, FCGI_PARAMS, 1, buf_view(&pairs));
	buf_release(&pairs);
}

static void
ask(struct client *client, const char *path, const char *query)
{
	struct buf out;

	buf_init(&out, CLIENT_MAX);
	put_start(&out, true, path, query);
	client_stream(&out, FCGI_STDIN, 1, S(""));
	ck_assert(client_send(client, buf_view(&out)));
	buf_release(&out);
}

/* A request on a connection of its own that is not settled. */
static void
ask_and_wait(struct server *server, struct client *client, const char *path, const char *query)
{
	int before = atomic_load(&server->responded);

	connect_to(server, client);
	ask(client, path, query);
	for (int i = 0; i < 1000 && atomic_load(&server->responded) == before; i++)
		usleep(10000);
	ck_assert_int_eq(atomic_load(&server->responded), before + 1);
}

static void
expect_answer(struct client *client, size_t length)
{
	struct client_answer answer;

	answer_init(&answer, 1);
	ck_assert_int_eq(client_answer(client, &answer), CLIENT_OK);
	ck_assert(str_starts(buf_view(&answer.out), S("Status: 200 OK\r\n")));
	ck_assert_uint_eq(answer_body(&answer).len, length);
	answer_release(&answer);
}

static void
expect_nothing(struct client *client)
{
	struct pollfd p = { .fd = client->fd, .events = POLLIN };

	ck_assert_int_eq(poll(&p, 1, 100), 0);
}

static void
expect_count(atomic_int *count, int want)
{
	for (int i = 0; i < 1000 && atomic_load(count) < want; i++)
		usleep(10000);
	ck_assert_int_eq(atomic_load(count), want);
}

static int64_t
processor_milliseconds(const struct server *server)
{
	struct timespec t = { 0 };
	clockid_t clock;

	ck_assert_int_eq(pthread_getcpuclockid(server->thread, &clock), 0);
	ck_assert_int_eq(clock_gettime(clock, &t), 0);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
expect_no_work(const struct server *server)
{
	int64_t before = processor_milliseconds(server);

	usleep(500000);
	ck_assert_int_lt(processor_milliseconds(server) - before, 50);
}

/* ---- the tests ---- */

START_TEST(settled_later)
{
	struct server server;
	struct client client, idle;

	server_start(&server);
	connect_to(&server, &idle);
	ask(&idle, "/", "3");
	expect_answer(&idle, 3);
	ask_and_wait(&server, &client, "/wait/0", "1000");
	expect_nothing(&client);
	work_done(&server, 1); /* nobody's */
	expect_nothing(&client);
	work_done(&server, 0);
	expect_answer(&client, 1000);
	expect_count(&server.woken, 2);
	/* The connection serves on. */
	ask(&client, "/", "5");
	expect_answer(&client, 5);
	client_close(&client);
	client_close(&idle);
	server_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 3);
}
END_TEST

/* While the loop is busy the work ends and somebody else asks: one turn has both. Row 1: who asks ends the work. */
START_TEST(an_ordinary_request_in_the_same_turn)
{
	struct client busy, waiting, ordinary[3];
	struct server server;

	server_start(&server);
	ask_and_wait(&server, &waiting, "/wait/0", "7");
	connect_to(&server, &busy);
	ask(&busy, "/hold", "1");
	sem_wait(&server.entered);
	for (int i = 0; i < ROWS(ordinary); i++) {
		connect_to(&server, &ordinary[i]);
		ask(&ordinary[i], _i == 1 && i == 1 ? "/end/0" : "/", "2");
	}
	if (_i == 0)
		work_done(&server, 0);
	sem_post(&server.go);
	expect_answer(&waiting, 7);
	expect_answer(&busy, 1);
	for (int i = 0; i < ROWS(ordinary); i++) {
		expect_answer(&ordinary[i], 2);
		client_close(&ordinary[i]);
	}
	client_close(&busy);
	client_close(&waiting);
	server_stop(&server);
}
END_TEST

/* Work that ends while the waiting ones are tried again, before or behind the one whose it is. */
START_TEST(two_that_end_at_different_times)
{
	struct client first, second;
	struct server server;

	server_start(&server);
	ask_and_wait(&server, &first, _i == 0 ? "/wait/0" : "/wait/1", _i == 0 ? "next" : "9");
	ask_and_wait(&server, &second, _i == 0 ? "/wait/1" : "/wait/0", _i == 0 ? "9" : "next");
	work_done(&server, 0);
	expect_answer(&first, _i == 0 ? 2 : 9);
	expect_answer(&second, _i == 0 ? 9 : 2);
	expect_count(&server.woken, 2);
	client_close(&first);
	client_close(&second);
	server_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 2);
}
END_TEST

/* Nobody is left to answer: given up at once, and no busy loop meanwhile. Row 1: it half-closes first. */
START_TEST(hangs_up)
{
	struct client client, other;
	struct server server;

	server_start(&server);
	ask_and_wait(&server, &other, "/wait/1", "4");
	ask_and_wait(&server, &client, "/wait/0", "1000");
	if (_i == 1) {
		shutdown(client.fd, SHUT_WR);
		expect_no_work(&server);
		ck_assert_int_eq(atomic_load(&server.finished), 0);
	}
	client_close(&client);
	expect_no_work(&server);
	expect_count(&server.finished, 1);
	work_done(&server, 0);
	work_done(&server, 1);
	expect_answer(&other, 4);
	client_close(&other);
	server_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 2);
}
END_TEST

/* A large answer blocks: what is asked of epoll changes once more. */
START_TEST(half_closed_gets_its_answer)
{
	struct server server;
	struct client client;

	server_start(&server);
	ask_and_wait(&server, &client, "/wait/0", _i == 0 ? "10" : LARGE_TEXT);
	shutdown(client.fd, SHUT_WR);
	expect_no_work(&server);
	work_done(&server, 0);
	usleep(50000);
	expect_answer(&client, _i == 0 ? 10 : LARGE);
	ck_assert_int_eq(client_next(&client, &(struct client_record){ 0 }, 10000), CLIENT_CLOSED);
	client_close(&client);
	server_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 1);
}
END_TEST

/* The front gives up the request and keeps the connection. */
START_TEST(aborted)
{
	struct client_record record;
	struct server server;
	struct client client;
	struct buf wire;

	server_start(&server);
	ask_and_wait(&server, &client, "/wait/0", "1000");
	buf_init(&wire, CLIENT_MAX);
	client_record(&wire, FCGI_ABORT_REQUEST, 1, S(""), 0);
	ck_assert(client_send(&client, buf_view(&wire)));
	buf_release(&wire);
	ck_assert_int_eq(client_next(&client, &record, 10000), CLIENT_OK);
	ck_assert_int_eq(record.type, FCGI_END_REQUEST);
	ask(&client, "/", "6");
	expect_answer(&client, 6);
	client_close(&client);
	server_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 2);
}
END_TEST

/* A body that takes longer than a request's head may: it goes on. Row 1: it does not. */
START_TEST(slow_body)
{
	struct server server;
	struct client client;
	struct buf wire;

	server_start(&server);
	connect_to(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	put_start(&wire, true, "/", "8");
	ck_assert(client_send(&client, buf_view(&wire)));
	for (int i = 0; i < (_i == 0 ? 10 : 1); i++) {
		usleep(400000);
		buf_reset(&wire);
		client_record(&wire, FCGI_STDIN, 1, S("some of the body"), 0);
		ck_assert(client_send(&client, buf_view(&wire)));
	}
	buf_reset(&wire);
	client_record(&wire, FCGI_STDIN, 1, S(""), 0);
	if (_i == 0) {
		ck_assert(client_send(&client, buf_view(&wire)));
		expect_answer(&client, 8);
	} else {
		ck_assert_int_eq(client_next(&client, &(struct client_record){ 0 }, 10000), CLIENT_CLOSED);
	}
	client_close(&client);
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

static void
add(Suite *suite, const TTest *test, int count)
{
	TCase *tcase = tcase_create(test->name);

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test, 0, count);
	suite_add_tcase(suite, tcase);
}

Suite *
waiting_suite(void)
{
	Suite *suite = suite_create("waiting");

	add(suite, settled_later, 1);
	add(suite, an_ordinary_request_in_the_same_turn, 2);
	add(suite, two_that_end_at_different_times, 2);
	add(suite, hangs_up, 2);
	add(suite, half_closed_gets_its_answer, 2);
	add(suite, aborted, 1);
	add(suite, slow_body, 2);
	return suite;
}
