#include "http/path.h"

#include "suites.h"

Suite *path_suite(void);

/* want NULL: no such path. */
static const struct {
	struct str path;
	const char *want;
} paths[] = {
	{ STR("/"), "/" },
	{ STR("/a"), "/a" },
	{ STR("/a/"), "/a/" },
	{ STR("/a/b.txt"), "/a/b.txt" },
	{ STR("//"), "/" },
	{ STR("//a"), "/a" },
	{ STR("/a///b//"), "/a/b/" },
	{ STR("//evil.example/.."), "/" },
	{ STR("/."), "/" },
	{ STR("/./"), "/" },
	{ STR("/a/."), "/a/" },
	{ STR("/a/./b"), "/a/b" },
	{ STR("/a/.."), "/" },
	{ STR("/a/../"), "/" },
	{ STR("/a/b/.."), "/a/" },
	{ STR("/a/b/../c"), "/a/c" },
	{ STR("/a//../b"), "/b" },
	{ STR("/a/b/c/./../../g"), "/a/g" }, /* RFC 3986 5.2.4 */
	{ STR("/a/..b/...c/d.."), "/a/..b/...c/d.." },
	{ STR("/..."), "/..." },
	{ STR("/.hidden"), "/.hidden" },
	{ STR("/a\\..\\b"), "/a\\..\\b" },
	{ STR("/\\evil"), "/\\evil" },
	{ STR("/a?b#c%41"), "/a?b#c%41" },
	{ STR("/.."), NULL },
	{ STR("/../"), NULL },
	{ STR("/../a"), NULL },
	{ STR("/a/../.."), NULL },
	{ STR("/a/../../a"), NULL },
	{ STR("/a/b/../../../a/b"), NULL },
	{ STR("//.."), NULL },
	{ STR(""), NULL },
	{ { NULL, 0 }, NULL },
	{ STR("a"), NULL },
	{ STR("./a"), NULL },
	{ STR("\\a"), NULL },
};

START_TEST(normalise)
{
	struct buf out;

	buf_init(&out, 1000);
	ck_assert(path_normalise(&out, paths[_i].path) == (paths[_i].want != NULL));
	ck_assert_str_is(buf_view(&out), paths[_i].want != NULL ? paths[_i].want : "");
	buf_reset(&out);
	/* After something that is there already. */
	buf_text(&out, "/root");
	path_normalise(&out, paths[_i].path);
	ck_assert(str_starts(buf_view(&out), S("/root")));
	ck_assert_str_is(buf_since(&out, 5), paths[_i].want != NULL ? paths[_i].want : "");
	buf_release(&out);
}
END_TEST

static const struct {
	struct str target, want; /* want.ptr NULL: no such path */
	bool encoded_slash;
	const char *query; /* NULL: none */
} targets[] = {
	{ STR("/"), STR("/"), false, NULL },
	{ STR("/a%20b.txt"), STR("/a b.txt"), false, NULL },
	{ STR("/a%2520b"), STR("/a%20b"), false, NULL },
	{ STR("/a+b"), STR("/a+b"), false, NULL },
	{ STR("/a?x=1"), STR("/a"), false, "x=1" },
	{ STR("/a?"), STR("/a"), false, "" },
	{ STR("/a?x?y=%2F"), STR("/a"), false, "x?y=%2F" },
	{ STR("/a%3Fx"), STR("/a?x"), false, NULL },
	{ STR("/?-s"), STR("/"), false, "-s" },
	{ STR("/a#b?c"), STR("/a"), false, NULL },
	{ STR("/a?b#c"), STR("/a"), false, "b" },
	{ STR("/a%23b"), STR("/a#b"), false, NULL },
	{ STR("/a%2Fb"), STR("/a/b"), true, NULL },
	{ STR("/a%2fb"), STR("/a/b"), true, NULL },
	{ STR("/%2F"), STR("/"), true, NULL },
	{ STR("/a%252Fb"), STR("/a%2Fb"), false, NULL },
	{ STR("/a/%2e%2E/b"), STR("/b"), false, NULL },
	{ STR("/a/%2e"), STR("/a/"), false, NULL },
	{ STR("/a/..%2fb"), STR("/b"), true, NULL },
	{ STR("/a%2f..%2fb"), STR("/b"), true, NULL },
	{ STR("//evil.example/x"), STR("/evil.example/x"), false, NULL },
	{ STR("///evil.example"), STR("/evil.example"), false, NULL },
	{ STR("/\\evil.example"), STR("/\\evil.example"), false, NULL },
	{ STR("/a%5C..%5Cb"), STR("/a\\..\\b"), false, NULL },
	{ STR("/a%"), STR("/a%"), false, NULL },
	{ STR("/a%f"), STR("/a%f"), false, NULL },
	{ STR("/a%+1"), STR("/a%+1"), false, NULL },
	{ STR("/a%2"), STR("/a%2"), false, NULL },
	{ STR("/a.txt%00.png"), STR("/a.txt\0.png"), false, NULL }, /* path_check's business */
	{ STR("/%C3%BC%ff"), STR("/\xc3\xbc\xff"), false, NULL },
	{ STR("/a:b"), STR("/a:b"), false, NULL },
	{ STR("/http://x/"), STR("/http:/x/"), false, NULL },
	/* absolute-form */
	{ STR("http://host/a?x"), STR("/a"), false, "x" },
	{ STR("HTTPS://user@host:8443/a/../b"), STR("/b"), false, NULL },
	{ STR("http://[::1]:80/a"), STR("/a"), false, NULL },
	{ STR("http://host"), STR("/"), false, NULL },
	{ STR("http://host?x=/y"), STR("/"), false, "x=/y" },
	{ STR("http://host/"), STR("/"), false, NULL },
	{ STR("http://host//a"), STR("/a"), false, NULL },
	{ STR("http://host#/a"), STR("/"), false, NULL },
	{ STR("coap+tcp://host/a"), STR("/a"), false, NULL },
	/* Above the root. */
	{ STR("/.."), { NULL, 0 }, false, NULL },
	{ STR("/%2e%2e/a"), { NULL, 0 }, false, NULL },
	{ STR("/..%2Fa"), { NULL, 0 }, true, NULL },
	{ STR("/a/../../b?x"), { NULL, 0 }, false, "x" },
	{ STR("http://host/.."), { NULL, 0 }, false, NULL },
	/* No path in it. */
	{ STR("*"), { NULL, 0 }, false, NULL },
	{ STR("host:443"), { NULL, 0 }, false, NULL },
	{ STR("host"), { NULL, 0 }, false, NULL },
	{ STR("a/b"), { NULL, 0 }, false, NULL },
	{ STR("%2Fa"), { NULL, 0 }, false, NULL },
	{ STR("?x"), { NULL, 0 }, false, NULL },
	{ STR("#"), { NULL, 0 }, false, NULL },
	{ STR("http:/host/a"), { NULL, 0 }, false, NULL },
	{ STR("://host/a"), { NULL, 0 }, false, NULL },
	{ STR("1http://host/a"), { NULL, 0 }, false, NULL },
	{ STR("ht tp://host/a"), { NULL, 0 }, false, NULL },
	{ STR(""), { NULL, 0 }, false, NULL },
	{ { NULL, 0 }, { NULL, 0 }, false, NULL },
};

