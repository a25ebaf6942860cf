/* Which way a request goes: methods, paths, what lies there, refusals. */
#include "handler/handler.h"

#include "handler/trees.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

Suite *handler_suite(void);

static struct fixture f;

static void
setup(void)
{
	trees_make_small(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static const struct {
	const char *name;
	enum status status;
} methods[] = {
	{ "GET", 200 }, { "HEAD", 200 }, { "OPTIONS", 204 },
	{ "POST", 405 }, { "PUT", 405 }, { "DELETE", 405 }, { "PATCH", 405 }, { "TRACE", 405 }, { "CONNECT", 405 },
	{ "PROPFIND", 405 }, { "MKCOL", 405 },
	{ "get", 501 }, { "BREW", 501 }, { "", 501 },
};

START_TEST(methods_of_files_and_folders)
{
	static const char *const targets[] = { "/a.txt", "/dir/", "/dir" };
	bool read = methods[_i].status == 200;

	f.request.method = method_from_name(str_from(methods[_i].name));
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		ck_assert_int_eq(fixture_get(&f, targets[i]), read && i == 2 ? 301 : methods[_i].status);
		if (!read)
			ck_assert_field(&f, "Allow", "GET, HEAD, OPTIONS");
		else
			ck_assert_no_field(&f, "Allow");
	}
}
END_TEST

static const char *const targets_of_head[] = { "/a.txt", "/dir/", "/dir", "/nothing", "/dir/b.txt", "/large.bin" };

/* RFC 9110 9.3.2: the same fields, the length too, and no content. */
START_TEST(head_is_get_without_content)
{
	struct buf fields;
	int64_t length;
	enum status status;

	fixture_bytes(&f, "root/large.bin", 100000);
	buf_init(&fields, 65536);
	status = fixture_get(&f, targets_of_head[_i]);
	ck_assert_uint_gt(f.content.len, 0);
	buf_str(&fields, buf_view(&f.response.fields));
	length = f.response.content_length;

	f.request.method = METHOD_HEAD;
	ck_assert_int_eq(fixture_get(&f, targets_of_head[_i]), status);
	ck_assert(f.response.content_omitted);
	ck_assert_int_eq(f.response.content_length, length);
	ck_assert(str_eq(buf_view(&fields), buf_view(&f.response.fields)));
	ck_assert_uint_eq(f.content.len, 0);
	buf_release(&fields);
}
END_TEST

/* Everything that is not to be had answers alike, to the byte. */
static const struct {
	const char *path;
	size_t len; /* 0: strlen */
} absent[] = {
	{ "/nothing", 0 }, { "/nothing/", 0 }, { "/dir/nothing", 0 }, { "/a.txt/", 0 }, { "/a.txt/more", 0 },
	{ "/.hidden", 0 }, { "/.git/config", 0 }, { "/.htaccess", 0 }, { "/.htpasswd", 0 }, { "/dir/.ht", 0 },
	{ "/.", 0 }, { "/..", 0 }, { "/../secret", 0 }, { "/dir/../a.txt", 0 }, { "/dir/./b.txt", 0 }, { "/...", 0 },
	{ "/.well-knownx", 0 }, { "/.WELL-KNOWN/a", 0 },
	{ "a.txt", 0 }, { "/a.txt\0.html", 12 }, { "/\0", 2 },
	{ "/fifo", 0 }, { "/socket", 0 }, { "/null", 0 }, { "/fifo/", 0 },
	{ "/out", 0 }, { "/out_abs", 0 }, { "/up/secret", 0 }, { "/loop", 0 }, { "/dangling", 0 },
};

static void
make_absent(void)
{
	char path[PATH_MAX];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int at;

	fixture_file(&f, "root/.hidden", "no");
	fixture_file(&f, "root/.htaccess", "no");
	fixture_file(&f, "root/.htpasswd", "no");
	fixture_file(&f, "root/dir/.ht", "no");
	fixture_file(&f, "root/...", "no");
	fixture_file(&f, "root/.well-knownx", "no");
	fixture_directory(&f, "root/.git");
	fixture_file(&f, "root/.git/config", "no");
	fixture_path(&f, "root/fifo", path);
	ck_assert_int_eq(mkfifo(path, 0644), 0);
	at = open(f.root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/socket", at);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	close(at);
	fixture_link(&f, "root/null", "/dev/null");
	fixture_link(&f, "root/out", "../secret");
	fixture_path(&f, "secret", path);
	fixture_link(&f, "root/out_abs", path);
	fixture_link(&f, "root/up", "..");
	fixture_link(&f, "root/loop", "loop");
	fixture_link(&f, "root/dangling", "nowhere");
}

/* The alarm of check ends a test that would wait for a FIFO's writer. */
START_TEST(what_is_not_to_be_had_is_404)
{
	struct str path = { absent[_i].path, absent[_i].len > 0 ? absent[_i].len : strlen(absent[_i].path) };
	struct buf fields, content;

	make_absent();
	buf_init(&fields, 65536);
	buf_init(&content, 65536);
	ck_assert_int_eq(fixture_get(&f, "/not there at all"), 404);
	buf_str(&fields, buf_view(&f.response.fields));
	buf_str(&content, buf_view(&f.content));

	f.request.url = f.request.path = path;
	ck_assert_int_eq(fixture_ask(&f), 404);
	ck_assert(str_eq(buf_view(&fields), buf_view(&f.response.fields)));
	ck_assert(str_eq(buf_view(&content), buf_view(&f.content)));
	buf_release(&fields);
	buf_release(&content);
}
END_TEST

START_TEST(well_known_is_served)
{
	fixture_directory(&f, "root/.well-known");
	fixture_file(&f, "root/.well-known/security.txt", "Contact: x");
	ck_assert_int_eq(fixture_get(&f, "/.well-known/security.txt"), 200);
	ck_assert_content(&f, "Contact: x");
	ck_assert_int_eq(fixture_get(&f, "/.well-known/"), 200);
	ck_assert_int_eq(fixture_get(&f, "/"), 200);
	ck_assert(fixture_has(&f, "href=\".well-known/\""));
}
END_TEST

/* Every byte that a name may hold, as a name's whole middle. */
START_TEST(names_of_any_byte_are_reachable)
{
	char made[] = "root/n?n.txt", asked[] = "/n?n.txt";
	char content[16], byte = (char)(_i + 1);

	if (byte == '/')
		return;
	made[6] = asked[2] = byte;
	snprintf(content, sizeof(content), "byte %d", byte);
	fixture_file(&f, made, content);
	ck_assert_int_eq(fixture_get(&f, asked), 200);
	ck_assert_content(&f, content);
	ck_assert_field(&f, "Content-Type", "text/plain; charset=utf-8");
}
END_TEST

START_TEST(a_folder_without_slash_is_redirected)
{
	f.request.query = S("sort=size");
	f.request.url = S("/mount/dir");
	f.request.path = S("/dir");
	ck_assert_int_eq(fixture_ask(&f), 301);
	ck_assert_field(&f, "Location", "/mount/dir/?sort=size");
	f.request.query = (struct str){ NULL, 0 };
	f.request.url = S("//evil.example/dir");
	ck_assert_int_eq(fixture_ask(&f), 301);
	ck_assert_field(&f, "Location", "/evil.example/dir/");
}
END_TEST

START_TEST(directories_only)
{
	f.request.directory_only = true;
	fixture_file(&f, "root/dir/index.html", "index");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	ck_assert_int_eq(fixture_get(&f, "/dir/index.html"), 404);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(fixture_has(&f, "b.txt"));
}
END_TEST

START_TEST(authenticated_answers_are_private)
{
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_field(&f, "Cache-Control", "no-cache");
	f.request.authenticated = true;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_field(&f, "Cache-Control", "private, no-cache");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_field(&f, "Cache-Control", "private, no-cache");
}
END_TEST

START_TEST(a_refusal_comes_before_all_else)
{
	f.request.refused = STATUS_NOT_FOUND;
	f.request.located = "direct call of the script";
	f.request.method = METHOD_OPTIONS;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	ck_assert_str_eq(f.response.reason, "direct call of the script");
	f.request.method = METHOD_GET;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
}
END_TEST

START_TEST(no_path_is_the_root)
{
	f.request.path = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_ask(&f), 200);
	ck_assert(fixture_has(&f, "href=\"a.txt\""));
}
END_TEST

START_TEST(paths_up_to_the_systems_limit)
{
	char path[2 * PATH_MAX];

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	for (size_t len = 250; len < sizeof(path); len += 250)
		path[len] = '/';
	for (size_t len = PATH_MAX - 20; len < PATH_MAX + 20; len++) {
		f.request.url = f.request.path = (struct str){ path, len };
		ck_assert_int_eq(fixture_ask(&f), 404);
	}
	f.request.url = f.request.path = (struct str){ path, sizeof(path) };
	ck_assert_int_eq(fixture_ask(&f), 404);
}
END_TEST

/* Of those by which threads are heard. */
static int
count_event_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 64; fd++) {
		char name[32], leads[64];
		ssize_t n;

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		n = readlink(name, leads, sizeof(leads));
		count += n > 0 && memmem(leads, (size_t)n, "[eventfd]", strlen("[eventfd]")) != NULL;
	}
	return count;
}

