/* What an answer's bytes stand for, and those that the front was told to send. */
#ifndef TESTS_HANDLER_DECODE_H
#define TESTS_HANDLER_DECODE_H

#include "handler/fixture.h"

/* Of a content in this coding, "" for none: the length of what was written to out. */
size_t decode(struct str coding, struct str in, char *out, size_t room);

/* Appends what X-Sendfile of the answer names: a file below the directory that another user may read. */
void read_handed_off(const struct fixture *f, const char *directory, struct buf *out);

#endif
