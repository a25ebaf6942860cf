/* Which way a request goes: methods, paths, what lies there, roots, index files, refusals. */
#include "handler/handler.h"

#include "handler/fixture.h"
#include "suites.h"

#include <errno.h>
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
	fixture_make(&f);
	fixture_file(&f, "secret", "secret");
	fixture_file(&f, "root/a.txt", "hello");
	fixture_directory(&f, "root/dir");
	fixture_file(&f, "root/dir/b.txt", "inner");
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
	char content[16];

	made[6] = asked[2] = (char)_i;
	snprintf(content, sizeof(content), "byte %d", _i);
	if (_i == '/')
		return;
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

START_TEST(index_file_stands_for_its_folder)
{
	f.options.index[0] = S("index.html");
	f.options.index[1] = S("index.htm");
	f.options.index_count = 2;
	fixture_file(&f, "root/dir/index.htm", "second");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_content(&f, "second");
	fixture_file(&f, "root/dir/index.html", "first");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_content(&f, "first");
	ck_assert_field(&f, "Content-Type", "text/html; charset=utf-8");
	ck_assert_field(&f, "Last-Modified", WRITTEN_TEXT);
	ck_assert_no_field(&f, "Vary");
	/* Where the front mapped the folder without its final slash. */
	f.request.path = S("/dir");
	ck_assert_int_eq(fixture_ask(&f), 200);
	ck_assert_content(&f, "first");
}
END_TEST

/* What is no index: the listing is shown. */
static const struct {
	const char *index;
	const char *link; /* NULL: a directory of that name */
} no_index[] = {
	{ "index.html", NULL },
	{ "index.html", "../../secret" },
	{ "index.html", "nowhere" },
	{ "index.html", "/dev/null" },
	{ "index.html", "index.html" },
	{ ".index.html", "b.txt" },
	{ "other.html", NULL },
};

START_TEST(no_index_means_a_listing)
{
	char path[64];

	f.options.index[0] = str_from(no_index[_i].index);
	snprintf(path, sizeof(path), "root/dir/%s", no_index[_i].index);
	if (no_index[_i].link != NULL)
		fixture_link(&f, path, no_index[_i].link);
	else
		fixture_directory(&f, path);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert(fixture_has(&f, "b.txt"));
	ck_assert(!fixture_has(&f, "secret"));
	ck_assert_field(&f, "Vary", "Accept");
}
END_TEST

START_TEST(index_by_a_link_inside_counts)
{
	fixture_link(&f, "root/dir/index.html", "../a.txt");
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
	ck_assert_content(&f, "hello");
}
END_TEST

static void
unreadable(void)
{
	ck_assert_int_eq(fixture_get(&f, "/closed.txt"), 403);
	ck_assert(!fixture_has(&f, "closed"));
	ck_assert_int_eq(f.response.error, EACCES);
	ck_assert_int_eq(fixture_get(&f, "/closed/"), 403);
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 403);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
}

/* The owner of an index that may not be read did not mean a listing. */
START_TEST(unreadable_is_403)
{
	fixture_file(&f, "root/closed.txt", "closed");
	fixture_mode(&f, "root/closed.txt", 0);
	fixture_directory(&f, "root/closed");
	fixture_mode(&f, "root/closed", 0);
	fixture_file(&f, "root/dir/index.html", "index");
	fixture_mode(&f, "root/dir/index.html", 0);
	ck_assert_int_eq(without_privilege(unreadable), 0);
}
END_TEST

/* A folder that may be entered and not read: its listing is refused, its index is not, asked for the first time or again. */
static void
index_of_a_folder_that_is_not_read(void)
{
	fixture_settle(&f);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "index");
		ck_assert_int_eq(fixture_get(&f, "/dir/b.txt"), 200);
		ck_assert_int_eq(fixture_get(&f, "/bare/"), 403);
		ck_assert_int_eq(fixture_get(&f, "/bare"), 301);
		ck_assert_int_eq(fixture_get(&f, "/dir"), 301);
		ck_assert_int_eq(fixture_get(&f, "/closed"), 403);
	}
	f.request.directory_only = true;
	ck_assert_int_eq(fixture_get(&f, "/dir/"), 403);
}

