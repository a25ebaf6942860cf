#include "gateway/exchange.h"

#include "suites.h"

Suite *exchange_suite(void);

static const struct {
	enum status status;
	bool local_redirect;
	int64_t content_length;
	const char *fields;
	const char *head;
} heads[] = {
	{ STATUS_OK, false, 5, "Content-Type: text/plain\r\n",
	  "Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n" },
	{ STATUS_OK, false, 0, "", "Status: 200 OK\r\nContent-Length: 0\r\n\r\n" },
	{ STATUS_OK, false, 5368709120, "", "Status: 200 OK\r\nContent-Length: 5368709120\r\n\r\n" },
	{ STATUS_OK, false, INT64_MAX, "", "Status: 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n" },
	/* Hand-off: the front knows the length. */
	{ STATUS_OK, false, -1, "X-Sendfile: /srv/a\r\n", "Status: 200 OK\r\nX-Sendfile: /srv/a\r\n\r\n" },
	{ STATUS_NO_CONTENT, false, -1, "Allow: GET\r\n", "Status: 204 No Content\r\nAllow: GET\r\n\r\n" },
	{ STATUS_PARTIAL_CONTENT, false, 1, "", "Status: 206 Partial Content\r\nContent-Length: 1\r\n\r\n" },
	{ STATUS_MOVED_PERMANENTLY, false, 0, "Location: /d/\r\n",
	  "Status: 301 Moved Permanently\r\nLocation: /d/\r\nContent-Length: 0\r\n\r\n" },
	{ STATUS_NOT_MODIFIED, false, -1, "ETag: \"x\"\r\n", "Status: 304 Not Modified\r\nETag: \"x\"\r\n\r\n" },
	{ STATUS_NOT_FOUND, false, 9, "", "Status: 404 Not Found\r\nContent-Length: 9\r\n\r\n" },
	/* RFC 3875 6.2.2 */
	{ STATUS_OK, true, -1, "Location: /protected/a\r\n", "Location: /protected/a\r\n\r\n" },
};

START_TEST(head)
{
	struct exchange exchange;

	exchange_init(&exchange);
	exchange.response.status = heads[_i].status;
	exchange.response.local_redirect = heads[_i].local_redirect;
	exchange.response.content_length = heads[_i].content_length;
	buf_text(&exchange.response.fields, heads[_i].fields);
	exchange_write_head(&exchange);
	ck_assert_str_is(buf_view(&exchange.head), heads[_i].head);
	exchange_release(&exchange);
}
END_TEST

START_TEST(content_length)
{
	struct exchange exchange;

	exchange_init(&exchange);
	ck_assert_int_eq(exchange_content_length(&exchange), 0);
	response_bytes(&exchange.response, S("abc"));
	response_bytes(&exchange.response, S(""));
	response_file(&exchange.response, 100, 5368709120);
	ck_assert_int_eq(exchange_content_length(&exchange), 5368709123);
	exchange.response.content_omitted = true;
	ck_assert_int_eq(exchange_content_length(&exchange), 0);
	exchange_release(&exchange);
}
END_TEST

/* A head of the most fields that a response can have still ends with its blank line. */
START_TEST(largest_head)
{
	struct exchange exchange;

	exchange_init(&exchange);
	exchange.response.status = STATUS_OK;
	exchange.response.content_length = INT64_MAX;
	while (!buf_failed(&exchange.response.fields))
		buf_text(&exchange.response.fields, "Field: xxxxxxxx\r\n");
	exchange_write_head(&exchange);
	ck_assert(!buf_failed(&exchange.head));
	ck_assert(str_ends(buf_view(&exchange.head), S("\r\n\r\n")));
	exchange_release(&exchange);
}
END_TEST

START_TEST(reset_leaves_nothing)
{
	struct exchange exchange;

	exchange_init(&exchange);
	params_set(&exchange.params, S("PATH_INFO"), S("/x"));
	exchange.request.method = METHOD_OPTIONS;
	exchange.request.refused = STATUS_NOT_FOUND;
	exchange.refused = STATUS_BAD_REQUEST;
	exchange.sent = 10;
	exchange.whole = true;
	exchange.response.status = STATUS_OK;
	exchange.response.content_omitted = true;
	buf_text(&exchange.scratch, "scratch");
	while (exchange.response.text.len < 1000000)
		buf_text(&exchange.response.text, "a large listing");
	response_bytes(&exchange.response, buf_view(&exchange.response.text));
	exchange_write_head(&exchange);
	exchange_reset(&exchange);
	ck_assert_ptr_null(exchange.params.values[PARAM_PATH_INFO].ptr);
	ck_assert_int_eq(exchange.request.method, METHOD_GET);
	ck_assert_int_eq(exchange.request.refused, 0);
	ck_assert_int_eq(exchange.refused, 0);
	ck_assert_int_eq(exchange.sent, 0);
	ck_assert(!exchange.whole);
	ck_assert_int_eq(exchange.response.status, 0);
	ck_assert_int_eq(exchange.response.fd, -1);
	ck_assert_uint_eq(exchange.response.segment_count, 0);
	ck_assert_uint_eq(exchange.scratch.len, 0);
	ck_assert_uint_eq(exchange.head.len, 0);
	/* A megabyte is not kept for the next. */
	ck_assert_uint_le(exchange.response.text.cap, 262144);
	exchange_release(&exchange);
}
END_TEST

/* Whoever asks again came when he came. */
START_TEST(again_keeps_the_arrival)
{
	struct exchange exchange;

	exchange_init(&exchange);
	exchange.request.method = METHOD_OPTIONS;
	exchange.request.received = 1;
	exchange.request.order = 2;
	exchange_again(&exchange);
	ck_assert_int_eq(exchange.request.method, METHOD_GET);
	ck_assert_int_eq(exchange.request.received, 1);
	ck_assert_uint_eq(exchange.request.order, 2);
	exchange_reset(&exchange);
	ck_assert_uint_eq(exchange.request.order, 0);
	exchange_release(&exchange);
}
END_TEST

Suite *
exchange_suite(void)
{
	Suite *suite = suite_create("exchange");

	suite_add_rows(suite, head, heads);
	suite_add_test(suite, content_length);
	suite_add_test(suite, largest_head);
	suite_add_test(suite, reset_leaves_nothing);
	suite_add_test(suite, again_keeps_the_arrival);
	return suite;
}
