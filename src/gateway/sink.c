/* libfcgi writes blocking, 8 KB at a time: 123 writes a megabyte and a worker that waits for a slow client. Here
 * an answer that fits goes out in one writev with its END_REQUEST, a large one in records of 64 KB. A file that is
 * shorter than promised ends the connection: never padding (RFC 9112 8: the recipient sees that the message is
 * incomplete).
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
#define BLOCK (2 * SINK_RECORD)

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
	char file[BLOCK];    /* bytes of the file */
	size_t file_used;
	bool ends;           /* the trailer is in it */
};

void
sink_start(struct sink *sink, struct exchange *exchange, unsigned id)
{
	*sink = (struct sink){
		.exchange = exchange,
		.id = id,
		.content = (int64_t)exchange->head.len + exchange_content_length(exchange),
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

/* Reads file bytes into the batch: as many as the piece has and there is room for. 0 at the file's end, -errno. */
static int64_t
batch_read_file(struct batch *batch, int fd, int64_t offset, int64_t piece)
{
	size_t room = sizeof(batch->file) - batch->file_used;
	ssize_t n;

	if (piece > (int64_t)room)
		piece = (int64_t)room;
	do
		n = pread(fd, batch->file + batch->file_used, (size_t)piece, offset);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : 0;
	batch_add(batch, batch->file + batch->file_used, n);
	batch->file_used += (size_t)n;
	return n;
}

/* Gathers what follows `position` until the batch is full, or a file's bytes follow that are sent from the file. An empty
 * batch otherwise: the file has no more. */
static void
batch_fill(struct batch *batch, const struct sink *sink)
{
	int64_t position = sink->position, trailer_at = sink_trailer_at(sink);

	batch->count = 0;
	batch->bytes = 0;
	batch->header_count = 0;
	batch->file_used = 0;
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
		if (bytes != NULL)
			batch_add(batch, bytes, piece);
		else if (sink->exchange->response.fd_is_stable)
			return;
		else
			piece = batch_read_file(batch, sink->exchange->response.fd, file_offset, piece);
		if (piece <= 0)
			return;
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

/* One system call's worth. */
static ssize_t
send_some(const struct sink *sink, int fd, struct batch *batch)
{
	struct msghdr message = { .msg_iov = batch->pieces };
	bool stable = sink->exchange->response.fd_is_stable;

	batch_fill(batch, sink);
	message.msg_iovlen = (size_t)batch->count;
	if (batch->count > 0)
		return sendmsg(fd, &message, MSG_NOSIGNAL | (stable && !batch->ends ? MSG_MORE : 0));
	return stable ? send_from_file(sink, fd) : 0;
}

enum sink_result
sink_write(struct sink *sink, int fd)
{
	int64_t end = sink_trailer_at(sink) + TRAILER, turn_end = sink->position + TURN;
	struct batch batch;

	while (sink->position < end) {
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
	sink->exchange->whole = !sink->aborted;
	return SINK_DONE;
}
