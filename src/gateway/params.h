/* The CGI variables of one request, by name, in a table of our own: read in one pass, the last value of a
 * name wins (nginx sends a name twice when a configuration overrides it), the rest is skipped. */
#ifndef GATEWAY_PARAMS_H
#define GATEWAY_PARAMS_H

#include "base/str.h"

enum param {
	PARAM_RANGE,
	PARAM_ACCEPT,
	PARAM_IF_MATCH,
	PARAM_IF_RANGE,
	PARAM_PATH_INFO,
	PARAM_REMOTE_USER,
	PARAM_SCRIPT_NAME,
	PARAM_SCRIPT_URL,
	PARAM_REQUEST_URI,
	PARAM_REDIRECT_URL,
	PARAM_QUERY_STRING,
	PARAM_DOCUMENT_ROOT,
	PARAM_IF_NONE_MATCH,
	PARAM_STATICGI_PATH,
	PARAM_STATICGI_ROOT,
	PARAM_REQUEST_METHOD,
	PARAM_CONTEXT_PREFIX,
	PARAM_ACCEPT_ENCODING,
	PARAM_PATH_TRANSLATED,
	PARAM_REDIRECT_STATUS,
	PARAM_SCRIPT_FILENAME,
	PARAM_SERVER_SOFTWARE,
	PARAM_STATICGI_HANDOFF,
	PARAM_GATEWAY_INTERFACE,
	PARAM_IF_MODIFIED_SINCE,
	PARAM_IF_UNMODIFIED_SINCE,
	PARAM_REDIRECT_REMOTE_USER,
	PARAM_CONTEXT_DOCUMENT_ROOT,
	PARAM_REDIRECT_STATICGI_PATH,
	PARAM_REDIRECT_STATICGI_ROOT,
	PARAM_PATH_TRANSLATED_DIRINDEX,
	PARAM_REDIRECT_STATICGI_HANDOFF,
	PARAM_REDIRECT_REDIRECT_STATICGI_PATH,
	PARAM_REDIRECT_REDIRECT_STATICGI_ROOT,
	PARAM_REDIRECT_REDIRECT_STATICGI_HANDOFF,
	PARAM_COUNT,
};

struct params {
	struct str values[PARAM_COUNT]; /* ptr NULL: not sent */
};

/* Takes one variable over; unknown names are skipped. The bytes are borrowed. */
void params_set(struct params *params, struct str name, struct str value);

/* Reads FastCGI name-value pairs (FastCGI 1.0, 3.4) over what *params holds already. False when a length leads past
 * the end; the pairs before it have been taken over. */
bool params_parse(struct params *params, struct str bytes);

/* Takes one name-value pair off the front of *rest. False when *rest is empty or malformed (then not empty). */
bool params_next(struct str *rest, struct str *name, struct str *value);

/* The value of a setting of our own under its plain name or, after Apache's internal redirects, with REDIRECT_ in front
 * once or twice; empty counts as not sent. `plain` is PARAM_STATICGI_PATH, _ROOT or _HANDOFF. */
struct str params_setting(const struct params *params, enum param plain);

#endif
