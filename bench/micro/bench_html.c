/* Pages of a listing, in instructions a row; and what the validator is made of. */
#include "listing/html.h"

#include "entries.h"
#include "listing/json.h"
#include "listing/order.h"
#include "micro.h"

static void
render(void (*by)(struct buf *, const struct page *, const struct listing *), size_t count, size_t times)
{
	struct view view = { .sort = SORT_NAME };
	struct listing listing;
	struct rows rows = { 0 };
	struct page page = { .url = S("/pub/"), .mount = S("/"), .view = &view, .rows = &rows };
	struct buf out;

	entries_make(&listing, count);
	rows_sort(&rows, &listing, &view, 0, SIZE_MAX);
	page_set_window(&page, listing.count, 0);
	buf_init(&out, SIZE_MAX / 2);
	for (size_t i = 0; i < times; i++) {
		buf_reset(&out);
		by(&out, &page, &listing);
		micro_sink += out.len;
	}
	buf_release(&out);
	rows_release(&rows);
	listing_release(&listing);
}

static void html_10000(size_t n) { render(html_render, 10000, n); }
static void html_100(size_t n) { render(html_render, 100, n); }
static void json_10000(size_t n) { render(json_render, 10000, n); }
static void digest_10000(size_t n) { render(page_digest, 10000, n); }

static const struct micro table[] = {
	{ "html-10000", 10000, html_10000 },
	{ "html-100", 100, html_100 },
	{ "json-10000", 10000, json_10000 },
	{ "digest-10000", 10000, digest_10000 },
};
MICRO_MAIN(table)
