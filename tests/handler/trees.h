/* The trees that the tests of several files start from. Each function makes a fixture, or adds to the tree of one. */
#ifndef TESTS_HANDLER_TREES_H
#define TESTS_HANDLER_TREES_H

#include "handler/fixture.h"

/* What a browser says that it accepts. */
#define BROWSER "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

/* Something to ask for, and something outside: a.txt ("hello") and dir/b.txt ("inner") in the root, "secret" beside it. */
void trees_make_small(struct fixture *f);

/* A folder to list: dir with the files b.txt, a10 and a9, and the folder sub. */
void trees_make_listed(struct fixture *f);

/* An empty folder dir whose listings are remembered, and shown ten rows a page. */
void trees_make_paged(struct fixture *f);

/* f00, f01 and so on in a folder of the root. */
void trees_add_files(const struct fixture *f, const char *folder, int count);

/* 25 such files in dir, and the folders d0, d1 and d2. */
void trees_add_28(const struct fixture *f);

#endif
