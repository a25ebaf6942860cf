/* Why this is not libfcgi's reader. FCGX_Accept_r blocks until a request is whole, so a front that sends half of
 * one stops all other connections of the process; its answer to FCGI_GET_VALUES is put together in 64 bytes of
 * stack whatever was asked; it knows no FCGI_ABORT_REQUEST; and it allocates some forty times a request.
 * Guarding it (peeking at the stream to see that a request is whole and harmless) takes this very state machine.
 * The record format and its constants are libfcgi's own header; its reader is the oracle of
 * tests/gateway/test_libfcgi.c and the measure in bench/micro. Specification: FastCGI 1.0, sections 3 to 5. */
#include "gateway/record.h"

#include "gateway/params.h"

/* A process takes any number of connections and one request at a time on each. */
#define MAX_CONNS "1024"
#define MAX_REQS "1024"

void
record_init(struct record_reader *reader)
{
	*reader = (struct record_reader){ 0 };
	buf_init(&reader->params, RECORD_PARAMS_MAX);
	buf_init(&reader->control, FCGI_MAX_LENGTH);
	buf_init(&reader->reply, (size_t)64 << 10);
}

void
record_release(struct record_reader *reader)
{
	buf_release(&reader->params);
	buf_release(&reader->control);
	buf_release(&reader->reply);
}

void
record_reset(struct record_reader *reader)
{
	struct buf params = reader->params, control = reader->control, reply = reader->reply;

	buf_reset(&params);
	buf_reset(&control);
	buf_reset(&reply);
	*reader = (struct record_reader){ .params = params, .control = control, .reply = reply };
}

void
record_header(unsigned char header[FCGI_HEADER_LEN], int type, unsigned id, size_t content_length)
{
	header[0] = FCGI_VERSION_1;
	header[1] = (unsigned char)type;
	header[2] = (unsigned char)(id >> 8);
	header[3] = (unsigned char)id;
	header[4] = (unsigned char)(content_length >> 8);
	header[5] = (unsigned char)content_length;
	header[6] = 0;
	header[7] = 0;
}

void
record_end_request(struct buf *out, unsigned id, int protocol_status)
{
	unsigned char record[FCGI_HEADER_LEN + sizeof(FCGI_EndRequestBody)] = { 0 };

	record_header(record, FCGI_END_REQUEST, id, sizeof(FCGI_EndRequestBody));
	record[FCGI_HEADER_LEN + 4] = (unsigned char)protocol_status;
	buf_bytes(out, record, sizeof(record));
}

static void
reply_unknown_type(struct record_reader *reader)
{
	unsigned char record[FCGI_HEADER_LEN + sizeof(FCGI_UnknownTypeBody)] = { 0 };

	record_header(record, FCGI_UNKNOWN_TYPE, FCGI_NULL_REQUEST_ID, sizeof(FCGI_UnknownTypeBody));
	record[FCGI_HEADER_LEN] = (unsigned char)reader->type;
	buf_bytes(&reader->reply, record, sizeof(record));
}

/* Each known name once, however often it was asked for: the reply is bounded. */
static void
reply_values(struct record_reader *reader)
{
	static const struct {
		struct str name, value;
	} known[] = {
		{ STR(FCGI_MAX_CONNS), STR(MAX_CONNS) },
		{ STR(FCGI_MAX_REQS), STR(MAX_REQS) },
		{ STR(FCGI_MPXS_CONNS), STR("0") },
	};
	unsigned char header[FCGI_HEADER_LEN];
	struct str rest = buf_view(&reader->control), name, value;
	bool asked[3] = { false };
	size_t length = 0;

	while (params_next(&rest, &name, &value))
		for (size_t i = 0; i < 3; i++)
			asked[i] = asked[i] || str_eq(name, known[i].name);
	for (size_t i = 0; i < 3; i++)
		if (asked[i])
			length += 2 + known[i].name.len + known[i].value.len;
	record_header(header, FCGI_GET_VALUES_RESULT, FCGI_NULL_REQUEST_ID, length);
	buf_bytes(&reader->reply, header, sizeof(header));
	for (size_t i = 0; i < 3; i++) {
		if (!asked[i])
			continue;
		buf_char(&reader->reply, (char)known[i].name.len);
		buf_char(&reader->reply, (char)known[i].value.len);
		buf_str(&reader->reply, known[i].name);
		buf_str(&reader->reply, known[i].value);
	}
}

