/* A file that has a coded form, for the tests of which form is sent. */
#ifndef TESTS_HANDLER_CODING_H
#define TESTS_HANDLER_CODING_H

#include "handler/fixture.h"

/* a.txt: 4000 bytes of text_at, written at WRITTEN. */
#define SIZE 4000
#define TAG "\"17979cfe362a0000-fa0\""
#define BROWSER_CODINGS "gzip, deflate, br, zstd"

/* A fixture with all codings on, memory and disk to keep forms, and a.txt. */
void coding_make(struct fixture *f);

/* Keeps forms in "cache" too, whose path is written to cache_dir, and hands off what is there. */
void use_cache_dir(struct fixture *f, char cache_dir[PATH_MAX]);

/* Accept-Encoding of the request; NULL: without it. */
void accept_coding(struct fixture *f, const char *field);

/* That the content stands for size bytes of text_at. */
void check_text(struct str coding, struct str content, size_t size);

/* That the answer is a 200 with all of the file, in this coding (NULL: plain). */
void check_whole(const struct fixture *f, const char *coding, size_t size);

/* Asks until the answer has a coding, or another tag than before: longer than anything here has to wait for the helper, which
 * works when nobody else does. */
bool wait_for(struct fixture *f, const char *asked, const char *coding, const char *not_tag);

#endif
