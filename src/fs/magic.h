/* Media types by content, for names that decide nothing: libmagic, loaded on first need. */
#ifndef FS_MAGIC_H
#define FS_MAGIC_H

#include "fs/file.h"

struct magic;

/* Nothing is loaded yet. NULL without memory. */
struct magic *magic_new(void);
void magic_free(struct magic *magic);

/* The media type of an open regular file, from its first bytes as they are now.
 * "application/octet-stream" when libmagic or its data cannot be had or it finds nothing. Only types that a browser
 * runs nothing of are taken over (never text/html or SVG by content: a name must say so). Valid until the next call. */
struct str magic_type(struct magic *magic, const struct file *file);

#endif
