/* A snapshot of a directory with something of everything in it. */
#ifndef TESTS_FS_SNAPPED_H
#define TESTS_FS_SNAPPED_H

#include "fs/snapshot.h"
#include "fs/tree.h"

#define SECOND INT64_C(1000000000)
#define NOW (INT64_C(2000000000) * SECOND)

/* Of "d" in "root", read at NOW: file, second, sub, link to "other/target", and twin, which is "other/twin" as well. */
struct snapped {
	struct tree tree;
	struct root root;
	struct place place;
	struct snapshot snapshot;
};

void snapped_make(struct snapped *s);
void snapped_remove(struct snapped *s);

const struct entry *snapped_find(const struct snapped *s, const char *name);
void snapped_look_all(struct snapped *s);
int snapped_refresh(struct snapped *s);

/* Tells it of a change to that name. */
void snapped_note(struct snapped *s, const char *name);

#endif
