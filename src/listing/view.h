/* struct view: how a listing is to be shown, read from the query and the Accept field. */
#ifndef LISTING_VIEW_H
#define LISTING_VIEW_H

#include "base/str.h"

enum sort_key { SORT_NAME, SORT_SIZE, SORT_TIME };
enum listing_format { FORMAT_HTML, FORMAT_JSON };

struct view {
	enum sort_key sort;
	bool descending;
	enum listing_format format;
	size_t page;        /* from 1 on; 0: all rows at once */
};

/* Reads ?sort=name|size|time&order=asc|desc&format=html|json ('&' or ';' between, first value of a name counts,
 * anything unknown is ignored). Without format=, the Accept field decides: JSON when it gives
 * application/json more quality than text/html, else HTML.
 * ?page=N asks for one page of an HTML view, ?page=all for everything. Without it, who names text/html in Accept (a
 * browser) gets page 1, and who does not (curl, wget, a mirror) gets everything. JSON is always everything. */
struct view view_parse(struct str query, struct str accept);

#endif
