/* A directory as a representation. */
#ifndef HANDLER_SERVE_LISTING_H
#define HANDLER_SERVE_LISTING_H

#include "fs/file.h"
#include "handler/handler.h"

/* Answers GET or HEAD with the listing of an open directory (borrowed). */
void serve_listing(struct handler *handler, const struct target *target, const struct request *request,
    const struct file *directory, struct response *response);

#endif
