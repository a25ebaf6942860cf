/* A listing as JSON (RFC 8259). */
#ifndef LISTING_JSON_H
#define LISTING_JSON_H

#include "listing/page.h"

/* Appends {"path", "directories", "files", "bytes", "entries": [{"name", "type", "size", "mtime", "href"}]}.
 * type: file, directory, special, broken, unreadable; "link": true for a symbolic link. size in bytes for files, mtime in RFC 3339; both
 * left out where not known. href is the percent-encoded name: byte-exact where the name is not UTF-8; left out where there is nothing to follow. */
void json_render(struct buf *out, const struct page *page, const struct listing *listing);

#endif
