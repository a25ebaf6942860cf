/* Natural order of names: file2 before file10, ASCII case folded, as a key whose byte order is that order. */
#ifndef BASE_NATURAL_H
#define BASE_NATURAL_H

#include "base/buf.h"

/* Bytes that the key of a name of `len` bytes never exceeds: a digit alone has its length before it and, for later
 * zeros, their count behind. */
#define NATURAL_KEY_MAX(len) (2 * (len) + 2)

/* Appends the sort key of a name: compare two keys as bytes (str_compare). Runs of digits order by
 * value whatever their length; leading zeros break ties, fewer first. Names with equal keys are then
 * ordered by their own bytes by the caller. */
void natural_key(struct buf *key, struct str name);

#endif
