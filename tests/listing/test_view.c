#include "listing/view.h"

#include "suites.h"

Suite *view_suite(void);

static const struct {
	const char *query;
	const char *accept;
	struct view view;
} views[] = {
	/* Nothing asked. */
	{ NULL, NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "", "", { SORT_NAME, false, FORMAT_HTML, 0 } },
	/* Each value. */
	{ "sort=name", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort=size", NULL, { SORT_SIZE, false, FORMAT_HTML, 0 } },
	{ "sort=time", NULL, { SORT_TIME, false, FORMAT_HTML, 0 } },
	{ "order=asc", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "order=desc", NULL, { SORT_NAME, true, FORMAT_HTML, 0 } },
	{ "format=json", NULL, { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ "format=html", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	/* Together, in any order, with either separator. */
	{ "sort=time&order=desc&format=json", NULL, { SORT_TIME, true, FORMAT_JSON, 0 } },
	{ "format=json;order=desc;sort=size", NULL, { SORT_SIZE, true, FORMAT_JSON, 0 } },
	{ "order=desc&x=1;;&sort=size&", NULL, { SORT_SIZE, true, FORMAT_HTML, 0 } },
	/* The first counts; one that is not known is as if it were not there. */
	{ "sort=size&sort=time", NULL, { SORT_SIZE, false, FORMAT_HTML, 0 } },
	{ "order=asc&order=desc", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort=colour&sort=time", NULL, { SORT_TIME, false, FORMAT_HTML, 0 } },
	/* Garbage. */
	{ "sort", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort=", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "=size", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort=Size", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "SORT=size", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort=size=", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort==size", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ " sort=size", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort=sizes", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort=siz", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort=s%69ze", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "&&;;==&=;%", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "xsort=size&sortx=size", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	/* Apache's own spelling is not ours. */
	{ "C=M;O=D", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	/* Accept (RFC 9110 12.5.1). */
	{ NULL, "application/json", { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ NULL, "*/*", { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ NULL, "application/*", { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ NULL, "text/html, application/json", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ NULL, "text/html;q=0.5, application/json;q=0.6", { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ NULL, "text/html, application/json;q=0.9", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ NULL, "application/json, */*;q=0.1", { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ NULL, "text/html,application/xhtml+xml,*/*;q=0.8", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ NULL, "text/html;q=0", { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ NULL, "image/png", { SORT_NAME, false, FORMAT_HTML, 0 } },
	/* format= wins over Accept; an unknown one does not. */
	{ "format=html", "application/json", { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "format=json", "text/html", { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ "format=xml", "application/json", { SORT_NAME, false, FORMAT_JSON, 0 } },
	/* A page by number, or everything: whatever Accept says. */
	{ "page=1", NULL, { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page=2", "*/*", { SORT_NAME, false, FORMAT_HTML, 2 } },
	{ "page=2", "text/html", { SORT_NAME, false, FORMAT_HTML, 2 } },
	{ "page=007", NULL, { SORT_NAME, false, FORMAT_HTML, 7 } },
	{ "page=all", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "page=all", "text/html", { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "sort=size&order=desc&page=3", "text/html", { SORT_SIZE, true, FORMAT_HTML, 3 } },
	{ "page=3;sort=time", NULL, { SORT_TIME, false, FORMAT_HTML, 3 } },
	/* More than there are numbers is more than there are pages: the last one. */
	{ "page=9223372036854775807", NULL, { SORT_NAME, false, FORMAT_HTML, INT64_MAX } },
	{ "page=99999999999999999999", NULL, { SORT_NAME, false, FORMAT_HTML, INT64_MAX } },
	{ "page=99999999999999999999", "text/html", { SORT_NAME, false, FORMAT_HTML, INT64_MAX } },
	/* The first that is one counts. */
	{ "page=2&page=3", NULL, { SORT_NAME, false, FORMAT_HTML, 2 } },
	{ "page=all&page=3", "text/html", { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "page=3&page=all", NULL, { SORT_NAME, false, FORMAT_HTML, 3 } },
	{ "page=0&page=4", NULL, { SORT_NAME, false, FORMAT_HTML, 4 } },
	{ "page=x&page=all", "text/html", { SORT_NAME, false, FORMAT_HTML, 0 } },
	/* None: as if it were not there, so Accept decides. */
	{ "page=0", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "page=0", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page=-1", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "page=-1", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page=x", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page=", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page=2x", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page=+2", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page= 2", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page=1.5", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page=%32", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "page=ALL", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "PAGE=2", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "pages=2&xpage=3", "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	/* Who names text/html gets pages, who does not gets everything. */
	{ NULL, "text/html", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ NULL, "TEXT/HTML", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ NULL, "text/html;q=0.1, */*;q=0.1", { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ NULL, "text/html;q=0, image/*", { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ NULL, "text/*", { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ NULL, "text/html, application/xhtml+xml, application/xml;q=0.9, image/webp, */*;q=0.8",
	  { SORT_NAME, false, FORMAT_HTML, 1 } },
	{ "sort=size", "text/html", { SORT_SIZE, false, FORMAT_HTML, 1 } },
	/* JSON is for programs: always everything. */
	{ "format=json&page=2", NULL, { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ "page=2&format=json", "text/html", { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ "page=2", "application/json", { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ NULL, "application/json, text/html;q=0.5", { SORT_NAME, false, FORMAT_JSON, 0 } },
	{ NULL, "text/html;q=0.1, */*", { SORT_NAME, false, FORMAT_JSON, 0 } },
	/* HTML by name in the query says nothing of pages. */
	{ "format=html", NULL, { SORT_NAME, false, FORMAT_HTML, 0 } },
	{ "format=html&page=2", "application/json", { SORT_NAME, false, FORMAT_HTML, 2 } },
};

START_TEST(test_view)
{
	struct view got = view_parse(str_from(views[_i].query), str_from(views[_i].accept));

	ck_assert_int_eq(got.sort, views[_i].view.sort);
	ck_assert_int_eq(got.descending, views[_i].view.descending);
	ck_assert_int_eq(got.format, views[_i].view.format);
	ck_assert_uint_eq(got.page, views[_i].view.page);
}
END_TEST

Suite *
view_suite(void)
{
	Suite *suite = suite_create("view");

	suite_add_rows(suite, test_view, views);
	return suite;
}
