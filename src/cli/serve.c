/* staticgi serve: the pool in the foreground. */
#include "cli/commands.h"
#include "daemon/log.h"
#include "daemon/options.h"
#include "daemon/pool.h"
#include "daemon/worker.h"

#include <stdlib.h>

struct serving {
	int argc;
	char **argv;
	struct settings *settings;
};

static int
serve_work(void *context, int listen_fd)
{
	const struct serving *serving = context;
	const struct worker_options options = { .settings = serving->settings, .ready = pool_worker_ready };

	return worker_fastcgi(&options, listen_fd);
}

static bool
read_settings(struct settings *settings, int argc, char **argv)
{
	int first = argc;

	if (!options_read(settings, argc, argv, &first))
		return false;
	if (first < argc)
		log_line("%s: not expected here", argv[first]);
	return first == argc;
}

static void
open_log(const struct settings *settings)
{
	int error = log_open(settings->log);

	if (error != 0)
		log_error(-error, "log: cannot open %s; messages stay where they were", settings->log);
}

/* SIGHUP. The socket and the number of workers stay as they are. A file with a mistake in it changes nothing. */
static bool
serve_reload(void *context)
{
	struct serving *serving = context;
	struct settings *fresh = malloc(sizeof(*fresh));
	bool good = fresh != NULL && read_settings(fresh, serving->argc, serving->argv);

	if (!good) {
		log_line("the configuration is not taken over; the workers go on as they are");
		free(fresh);
		return false;
	}
	if (strcmp(fresh->listen, serving->settings->listen) != 0 || fresh->workers != serving->settings->workers)
		log_line("listen and workers take effect at the next start");
	free(serving->settings);
	serving->settings = fresh;
	open_log(fresh);
	return true;
}

int
command_serve(int argc, char **argv)
{
	struct serving serving = { argc, argv, malloc(sizeof(struct settings)) };
	struct pool_options options = { .drain_ms = POOL_DRAIN_MS, .work = serve_work, .reload = serve_reload,
		.context = &serving };
	struct listener listener;
	int status = COMMAND_USAGE;

	if (serving.settings == NULL || !read_settings(serving.settings, argc, argv))
		goto out;
	if (serving.settings->listen[0] == '\0') {
		log_line("serve wants --listen unix:/PATH or HOST:PORT, here or in the configuration file");
		goto out;
	}
	open_log(serving.settings);
	status = COMMAND_FAILED;
	if (listener_open(&listener, serving.settings->listen, serving.settings->listen_mode) != 0)
		goto out;
	options.workers = settings_workers(serving.settings);
	status = pool_run(&options, &listener);
	listener_close(&listener);
out:
	free(serving.settings);
	return status;
}
