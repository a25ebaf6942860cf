/* A file as a representation, and the content of 200 and 206. */
#ifndef HANDLER_SERVE_FILE_H
#define HANDLER_SERVE_FILE_H

#include "fs/file.h"
#include "handler/handler.h"

/* Answers GET or HEAD with an open regular file, which is taken over (its fd becomes -1). root_path and path say where it
 * lies, for the hand-off. */
void serve_file(struct handler *handler, const struct root *root, struct str root_path, struct str path,
    const struct request *request, struct file *file, struct response *response);

#endif