START_TEST(a_folder_that_may_only_be_entered)
{
	f.options.cache_memory = (size_t)_i << 20;
	fixture_file(&f, "root/dir/index.html", "index");
	fixture_directory(&f, "root/bare");
	fixture_mode(&f, "root/dir", 0711);
	fixture_mode(&f, "root/bare", 0711);
	fixture_file(&f, "root/closed", "a file");
	fixture_mode(&f, "root/closed", 0);
	ck_assert_int_eq(without_privilege(index_of_a_folder_that_is_not_read), 0);
}
END_TEST

/* What becomes of a file that is remembered. Everything is done by one who is not root. */
enum fate { DELETED, A_FOLDER, CLOSED, IN_CLOSED_FOLDER, REPLACED, REWRITTEN, SHORTENED, A_LINK_OUT, A_LINK_IN, A_FIFO, RETURNS };

static const struct {
	enum fate fate;
	enum status status, index; /* of the file itself, and of the folder whose index it is */
	const char *content;
} fates[] = {
	{ DELETED, 404, 200, NULL },
	{ A_FOLDER, 301, 200, NULL },
	{ CLOSED, 403, 403, NULL },
	{ IN_CLOSED_FOLDER, 403, 403, NULL },
	{ REPLACED, 200, 200, "other" },
	{ REWRITTEN, 200, 200, "HELLO" },
	{ SHORTENED, 200, 200, "he" },
	{ A_LINK_OUT, 404, 200, NULL },
	{ A_LINK_IN, 200, 200, "linked" },
	{ A_FIFO, 404, 200, NULL },
	{ RETURNS, 200, 200, "hello" },
};

static enum fate fate;
static int fate_row;

static void
meet_fate(void)
{
	char path[PATH_MAX], other[PATH_MAX];

	fixture_path(&f, "root/open/sub/index.html", path);
	fixture_path(&f, "root/open/other", other);
	fixture_file(&f, "root/open/other", fate == REPLACED ? "other" : "linked");
	if (fate == REPLACED)
		ck_assert_int_eq(rename(other, path), 0);
	if (fate == CLOSED)
		fixture_mode(&f, "root/open/sub/index.html", 0);
	if (fate == IN_CLOSED_FOLDER)
		fixture_mode(&f, "root/open/sub", 0);
	if (fate == REWRITTEN)
		fixture_file(&f, "root/open/sub/index.html", "HELLO");
	if (fate == SHORTENED)
		ck_assert_int_eq(truncate(path, 2), 0);
	if (fate == DELETED || fate == A_FOLDER || fate == A_LINK_OUT || fate == A_LINK_IN || fate == A_FIFO)
		ck_assert_int_eq(unlink(path), 0);
	if (fate == A_FOLDER)
		fixture_directory(&f, "root/open/sub/index.html");
	if (fate == A_LINK_OUT)
		fixture_link(&f, "root/open/sub/index.html", "../../../secret");
	if (fate == A_LINK_IN)
		fixture_link(&f, "root/open/sub/index.html", "../other");
	if (fate == A_FIFO)
		ck_assert_int_eq(mkfifo(path, 0644), 0);
	if (fate == RETURNS) {
		fixture_path(&f, "root/open/away", other);
		ck_assert_int_eq(rename(path, other), 0);
		ck_assert_int_eq(fixture_get(&f, "/open/sub/index.html"), 404);
		ck_assert_int_eq(rename(other, path), 0);
	}
}

static void
remember_and_ask(void)
{
	bool listed = fates[fate_row].index == 200 && fates[fate_row].content == NULL;

	fixture_directory(&f, "root/open/sub");
	fixture_file(&f, "root/open/sub/index.html", "hello");
	fixture_settle(&f);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/open/sub/index.html"), 200);
		ck_assert_content(&f, "hello");
		ck_assert_int_eq(fixture_get(&f, "/open/sub/"), 200);
		ck_assert_content(&f, "hello");
	}
	fixture_tick();
	meet_fate();
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fixture_get(&f, "/open/sub/index.html"), fates[fate_row].status);
		if (fates[fate_row].content != NULL)
			ck_assert_content(&f, fates[fate_row].content);
		ck_assert_int_eq(fixture_get(&f, "/open/sub/"), fates[fate_row].index);
		if (listed)
			ck_assert(fixture_has(&f, "Index of /open/sub/"));
		else if (fates[fate_row].content != NULL)
			ck_assert_content(&f, fates[fate_row].content);
	}
}

