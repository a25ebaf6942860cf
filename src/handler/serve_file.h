/* A file as a representation, and the content of 200 and 206. */
#ifndef HANDLER_SERVE_FILE_H
#define HANDLER_SERVE_FILE_H

#include "fs/file.h"
#include "handler/handler.h"

/* Answers GET or HEAD with an open regular file, which is taken over (its fd becomes -1). */
void serve_file(struct handler *handler, const struct target *target, const struct request *request, struct file *file,
    struct response *response);

/* The same for a file that is remembered and still what it was. False when none is: then it has to be opened. */
bool serve_remembered_file(struct handler *handler, const struct target *target, const struct request *request,
    struct response *response);

#endif
