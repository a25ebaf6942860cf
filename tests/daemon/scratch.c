/* What is logged is read back from the file that the log goes to. */
#include "daemon/scratch.h"

#include "daemon/log.h"
#include "suites.h"
#include "temporary.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void
scratch_make(struct scratch *scratch)
{
	char log[PATH_MAX];

	temporary_make("daemon", scratch->path, sizeof(scratch->path));
	scratch_name(scratch, "log", log);
	ck_assert_int_eq(log_open(log), 0);
	unsetenv("STATICGI_CONFIG");
}

void
scratch_remove(struct scratch *scratch)
{
	temporary_remove(scratch->path);
}

void
scratch_name(const struct scratch *scratch, const char *name, char out[PATH_MAX])
{
	ck_assert_int_lt(snprintf(out, PATH_MAX, "%s/%s", scratch->path, name), PATH_MAX);
}

void
scratch_file(const struct scratch *scratch, const char *name, const char *content, unsigned mode)
{
	size_t len = strlen(content);
	char path[PATH_MAX];
	int fd;

	scratch_name(scratch, name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, content, len), (ssize_t)len);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

const char *
scratch_log(const struct scratch *scratch)
{
	static char text[65536];
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	scratch_name(scratch, "log", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	n = read(fd, text, sizeof(text) - 1);
	ck_assert_int_ge(n, 0);
	close(fd);
	text[n] = '\0';
	return text;
}

void
scratch_log_has(const struct scratch *scratch, const char *text)
{
	const char *log = scratch_log(scratch);

	ck_assert_msg(strstr(log, text) != NULL, "no \"%s\" in the log:\n%s", text, log);
}
