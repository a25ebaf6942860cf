/* Which URL was asked for and which path that means: the variables of each front and mount, in one order of
 * precedence, and a refusal for everything that proves nothing. */
#ifndef GATEWAY_LOCATE_H
#define GATEWAY_LOCATE_H

#include "gateway/exchange.h"

struct locate_options {
	bool has_root;          /* a root is configured: explicit mount */
	struct str url_prefix;  /* of an explicit mount; ptr NULL: SCRIPT_NAME where PATH_INFO or the script tells it */
	/* Whether a path names this program (or the script that started it). The caller looks at the disk;
	 * the rules only ask. */
	bool (*is_self)(void *context, struct str path);
	void *context;
};

/* Fills exchange->request from exchange->params: method, fields, url, root and path, or request.refused with
 * the status to answer (400, 404 or 431). request.located says by which rule. Strings point into the parameters
 * or into exchange->scratch. */
void locate_request(struct exchange *exchange, const struct locate_options *options);

#endif
