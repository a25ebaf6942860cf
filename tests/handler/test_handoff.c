/* Which dialect carries what to which front. */
#include "handler/handoff.h"

#include "handler/fixture.h"
#include "suites.h"

#include <stdio.h>

Suite *handoff_suite(void);

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static const struct {
	const char *text;
	bool good;
	enum handoff_mode mode;
	const char *prefix;
} texts[] = {
	{ "off", true, HANDOFF_OFF, NULL },
	{ "x-sendfile", true, HANDOFF_X_SENDFILE, NULL },
	{ "x-accel-redirect:/protected/", true, HANDOFF_X_ACCEL_REDIRECT, "/protected/" },
	{ "x-accel-redirect:/", true, HANDOFF_X_ACCEL_REDIRECT, "/" },
	{ "x-accel-redirect+vary:/protected/", true, HANDOFF_X_ACCEL_REDIRECT, "/protected/" },
	{ "x-litespeed-location:/files/", true, HANDOFF_X_LITESPEED_LOCATION, "/files/" },
	{ "local-redirect:/.raw/", true, HANDOFF_LOCAL_REDIRECT, "/.raw/" },
	{ "local-redirect:/a:b/", true, HANDOFF_LOCAL_REDIRECT, "/a:b/" },
	{ "", false, 0, NULL },
	{ "on", false, 0, NULL },
	{ "OFF", false, 0, NULL },
	{ "off:/a/", false, 0, NULL },
	{ "off:", false, 0, NULL },
	{ "x-sendfile:", false, 0, NULL },
	{ "x-sendfile:/a/", false, 0, NULL },
	{ "x-sendfile ", false, 0, NULL },
	{ "x-accel-redirect", false, 0, NULL },
	{ "x-accel-redirect+vary", false, 0, NULL },
	{ "x-accel-redirect+var:/a/", false, 0, NULL },
	{ "x-sendfile+vary", false, 0, NULL },
	{ "x-accel-redirect:", false, 0, NULL },
	{ "x-accel-redirect:/protected", false, 0, NULL },
	{ "x-accel-redirect:protected/", false, 0, NULL },
	{ "x-accel-redirect:/a b/", false, 0, NULL },
	{ "x-accel-redirect:/a\r\nX: y/", false, 0, NULL },
	{ "x-litespeed-location", false, 0, NULL },
	{ "local-redirect:http://host/", false, 0, NULL },
};

START_TEST(parse)
{
	struct handoff handoff = { .mode = HANDOFF_OFF };

	ck_assert_int_eq(handoff_parse(str_from(texts[_i].text), &handoff), texts[_i].good);
	if (!texts[_i].good)
		return;
	ck_assert_int_eq(handoff.mode, texts[_i].mode);
	ck_assert_str_is(handoff.prefix, texts[_i].prefix != NULL ? texts[_i].prefix : "");
}
END_TEST

/* mod_xsendfile takes raw bytes; lighttpd decodes and wants UTF-8; URIs are percent-encoded. A dialect is spoken only to the
 * front that knows it: any other would show the path to the client. */
