/* Media types by name, from a table built at compile time out of Debian's media-types list and our corrections (src/fs/filetype.corrections). */
#ifndef FS_FILETYPE_H
#define FS_FILETYPE_H

#include "base/str.h"

struct filetype {
	struct str media_type; /* with "; charset=utf-8" for text; empty: the name decides nothing */
	struct str coding;     /* "gzip" for .svgz, else empty */
};

/* By the last extension, ASCII case ignored. A name without one, or with an unknown one, decides nothing. */
struct filetype filetype_from_name(struct str name);

#endif
