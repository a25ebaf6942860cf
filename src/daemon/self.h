/* What this program is on the disk: whether the front called it as a script, or means a file. */
#ifndef DAEMON_SELF_H
#define DAEMON_SELF_H

#include "base/str.h"

#include <sys/types.h>

struct self {
	bool known;
	dev_t device, directory_device, start_device;
	ino_t inode, directory_inode, start_inode;
	char name[256];          /* of the program's file */
	bool started_by_front;   /* the current directory at the start is that of the script */
};

/* Looks at /proc/self/exe and the current directory. */
void self_init(struct self *self, bool started_by_front);

/* Whether a path names this program: the same file, what stands under its name now (a newer version), or, when a
 * front started us, an executable in the directory that we were started in (a wrapper script). `context` is a struct self. */
bool self_is(void *context, struct str path);

#endif
