/* Content codings (RFC 9110 8.4.1): gzip by libdeflate, br by brotli, zstd by libzstd. */
#ifndef FS_COMPRESS_H
#define FS_COMPRESS_H

#include "base/buf.h"

#include <stdatomic.h>

enum coding { CODING_IDENTITY, CODING_GZIP, CODING_ZSTD, CODING_BR, CODING_COUNT };

/* While somebody waits (50 MiB a second, but for brotli of small things), or when nobody does. */
enum quality { QUALITY_QUICK, QUALITY_BEST };

/* Bytes. What is more than this has a best quality that takes seconds all the same. */
#define COMPRESS_LARGE ((size_t)1 << 20)

/* The name in Content-Encoding; empty for identity. */
struct str coding_name(enum coding coding);

/* What stands in an entity tag behind the tag of the uncoded form: another coding, and another quality, is another
 * sequence of bytes (RFC 9110 8.8.3). Not a suffix that a front would add. */
struct str coding_tag(enum coding coding, enum quality quality);

/* Whether the best quality of so many bytes is another than the quick one. */
bool coding_has_best(enum coding coding, size_t size);

/* Appends the coded form. 0, -ENOMEM, or -E2BIG when it would not be smaller by at least a twentieth. */
int compress_bytes(struct buf *out, struct str bytes, enum coding coding, enum quality quality);

/* The same, for a thread that may be asked to stop: -ECANCELED, within a second or so, once *stop is true. */
int compress_until(struct buf *out, struct str bytes, enum coding coding, enum quality quality, const atomic_bool *stop);

#endif
