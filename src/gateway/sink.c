/* libfcgi writes blocking, 8 KB at a time: 123 writes a megabyte and a worker that waits for a slow client. Here
 * an answer that fits goes out in one writev with its END_REQUEST, a large one in records of 64 KB. A file that is
 * shorter than promised never leads to padding (RFC 9112 8: the recipient shall see that the message is incomplete). A
 * record's bytes are read before its header is sent and held until they are, so the stream of records stays whole; what follows is
 * what makes the front end the client's connection: END_REQUEST for nginx and mod_fcgid (which wait, or add an error
 * page, when the connection just closes), a close for lighttpd and mod_proxy_fcgi (which would wait else).
 *
 * The bytes of somebody's file are copied, not sent by sendfile. That costs 0.3 ms a megabyte more (0.75 against 0.47 on one
 * machine), but sendfile lends the socket the file's own pages: cut the file, and the kernel zeroes the rest of its last
 * page while the front has yet to read it. Who wants the speed hands the file off. Files of our own, which nobody
 * touches (fd_is_stable), go by sendfile. */
#include "gateway/sink.h"

#include "gateway/record.h"

#include <errno.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define FRAME (SINK_RECORD + FCGI_HEADER_LEN)
#define PIECES 64
#define HEADERS 24
#define TURN ((int64_t)2 << 20)

/* Empty STDOUT record, END_REQUEST record. */
#define TRAILER (FCGI_HEADER_LEN + FCGI_HEADER_LEN + (int)sizeof(FCGI_EndRequestBody))

/* What one writev takes. Headers and trailer live here while it is built. */
struct batch {
	struct iovec pieces[PIECES];
	int count;
	int64_t bytes;
	unsigned char headers[HEADERS][FCGI_HEADER_LEN];
	int header_count;
	unsigned char trailer[TRAILER];
	bool ends;           /* the trailer is in it */
};

void
sink_start(struct sink *sink, struct exchange *exchange, unsigned id)
{
	*sink = (struct sink){
		.exchange = exchange,
		.id = id,
		.content = (int64_t)exchange->head.len + exchange_content_length(exchange),
		.loaded = -1,
	};
}

/* Where the trailer begins in the stream of records. */
static int64_t
sink_trailer_at(const struct sink *sink)
{
	int64_t records = (sink->content + SINK_RECORD - 1) / SINK_RECORD;

	return sink->content + records * FCGI_HEADER_LEN;
}

void
sink_abort(struct sink *sink)
{
	int64_t records = (sink->position + FRAME - 1) / FRAME;

	if (records * SINK_RECORD < sink->content) {
		sink->content = records * SINK_RECORD;
		sink->aborted = true;
	}
}

/* Bytes of content among the first `position` bytes of the stream. */
static int64_t
sink_content_sent(const struct sink *sink, int64_t position)
{
	int64_t records = position / FRAME;
	int64_t rest = position % FRAME - FCGI_HEADER_LEN;
	int64_t sent = records * SINK_RECORD + (rest > 0 ? rest : 0);

	return sent < sink->content ? sent : sink->content;
}

static void
batch_add(struct batch *batch, const void *bytes, int64_t length)
{
	/* writev takes what it only reads as void *. */
	union {
		const void *in;
		void *out;
	} unconst = { .in = bytes };

	batch->pieces[batch->count++] = (struct iovec){ unconst.out, (size_t)length };
	batch->bytes += length;
}

/* The piece of content at an offset: bytes, or the file with *bytes NULL and the place in it. */
static int64_t
content_at(const struct exchange *exchange, int64_t offset, const char **bytes, int64_t *file_offset)
{
	const struct response *response = &exchange->response;
	int64_t head = (int64_t)exchange->head.len;

	if (offset < head) {
		*bytes = exchange->head.ptr + offset;
		return head - offset;
	}
	offset -= head;
	for (size_t i = 0; i < response->segment_count; i++) {
		const struct segment *segment = &response->segments[i];

		if (offset >= segment->length) {
			offset -= segment->length;
			continue;
		}
		*bytes = segment->bytes != NULL ? segment->bytes + offset : NULL;
		*file_offset = segment->offset + offset;
		return segment->length - offset;
	}
	return 0;
}

static void
batch_add_trailer(struct batch *batch, const struct sink *sink, int64_t from)
{
	unsigned char *t = batch->trailer;

	memset(t, 0, TRAILER);
	record_header(t, FCGI_STDOUT, sink->id, 0);
	record_header(t + FCGI_HEADER_LEN, FCGI_END_REQUEST, sink->id, sizeof(FCGI_EndRequestBody));
	batch_add(batch, t + from, TRAILER - from);
}

/* Gathers what follows `position` until the batch is full or a file's bytes follow. */
static void
batch_fill(struct batch *batch, const struct sink *sink)
{
	int64_t position = sink->position, trailer_at = sink_trailer_at(sink);

	batch->count = 0;
	batch->bytes = 0;
	batch->header_count = 0;
	batch->ends = false;
	while (position < trailer_at && batch->count < PIECES - 1) {
		int64_t record = position / FRAME, within = position % FRAME;
		int64_t length = sink->content - record * SINK_RECORD;
		int64_t file_offset = 0, piece;
		const char *bytes = NULL;

		if (length > SINK_RECORD)
			length = SINK_RECORD;
		if (within < FCGI_HEADER_LEN) {
			unsigned char *header;

			if (batch->header_count == HEADERS)
				return;
			header = batch->headers[batch->header_count++];
			record_header(header, FCGI_STDOUT, sink->id, (size_t)length);
			batch_add(batch, header + within, FCGI_HEADER_LEN - within);
			position += FCGI_HEADER_LEN - within;
			continue;
		}
		piece = content_at(sink->exchange, record * SINK_RECORD + within - FCGI_HEADER_LEN, &bytes, &file_offset);
		if (piece > length + FCGI_HEADER_LEN - within)
			piece = length + FCGI_HEADER_LEN - within;
		if (bytes == NULL)
			return;
		batch_add(batch, bytes, piece);
		position += piece;
	}
	if (position >= trailer_at && batch->count < PIECES)
		batch_add_trailer(batch, sink, position - trailer_at);
	batch->ends = position >= trailer_at;
}

