/* struct handler: from a request to a response. Knows files and listings; knows no FastCGI and no process. */
#ifndef HANDLER_HANDLER_H
#define HANDLER_HANDLER_H

#include "fs/root.h"
#include "handler/handoff.h"
#include "http/request.h"
#include "http/response.h"
#include "listing/listing.h"

/* Content up to this many bytes is read into memory, so that the answer is whole before its first byte. */
#define INLINE_MAX 65536

#define HANDLER_INDEX_MAX 16

/* Strings are borrowed and must outlive the handler. */
struct handler_options {
	struct str root;                      /* absolute; empty: each request brings its own */
	struct str index[HANDLER_INDEX_MAX];  /* names of index files, in order */
	size_t index_count;
	struct handoff handoff;
	int64_t handoff_above;                /* bytes: larger content is handed off */
	enum symlink_policy symlinks;
};

struct magic;

struct handler {
	const struct handler_options *options;
	struct root root;        /* of options->root */
	struct listing listing;  /* scratch */
	struct buf digest;       /* scratch */
	struct magic *magic;
};

/* Opens the root. 0 or -errno. */
int handler_init(struct handler *handler, const struct handler_options *options);

void handler_release(struct handler *handler);

/* Answers a request: fills a reset response, always with a status. */
void handler_respond(struct handler *handler, const struct request *request, struct response *response);

/* Gives back what the response holds of the handler's (the open file). Call once the response is sent or given up. */
void handler_finish(struct handler *handler, struct response *response);

#endif
