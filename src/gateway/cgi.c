/* CGI writes to a pipe or socket that the front reads, and the process ends after it: waiting is right here. */
#include "gateway/cgi.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static void
take_environment(struct params *params, char *const *environment)
{
	for (; *environment != NULL; environment++) {
		struct str rest = str_from(*environment), name;

		if (str_cut(&rest, '=', &name) && rest.ptr != NULL)
			params_set(params, name, rest);
	}
}

/* A front may hand over a non-blocking descriptor. */
static bool
wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return errno == EINTR || (errno == EAGAIN && poll(&p, 1, -1) >= 0);
}

/* RFC 3875 4.2: no more than CONTENT_LENGTH is there to be read. Of a chunked body Apache tells none and closes behind it. */
static int64_t
body_length(char *const *environment)
{
	int64_t length, without = 0;

	for (; *environment != NULL; environment++) {
		struct str rest = str_from(*environment), name;

		str_cut(&rest, '=', &name);
		if (str_eq(name, S("CONTENT_LENGTH")) && str_digits(rest, &length))
			return length;
		if (str_eq(name, S("HTTP_TRANSFER_ENCODING")))
			without = INT64_MAX;
	}
	return without;
}

/* mod_cgid drops the connection without an answer when a body is not read. */
static void
discard_body(int in, int64_t length)
{
	char block[65536];

	while (length > 0) {
		ssize_t n = read(in, block, length < (int64_t)sizeof(block) ? (size_t)length : sizeof(block));

		if (n == 0 || (n < 0 && !wait_for(in, POLLIN)))
			return;
		if (n > 0)
			length -= n;
	}
}

static int
write_bytes(int out, struct str bytes)
{
	while (bytes.len > 0) {
		ssize_t n = write(out, bytes.ptr, bytes.len);

		if (n >= 0)
			bytes = str_after(bytes, (size_t)n);
		else if (!wait_for(out, POLLOUT))
			return -errno;
	}
	return 0;
}

/* A file that became shorter ends the output early: the front sees the length that was promised missed. Copied, not
 * sendfile: see sink.c. */
static int
write_file(int out, int file, int64_t offset, int64_t length)
{
	char block[65536];

	while (length > 0) {
		size_t want = length < (int64_t)sizeof(block) ? (size_t)length : sizeof(block);
		ssize_t n = pread(file, block, want, offset);
		int error;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		error = write_bytes(out, (struct str){ block, (size_t)n });
		if (error != 0)
			return error;
		offset += n;
		length -= n;
	}
	return 0;
}

static int
write_answer(struct exchange *exchange, int out)
{
	const struct response *response = &exchange->response;
	int error = buf_failed(&exchange->head) ? -ENOMEM : write_bytes(out, buf_view(&exchange->head));

	exchange->sent = error == 0 ? (int64_t)exchange->head.len : 0;
	for (size_t i = 0; i < response->segment_count && error == 0 && !response->content_omitted; i++) {
		const struct segment *segment = &response->segments[i];

		if (segment->bytes != NULL)
			error = write_bytes(out, (struct str){ segment->bytes, (size_t)segment->length });
		else
			error = write_file(out, response->fd, segment->offset, segment->length);
		if (error == 0)
			exchange->sent += segment->length;
	}
	exchange->whole = error == 0;
	return error;
}

int
cgi_serve(const struct service *service, char *const *environment, int in, int out)
{
	struct exchange exchange;
	int error;

	discard_body(in, body_length(environment));
	exchange_init(&exchange);
	take_environment(&exchange.params, environment);
	service->respond(service->context, &exchange);
	exchange_write_head(&exchange);
	error = write_answer(&exchange, out);
	service->finish(service->context, &exchange);
	exchange_release(&exchange);
	return error;
}
