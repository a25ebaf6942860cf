/* Giving the front the content: which dialect, what it can carry, what it says. */
#ifndef HANDLER_HANDOFF_H
#define HANDLER_HANDOFF_H

#include "http/conditional.h"
#include "http/request.h"
#include "http/response.h"

enum handoff_mode {
	HANDOFF_OFF,
	HANDOFF_X_SENDFILE,           /* a file path: raw for Apache's mod_xsendfile, percent-encoded for lighttpd */
	HANDOFF_X_ACCEL_REDIRECT,     /* nginx: a URI below an internal location */
	HANDOFF_X_LITESPEED_LOCATION, /* LiteSpeed: a URI that it serves itself */
	HANDOFF_LOCAL_REDIRECT,       /* RFC 3875 6.2.2: a URI that Apache serves itself */
};

struct handoff {
	enum handoff_mode mode;
	struct str prefix; /* of the URI modes; starts and ends with '/' */
	bool adds_vary;    /* the front's configuration puts Vary back, which nginx leaves out */
};

/* Reads "off", "x-sendfile", "x-accel-redirect:/prefix/", "x-accel-redirect+vary:/prefix/" (the internal location adds
 * Vary again), "x-litespeed-location:/prefix/", "local-redirect:/prefix/". The prefix is borrowed. False on anything else. */
bool handoff_parse(struct str text, struct handoff *handoff);

/* Whether this dialect, spoken to this front, can carry a file with this path below this root and this content coding.
 * What cannot be carried is streamed: never a wrong file, never a path shown to a client. */
bool handoff_can_carry(const struct handoff *handoff, enum front front, struct str root, struct str path, struct str coding);

/* Whether the front answers conditionals itself and with a tag of its own that we do not know, so that ours must
 * not be compared. */
bool handoff_front_validates(const struct handoff *handoff);

/* Whether the front comes to the same outcome as we: it judges preconditions and ranges once more when it has the file. Asked when
 * ours is to send it, 200 or 206; a front that validates is not asked. */
bool handoff_agrees(const struct request *request, const struct representation *representation, const struct outcome *outcome);

/* Whether this dialect's front leaves Vary out: then an answer that varies is not handed off. */
bool handoff_drops_vary(const struct handoff *handoff);

/* Adds the field that names the file and makes the content the front's: no segments, no Content-Length. The other fields
 * are there already. */
void handoff_respond(struct response *response, const struct handoff *handoff, enum front front, struct str root,
    struct str path);

#endif
