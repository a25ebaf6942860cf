/* Natural order of names: file2 before file10, ASCII case folded, as a key whose byte order is that order. */
#ifndef BASE_NATURAL_H
#define BASE_NATURAL_H

#include "base/buf.h"

/* Appends the sort key of a name: compare two keys as bytes (str_compare). Runs of digits order by
 * value whatever their length; leading zeros break ties, fewer first. Names with equal keys are then
 * ordered by their own bytes by the caller. The key never holds more than 2 * name.len + 2 bytes. */
void natural_key(struct buf *out, struct str name);

#endif
