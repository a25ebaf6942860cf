/* A listing as an HTML page: complete without script, style inline and named by hash in the policy. */
#ifndef LISTING_HTML_H
#define LISTING_HTML_H

#include "listing/page.h"

/* Appends the page. The entries are shown in the order they have. */
void html_render(struct buf *out, const struct page *page, const struct listing *listing);

/* Content-Security-Policy for html_render's page and html_problem's: nothing but its own style. */
struct str html_security_policy(void);

/* Appends a small page that says status and reason, e.g. "404 Not Found" and one sentence; html-escaped here. */
void html_problem(struct buf *out, struct str title, struct str sentence);

#endif
