#include "gateway/cgi.h"

#include "client.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *cgi_suite(void);

/* What the service of these tests answers with, and what it saw. */
struct plan {
	const char *bytes;       /* NULL: none */
	int64_t file_length;     /* of a file, after the bytes; 0: none */
	int64_t file_there;      /* its size when it is sent */
	bool head;
	struct str method, path_info, empty;
	int finished;
	bool whole;
	int64_t sent;
};

static void
respond(void *context, struct exchange *exchange)
{
	struct plan *plan = context;
	struct response *response = &exchange->response;
	const struct str *values = exchange->params.values;
	char block[65536];

	plan->method = values[PARAM_REQUEST_METHOD];
	plan->path_info = values[PARAM_PATH_INFO];
	plan->empty = values[PARAM_QUERY_STRING];
	response->status = STATUS_OK;
	response->content_omitted = plan->head;
	response->content_length = plan->file_length + (plan->bytes != NULL ? (int64_t)strlen(plan->bytes) : 0);
	if (plan->bytes != NULL)
		response_bytes(response, str_from(plan->bytes));
	if (plan->file_length > 0) {
		response->fd = memfd_create("cgi", MFD_CLOEXEC);
		ck_assert(response->fd >= 0);
		for (size_t i = 0; i < sizeof(block); i++)
			block[i] = (char)('1' + i % 8);
		for (int64_t i = 0; i < plan->file_there; i += (int64_t)sizeof(block))
			ck_assert_int_eq(pwrite(response->fd, block, sizeof(block), i), sizeof(block));
		ck_assert_int_eq(ftruncate(response->fd, plan->file_there), 0);
		response_file(response, 0, plan->file_length);
	}
}

static void
finish(void *context, struct exchange *exchange)
{
	struct plan *plan = context;

	plan->finished++;
	plan->whole = exchange->whole;
	plan->sent = exchange->sent;
	if (exchange->response.fd >= 0)
		close(exchange->response.fd);
}

/* Serves into a pipe or a socket, blocking or not, that a child reads into a file. */
static int
serve(struct plan *plan, char *const *environment, int kind, struct buf *out)
{
	struct service service = { .context = plan, .respond = respond, .finish = finish, .wake_fd = -1 };
	int fds[2], file = memfd_create("out", MFD_CLOEXEC), result;
	pid_t reader;
	off_t size;

	if (kind < 2)
		ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	else
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	if (kind % 2 == 1)
		fcntl(fds[1], F_SETFL, O_NONBLOCK);
	reader = fork();
	if (reader == 0) {
		char bytes[5000];
		ssize_t n;

		close(fds[1]);
		while ((n = read(fds[0], bytes, sizeof(bytes))) > 0)
			if (write(file, bytes, (size_t)n) != n)
				_exit(1);
		_exit(0);
	}
	close(fds[0]);
	result = cgi_serve(&service, environment, -1, fds[1]);
	close(fds[1]);
	ck_assert_int_eq(waitpid(reader, NULL, 0), reader);
	size = lseek(file, 0, SEEK_END);
	ck_assert(buf_reserve(out, (size_t)size + 1));
	out->len = (size_t)pread(file, out->ptr, (size_t)size, 0);
	ck_assert_int_eq((off_t)out->len, size);
	close(file);
	return result;
}

static const struct {
	struct plan plan;
	int error;
	const char *start; /* of the output */
	int64_t length;    /* of the output */
} answers[] = {
	{ { .bytes = NULL }, 0, "Status: 200 OK\r\nContent-Length: 0\r\n\r\n", 37 },
	{ { .bytes = "hello" }, 0, "Status: 200 OK\r\nContent-Length: 5\r\n\r\nhello", 42 },
	{ { .file_length = 8, .file_there = 8 }, 0, "Status: 200 OK\r\nContent-Length: 8\r\n\r\n12345678", 45 },
	{ { .bytes = "ab", .file_length = 2000000, .file_there = 2000000 }, 0,
	  "Status: 200 OK\r\nContent-Length: 2000002\r\n\r\nab1234567812", 43 + 2000002 },
	{ { .bytes = "hello", .head = true }, 0, "Status: 200 OK\r\nContent-Length: 5\r\n\r\n", 37 },
	{ { .file_length = 2000000, .file_there = 2000000, .head = true }, 0,
	  "Status: 200 OK\r\nContent-Length: 2000000\r\n\r\n", 43 },
	/* A file that became shorter: no padding, an error. */
	{ { .file_length = 2000000, .file_there = 1000000 }, -EIO,
	  "Status: 200 OK\r\nContent-Length: 2000000\r\n\r\n12345678", 43 + 1000000 },
	{ { .file_length = 8, .file_there = 0 }, -EIO, "Status: 200 OK\r\nContent-Length: 8\r\n\r\n", 37 },
};

