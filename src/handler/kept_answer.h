/* The usual answers of a remembered file, made once: 200 with all of it, and the 304 of who has it. */
#ifndef HANDLER_KEPT_ANSWER_H
#define HANDLER_KEPT_ANSWER_H

#include "handler/attempt.h"

/* Answers with what was kept for requests that accept the same codings. False, and nothing done: nothing was, or the request
 * asks for something else. */
bool kept_answer_respond(struct attempt *attempt);

/* Keeps what was just answered, 200 with all of `content` or (NULL) 304, if the next request like this one would get the same. */
void kept_answer_keep(struct attempt *attempt, struct blob *content);

#endif
