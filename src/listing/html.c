/* A listing as a page that needs no script, no image and no second request. Rows are as short as HTML allows
 * (no end tags where it lets them out, no classes: the style selects by position), since a folder may have
 * ten thousand of them. */
#include "listing/html.h"

#include <stdlib.h>

#include "base/escape.h"
#include "http/date.h"
#include "listing/style.h"

/* A row that has another length now moves all that follow. More of them than this and the page is as soon rendered. */
#define MOVES_MAX 16

/* So many entries are on their way from memory while one is looked at. */
#define AHEAD 16

/* Shown where there is no fact to show. */
#define NOTHING "\xe2\x80\x93"

static const struct str head_start = STR("<!DOCTYPE html>\n"
					 "<html lang=\"en\">\n"
					 "<head>\n"
					 "<meta charset=\"utf-8\">\n"
					 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
					 "<meta name=\"color-scheme\" content=\"light dark\">\n"
					 "<title>");
static const struct str head_end = STR("</title>\n<style>" LISTING_STYLE "</style>\n</head>\n<body>\n");
static const struct str page_end = STR("</body>\n</html>\n");
static const struct str parent_row = STR("<tr><td><a href=\"../\">../</a><td>" NOTHING "<td>" NOTHING "\n");
static const struct str empty_row = STR("<tr><td colspan=\"3\">This folder is empty.\n");
static const struct str policy = STR("default-src 'none'; style-src '" LISTING_STYLE_HASH "'; "
				     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");

/* What a row says about an entry beside its name: alone, and of a link to it. */
static const struct str notes[][2] = {
	[ENTRY_FILE] = { STR(""), STR(" <small>link</small>") },
	[ENTRY_DIRECTORY] = { STR(""), STR(" <small>link</small>") },
	[ENTRY_SPECIAL] = { STR(" <small>special file</small>"), STR(" <small>link to a special file</small>") },
	[ENTRY_BROKEN] = { STR(" <small>broken link</small>"), STR(" <small>broken link</small>") },
	[ENTRY_UNREADABLE] = { STR(" <small>unreadable</small>"), STR(" <small>unreadable link</small>") },
};

struct column {
	enum sort_key key;
	bool descending_first; /* largest and newest are what one looks for */
	struct str parameter;
	struct str title;
};

static const struct column columns[] = {
	{ SORT_NAME, false, STR("name"), STR("Name") },
	{ SORT_SIZE, true, STR("size"), STR("Size") },
	{ SORT_TIME, true, STR("time"), STR("Last modified (UTC)") },
};

/* The part of the path that is the root. One that does not fit means that nothing lies above this page. */
static struct str
page_root(const struct page *page)
{
	return page->mount.len > 0 && str_starts(page->url, page->mount) ? page->mount : page->url;
}

/* One step of the path, `up` folders above this one. Relative: a proxy may have put a prefix in front. */
static void
render_crumb(struct buf *out, struct str name, size_t up)
{
	bool here = up == 0;

	buf_str(out, S("<a href=\""));
	if (here)
		buf_str(out, S("./"));
	while (up-- > 0)
		buf_str(out, S("../"));
	if (here)
		buf_str(out, S("\" aria-current=\"page"));
	buf_str(out, S("\"><bdi>"));
	escape_html(out, name);
	buf_str(out, S("</bdi>/</a><wbr>"));
}

static void
render_crumbs(struct buf *out, const struct page *page)
{
	struct str root = page_root(page);
	struct str below = str_after(page->url, root.len), name;
	size_t depth = 0;

	for (size_t i = 0; i < below.len; i++)
		depth += below.ptr[i] == '/';
	if (str_ends(root, S("/")))
		root.len--;
	buf_str(out, S("<nav aria-label=\"Breadcrumbs\"><h1>"));
	render_crumb(out, root, depth);
	while (depth > 0 && str_cut(&below, '/', &name))
		render_crumb(out, name, --depth);
	buf_str(out, S("</h1></nav>\n"));
}

static void
render_column(struct buf *out, const struct column *column, const struct view *view)
{
	bool active = column->key == view->sort;
	bool descending = active ? !view->descending : column->descending_first;

	buf_str(out, S("<th scope=\"col\""));
	if (active && view->descending)
		buf_str(out, S(" aria-sort=\"descending\""));
	else if (active)
		buf_str(out, S(" aria-sort=\"ascending\""));
	buf_str(out, S("><a href=\"?sort="));
	buf_str(out, column->parameter);
	buf_str(out, descending ? S("&amp;order=desc") : S("&amp;order=asc"));
	buf_str(out, S("\" rel=\"nofollow\">"));
	buf_str(out, column->title);
	buf_str(out, S("</a>"));
}

/* Powers of 1024 with one decimal, rounded half up: "1.5 KiB". */
static void
render_size(struct buf *out, uint64_t size)
{
	unsigned unit = 0;
	uint64_t tenths;

	if (size < 1024) {
		buf_pad(out, size, 1);
		buf_str(out, S(" B"));
		return;
	}
	do {
		unsigned shift = 10 * ++unit;
		uint64_t part = size & ((UINT64_C(1) << shift) - 1);

		tenths = (size >> shift) * 10 + ((part * 10 + (UINT64_C(1) << (shift - 1))) >> shift);
	} while (tenths >= 10240 && unit < 6);
	buf_pad(out, tenths / 10, 1);
	buf_char(out, '.');
	buf_pad(out, tenths % 10, 1);
	buf_char(out, ' ');
	buf_char(out, "KMGTPE"[unit - 1]);
	buf_str(out, S("iB"));
}

static void
render_size_cell(struct buf *out, const struct entry *entry)
{
	uint64_t size = entry->size > 0 ? (uint64_t)entry->size : 0;

	if (!entry->has_stat || entry->kind != ENTRY_FILE) {
		buf_str(out, S("<td>" NOTHING));
		return;
	}
	if (size < 1024) {
		buf_str(out, S("<td>"));
	} else {
		buf_str(out, S("<td title=\""));
		buf_pad(out, size, 1);
		buf_str(out, S(" bytes\">"));
	}
	render_size(out, size);
}

/* Both forms of a date differ in one byte as far as the shorter one goes, so the calendar is asked once. */
static void
render_time_cell(struct buf *out, const struct entry *entry)
{
	size_t before = out->len, from;

	if (entry->has_stat && buf_reserve(out, 96)) {
		buf_str(out, S("<td><time datetime=\""));
		from = out->len;
		if (date_format_rfc3339(out, seconds_from_nanoseconds(entry->mtime))) {
			buf_str(out, S("\">"));
			buf_bytes(out, out->ptr + from, 10);
			buf_char(out, ' ');
			buf_bytes(out, out->ptr + from + 11, 5);
			buf_str(out, S("</time>\n"));
			return;
		}
		out->len = before;
	}
	buf_str(out, S("<td>" NOTHING "\n"));
}

static void
render_row(struct buf *out, const struct listing *listing, const struct entry *entry)
{
	bool followable = entry_is_followable(entry);

	if (followable) {
		buf_str(out, S("<tr><td><a href=\""));
		page_href(out, listing, entry);
		buf_str(out, S("\"><bdi>"));
	} else {
		buf_str(out, S("<tr><td><bdi>"));
	}
	escape_html(out, listing_name(listing, entry));
	buf_str(out, S("</bdi>"));
	if (entry->kind == ENTRY_DIRECTORY)
		buf_char(out, '/');
	if (followable)
		buf_str(out, S("</a>"));
	buf_str(out, notes[entry->kind][entry->is_link]);
	render_size_cell(out, entry);
	render_time_cell(out, entry);
}

void
html_marks_release(struct html_marks *marks)
{
	free(marks->rows);
	*marks = (struct html_marks){ 0 };
}

/* Room for so many; without it nothing is noted. */
static bool
marks_reserve(struct html_marks *marks, size_t count)
{
	uint32_t *grown;

	marks->count = 0;
	if (count <= marks->capacity)
		return true;
	grown = realloc(marks->rows, count * sizeof(*grown));
	if (grown == NULL)
		return false;
	marks->rows = grown;
	marks->capacity = count;
	return true;
}

static void
render_rows(struct buf *out, const struct page *page, const struct listing *listing, struct html_marks *marks)
{
	bool note = marks != NULL && marks_reserve(marks, page->shown);

	for (size_t i = 0; i < page->shown; i++) {
		if (note && out->len <= UINT32_MAX)
			marks->rows[marks->count++] = (uint32_t)out->len;
		render_row(out, listing, page_entry(page, listing, i));
	}
	if (marks != NULL)
		marks->end = out->len;
}

static void
render_table(struct buf *out, const struct page *page, const struct listing *listing, struct html_marks *marks)
{
	buf_str(out, S("<table>\n<thead><tr>"));
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		render_column(out, &columns[i], page->view);
	buf_str(out, S("\n<tbody>\n"));
	if (page->url.len > page_root(page).len)
		buf_str(out, parent_row);
	render_rows(out, page, listing, marks);
}

/* A link to another page of the same view; number 0: everything. */
static void
render_page_link(struct buf *out, const struct page *page, size_t number, struct str relation, struct str label)
{
	buf_str(out, S("<a href=\"?sort="));
	buf_str(out, columns[page->view->sort].parameter);
	buf_str(out, page->view->descending ? S("&amp;order=desc&amp;page=") : S("&amp;order=asc&amp;page="));
	if (number == 0)
		buf_str(out, S("all"));
	else
		buf_pad(out, number, 1);
	buf_str(out, S("\" rel=\""));
	buf_str(out, relation);
	buf_str(out, S("\">"));
	buf_str(out, label);
	buf_str(out, S("</a> "));
}

/* Says what is shown of how much, and leads on: nothing is left out in silence. */
static void
render_pager(struct buf *out, const struct page *page, size_t count)
{
	if (page->pages == 1)
		return;
	buf_str(out, S("<nav aria-label=\"Pages\"><p>Rows "));
	buf_pad(out, page->first + 1, 1);
	buf_str(out, S("\xe2\x80\x93"));
	buf_pad(out, page->first + page->shown, 1);
	buf_str(out, S(" of "));
	buf_pad(out, count, 1);
	buf_str(out, S(", page "));
	buf_pad(out, page->number, 1);
	buf_str(out, S(" of "));
	buf_pad(out, page->pages, 1);
	buf_str(out, S(" "));
	if (page->number > 1) {
		render_page_link(out, page, 1, S("first nofollow"), S("First"));
		render_page_link(out, page, page->number - 1, S("prev nofollow"), S("Previous"));
	}
	if (page->number < page->pages) {
		render_page_link(out, page, page->number + 1, S("next nofollow"), S("Next"));
		render_page_link(out, page, page->pages, S("last nofollow"), S("Last"));
	}
	render_page_link(out, page, 0, S("nofollow"), S("All"));
	buf_str(out, S("</p></nav>\n"));
}

static void
render_footer(struct buf *out, const struct page *page, const struct listing *listing)
{
	struct totals totals = listing_totals(listing);

	buf_str(out, S("<footer><p>"));
	buf_pad(out, totals.directories, 1);
	buf_str(out, totals.directories == 1 ? S(" folder, ") : S(" folders, "));
	buf_pad(out, totals.files, 1);
	buf_str(out, totals.files == 1 ? S(" file") : S(" files"));
	/* One page by name looks only at its own rows: a sum of those would be taken for the folder's, and one that is shown when
	 * somebody happened to look at the others would make two workers disagree about the page. */
	if (page->pages == 1 || page->view->sort != SORT_NAME) {
		buf_str(out, listing_sizes_are_known(listing) ? S(", ") : S(", at least "));
		render_size(out, (uint64_t)totals.bytes);
	}
	buf_str(out, S("</p></footer>\n"));
}

/* What follows the rows: it depends on all entries, shown or not. */
static void
render_end(struct buf *out, const struct page *page, const struct listing *listing)
{
	if (listing->count == 0)
		buf_str(out, empty_row);
	buf_str(out, S("</table>\n"));
	render_pager(out, page, listing->count);
	buf_str(out, S("</main>\n"));
	render_footer(out, page, listing);
	buf_str(out, page_end);
}

void
html_render(struct buf *out, const struct page *page, const struct listing *listing, struct html_marks *marks)
{
	buf_str(out, head_start);
	buf_str(out, S("Index of "));
	escape_html(out, page->url);
	buf_str(out, head_end);
	render_crumbs(out, page);
	buf_str(out, S("<main>\n"));
	render_table(out, page, listing, marks);
	render_end(out, page, listing);
}

/* Puts bytes in the place of [start, end). */
static bool
replace(struct buf *body, size_t start, size_t end, struct str bytes)
{
	size_t behind = body->len - end;

	if (bytes.len > end - start && !buf_reserve(body, bytes.len - (end - start)))
		return false;
	if (bytes.len != end - start)
		memmove(body->ptr + start + bytes.len, body->ptr + end, behind);
	memcpy(body->ptr + start, bytes.ptr, bytes.len);
	body->len = start + bytes.len + behind;
	return true;
}

bool
html_patch(struct buf *body, struct buf *row, struct html_marks *marks, const struct page *page,
    const struct listing *listing, uint32_t since)
{
	size_t last = marks->end, shift = 0; /* modulo its range: rows may become shorter */
	int moves = 0;

	body->len = marks->end;
	for (size_t i = 0; i < marks->count; i++) {
		const struct entry *entry = page_entry(page, listing, i);
		size_t start = marks->rows[i] + shift, end = (i + 1 < marks->count ? marks->rows[i + 1] : last) + shift;

		/* In the order of the directory, which is none of names: each would be waited for. */
		if (i + AHEAD < marks->count)
			__builtin_prefetch(page_entry(page, listing, i + AHEAD));
		marks->rows[i] = (uint32_t)start;
		if ((int32_t)(entry->stamp - since) <= 0)
			continue;
		buf_reset(row);
		render_row(row, listing, entry);
		moves += row->len != end - start;
		if (buf_failed(row) || moves > MOVES_MAX || !replace(body, start, end, buf_view(row)))
			return false;
		shift += row->len - (end - start);
	}
	marks->end = body->len;
	render_end(body, page, listing);
	return body->len <= UINT32_MAX;
}

struct str
html_security_policy(void)
{
	return policy;
}

void
html_problem(struct buf *out, struct str title, struct str sentence)
{
	buf_str(out, head_start);
	escape_html(out, title);
	buf_str(out, head_end);
	buf_str(out, S("<main><h1>"));
	escape_html(out, title);
	buf_str(out, S("</h1>\n<p>"));
	escape_html(out, sentence);
	buf_str(out, S("</p></main>\n"));
	buf_str(out, page_end);
}
