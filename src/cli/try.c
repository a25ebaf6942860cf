/* staticgi try: a folder behind a real web server, with one command and no trace afterwards. Everything lies in a
 * temporary directory; the pool and the front are children that end with us. */
#include "cli/commands.h"
#include "cli/try_front.h"
#include "daemon/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT_FIRST 8080
#define PORT_TRIES 100
#define ANSWER_MS 15000
#define END_MS 5000

struct trial {
	const struct try_front *front;
	const char *served;       /* DIR, absolute */
	char dir[64];             /* the temporary directory */
	char program[PATH_MAX];   /* the front's */
	int port;
	pid_t pool, server;
	sigset_t signals;
};

static void
pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Looks through PATH and where Debian keeps servers. */
static bool
find_program(struct trial *trial)
{
	char places[PATH_MAX];
	const char *path = getenv("PATH");

	snprintf(places, sizeof(places), "%s:/usr/local/sbin:/usr/sbin:/sbin", path != NULL ? path : "/usr/bin");
	for (const char *const *name = trial->front->programs; *name != NULL; name++) {
		struct str rest = str_from(places), place;

		while (str_cut(&rest, ':', &place)) {
			snprintf(trial->program, sizeof(trial->program), "%.*s/%s", STR_ARGS(place), *name);
			if (access(trial->program, X_OK) == 0)
				return true;
		}
	}
	log_line("%s is not installed. On Debian: apt-get install %s", trial->front->name, trial->front->package);
	return false;
}

static bool
port_is_free(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	bool is_free;

	if (fd < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	is_free = bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0;
	close(fd);
	return is_free;
}

/* The port asked for, or the first free one from 8080 on. */
static bool
choose_port(struct trial *trial)
{
	if (trial->port != 0) {
		if (port_is_free(trial->port))
			return true;
		log_line("port %d is taken; choose another with --port", trial->port);
		return false;
	}
	for (trial->port = PORT_FIRST; trial->port < PORT_FIRST + PORT_TRIES; trial->port++)
		if (port_is_free(trial->port))
			return true;
	log_line("no free port from %d to %d; choose one with --port", PORT_FIRST, PORT_FIRST + PORT_TRIES - 1);
	return false;
}

static int
write_file(const char *path, struct str text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	ssize_t n = fd >= 0 ? write(fd, text.ptr, text.len) : -1;
	int error = n == (ssize_t)text.len ? 0 : n < 0 ? -errno : -ENOSPC;

	if (fd >= 0)
		close(fd);
	return error;
}

/* The temporary directory: "root" leads to what is served, so that no path of the user's stands in a configuration. */
static bool
lay_out(struct trial *trial)
{
	struct buf config;
	char path[PATH_MAX];
	int error = 0;

	memcpy(trial->dir, "/tmp/staticgi-try.XXXXXX", sizeof("/tmp/staticgi-try.XXXXXX"));
	if (mkdtemp(trial->dir) == NULL || chmod(trial->dir, 0711) != 0)
		error = -errno;
	snprintf(path, sizeof(path), "%s/root", trial->dir);
	if (error == 0 && symlink(trial->served, path) != 0)
		error = -errno;
	snprintf(path, sizeof(path), "%s/empty", trial->dir);
	if (error == 0 && mkdir(path, 0755) != 0)
		error = -errno;
	buf_init(&config, 65536);
	trial->front->configure(&config, trial->dir, trial->port);
	snprintf(path, sizeof(path), "%s/front.conf", trial->dir);
	if (error == 0)
		error = write_file(path, buf_view(&config));
	buf_release(&config);
	if (error != 0)
		log_error(-error, "cannot lay out %s", trial->dir);
	return error == 0;
}

/* A child in a process group of its own: Ctrl-C reaches us alone, and we end them in order. Both sides make the group,
 * so that it is there for the child before it becomes the program, and for us before we signal it. */
static pid_t
start(const struct trial *trial, const char *program, char *const *arguments)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		log_error(errno, "cannot start %s", program);
	if (pid > 0)
		setpgid(pid, pid);
	if (pid != 0)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &trial->signals, NULL);
	if (getppid() == parent)
		execv(program, arguments);
	log_error(errno, "cannot start %s", program);
	_exit(127);
}

static pid_t
start_pool(const struct trial *trial)
{
	char listen[96], root[96], hand_off[96];
	char *arguments[] = { "staticgi", "serve", "--config", "/dev/null", "--listen", listen, "--listen-mode", "0666",
		"--root", root, "--url-prefix", "/", "--hand-off", hand_off, NULL };

	snprintf(listen, sizeof(listen), "unix:%s/socket", trial->dir);
	snprintf(root, sizeof(root), "%s/root", trial->dir);
	snprintf(hand_off, sizeof(hand_off), "%s", trial->front->hand_off);
	return start(trial, "/proc/self/exe", arguments);
}

