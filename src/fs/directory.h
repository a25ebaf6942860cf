/* Reading a directory into a listing. */
#ifndef FS_DIRECTORY_H
#define FS_DIRECTORY_H

#include "fs/root.h"
#include "listing/listing.h"

/* A link takes as long as so many files: it is opened, looked at and closed. */
#define DIRECTORY_LINK_LOOKS 5

/* Reads all names but the hidden ones (http/path name_is_hidden), with what the directory itself tells of their kind.
 * Links, and what it tells nothing of, are looked at (directory_look); the rest is not yet. `dir` is the open directory (not consumed, its
 * position is moved), `path` where it lies below the root. 0 or -errno (reading itself failed, no memory; -EFBIG: there are more than
 * `most`, a link counted as what it takes): then the listing is not whole. */
int directory_names(struct listing *listing, const struct root *root, int dir, struct str path, size_t most);

/* Looks at one entry: kind, size, time. Links are judged by the root's policy. A bad entry gets its kind (broken, unreadable).
 * 0, -ENOENT when it has vanished, or what keeps anybody from looking: -EMFILE, -ENFILE, -ENOMEM. */
int directory_look(const struct listing *listing, struct entry *entry, const struct root *root, int dir, struct str path);

/* Looks at every entry that was not looked at; those that have vanished are taken out. 0 or -errno as directory_look. */
int directory_look_all(struct listing *listing, const struct root *root, int dir, struct str path);

#endif
