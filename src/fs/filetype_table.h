/* The table behind fs/filetype, written by filetype_table.sh when the program is built. */
#ifndef FS_FILETYPE_TABLE_H
#define FS_FILETYPE_TABLE_H

#include "fs/filetype.h"

struct filetype_row {
	struct str extension; /* lower case, without the dot */
	struct filetype filetype;
};

/* Sorted by extension, byte-wise. */
extern const struct filetype_row filetype_rows[];
extern const size_t filetype_row_count;

#endif
