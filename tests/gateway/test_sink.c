/* What comes out of the other end of a socket pair is parsed by the test client: the content must be byte for byte that
 * of the exchange, whatever the socket takes at a time. */
#include "gateway/sink.h"

#include "client.h"
#include "suites.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *sink_suite(void);

#define ID 258

/* Different at every place that a wrong offset could hit. */
static char
pattern(size_t i)
{
	return (char)(i * 31 + i / 251 + i / 65521);
}

static void
put_pattern(struct buf *b, size_t length)
{
	ck_assert(buf_reserve(b, length + 1));
	for (size_t i = 0; i < length; i++)
		b->ptr[b->len++] = pattern(i);
}

static int
pattern_file(size_t length)
{
	int fd = memfd_create("sink", MFD_CLOEXEC);
	struct buf b;

	buf_init(&b, CLIENT_MAX);
	put_pattern(&b, length);
	ck_assert(fd >= 0 && write(fd, b.ptr, b.len) == (ssize_t)b.len);
	buf_release(&b);
	return fd;
}

/* An answer: a head, and up to six segments: of bytes ("b"), of the file ("f") at an offset. */
struct part {
	char kind;
	int64_t offset, length;
};

static const struct {
	size_t head;
	struct part parts[7];
	bool omitted;
} answers[] = {
	{ 0, { { 0, 0, 0 } }, false },
	{ 1, { { 0, 0, 0 } }, false },
	{ 65527, { { 0, 0, 0 } }, false },
	{ 65528, { { 0, 0, 0 } }, false },
	{ 65529, { { 0, 0, 0 } }, false },
	{ 100, { { 'b', 0, 0 } }, false },
	{ 100, { { 'b', 0, 1 } }, false },
	{ 100, { { 'b', 0, 65427 } }, false },
	{ 100, { { 'b', 0, 65428 } }, false },
	{ 100, { { 'b', 0, 65429 } }, false },
	{ 100, { { 'b', 0, 130955 } }, false },
	{ 100, { { 'b', 0, 130956 } }, false },
	{ 100, { { 'b', 0, 130957 } }, false },
	{ 100, { { 'b', 0, 1048576 } }, false },
	{ 100, { { 'b', 0, 5000000 } }, false },
	{ 100, { { 'f', 0, 0 } }, false },
	{ 100, { { 'f', 0, 1 } }, false },
	{ 100, { { 'f', 7, 65427 } }, false },
	{ 100, { { 'f', 7, 65428 } }, false },
	{ 100, { { 'f', 7, 65429 } }, false },
	{ 100, { { 'f', 0, 130956 } }, false },
	{ 65528, { { 'f', 0, 65528 } }, false },
	{ 65528, { { 'f', 0, 65529 } }, false },
	{ 100, { { 'f', 0, 1048576 } }, false },
	{ 100, { { 'f', 3, 5000000 } }, false },
	{ 100, { { 'b', 0, 80 }, { 'f', 5, 100 }, { 'b', 80, 80 }, { 'f', 500, 300000 }, { 'b', 160, 30 } }, false },
	{ 100, { { 'b', 0, 0 }, { 'f', 0, 0 }, { 'b', 0, 5 }, { 'f', 9, 0 }, { 'b', 9, 0 }, { 'f', 2, 5 } }, false },
	{ 100, { { 'f', 1000, 10 }, { 'f', 0, 65418 }, { 'f', 5, 1 }, { 'b', 0, 65527 }, { 'b', 3, 1 }, { 'f', 1, 1 } }, false },
	{ 300, { { 'f', 0, 1048576 } }, true },
	{ 300, { { 'b', 0, 100 } }, true },
};

/* Rows that other tests take. */
#define LARGE_BYTES 14
#define LARGE_FILE 24

struct setup {
	struct exchange exchange;
	struct buf want;
	struct sink sink;
	int write_fd;
	struct client client;
};

