/* Where each request of places.c is located, and what else is taken from the variables. */
#include "gateway/locate.h"

#include "client.h"
#include "places.h"
#include "suites.h"

Suite *locate_suite(void);

static bool
is_script(void *context, struct str path)
{
	(void)context;
	return str_eq(path, S("/C/x.fcgi")) || str_eq(path, S("/W/t/l.fcgi"));
}

static void
locate(struct exchange *exchange, const char *const *pairs, bool has_root, const char *prefix)
{
	struct locate_options options = {
		.has_root = has_root, .url_prefix = str_from(prefix), .is_self = is_script
	};

	exchange_init(exchange);
	for (; *pairs != NULL; pairs++) {
		struct str value = str_from(*pairs), name;

		str_cut(&value, '=', &name);
		params_set(&exchange->params, name, value);
	}
	locate_request(exchange, &options);
}

START_TEST(place)
{
	const struct place *want = &places[_i];
	struct exchange exchange;
	const struct request *request = &exchange.request;

	locate(&exchange, want->pairs, want->has_root, want->prefix);
	ck_assert_ptr_nonnull(request->located);
	ck_assert_msg(
	    strcmp(request->located, want->located) == 0 && (request->refused != 0) == (want->url == NULL),
	    "%s: %s, %d, %.*s %.*s %.*s", want->what, request->located, request->refused,
	    STR_ARGS(request->url), STR_ARGS(request->root), STR_ARGS(request->path));
	if (want->url != NULL) {
		ck_assert_str_is(request->url, want->url);
		ck_assert_str_is(request->root, want->root);
		ck_assert_str_is(request->path, want->path);
		ck_assert(request->directory_only == want->directory_only);
	} else {
		ck_assert_int_eq(request->refused, STATUS_NOT_FOUND);
	}
	exchange_release(&exchange);
}
END_TEST

/* What a client can write changes nothing, whatever the deployment. */
START_TEST(headers_do_not_matter)
{
	static const char *const headers[] = {
		"HTTP_STATICGI_ROOT=/evil",
		"HTTP_STATICGI_PATH=/evil/f",
		"HTTP_REDIRECT_STATICGI_ROOT=/evil",
		"HTTP_REDIRECT_STATUS=200",
		"HTTP_REDIRECT_URL=/evil",
		"HTTP_PATH_INFO=/evil",
		"HTTP_PATH_TRANSLATED=/evil",
		"HTTP_SCRIPT_FILENAME=/evil",
		"HTTP_PATH_TRANSLATED_DIRINDEX=/evil/",
		"HTTP_CONTEXT_DOCUMENT_ROOT=/evil",
		"HTTP_DOCUMENT_ROOT=/evil",
		"HTTP_STATICGI_HANDOFF=x-sendfile",
	};
	const char *pairs[PAIRS + ROWS(headers) + 1] = { NULL };
	const struct place *want = &places[_i];
	struct exchange exchange;
	int count = 0;

	while (want->pairs[count] != NULL) {
		pairs[count] = want->pairs[count];
		count++;
	}
	for (int i = 0; i < ROWS(headers); i++)
		pairs[count++] = headers[i];
	locate(&exchange, pairs, want->has_root, want->prefix);
	ck_assert_str_eq(exchange.request.located, want->located);
	if (want->url != NULL) {
		ck_assert_str_is(exchange.request.root, want->root);
		ck_assert_str_is(exchange.request.path, want->path);
	}
	ck_assert_uint_eq(exchange.request.handoff.len, 0);
	exchange_release(&exchange);
}
END_TEST

/* NUL is a byte like any other here and is still there when the path is judged (path_check refuses it):
 * nothing may end a string before its end. */
