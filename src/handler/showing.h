/* struct showing: one listing for one request, from the directory to the rendered page. */
#ifndef HANDLER_SHOWING_H
#define HANDLER_SHOWING_H

#include "handler/coded.h"
#include "handler/handler.h"
#include "handler/pages.h"
#include "http/representation.h"

/* Of a page: 32 digits, quotes, and the mark of a coding. */
#define SHOWING_TAG_MAX 48

struct showing {
	struct handler *handler;
	const struct target *target;
	const struct request *request;
	struct response *response;
	const struct file *directory;
	struct place place;
	struct snapshot *snapshot;
	struct scan_result *scanned; /* what a thread has read; NULL: none has, or it is reading */
	struct view view;
	struct page page;
	struct rendered rendered;
	struct str bytes;            /* the page just rendered, in the sheet; ptr NULL: it was not */
	struct blob *plain;          /* the page, whether it is kept or not */
	struct representation representation;
	struct coded coded;
	char tag[SHOWING_TAG_MAX];
};

/* Settles what the page is: remembered, rendered now, or what a thread made of the folder. 0; -EINPROGRESS: a thread does, ask again after
 * handler_collect; -EBUSY: too many wait for one; -EAGAIN: the folder changes all the time; or -errno. */
int showing_take(struct showing *showing);

/* Has a thread read the folder and render the page: -EINPROGRESS, or as showing_take. */
int showing_scan(struct showing *showing);

/* Whether so much is to be looked at and to be rendered that it is the thread's. */
bool showing_is_long_work(const struct showing *showing);

/* The rendered page, to be given back. It gets its place among the blobs when it is sent and not before: who asks for a coded form, or
 * has it already, never needs that. NULL when it is not kept and cannot be made again. */
struct blob *showing_plain(struct showing *showing);

#endif
