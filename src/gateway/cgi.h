/* Plain CGI (RFC 3875): one request out of the environment, the answer on standard output. */
#ifndef GATEWAY_CGI_H
#define GATEWAY_CGI_H

#include "gateway/exchange.h"

/* Answers the request in environ on `out`, when its body was read from `in` and thrown away. The command line is never looked at:
 * Apache puts a query without '=' there (CVE-2012-1823's kind). 0, or -errno when the answer could not be written whole. */
int cgi_serve(const struct service *service, char *const *environment, int in, int out);

#endif
