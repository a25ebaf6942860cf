/* struct exchange: one request and its answer, from the first parameter to the last byte sent. */
#ifndef GATEWAY_EXCHANGE_H
#define GATEWAY_EXCHANGE_H

#include "gateway/params.h"
#include "http/request.h"
#include "http/response.h"

struct exchange {
	struct params params;
	struct request request;
	struct response response;
	struct buf scratch;   /* strings that request points into */
	struct buf head;      /* the response's header section as CGI writes it */
	struct buf block;     /* the record of a file's bytes that is being sent */
	bool ends_short;      /* a file that proves shorter than promised: true, END_REQUEST; false, the connection is closed */
	enum status refused;  /* not 0: the parameters could not be read, answer this */
	int64_t sent;         /* bytes of head and content that went out */
	bool whole;           /* all of them did */
};

/* Who answers: the gateway calls respond once the request is in, and finish, once, when the answer is sent or
 * given up. `respond` fills exchange->request and exchange->response; `finish` gives back what it took. A response whose status is
 * still 0 is not settled yet: respond is called again, after exchange_again, when wake_fd is readable. */
struct service {
	void *context;
	void (*respond)(void *context, struct exchange *exchange);
	void (*finish)(void *context, struct exchange *exchange);
	int wake_fd;                   /* -1: every answer is settled at once */
	void (*wake)(void *context);   /* takes what made wake_fd readable; NULL without one */
	void (*woken)(void *context);  /* every answer that waited has been tried again since wake; NULL without wake_fd */
};

void exchange_init(struct exchange *exchange);
void exchange_release(struct exchange *exchange);

/* For the next request; memory kept, but for what an unusually large answer needed. */
void exchange_reset(struct exchange *exchange);

/* For another try at the same request: the parameters, the time and the order of its arrival stay. */
void exchange_again(struct exchange *exchange);

/* Writes exchange->head out of the response: Status, fields, Content-Length, blank line (RFC 3875 6). Without memory the head has
 * failed, and nothing of it may be sent. */
void exchange_write_head(struct exchange *exchange);

/* Bytes of content that go out: 0 for HEAD and what has none. */
int64_t exchange_content_length(const struct exchange *exchange);

#endif
