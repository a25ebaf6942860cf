/* A directory of its own for a test, below $TMPDIR or /tmp. */
#ifndef TESTS_TEMPORARY_H
#define TESTS_TEMPORARY_H

#include <stddef.h>

/* Makes it, for its owner alone; *path is absolute and without links. `of` is whose it is ("fs"). */
void temporary_make(const char *of, char *path, size_t room);

/* Removes it with all that is in it, whatever a test has closed. */
void temporary_remove(const char *path);

/* Removes what is there, a directory with all in it, and changes nothing else. */
void remove_all(const char *path);

#endif
