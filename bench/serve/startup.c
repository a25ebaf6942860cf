/* How long a program takes from exec to its first answer, without a debugger in the way.
 *
 *   startup fcgi ROOT COMMAND...   COMMAND gets a listening socket as descriptor 0, as from mod_fcgid or lighttpd,
 *                                  with one request for ROOT waiting in it: time until the first byte of the answer
 *   startup http PORT COMMAND...   time until COMMAND answers on PORT; asked again every 200 microseconds
 *
 * Prints microseconds. The command is ended afterwards. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fastcgi.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000 };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static size_t
put_record(unsigned char *out, int type, const unsigned char *content, size_t len)
{
	FCGI_Header header = { .version = 1, .type = (unsigned char)type, .requestIdB0 = 1,
		.contentLengthB1 = (unsigned char)(len >> 8), .contentLengthB0 = (unsigned char)len };

	memcpy(out, &header, sizeof(header));
	memcpy(out + sizeof(header), content, len);
	return sizeof(header) + len;
}

static size_t
put_pair(unsigned char *out, const char *name, const char *value)
{
	size_t name_len = strlen(name), value_len = strlen(value);

	out[0] = (unsigned char)name_len;
	out[1] = (unsigned char)value_len;
	memcpy(out + 2, name, name_len);
	memcpy(out + 2 + name_len, value, value_len);
	return 2 + name_len + value_len;
}

static size_t
request_build(unsigned char *out, const char *root)
{
	static const unsigned char begin[8] = { 0, FCGI_RESPONDER };
	unsigned char pairs[1024];
	size_t len = 0, used;

	len += put_pair(pairs + len, "GATEWAY_INTERFACE", "CGI/1.1");
	len += put_pair(pairs + len, "REQUEST_METHOD", "GET");
	len += put_pair(pairs + len, "REQUEST_URI", "/");
	len += put_pair(pairs + len, "SCRIPT_NAME", "");
	len += put_pair(pairs + len, "PATH_INFO", "/");
	len += put_pair(pairs + len, "STATICGI_ROOT", root);
	used = put_record(out, FCGI_BEGIN_REQUEST, begin, sizeof(begin));
	used += put_record(out + used, FCGI_PARAMS, pairs, len);
	used += put_record(out + used, FCGI_PARAMS, pairs, 0);
	return used + put_record(out + used, FCGI_STDIN, pairs, 0);
}

static pid_t
start(char **command, int descriptor)
{
	pid_t pid = vfork();

	if (pid != 0)
		return pid;
	setpgid(0, 0);
	if (descriptor >= 0)
		dup2(descriptor, 0);
	execvp(command[0], command);
	_exit(127);
}

static double
time_fcgi(const char *root, char **command, pid_t *pid)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(sa_family_t);
	unsigned char request[2048];
	size_t request_len = request_build(request, root);
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd poll_client = { .fd = client, .events = POLLIN };
	double begin;

	/* An abstract name that the kernel chooses. */
	if (bind(listening, (struct sockaddr *)&address, len) != 0 || listen(listening, 8) != 0)
		return -1;
	len = sizeof(address);
	getsockname(listening, (struct sockaddr *)&address, &len);
	if (connect(client, (struct sockaddr *)&address, len) != 0 ||
	    write(client, request, request_len) != (ssize_t)request_len)
		return -1;
	begin = now();
	*pid = start(command, listening);
	return poll(&poll_client, 1, PATIENCE_MS) == 1 && recv(client, request, 8, 0) == 8 ? now() - begin : -1;
}

static bool
answers(int port)
{
	static const char request[] = "HEAD / HTTP/1.0\r\nHost: localhost\r\n\r\n";
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char answer[16];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) > 0 && recv(fd, answer, sizeof(answer), 0) > 8;

	close(fd);
	return good;
}

static double
time_http(int port, char **command, pid_t *pid)
{
	double begin = now();

	*pid = start(command, -1);
	while (!answers(port)) {
		if (now() - begin > PATIENCE_MS * 1e3 || waitpid(*pid, NULL, WNOHANG) != 0)
			return -1;
		usleep(200);
	}
	return now() - begin;
}

int
main(int argc, char **argv)
{
	pid_t pid = -1;
	double time;

	if (argc < 4)
		return 2;
	if (strcmp(argv[1], "fcgi") == 0)
		time = time_fcgi(argv[2], argv + 3, &pid);
	else
		time = time_http(atoi(argv[2]), argv + 3, &pid);
	if (pid > 0) {
		kill(-pid, SIGTERM);
		for (int i = 0; i < 100 && waitpid(pid, NULL, WNOHANG) == 0; i++)
			usleep(20000);
		kill(-pid, SIGKILL);
	}
	printf("%.0f\n", time);
	return time > 0 ? 0 : 1;
}
