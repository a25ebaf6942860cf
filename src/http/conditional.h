/* Preconditions and ranges, in the order of RFC 9110 13.2.2: the one place that decides between
 * 200, 206, 304, 412 and 416. */
#ifndef HTTP_CONDITIONAL_H
#define HTTP_CONDITIONAL_H

#include "http/range.h"
#include "http/representation.h"
#include "http/request.h"

struct outcome {
	enum status status;      /* 200, 206, 304, 412 or 416 */
	struct range_set ranges; /* with 206 */
};

/* What to answer to a GET or HEAD whose target exists. Evaluates If-Match, If-Unmodified-Since,
 * If-None-Match, If-Modified-Since, then (GET only) Range with If-Range. A date that cannot be read
 * is no precondition. */
struct outcome conditional_evaluate(const struct request *request, const struct representation *representation);

#endif
