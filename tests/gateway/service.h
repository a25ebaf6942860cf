/* What fastcgi_serve serves in these tests: it answers by PATH_INFO and counts what it is asked to finish. */
#ifndef TESTS_SERVICE_H
#define TESTS_SERVICE_H

#include "gateway/exchange.h"

struct service_state {
	int64_t responded, finished, whole;
};

/* /bytes/N: N bytes. /file: what PATH_TRANSLATED names. /echo: QUERY_STRING. /numbers: descriptors and counts. */
void service_respond(void *context, struct exchange *exchange);
void service_finish(void *context, struct exchange *exchange);

/* Byte i of whatever is long. */
char pattern(size_t i);

/* How many this process has open. */
int count_descriptors(void);

#endif