static void
setup_start(struct setup *s, int row, int buffer)
{
	struct response *response = &s->exchange.response;
	size_t size = 0;
	int fds[2];

	for (const struct part *part = answers[row].parts; part->kind != 0; part++)
		if ((size_t)(part->offset + part->length) > size)
			size = (size_t)(part->offset + part->length);
	exchange_init(&s->exchange);
	buf_init(&s->want, CLIENT_MAX);
	put_pattern(&s->exchange.head, answers[row].head);
	put_pattern(&response->text, size);
	buf_str(&s->want, buf_view(&s->exchange.head));
	response->fd = pattern_file(size);
	response->content_omitted = answers[row].omitted;
	for (const struct part *part = answers[row].parts; part->kind != 0; part++) {
		struct str bytes = str_sub(buf_view(&response->text), (size_t)part->offset, (size_t)part->length);

		if (part->kind == 'b')
			response_bytes(response, bytes);
		else
			response_file(response, part->offset, part->length);
		if (!answers[row].omitted)
			buf_str(&s->want, bytes);
	}
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	s->write_fd = fds[0];
	ck_assert_int_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
	client_from(&s->client, fds[1]);
	sink_start(&s->sink, &s->exchange, ID);
}

static void
setup_end(struct setup *s)
{
	if (s->write_fd >= 0)
		close(s->write_fd);
	close(s->exchange.response.fd);
	client_close(&s->client);
	exchange_release(&s->exchange);
	buf_release(&s->want);
}

/* Moves what has been written into the client's memory, `most` bytes at a time; never waits. */
static bool
move(struct client *client, size_t most)
{
	ssize_t n;

	ck_assert(buf_reserve(&client->in, most));
	n = recv(client->fd, client->in.ptr + client->in.len, most, MSG_DONTWAIT);
	if (n > 0)
		client->in.len += (size_t)n;
	return n > 0;
}

static enum sink_result
write_all(struct setup *s, size_t most)
{
	enum sink_result result;

	while ((result = sink_write(&s->sink, s->write_fd)) == SINK_BLOCKED || result == SINK_AGAIN)
		while (move(&s->client, most) && most > 5000)
			;
	while (move(&s->client, 65536))
		;
	return result;
}

static const int buffers[] = { 1, 20000, 212992, 4000000 };

START_TEST(whole_answer)
{
	for (int i = 0; i < 2 * ROWS(buffers); i++) {
		struct client_answer answer;
		struct setup s;

		setup_start(&s, _i, buffers[i / 2]);
		s.exchange.response.fd_is_stable = i % 2 == 1;
		answer_init(&answer, ID);
		ck_assert_int_eq(write_all(&s, i < 2 ? 4099 : 262144), SINK_DONE);
		close(s.write_fd);
		s.write_fd = -1;
		ck_assert_int_eq(client_answer(&s.client, &answer), CLIENT_OK);
		ck_assert(answer.out_ended);
		ck_assert_int_eq(answer.protocol_status, FCGI_REQUEST_COMPLETE);
		ck_assert(str_eq(buf_view(&answer.out), buf_view(&s.want)));
		ck_assert_uint_eq(s.client.used, s.client.in.len);
		ck_assert_int_eq(s.exchange.sent, (int64_t)s.want.len);
		ck_assert(s.exchange.whole);
		answer_release(&answer);
		setup_end(&s);
	}
}
END_TEST

/* Abort after any number of bytes: the records that come are whole, a beginning of the content, and END_REQUEST
 * follows at once. */
START_TEST(aborted_answer)
{
	unsigned random = 7 + (unsigned)_i;

	for (int round = 0; round < 8; round++) {
		struct client_answer answer;
		struct setup s;
		int64_t before;

		random = random * 1103515245 + 12345;
		setup_start(&s, _i, round == 0 ? 1000000 : (int)(random >> 8) % 200000);
		s.exchange.response.fd_is_stable = round % 2 == 1;
		answer_init(&answer, ID);
		for (unsigned turns = round == 0 ? 0 : (random >> 16) % 8; turns > 0; turns--) {
			if (sink_write(&s.sink, s.write_fd) != SINK_BLOCKED)
				break;
			move(&s.client, 1 + (random >> 4) % 100000);
		}
		before = s.sink.position;
		sink_abort(&s.sink);
		sink_abort(&s.sink);
		if (before < s.sink.position || !s.exchange.whole)
			ck_assert_int_eq(write_all(&s, 65536), SINK_DONE);
		close(s.write_fd);
		s.write_fd = -1;
		while (move(&s.client, 65536))
			;
		ck_assert_int_eq(client_answer(&s.client, &answer), CLIENT_OK);
		ck_assert(answer.out_ended);
		ck_assert(str_starts(buf_view(&s.want), buf_view(&answer.out)));
		ck_assert_int_le((int64_t)answer.out.len, before + SINK_RECORD);
		ck_assert_uint_eq(s.client.used, s.client.in.len);
		ck_assert_int_eq(s.exchange.sent, (int64_t)answer.out.len);
		ck_assert(s.exchange.whole == (answer.out.len == s.want.len));
		answer_release(&answer);
		setup_end(&s);
	}
}
END_TEST

