/* Coding in a thread: for requests to come, or for those that wait for it. */
#ifndef HANDLER_CODING_JOB_H
#define HANDLER_CODING_JOB_H

#include "handler/coded.h"

/* Bytes. More than this is not coded at all. */
#define CODING_JOB_LONGEST ((int64_t)16 << 20)

/* Bytes. More than this is not copied for the idle thread, where many may wait: it reads that from a descriptor. */
#define CODING_JOB_COPIED ((int64_t)1 << 20)

/* Leaves a form, whose blob has that key, to the thread that works when nobody else does, unless it has it already. False: it takes no
 * more. */
bool coding_job_later(struct handler *handler, const struct coded_source *source, struct hash key, enum coding coding,
    enum quality quality);

/* The quick form: true, it is being made, ask again after handler_collect. Else *blob is it, to be given back; or NULL: there is none
 * to wait for now, since it could not be made, another process or the idle thread makes it, or another is being made here
 * (then it is left to the idle thread). */
bool coding_job_await(struct handler *handler, const struct coded_source *source, struct hash key, enum coding coding,
    struct blob **blob);

/* Gives back what is done: all who waited for it have asked again. */
void coding_job_forget(struct handler *handler);

#endif
