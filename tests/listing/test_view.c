#include "listing/view.h"

#include "suites.h"

Suite *view_suite(void);

static const struct {
	const char *query;
	const char *accept;
	struct view view;
} views[] = {
	/* Nothing asked. */
	{ NULL, NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "", "", { SORT_NAME, false, FORMAT_HTML } },
	/* Each value. */
	{ "sort=name", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "sort=size", NULL, { SORT_SIZE, false, FORMAT_HTML } },
	{ "sort=time", NULL, { SORT_TIME, false, FORMAT_HTML } },
	{ "order=asc", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "order=desc", NULL, { SORT_NAME, true, FORMAT_HTML } },
	{ "format=json", NULL, { SORT_NAME, false, FORMAT_JSON } },
	{ "format=html", NULL, { SORT_NAME, false, FORMAT_HTML } },
	/* Together, in any order, with either separator. */
	{ "sort=time&order=desc&format=json", NULL, { SORT_TIME, true, FORMAT_JSON } },
	{ "format=json;order=desc;sort=size", NULL, { SORT_SIZE, true, FORMAT_JSON } },
	{ "order=desc&x=1;;&sort=size&", NULL, { SORT_SIZE, true, FORMAT_HTML } },
	/* The first counts; one that is not known is as if it were not there. */
	{ "sort=size&sort=time", NULL, { SORT_SIZE, false, FORMAT_HTML } },
	{ "order=asc&order=desc", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "sort=colour&sort=time", NULL, { SORT_TIME, false, FORMAT_HTML } },
	/* Garbage. */
	{ "sort", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "sort=", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "=size", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "sort=Size", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "SORT=size", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "sort=size=", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "sort==size", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ " sort=size", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "sort=sizes", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "sort=siz", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "sort=s%69ze", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "&&;;==&=;%", NULL, { SORT_NAME, false, FORMAT_HTML } },
	{ "xsort=size&sortx=size", NULL, { SORT_NAME, false, FORMAT_HTML } },
	/* Apache's own spelling is not ours. */
	{ "C=M;O=D", NULL, { SORT_NAME, false, FORMAT_HTML } },
	/* Accept (RFC 9110 12.5.1). */
	{ NULL, "application/json", { SORT_NAME, false, FORMAT_JSON } },
	{ NULL, "*/*", { SORT_NAME, false, FORMAT_HTML } },
	{ NULL, "application/*", { SORT_NAME, false, FORMAT_JSON } },
	{ NULL, "text/html, application/json", { SORT_NAME, false, FORMAT_HTML } },
	{ NULL, "text/html;q=0.5, application/json;q=0.6", { SORT_NAME, false, FORMAT_JSON } },
	{ NULL, "text/html, application/json;q=0.9", { SORT_NAME, false, FORMAT_HTML } },
	{ NULL, "application/json, */*;q=0.1", { SORT_NAME, false, FORMAT_JSON } },
	{ NULL, "text/html,application/xhtml+xml,*/*;q=0.8", { SORT_NAME, false, FORMAT_HTML } },
	{ NULL, "text/html;q=0", { SORT_NAME, false, FORMAT_HTML } },
	{ NULL, "image/png", { SORT_NAME, false, FORMAT_HTML } },
	/* format= wins over Accept; an unknown one does not. */
	{ "format=html", "application/json", { SORT_NAME, false, FORMAT_HTML } },
	{ "format=json", "text/html", { SORT_NAME, false, FORMAT_JSON } },
	{ "format=xml", "application/json", { SORT_NAME, false, FORMAT_JSON } },
};

START_TEST(test_view)
{
	struct view got = view_parse(str_from(views[_i].query), str_from(views[_i].accept));

	ck_assert_int_eq(got.sort, views[_i].view.sort);
	ck_assert_int_eq(got.descending, views[_i].view.descending);
	ck_assert_int_eq(got.format, views[_i].view.format);
}
END_TEST

Suite *
view_suite(void)
{
	Suite *suite = suite_create("view");

	suite_add_rows(suite, test_view, views);
	return suite;
}
