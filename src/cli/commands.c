/* The table of commands, and the small ones. */
#include "cli/commands.h"

#include "daemon/options.h"

#include <stdio.h>
#include <stdlib.h>

static const struct command commands[] = {
	{ "serve", "[OPTION]...", "run a pool of FastCGI workers in the foreground", command_serve },
	{ "try", "[DIR] [--front lighttpd|apache|nginx] [--port N]", "show DIR behind a web server of your own, until Ctrl-C",
	    command_try },
	{ "check", "[OPTION]...", "read the configuration, print the settings in force, say what would not work", command_check },
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
