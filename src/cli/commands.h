/* The commands that a person gives. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/buf.h"

struct command {
	const char *name;
	const char *arguments;
	const char *meaning;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; the exit status */
};

/* The command of a name, or NULL. */
const struct command *command_find(const char *name);

/* Appends the help: every command, every option. */
void commands_help(struct buf *out);

/* Exit statuses beside 0. */
#define COMMAND_FAILED 1
#define COMMAND_USAGE 2

int command_serve(int argc, char **argv);
int command_try(int argc, char **argv);
int command_check(int argc, char **argv);
int command_version(int argc, char **argv);

#endif
