/* The FastCGI record stream of one connection, read as it comes: cut at any byte, several requests one after
 * the other. Bytes in, events out; no descriptor here, so that a test or a fuzzer feeds it directly. */
#ifndef GATEWAY_RECORD_H
#define GATEWAY_RECORD_H

#include "base/buf.h"

#include <fastcgi.h>

/* Parameters of one request beyond this are not kept; the request is answered 431. */
#define RECORD_PARAMS_MAX ((size_t)256 << 10)

enum record_event {
	RECORD_MORE,    /* all bytes used up: read more */
	RECORD_REQUEST, /* a request is in whole: answer it, then record_finish */
	RECORD_ABORT,   /* the front gave up the request that is being answered */
	RECORD_CLOSE,   /* send what is in reply, then close: a role we do not have, without keep-alive */
	RECORD_BROKEN,  /* not FastCGI: close */
};

struct record_reader {
	unsigned char header[FCGI_HEADER_LEN];
	size_t header_have;
	size_t content_left;     /* of the current record */
	size_t padding_left;
	int type;                /* of the current record */
	unsigned id;
	bool active;             /* a request is open: begun, not finished */
	bool params_done;
	bool complete;           /* and its answer is awaited */
	bool keep;               /* FCGI_KEEP_CONN of the open request */
	bool too_large;          /* its parameters were cut at RECORD_PARAMS_MAX */
	unsigned request_id;
	struct buf params;       /* name-value pairs of the open request */
	struct buf control;      /* content of a BEGIN_REQUEST or management record */
	struct buf reply;        /* records to send: management replies, refusals of requests */
};

void record_init(struct record_reader *reader);
void record_release(struct record_reader *reader);

/* For the next connection; memory kept. */
void record_reset(struct record_reader *reader);

/* Reads on in *bytes and steps past what was used. Call again until RECORD_MORE. What reply holds is to be
 * sent before anything else; the caller empties it. */
enum record_event record_feed(struct record_reader *reader, struct str *bytes);

/* The request has been answered (its END_REQUEST is on its way). */
void record_finish(struct record_reader *reader);

/* Whether the parameters are in, and the body is not. */
bool record_is_in_body(const struct record_reader *reader);

/* Whether the connection is between requests and between records. */
bool record_is_idle(const struct record_reader *reader);

/* Writes a record header. */
void record_header(unsigned char header[FCGI_HEADER_LEN], int type, unsigned id, size_t content_length);

/* Appends an END_REQUEST record. protocol_status: FCGI_REQUEST_COMPLETE, FCGI_UNKNOWN_ROLE, FCGI_CANT_MPX_CONN. */
void record_end_request(struct buf *out, unsigned id, int protocol_status);

#endif
