/* The listening TCP socket: addresses, names with several of them, and what is none. */
#include "daemon/listen.h"

#include "daemon/scratch.h"
#include "suites.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

Suite *listen_tcp_suite(void);

static struct scratch scratch;

static void
setup(void)
{
	scratch_make(&scratch);
}

static void
teardown(void)
{
	scratch_remove(&scratch);
}

static int
port_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address;
	socklen_t length = sizeof(address);

	ck_assert_int_eq(getsockname(fd, &address.any, &length), 0);
	return ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

static const struct {
	const char *where;
	int family;
} hosts[] = {
	{ "127.0.0.1:0", AF_INET },
	{ "[127.0.0.1]:0", AF_INET },
	{ "[::1]:0", AF_INET6 },
	{ "::1:0", AF_INET6 },
	{ "localhost:0", AF_UNSPEC },
};

START_TEST(tcp)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	struct listener listener, again;
	char text[64];

	if (hosts[_i].family == AF_INET6 && access("/proc/net/if_inet6", F_OK) != 0)
		return;
	ck_assert_int_eq(listener_open(&listener, hosts[_i].where, 0600), 0);
	ck_assert(descriptor_is_listening(listener.fd));
	ck_assert_int_eq(getsockname(listener.fd, (struct sockaddr *)&address, &length), 0);
	if (hosts[_i].family != AF_UNSPEC)
		ck_assert_int_eq(address.ss_family, hosts[_i].family);
	snprintf(text, sizeof(text), "%s:%d", address.ss_family == AF_INET6 ? "[::1]" : "127.0.0.1", port_of(listener.fd));
	ck_assert_int_eq(listener_check(text), -EADDRINUSE);
	ck_assert_str_eq(scratch_log(&scratch), "");
	ck_assert_int_eq(listener_open(&again, text, 0600), -EADDRINUSE);
	scratch_log_has(&scratch, text);
	listener_close(&listener);
	ck_assert_int_eq(listener_check(text), 0);
	ck_assert_int_eq(listener_open(&again, text, 0600), 0);
	listener_close(&again);
}
END_TEST

/* A name with several addresses, as the resolver gives it while `staged` is set. */
static struct addrinfo *staged;

int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	if (staged == NULL)
		return real(name, service, hints, found);
	*found = staged;
	return 0;
}

void
freeaddrinfo(struct addrinfo *found)
{
	void (*real)(struct addrinfo *);

	*(void **)&real = dlsym(RTLD_NEXT, "freeaddrinfo");
	if (found != staged)
		real(found);
}

#define STAGED_MAX 3

/* TAKEN is 127.0.0.1 where somebody listens; 203.0.113.x is nobody's; no machine speaks AF_MAX. */
#define TAKEN "taken"
#define FOREIGN "foreign"

static const struct {
	const char *addresses[STAGED_MAX];
	const char *listens; /* NULL: not at all */
	int error;
	const char *said;
} names[] = {
	{ { "127.0.0.1" }, "127.0.0.1", 0, NULL },
	{ { "127.0.0.1", "127.0.0.2" }, "127.0.0.1", 0, NULL },
	{ { "203.0.113.7", "127.0.0.2" }, "127.0.0.2", 0, NULL },
	{ { "203.0.113.7", "203.0.113.8", "127.0.0.3" }, "127.0.0.3", 0, NULL },
	{ { FOREIGN, "127.0.0.2" }, "127.0.0.2", 0, NULL },
	{ { "203.0.113.7", "203.0.113.8" }, NULL, -EADDRNOTAVAIL, "staged:0 is no address of this machine" },
	{ { FOREIGN }, NULL, -EAFNOSUPPORT, "staged:0 is no address of this machine" },
	/* Beside somebody who has the name's first address, clients of the name would ask him. */
	{ { TAKEN, "127.0.0.2" }, NULL, -EADDRINUSE, "somebody already listens on staged:0" },
	{ { "203.0.113.7", TAKEN }, NULL, -EADDRINUSE, "somebody already listens on staged:0" },
};

static void
stage(const char *const addresses[STAGED_MAX], in_port_t taken)
{
	static struct addrinfo infos[STAGED_MAX];
	static struct sockaddr_in places[STAGED_MAX];
	size_t n = 0;

	for (; n < STAGED_MAX && addresses[n] != NULL; n++) {
		bool is_taken = strcmp(addresses[n], TAKEN) == 0, is_foreign = strcmp(addresses[n], FOREIGN) == 0;

		places[n] = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = is_taken ? taken : 0 };
		if (!is_foreign)
			ck_assert_int_eq(inet_pton(AF_INET, is_taken ? "127.0.0.1" : addresses[n], &places[n].sin_addr), 1);
		infos[n] = (struct addrinfo){ .ai_family = is_foreign ? AF_MAX : AF_INET, .ai_socktype = SOCK_STREAM,
			.ai_addr = (struct sockaddr *)&places[n], .ai_addrlen = sizeof(places[n]) };
		if (n > 0)
			infos[n - 1].ai_next = &infos[n];
	}
	staged = infos;
}

START_TEST(a_name_with_several_addresses)
{
	struct listener busy, listener;
	struct sockaddr_in address;
	socklen_t length = sizeof(address);
	char text[INET_ADDRSTRLEN];

	ck_assert_int_eq(listener_open(&busy, "127.0.0.1:0", 0600), 0);
	stage(names[_i].addresses, htons((uint16_t)port_of(busy.fd)));
	ck_assert_int_eq(listener_check("staged:0"), names[_i].error);
	ck_assert_int_eq(listener_open(&listener, "staged:0", 0600), names[_i].error);
	staged = NULL;
	if (names[_i].said != NULL)
		scratch_log_has(&scratch, names[_i].said);
	if (names[_i].listens != NULL) {
		ck_assert(descriptor_is_listening(listener.fd));
		ck_assert_int_eq(getsockname(listener.fd, (struct sockaddr *)&address, &length), 0);
		ck_assert_str_eq(inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text)), names[_i].listens);
		ck_assert_str_eq(scratch_log(&scratch), "");
	}
	listener_close(&listener);
	listener_close(&busy);
}
END_TEST

static const char *const addresses[] = {
	"nonsense", "256.0.0.1:9000", "[::1:9000", "host.invalid:9000", "127.0.0.1:http", "192.0.2.1:9000", "",
};

START_TEST(addresses_that_do_not_do)
{
	struct listener listener;

	ck_assert_int_lt(listener_open(&listener, addresses[_i], 0600), 0);
	ck_assert_int_eq(listener.fd, -1);
	scratch_log_has(&scratch, "listen: ");
	ck_assert_int_lt(listener_check(addresses[_i]), 0);
}
END_TEST

Suite *
listen_tcp_suite(void)
{
	Suite *suite = suite_create("daemon/listen_tcp");

	suite_add_case(suite, tcp, ROWS(hosts), setup, teardown);
	suite_add_case(suite, a_name_with_several_addresses, ROWS(names), setup, teardown);
	suite_add_case(suite, addresses_that_do_not_do, ROWS(addresses), setup, teardown);
	return suite;
}
