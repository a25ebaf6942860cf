/* Joins gateway and handler: the only place that reads the clock for a request and writes its line. */
#include "daemon/worker.h"

#include "base/escape.h"
#include "daemon/log.h"
#include "daemon/self.h"
#include "gateway/cgi.h"
#include "gateway/fastcgi.h"
#include "gateway/locate.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

struct worker {
	const struct settings *settings;
	bool started_by_front;
	struct handler_options handler_options;
	struct handler handler;
	struct self self;
	struct locate_options locate;
	struct buf line; /* scratch of the log */
	uint64_t requests;
};

static int64_t
now_nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
worker_respond(void *context, struct exchange *exchange)
{
	struct worker *worker = context;

	if (exchange->request.order == 0) {
		exchange->request.order = ++worker->requests;
		exchange->request.received = now_nanoseconds();
	}
	locate_request(exchange, &worker->locate);
	exchange->ends_short = exchange->request.front == FRONT_NGINX ||
	    (exchange->request.front == FRONT_APACHE && worker->started_by_front);
	handler_respond(&worker->handler, &exchange->request, &exchange->response);
}

/* Method, path, status, bytes of content, microseconds, and why. */
static void
log_exchange(struct worker *worker, const struct exchange *exchange)
{
	const struct request *request = &exchange->request;
	const struct response *response = &exchange->response;
	struct str method = exchange->params.values[PARAM_REQUEST_METHOD];
	struct str target = exchange->params.values[PARAM_REQUEST_URI];
	int64_t bytes = exchange->sent - (int64_t)exchange->head.len;
	struct buf *line = &worker->line;

	buf_reset(line);
	escape_log(line, str_sub(method, 0, 32));
	buf_char(line, ' ');
	escape_log(line, str_sub(target.len > 0 ? target : request->url, 0, 1500));
	buf_char(line, ' ');
	buf_int(line, response->status);
	buf_char(line, ' ');
	buf_int(line, bytes > 0 ? bytes : 0);
	buf_char(line, ' ');
	buf_int(line, (now_nanoseconds() - request->received) / 1000);
	buf_text(line, "us ");
	buf_text(line, response->reason != NULL ? response->reason : "-");
	if (request->refused == 0 && request->located != NULL) {
		buf_text(line, " by ");
		buf_text(line, request->located);
	}
	if (!exchange->whole)
		buf_text(line, ", not sent whole");
	if (response->error != 0)
		log_error(response->error, "%.*s", STR_ARGS(buf_view(line)));
	else
		log_line("%.*s", STR_ARGS(buf_view(line)));
}

/* What costs speed and not answers is said once. */
static void
log_complaint(struct worker *worker)
{
	struct complaint complaint = handler_complaint(&worker->handler);
	struct buf *line = &worker->line;

	switch (complaint.about) {
	case COMPLAINT_NONE:
		break;
	case COMPLAINT_CACHE_DIR:
		log_error(complaint.error, "cache-dir: %.*s cannot be used (it must be this user's own, have room, and nobody else may write in it); "
		    "what finds no place there stays in memory", STR_ARGS(complaint.what));
		break;
	case COMPLAINT_WATCHES:
		log_error(complaint.error, "watches: a folder cannot be watched for changes (fs.inotify.max_user_watches and "
		    "max_user_instances may be too low, or there is no /proc); listings are up to snapshot-age old");
		break;
	case COMPLAINT_HANDOFF:
		buf_reset(line);
		escape_log(line, complaint.what);
		log_line("STATICGI_HANDOFF: \"%.*s\" from the front is not allowed and counts as off: set it to %s",
		    STR_ARGS(buf_view(line)), setting_find("hand-off")->allowed);
		break;
	}
}

static void
worker_finish(void *context, struct exchange *exchange)
{
	struct worker *worker = context;

	/* What failed here, and is not the asker's doing, is said in any case. */
	if (worker->settings->verbose || exchange->response.status == STATUS_INTERNAL_SERVER_ERROR ||
	    exchange->response.status == STATUS_SERVICE_UNAVAILABLE)
		log_exchange(worker, exchange);
	handler_finish(&worker->handler, &exchange->response);
	log_complaint(worker);
}

static void
worker_wake(void *context)
{
	struct worker *worker = context;

	handler_collect(&worker->handler);
}

static void
worker_woken(void *context)
{
	struct worker *worker = context;

	handler_collected(&worker->handler);
}

static int
worker_init(struct worker *worker, const struct worker_options *options, bool alone)
{
	const struct settings *settings = options->settings;
	int error;

	memset(worker, 0, sizeof(*worker));
	worker->settings = settings;
	worker->started_by_front = options->started_by_front;
	settings_handler_options(settings, &worker->handler_options);
	worker->handler_options.alone = alone;
	buf_init(&worker->line, 8192);
	self_init(&worker->self, options->started_by_front);
	worker->locate = (struct locate_options){
		.has_root = settings->root[0] != '\0',
		.is_self = self_is,
		.context = &worker->self,
	};
	if (settings->url_prefix[0] != '\0')
		worker->locate.url_prefix = str_from(settings->url_prefix);
	error = handler_init(&worker->handler, &worker->handler_options);
	if (error != 0)
		log_error(-error, "root: cannot open %s: it must be a directory that this user may enter", settings->root);
	return error;
}

static void
worker_release(struct worker *worker)
{
	handler_release(&worker->handler);
	buf_release(&worker->line);
}

/* A descriptor that is readable once the process is to stop. SIGINT and SIGHUP are the pool's business: a terminal sends them to
 * every process of the group. */
static int
open_stop_fd(bool started_by_front)
{
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGUSR1);
	if (sigprocmask(SIG_SETMASK, &stop, NULL) != 0)
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, started_by_front ? SIG_DFL : SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	return signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The soft limit is low for those who call select(), as nobody does here: connections, files and kept bodies want
 * more. */
static void
raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int
worker_fastcgi(const struct worker_options *options, int listen_fd)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	struct service service = { worker, worker_respond, worker_finish, -1, worker_wake, worker_woken };
	struct fastcgi_options fastcgi = {
		.listen_fd = listen_fd,
		.service = &service,
		.request_seconds = FASTCGI_REQUEST_SECONDS,
		.stall_seconds = FASTCGI_STALL_SECONDS,
		.drain_seconds = FASTCGI_DRAIN_SECONDS,
	};
	int error;

	if (worker == NULL)
		return EXIT_FAILURE;
	raise_descriptor_limit();
	fastcgi.stop_fd = open_stop_fd(options->started_by_front);
	error = fastcgi.stop_fd < 0 ? -errno : worker_init(worker, options, false);
	if (error == 0) {
		service.wake_fd = handler_descriptor(&worker->handler);
		if (options->ready != NULL)
			options->ready();
		error = fastcgi_serve(&fastcgi);
		if (error != 0)
			log_error(-error, "the event loop failed");
	}
	worker_release(worker);
	free(worker);
	return error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
worker_cgi(const struct worker_options *options, char *const *environment)
{
	struct worker *worker = malloc(sizeof(*worker));
	struct service service = { worker, worker_respond, worker_finish, -1, worker_wake, worker_woken };
	int error;

	if (worker == NULL)
		return EXIT_FAILURE;
	signal(SIGPIPE, SIG_IGN);
	error = worker_init(worker, options, true);
	if (error == 0)
		error = cgi_serve(&service, environment, STDIN_FILENO, STDOUT_FILENO);
	worker_release(worker);
	free(worker);
	return error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
