/* The listening unix socket: who may connect, and whose socket file is touched. */
#include "daemon/listen.h"

#include "daemon/scratch.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

Suite *listen_suite(void);

static struct scratch scratch;
static char path[PATH_MAX], where[PATH_MAX + 8];

static void
setup(void)
{
	scratch_make(&scratch);
	scratch_name(&scratch, "socket", path);
	snprintf(where, sizeof(where), "unix:%s", path);
}

static void
teardown(void)
{
	scratch_remove(&scratch);
}

static int
connect_unix(const char *to)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), error;

	ck_assert_uint_lt(strlen(to), sizeof(address.sun_path));
	memcpy(address.sun_path, to, strlen(to) + 1);
	error = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : -errno;
	close(fd);
	return error;
}

static unsigned
mode_of(const char *name)
{
	struct stat there;

	ck_assert_int_eq(lstat(name, &there), 0);
	ck_assert(S_ISSOCK(there.st_mode));
	return there.st_mode & 07777;
}

static const unsigned modes[] = { 0600, 0660, 0666, 0777, 0000 };

START_TEST(mode_of_the_socket)
{
	struct listener listener;
	mode_t before = umask(0077);

	ck_assert_int_eq(listener_open(&listener, where, modes[_i]), 0);
	ck_assert_uint_eq(mode_of(path), modes[_i]);
	ck_assert(descriptor_is_listening(listener.fd));
	ck_assert(fcntl(listener.fd, F_GETFD) & FD_CLOEXEC);
	ck_assert_int_eq(umask(before), 0077);
	listener_close(&listener);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert_int_eq(listener.fd, -1);
	/* Once more does no harm. */
	listener_close(&listener);
}
END_TEST

/* The name is never there with other permissions: it comes by a rename, and only so. */
START_TEST(the_name_comes_ready)
{
	union {
		struct inotify_event event;
		char bytes[4096];
	} events;
	struct listener listener;
	int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), moved = 0;
	ssize_t n;

	ck_assert_int_ge(inotify_add_watch(watch, scratch.path, IN_CREATE | IN_MOVED_TO | IN_ATTRIB), 0);
	ck_assert_int_eq(listener_open(&listener, where, 0660), 0);
	n = read(watch, &events, sizeof(events));
	ck_assert_int_gt(n, 0);
	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *event = (const void *)(events.bytes + at);

		if (event->len > 0 && strcmp(event->name, "socket") == 0) {
			ck_assert_uint_eq(event->mask, IN_MOVED_TO);
			moved++;
		}
		at += (ssize_t)(sizeof(*event) + event->len);
	}
	ck_assert_int_eq(moved, 1);
	close(watch);
	listener_close(&listener);
}
END_TEST

START_TEST(a_dead_socket_is_taken_over)
{
	struct listener dead, listener;

	ck_assert_int_eq(listener_open(&dead, where, 0600), 0);
	close(dead.fd);
	ck_assert_int_eq(connect_unix(path), -ECONNREFUSED);
	ck_assert_int_eq(listener_open(&listener, where, 0600), 0);
	ck_assert_int_eq(connect_unix(path), 0);
	/* The dead one's owner wakes up: that is not its file any more. */
	dead.fd = -1;
	listener_close(&dead);
	ck_assert_int_eq(connect_unix(path), 0);
	listener_close(&listener);
}
END_TEST

START_TEST(a_live_socket_is_left_alone)
{
	struct listener live, listener;

	ck_assert_int_eq(listener_open(&live, where, 0600), 0);
	ck_assert_int_eq(listener_open(&listener, where, 0666), -EADDRINUSE);
	ck_assert_int_eq(listener.fd, -1);
	scratch_log_has(&scratch, "somebody already listens on");
	ck_assert_uint_eq(mode_of(path), 0600);
	ck_assert_int_eq(connect_unix(path), 0);
	listener_close(&listener);
	ck_assert_int_eq(connect_unix(path), 0);
	listener_close(&live);
}
END_TEST

/* A backlog that is full is no sign of death. */
START_TEST(a_busy_socket_is_alive)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), clients[4];
	struct listener listener;

	memcpy(address.sun_path, path, strlen(path) + 1);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(fd, 0), 0);
	for (int i = 0; i < 4; i++) {
		clients[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (connect(clients[i], (const struct sockaddr *)&address, sizeof(address)) != 0)
			ck_assert_int_eq(errno, EAGAIN);
	}
	ck_assert_int_eq(listener_open(&listener, where, 0600), -EADDRINUSE);
	for (int i = 0; i < 4; i++)
		close(clients[i]);
	close(fd);
}
END_TEST