static const struct {
	const char *name;
	struct str value;
} nuls[] = {
	{ "PATH_TRANSLATED", STR("/W/t/f.txt\0.png") },
	{ "PATH_INFO", STR("/t/f.txt\0.png") },
	{ "REDIRECT_URL", STR("/t/f.txt\0.png") },
	{ "REDIRECT_STATUS", STR("200\0") },
	{ "SCRIPT_FILENAME", STR("/C/x.fcgi\0") },
	{ "STATICGI_PATH", STR("/W/t/f.txt\0") },
	{ "STATICGI_ROOT", STR("/W\0/x") },
	{ "PATH_TRANSLATED_DIRINDEX", STR("/W/t\0/") },
};

START_TEST(nul_byte)
{
	struct locate_options options = { .is_self = is_script };
	struct exchange exchange;
	const struct request *request = &exchange.request;

	exchange_init(&exchange);
	params_set(&exchange.params, S("SCRIPT_NAME"), S("/cgi-bin/x.fcgi"));
	params_set(&exchange.params, S("SCRIPT_FILENAME"), S("/C/x.fcgi"));
	params_set(&exchange.params, S("DOCUMENT_ROOT"), S("/W"));
	params_set(&exchange.params, S("REQUEST_URI"), S("/t/f.txt"));
	params_set(&exchange.params, str_from(nuls[_i].name), nuls[_i].value);
	locate_request(&exchange, &options);
	ck_assert(request->refused != 0 || str_has(request->path, '\0') || str_has(request->root, '\0'));
	exchange_release(&exchange);
}
END_TEST

START_TEST(action_with_nul_byte)
{
	struct locate_options options = { .is_self = is_script };
	struct exchange exchange;

	exchange_init(&exchange);
	params_set(&exchange.params, S("SCRIPT_FILENAME"), S("/C/x.fcgi"));
	params_set(&exchange.params, S("PATH_INFO"), S("/t/denied\0/ok"));
	params_set(&exchange.params, S("REDIRECT_URL"), S("/t/denied"));
	params_set(&exchange.params, S("PATH_TRANSLATED"), S("/W/t/denied"));
	locate_request(&exchange, &options);
	ck_assert_str_eq(exchange.request.located, DIRECT);
	exchange_release(&exchange);
}
END_TEST

/* The fields that need no locating, also of a request that is refused. */
START_TEST(fields)
{
	static const char *const pairs[] = {
		"REQUEST_METHOD=HEAD",
		"SERVER_SOFTWARE=lighttpd/1.4.69",
		"QUERY_STRING=",
		"REQUEST_URI=/x?a=%20b&c",
		"REDIRECT_REMOTE_USER=bob",
		"REDIRECT_STATICGI_HANDOFF=x-sendfile",
		"HTTP_RANGE=bytes=0-1",
		"HTTP_IF_MATCH=\"m\"",
		"HTTP_IF_NONE_MATCH=\"n\"",
		"HTTP_IF_MODIFIED_SINCE=since",
		"HTTP_IF_UNMODIFIED_SINCE=unmodified",
		"HTTP_IF_RANGE=\"r\"",
		"HTTP_ACCEPT=",
		NULL,
	};
	struct exchange exchange;
	const struct request *request = &exchange.request;

	locate(&exchange, pairs, false, NULL);
	ck_assert_int_ne(request->refused, 0);
	ck_assert_int_eq(request->method, METHOD_HEAD);
	ck_assert_int_eq(request->front, FRONT_LIGHTTPD);
	ck_assert_str_is(request->query, "a=%20b&c");
	ck_assert(request->authenticated);
	ck_assert_str_is(request->handoff, "x-sendfile");
	ck_assert_str_is(request->range, "bytes=0-1");
	ck_assert_str_is(request->if_match, "\"m\"");
	ck_assert_str_is(request->if_none_match, "\"n\"");
	ck_assert_str_is(request->if_modified_since, "since");
	ck_assert_str_is(request->if_unmodified_since, "unmodified");
	ck_assert_str_is(request->if_range, "\"r\"");
	ck_assert_ptr_nonnull(request->accept.ptr);
	ck_assert_ptr_null(request->accept_encoding.ptr);
	exchange_release(&exchange);
}
END_TEST