/* Nothing is left to a thread by a process of one request: none is prepared for. */
START_TEST(threads_that_are_prepared_for)
{
	int before = count_event_descriptors();

	f.options.alone = _i == 1;
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_int_eq(count_event_descriptors() - before, _i == 1 ? 0 : 3);
	ck_assert_int_eq(handler_descriptor(&f.handler) >= 0, _i == 0);
}
END_TEST

Suite *
handler_suite(void)
{
	Suite *suite = suite_create("handler/handler");

	suite_add_case(suite, methods_of_files_and_folders, ROWS(methods), setup, teardown);
	suite_add_case(suite, head_is_get_without_content, ROWS(targets_of_head), setup, teardown);
	suite_add_case(suite, what_is_not_to_be_had_is_404, ROWS(absent), setup, teardown);
	suite_add_case(suite, well_known_is_served, 1, setup, teardown);
	suite_add_case(suite, names_of_any_byte_are_reachable, 255, setup, teardown);
	suite_add_case(suite, a_folder_without_slash_is_redirected, 1, setup, teardown);
	suite_add_case(suite, directories_only, 1, setup, teardown);
	suite_add_case(suite, authenticated_answers_are_private, 1, setup, teardown);
	suite_add_case(suite, a_refusal_comes_before_all_else, 1, setup, teardown);
	suite_add_case(suite, no_path_is_the_root, 1, setup, teardown);
	suite_add_case(suite, threads_that_are_prepared_for, 2, setup, teardown);
	suite_add_case(suite, paths_up_to_the_systems_limit, 1, setup, teardown);
	return suite;
}
