#include "http/request.h"

#include "suites.h"

Suite *request_suite(void);

static const struct {
	struct str name;
	enum method method;
} cases[] = {
	{ STR("GET"), METHOD_GET },
	{ STR("HEAD"), METHOD_HEAD },
	{ STR("OPTIONS"), METHOD_OPTIONS },
	{ STR("POST"), METHOD_KNOWN },
	{ STR("PUT"), METHOD_KNOWN },
	{ STR("DELETE"), METHOD_KNOWN },
	{ STR("PATCH"), METHOD_KNOWN },
	{ STR("CONNECT"), METHOD_KNOWN },
	{ STR("TRACE"), METHOD_KNOWN },
	{ STR("PROPFIND"), METHOD_KNOWN },
	{ STR("PROPPATCH"), METHOD_KNOWN },
	{ STR("MKCOL"), METHOD_KNOWN },
	{ STR("COPY"), METHOD_KNOWN },
	{ STR("MOVE"), METHOD_KNOWN },
	{ STR("LOCK"), METHOD_KNOWN },
	{ STR("UNLOCK"), METHOD_KNOWN },
	{ STR("REPORT"), METHOD_KNOWN },
	{ STR("SEARCH"), METHOD_KNOWN },
	{ STR("VERSION-CONTROL"), METHOD_KNOWN },
	{ STR("get"), METHOD_UNKNOWN },
	{ STR("Get"), METHOD_UNKNOWN },
	{ STR("GET "), METHOD_UNKNOWN },
	{ STR("GETS"), METHOD_UNKNOWN },
	{ STR("GE"), METHOD_UNKNOWN },
	{ STR("post"), METHOD_UNKNOWN },
	{ STR("BREW"), METHOD_UNKNOWN },
	{ STR("*"), METHOD_UNKNOWN },
	{ STR(""), METHOD_UNKNOWN },
	{ { NULL, 0 }, METHOD_UNKNOWN },
};

START_TEST(method)
{
	ck_assert_int_eq(method_from_name(cases[_i].name), cases[_i].method);
}
END_TEST

Suite *
request_suite(void)
{
	Suite *suite = suite_create("request");

	suite_add_rows(suite, method, cases);
	return suite;
}
