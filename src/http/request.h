/* struct request: what a client asked, as values. The gateway fills it, the handler reads it; nothing in it
 * is owned. A struct str whose ptr is NULL is a field that was not sent. */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "base/str.h"
#include "http/status.h"

enum method {
	METHOD_GET,
	METHOD_HEAD,
	METHOD_OPTIONS,
	METHOD_KNOWN,   /* a registered method that static content does not have: 405 */
	METHOD_UNKNOWN, /* 501 */
};

/* The web server in front, as SERVER_SOFTWARE names it. */
enum front {
	FRONT_UNKNOWN,
	FRONT_APACHE,
	FRONT_LIGHTTPD,
	FRONT_NGINX,
	FRONT_LITESPEED,
};

struct request {
	enum method method;
	enum front front;
	enum status refused;      /* not 0: the gateway could not or may not locate the target; answer this */
	const char *located;      /* which rule located or refused it, for the log; static text */
	struct str url;           /* path the client asked for, decoded, starts with '/'; for links and redirects */
	struct str query;         /* raw, without the '?'; ptr NULL when there was none */
	struct str root;          /* directory whose tree this request may see, absolute; empty: the configured one */
	struct str path;          /* target below that root, decoded, starts with '/' */
	bool directory_only;      /* the front serves files itself: answer directories, with a listing, or 404 */
	bool authenticated;       /* the front let a user in by name: private to that user */
	struct str handoff;       /* hand-off as the front's configuration names it; empty: as configured here */
	struct str if_match;
	struct str if_none_match;
	struct str if_modified_since;
	struct str if_unmodified_since;
	struct str if_range;
	struct str range;
	struct str accept;
	struct str accept_encoding;
	int64_t received;         /* nanoseconds since 1970; the only clock below the gateway */
	uint64_t order;           /* of arrival in this process: what came later has more, whatever the clock says */
};

/* The method by its name; case matters (RFC 9110 9.1). */
enum method method_from_name(struct str name);

#endif
