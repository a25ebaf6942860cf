/* Entity tags (RFC 9110 8.8.3): made from a file's time and size, compared weakly or strongly. */
#ifndef HTTP_ETAG_H
#define HTTP_ETAG_H

#include "base/buf.h"

/* Longest tag that etag_format appends: W/"-", 16 + 16 hex digits, with room to spare. */
#define ETAG_MAX 48

/* How long after its last change a file may change again within one tick of its clock (FRONTS: coarse
 * and network clocks); a tag given out in that time is weak. */
#define ETAG_SETTLE_NANOSECONDS INT64_C(2000000000)

enum etag_comparison { ETAG_WEAK, ETAG_STRONG };

/* Appends the tag of a file: "<mtime in ns, hex>-<size, hex>", W/ in front when weak. No inode, no device,
 * so that mirrors agree. A negative mtime is written as its two's complement. */
void etag_format(struct buf *out, int64_t mtime_ns, int64_t size, bool weak);

/* Appends nginx's own tag: "<mtime in s, hex>-<size, hex>". What a client sees in X-Accel mode. */
void etag_format_nginx(struct buf *out, int64_t mtime_ns, int64_t size);

/* Whether a file changed at mtime may still change unseen at `received` (both ns): within 2 s before,
 * or in the future. */
bool etag_is_unsettled(int64_t mtime_ns, int64_t received);

/* Whether a field value, "*" or a list of tags, names the own tag (RFC 9110 13.1.1, 13.1.2). Members that are
 * no entity-tag are skipped. `alias` (may be empty) is a second spelling of the own tag. In a weak comparison
 * a member also counts if it is the own tag followed, inside the quotes, by a suffix that a front's
 * compression adds (-gzip, -br, -zstd, -deflate, ;gzip, ;br): the front changes it on the way out and not on
 * the way back. Never in a strong one: that tag is for other bytes, which a range of ours would not fit. */
bool etag_list_has(struct str list, struct str own, struct str alias, enum etag_comparison how);

/* Whether a field value that is one tag (If-Range) is the own tag; alias and suffixes as above. */
bool etag_is_same(struct str tag, struct str own, struct str alias, enum etag_comparison how);

#endif