static const struct {
	const char *mode;
	enum front front;
	const char *root, *path, *coding;
	bool carries;
} carriers[] = {
	{ "off", FRONT_APACHE, "/srv", "/a", "", false },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/a", "", true },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/a b", "", true },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/\xff\xfe", "", true },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/a?b#c", "", true },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/50%", "", false },
	{ "x-sendfile", FRONT_APACHE, "/srv%20", "/a", "", false },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/a\nb", "", false },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/a\rb", "", false },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/a\x7f", "", false },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/a\tb", "", false },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/a ", "", false },
	{ "x-sendfile", FRONT_APACHE, "/srv", "/a", "gzip", false },
	{ "x-sendfile", FRONT_LIGHTTPD, "/srv", "/a", "", true },
	{ "x-sendfile", FRONT_LIGHTTPD, "/srv", "/50% ?#", "", true },
	{ "x-sendfile", FRONT_LIGHTTPD, "/srv", "/\xc3\xa9", "", true },
	{ "x-sendfile", FRONT_LIGHTTPD, "/srv", "/\xff", "", false },
	{ "x-sendfile", FRONT_LIGHTTPD, "/srv\xff", "/a", "", false },
	{ "x-sendfile", FRONT_LIGHTTPD, "/srv", "/a\nb", "", false },
	{ "x-sendfile", FRONT_LIGHTTPD, "/srv", "/a", "gzip", true },
	{ "x-sendfile", FRONT_NGINX, "/srv", "/a", "", false },
	{ "x-sendfile", FRONT_LITESPEED, "/srv", "/a", "", false },
	{ "x-sendfile", FRONT_UNKNOWN, "/srv", "/a", "", false },
	{ "x-accel-redirect:/p/", FRONT_NGINX, "/srv", "/a", "", true },
	{ "x-accel-redirect:/p/", FRONT_NGINX, "/srv", "/a\nb%\xff ?", "", true },
	{ "x-accel-redirect:/p/", FRONT_NGINX, "/srv", "/a", "gzip", false },
	{ "x-accel-redirect:/p/", FRONT_APACHE, "/srv", "/a", "", false },
	{ "x-accel-redirect:/p/", FRONT_LIGHTTPD, "/srv", "/a", "", false },
	{ "x-accel-redirect:/p/", FRONT_UNKNOWN, "/srv", "/a", "", false },
	{ "x-litespeed-location:/p/", FRONT_LITESPEED, "/srv", "/a", "", true },
	{ "x-litespeed-location:/p/", FRONT_LITESPEED, "/srv", "/a", "gzip", false },
	{ "x-litespeed-location:/p/", FRONT_APACHE, "/srv", "/a", "", false },
	{ "local-redirect:/p/", FRONT_APACHE, "/srv", "/a% ?\xff", "", true },
	{ "local-redirect:/p/", FRONT_APACHE, "/srv", "/a\nb", "", false },
	{ "local-redirect:/p/", FRONT_APACHE, "/srv", "/a", "gzip", false },
	{ "local-redirect:/p/", FRONT_NGINX, "/srv", "/a", "", false },
	{ "local-redirect:/p/", FRONT_LIGHTTPD, "/srv", "/a", "", false },
};

START_TEST(can_carry)
{
	struct handoff handoff;

	ck_assert(handoff_parse(str_from(carriers[_i].mode), &handoff));
	ck_assert_int_eq(handoff_can_carry(&handoff, carriers[_i].front, str_from(carriers[_i].root),
	    str_from(carriers[_i].path), str_from(carriers[_i].coding)), carriers[_i].carries);
}
END_TEST

static const struct {
	const char *mode;
	enum front front;
	const char *root, *path, *field, *value;
} values[] = {
	{ "x-sendfile", FRONT_APACHE, "/srv/w", "/a b\xff?.txt", "X-Sendfile", "/srv/w/a b\xff?.txt" },
	{ "x-sendfile", FRONT_APACHE, "/srv/w/", "/a", "X-Sendfile", "/srv/w/a" },
	{ "x-sendfile", FRONT_APACHE, "/", "/a", "X-Sendfile", "/a" },
	{ "x-sendfile", FRONT_LIGHTTPD, "/srv/w w", "/50% \xc3\xa9+?#,;", "X-Sendfile",
	    "/srv/w%20w/50%25%20%C3%A9%2B%3F%23%2C%3B" },
	{ "x-accel-redirect:/p/", FRONT_NGINX, "/srv", "/d/50% \xff\n?", "X-Accel-Redirect", "/p/d/50%25%20%FF%0A%3F" },
	{ "x-litespeed-location:/p/", FRONT_LITESPEED, "/srv", "/a b", "X-LiteSpeed-Location", "/p/a%20b" },
	{ "local-redirect:/p/", FRONT_APACHE, "/srv", "/a b", "Location", "/p/a%20b" },
};

START_TEST(value_by_dialect)
{
	struct handoff handoff;

	ck_assert(handoff_parse(str_from(values[_i].mode), &handoff));
	response_field(&f.response, "ETag", S("\"x\""));
	handoff_respond(&f.response, &handoff, values[_i].front, str_from(values[_i].root), str_from(values[_i].path));
	ck_assert_field(&f, values[_i].field, values[_i].value);
	ck_assert_int_eq(f.response.content_length, -1);
	ck_assert_uint_eq(f.response.segment_count, 0);
	ck_assert_int_eq(f.response.local_redirect, handoff.mode == HANDOFF_LOCAL_REDIRECT);
	/* Apache takes a Location with other fields for something else. */
	if (handoff.mode == HANDOFF_LOCAL_REDIRECT)
		ck_assert_no_field(&f, "ETag");
	else
		ck_assert_field(&f, "ETag", "\"x\"");
}
END_TEST

Suite *
handoff_suite(void)
{
	Suite *suite = suite_create("handler/handoff");

	suite_add_case(suite, parse, ROWS(texts), setup, teardown);
	suite_add_case(suite, can_carry, ROWS(carriers), setup, teardown);
	suite_add_case(suite, value_by_dialect, ROWS(values), setup, teardown);
	return suite;
}
