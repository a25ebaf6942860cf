/* One request read: libfcgi's FCGX_Accept_r on a descriptor that an event loop could have accepted, and ours. Both
 * get the same bytes through the same socket pair and find the variables that an answer needs. */
#include "gateway/params.h"
#include "gateway/record.h"

#include "micro.h"
#include "requests.h"

#include <fcgiapp.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const wanted[] = { "REQUEST_METHOD", "SCRIPT_NAME", "PATH_INFO", "REQUEST_URI", "QUERY_STRING",
	"DOCUMENT_ROOT", "SERVER_SOFTWARE", "HTTP_ACCEPT", "HTTP_ACCEPT_ENCODING", "HTTP_IF_NONE_MATCH",
	"HTTP_IF_MODIFIED_SINCE", "HTTP_RANGE", "HTTP_IF_RANGE", "STATICGI_ROOT" };

struct wire {
	int ours, theirs;
	struct buf request;
};

static void
wire_open(struct wire *wire)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		exit(1);
	wire->ours = pair[0];
	wire->theirs = pair[1];
	buf_init(&wire->request, 65535);
	put_request(&wire->request, nginx_variables, COUNT(nginx_variables));
}

static void
wire_send(struct wire *wire)
{
	if (send(wire->theirs, wire->request.ptr, wire->request.len, 0) != (ssize_t)wire->request.len)
		exit(1);
}

static void
wire_close(struct wire *wire)
{
	close(wire->ours);
	close(wire->theirs);
	buf_release(&wire->request);
}

/* The end of the answer, which FCGX_Finish_r writes too: the end of STDOUT and END_REQUEST. */
static void
wire_drain(struct wire *wire)
{
	char bytes[256];

	micro_sink += (uint64_t)recv(wire->theirs, bytes, sizeof(bytes), 0);
}

static void
by_libfcgi(size_t times)
{
	struct wire wire;
	FCGX_Request request;

	wire_open(&wire);
	if (FCGX_Init() != 0 || FCGX_InitRequest(&request, 0, 0) != 0)
		exit(1);
	request.ipcFd = wire.ours;
	request.keepConnection = 1;
	for (size_t i = 0; i < times; i++) {
		char drain[64];

		wire_send(&wire);
		if (FCGX_Accept_r(&request) != 0)
			exit(1);
		for (size_t k = 0; k < COUNT(wanted); k++)
			micro_sink += FCGX_GetParam(wanted[k], request.envp) != NULL;
		while (FCGX_GetStr(drain, sizeof(drain), request.in) > 0)
			;
		FCGX_Finish_r(&request);
		wire_drain(&wire);
	}
	FCGX_Free(&request, 0);
	wire_close(&wire);
}

static void
by_ours(size_t times)
{
	struct wire wire;
	struct record_reader reader;
	struct buf end;
	static char input[65536];

	wire_open(&wire);
	record_init(&reader);
	buf_init(&end, 256);
	for (size_t i = 0; i < times; i++) {
		struct params params = { 0 };
		struct str bytes = { input, 0 };
		ssize_t n;

		wire_send(&wire);
		n = recv(wire.ours, input, sizeof(input), 0);
		bytes.len = n > 0 ? (size_t)n : 0;
		if (record_feed(&reader, &bytes) != RECORD_REQUEST || !params_parse(&params, buf_view(&reader.params)))
			exit(1);
		for (size_t k = 0; k < PARAM_COUNT; k++)
			micro_sink += params.values[k].ptr != NULL;
		buf_reset(&end);
		record_end_request(&end, reader.request_id, FCGI_REQUEST_COMPLETE);
		micro_sink += (uint64_t)send(wire.ours, end.ptr, end.len, 0);
		record_finish(&reader);
		wire_drain(&wire);
	}
	buf_release(&end);
	record_release(&reader);
	wire_close(&wire);
}

/* What the socket alone costs, to be taken off the two. */
static void
socket_alone(size_t times)
{
	struct wire wire;
	static char input[65536];
	static const char end[24];

	wire_open(&wire);
	for (size_t i = 0; i < times; i++) {
		wire_send(&wire);
		micro_sink += (uint64_t)recv(wire.ours, input, sizeof(input), 0);
		micro_sink += (uint64_t)send(wire.ours, end, sizeof(end), 0);
		wire_drain(&wire);
	}
	wire_close(&wire);
}

static const struct micro table[] = {
	{ "libfcgi", 1, by_libfcgi },
	{ "ours", 1, by_ours },
	{ "socket-alone", 1, socket_alone },
};
MICRO_MAIN(table)
