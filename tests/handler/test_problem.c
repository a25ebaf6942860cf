/* Errors, redirects and OPTIONS as answers. */
#include "handler/problem.h"

#include "handler/fixture.h"
#include "suites.h"

#include <errno.h>

Suite *problem_suite(void);

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static const struct {
	int error;
	enum status status;
} errors[] = {
	{ ENOENT, 404 }, { ENOTDIR, 404 }, { ELOOP, 404 }, { EXDEV, 404 }, { ENAMETOOLONG, 404 },
	{ EACCES, 403 }, { EPERM, 403 },
	{ EMFILE, 503 }, { ENFILE, 503 }, { ENOMEM, 503 }, { EAGAIN, 503 },
	{ EIO, 500 }, { EINVAL, 500 }, { ESTALE, 500 },
};

START_TEST(errno_becomes_a_status)
{
	ck_assert_int_eq(status_from_errno(-errors[_i].error), errors[_i].status);
	problem_respond_errno(&f.response, -errors[_i].error, "why");
	ck_assert_int_eq(f.response.status, errors[_i].status);
	ck_assert_int_eq(f.response.error, errors[_i].error);
	ck_assert_str_eq(f.response.reason, "why");
}
END_TEST

static const struct {
	enum status status;
	const char *title, *allow, *retry;
} pages[] = {
	{ 400, "400 Bad Request", NULL, NULL },
	{ 403, "403 Forbidden", NULL, NULL },
	{ 404, "404 Not Found", NULL, NULL },
	{ 405, "405 Method Not Allowed", "GET, HEAD, OPTIONS", NULL },
	{ 412, "412 Precondition Failed", NULL, NULL },
	{ 416, "416 Range Not Satisfiable", NULL, NULL },
	{ 431, "431 Request Header Fields Too Large", NULL, NULL },
	{ 500, "500 Internal Server Error", NULL, NULL },
	{ 501, "501 Not Implemented", "GET, HEAD, OPTIONS", NULL },
	{ 503, "503 Service Unavailable", NULL, "2" },
};

/* A refusal of the gateway goes the same way as one found here. */
START_TEST(a_page_says_what_it_is)
{
	f.request.refused = pages[_i].status;
	f.request.located = "test";
	ck_assert_int_eq(fixture_ask(&f), pages[_i].status);
	ck_assert(fixture_has(&f, pages[_i].title));
	ck_assert_field(&f, "Content-Type", "text/html; charset=utf-8");
	ck_assert_field(&f, "X-Content-Type-Options", "nosniff");
	ck_assert_field(&f, "Cache-Control", "no-store");
	ck_assert(fixture_field(&f, "Content-Security-Policy").len > 0);
	ck_assert_no_field(&f, "ETag");
	ck_assert_no_field(&f, "Last-Modified");
	if (pages[_i].allow != NULL)
		ck_assert_field(&f, "Allow", pages[_i].allow);
	else
		ck_assert_no_field(&f, "Allow");
	if (pages[_i].retry != NULL)
		ck_assert_field(&f, "Retry-After", pages[_i].retry);
	else
		ck_assert_no_field(&f, "Retry-After");
}
END_TEST

static const struct {
	const char *url, *query, *location;
} redirects[] = {
	{ "/dir", NULL, "/dir/" },
	{ "/dir", "", "/dir/" },
	{ "/dir", "sort=size&order=desc", "/dir/?sort=size&order=desc" },
	{ "/dir", "a=%20&b=\"<x>\r\nSet-Cookie: a", "/dir/?a=%20&b=%22%3Cx%3E%0D%0ASet-Cookie:%20a" },
	{ "/a b\xc3\xa9?#%", NULL, "/a%20b%C3%A9%3F%23%25/" },
	/* RFC 3986 4.2: never a reference with an authority, nor what a browser takes for one. */
	{ "//host/dir", NULL, "/host/dir/" },
	{ "///host", "q", "/host/?q" },
	{ "/\\host", NULL, "/%5Chost/" },
	{ "/a\r\nX: y", NULL, "/a%0D%0AX%3A%20y/" },
};

START_TEST(redirect_stays_on_this_host)
{
	f.request.url = str_from(redirects[_i].url);
	f.request.query = str_from(redirects[_i].query);
	redirect_to_slash(&f.response, &f.request);
	ck_assert_int_eq(f.response.status, 301);
	ck_assert_field(&f, "Location", redirects[_i].location);
	ck_assert_field(&f, "Cache-Control", "no-cache");
	ck_assert_no_field(&f, "Set-Cookie");
	ck_assert_no_field(&f, "X");
	ck_assert(!f.response.local_redirect);
	ck_assert_int_gt(f.response.content_length, 0);
}
END_TEST

START_TEST(options_has_no_content)
{
	options_respond(&f.response);
	ck_assert_int_eq(f.response.status, 204);
	ck_assert_field(&f, "Allow", "GET, HEAD, OPTIONS");
	ck_assert_int_eq(f.response.content_length, -1);
	ck_assert_uint_eq(f.response.segment_count, 0);
}
END_TEST

Suite *
problem_suite(void)
{
	Suite *suite = suite_create("handler/problem");

	suite_add_case(suite, errno_becomes_a_status, ROWS(errors), setup, teardown);
	suite_add_case(suite, a_page_says_what_it_is, ROWS(pages), setup, teardown);
	suite_add_case(suite, redirect_stays_on_this_host, ROWS(redirects), setup, teardown);
	suite_add_case(suite, options_has_no_content, 1, setup, teardown);
	return suite;
}