static const struct {
	const char *software;
	enum front front;
} softwares[] = {
	{ "SERVER_SOFTWARE=Apache/2.4.71 (Debian) mod_fcgid/2.3.9", FRONT_APACHE },
	{ "SERVER_SOFTWARE=Apache", FRONT_APACHE },
	{ "SERVER_SOFTWARE=lighttpd/1.4.69", FRONT_LIGHTTPD },
	{ "SERVER_SOFTWARE=nginx/1.22.1", FRONT_NGINX },
	{ "SERVER_SOFTWARE=LiteSpeed", FRONT_LITESPEED },
	{ "SERVER_SOFTWARE=litespeed", FRONT_LITESPEED },
	{ "SERVER_SOFTWARE=Caddy", FRONT_UNKNOWN },
	{ "SERVER_SOFTWARE=ngin", FRONT_UNKNOWN },
	{ "SERVER_SOFTWARE=", FRONT_UNKNOWN },
	{ "SERVER_NAME=nginx", FRONT_UNKNOWN },
};

START_TEST(software)
{
	struct exchange exchange;

	locate(&exchange, (const char *const[]){ softwares[_i].software, NULL }, false, NULL);
	ck_assert_int_eq(exchange.request.front, softwares[_i].front);
	exchange_release(&exchange);
}
END_TEST

static const enum status refusals[] = { STATUS_BAD_REQUEST, STATUS_FIELDS_TOO_LARGE };

START_TEST(unreadable_parameters)
{
	struct locate_options options = { .has_root = true, .is_self = is_script };
	struct exchange exchange;

	exchange_init(&exchange);
	exchange.refused = refusals[_i];
	params_set(&exchange.params, S("SCRIPT_NAME"), S("/x"));
	locate_request(&exchange, &options);
	ck_assert_int_eq(exchange.request.refused, refusals[_i]);
	exchange_release(&exchange);
}
END_TEST

/* The longest parameters there are, each in every place, do not move the memory that earlier strings point
 * into. */
START_TEST(long_parameters)
{
	static const char *const names[] = {
		"SCRIPT_NAME",
		"PATH_INFO",
		"REDIRECT_URL",
		"PATH_TRANSLATED",
		"SCRIPT_FILENAME",
		"REQUEST_URI",
		"CONTEXT_DOCUMENT_ROOT",
		"DOCUMENT_ROOT",
		"STATICGI_PATH",
	};
	struct buf path;

	buf_init(&path, CLIENT_MAX);
	buf_char(&path, '/');
	for (int i = 0; i < 250000; i++)
		buf_char(&path, i % 100 == 0 ? '/' : 'x');
	for (int without = 0; without <= ROWS(names); without++) {
		struct locate_options options = { .is_self = is_script };
		struct exchange exchange;

		exchange_init(&exchange);
		for (int i = 0; i < ROWS(names) - without; i++)
			params_set(&exchange.params, str_from(names[i]), buf_view(&path));
		locate_request(&exchange, &options);
		if (exchange.request.refused == 0)
			ck_assert(str_starts(exchange.request.path, S("/")));
		exchange_release(&exchange);
	}
	buf_release(&path);
}
END_TEST

Suite *
locate_suite(void)
{
	Suite *suite = suite_create("locate");

	suite_add_case(suite, place, places_count, NULL, NULL);
	suite_add_case(suite, headers_do_not_matter, places_count, NULL, NULL);
	suite_add_rows(suite, nul_byte, nuls);
	suite_add_test(suite, action_with_nul_byte);
	suite_add_test(suite, fields);
	suite_add_rows(suite, software, softwares);
	suite_add_rows(suite, unreadable_parameters, refusals);
	suite_add_test(suite, long_parameters);
	return suite;
}
