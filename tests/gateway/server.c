/* The child ends by exit, so that a sanitizer finds what leaks, and says by its status whether anything was left behind. */
#include "server.h"

#include "gateway/fastcgi.h"

#include "service.h"
#include "suites.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUICK 100 /* milliseconds: nobody waits for another */

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

void
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
		struct service service = {
			.context = &state, .respond = service_respond, .finish = service_finish, .wake_fd = -1,
		};
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

void
server_start(struct server *server)
{
	server_start_with(server, false, 30, 0);
}

void
server_signal_stop(struct server *server)
{
	ck_assert_int_eq(write(server->stop, "x", 1), 1);
}

void
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

void
server_stop(struct server *server)
{
	server_signal_stop(server);
	server_wait(server);
}

void
server_connect(const struct server *server, struct client *client)
{
	client_open(client, server->port == 0 ? server->path : NULL, server->port);
	ck_assert_int_ge(client->fd, 0);
}

void
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

void
send_request(struct client *client, unsigned id, bool keep, const char *path_info, const char *query)
{
	struct buf out;

	buf_init(&out, CLIENT_MAX);
	put_request(&out, id, keep, path_info, query);
	ck_assert(client_send(client, buf_view(&out)));
	buf_release(&out);
}

void
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

void
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

void
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

void
expect_status(struct client *client, unsigned id, const char *status)
{
	struct client_answer answer;

	answer_init(&answer, id);
	ck_assert_int_eq(client_answer(client, &answer), CLIENT_OK);
	ck_assert(str_starts(buf_view(&answer.out), S("Status: ")));
	ck_assert(str_starts(str_after(buf_view(&answer.out), 8), str_from(status)));
	answer_release(&answer);
}

size_t
count_wrong(struct str bytes)
{
	size_t wrong = 0;

	for (size_t i = 0; i < bytes.len; i++)
		wrong += bytes.ptr[i] != pattern(i);
	return wrong;
}

void
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

void
expect_record(struct client *client, int type, unsigned id, struct str content)
{
	struct client_record record;

	ck_assert_int_eq(client_next(client, &record, 10000), CLIENT_OK);
	ck_assert_int_eq(record.type, type);
	ck_assert_uint_eq(record.id, id);
	ck_assert(str_eq(record.content, content));
}

void
expect_end(struct client *client, unsigned id, int protocol_status)
{
	char body[8] = { 0, 0, 0, 0, (char)protocol_status, 0, 0, 0 };

	expect_record(client, FCGI_END_REQUEST, id, (struct str){ body, 8 });
}

void
expect_closed(struct client *client)
{
	struct client_record record;

	ck_assert_int_eq(client_next(client, &record, 10000), CLIENT_CLOSED);
}

int64_t
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
void
expect_quick(const struct server *server)
{
	int quick = 0;

	for (int i = 0; i < 9; i++)
		quick += one_request(server) < QUICK;
	ck_assert_msg(quick >= 5, "only %d of 9 were quick", quick);
}

void
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

void
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
