/* The kernel queues an event before the call that caused it returns; so who drains the queue and finds nothing knows that
 * nothing changed, at the price of one read. What raises no event: changes below a subdirectory, through a link's target,
 * through another hard link, on other machines; and, as long as the writer has the file open, by mmap and by io_submit. fs/snapshot
 * looks at those itself. */
#include "fs/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#define NAMES (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD)
/* What is written through a memory map or by io_submit is no IN_MODIFY: the end of it is told. */
#define ALL (NAMES | IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE)

/* inotify gives one number per directory however often it is asked: the uses are counted here. */
struct watched {
	int wd;
	int uses;
};

struct watch {
	int fd;
	int mounts;            /* the mount table, readable by poll when it has changed; open when fd is */
	watch_event *event;
	void *context;
	struct watched *list;  /* by number */
	size_t count, capacity;
};

/* Names there are alike but for case, and are told as somebody wrote them, not as they are listed. */
static bool
is_case_folded(int fd)
{
	int flags = 0;

	return ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL) != 0;
}

/* statfs magic of the file systems that nobody changes behind this kernel's back, and that have names by their bytes (vfat, exfat, ntfs
 * and hfsplus have not). Of any other, known or not, it may be so: inotify works there, too, and tells half. */
bool
watch_is_told(int fd)
{
	static const unsigned long local[] = {
		0xef53,      /* ext2, ext3, ext4 */
		0x58465342,  /* xfs */
		0x9123683e,  /* btrfs */
		0xf2f52010,  /* f2fs */
		0x2fc12fc1,  /* zfs */
		0xca451a4e,  /* bcachefs */
		0x01021994,  /* tmpfs */
		0x858458f6,  /* ramfs */
		0x794c7630,  /* overlay */
		0x73717368,  /* squashfs */
		0xe0f5e1e2,  /* erofs */
		0x28cd3d45,  /* cramfs */
		0x9660,      /* iso9660 */
		0x15013346,  /* udf */
		0x3153464a,  /* jfs */
		0x52654973,  /* reiserfs */
		0x3434,      /* nilfs2 */
		0x24051905,  /* ubifs */
		0x72b6,      /* jffs2 */
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) != 0)
		return false;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (((unsigned long)fs.f_type & 0xffffffff) == local[i])
			return !is_case_folded(fd);
	return false;
}

struct watch *
watch_new(watch_event *event, void *context)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (watch == NULL)
		return NULL;
	watch->fd = watch->mounts = -1;
	watch->event = event;
	watch->context = context;
	return watch;
}

void
watch_free(struct watch *watch)
{
	if (watch == NULL)
		return;
	if (watch->fd >= 0)
		close(watch->fd);
	if (watch->mounts >= 0)
		close(watch->mounts);
	free(watch->list);
	free(watch);
}

/* Where a number stands, or would. */
static size_t
position_of(const struct watch *watch, int wd)
{
	size_t from = 0, to = watch->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (watch->list[middle].wd < wd)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static struct watched *
find(const struct watch *watch, int wd)
{
	size_t at = position_of(watch, wd);

	return at < watch->count && watch->list[at].wd == wd ? &watch->list[at] : NULL;
}

/* The kernel counts up: a new one nearly always comes last. */
static struct watched *
insert(struct watch *watch, int wd)
{
	struct watched *at = watch->list + position_of(watch, wd);

	memmove(at + 1, at, (size_t)(watch->list + watch->count - at) * sizeof(*at));
	watch->count++;
	*at = (struct watched){ .wd = wd };
	return at;
}

static bool
grow(struct watch *watch)
{
	size_t capacity = watch->capacity == 0 ? 64 : watch->capacity * 2;
	struct watched *grown;

	if (watch->count < watch->capacity)
		return true;
	grown = realloc(watch->list, capacity * sizeof(*grown));
	if (grown == NULL)
		return false;
	watch->list = grown;
	watch->capacity = capacity;
	return true;
}

/* The descriptors are opened late: a process that lists nothing takes none of the user's instances. Both or none: what is mounted over a
 * watched directory raises no event there. */
static int
open_queue(struct watch *watch)
{
	if (watch->fd >= 0)
		return 0;
	watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch->fd < 0)
		return errno == EMFILE ? -ENOSPC : -errno;
	watch->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (watch->mounts < 0) {
		int error = -errno;

		close(watch->fd);
		watch->fd = -1;
		return error;
	}
	return 0;
}

int
watch_add(struct watch *watch, int dir, enum watch_interest interest)
{
	char path[64];
	struct watched *known;
	int wd, error = open_queue(watch);

	if (error != 0)
		return error;
	if (!grow(watch))
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dir);
	wd = inotify_add_watch(watch->fd, path, interest == WATCH_ALL ? ALL : NAMES);
	if (wd < 0)
		return -errno;
	known = find(watch, wd);
	if (known == NULL)
		known = insert(watch, wd);
	known->uses++;
	return wd;
}

static void
forget(struct watch *watch, struct watched *known)
{
	watch->count--;
	memmove(known, known + 1, (size_t)(watch->list + watch->count - known) * sizeof(*known));
}

void
watch_remove(struct watch *watch, int wd)
{
	struct watched *known = find(watch, wd);

	if (known == NULL || --known->uses > 0)
		return;
	forget(watch, known);
	inotify_rm_watch(watch->fd, wd);
}

static void
take_event(struct watch *watch, const struct inotify_event *event)
{
	struct str name = event->len > 0 ? str_from(event->name) : S("");
	struct watched *known;

	if ((event->mask & IN_Q_OVERFLOW) != 0) {
		watch->event(watch->context, -1, S(""));
		return;
	}
	known = find(watch, event->wd);
	if (known == NULL)
		return;
	watch->event(watch->context, event->wd, name);
	if ((event->mask & IN_IGNORED) != 0 && (known = find(watch, event->wd)) != NULL)
		forget(watch, known);
}

void
watch_drain(struct watch *watch)
{
	alignas(struct inotify_event) char block[16384];
	struct pollfd news[] = { { .fd = watch->fd, .events = POLLIN }, { .fd = watch->mounts, .events = POLLPRI } };
	ssize_t n;

	if (watch->fd < 0 || poll(news, 2, 0) <= 0)
		return;
	if (news[1].revents != 0)
		watch->event(watch->context, -1, S(""));
	while ((n = read(watch->fd, block, sizeof(block))) > 0) {
		for (char *at = block; at < block + n;) {
			const struct inotify_event *event = (const void *)at;

			at += sizeof(*event) + event->len;
			take_event(watch, event);
		}
		/* A short read took all there was. */
		if ((size_t)n < sizeof(block) - sizeof(struct inotify_event) - NAME_MAX - 1)
			return;
	}
}
