#include "gateway/params.h"

#include "client.h"
#include "suites.h"

Suite *params_suite(void);

/* Every name, also one that a wrong order of the table would hide. */
static const struct {
	const char *name;
	enum param param;
} names[] = {
	{ "HTTP_RANGE", PARAM_RANGE },
	{ "HTTP_ACCEPT", PARAM_ACCEPT },
	{ "HTTP_IF_MATCH", PARAM_IF_MATCH },
	{ "HTTP_IF_RANGE", PARAM_IF_RANGE },
	{ "PATH_INFO", PARAM_PATH_INFO },
	{ "REMOTE_USER", PARAM_REMOTE_USER },
	{ "SCRIPT_NAME", PARAM_SCRIPT_NAME },
	{ "SCRIPT_URL", PARAM_SCRIPT_URL },
	{ "REQUEST_URI", PARAM_REQUEST_URI },
	{ "REDIRECT_URL", PARAM_REDIRECT_URL },
	{ "QUERY_STRING", PARAM_QUERY_STRING },
	{ "DOCUMENT_ROOT", PARAM_DOCUMENT_ROOT },
	{ "HTTP_IF_NONE_MATCH", PARAM_IF_NONE_MATCH },
	{ "STATICGI_PATH", PARAM_STATICGI_PATH },
	{ "STATICGI_ROOT", PARAM_STATICGI_ROOT },
	{ "REQUEST_METHOD", PARAM_REQUEST_METHOD },
	{ "CONTEXT_PREFIX", PARAM_CONTEXT_PREFIX },
	{ "HTTP_ACCEPT_ENCODING", PARAM_ACCEPT_ENCODING },
	{ "PATH_TRANSLATED", PARAM_PATH_TRANSLATED },
	{ "REDIRECT_STATUS", PARAM_REDIRECT_STATUS },
	{ "SCRIPT_FILENAME", PARAM_SCRIPT_FILENAME },
	{ "SERVER_SOFTWARE", PARAM_SERVER_SOFTWARE },
	{ "STATICGI_HANDOFF", PARAM_STATICGI_HANDOFF },
	{ "GATEWAY_INTERFACE", PARAM_GATEWAY_INTERFACE },
	{ "HTTP_IF_MODIFIED_SINCE", PARAM_IF_MODIFIED_SINCE },
	{ "HTTP_IF_UNMODIFIED_SINCE", PARAM_IF_UNMODIFIED_SINCE },
	{ "REDIRECT_REMOTE_USER", PARAM_REDIRECT_REMOTE_USER },
	{ "CONTEXT_DOCUMENT_ROOT", PARAM_CONTEXT_DOCUMENT_ROOT },
	{ "REDIRECT_STATICGI_PATH", PARAM_REDIRECT_STATICGI_PATH },
	{ "REDIRECT_STATICGI_ROOT", PARAM_REDIRECT_STATICGI_ROOT },
	{ "PATH_TRANSLATED_DIRINDEX", PARAM_PATH_TRANSLATED_DIRINDEX },
	{ "REDIRECT_STATICGI_HANDOFF", PARAM_REDIRECT_STATICGI_HANDOFF },
	{ "REDIRECT_REDIRECT_STATICGI_PATH", PARAM_REDIRECT_REDIRECT_STATICGI_PATH },
	{ "REDIRECT_REDIRECT_STATICGI_ROOT", PARAM_REDIRECT_REDIRECT_STATICGI_ROOT },
	{ "REDIRECT_REDIRECT_STATICGI_HANDOFF", PARAM_REDIRECT_REDIRECT_STATICGI_HANDOFF },
};

START_TEST(name_is_found)
{
	struct params params = { 0 };

	params_set(&params, str_from(names[_i].name), S("v"));
	for (int i = 0; i < PARAM_COUNT; i++)
		ck_assert((params.values[i].ptr != NULL) == (i == (int)names[_i].param));
	ck_assert_str_is(params.values[names[_i].param], "v");
}
END_TEST

START_TEST(every_name_is_in_this_test)
{
	bool seen[PARAM_COUNT] = { false };

	for (int i = 0; i < ROWS(names); i++)
		seen[names[i].param] = true;
	for (int i = 0; i < PARAM_COUNT; i++)
		ck_assert_msg(seen[i], "enum param %d", i);
}
END_TEST

