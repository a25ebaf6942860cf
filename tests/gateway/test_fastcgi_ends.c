/* Answers out of files, and answers that end before their time: given up by the front, or because the file, the front or the
 * server itself goes away. */
#include "gateway/fastcgi.h"

#include "server.h"
#include "suites.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

Suite *fastcgi_ends_suite(void);

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

Suite *
fastcgi_ends_suite(void)
{
	Suite *suite = suite_create("fastcgi_ends");

	suite_add_case(suite, abort_before_the_answer, ROWS(aborts), NULL, NULL);
	suite_add_case(suite, abort_while_the_answer_is_sent, 2, NULL, NULL);
	suite_add_case(suite, file, ROWS(file_sizes), NULL, NULL);
	suite_add_case(suite, file_truncated_while_sent, ROWS(cuts), NULL, NULL);
	suite_add_case(suite, client_closes_in_the_middle, 1, NULL, NULL);
	suite_add_case(suite, half_closed_client_gets_its_answer, 2, NULL, NULL);
	suite_add_case(suite, stop, 1, NULL, NULL);
	return suite;
}
