/* Nobody waits for another, no wait costs processor time, and what there is too little of is shared. */
#include "gateway/fastcgi.h"

#include "server.h"
#include "suites.h"

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

Suite *fastcgi_limits_suite(void);

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

/* Given up before it was whole, the first or the second one: then it is between two requests again. */
START_TEST(no_hurry_after_an_abort)
{
	struct server server;
	struct client client;
	struct buf wire;

	server_start_with(&server, false, 1, 0);
	server_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	if (_i == 1) {
		send_request(&client, 1, true, "/echo", "x");
		expect_answer(&client, 1, "x");
	}
	client_begin(&wire, 5, FCGI_RESPONDER, true);
	ck_assert(client_send(&client, buf_view(&wire)));
	usleep(50000);
	buf_reset(&wire);
	client_record(&wire, FCGI_ABORT_REQUEST, 5, S(""), 0);
	ck_assert(client_send(&client, buf_view(&wire)));
	expect_end(&client, 5, FCGI_REQUEST_COMPLETE);
	usleep(3500000);
	send_request(&client, 1, true, "/echo", "still here");
	expect_answer(&client, 1, "still here");
	client_close(&client);
	buf_release(&wire);
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

Suite *
fastcgi_limits_suite(void)
{
	Suite *suite = suite_create("fastcgi_limits");

	suite_add_case(suite, half_a_request_stops_nobody, 1, NULL, NULL);
	suite_add_case(suite, half_a_request_is_given_up, 1, NULL, NULL);
	suite_add_case(suite, no_hurry_after_an_abort, 2, NULL, NULL);
	suite_add_case(suite, slow_reader_stops_nobody, 1, NULL, NULL);
	suite_add_case(suite, out_of_descriptors, 1, NULL, NULL);
	suite_add_case(suite, no_busy_loop, 1, NULL, NULL);
	return suite;
}