START_TEST(what_becomes_of_a_remembered_file)
{
	f.options.cache_memory = (size_t)1 << 20;
	fate_row = _i;
	fate = fates[_i].fate;
	fixture_directory(&f, "root/open");
	fixture_mode(&f, "root/open", 0777);
	ck_assert_int_eq(without_privilege(remember_and_ask), 0);
}
END_TEST

/* The first index file of the list counts, whichever is remembered. */
START_TEST(an_index_file_that_comes_and_goes)
{
	char path[PATH_MAX];

	f.options.cache_memory = (size_t)1 << 20;
	f.options.index[0] = S("index.html");
	f.options.index[1] = S("index.htm");
	f.options.index_count = 2;
	fixture_path(&f, "root/dir/index.html", path);
	fixture_file(&f, "root/dir/index.htm", "second");
	for (int i = 0; i < 3; i++) {
		fixture_settle(&f);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "second");
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "second");
		fixture_tick();
		fixture_file(&f, "root/dir/index.html", "first");
		fixture_settle(&f);
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "first");
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert_content(&f, "first");
		ck_assert_int_eq(fixture_get(&f, "/dir"), 301);
		ck_assert_int_eq(fixture_get(&f, "/dir/index.html/"), 404);
		f.request.directory_only = true;
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		ck_assert(fixture_has(&f, "href=\"b.txt\""));
		ck_assert_int_eq(fixture_get(&f, "/dir/index.html"), 404);
		f.request.directory_only = false;
		fixture_tick();
		ck_assert_int_eq(unlink(path), 0);
	}
}
END_TEST

static const struct {
	enum symlink_policy policy;
	enum status inside, absolute, outside, folder;
} links[] = {
	{ SYMLINKS_WITHIN_ROOT, 200, 200, 404, 200 },
	{ SYMLINKS_FOLLOW, 200, 200, 200, 200 },
	{ SYMLINKS_REFUSE, 404, 404, 404, 404 },
};

START_TEST(links_by_policy)
{
	char path[PATH_MAX];

	f.options.symlinks = links[_i].policy;
	f.options.cache_memory = (size_t)1 << 20;
	fixture_link(&f, "root/inside", "dir/b.txt");
	fixture_path(&f, "root/a.txt", path);
	fixture_link(&f, "root/absolute", path);
	fixture_link(&f, "root/outside", "../secret");
	fixture_link(&f, "root/folder", "dir");
	for (int again = 0; again < 2; again++) {
		ck_assert_int_eq(fixture_get(&f, "/inside"), links[_i].inside);
		ck_assert_int_eq(fixture_get(&f, "/absolute"), links[_i].absolute);
		ck_assert_int_eq(fixture_get(&f, "/outside"), links[_i].outside);
		ck_assert_int_eq(fixture_get(&f, "/folder/b.txt"), links[_i].folder);
		ck_assert_int_eq(fixture_get(&f, "/folder/"), links[_i].folder);
	}
}
END_TEST

START_TEST(a_request_may_bring_its_root)
{
	char other[PATH_MAX];

	fixture_directory(&f, "other");
	fixture_file(&f, "other/a.txt", "other");
	fixture_path(&f, "other", other);
	f.request.root = str_from(other);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "other");
	ck_assert_int_eq(fixture_get(&f, "/dir/b.txt"), 404);
	f.request.root = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "hello");
}
END_TEST

START_TEST(without_a_root_the_request_must_bring_one)
{
	char root[PATH_MAX];

	fixture_path(&f, "root", root);
	f.options.root = (struct str){ NULL, 0 };
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	f.request.root = str_from(root);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	f.request.root = S("/nowhere at all");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	f.request.root = (struct str){ "/\0x", 3 };
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
	f.request.root = str_from("relative");
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 404);
}
END_TEST