/* Not one of ours: another case, a part, an end more, and what a client could write to look like one of ours. */
static const char *strangers[] = {
	"",
	"P",
	"path_info",
	"PATH_INF",
	"PATH_INFO ",
	"PATH_INFO2",
	"HTTP_PATH_INFO",
	"HTTP_STATICGI_ROOT",
	"HTTP_STATICGI_PATH",
	"HTTP_REDIRECT_STATUS",
	"HTTP_REDIRECT_STATICGI_ROOT",
	"STATICGI-ROOT",
	"RANGE",
	"AAAAAAAAA",
	"ZZZZZZZZZ",
	"REDIRECT_REDIRECT_REDIRECT_STATICGI_ROOT",
};

START_TEST(stranger_is_skipped)
{
	struct params params = { 0 };

	params_set(&params, str_from(strangers[_i]), S("v"));
	for (int i = 0; i < PARAM_COUNT; i++)
		ck_assert_ptr_null(params.values[i].ptr);
}
END_TEST

START_TEST(last_value_wins)
{
	struct params params = { 0 };
	const struct str wire = STR("\x0b\x06SCRIPT_NAME/a b.t\x09\x02PATH_INFO/x\x0b\x04SCRIPT_NAME/exp\x09\x00PATH_INFO");

	ck_assert(params_parse(&params, wire));
	ck_assert_str_is(params.values[PARAM_SCRIPT_NAME], "/exp");
	ck_assert_str_is(params.values[PARAM_PATH_INFO], "");
	ck_assert_ptr_nonnull(params.values[PARAM_PATH_INFO].ptr);
}
END_TEST

START_TEST(empty_is_not_absent)
{
	struct params params = { 0 };

	params_set(&params, S("PATH_INFO"), (struct str){ NULL, 0 });
	ck_assert_ptr_nonnull(params.values[PARAM_PATH_INFO].ptr);
	ck_assert_ptr_null(params.values[PARAM_SCRIPT_NAME].ptr);
}
END_TEST

static const struct {
	struct str wire;
	bool whole;
	const char *path_info; /* NULL: none was read */
} wires[] = {
	{ STR(""), true, NULL },
	{ STR("\x09\x02PATH_INFO/x"), true, "/x" },
	{ STR("\x80\x00\x00\x09\x02PATH_INFO/x"), true, "/x" },
	{ STR("\x09\x80\x00\x00\x02PATH_INFO/x"), true, "/x" },
	{ STR("\x80\x00\x00\x09\x80\x00\x00\x02PATH_INFO/x"), true, "/x" },
	{ STR("\x00\x00\x09\x02PATH_INFO/x"), true, "/x" },
	{ STR("\x00\x03"
	      "abc\x09\x02PATH_INFO/x"), true, "/x" },
	{ STR("\x03\x80\x00\x00\x00"
	      "abc\x09\x02PATH_INFO/x"), true, "/x" },
	/* What comes before the mistake was taken over. */
	{ STR("\x09\x02PATH_INFO/x\x09"), false, "/x" },
	{ STR("\x09\x02PATH_INFO/x\x09\x05PATH_INFO/y"), false, "/x" },
	{ STR("\x09\x03PATH_INFO/x"), false, NULL },
	{ STR("\x0aPATH_INFO/x"), false, NULL },
	{ STR("\x09"), false, NULL },
	{ STR("\x80"), false, NULL },
	{ STR("\x80\x00\x00"), false, NULL },
	{ STR("\x80\x00\x00\x09"), false, NULL },
	{ STR("\x09\x80\x00\x00"), false, NULL },
	{ STR("\xff\xff\xff\xff\x02PATH_INFO/x"), false, NULL },
	{ STR("\x09\xff\xff\xff\xffPATH_INFO/x"), false, NULL },
	{ STR("\xff\xff\xff\xff\xff\xff\xff\xff"), false, NULL },
	{ STR("\x80\x80\x00\x00\x80\x80\x00\x00PATH"), false, NULL },
};

START_TEST(parse)
{
	struct params params = { 0 };
	struct str wire = wires[_i].wire;
	char *exact = malloc(wire.len + 1); /* so that AddressSanitizer sees a read beyond the end */

	memcpy(exact, wire.ptr, wire.len);
	exact = realloc(exact, wire.len > 0 ? wire.len : 1);
	ck_assert(params_parse(&params, (struct str){ exact, wire.len }) == wires[_i].whole);
	ck_assert((params.values[PARAM_PATH_INFO].ptr != NULL) == (wires[_i].path_info != NULL));
	if (wires[_i].path_info != NULL)
		ck_assert_str_is(params.values[PARAM_PATH_INFO], wires[_i].path_info);
	free(exact);
}
END_TEST

