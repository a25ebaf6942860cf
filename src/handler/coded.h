/* Coded forms (content codings) of files and pages: which one a request gets, and where its bytes come from. */
#ifndef HANDLER_CODED_H
#define HANDLER_CODED_H

#include "fs/blobs.h"
#include "fs/compress.h"
#include "handler/handler.h"

/* What a coded form is made of, and for whom. The request is asked again with the same source when the form is not
 * there yet. */
struct coded_source {
	struct hash base;        /* of what the bytes come from: a file's identity, a page's facts */
	int64_t size;            /* bytes uncoded */
	bool settled;            /* base tells these bytes from all others; else nothing is kept */
	struct str tag;          /* of the uncoded form */
	const struct request *request;
	int (*read)(void *context, struct buf *out); /* appends the bytes; 0 or -errno */
	int (*open)(void *context); /* a descriptor of the same bytes, the caller's, for the helper to read; or -errno */
	const struct file *file; /* what that must still be once it was read; NULL: it never changes */
	void *context;
};

struct coded {
	enum coding coding;      /* identity: there is no coded form to be had, or wanted, now */
	enum quality quality;
	struct blob *blob;       /* give it back with blob_put */
	bool final;              /* as long as the source is the same, so is this */
	bool undecided;          /* a thread makes it: ask again after handler_collect */
};

/* Whether a media type's content gets smaller: text, JSON, XML, and the like. */
bool coded_is_worth(struct str media_type, int64_t size);

/* The coding that a request gets of those that are on: the one it likes best, br before zstd before gzip when it likes
 * them alike, identity when it likes that better or takes none (RFC 9110 12.5.3). */
enum coding coded_choose(const struct handler *handler, const struct request *request);

/* The coded form: kept, in the quality that the request names (it has it) or else the best one; or made now when
 * that takes a moment. What takes longer is made by a thread, and a request that would be sent it waits: for a fifth of a second at
 * most, and behind nobody else's. Others get identity, and the form is there for the requests to come. One alone makes what it
 * would wait for. A larger one that is not settled has no coded form. */
struct coded coded_get(struct handler *handler, const struct coded_source *source, enum coding coding);

/* Whether a request that asks for a part means the coded form: it names that form's tag. One that does not gets a part of the
 * uncoded form, which is what it can join to what it has (and what other servers cut). True without Range. */
bool coded_is_meant(const struct request *request, struct str tag);

/* The key of a blob made of base in a coding and quality. */
struct hash coded_key(struct hash base, enum coding coding, enum quality quality);

/* Writes an entity tag with the coding's mark inside its quotes. */
void coded_tag(struct buf *out, struct str tag, enum coding coding, enum quality quality);

#endif
