/* fastcgi_serve in a child, and fronts that behave in every way there is. The service is the test's own: it answers by
 * PATH_INFO and counts what it is asked to finish. */
#include "gateway/fastcgi.h"

#include "client.h"
#include "suites.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Suite *fastcgi_suite(void);

#define LARGE 20000000
#define LARGE_TEXT "20000000"
#define QUICK 100 /* milliseconds: nobody waits for another */

/* ---- the service, in the child ---- */

static char
pattern(size_t i)
{
	return (char)(i * 31 + i / 251 + i / 65521);
}

struct service_state {
	int64_t responded, finished, whole;
};

static int
count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (directory != NULL && readdir(directory) != NULL)
		count++;
	if (directory != NULL)
		closedir(directory);
	return count - 3; /* ".", "..", its own */
}

static void
respond_bytes(struct response *response, int64_t length)
{
	ck_assert(buf_reserve(&response->text, (size_t)length + 1));
	for (size_t i = 0; i < (size_t)length; i++)
		response->text.ptr[i] = pattern(i);
	response->text.len = (size_t)length;
	response_bytes(response, buf_view(&response->text));
	response->content_length = length;
}

static void
respond_file(struct response *response, struct str path)
{
	char text[200];

	snprintf(text, sizeof(text), "%.*s", STR_ARGS(path));
	response->fd = open(text, O_RDONLY | O_CLOEXEC);
	response->content_length = lseek(response->fd, 0, SEEK_END);
	response_file(response, 0, response->content_length);
}

static void
respond_numbers(struct response *response, const struct service_state *state)
{
	const int64_t numbers[] = { count_descriptors(), state->responded, state->finished, state->whole };

	for (int i = 0; i < ROWS(numbers); i++) {
		buf_int(&response->text, numbers[i]);
		buf_char(&response->text, ' ');
	}
	response_bytes(response, buf_view(&response->text));
	response->content_length = (int64_t)response->text.len;
}

/* /bytes/N: N bytes. /file: what PATH_TRANSLATED names. /echo: QUERY_STRING. /numbers: descriptors and counts. */
static void
respond(void *context, struct exchange *exchange)
{
	struct service_state *state = context;
	struct response *response = &exchange->response;
	const struct str *values = exchange->params.values;
	struct str path = values[PARAM_PATH_INFO];
	int64_t length = 0;

	state->responded++;
	response->status = exchange->refused != 0 ? exchange->refused : STATUS_OK;
	response->content_omitted = str_eq(values[PARAM_REQUEST_METHOD], S("HEAD"));
	if (exchange->refused != 0) {
		response->content_length = 0;
	} else if (str_starts(path, S("/bytes/")) && str_digits(str_after(path, 7), &length)) {
		respond_bytes(response, length);
	} else if (str_eq(path, S("/file"))) {
		respond_file(response, values[PARAM_PATH_TRANSLATED]);
	} else if (str_eq(path, S("/numbers"))) {
		respond_numbers(response, state);
	} else {
		response_bytes(response, values[PARAM_QUERY_STRING]);
		response->content_length = (int64_t)values[PARAM_QUERY_STRING].len;
	}
}

static void
finish(void *context, struct exchange *exchange)
{
	struct service_state *state = context;

	state->finished++;
	state->whole += exchange->whole;
	if (exchange->response.fd >= 0)
		close(exchange->response.fd);
	exchange->response.fd = -1;
}

/* ---- the child ---- */

struct server {
	pid_t pid;
	char directory[40], path[60];
	int port; /* 0: unix */
	int stop;
};

static int
server_listen(struct server *server, bool tcp)
{
	struct sockaddr_un local = { .sun_family = AF_UNIX };
	struct sockaddr_in inet = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(inet);
	int fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(server->directory, sizeof(server->directory), "/tmp/staticgi-fastcgi.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(server->directory));
	snprintf(server->path, sizeof(server->path), "%s/socket", server->directory);
	memcpy(local.sun_path, server->path, strlen(server->path) + 1);
	if (tcp)
		ck_assert_int_eq(bind(fd, (struct sockaddr *)&inet, sizeof(inet)), 0);
	else
		ck_assert_int_eq(bind(fd, (struct sockaddr *)&local, sizeof(local)), 0);
	ck_assert_int_eq(listen(fd, 100), 0);
	if (tcp) {
		ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&inet, &length), 0);
		server->port = ntohs(inet.sin_port);
	}
	return fd;
}

/* Leaves room for so many further ones. The limit is one of numbers, and the numbers in use may have gaps. */
static void
limit_descriptors(int more)
{
	int fds[16], count = 0;
	struct rlimit limit;

	while (count < more)
		fds[count++] = open("/dev/null", O_RDONLY);
	limit.rlim_cur = limit.rlim_max = (rlim_t)fds[count - 1] + 1;
	setrlimit(RLIMIT_NOFILE, &limit);
	while (count > 0)
		close(fds[--count]);
}