static const size_t lengths[] = { 0, 1, 126, 127, 128, 129, 255, 256, 65535, 65536, 200000 };

START_TEST(value_length)
{
	struct buf wire, value;
	struct params params = { 0 };

	buf_init(&wire, CLIENT_MAX);
	buf_init(&value, CLIENT_MAX);
	for (size_t i = 0; i < lengths[_i]; i++)
		buf_char(&value, (char)('a' + i % 26));
	client_pair(&wire, S("PATH_INFO"), buf_view(&value));
	client_pair(&wire, buf_view(&value), S("a name as long"));
	client_pair(&wire, S("SCRIPT_NAME"), S("/after"));
	ck_assert(params_parse(&params, buf_view(&wire)));
	ck_assert(str_eq(params.values[PARAM_PATH_INFO], buf_view(&value)));
	ck_assert_str_is(params.values[PARAM_SCRIPT_NAME], "/after");
	buf_release(&wire);
	buf_release(&value);
}
END_TEST

/* A setting of our own under its three names; what the plain one says counts first. */
static const struct {
	const char *pairs[4];
	const char *root; /* NULL: not sent */
} settings[] = {
	{ { NULL }, NULL },
	{ { "STATICGI_ROOT=/a", NULL }, "/a" },
	{ { "REDIRECT_STATICGI_ROOT=/b", NULL }, "/b" },
	{ { "REDIRECT_REDIRECT_STATICGI_ROOT=/c", NULL }, "/c" },
	{ { "REDIRECT_REDIRECT_STATICGI_ROOT=/c", "REDIRECT_STATICGI_ROOT=/b", "STATICGI_ROOT=/a", NULL }, "/a" },
	{ { "REDIRECT_REDIRECT_STATICGI_ROOT=/c", "REDIRECT_STATICGI_ROOT=/b", NULL }, "/b" },
	{ { "STATICGI_ROOT=", "REDIRECT_STATICGI_ROOT=/b", NULL }, "/b" },
	{ { "STATICGI_ROOT=", NULL }, NULL },
	{ { "STATICGI_PATH=/p", "STATICGI_HANDOFF=off", NULL }, NULL },
	{ { "HTTP_STATICGI_ROOT=/evil", "HTTP_REDIRECT_STATICGI_ROOT=/evil", NULL }, NULL },
};

START_TEST(setting)
{
	struct params params = { 0 };
	struct buf wire;
	struct str root;

	buf_init(&wire, CLIENT_MAX);
	client_pairs(&wire, settings[_i].pairs);
	ck_assert(params_parse(&params, buf_view(&wire)));
	root = params_setting(&params, PARAM_STATICGI_ROOT);
	ck_assert((root.ptr != NULL) == (settings[_i].root != NULL));
	if (root.ptr != NULL)
		ck_assert_str_is(root, settings[_i].root);
	buf_release(&wire);
}
END_TEST

static const struct {
	const char *name;
	enum param plain;
} forms[] = {
	{ "STATICGI_PATH", PARAM_STATICGI_PATH },
	{ "STATICGI_ROOT", PARAM_STATICGI_ROOT },
	{ "STATICGI_HANDOFF", PARAM_STATICGI_HANDOFF },
};

START_TEST(setting_after_redirects)
{
	for (int redirects = 0; redirects < 3; redirects++) {
		struct params params = { 0 };
		struct buf name;

		buf_init(&name, 100);
		for (int i = 0; i < redirects; i++)
			buf_text(&name, "REDIRECT_");
		buf_text(&name, forms[_i].name);
		params_set(&params, buf_view(&name), S("x"));
		for (int i = 0; i < ROWS(forms); i++)
			ck_assert((params_setting(&params, forms[i].plain).ptr != NULL) == (i == _i));
		buf_release(&name);
	}
}
END_TEST

Suite *
params_suite(void)
{
	Suite *suite = suite_create("params");

	suite_add_rows(suite, name_is_found, names);
	suite_add_test(suite, every_name_is_in_this_test);
	suite_add_rows(suite, stranger_is_skipped, strangers);
	suite_add_test(suite, last_value_wins);
	suite_add_test(suite, empty_is_not_absent);
	suite_add_rows(suite, parse, wires);
	suite_add_rows(suite, value_length, lengths);
	suite_add_rows(suite, setting, settings);
	suite_add_rows(suite, setting_after_redirects, forms);
	return suite;
}