START_TEST(from_target)
{
	struct str want = targets[_i].want, query = query_from_target(targets[_i].target);
	bool encoded_slash = !targets[_i].encoded_slash;
	struct buf out;

	buf_init(&out, 1000);
	buf_text(&out, "/root");
	ck_assert(path_from_target(&out, targets[_i].target, &encoded_slash) == (want.ptr != NULL));
	ck_assert(str_starts(buf_view(&out), S("/root")));
	ck_assert_msg(str_eq(buf_since(&out, 5), want), "got \"%.*s\"", STR_ARGS(buf_since(&out, 5)));
	ck_assert(encoded_slash == targets[_i].encoded_slash);
	ck_assert((query.ptr != NULL) == (targets[_i].query != NULL));
	ck_assert_str_is(query, targets[_i].query != NULL ? targets[_i].query : "");
	buf_release(&out);
}
END_TEST

START_TEST(no_room_is_no_path)
{
	bool encoded_slash;
	struct buf out;

	buf_init(&out, 1024);
	for (int i = 0; i < 1020; i++)
		buf_char(&out, 'x');
	ck_assert(!path_normalise(&out, S("/12345")));
	buf_reset(&out);
	for (int i = 0; i < 1020; i++)
		buf_char(&out, 'x');
	ck_assert(!path_from_target(&out, S("/12345/../../.."), &encoded_slash));
	ck_assert(buf_failed(&out));
	buf_release(&out);
}
END_TEST

static const struct {
	struct str path;
	bool good;
} checks[] = {
	{ STR("/"), true },
	{ STR("/a"), true },
	{ STR("/a/b/"), true },
	{ STR("/a//b"), true },
	{ STR("/a.b"), true },
	{ STR("/a./b.."), true },
	{ STR("/.well-known"), true },
	{ STR("/.well-known/security.txt"), true },
	{ STR("/a\\b\n\xff"), true },
	{ STR(""), false },
	{ { NULL, 0 }, false },
	{ STR("a"), false },
	{ STR("a/b"), false },
	{ STR("/."), false },
	{ STR("/.."), false },
	{ STR("/a/../b"), false },
	{ STR("/a/./b"), false },
	{ STR("/a/.."), false },
	{ STR("/..."), false },
	{ STR("/.htaccess"), false },
	{ STR("/.git/config"), false },
	{ STR("/a/.env"), false },
	{ STR("/.hidden/"), false },
	{ STR("/a//.b"), false },
	{ STR("/.well-known2"), false },
	{ STR("/.Well-Known"), false },
	{ STR("/.well-known/.x"), false },
	{ STR("/a\0"), false },
	{ STR("/a.txt\0.png"), false },
	{ STR("/\0"), false },
};

START_TEST(check)
{
	ck_assert_int_eq(path_check(checks[_i].path), checks[_i].good ? STATUS_UNDECIDED : STATUS_NOT_FOUND);
}
END_TEST

static const struct {
	struct str name;
	bool hidden;
} names[] = {
	{ STR("a"), false },
	{ STR("a.b"), false },
	{ STR("a."), false },
	{ STR(".well-known"), false },
	{ STR("..."), true },
	{ STR("."), true },
	{ STR(".."), true },
	{ STR(".htpasswd"), true },
	{ STR(".git"), true },
	{ STR(".well-know"), true },
	{ STR(".well-known.txt"), true },
	{ STR(""), false },
};

START_TEST(hidden)
{
	ck_assert(name_is_hidden(names[_i].name) == names[_i].hidden);
}
END_TEST

Suite *
path_suite(void)
{
	Suite *suite = suite_create("path");

	suite_add_rows(suite, normalise, paths);
	suite_add_rows(suite, from_target, targets);
	suite_add_test(suite, no_room_is_no_path);
	suite_add_rows(suite, check, checks);
	suite_add_rows(suite, hidden, names);
	return suite;
}
