/* A root with links of every kind in it, and with things outside that they lead to. */
#ifndef TESTS_FS_ROOTED_H
#define TESTS_FS_ROOTED_H

#include "fs/tree.h"

#define D10 "d/d/d/d/d/d/d/d/d/d/"
#define D60 D10 D10 D10 D10 D10 D10

/* "root" in the tree, "door" a link to it; some of it may not be read. */
void rooted_make(struct tree *tree);

/* Opens the root by its own name or through a link, with openat2 or without: variants 0 to 3. */
void open_variant(const struct tree *tree, struct root *root, enum symlink_policy policy, int variant);

/* What was opened: "DIR", "OTHER", a file's content, or "ENOENT" and the like. Closes it. */
void describe(char text[64], int fd);

#endif
