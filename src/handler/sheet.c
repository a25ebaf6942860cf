/* One file of ten thousand changes: its row is written anew between the others' bytes, and the foot of the page. Names and
 * kinds must be the same since, so that the rows are; sorted by size or time any change may move a row. */
#include "handler/sheet.h"

#include "listing/json.h"

/* A larger page is not kept: memory is worth more than the moment that a rare change of it takes. */
#define KEEP_MAX ((size_t)4 << 20)
#define PAGE_MAX ((size_t)1 << 30)

void
sheet_init(struct sheet *sheet)
{
	*sheet = (struct sheet){ 0 };
	buf_init(&sheet->body, PAGE_MAX);
	buf_init(&sheet->row, PAGE_MAX);
}

void
sheet_release(struct sheet *sheet)
{
	buf_release(&sheet->body);
	buf_release(&sheet->row);
	html_marks_release(&sheet->marks);
}

void
page_render(struct buf *out, const struct page *page, const struct listing *listing, struct html_marks *marks)
{
	if (page->view->format == FORMAT_JSON)
		json_render(out, page, listing);
	else
		html_render(out, page, listing, marks);
}

struct hash
page_identity(const struct page *page)
{
	struct hash url = hash_bytes(page->url);
	const uint64_t key[] = { url.high, url.low, page->mount.len, page->view->sort, page->view->descending,
		page->view->format, page->first, page->shown };

	return hash_bytes((struct str){ (const char *)key, sizeof(key) });
}

static bool
can_patch(const struct sheet *sheet, const struct snapshot *snapshot, const struct page *page, struct hash view)
{
	return sheet->body.len > 0 && page->view->format == FORMAT_HTML && page->view->sort == SORT_NAME &&
	    sheet->view.high == view.high && sheet->view.low == view.low && sheet->marks.count == page->shown &&
	    sheet->order_version == snapshot->order_version && sheet->version >= sheet->order_version;
}

struct str
sheet_render(struct sheet *sheet, const struct snapshot *snapshot, const struct page *page)
{
	struct hash view = page_identity(page);

	if (sheet->body.cap > KEEP_MAX)
		buf_release(&sheet->body);
	if (!can_patch(sheet, snapshot, page, view) || !html_patch(&sheet->body, &sheet->row, &sheet->marks, page,
	    &snapshot->listing, (uint32_t)sheet->version)) {
		buf_reset(&sheet->body);
		sheet->marks.count = 0;
		page_render(&sheet->body, page, &snapshot->listing, &sheet->marks);
	}
	sheet->view = view;
	sheet->version = snapshot->version;
	sheet->order_version = snapshot->order_version;
	if (buf_failed(&sheet->body)) {
		buf_release(&sheet->body);
		return (struct str){ NULL, 0 };
	}
	return buf_view(&sheet->body);
}
