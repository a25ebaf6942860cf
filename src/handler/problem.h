/* Answers that are no representation of the target: errors, redirects, what OPTIONS says. */
#ifndef HANDLER_PROBLEM_H
#define HANDLER_PROBLEM_H

#include "http/request.h"
#include "http/response.h"

/* A small page that says the status and one sentence; reason goes to the log. The path is not echoed, and every 404 is the
 * same: what is hidden, denied or outside shows no difference. 405 and 501 get Allow. */
void problem_respond(struct response *response, enum status status, const char *reason);

/* As problem_respond, for what the system said (-errno). */
void problem_respond_errno(struct response *response, int error, const char *reason);

/* The status that an -errno of opening or reading means. */
enum status status_from_errno(int error);

/* 301 to the same URL with a final slash, query kept, path only (RFC 9110 15.4.2). */
void redirect_to_slash(struct response *response, const struct request *request);

/* 204 with Allow (RFC 9110 9.3.7). */
void options_respond(struct response *response);

#endif
