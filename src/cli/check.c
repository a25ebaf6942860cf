/* staticgi check: the settings in force, and what on this machine does not go with them, as the user sees it who asks. It
 * looks where serving would open: a check that made a log or took a socket over would be a deployment. */
#include "cli/commands.h"
#include "daemon/listen.h"
#include "daemon/log.h"
#include "daemon/options.h"
#include "fs/blobdir.h"
#include "fs/file.h"
#include "fs/root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool
check_root(const struct settings *settings)
{
	struct root root;
	int error = settings->root[0] != '\0' ? root_open(&root, settings->root, settings->symlinks) : 0;

	if (error != 0)
		log_error(-error, "root: cannot open %s: it must be a directory that this user may enter", settings->root);
	else if (settings->root[0] != '\0')
		root_close(&root);
	return error == 0;
}

static bool
check_log(const struct settings *settings)
{
	int error = log_check(settings->log);

	if (error == -ENOENT)
		error = file_may_be_made(settings->log);
	if (error != 0)
		log_error(-error, "log: user %u cannot append to %s: let that user write it, or name another file",
		    (unsigned)geteuid(), settings->log);
	return error == 0;
}

static bool
check_cache(const struct settings *settings)
{
	const char *path = settings->cache_dir_path;
	int error = path[0] != '\0' ? blobdir_check(path) : 0;

	if (error == -EPERM)
		log_line("cache-dir: %s must belong to user %u, and nobody else may write in it: change that, or name another "
		    "directory", path, (unsigned)geteuid());
	else if (error != 0)
		log_error(-error, "cache-dir: user %u cannot keep files in %s: make it a directory of that user's, name another, "
		    "or set it to off", (unsigned)geteuid(), path);
	return error == 0;
}

/* Who listens already may be the pool whose next configuration this is: said, and no failure. */
static bool
check_listen(const struct settings *settings)
{
	const char *where = settings->listen, *path = listener_path(where);
	int error = where[0] != '\0' ? listener_check(where) : 0;

	if (error == -EADDRINUSE)
		log_line("listen: somebody listens on %s already: right if that is the pool, else stop it or listen elsewhere",
		    where);
	if (error != 0)
		return error == -EADDRINUSE;
	if (path != NULL)
		error = file_may_be_made(path);
	if (error != 0)
		log_error(-error, "listen: user %u cannot make the socket %s: its directory must be there, and that user may write "
		    "in it", (unsigned)geteuid(), path);
	return error == 0;
}

static bool
check_machine(const struct settings *settings)
{
	static bool (*const looks[])(const struct settings *) = { check_root, check_log, check_cache, check_listen };
	bool good = true;

	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		good = looks[i](settings) && good;
	return good;
}

/* As a configuration file that would bring the settings about, so that it can be compared and pasted. */
static void
show(const struct settings *settings)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 20);
	buf_text(&out, "# configuration file: ");
	buf_text(&out, settings->source[0] != '\0' ? settings->source : "none");
	buf_char(&out, '\n');
	settings_show(settings, &out);
	fwrite(out.ptr, 1, out.len, stdout);
	fflush(stdout);
	buf_release(&out);
}

int
command_check(int argc, char **argv)
{
	struct settings *settings = malloc(sizeof(*settings));
	int first = argc, status = COMMAND_USAGE;

	if (settings == NULL || !options_read(settings, argc, argv, &first))
		goto out;
	if (first < argc) {
		log_line("%s: not expected here", argv[first]);
		goto out;
	}
	show(settings);
	status = check_machine(settings) ? EXIT_SUCCESS : COMMAND_FAILED;
out:
	free(settings);
	return status;
}
