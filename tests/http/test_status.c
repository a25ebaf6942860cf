#include "http/status.h"

#include "suites.h"

Suite *status_suite(void);

static const struct {
	int status;
	const char *reason;
} cases[] = {
	{ 200, "OK" },
	{ 204, "No Content" },
	{ 206, "Partial Content" },
	{ 301, "Moved Permanently" },
	{ 304, "Not Modified" },
	{ 400, "Bad Request" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 412, "Precondition Failed" },
	{ 416, "Range Not Satisfiable" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 503, "Service Unavailable" },
	{ 0, "Unknown" },
	{ 299, "Unknown" },
};

START_TEST(reason)
{
	ck_assert_str_eq(status_reason((enum status)cases[_i].status), cases[_i].reason);
}
END_TEST

Suite *
status_suite(void)
{
	Suite *suite = suite_create("status");

	suite_add_rows(suite, reason, cases);
	return suite;
}
