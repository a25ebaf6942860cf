/* Whole requests, one after the other and side by side: cut anywhere, kept alive, pipelined, interleaved. */
#include "gateway/fastcgi.h"

#include "server.h"
#include "suites.h"

#include <unistd.h>

Suite *fastcgi_suite(void);

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

Suite *
fastcgi_suite(void)
{
	Suite *suite = suite_create("fastcgi");

	suite_add_case(suite, cut_at_every_byte, 1, NULL, NULL);
	suite_add_case(suite, byte_by_byte_over_tcp, 1, NULL, NULL);
	suite_add_case(suite, keep_alive, 1, NULL, NULL);
	suite_add_case(suite, head, 1, NULL, NULL);
	suite_add_case(suite, pipelined, 1, NULL, NULL);
	suite_add_case(suite, second_request_before_the_first_is_answered, 1, NULL, NULL);
	suite_add_case(suite, interleaved_connections, 1, NULL, NULL);
	suite_add_case(suite, large_body_is_read_and_dropped, 1, NULL, NULL);
	return suite;
}
