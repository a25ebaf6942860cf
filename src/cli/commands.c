/* The table of commands, and the small ones. */
#include "cli/commands.h"

#include "daemon/log.h"
#include "daemon/options.h"
#include "fs/root.h"

#include <stdio.h>
#include <stdlib.h>

static const struct command commands[] = {
	{ "serve", "[OPTION]...", "run a pool of FastCGI workers in the foreground", command_serve },
	{ "try", "[DIR] [--front lighttpd|apache|nginx] [--port N]", "show DIR behind a web server of your own, until Ctrl-C",
	    command_try },
	{ "check", "[OPTION]...", "read the configuration, print the settings in force", command_check },
	{ "version", "", "print the version", command_version },
};

const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

void
commands_help(struct buf *out)
{
	buf_text(out, "staticgi serves files and folder listings behind Apache, lighttpd or nginx, as a FastCGI or CGI program.\n\n"
	    "A front server starts it itself (mod_fcgid, lighttpd's bin-path, CGI), or runs beside `staticgi serve`.\n\nCommands:\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		buf_text(out, "  staticgi ");
		buf_text(out, commands[i].name);
		buf_char(out, ' ');
		buf_text(out, commands[i].arguments);
		buf_text(out, "\n        ");
		buf_text(out, commands[i].meaning);
		buf_char(out, '\n');
	}
	buf_text(out, "\nOptions of serve and check, also settings of the configuration file:\n");
	options_help(out);
}

int
command_version(int argc, char **argv)
{
	(void)argv;
	puts(PACKAGE_STRING);
	return argc == 1 ? EXIT_SUCCESS : COMMAND_USAGE;
}

/* The settings as a configuration file that would bring them about, so that it can be compared and pasted. */
int
command_check(int argc, char **argv)
{
	struct settings *settings = malloc(sizeof(*settings));
	struct root root;
	struct buf out;
	int first = argc, status = COMMAND_USAGE, error = 0;

	buf_init(&out, (size_t)1 << 20);
	if (settings == NULL || !options_read(settings, argc, argv, &first))
		goto out;
	if (first < argc) {
		log_line("%s: not expected here", argv[first]);
		goto out;
	}
	buf_text(&out, "# configuration file: ");
	buf_text(&out, settings->source[0] != '\0' ? settings->source : "none");
	buf_char(&out, '\n');
	settings_show(settings, &out);
	fwrite(out.ptr, 1, out.len, stdout);
	if (settings->root[0] != '\0') {
		error = root_open(&root, settings->root, settings->symlinks);
		if (error != 0)
			log_error(-error, "root: cannot open %s: it must be a directory that this user may enter", settings->root);
		else
			root_close(&root);
	}
	status = error == 0 ? EXIT_SUCCESS : COMMAND_FAILED;
out:
	buf_release(&out);
	free(settings);
	return status;
}