/* The file shrinks before, within and at the very end of what is promised. */
static const struct {
	int64_t promised, there;
} shrunk[] = { { 1, 0 }, { 100, 99 }, { 65428, 65427 }, { 70000, 65428 }, { 1000000, 500000 }, { 5000000, 4999999 } };

START_TEST(file_became_shorter)
{
	struct client_answer answer;
	struct setup s;
	int wrong = 0;

	setup_start(&s, LARGE_FILE, 212992);
	s.exchange.response.segment_count = 0;
	response_file(&s.exchange.response, 0, shrunk[_i].promised);
	sink_start(&s.sink, &s.exchange, ID);
	ck_assert_int_eq(ftruncate(s.exchange.response.fd, shrunk[_i].there), 0);
	answer_init(&answer, ID);
	ck_assert_int_eq(write_all(&s, 65536), SINK_FAILED);
	ck_assert(!s.exchange.whole);
	ck_assert_int_eq(s.exchange.sent, 100 + shrunk[_i].there);
	close(s.write_fd);
	s.write_fd = -1;
	ck_assert_int_ne(client_answer(&s.client, &answer), CLIENT_OK);
	ck_assert_int_eq(answer.protocol_status, -1);
	for (size_t i = 100; i < answer.out.len; i++)
		wrong += answer.out.ptr[i] != pattern(i - 100);
	ck_assert_int_eq(wrong, 0);
	answer_release(&answer);
	setup_end(&s);
}
END_TEST

START_TEST(reader_is_gone)
{
	struct setup s;

	setup_start(&s, LARGE_BYTES, 4096);
	ck_assert_int_eq(sink_write(&s.sink, s.write_fd), SINK_BLOCKED);
	client_close(&s.client);
	ck_assert_int_eq(sink_write(&s.sink, s.write_fd), SINK_FAILED);
	ck_assert(!s.exchange.whole);
	setup_end(&s);
}
END_TEST

/* A reader as fast as the writer does not keep the loop for itself. */
START_TEST(takes_turns)
{
	struct setup s;
	enum sink_result result;
	pid_t reader;
	int turns = 0;

	setup_start(&s, LARGE_BYTES, 4000000);
	reader = fork();
	if (reader == 0) {
		char bytes[65536];

		close(s.write_fd);
		while (recv(s.client.fd, bytes, sizeof(bytes), 0) > 0)
			;
		_exit(0);
	}
	while ((result = sink_write(&s.sink, s.write_fd)) == SINK_AGAIN || result == SINK_BLOCKED)
		turns += result == SINK_AGAIN;
	ck_assert_int_eq(result, SINK_DONE);
	ck_assert_int_le(turns, 3);
	close(s.write_fd);
	s.write_fd = -1;
	waitpid(reader, NULL, 0);
	setup_end(&s);
}
END_TEST

/* Without memory for the head nothing goes out: no torn one, and no content without one. */
START_TEST(no_memory_for_the_head)
{
	struct setup s;

	setup_start(&s, 12, 212992);
	ck_assert(!buf_reserve(&s.exchange.head, s.exchange.head.max));
	ck_assert_int_eq(sink_write(&s.sink, s.write_fd), SINK_FAILED);
	ck_assert(!move(&s.client, 1));
	ck_assert(!s.exchange.whole);
	setup_end(&s);
}
END_TEST

Suite *
sink_suite(void)
{
	Suite *suite = suite_create("sink");

	suite_add_rows(suite, whole_answer, answers);
	suite_add_rows(suite, aborted_answer, answers);
	suite_add_rows(suite, file_became_shorter, shrunk);
	suite_add_test(suite, reader_is_gone);
	suite_add_test(suite, takes_turns);
	suite_add_test(suite, no_memory_for_the_head);
	return suite;
}
