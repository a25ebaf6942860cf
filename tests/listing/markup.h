/* What stands in a page of HTML. */
#ifndef TESTS_LISTING_MARKUP_H
#define TESTS_LISTING_MARKUP_H

#include "base/buf.h"

/* For a size or a time that is not known. */
#define NONE "\xe2\x80\x93"

/* How often a text stands in the page. */
int markup_count(const struct buf *out, const char *text);

#define ck_assert_once(out, text) \
	ck_assert_msg(markup_count((out), (text)) == 1, "not once \"%s\" in:\n%.*s", (text), STR_ARGS(buf_view(out)))
#define ck_assert_never(out, text) \
	ck_assert_msg(markup_count((out), (text)) == 0, "\"%s\" in:\n%.*s", (text), STR_ARGS(buf_view(out)))

#endif
