/* struct sink: one answer on its way to a FastCGI connection, without ever waiting for the reader.
 *
 * The stream of records is a function of the position in it: records of SINK_RECORD bytes of content, then an
 * empty STDOUT record and END_REQUEST. So the only state is how much has been sent. */
#ifndef GATEWAY_SINK_H
#define GATEWAY_SINK_H

#include "gateway/exchange.h"

/* Content of one record: the most that its length field holds, in whole 8 bytes. */
#define SINK_RECORD 65528

enum sink_result {
	SINK_DONE,    /* everything is out */
	SINK_BLOCKED, /* the connection takes no more now */
	SINK_AGAIN,   /* it would take more, but others shall have their turn */
	SINK_FAILED,  /* the connection, the file or memory for the head failed, or the file became shorter (and not
	                 exchange->ends_short): close */
};

struct sink {
	struct exchange *exchange;
	unsigned id;
	int64_t content;  /* bytes of STDOUT: head and content */
	int64_t position; /* bytes of the record stream already sent */
	bool aborted;     /* content was cut short by sink_abort */
	bool cut;         /* the file was: content is what there was of it */
	int64_t loaded;   /* the record that exchange->block holds, from 0 on; -1: none */
};

/* Starts with an exchange whose head is written. */
void sink_start(struct sink *sink, struct exchange *exchange, unsigned id);

/* Sends as much as the descriptor (non-blocking) takes. */
enum sink_result sink_write(struct sink *sink, int fd);

/* The front gave up: the record that is half sent is finished, nothing follows it but END_REQUEST. */
void sink_abort(struct sink *sink);

#endif