/* A root that the front named is opened and closed each time: nothing may be left over. */
START_TEST(descriptors_do_not_leak)
{
	int before, after;

	fixture_bytes(&f, "root/large.bin", 100000);
	fixture_get(&f, "/a.txt");
	before = dup(0);
	close(before);
	f.request.root = f.options.root;
	for (int i = 0; i < 20; i++) {
		fixture_get(&f, "/large.bin");
		fixture_get(&f, "/dir/");
		fixture_get(&f, "/dir");
		fixture_get(&f, "/nothing");
		fixture_get(&f, "/a.txt/");
	}
	handler_finish(&f.handler, &f.response);
	after = dup(0);
	close(after);
	ck_assert_int_eq(after, before);
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

START_TEST(a_root_that_is_no_directory)
{
	struct handler handler;
	char path[PATH_MAX];

	fixture_path(&f, "root/a.txt", path);
	f.options.root = str_from(path);
	ck_assert_int_eq(handler_init(&handler, &f.options), -ENOTDIR);
	handler_release(&handler);
	f.options.root = S("/nowhere at all");
	ck_assert_int_eq(handler_init(&handler, &f.options), -ENOENT);
	handler_release(&handler);
}
END_TEST

/* RFC 9110 8.8.3: no inode, no device in it, so that mirrors agree. */
START_TEST(a_copy_of_the_tree_has_the_same_tags)
{
	static const char *const targets[] = { "/a.txt", "/dir/" };
	char own[64], copied[64], copy[PATH_MAX];

	fixture_directory(&f, "copy");
	fixture_file(&f, "copy/filler", "takes another inode");
	fixture_file(&f, "copy/a.txt", "hello");
	fixture_directory(&f, "copy/dir");
	fixture_file(&f, "copy/dir/b.txt", "inner");
	fixture_path(&f, "copy", copy);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		f.request.root = (struct str){ NULL, 0 };
		ck_assert_int_eq(fixture_get(&f, targets[i]), 200);
		fixture_etag(&f, own);
		f.request.root = str_from(copy);
		ck_assert_int_eq(fixture_get(&f, targets[i]), 200);
		fixture_etag(&f, copied);
		ck_assert_str_eq(own, copied);
	}
}
END_TEST

Suite *
handler_suite(void)
{
	Suite *suite = suite_create("handler/handler");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 60);
	tcase_add_loop_test(all, methods_of_files_and_folders, 0, ROWS(methods));
	tcase_add_loop_test(all, head_is_get_without_content, 0, ROWS(targets_of_head));
	tcase_add_loop_test(all, what_is_not_to_be_had_is_404, 0, ROWS(absent));
	tcase_add_test(all, well_known_is_served);
	tcase_add_loop_test(all, names_of_any_byte_are_reachable, 1, 256);
	tcase_add_test(all, a_folder_without_slash_is_redirected);
	tcase_add_test(all, index_file_stands_for_its_folder);
	tcase_add_loop_test(all, no_index_means_a_listing, 0, ROWS(no_index));
	tcase_add_test(all, index_by_a_link_inside_counts);
	tcase_add_test(all, unreadable_is_403);
	tcase_add_loop_test(all, a_folder_that_may_only_be_entered, 0, 2);
	tcase_add_loop_test(all, what_becomes_of_a_remembered_file, 0, ROWS(fates));
	tcase_add_test(all, an_index_file_that_comes_and_goes);
	tcase_add_loop_test(all, links_by_policy, 0, ROWS(links));
	tcase_add_test(all, a_request_may_bring_its_root);
	tcase_add_test(all, without_a_root_the_request_must_bring_one);
	tcase_add_test(all, descriptors_do_not_leak);
	tcase_add_test(all, directories_only);
	tcase_add_test(all, authenticated_answers_are_private);
	tcase_add_test(all, a_refusal_comes_before_all_else);
	tcase_add_test(all, no_path_is_the_root);
	tcase_add_test(all, paths_up_to_the_systems_limit);
	tcase_add_test(all, a_root_that_is_no_directory);
	tcase_add_test(all, a_copy_of_the_tree_has_the_same_tags);
	suite_add_tcase(suite, all);
	return suite;
}
