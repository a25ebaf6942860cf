/* The files of a cache directory, by their keys: written, found below a tree, and made old. */
#ifndef TESTS_FS_CACHEDIR_H
#define TESTS_FS_CACHEDIR_H

#include "fs/blobdir.h"
#include "fs/tree.h"

#define BUDGET ((int64_t)64 << 10)

struct hash key_of(unsigned n);

/* The path of a key below the tree's descriptor; valid until the next call. */
const char *path_of(const struct tree *tree, const struct blobdir *dir, struct hash key);

/* Closes what it compares. */
void check_content(int fd, const char *want);

/* Everything in the directory of this boot. */
int count_files(const struct blobdir *dir, int64_t *bytes);

/* Used for the last time so long ago. */
void set_age(const struct tree *tree, const char *path, int seconds);

/* A KiB for each key, of this age. */
void write_many(const struct tree *tree, struct blobdir *dir, unsigned from, unsigned to, int age);

#endif