/* execve's arrays are of char *, so the strings are too. */
static char environment_text[][32] = {
	"REQUEST_METHOD=GET", "PATH_INFO=/a=b=c", "QUERY_STRING=", "NOT_A_VARIABLE", "=", "=x", "", "PATH_INFO2=/no",
	"HTTP_PROXY=evil",
};

START_TEST(answer)
{
	char *environment[ROWS(environment_text) + 1] = { NULL };

	for (int i = 0; i < ROWS(environment_text); i++)
		environment[i] = environment_text[i];
	for (int kind = 0; kind < 4; kind++) {
		struct plan plan = answers[_i].plan;
		struct buf out;

		buf_init(&out, CLIENT_MAX);
		ck_assert_int_eq(serve(&plan, environment, kind, &out), answers[_i].error);
		ck_assert(str_starts(buf_view(&out), str_from(answers[_i].start)));
		ck_assert_int_eq((int64_t)out.len, answers[_i].length);
		ck_assert_int_eq(plan.finished, 1);
		ck_assert(plan.whole == (answers[_i].error == 0));
		if (plan.whole)
			ck_assert_int_eq(plan.sent, answers[_i].length);
		ck_assert_str_is(plan.method, "GET");
		ck_assert_str_is(plan.path_info, "/a=b=c");
		ck_assert(plan.empty.ptr != NULL && plan.empty.len == 0);
		buf_release(&out);
	}
}
END_TEST

/* What is left of 300000 bytes that the front has to say before it listens. Without either variable nothing is read: some fronts
 * give the client's own connection. */
static const struct {
	char variable[40];
	int left;
} bodies[] = {
	{ "CONTENT_LENGTH=300000", 0 },
	{ "CONTENT_LENGTH=299990", 10 },
	{ "CONTENT_LENGTH=400000", 0 },
	{ "HTTP_TRANSFER_ENCODING=chunked", 0 },
	{ "CONTENT_LENGTH=", 300000 },
	{ "CONTENT_LENGTH=-1", 300000 },
	{ "CONTENT_LENGTH=0", 300000 },
	{ "HTTP_X=y", 300000 },
};

START_TEST(a_body_is_read)
{
	char variable[40], *environment[] = { variable, NULL };
	struct plan plan = { .bytes = "x" };
	struct service service = { .context = &plan, .respond = respond, .finish = finish, .wake_fd = -1 };
	int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);

	memcpy(variable, bodies[_i].variable, sizeof(variable));
	ck_assert_int_eq(ftruncate(in, 300000), 0);
	ck_assert_int_eq(cgi_serve(&service, environment, in, out), 0);
	ck_assert_int_eq(300000 - lseek(in, 0, SEEK_CUR), bodies[_i].left);
	ck_assert_int_eq(lseek(out, 0, SEEK_END), 38);
	close(in);
	close(out);
}
END_TEST

START_TEST(empty_environment)
{
	char *environment[] = { NULL };
	struct plan plan = { .bytes = "x" };
	struct buf out;

	buf_init(&out, CLIENT_MAX);
	ck_assert_int_eq(serve(&plan, environment, 0, &out), 0);
	ck_assert_ptr_null(plan.method.ptr);
	buf_release(&out);
}
END_TEST

/* Standard output may be a file opened for appending, which sendfile refuses. */
START_TEST(into_a_file_that_appends)
{
	struct plan plan = { .bytes = "ab", .file_length = 100000, .file_there = 100000 };
	struct service service = { .context = &plan, .respond = respond, .finish = finish, .wake_fd = -1 };
	char *environment[] = { NULL }, block[16];
	int fd = memfd_create("append", MFD_CLOEXEC);

	fcntl(fd, F_SETFL, O_APPEND);
	ck_assert_int_eq(cgi_serve(&service, environment, -1, fd), 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 42 + 100002);
	ck_assert_int_eq(pread(fd, block, 16, 42), 16);
	ck_assert(memcmp(block, "ab12345678123456", 16) == 0);
	close(fd);
}
END_TEST

START_TEST(reader_is_gone)
{
	struct plan plan = { .file_length = 1000000, .file_there = 1000000 };
	struct service service = { .context = &plan, .respond = respond, .finish = finish, .wake_fd = -1 };
	char *environment[] = { NULL };
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	close(fds[0]);
	ck_assert_int_eq(cgi_serve(&service, environment, -1, fds[1]), -EPIPE);
	ck_assert_int_eq(plan.finished, 1);
	ck_assert(!plan.whole);
	close(fds[1]);
}
END_TEST

Suite *
cgi_suite(void)
{
	Suite *suite = suite_create("cgi");

	suite_add_rows(suite, answer, answers);
	suite_add_rows(suite, a_body_is_read, bodies);
	suite_add_test(suite, empty_environment);
	suite_add_test(suite, into_a_file_that_appends);
	suite_add_test(suite, reader_is_gone);
	return suite;
}
