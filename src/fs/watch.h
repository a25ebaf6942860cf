/* struct watch: asks the kernel (inotify) whether directories changed. */
#ifndef FS_WATCH_H
#define FS_WATCH_H

#include "base/str.h"

struct watch;

/* What was said about a watched directory: an entry of this name came, went or changed (its content, size, times,
 * rights). Empty name: the directory itself, or nobody knows what (wd -1: nobody knows which either). */
typedef void watch_event(void *context, int wd, struct str name);

/* Whether this kernel knows of every change on the file system of an open file or directory: what it says of one is that of now. */
bool watch_is_told(int fd);

/* NULL without memory. Whether inotify can be had shows at the first watch_add. */
struct watch *watch_new(watch_event *event, void *context);
void watch_free(struct watch *watch);

/* What is told of a directory: everything, or what comes and goes in it (and of itself). Of one that is watched for both, everything. */
enum watch_interest { WATCH_ALL, WATCH_NAMES };

/* Watches an open directory. Its number, the same one for the same directory, or -errno: -ENOSPC when the system allows no more. Each success
 * wants its own watch_remove. */
int watch_add(struct watch *watch, int dir, enum watch_interest interest);
void watch_remove(struct watch *watch, int wd);

/* Reports what has happened up to now: everything that was finished before this call. 0.4 microseconds when nothing has. A file system that was
 * mounted or unmounted anywhere is told as "nobody knows what": the kernel does not say which directory that changed. */
void watch_drain(struct watch *watch);

#endif