/* request_seconds: of the options; spare: 0, or so many descriptors for connections and no more. */
static void
server_start_with(struct server *server, bool tcp, int request_seconds, int spare)
{
	int stop[2], fd;

	*server = (struct server){ 0 };
	fd = server_listen(server, tcp);
	ck_assert_int_eq(pipe2(stop, O_CLOEXEC), 0);
	fflush(NULL);
	server->pid = fork();
	if (server->pid == 0) {
		struct service_state state = { 0 };
		struct service service = { .context = &state, .respond = respond, .finish = finish, .wake_fd = -1 };
		struct fastcgi_options options = {
			.listen_fd = fd, .stop_fd = stop[0], .service = &service, .request_seconds = request_seconds,
			.stall_seconds = 20, .drain_seconds = 10,
		};
		int before, result;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(stop[1]);
		before = count_descriptors();
		if (spare > 0)
			limit_descriptors(spare + 1); /* one is the loop's own */
		result = fastcgi_serve(&options);
		/* Nothing is left behind. By exit, so that a leak of memory is found too. */
		if (result == 0 && (count_descriptors() != before || state.responded != state.finished))
			result = 2;
		exit(result == 0 ? 0 : 1);
	}
	close(fd);
	close(stop[0]);
	server->stop = stop[1];
}

static void
server_start(struct server *server)
{
	server_start_with(server, false, 30, 0);
}

static void
server_signal_stop(struct server *server)
{
	ck_assert_int_eq(write(server->stop, "x", 1), 1);
}

/* The child has to end by itself, soon, with nothing left behind. */
static void
server_wait(struct server *server)
{
	int64_t until = client_milliseconds() + 15000;
	int status = -1;
	pid_t pid;

	while ((pid = waitpid(server->pid, &status, WNOHANG)) == 0 && client_milliseconds() < until)
		usleep(2000);
	unlink(server->path);
	rmdir(server->directory);
	close(server->stop);
	if (pid == 0)
		kill(server->pid, SIGKILL);
	ck_assert_msg(pid == server->pid, "the server does not stop");
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the server ended with status %x", (unsigned)status);
}

static void
server_stop(struct server *server)
{
	server_signal_stop(server);
	server_wait(server);
}

static void
server_connect(const struct server *server, struct client *client)
{
	client_open(client, server->port == 0 ? server->path : NULL, server->port);
	ck_assert_int_ge(client->fd, 0);
}

/* ---- requests ---- */

static void
put_request(struct buf *out, unsigned id, bool keep, const char *path_info, const char *query)
{
	struct buf pairs;

	buf_init(&pairs, CLIENT_MAX);
	client_pair(&pairs, S("REQUEST_METHOD"), S("GET"));
	client_pair(&pairs, S("PATH_INFO"), str_from(path_info));
	client_pair(&pairs, S("QUERY_STRING"), str_from(query));
	client_begin(out, id, FCGI_RESPONDER, keep);
	client_stream(out, FCGI_PARAMS, id, buf_view(&pairs));
	client_stream(out, FCGI_STDIN, id, S(""));
	buf_release(&pairs);
}

static void
send_request(struct client *client, unsigned id, bool keep, const char *path_info, const char *query)
{
	struct buf out;

	buf_init(&out, CLIENT_MAX);
	put_request(&out, id, keep, path_info, query);
	ck_assert(client_send(client, buf_view(&out)));
	buf_release(&out);
}

static void
expect_answer(struct client *client, unsigned id, const char *body)
{
	struct client_answer answer;

	answer_init(&answer, id);
	ck_assert_int_eq(client_answer(client, &answer), CLIENT_OK);
	ck_assert(answer.out_ended);
	ck_assert_int_eq(answer.protocol_status, FCGI_REQUEST_COMPLETE);
	ck_assert(str_starts(buf_view(&answer.out), S("Status: 200 OK\r\n")));
	ck_assert_str_is(answer_body(&answer), body);
	answer_release(&answer);
}

static void
expect_status(struct client *client, unsigned id, const char *status)
{
	struct client_answer answer;

	answer_init(&answer, id);
	ck_assert_int_eq(client_answer(client, &answer), CLIENT_OK);
	ck_assert(str_starts(buf_view(&answer.out), S("Status: ")));
	ck_assert(str_starts(str_after(buf_view(&answer.out), 8), str_from(status)));
	answer_release(&answer);
}

static size_t
count_wrong(struct str bytes)
{
	size_t wrong = 0;

	for (size_t i = 0; i < bytes.len; i++)
		wrong += bytes.ptr[i] != pattern(i);
	return wrong;
}

static void
expect_pattern(struct client *client, unsigned id, size_t length)
{
	struct client_answer answer;

	answer_init(&answer, id);
	ck_assert_int_eq(client_answer(client, &answer), CLIENT_OK);
	ck_assert(answer.out_ended);
	ck_assert_uint_eq(answer_body(&answer).len, length);
	ck_assert_uint_eq(count_wrong(answer_body(&answer)), 0);
	answer_release(&answer);
}

static void
expect_record(struct client *client, int type, unsigned id, struct str content)
{
	struct client_record record;

	ck_assert_int_eq(client_next(client, &record, 10000), CLIENT_OK);
	ck_assert_int_eq(record.type, type);
	ck_assert_uint_eq(record.id, id);
	ck_assert(str_eq(record.content, content));
}

