/* Any query and any Accept field give a view, and what stands first in the query counts. */
#include <stdlib.h>

#include "base/buf.h"
#include "listing/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool held)
{
	if (!held)
		abort();
}

static void
require_known(struct view view)
{
	require(view.sort == SORT_NAME || view.sort == SORT_SIZE || view.sort == SORT_TIME);
	require(view.format == FORMAT_HTML || view.format == FORMAT_JSON);
	require(view.format == FORMAT_HTML || view.page == 0);
}

/* The query, a line feed, the Accept field. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str accept = { (const char *)data, size }, query = { "", 0 };
	struct buf longer;
	struct view view;

	if (size == 0 || !str_cut(&accept, '\n', &query))
		return 0;
	view = view_parse(query, accept);
	require_known(view);

	buf_init(&longer, size + 64);
	buf_text(&longer, "sort=time;order=desc&format=json&");
	buf_str(&longer, query);
	view = view_parse(buf_view(&longer), accept);
	require(view.sort == SORT_TIME && view.descending && view.format == FORMAT_JSON && view.page == 0);

	buf_reset(&longer);
	buf_text(&longer, "page=17&format=html;");
	buf_str(&longer, query);
	view = view_parse(buf_view(&longer), accept);
	require(view.format == FORMAT_HTML && view.page == 17);
	buf_release(&longer);
	return 0;
}
