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
};

/* Reads ?sort=name|size|time&order=asc|desc&format=html|json ('&' or ';' between, first value of a name counts,
 * anything unknown is ignored). Without format=, the Accept field decides: JSON when it gives
 * application/json more quality than text/html, else HTML. */
struct view view_parse(struct str query, struct str accept);

#endif