static void
expect_end(struct client *client, unsigned id, int protocol_status)
{
	char body[8] = { 0, 0, 0, 0, (char)protocol_status, 0, 0, 0 };

	expect_record(client, FCGI_END_REQUEST, id, (struct str){ body, 8 });
}

static void
expect_closed(struct client *client)
{
	struct client_record record;

	ck_assert_int_eq(client_next(client, &record, 10000), CLIENT_CLOSED);
}

/* One request on a connection of its own; milliseconds until its answer. */
static int64_t
one_request(const struct server *server)
{
	int64_t start = client_milliseconds();
	struct client client;

	server_connect(server, &client);
	send_request(&client, 1, false, "/echo", "quick");
	expect_answer(&client, 1, "quick");
	expect_closed(&client);
	client_close(&client);
	return client_milliseconds() - start;
}

/* Most of many, so that a busy machine does not fail the test, but a wait for another connection does. */
static void
expect_quick(const struct server *server)
{
	int quick = 0;

	for (int i = 0; i < 9; i++)
		quick += one_request(server) < QUICK;
	ck_assert_msg(quick >= 5, "only %d of 9 were quick", quick);
}

/* What /numbers says: [0] descriptors, [1] responded, [2] finished, [3] whole. */
static void
ask_numbers(const struct server *server, int64_t numbers[4])
{
	struct client_answer answer;
	struct client client;
	struct str rest, part;

	server_connect(server, &client);
	send_request(&client, 1, false, "/numbers", "");
	answer_init(&answer, 1);
	ck_assert_int_eq(client_answer(&client, &answer), CLIENT_OK);
	rest = answer_body(&answer);
	for (int i = 0; i < 4; i++)
		ck_assert(str_cut(&rest, ' ', &part) && str_digits(part, &numbers[i]));
	answer_release(&answer);
	client_close(&client);
}

/* Waits until `finished` is all but the asking request itself. */
static void
expect_all_finished(const struct server *server, int64_t numbers[4])
{
	for (int i = 0; i < 500; i++) {
		ask_numbers(server, numbers);
		if (numbers[1] == numbers[2] + 1)
			return;
		usleep(10000);
	}
	ck_abort_msg("finish was not called for every request");
}

/* ---- the tests ---- */

START_TEST(cut_at_every_byte)
{
	struct server server;
	struct buf wire;

	server_start(&server);
	buf_init(&wire, CLIENT_MAX);
	put_request(&wire, 1, false, "/echo", "cut");
	for (size_t cut = 1; cut < wire.len; cut++) {
		struct client client;

		server_connect(&server, &client);
		ck_assert(client_send(&client, str_sub(buf_view(&wire), 0, cut)));
		ck_assert(client_taken(&client));
		ck_assert(client_send(&client, str_after(buf_view(&wire), cut)));
		expect_answer(&client, 1, "cut");
		expect_closed(&client);
		client_close(&client);
	}
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

START_TEST(byte_by_byte_over_tcp)
{
	struct server server;
	struct client client;
	struct buf wire;

	server_start_with(&server, true, 30, 0);
	buf_init(&wire, CLIENT_MAX);
	put_request(&wire, 1, true, "/echo", "bytes");
	server_connect(&server, &client);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < wire.len; i++)
			ck_assert(client_send(&client, str_sub(buf_view(&wire), i, 1)));
		expect_answer(&client, 1, "bytes");
	}
	send_request(&client, 1, false, "/bytes/" LARGE_TEXT, "");
	expect_pattern(&client, 1, LARGE);
	expect_closed(&client);
	client_close(&client);
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

START_TEST(keep_alive)
{
	struct server server;
	struct client client;
	int64_t numbers[4];

	server_start(&server);
	server_connect(&server, &client);
	for (unsigned i = 0; i < 2000; i++) {
		send_request(&client, 1 + i * 7919 % 65535, true, "/echo", i % 2 == 0 ? "even" : "");
		expect_answer(&client, 1 + i * 7919 % 65535, i % 2 == 0 ? "even" : "");
	}
	send_request(&client, 1, true, "/bytes/200000", "");
	expect_pattern(&client, 1, 200000);
	ask_numbers(&server, numbers);
	ck_assert_int_eq(numbers[1], 2002);
	ck_assert_int_eq(numbers[2], 2001);
	ck_assert_int_eq(numbers[3], 2001);
	send_request(&client, 1, false, "/echo", "last");
	expect_answer(&client, 1, "last");
	expect_closed(&client);
	client_close(&client);
	server_stop(&server);
}
END_TEST

