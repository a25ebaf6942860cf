/* A listing as an HTML page: complete without script, style inline and named by hash in the policy. */
#ifndef LISTING_HTML_H
#define LISTING_HTML_H

#include "listing/page.h"

/* Where the rows of a rendered page lie, so that one of them can be written anew. */
struct html_marks {
	uint32_t *rows;   /* offset of each row shown */
	size_t count;
	size_t capacity;
	size_t end;       /* of the last row */
};

void html_marks_release(struct html_marks *marks);

/* Appends the page; `out` is empty before. With marks (may be NULL) it notes where the rows are; marks->count is 0 when it could not. */
void html_render(struct buf *out, const struct page *page, const struct listing *listing, struct html_marks *marks);

/* Writes the rows of a page anew that was rendered with these marks, in its place: those whose entries have a stamp after
 * `since`, and what follows the rows. The rows are the same entries in the same order. `row` is scratch. False when the page
 * must be rendered: too much of it would have to be moved, or no memory. */
bool html_patch(struct buf *body, struct buf *row, struct html_marks *marks, const struct page *page,
    const struct listing *listing, uint32_t since);

/* Content-Security-Policy for html_render's page and html_problem's: nothing but its own style. */
struct str html_security_policy(void);

/* Appends a small page that says status and reason, e.g. "404 Not Found" and one sentence; html-escaped here. */
void html_problem(struct buf *out, struct str title, struct str sentence);

#endif
