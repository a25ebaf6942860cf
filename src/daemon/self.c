/* Fails closed: what looks like the program is the program, and a direct call of it is refused. */
#include "daemon/self.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void
self_init(struct self *self, bool started_by_front)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct stat here;
	char *slash;

	*self = (struct self){ .started_by_front = started_by_front };
	if (stat(".", &here) == 0) {
		self->start_device = here.st_dev;
		self->start_inode = here.st_ino;
	}
	if (n <= 0 || stat("/proc/self/exe", &here) != 0)
		return;
	self->known = true;
	self->device = here.st_dev;
	self->inode = here.st_ino;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL || strlen(slash + 1) >= sizeof(self->name))
		return;
	memcpy(self->name, slash + 1, strlen(slash + 1) + 1);
	slash[1] = '\0';
	if (stat(path, &here) == 0) {
		self->directory_device = here.st_dev;
		self->directory_inode = here.st_ino;
	}
}

bool
self_is(void *context, struct str path)
{
	const struct self *self = context;
	char text[PATH_MAX], *slash;
	struct stat file, directory;
	bool executable, is_name;

	if (path.len == 0 || path.len >= sizeof(text))
		return false;
	memcpy(text, path.ptr, path.len);
	text[path.len] = '\0';
	if (stat(text, &file) != 0 || !S_ISREG(file.st_mode))
		return false;
	if (self->known && file.st_dev == self->device && file.st_ino == self->inode)
		return true;
	executable = (file.st_mode & 0111) != 0;
	slash = strrchr(text, '/');
	if (slash == NULL || !executable)
		return false;
	is_name = strcmp(self->name, slash + 1) == 0;
	slash[1] = '\0';
	if (stat(text, &directory) != 0)
		return false;
	if (is_name && directory.st_dev == self->directory_device && directory.st_ino == self->directory_inode)
		return true;
	return self->started_by_front && directory.st_dev == self->start_device && directory.st_ino == self->start_inode;
}
