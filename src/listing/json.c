/* A listing as JSON, for programs: sizes and times exact, and an href that is the name's own bytes
 * even where the name, as text, is not. */
#include "listing/json.h"

#include "base/escape.h"
#include "http/date.h"

static const struct str kind_names[] = {
	[ENTRY_FILE] = STR("file"),
	[ENTRY_DIRECTORY] = STR("directory"),
	[ENTRY_SPECIAL] = STR("special"),
	[ENTRY_BROKEN] = STR("broken"),
	[ENTRY_UNREADABLE] = STR("unreadable"),
};

static void
render_mtime(struct buf *out, const struct entry *entry)
{
	size_t before = out->len;

	buf_str(out, S(",\"mtime\":\""));
	if (!date_format_rfc3339(out, seconds_from_nanoseconds(entry->mtime))) {
		out->len = before;
		return;
	}
	buf_char(out, '"');
}

static void
render_entry(struct buf *out, const struct listing *listing, const struct entry *entry)
{
	buf_str(out, S("{\"name\":\""));
	escape_json(out, listing_name(listing, entry));
	buf_str(out, S("\",\"type\":\""));
	buf_str(out, kind_names[entry->kind]);
	buf_char(out, '"');
	if (entry->is_link)
		buf_str(out, S(",\"link\":true"));
	if (entry->has_stat && entry->kind == ENTRY_FILE) {
		buf_str(out, S(",\"size\":"));
		buf_int(out, entry->size);
	}
	if (entry->has_stat)
		render_mtime(out, entry);
	if (entry_is_followable(entry)) {
		buf_str(out, S(",\"href\":\""));
		page_href(out, listing, entry);
		buf_char(out, '"');
	}
	buf_char(out, '}');
}

void
json_render(struct buf *out, const struct page *page, const struct listing *listing)
{
	struct totals totals = listing_totals(listing);

	buf_str(out, S("{\"path\":\""));
	escape_json(out, page->url);
	buf_str(out, S("\",\"directories\":"));
	buf_int(out, (int64_t)totals.directories);
	buf_str(out, S(",\"files\":"));
	buf_int(out, (int64_t)totals.files);
	buf_str(out, S(",\"bytes\":"));
	buf_int(out, totals.bytes);
	buf_str(out, S(",\"entries\":["));
	for (size_t i = 0; i < page->shown; i++) {
		if (i > 0)
			buf_char(out, ',');
		render_entry(out, listing, page_entry(page, listing, i));
	}
	buf_str(out, S("]}\n"));
}
