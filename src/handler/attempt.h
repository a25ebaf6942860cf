/* struct attempt: one state of a file, and the representation of it that a request selects (RFC 9110 3.2). */
#ifndef HANDLER_ATTEMPT_H
#define HANDLER_ATTEMPT_H

#include "fs/file.h"
#include "handler/coded.h"
#include "handler/handler.h"
#include "http/etag.h"
#include "http/representation.h"

struct attempt {
	struct handler *handler;
	struct target *target;
	const struct request *request;
	struct response *response;
	struct file file;             /* fd -1 as long as it was not needed */
	struct cached_file *cached;   /* NULL: not remembered */
	struct representation representation;
	struct handoff handoff;
	struct coded coded;           /* blob NULL: as it is */
	struct str vary;
	size_t shared_from, shared_len; /* of the response's fields: what a 304 has too */
	char own[ETAG_MAX], nginx[ETAG_MAX], marked[ETAG_MAX];
};

/* Type, tag, time and coding; the file is remembered. The coded form, if there is one, is to be given back. */
void attempt_select(struct attempt *attempt);

/* The tag that nginx makes of the file itself. */
struct str attempt_nginx_tag(struct attempt *attempt);

/* Whether its facts tell these bytes from any that it may hold later: every change moves ctime, and nobody can set it. */
bool attempt_is_settled(const struct attempt *attempt);

/* Opens what is at the target now. 0 or -errno. */
int attempt_open_target(struct attempt *attempt, struct file *file);

/* Opens the file unless it is open. 0 or -errno; -EAGAIN: it is another now. */
int attempt_open(struct attempt *attempt);

/* Appends all of its content. 0 or -errno; -EAGAIN: it is not, or no longer, what was looked at. */
int attempt_read(struct attempt *attempt, struct buf *out);

#endif
