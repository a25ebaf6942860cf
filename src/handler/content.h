/* What files and listings have in common: facts stated once become fields, 304, 412, 416 and the parts of a 206. */
#ifndef HANDLER_CONTENT_H
#define HANDLER_CONTENT_H

#include "fs/blobs.h"
#include "handler/handler.h"
#include "http/conditional.h"
#include "http/representation.h"
#include "http/response.h"

/* Adds ETag, Last-Modified, Cache-Control, Vary (`vary`: the fields' names, empty: none): what 200, 206 and 304 share (RFC 9110 15.4.5). */
void content_validators(struct response *response, const struct request *request,
    const struct representation *representation, struct str vary);

/* Answers an outcome that has no content of the representation: 304, 412, 416. False for 200 and 206. */
bool content_settle(struct response *response, const struct request *request,
    const struct representation *representation, const struct outcome *outcome, struct str vary);

/* Status, Content-Type, Content-Encoding, Content-Range and Content-Length, and the segments. `bytes` is the whole content, or ptr NULL when it
 * is in response->fd. response->text is used for part headers when there are several ranges and must not
 * hold `bytes` then. */
void content_respond(struct response *response, const struct representation *representation,
    const struct outcome *outcome, struct str bytes, const struct request *request);

/* The same with a blob, which is given to the response: handler_finish puts it back. */
void content_respond_blob(struct response *response, const struct representation *representation,
    const struct outcome *outcome, struct blob *blob, const struct request *request);

/* Whether the front can send a blob, which is a file of the cache directory, and keeps all that the answer says; its
 * path is appended then. */
bool content_can_hand_off(const struct handler *handler, const struct request *request,
    const struct representation *representation, const struct outcome *outcome, const struct blob *blob,
    struct buf *path);

#endif
