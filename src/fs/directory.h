/* Reading a directory into a listing. */
#ifndef FS_DIRECTORY_H
#define FS_DIRECTORY_H

#include "fs/root.h"
#include "listing/listing.h"

/* Reads all names but the hidden ones (http/path name_is_hidden) and looks at each: kind, size, time. `dir` is the open directory (not
 * consumed, its position is moved), `path` where it lies below the root: links are judged by the root's
 * policy. One bad entry gets its kind (broken, unreadable), never spoils the rest; one that vanished
 * meanwhile is left out. 0 or -errno (reading itself failed, no memory): then the listing is not whole. */
int directory_read(struct listing *listing, const struct root *root, int dir, struct str path);

#endif