START_TEST(head)
{
	struct client_answer answer;
	struct server server;
	struct client client;
	struct buf wire;

	server_start(&server);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	client_request(&wire, 1, true, (const char *const[]){ "REQUEST_METHOD=HEAD", "PATH_INFO=/bytes/1000000", NULL });
	ck_assert(client_send(&client, buf_view(&wire)));
	answer_init(&answer, 1);
	ck_assert_int_eq(client_answer(&client, &answer), CLIENT_OK);
	ck_assert_str_is(buf_view(&answer.out), "Status: 200 OK\r\nContent-Length: 1000000\r\n\r\n");
	answer_release(&answer);
	send_request(&client, 1, false, "/echo", "after");
	expect_answer(&client, 1, "after");
	buf_release(&wire);
	client_close(&client);
	server_stop(&server);
}
END_TEST

START_TEST(pipelined)
{
	struct server server;
	struct client client;
	struct buf wire;

	server_start(&server);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	for (int i = 0; i < 5; i++) {
		put_request(&wire, 1, true, "/echo", "first");
		put_request(&wire, 2, true, "/echo", "second");
	}
	ck_assert(client_send(&client, buf_view(&wire)));
	for (int i = 0; i < 5; i++) {
		expect_answer(&client, 1, "first");
		expect_answer(&client, 2, "second");
	}
	client_close(&client);
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

/* FastCGI 3.3: no request is multiplexed; the one that was open goes on. */
START_TEST(second_request_before_the_first_is_answered)
{
	struct server server;
	struct client client;

	server_start(&server);
	server_connect(&server, &client);
	send_request(&client, 1, true, "/bytes/" LARGE_TEXT, "");
	usleep(50000);
	send_request(&client, 2, true, "/echo", "too early");
	expect_pattern(&client, 1, LARGE);
	expect_end(&client, 2, FCGI_CANT_MPX_CONN);
	send_request(&client, 2, true, "/echo", "now");
	expect_answer(&client, 2, "now");
	client_close(&client);
	server_stop(&server);
}
END_TEST

START_TEST(interleaved_connections)
{
	struct client clients[20];
	struct server server;
	struct buf wire;

	server_start(&server);
	buf_init(&wire, CLIENT_MAX);
	put_request(&wire, 1, true, "/bytes/100000", "");
	for (int i = 0; i < ROWS(clients); i++)
		server_connect(&server, &clients[i]);
	for (int round = 0; round < 3; round++) {
		/* Every connection gets the next byte, or the next few, in turn. */
		for (size_t at = 0; at < wire.len; at += 1 + (size_t)round)
			for (int i = 0; i < ROWS(clients); i++)
				ck_assert(client_send(&clients[i], str_sub(buf_view(&wire), at, 1 + (size_t)round)));
		for (int i = ROWS(clients); i > 0; i--)
			expect_pattern(&clients[i - 1], 1, 100000);
	}
	for (int i = 0; i < ROWS(clients); i++)
		client_close(&clients[i]);
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

START_TEST(half_a_request_stops_nobody)
{
	struct client slow[3];
	struct server server;
	struct buf wire;

	server_start(&server);
	buf_init(&wire, CLIENT_MAX);
	put_request(&wire, 1, false, "/echo", "half");
	for (int i = 0; i < ROWS(slow); i++) {
		server_connect(&server, &slow[i]);
		/* Nothing at all, half a header, all but the last byte. */
		ck_assert(client_send(&slow[i], str_sub(buf_view(&wire), 0, i == 0 ? 0 : i == 1 ? 4 : wire.len - 1)));
	}
	expect_quick(&server);
	ck_assert(client_send(&slow[2], str_after(buf_view(&wire), wire.len - 1)));
	expect_answer(&slow[2], 1, "half");
	for (int i = 0; i < ROWS(slow); i++)
		client_close(&slow[i]);
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

START_TEST(half_a_request_is_given_up)
{
	struct client silent, half, idle;
	struct server server;

	server_start_with(&server, false, 1, 0);
	server_connect(&server, &silent);
	server_connect(&server, &half);
	server_connect(&server, &idle);
	ck_assert(client_send(&half, S("\1\1\0\1\0")));
	send_request(&idle, 1, true, "/echo", "x");
	expect_answer(&idle, 1, "x");
	expect_closed(&silent);
	ck_assert_int_ne(client_next(&half, &(struct client_record){ 0 }, 5000), CLIENT_TIMEOUT);
	/* Between two requests there is no hurry. */
	send_request(&idle, 1, true, "/echo", "still here");
	expect_answer(&idle, 1, "still here");
	client_close(&silent);
	client_close(&half);
	client_close(&idle);
	server_stop(&server);
}
END_TEST

START_TEST(slow_reader_stops_nobody)
{
	struct client_answer answer;
	struct client_record record;
	struct server server;
	struct client slow;

	server_start(&server);
	server_connect(&server, &slow);
	send_request(&slow, 1, true, "/bytes/" LARGE_TEXT, "");
	answer_init(&answer, 1);
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(client_next(&slow, &record, 10000), CLIENT_OK);
		buf_str(&answer.out, record.content);
		expect_quick(&server);
	}
	ck_assert_int_eq(client_answer(&slow, &answer), CLIENT_OK);
	ck_assert_uint_eq(answer_body(&answer).len, LARGE);
	ck_assert_uint_eq(count_wrong(answer_body(&answer)), 0);
	answer_release(&answer);
	client_close(&slow);
	server_stop(&server);
}
END_TEST

/* After how many of the request's bytes the front gives up; the rest of them may still come. */
static const struct {
	bool params, params_end, keep;
} aborts[] = {
	{ false, false, true }, { true, false, true }, { true, true, true },
	{ false, false, false }, { true, false, false }, { true, true, false },
};

START_TEST(abort_before_the_answer)
{
	struct server server;
	struct client client;
	struct buf wire;

	server_start(&server);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	client_begin(&wire, 5, FCGI_RESPONDER, aborts[_i].keep);
	if (aborts[_i].params)
		client_record(&wire, FCGI_PARAMS, 5, S("\1\1AB"), 0);
	if (aborts[_i].params_end)
		client_record(&wire, FCGI_PARAMS, 5, S(""), 0);
	client_record(&wire, FCGI_ABORT_REQUEST, 5, S(""), 0);
	ck_assert(client_send(&client, buf_view(&wire)));
	expect_end(&client, 5, FCGI_REQUEST_COMPLETE);
	if (aborts[_i].keep) {
		send_request(&client, 5, false, "/echo", "again");
		expect_answer(&client, 5, "again");
	}
	expect_closed(&client);
	client_close(&client);
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

START_TEST(abort_while_the_answer_is_sent)
{
	bool keep = _i == 0;
	struct client_answer answer;
	struct server server;
	struct client client;
	struct buf wire;
	int64_t numbers[4];

	server_start(&server);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	send_request(&client, 5, keep, "/bytes/" LARGE_TEXT, "");
	usleep(50000);
	client_record(&wire, FCGI_ABORT_REQUEST, 5, S(""), 0);
	ck_assert(client_send(&client, buf_view(&wire)));
	ck_assert(client_taken(&client));
	answer_init(&answer, 5);
	ck_assert_int_eq(client_answer(&client, &answer), CLIENT_OK);
	ck_assert_uint_lt(answer_body(&answer).len, LARGE);
	ck_assert_uint_eq(count_wrong(answer_body(&answer)), 0);
	answer_release(&answer);
	if (keep) {
		send_request(&client, 5, false, "/echo", "again");
		expect_answer(&client, 5, "again");
	}
	expect_closed(&client);
	client_close(&client);
	ask_numbers(&server, numbers);
	ck_assert_int_eq(numbers[1] - 1, numbers[2]);
	ck_assert_int_eq(numbers[2] - 1, numbers[3]); /* the aborted one was not whole */
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

START_TEST(management)
{
	struct server server;
	struct client client;
	struct buf wire, names;

	server_start(&server);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	buf_init(&names, CLIENT_MAX);
	for (int i = 0; i < 1000; i++)
		client_pair(&names, S(FCGI_MPXS_CONNS), S(""));
	client_record(&wire, FCGI_GET_VALUES, 0, buf_view(&names), 0);
	client_record(&wire, FCGI_GET_VALUES, 0, S("\1\0X"), 7);
	client_record(&wire, FCGI_GET_VALUES, 0, S(""), 0);
	client_record(&wire, FCGI_GET_VALUES, 0, S("\xff\xff"), 0);
	client_record(&wire, 100, 0, S("abc"), 255);
	ck_assert(client_send(&client, buf_view(&wire)));
	expect_record(&client, FCGI_GET_VALUES_RESULT, 0, S("\x0f\1FCGI_MPXS_CONNS0"));
	for (int i = 0; i < 3; i++)
		expect_record(&client, FCGI_GET_VALUES_RESULT, 0, S(""));
	expect_record(&client, FCGI_UNKNOWN_TYPE, 0, S("\x64\0\0\0\0\0\0\0"));
	send_request(&client, 1, false, "/echo", "after");
	expect_answer(&client, 1, "after");
	expect_closed(&client);
	client_close(&client);
	buf_release(&wire);
	buf_release(&names);
	server_stop(&server);
}
END_TEST

static const struct {
	int role;
	bool keep;
} roles[] = { { FCGI_AUTHORIZER, true }, { FCGI_AUTHORIZER, false }, { FCGI_FILTER, true }, { FCGI_FILTER, false }, { 0, true } };

START_TEST(unknown_role)
{
	struct server server;
	struct client client;
	struct buf wire;

	server_start(&server);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	client_begin(&wire, 9, roles[_i].role, roles[_i].keep);
	client_stream(&wire, FCGI_PARAMS, 9, S("\1\1AB"));
	client_stream(&wire, FCGI_STDIN, 9, S(""));
	ck_assert(client_send(&client, buf_view(&wire)));
	expect_end(&client, 9, FCGI_UNKNOWN_ROLE);
	if (roles[_i].keep) {
		send_request(&client, 9, true, "/echo", "responder");
		expect_answer(&client, 9, "responder");
	} else {
		/* Unread bytes may make a reset of the end. */
		ck_assert_int_eq(client_next(&client, &(struct client_record){ 0 }, 10000), CLIENT_CLOSED);
	}
	client_close(&client);
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

static const struct str broken[] = {
	STR("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
	STR("\0\1\0\1\0\x08\0\0\0\1\0\0\0\0\0\0"),
	STR("\2\1\0\1\0\x08\0\0\0\1\0\0\0\0\0\0"),
	STR("\1\1\0\1\0\7\0\0\0\1\0\0\0\0\0"),
	STR("\1\1\0\1\0\0\0\0"),
	STR("\1\1\0\1\0\x08\0\0\0\1\1\0\0\0\0\0\1\1\0\1\0\x08\0\0\0\1\1\0\0\0\0\0"),
	STR("\1\1\0\1\0\x08\0\0\0\1\1\0\0\0\0\0garbage"),
	STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
};

START_TEST(broken_is_closed)
{
	struct server server;
	struct client client;

	server_start(&server);
	server_connect(&server, &client);
	ck_assert(client_send(&client, broken[_i]));
	if (_i == 6)
		shutdown(client.fd, SHUT_WR); /* seven bytes are no header yet */
	expect_closed(&client);
	client_close(&client);
	one_request(&server);
	server_stop(&server);
}
END_TEST

START_TEST(strangers_and_padding)
{
	struct server server;
	struct client client;
	struct buf wire;

	server_start(&server);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	client_record(&wire, FCGI_PARAMS, 3, S("\1\1AB"), 255);
	client_record(&wire, FCGI_ABORT_REQUEST, 3, S(""), 255);
	client_begin(&wire, 4, FCGI_RESPONDER, false);
	client_record(&wire, FCGI_PARAMS, 3, S("junk"), 1);
	client_record(&wire, FCGI_PARAMS, 4, S("\x09\5PATH_INFO/echo\x0c\6QUERY_STRINGpadded"), 255);
	client_record(&wire, FCGI_DATA, 4, S("data"), 255);
	client_record(&wire, FCGI_PARAMS, 4, S(""), 255);
	client_record(&wire, 222, 4, S("what is this"), 255);
	client_record(&wire, FCGI_STDIN, 3, S(""), 255);
	client_record(&wire, FCGI_STDIN, 4, S("body"), 255);
	client_record(&wire, FCGI_STDIN, 4, S(""), 255);
	ck_assert(client_send(&client, buf_view(&wire)));
	expect_answer(&client, 4, "padded");
	expect_closed(&client);
	client_close(&client);
	buf_release(&wire);
	server_stop(&server);
}
END_TEST

/* A request that cannot be read is answered, and the connection goes on. */
static const struct {
	size_t length;
	const char *start, *status;
} unreadable[] = {
	{ 262144, "\x01\x04" "XYYYY", "400" },
	{ 262145, "\x01\x04" "XYYYY", "431" },
	{ 2000000, "\x01\x04" "XYYYY", "431" },
	{ 3, "\x01\x7f" "A", "400" },
	{ 5, "\xff\xff\xff\xff\x01", "400" },
};

START_TEST(unreadable_parameters)
{
	struct server server;
	struct client client;
	struct buf wire, pairs;

	server_start(&server);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	buf_init(&pairs, CLIENT_MAX);
	buf_text(&pairs, unreadable[_i].start);
	while (pairs.len < unreadable[_i].length)
		buf_char(&pairs, '\x7f');
	client_begin(&wire, 1, FCGI_RESPONDER, true);
	client_stream(&wire, FCGI_PARAMS, 1, buf_view(&pairs));
	client_stream(&wire, FCGI_STDIN, 1, S(""));
	ck_assert(client_send(&client, buf_view(&wire)));
	expect_status(&client, 1, unreadable[_i].status);
	send_request(&client, 1, false, "/echo", "readable");
	expect_answer(&client, 1, "readable");
	client_close(&client);
	buf_release(&wire);
	buf_release(&pairs);
	server_stop(&server);
}
END_TEST

START_TEST(large_body_is_read_and_dropped)
{
	struct server server;
	struct client client;
	struct buf wire, body;

	server_start(&server);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	buf_init(&body, CLIENT_MAX);
	ck_assert(buf_reserve(&body, 10000000));
	memset(body.ptr, 1, 10000000);
	body.len = 10000000;
	for (int i = 0; i < 2; i++) {
		buf_reset(&wire);
		client_begin(&wire, 1, FCGI_RESPONDER, i == 0);
		client_stream(&wire, FCGI_PARAMS, 1, S("\x09\5PATH_INFO/echo\x0c\4QUERY_STRINGbody"));
		client_stream(&wire, FCGI_STDIN, 1, buf_view(&body));
		ck_assert(client_send(&client, buf_view(&wire)));
		expect_answer(&client, 1, "body");
	}
	expect_closed(&client);
	client_close(&client);
	buf_release(&wire);
	buf_release(&body);
	server_stop(&server);
}
END_TEST

static void
write_file(const char *path, size_t length)
{
	struct buf b;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	buf_init(&b, CLIENT_MAX);
	ck_assert(buf_reserve(&b, length + 1));
	for (size_t i = 0; i < length; i++)
		b.ptr[b.len++] = pattern(i);
	ck_assert_int_eq(write(fd, b.ptr, b.len), (ssize_t)length);
	close(fd);
	buf_release(&b);
}

static void
send_file_request(struct client *client, const char *path, bool keep)
{
	struct buf wire, pairs;

	buf_init(&wire, CLIENT_MAX);
	buf_init(&pairs, CLIENT_MAX);
	client_pair(&pairs, S("PATH_INFO"), S("/file"));
	client_pair(&pairs, S("PATH_TRANSLATED"), str_from(path));
	client_begin(&wire, 1, FCGI_RESPONDER, keep);
	client_stream(&wire, FCGI_PARAMS, 1, buf_view(&pairs));
	client_stream(&wire, FCGI_STDIN, 1, S(""));
	ck_assert(client_send(client, buf_view(&wire)));
	buf_release(&wire);
	buf_release(&pairs);
}

static const size_t file_sizes[] = { 0, 1, 65000, 65536, 131072, 1000000, LARGE };

START_TEST(file)
{
	struct server server;
	struct client client;
	char path[80];

	server_start(&server);
	snprintf(path, sizeof(path), "%s/file", server.directory);
	write_file(path, file_sizes[_i]);
	server_connect(&server, &client);
	for (int i = 0; i < 3; i++) {
		send_file_request(&client, path, true);
		expect_pattern(&client, 1, file_sizes[_i]);
	}
	client_close(&client);
	unlink(path);
	server_stop(&server);
}
END_TEST

/* Its end is cut off, or all of it, while it is sent: the front sees a connection that ended too early, and no byte that was
 * not in the file. Others do not notice. */
static const size_t cuts[] = { 0, 5000000, LARGE - 1 };

START_TEST(file_truncated_while_sent)
{
	struct client_answer answer;
	struct server server;
	struct client client;
	int64_t numbers[4];
	char path[80];

	server_start(&server);
	snprintf(path, sizeof(path), "%s/file", server.directory);
	write_file(path, LARGE);
	server_connect(&server, &client);
	send_file_request(&client, path, true);
	usleep(50000);
	ck_assert_int_eq(truncate(path, (off_t)cuts[_i]), 0);
	answer_init(&answer, 1);
	ck_assert_int_ne(client_answer(&client, &answer), CLIENT_OK);
	ck_assert_int_eq(answer.protocol_status, -1);
	ck_assert(!answer.out_ended);
	ck_assert_uint_lt(answer_body(&answer).len, LARGE);
	ck_assert_uint_eq(count_wrong(answer_body(&answer)), 0);
	answer_release(&answer);
	client_close(&client);
	expect_all_finished(&server, numbers);
	ck_assert_int_eq(numbers[3], numbers[2] - 1);
	unlink(path);
	server_stop(&server);
}
END_TEST

START_TEST(client_closes_in_the_middle)
{
	struct server server;
	int64_t before[4], after[4];
	char path[80];

	server_start(&server);
	snprintf(path, sizeof(path), "%s/file", server.directory);
	write_file(path, LARGE);
	ask_numbers(&server, before);
	for (int i = 0; i < 30; i++) {
		struct client_record record;
		struct client client;

		server_connect(&server, &client);
		if (i % 2 == 0)
			send_file_request(&client, path, i % 3 == 0);
		else
			send_request(&client, 1, i % 3 == 0, "/bytes/2000000", "");
		if (i % 5 != 0)
			ck_assert_int_eq(client_next(&client, &record, 10000), CLIENT_OK);
		client_close(&client);
	}
	expect_all_finished(&server, after);
	ck_assert_int_eq(after[0], before[0]);
	unlink(path);
	server_stop(&server);
}
END_TEST

START_TEST(half_closed_client_gets_its_answer)
{
	struct server server;
	struct client client;
	int64_t numbers[4];

	server_start(&server);
	server_connect(&server, &client);
	send_request(&client, 1, _i == 0, "/bytes/" LARGE_TEXT, "");
	ck_assert_int_eq(shutdown(client.fd, SHUT_WR), 0);
	usleep(50000);
	expect_pattern(&client, 1, LARGE);
	expect_closed(&client);
	client_close(&client);
	/* And one that half-closes and then goes away. */
	server_connect(&server, &client);
	send_request(&client, 1, _i == 0, "/bytes/" LARGE_TEXT, "");
	ck_assert_int_eq(shutdown(client.fd, SHUT_WR), 0);
	usleep(50000);
	client_close(&client);
	expect_all_finished(&server, numbers);
	server_stop(&server);
}
END_TEST

START_TEST(stop)
{
	struct client idle, open_answer, half, late;
	struct server server;
	struct buf wire;

	server_start(&server);
	buf_init(&wire, CLIENT_MAX);
	put_request(&wire, 1, true, "/echo", "half");
	server_connect(&server, &idle);
	send_request(&idle, 1, true, "/echo", "idle");
	expect_answer(&idle, 1, "idle");
	server_connect(&server, &open_answer);
	send_request(&open_answer, 1, true, "/bytes/" LARGE_TEXT, "");
	server_connect(&server, &half);
	ck_assert(client_send(&half, str_sub(buf_view(&wire), 0, 30)));
	ck_assert(client_taken(&half));
	/* In the backlog when the stop comes, or just taken. */
	server_connect(&server, &late);
	send_request(&late, 1, true, "/echo", "late");
	server_signal_stop(&server);
	expect_closed(&idle);
	expect_answer(&late, 1, "late");
	expect_closed(&late);
	expect_pattern(&open_answer, 1, LARGE);
	expect_closed(&open_answer);
	ck_assert(client_send(&half, str_after(buf_view(&wire), 30)));
	expect_answer(&half, 1, "half");
	expect_closed(&half);
	client_close(&idle);
	client_close(&late);
	client_close(&half);
	client_close(&open_answer);
	buf_release(&wire);
	server_wait(&server);
}
END_TEST

static int64_t
processor_milliseconds(pid_t pid)
{
	struct timespec t = { 0 };
	clockid_t clock;

	ck_assert_int_eq(clock_getcpuclockid(pid, &clock), 0);
	ck_assert_int_eq(clock_gettime(clock, &t), 0);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

START_TEST(out_of_descriptors)
{
	struct client holders[4], waiting[6];
	struct server server;
	int64_t before;

	server_start_with(&server, false, 30, ROWS(holders));
	for (int i = 0; i < ROWS(holders); i++) {
		server_connect(&server, &holders[i]);
		send_request(&holders[i], 1, true, "/echo", "held");
		expect_answer(&holders[i], 1, "held");
	}
	for (int i = 0; i < ROWS(waiting); i++) {
		server_connect(&server, &waiting[i]);
		send_request(&waiting[i], 1, false, "/echo", "waited");
	}
	before = processor_milliseconds(server.pid);
	usleep(1500000);
	ck_assert_int_lt(processor_milliseconds(server.pid) - before, 150);
	/* Those that are in are served all the same. */
	send_request(&holders[0], 1, true, "/echo", "served");
	expect_answer(&holders[0], 1, "served");
	client_close(&holders[3]);
	for (int i = 0; i < ROWS(waiting); i++) {
		expect_answer(&waiting[i], 1, "waited");
		client_close(&waiting[i]);
	}
	for (int i = 0; i < ROWS(holders) - 1; i++)
		client_close(&holders[i]);
	server_stop(&server);
}
END_TEST

/* Waiting costs nothing, whatever it is that is waited for. */
START_TEST(no_busy_loop)
{
	struct client idle, half, blocked, half_closed;
	struct server server;
	int64_t before;

	server_start(&server);
	server_connect(&server, &idle);
	send_request(&idle, 1, true, "/echo", "x");
	expect_answer(&idle, 1, "x");
	server_connect(&server, &half);
	ck_assert(client_send(&half, S("\1\1\0")));
	server_connect(&server, &blocked);
	send_request(&blocked, 1, true, "/bytes/" LARGE_TEXT, "");
	server_connect(&server, &half_closed);
	send_request(&half_closed, 1, true, "/bytes/" LARGE_TEXT, "");
	shutdown(half_closed.fd, SHUT_WR);
	one_request(&server);
	usleep(300000);
	before = processor_milliseconds(server.pid);
	usleep(1000000);
	ck_assert_int_lt(processor_milliseconds(server.pid) - before, 100);
	client_close(&idle);
	client_close(&half);
	client_close(&blocked);
	client_close(&half_closed);
	server_stop(&server);
}
END_TEST

/* Answers are large and machines are busy. */
static void
add(Suite *suite, const TTest *test, int count)
{
	TCase *tcase = tcase_create(test->name);

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test, 0, count);
	suite_add_tcase(suite, tcase);
}

Suite *
fastcgi_suite(void)
{
	Suite *suite = suite_create("fastcgi");

	add(suite, cut_at_every_byte, 1);
	add(suite, byte_by_byte_over_tcp, 1);
	add(suite, keep_alive, 1);
	add(suite, head, 1);
	add(suite, pipelined, 1);
	add(suite, second_request_before_the_first_is_answered, 1);
	add(suite, interleaved_connections, 1);
	add(suite, half_a_request_stops_nobody, 1);
	add(suite, half_a_request_is_given_up, 1);
	add(suite, slow_reader_stops_nobody, 1);
	add(suite, abort_before_the_answer, ROWS(aborts));
	add(suite, abort_while_the_answer_is_sent, 2);
	add(suite, management, 1);
	add(suite, unknown_role, ROWS(roles));
	add(suite, broken_is_closed, ROWS(broken));
	add(suite, strangers_and_padding, 1);
	add(suite, unreadable_parameters, ROWS(unreadable));
	add(suite, large_body_is_read_and_dropped, 1);
	add(suite, file, ROWS(file_sizes));
	add(suite, file_truncated_while_sent, ROWS(cuts));
	add(suite, client_closes_in_the_middle, 1);
	add(suite, half_closed_client_gets_its_answer, 2);
	add(suite, stop, 1);
	add(suite, out_of_descriptors, 1);
	add(suite, no_busy_loop, 1);
	return suite;
}