START_TEST(what_is_no_socket_is_left_alone)
{
	struct listener listener;
	struct stat there;
	char target[PATH_MAX];

	scratch_file(&scratch, "socket", "precious", 0644);
	ck_assert_int_eq(listener_open(&listener, where, 0600), -ENOTSOCK);
	scratch_log_has(&scratch, "is there and is no socket");
	ck_assert_int_eq(lstat(path, &there), 0);
	ck_assert(S_ISREG(there.st_mode) && there.st_size == 8);
	ck_assert_int_eq(unlink(path), 0);
	scratch_name(&scratch, "target", target);
	ck_assert_int_eq(symlink(target, path), 0);
	ck_assert_int_eq(listener_open(&listener, where, 0600), -ENOTSOCK);
	ck_assert_int_eq(lstat(path, &there), 0);
	ck_assert(S_ISLNK(there.st_mode));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	ck_assert_int_eq(listener_open(&listener, where, 0600), -ENOTSOCK);
	ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(close_takes_only_its_own)
{
	struct listener first, second;
	char other[PATH_MAX];

	ck_assert_int_eq(listener_open(&first, where, 0600), 0);
	scratch_name(&scratch, "other", other);
	ck_assert_int_eq(rename(path, other), 0);
	ck_assert_int_eq(listener_open(&second, where, 0600), 0);
	listener_close(&first);
	ck_assert_int_eq(connect_unix(path), 0);
	listener_close(&second);
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

START_TEST(paths_that_do_not_do)
{
	struct listener listener;
	char text[256] = "unix:/";

	memset(text + 6, 'a', 200);
	ck_assert_int_eq(listener_open(&listener, text, 0600), -ENAMETOOLONG);
	scratch_log_has(&scratch, "too long for a socket");
	ck_assert_int_eq(listener_open(&listener, "unix:/nowhere at all/socket", 0600), -ENOENT);
	scratch_log_has(&scratch, "cannot listen on /nowhere at all/socket");
	ck_assert_int_eq(listener.fd, -1);
}
END_TEST

/* Where somebody could listen: said without a trace. */
static const struct {
	const char *name;   /* in the directory */
	int error;
	const char *said;   /* NULL: nothing */
} looked_at[] = {
	{ "new", 0, NULL },
	{ "dead", 0, NULL },
	{ "live", -EADDRINUSE, NULL },
	{ "file", -ENOTSOCK, "is there and is no socket: move it away" },
	{ "file/below", -ENOTDIR, "its directory must be there" },
	{ "12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
	    -ENAMETOOLONG, "too long for a socket" },
};

START_TEST(looking_leaves_no_trace)
{
	struct listener dead, live;
	char name[PATH_MAX], place[PATH_MAX + 8];
	int before, after;

	snprintf(place, sizeof(place), "unix:%s/dead", scratch.path);
	ck_assert_int_eq(listener_open(&dead, place, 0600), 0);
	close(dead.fd);
	snprintf(place, sizeof(place), "unix:%s/live", scratch.path);
	ck_assert_int_eq(listener_open(&live, place, 0600), 0);
	scratch_file(&scratch, "file", "precious", 0644);
	scratch_name(&scratch, looked_at[_i].name, name);
	before = access(name, F_OK);
	snprintf(place, sizeof(place), "unix:%s", name);
	ck_assert_int_eq(listener_check(place), looked_at[_i].error);
	if (looked_at[_i].said != NULL)
		scratch_log_has(&scratch, looked_at[_i].said);
	else
		ck_assert_str_eq(scratch_log(&scratch), "");
	after = access(name, F_OK);
	ck_assert_int_eq(before, after);
	ck_assert_int_eq(connect_unix(live.path), 0);
	listener_close(&live);
}
END_TEST

START_TEST(what_is_a_listening_descriptor)
{
	int pair[2], file = open("/dev/null", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	ck_assert(!descriptor_is_listening(pair[0]));
	ck_assert(!descriptor_is_listening(file));
	ck_assert(!descriptor_is_listening(-1));
	close(pair[0]);
	close(pair[1]);
	close(file);
}
END_TEST

Suite *
listen_suite(void)
{
	Suite *suite = suite_create("daemon/listen");

	suite_add_case(suite, mode_of_the_socket, ROWS(modes), setup, teardown);
	suite_add_case(suite, the_name_comes_ready, 1, setup, teardown);
	suite_add_case(suite, a_dead_socket_is_taken_over, 1, setup, teardown);
	suite_add_case(suite, a_live_socket_is_left_alone, 1, setup, teardown);
	suite_add_case(suite, a_busy_socket_is_alive, 1, setup, teardown);
	suite_add_case(suite, what_is_no_socket_is_left_alone, 1, setup, teardown);
	suite_add_case(suite, close_takes_only_its_own, 1, setup, teardown);
	suite_add_case(suite, paths_that_do_not_do, 1, setup, teardown);
	suite_add_case(suite, looking_leaves_no_trace, ROWS(looked_at), setup, teardown);
	suite_add_case(suite, what_is_a_listening_descriptor, 1, setup, teardown);
	return suite;
}
