/* All goes through the tree's descriptor, so that tests need no absolute paths but where they test them. */
#include "fs/tree.h"

#include "fs/directory.h"
#include "suites.h"
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

void
tree_make(struct tree *tree)
{
	temporary_make("fs", tree->path, sizeof(tree->path));
	ck_assert_int_eq(chmod(tree->path, 0755), 0);
	tree->fd = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(tree->fd, 0);
}

void
tree_remove(struct tree *tree)
{
	temporary_remove(tree->path);
	close(tree->fd);
	tree->fd = -1;
}

void
tree_directory(const struct tree *tree, const char *path, mode_t mode)
{
	ck_assert_int_eq(mkdirat(tree->fd, path, 0700), 0);
	ck_assert_int_eq(fchmodat(tree->fd, path, mode, 0), 0);
}

void
tree_file(const struct tree *tree, const char *path, const char *content)
{
	int fd = openat(tree->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t len = (ssize_t)strlen(content);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fchmod(fd, 0644), 0);
	ck_assert_int_eq(write(fd, content, (size_t)len), len);
	close(fd);
}

void
tree_append(const struct tree *tree, const char *path, const char *content)
{
	int fd = openat(tree->fd, path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ssize_t len = (ssize_t)strlen(content);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, content, (size_t)len), len);
	close(fd);
}

void
tree_take_away(const struct tree *tree, const char *path)
{
	char absolute[PATH_MAX];

	tree_path(tree, path, absolute);
	remove_all(absolute);
}

void
tree_link(const struct tree *tree, const char *path, const char *target)
{
	ck_assert_int_eq(symlinkat(target, tree->fd, path), 0);
}

void
tree_link_absolute(const struct tree *tree, const char *path, const char *below)
{
	char target[2 * PATH_MAX];

	snprintf(target, sizeof(target), "%s%s", tree->path, below);
	tree_link(tree, path, target);
}

void
tree_path(const struct tree *tree, const char *below, char out[PATH_MAX])
{
	ck_assert_int_lt(snprintf(out, PATH_MAX, "%s/%s", tree->path, below), PATH_MAX);
}

void
tree_open_root(const struct tree *tree, const char *below, struct root *root, enum symlink_policy policy)
{
	char path[PATH_MAX];

	tree_path(tree, below, path);
	ck_assert_int_eq(root_open(root, path, policy), 0);
}

void
tree_fifo(const struct tree *tree, const char *path)
{
	ck_assert_int_eq(mkfifoat(tree->fd, path, 0644), 0);
}

void
tree_socket(const struct tree *tree, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* The path may be longer than a socket's address: bind by way of the descriptor. */
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", tree->fd, path);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
}

void
tree_time(const struct tree *tree, const char *path, time_t seconds, long nanoseconds)
{
	struct timespec times[2] = { { seconds, nanoseconds }, { seconds, nanoseconds } };

	ck_assert_int_eq(utimensat(tree->fd, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

int
read_directory(struct listing *listing, const struct root *root, int dir, struct str path)
{
	int error = directory_names(listing, root, dir, path, SIZE_MAX);

	return error == 0 ? directory_look_all(listing, root, dir, path) : error;
}

int
tree_without_privilege(int (*run)(void))
{
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
			_exit(100);
		_exit(run());
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static bool
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = (ssize_t)strlen(text);
	bool written = fd >= 0 && write(fd, text, (size_t)len) == len;

	if (fd >= 0)
		close(fd);
	return written;
}

static bool
enter_namespace(void)
{
	char users[64], groups[64];

	snprintf(users, sizeof(users), "0 %u 1", (unsigned)geteuid());
	snprintf(groups, sizeof(groups), "0 %u 1", (unsigned)getegid());
	return unshare(CLONE_NEWUSER) == 0 && write_text("/proc/self/setgroups", "deny") &&
	    write_text("/proc/self/uid_map", users) && write_text("/proc/self/gid_map", groups);
}

void
tree_in_namespace(const char *what, int (*run)(void))
{
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		if (enter_namespace())
			_exit(run());
		suite_skipped("%s: no user namespace of its own: %s", what, strerror(errno));
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(status == 0, "%s: ended with status %x", what, (unsigned)status);
}

bool
tree_limit(const char *what, const char *limit, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/user/%s", limit);
	if (write_text(path, value))
		return true;
	suite_skipped("%s: %s cannot be set: %s", what, path, strerror(errno));
	return false;
}

int
tree_next_fd(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);

	close(fd);
	return fd;
}
