/* Records beside the usual ones: management, other roles, strangers, padding, and what is no FastCGI at all. */
#include "gateway/fastcgi.h"

#include "server.h"
#include "suites.h"

#include <sys/socket.h>

Suite *fastcgi_records_suite(void);

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

Suite *
fastcgi_records_suite(void)
{
	Suite *suite = suite_create("fastcgi_records");

	suite_add_case(suite, management, 1, NULL, NULL);
	suite_add_case(suite, unknown_role, ROWS(roles), NULL, NULL);
	suite_add_case(suite, broken_is_closed, ROWS(broken), NULL, NULL);
	suite_add_case(suite, strangers_and_padding, 1, NULL, NULL);
	suite_add_case(suite, unreadable_parameters, ROWS(unreadable), NULL, NULL);
	return suite;
}