static pid_t
start_server(const struct trial *trial)
{
	char texts[FRONT_ARGUMENTS][96], name[32], *arguments[FRONT_ARGUMENTS + 2];
	size_t count = 0;

	snprintf(name, sizeof(name), "%s", trial->front->name);
	arguments[count++] = name;
	for (size_t i = 0; i < FRONT_ARGUMENTS && trial->front->arguments[i] != NULL; i++) {
		const char *argument = trial->front->arguments[i];

		if (strcmp(argument, "@") == 0)
			snprintf(texts[i], sizeof(texts[i]), "%s/front.conf", trial->dir);
		else
			snprintf(texts[i], sizeof(texts[i]), "%s", argument);
		arguments[count++] = texts[i];
	}
	arguments[count] = NULL;
	return start(trial, trial->program, arguments);
}

/* Whether the front answers with anything but a failure of its own to reach the pool. */
static bool
answers(int port)
{
	static const char request[] = "HEAD / HTTP/1.0\r\nHost: localhost\r\n\r\n";
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval patience = { .tv_sec = 5 };
	char answer[16] = "";
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good;

	if (fd < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	good = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) > 0 && recv(fd, answer, sizeof(answer), MSG_WAITALL) > 12 &&
	    answer[9] != '5';
	close(fd);
	return good;
}

static bool
wait_for_answer(const struct trial *trial)
{
	for (long waited = 0; waited < ANSWER_MS; waited += 50) {
		siginfo_t info = { 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0) {
			log_line("%s ended before it answered; its message stands above",
			    info.si_pid == trial->pool ? "the pool" : trial->front->name);
			return false;
		}
		if (answers(trial->port))
			return true;
		pause_ms(50);
	}
	log_line("%s did not answer on port %d", trial->front->name, trial->port);
	return false;
}

static void
end_child(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(-pid, SIGTERM);
	for (long waited = 0; waited < END_MS; waited += 20) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;
		pause_ms(20);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Only what we made, by name; the served folder is behind a link and not touched. */
static void
clean_up(const struct trial *trial)
{
	static const char *const names[] = { "root", "empty", "front.conf", "socket", "nginx.pid", "apache.pid", "body",
		"fastcgi", "proxy", "uwsgi", "scgi" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", trial->dir, names[i]);
		if (unlink(path) != 0 && errno == EISDIR)
			rmdir(path);
	}
	if (rmdir(trial->dir) != 0 && errno == ENOTEMPTY)
		log_line("something was left in %s", trial->dir);
}

static bool
read_arguments(struct trial *trial, int argc, char **argv)
{
	static const struct option options[] = {
		{ "front", required_argument, NULL, 'f' },
		{ "port", required_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	int64_t port = 0;
	int option;

	trial->front = try_front_find("lighttpd");
	trial->served = ".";
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'f')
			trial->front = try_front_find(optarg);
		if (option == '?' || (option == 'p' && (!str_digits(str_from(optarg), &port) || port < 1 || port > 65535)) ||
		    trial->front == NULL) {
			log_line("try [DIR] [--front lighttpd|apache|nginx] [--port 1 to 65535]");
			return false;
		}
	}
	trial->port = (int)port;
	if (optind < argc)
		trial->served = argv[optind++];
	if (optind < argc)
		log_line("%s: not expected here", argv[optind]);
	return optind == argc;
}

static int
run(struct trial *trial)
{
	int signal_number;

	trial->pool = start_pool(trial);
	trial->server = start_server(trial);
	if (trial->pool < 0 || trial->server < 0 || !wait_for_answer(trial))
		return COMMAND_FAILED;
	printf("%s is served behind %s; Ctrl-C ends it.\n", trial->served, trial->front->name);
	printf("http://127.0.0.1:%d/\n", trial->port);
	fflush(stdout);
	signal_number = sigwaitinfo(&trial->signals, NULL);
	if (signal_number != SIGCHLD)
		return EXIT_SUCCESS;
	log_line("the pool or %s ended by itself; its message stands above", trial->front->name);
	return COMMAND_FAILED;
}

/* errno says why not. */
static bool
can_be_served(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode) && access(path, R_OK | X_OK) == 0;
}

int
command_try(int argc, char **argv)
{
	struct trial trial = { .pool = -1, .server = -1 };
	char served[PATH_MAX];
	int status = COMMAND_FAILED;

	if (!read_arguments(&trial, argc, argv))
		return COMMAND_USAGE;
	if (realpath(trial.served, served) == NULL || !can_be_served(served)) {
		log_error(errno, "cannot serve %s", trial.served);
		return COMMAND_FAILED;
	}
	trial.served = served;
	if (!find_program(&trial) || !choose_port(&trial))
		return COMMAND_FAILED;
	sigemptyset(&trial.signals);
	sigaddset(&trial.signals, SIGINT);
	sigaddset(&trial.signals, SIGTERM);
	sigaddset(&trial.signals, SIGHUP);
	sigaddset(&trial.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &trial.signals, NULL);
	if (lay_out(&trial))
		status = run(&trial);
	end_child(trial.server);
	end_child(trial.pool);
	clean_up(&trial);
	return status;
}
