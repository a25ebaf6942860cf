/* Methods by name. A method that exists but that static content does not have is told apart from one nobody
 * has heard of, because the answers differ: 405 with Allow, and 501 (RFC 9110 9.1, 15.5.6, 15.6.2). */
#include "http/request.h"

/* IANA's HTTP Method Registry, but for those in method_from_name and the reserved "*" and PRI. */
static const struct str known_methods[] = {
	STR("POST"), STR("PUT"), STR("DELETE"), STR("PATCH"), STR("CONNECT"), STR("TRACE"),
	STR("PROPFIND"), STR("PROPPATCH"), STR("MKCOL"), STR("COPY"), STR("MOVE"), STR("LOCK"), STR("UNLOCK"),
	STR("ACL"), STR("BASELINE-CONTROL"), STR("BIND"), STR("CHECKIN"), STR("CHECKOUT"), STR("LABEL"),
	STR("LINK"), STR("MERGE"), STR("MKACTIVITY"), STR("MKCALENDAR"), STR("MKREDIRECTREF"),
	STR("MKWORKSPACE"), STR("ORDERPATCH"), STR("REBIND"), STR("REPORT"), STR("SEARCH"), STR("UNBIND"),
	STR("UNCHECKOUT"), STR("UNLINK"), STR("UPDATE"), STR("UPDATEREDIRECTREF"), STR("VERSION-CONTROL"),
};

enum method
method_from_name(struct str name)
{
	if (str_eq(name, S("GET")))
		return METHOD_GET;
	if (str_eq(name, S("HEAD")))
		return METHOD_HEAD;
	if (str_eq(name, S("OPTIONS")))
		return METHOD_OPTIONS;
	for (size_t i = 0; i < sizeof(known_methods) / sizeof(known_methods[0]); i++)
		if (str_eq(name, known_methods[i]))
			return METHOD_KNOWN;
	return METHOD_UNKNOWN;
}
