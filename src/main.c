/* staticgi: picks what to be. A front server starts it with a listening socket as standard input (FastCGI) or with
 * GATEWAY_INTERFACE set (CGI); a person gives a command. */
#include "base/buf.h"
#include "cli/commands.h"
#include "daemon/listen.h"
#include "daemon/log.h"
#include "daemon/options.h"
#include "daemon/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXIT_USAGE 2

extern char **environ;

static bool
start_settings(struct settings *settings, int argc, char **argv)
{
	int first = argc, error;

	if (!options_read(settings, argc, argv, &first))
		return false;
	if (first < argc) {
		log_line("%s: not expected here", argv[first]);
		return false;
	}
	error = log_open(settings->log);
	if (error != 0)
		log_error(-error, "log: cannot open %s; messages stay on standard error", settings->log);
	return true;
}

/* mod_fcgid's FcgidWrapper and lighttpd's bin-path may carry options: those are the administrator's words. */
static int
run_fastcgi(int argc, char **argv)
{
	struct worker_options options = { .started_by_front = true };
	struct settings *settings = malloc(sizeof(*settings));
	int status = EXIT_USAGE;

	options.settings = settings;
	if (settings != NULL && start_settings(settings, argc, argv))
		status = worker_fastcgi(&options, STDIN_FILENO);
	free(settings);
	return status;
}

/* A CGI command line is the client's query: it is not looked at. */
static int
run_cgi(char *name)
{
	struct worker_options options = { .started_by_front = true };
	struct settings *settings = malloc(sizeof(*settings));
	char *argv[] = { name, NULL };
	int status = EXIT_USAGE;

	options.settings = settings;
	if (settings != NULL && start_settings(settings, 1, argv))
		status = worker_cgi(&options, environ);
	free(settings);
	return status;
}

/* What was to be said and found no room is no success. */
static int
end(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	log_error(errno, "cannot write to standard output");
	return status == EXIT_SUCCESS ? EXIT_FAILURE : status;
}

static int
usage(FILE *out, int status)
{
	struct buf help;

	buf_init(&help, 65536);
	commands_help(&help);
	fwrite(help.ptr, 1, help.len, out);
	buf_release(&help);
	return status;
}

int
main(int argc, char **argv)
{
	const struct command *command;

	if (getenv("GATEWAY_INTERFACE") != NULL)
		return run_cgi(argc > 0 ? argv[0] : NULL);
	if (descriptor_is_listening(STDIN_FILENO))
		return run_fastcgi(argc, argv);
	if (argc < 2)
		return usage(stderr, EXIT_USAGE);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
		return end(usage(stdout, EXIT_SUCCESS));
	command = command_find(argv[1]);
	if (command == NULL) {
		log_line("%s is not a command; `staticgi help` lists them", argv[1]);
		return EXIT_USAGE;
	}
	return end(command->run(argc - 1, argv + 1));
}