/* The next bytes are in a stable file: the rest of this record, or as much of it as one segment has. */
static ssize_t
send_from_file(const struct sink *sink, int fd)
{
	int64_t record = sink->position / FRAME, within = sink->position % FRAME - FCGI_HEADER_LEN;
	int64_t length = sink->content - record * SINK_RECORD, file_offset = 0, piece;
	const char *bytes = NULL;
	off_t offset;

	if (length > SINK_RECORD)
		length = SINK_RECORD;
	piece = content_at(sink->exchange, record * SINK_RECORD + within, &bytes, &file_offset);
	if (piece > length - within)
		piece = length - within;
	offset = file_offset;
	return sendfile(fd, sink->exchange->response.fd, &offset, (size_t)piece);
}

/* Appends bytes of a file: as many as there are of so many. */
static void
read_file(struct buf *block, int fd, int64_t offset, int64_t length)
{
	while (length > 0) {
		ssize_t n = pread(fd, block->ptr + block->len, (size_t)length, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		block->len += (size_t)n;
		offset += n;
		length -= n;
	}
}

/* Fills the block with the content of a record. When the file ends before that, the content ends there. */
static bool
load_record(struct sink *sink, int64_t record)
{
	struct buf *block = &sink->exchange->block;
	int64_t start = record * SINK_RECORD, length = sink->content - start;

	if (length > SINK_RECORD)
		length = SINK_RECORD;
	buf_reset(block);
	if (!buf_reserve(block, SINK_RECORD))
		return false;
	while ((int64_t)block->len < length) {
		int64_t file_offset = 0, piece, have = (int64_t)block->len;
		const char *bytes = NULL;

		piece = content_at(sink->exchange, start + have, &bytes, &file_offset);
		if (piece > length - have)
			piece = length - have;
		if (bytes != NULL)
			buf_bytes(block, bytes, (size_t)piece);
		else
			read_file(block, sink->exchange->response.fd, file_offset, piece);
		if ((int64_t)block->len < have + piece) {
			sink->cut = true;
			sink->content = start + (int64_t)block->len;
			break;
		}
	}
	sink->loaded = record;
	return true;
}

/* The next record as far as it is not sent, and the trailer behind the last one. False: nothing more may be sent. */
static bool
batch_fill_record(struct batch *batch, struct sink *sink)
{
	int64_t record = sink->position / FRAME, within = sink->position % FRAME;
	struct str content;
	bool closes;

	batch->count = 0;
	if (sink->position < sink_trailer_at(sink) && sink->loaded != record && !load_record(sink, record))
		return false;
	closes = sink->cut && !sink->exchange->ends_short;
	if (closes && sink->position >= sink_trailer_at(sink))
		return false;
	if (sink->position < sink_trailer_at(sink)) {
		content = buf_view(&sink->exchange->block);
		if (within < FCGI_HEADER_LEN) {
			record_header(batch->headers[0], FCGI_STDOUT, sink->id, content.len);
			batch_add(batch, batch->headers[0] + within, FCGI_HEADER_LEN - within);
			within = FCGI_HEADER_LEN;
		}
		content = str_after(content, (size_t)(within - FCGI_HEADER_LEN));
		batch_add(batch, content.ptr, (int64_t)content.len);
		if (closes || (record + 1) * SINK_RECORD < sink->content)
			return true;
		within = 0;
	} else {
		within = sink->position - sink_trailer_at(sink);
	}
	batch_add_trailer(batch, sink, within);
	return true;
}

static bool
is_from_file(const struct sink *sink)
{
	const struct response *response = &sink->exchange->response;

	return response->fd >= 0 && !response->fd_is_stable && !response->content_omitted;
}

/* One system call's worth. 0: nothing more may be sent. */
static ssize_t
send_some(struct sink *sink, int fd, struct batch *batch)
{
	struct msghdr message = { .msg_iov = batch->pieces };
	bool stable = sink->exchange->response.fd_is_stable;

	if (is_from_file(sink)) {
		if (!batch_fill_record(batch, sink))
			return 0;
		return writev(fd, batch->pieces, batch->count);
	}
	batch_fill(batch, sink);
	message.msg_iovlen = (size_t)batch->count;
	if (batch->count > 0)
		return sendmsg(fd, &message, MSG_NOSIGNAL | (stable && !batch->ends ? MSG_MORE : 0));
	return stable ? send_from_file(sink, fd) : 0;
}

enum sink_result
sink_write(struct sink *sink, int fd)
{
	int64_t turn_end = sink->position + TURN;
	struct batch batch;

	/* Without memory for the head there is nothing to begin with. */
	if (buf_failed(&sink->exchange->head))
		return SINK_FAILED;
	while (sink->position < sink_trailer_at(sink) + TRAILER) {
		ssize_t n;

		if (sink->position >= turn_end)
			return SINK_AGAIN;
		n = send_some(sink, fd, &batch);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return SINK_BLOCKED;
		if (n <= 0)
			return SINK_FAILED;
		sink->position += n;
		sink->exchange->sent = sink_content_sent(sink, sink->position);
	}
	sink->exchange->whole = !sink->aborted && !sink->cut;
	return SINK_DONE;
}