static enum record_event
begin_request(struct record_reader *reader)
{
	const unsigned char *body = (const unsigned char *)reader->control.ptr;
	bool keep;
	int role;

	if (reader->control.len < sizeof(FCGI_BeginRequestBody) || (reader->active && reader->id == reader->request_id))
		return RECORD_BROKEN;
	role = body[0] << 8 | body[1];
	keep = (body[2] & FCGI_KEEP_CONN) != 0;
	if (reader->active) {
		record_end_request(&reader->reply, reader->id, FCGI_CANT_MPX_CONN);
		return RECORD_MORE;
	}
	if (role != FCGI_RESPONDER) {
		record_end_request(&reader->reply, reader->id, FCGI_UNKNOWN_ROLE);
		return keep ? RECORD_MORE : RECORD_CLOSE;
	}
	reader->active = true;
	reader->params_done = false;
	reader->complete = false;
	reader->too_large = false;
	reader->keep = keep;
	reader->request_id = reader->id;
	buf_reset(&reader->params);
	return RECORD_MORE;
}

/* FastCGI 5.4: END_REQUEST answers the abort. While the answer is being sent its sender does that. */
static enum record_event
abort_request(struct record_reader *reader)
{
	if (reader->complete)
		return RECORD_ABORT;
	record_end_request(&reader->reply, reader->id, FCGI_REQUEST_COMPLETE);
	reader->active = false;
	return reader->keep ? RECORD_MORE : RECORD_CLOSE;
}

/* A record is in whole. An empty PARAMS or STDIN record ends its stream (FastCGI 3.3). */
static enum record_event
record_end(struct record_reader *reader, bool empty)
{
	if (reader->type == FCGI_BEGIN_REQUEST && reader->id != FCGI_NULL_REQUEST_ID)
		return begin_request(reader);
	if (reader->id == FCGI_NULL_REQUEST_ID) {
		if (reader->type == FCGI_GET_VALUES)
			reply_values(reader);
		else
			reply_unknown_type(reader);
		return RECORD_MORE;
	}
	if (!reader->active || reader->id != reader->request_id)
		return RECORD_MORE;
	if (reader->type == FCGI_ABORT_REQUEST)
		return abort_request(reader);
	if (reader->type == FCGI_PARAMS && empty)
		reader->params_done = true;
	if (reader->type == FCGI_STDIN && empty && reader->params_done && !reader->complete) {
		reader->complete = true;
		return RECORD_REQUEST;
	}
	return RECORD_MORE;
}

/* Content that matters is kept, a request body is not: nothing that we serve takes one. */
static void
record_content(struct record_reader *reader, struct str part)
{
	if (reader->type == FCGI_PARAMS && reader->active && reader->id == reader->request_id &&
	    !reader->params_done) {
		if (part.len > reader->params.max - reader->params.len)
			reader->too_large = true;
		else if (!reader->too_large)
			buf_str(&reader->params, part);
		if (buf_failed(&reader->params))
			reader->too_large = true;
	} else if (reader->id == FCGI_NULL_REQUEST_ID || reader->type == FCGI_BEGIN_REQUEST) {
		buf_str(&reader->control, part);
	}
}

static bool
record_start(struct record_reader *reader)
{
	const unsigned char *h = reader->header;

	if (h[0] != FCGI_VERSION_1)
		return false;
	reader->type = h[1];
	reader->id = (unsigned)h[2] << 8 | h[3];
	reader->content_left = (size_t)h[4] << 8 | h[5];
	reader->padding_left = h[6];
	buf_reset(&reader->control);
	return true;
}

static struct str
take(struct str *bytes, size_t most)
{
	struct str part = str_sub(*bytes, 0, most);

	*bytes = str_after(*bytes, part.len);
	return part;
}

enum record_event
record_feed(struct record_reader *reader, struct str *bytes)
{
	while (bytes->len > 0) {
		enum record_event event;
		struct str part;

		if (reader->header_have < FCGI_HEADER_LEN) {
			part = take(bytes, FCGI_HEADER_LEN - reader->header_have);
			memcpy(reader->header + reader->header_have, part.ptr, part.len);
			reader->header_have += part.len;
			if (reader->header_have < FCGI_HEADER_LEN)
				return RECORD_MORE;
			if (!record_start(reader))
				return RECORD_BROKEN;
		}
		part = take(bytes, reader->content_left);
		record_content(reader, part);
		reader->content_left -= part.len;
		reader->padding_left -= take(bytes, reader->padding_left).len;
		if (reader->content_left > 0 || reader->padding_left > 0)
			continue;
		reader->header_have = 0;
		event = record_end(reader, reader->header[4] == 0 && reader->header[5] == 0);
		/* A front that asks and never reads what it asked for. */
		if (buf_failed(&reader->reply))
			return RECORD_BROKEN;
		if (event != RECORD_MORE)
			return event;
	}
	return RECORD_MORE;
}

void
record_finish(struct record_reader *reader)
{
	reader->active = false;
	reader->complete = false;
}

bool
record_is_in_body(const struct record_reader *reader)
{
	return reader->active && reader->params_done && !reader->complete;
}

bool
record_is_idle(const struct record_reader *reader)
{
	return !reader->active && reader->header_have == 0;
}
