/* Answers that a thread works on: settled later, given up, and never in the way of others. */
#include "gateway/fastcgi.h"

#include "suites.h"
#include "waits.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

Suite *waiting_suite(void);

#define LARGE 20000000
#define LARGE_TEXT "20000000"

START_TEST(settled_later)
{
	struct waits server;
	struct client client, idle;

	waits_start(&server);
	waits_connect(&server, &idle);
	waits_ask(&idle, "/", "3");
	waits_expect_answer(&idle, 3);
	waits_ask_unsettled(&server, &client, "/wait/0", "1000");
	waits_expect_nothing(&client);
	waits_done(&server, 1); /* nobody's */
	waits_expect_nothing(&client);
	waits_done(&server, 0);
	waits_expect_answer(&client, 1000);
	waits_expect_count(&server.woken, 2);
	/* The connection serves on. */
	waits_ask(&client, "/", "5");
	waits_expect_answer(&client, 5);
	client_close(&client);
	client_close(&idle);
	waits_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 3);
}
END_TEST

/* While the loop is busy the work ends and somebody else asks: one turn has both. Row 1: who asks ends the work. */
START_TEST(an_ordinary_request_in_the_same_turn)
{
	struct client busy, waiting, ordinary[3];
	struct waits server;

	waits_start(&server);
	waits_ask_unsettled(&server, &waiting, "/wait/0", "7");
	waits_connect(&server, &busy);
	waits_ask(&busy, "/hold", "1");
	sem_wait(&server.entered);
	for (int i = 0; i < ROWS(ordinary); i++) {
		waits_connect(&server, &ordinary[i]);
		waits_ask(&ordinary[i], _i == 1 && i == 1 ? "/end/0" : "/", "2");
	}
	if (_i == 0)
		waits_done(&server, 0);
	sem_post(&server.go);
	waits_expect_answer(&waiting, 7);
	waits_expect_answer(&busy, 1);
	for (int i = 0; i < ROWS(ordinary); i++) {
		waits_expect_answer(&ordinary[i], 2);
		client_close(&ordinary[i]);
	}
	client_close(&busy);
	client_close(&waiting);
	waits_stop(&server);
}
END_TEST

/* Work that ends while the waiting ones are tried again, before or behind the one whose it is. */
START_TEST(two_that_end_at_different_times)
{
	struct client first, second;
	struct waits server;

	waits_start(&server);
	waits_ask_unsettled(&server, &first, _i == 0 ? "/wait/0" : "/wait/1", _i == 0 ? "next" : "9");
	waits_ask_unsettled(&server, &second, _i == 0 ? "/wait/1" : "/wait/0", _i == 0 ? "9" : "next");
	waits_done(&server, 0);
	waits_expect_answer(&first, _i == 0 ? 2 : 9);
	waits_expect_answer(&second, _i == 0 ? 9 : 2);
	waits_expect_count(&server.woken, 2);
	client_close(&first);
	client_close(&second);
	waits_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 2);
}
END_TEST

/* Nobody is left to answer: given up at once, and no busy loop meanwhile. Row 1: it half-closes first. */
START_TEST(hangs_up)
{
	struct client client, other;
	struct waits server;

	waits_start(&server);
	waits_ask_unsettled(&server, &other, "/wait/1", "4");
	waits_ask_unsettled(&server, &client, "/wait/0", "1000");
	if (_i == 1) {
		shutdown(client.fd, SHUT_WR);
		waits_expect_idle(&server);
		ck_assert_int_eq(atomic_load(&server.finished), 0);
	}
	client_close(&client);
	waits_expect_idle(&server);
	waits_expect_count(&server.finished, 1);
	waits_done(&server, 0);
	waits_done(&server, 1);
	waits_expect_answer(&other, 4);
	client_close(&other);
	waits_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 2);
}
END_TEST

/* A large answer blocks: what is asked of epoll changes once more. */
START_TEST(half_closed_gets_its_answer)
{
	struct waits server;
	struct client client;

	waits_start(&server);
	waits_ask_unsettled(&server, &client, "/wait/0", _i == 0 ? "10" : LARGE_TEXT);
	shutdown(client.fd, SHUT_WR);
	waits_expect_idle(&server);
	waits_done(&server, 0);
	usleep(50000);
	waits_expect_answer(&client, _i == 0 ? 10 : LARGE);
	ck_assert_int_eq(client_next(&client, &(struct client_record){ 0 }, 10000), CLIENT_CLOSED);
	client_close(&client);
	waits_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 1);
}
END_TEST

/* The front gives up the request and keeps the connection. */
START_TEST(aborted)
{
	struct client_record record;
	struct waits server;
	struct client client;
	struct buf wire;

	waits_start(&server);
	waits_ask_unsettled(&server, &client, "/wait/0", "1000");
	buf_init(&wire, CLIENT_MAX);
	client_record(&wire, FCGI_ABORT_REQUEST, 1, S(""), 0);
	ck_assert(client_send(&client, buf_view(&wire)));
	buf_release(&wire);
	ck_assert_int_eq(client_next(&client, &record, 10000), CLIENT_OK);
	ck_assert_int_eq(record.type, FCGI_END_REQUEST);
	waits_ask(&client, "/", "6");
	waits_expect_answer(&client, 6);
	client_close(&client);
	waits_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 2);
}
END_TEST

/* The worker is told to end meanwhile: not before that is answered. Row 1: the work ends in the same turn. */
START_TEST(stop_while_it_waits)
{
	struct waits server;
	struct client client;

	waits_start(&server);
	waits_ask_unsettled(&server, &client, "/wait/0", "1000");
	if (_i == 1)
		waits_done(&server, 0);
	eventfd_write(server.options.stop_fd, 1);
	if (_i == 0) {
		waits_expect_nothing(&client);
		waits_done(&server, 0);
	}
	waits_expect_answer(&client, 1000);
	ck_assert_int_eq(client_next(&client, &(struct client_record){ 0 }, 10000), CLIENT_CLOSED);
	client_close(&client);
	waits_stop(&server);
	ck_assert_int_eq(atomic_load(&server.finished), 1);
}
END_TEST

/* A body that takes longer than a request's head may: it goes on. Row 1: it does not. */
START_TEST(slow_body)
{
	struct waits server;
	struct client client;
	struct buf wire;

	waits_start(&server);
	waits_connect(&server, &client);
	buf_init(&wire, CLIENT_MAX);
	waits_put_start(&wire, true, "/", "8");
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
		waits_expect_answer(&client, 8);
	} else {
		ck_assert_int_eq(client_next(&client, &(struct client_record){ 0 }, 10000), CLIENT_CLOSED);
	}
	client_close(&client);
	buf_release(&wire);
	waits_stop(&server);
}
END_TEST

Suite *
waiting_suite(void)
{
	Suite *suite = suite_create("waiting");

	suite_add_case(suite, settled_later, 1, NULL, NULL);
	suite_add_case(suite, an_ordinary_request_in_the_same_turn, 2, NULL, NULL);
	suite_add_case(suite, two_that_end_at_different_times, 2, NULL, NULL);
	suite_add_case(suite, hangs_up, 2, NULL, NULL);
	suite_add_case(suite, half_closed_gets_its_answer, 2, NULL, NULL);
	suite_add_case(suite, aborted, 1, NULL, NULL);
	suite_add_case(suite, stop_while_it_waits, 2, NULL, NULL);
	suite_add_case(suite, slow_body, 2, NULL, NULL);
	return suite;
}
