/* Written from the FastCGI specification alone, so that nothing of src/gateway/ is its own judge. */
#include "client.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <linux/sockios.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 10000

int64_t
client_milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
client_record(struct buf *out, int type, unsigned id, struct str content, unsigned padding)
{
	buf_char(out, 1);
	buf_char(out, (char)type);
	buf_char(out, (char)(id >> 8));
	buf_char(out, (char)id);
	buf_char(out, (char)(content.len >> 8));
	buf_char(out, (char)content.len);
	buf_char(out, (char)padding);
	buf_char(out, 0);
	buf_str(out, content);
	for (unsigned i = 0; i < padding; i++)
		buf_char(out, 'P');
}

void
client_begin(struct buf *out, unsigned id, int role, bool keep)
{
	char body[8] = { (char)(role >> 8), (char)role, (char)(keep ? 1 : 0), 0, 0, 0, 0, 0 };

	client_record(out, FCGI_BEGIN_REQUEST, id, (struct str){ body, sizeof(body) }, 0);
}

void
client_stream(struct buf *out, int type, unsigned id, struct str content)
{
	while (content.len > 0) {
		struct str part = str_sub(content, 0, 65535);

		client_record(out, type, id, part, 0);
		content = str_after(content, part.len);
	}
	client_record(out, type, id, S(""), 0);
}

static void
put_length(struct buf *out, size_t length)
{
	if (length > 127) {
		buf_char(out, (char)(length >> 24 | 0x80));
		buf_char(out, (char)(length >> 16));
		buf_char(out, (char)(length >> 8));
	}
	buf_char(out, (char)length);
}

void
client_pair(struct buf *out, struct str name, struct str value)
{
	put_length(out, name.len);
	put_length(out, value.len);
	buf_str(out, name);
	buf_str(out, value);
}

void
client_pairs(struct buf *out, const char *const *texts)
{
	for (; *texts != NULL; texts++) {
		struct str value = str_from(*texts), name;

		str_cut(&value, '=', &name);
		client_pair(out, name, value);
	}
}

void
client_request(struct buf *out, unsigned id, bool keep, const char *const *texts)
{
	struct buf pairs;

	buf_init(&pairs, CLIENT_MAX);
	client_pairs(&pairs, texts);
	client_begin(out, id, FCGI_RESPONDER, keep);
	client_stream(out, FCGI_PARAMS, id, buf_view(&pairs));
	client_stream(out, FCGI_STDIN, id, S(""));
	buf_release(&pairs);
}

void
client_from(struct client *client, int fd)
{
	client->fd = fd;
	client->used = 0;
	buf_init(&client->in, CLIENT_MAX);
}

void
client_open(struct client *client, const char *path, int port)
{
	struct sockaddr_un local = { .sun_family = AF_UNIX };
	struct sockaddr_in tcp = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(path != NULL ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), result;

	if (path != NULL) {
		memcpy(local.sun_path, path, strlen(path) + 1);
		result = connect(fd, (struct sockaddr *)&local, sizeof(local));
	} else {
		result = connect(fd, (struct sockaddr *)&tcp, sizeof(tcp));
	}
	if (result != 0 && fd >= 0) {
		close(fd);
		fd = -1;
	}
	client_from(client, fd);
}

void
client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
	buf_release(&client->in);
}

static bool
wait_for(int fd, short events, int milliseconds)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, milliseconds) > 0;
}

bool
client_send(struct client *client, struct str bytes)
{
	while (bytes.len > 0) {
		ssize_t n;

		if (!wait_for(client->fd, POLLOUT, PATIENCE))
			return false;
		n = send(client->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (n > 0)
			bytes = str_after(bytes, (size_t)n);
	}
	return true;
}

bool
client_taken(struct client *client)
{
	int64_t until = client_milliseconds() + PATIENCE;
	int unread = 1;

	while (client_milliseconds() < until) {
		if (ioctl(client->fd, SIOCOUTQ, &unread) != 0)
			return false;
		if (unread == 0)
			return true;
		usleep(50);
	}
	return false;
}

/* Takes the record at the front of what has come. False when it is not in whole. */
static bool
take_record(struct client *client, struct client_record *record)
{
	struct str rest = buf_since(&client->in, client->used);
	const unsigned char *h = (const unsigned char *)rest.ptr;
	size_t length;

	if (rest.len < 8)
		return false;
	length = (size_t)h[4] << 8 | h[5];
	if (rest.len < 8 + length + h[6])
		return false;
	record->type = h[0] == 1 ? h[1] : -1;
	record->id = (unsigned)h[2] << 8 | h[3];
	record->content = str_sub(rest, 8, length);
	client->used += 8 + length + h[6];
	return true;
}

enum client_result
client_next(struct client *client, struct client_record *record, int milliseconds)
{
	int64_t until = client_milliseconds() + milliseconds;

	while (!take_record(client, record)) {
		int64_t left = until - client_milliseconds();
		struct str rest = buf_since(&client->in, client->used);
		ssize_t n;

		if (client->used > 0) {
			memmove(client->in.ptr, rest.ptr, rest.len);
			client->in.len = rest.len;
			client->used = 0;
		}
		if (left <= 0 || !wait_for(client->fd, POLLIN, (int)left))
			return CLIENT_TIMEOUT;
		if (!buf_reserve(&client->in, 262144))
			return CLIENT_MALFORMED;
		n = recv(client->fd, client->in.ptr + client->in.len, 262144, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return client->in.len > 0 ? CLIENT_CUT : CLIENT_CLOSED;
		client->in.len += (size_t)n;
	}
	return record->type < 0 ? CLIENT_MALFORMED : CLIENT_OK;
}

void
answer_init(struct client_answer *answer, unsigned id)
{
	*answer = (struct client_answer){ .id = id, .protocol_status = -1 };
	buf_init(&answer->out, CLIENT_MAX);
	buf_init(&answer->err, CLIENT_MAX);
}

void
answer_release(struct client_answer *answer)
{
	buf_release(&answer->out);
	buf_release(&answer->err);
}

enum client_result
client_answer(struct client *client, struct client_answer *answer)
{
	struct client_record record;
	enum client_result result;

	while ((result = client_next(client, &record, PATIENCE)) == CLIENT_OK) {
		if (record.id != answer->id)
			return CLIENT_MALFORMED;
		if (record.type == FCGI_STDERR) {
			buf_str(&answer->err, record.content);
		} else if (record.type == FCGI_STDOUT && !answer->out_ended) {
			buf_str(&answer->out, record.content);
			answer->out_ended = record.content.len == 0;
		} else if (record.type == FCGI_END_REQUEST && record.content.len == 8) {
			answer->protocol_status = (unsigned char)record.content.ptr[4];
			return CLIENT_OK;
		} else {
			return CLIENT_MALFORMED;
		}
	}
	return result;
}

struct str
answer_body(const struct client_answer *answer)
{
	struct str out = buf_view(&answer->out);

	for (size_t i = 0; i + 4 <= out.len; i++)
		if (memcmp(out.ptr + i, "\r\n\r\n", 4) == 0)
			return str_after(out, i + 4);
	return (struct str){ NULL, 0 };
}
