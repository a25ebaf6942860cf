/* Listings that are remembered: every change that a folder can have shows in the next answer all the same. */
#include "handler/pages.h"

#include "handler/trees.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

Suite *pages_changes_suite(void);

static struct fixture f;

static void
setup(void)
{
	trees_make_paged(&f);
}

static void
teardown(void)
{
	fixture_remove(&f);
}

/* Every change that a folder can have. What is told of it is what JSON says of all rows afterwards. */
static void
change_path(const char *name, char out[PATH_MAX])
{
	char below[128];

	snprintf(below, sizeof(below), "root/dir/%s", name);
	fixture_path(&f, below, out);
}

static void
create(void)
{
	fixture_file(&f, "root/dir/new", "12");
}

static void
erase(void)
{
	char path[PATH_MAX];

	change_path("f03", path);
	ck_assert_int_eq(unlink(path), 0);
}

static void
rename_within(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	change_path("f05", from);
	change_path("g05", to);
	ck_assert_int_eq(rename(from, to), 0);
}

static void
rename_over(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	fixture_file(&f, "root/other", "replaced");
	fixture_path(&f, "root/other", from);
	change_path("f04", to);
	ck_assert_int_eq(rename(from, to), 0);
}

static void
move_out(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	change_path("f06", from);
	fixture_path(&f, "root/f06", to);
	ck_assert_int_eq(rename(from, to), 0);
}

static void
append(void)
{
	char path[PATH_MAX];
	int fd;

	change_path("f07", path);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ck_assert_int_eq(write(fd, "yyy", 3), 3);
	close(fd);
	fixture_time(&f, "root/dir/f07", WRITTEN, 0);
}

static void
shorten(void)
{
	char path[PATH_MAX];

	change_path("f08", path);
	ck_assert_int_eq(truncate(path, 0), 0);
	fixture_time(&f, "root/dir/f08", WRITTEN, 0);
}

static void
touch(void)
{
	fixture_time(&f, "root/dir/f09", WRITTEN + 60, 0);
}

static void
become_folder(void)
{
	char path[PATH_MAX];

	change_path("f10", path);
	ck_assert_int_eq(unlink(path), 0);
	fixture_directory(&f, "root/dir/f10");
	fixture_time(&f, "root/dir/f10", WRITTEN, 0);
}

static void
touch_folder(void)
{
	fixture_file(&f, "root/dir/sub/inner", "");
	fixture_time(&f, "root/dir/sub", WRITTEN + 120, 0);
}

/* Neither the folder nor what is in it is touched: what the link leads to is. */
static void
change_target(void)
{
	fixture_file(&f, "root/target", "twelve bytes");
}

static void
swap_link(void)
{
	char path[PATH_MAX];

	change_path("link", path);
	ck_assert_int_eq(unlink(path), 0);
	fixture_link(&f, "root/dir/link", "sub");
}

static void
break_link(void)
{
	char path[PATH_MAX];

	fixture_path(&f, "root/target", path);
	ck_assert_int_eq(unlink(path), 0);
}

/* By its other name, in another folder. */
static void
write_twin(void)
{
	fixture_file(&f, "root/twin", "four");
}

static void
replace_folder(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	fixture_path(&f, "root/dir", from);
	fixture_path(&f, "root/old", to);
	ck_assert_int_eq(rename(from, to), 0);
	fixture_directory(&f, "root/dir");
	fixture_file(&f, "root/dir/only", "1");
}

#define FILE_ROW(name, size, time) \
	"{\"name\":\"" name "\",\"type\":\"file\",\"size\":" size ",\"mtime\":\"2023-11-14T22:" time "Z\""
#define FOLDER_ROW(name, time) "{\"name\":\"" name "\",\"type\":\"directory\",\"mtime\":\"2023-11-14T22:" time "Z\""

static const struct {
	void (*make)(void);
	const char *there, *gone; /* NULL: no matter */
} changes[] = {
	{ create, FILE_ROW("new", "2", "13:20"), NULL },
	{ erase, NULL, "\"f03\"" },
	{ rename_within, FILE_ROW("g05", "1", "13:20"), "\"f05\"" },
	{ rename_over, FILE_ROW("f04", "8", "13:20"), FILE_ROW("f04", "1", "13:20") },
	{ move_out, NULL, "\"f06\"" },
	{ append, FILE_ROW("f07", "4", "13:20"), FILE_ROW("f07", "1", "13:20") },
	{ shorten, FILE_ROW("f08", "0", "13:20"), FILE_ROW("f08", "1", "13:20") },
	{ touch, FILE_ROW("f09", "1", "14:20"), FILE_ROW("f09", "1", "13:20") },
	{ become_folder, FOLDER_ROW("f10", "13:20"), FILE_ROW("f10", "1", "13:20") },
	{ touch_folder, FOLDER_ROW("sub", "15:20"), FOLDER_ROW("sub", "13:20") },
	{ change_target, "{\"name\":\"link\",\"type\":\"file\",\"link\":true,\"size\":12,", NULL },
	{ swap_link, "{\"name\":\"link\",\"type\":\"directory\",\"link\":true,", NULL },
	{ break_link, "{\"name\":\"link\",\"type\":\"broken\",\"link\":true}", NULL },
	{ write_twin, FILE_ROW("twin", "4", "13:20"), FILE_ROW("twin", "1", "13:20") },
	{ replace_folder, FILE_ROW("only", "1", "13:20"), "\"f00\"" },
};

static void
make_changeable(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	trees_add_files(&f, "dir", 20);
	fixture_directory(&f, "root/dir/sub");
	fixture_time(&f, "root/dir/sub", WRITTEN, 0);
	fixture_file(&f, "root/target", "x");
	fixture_link(&f, "root/dir/link", "../target");
	fixture_file(&f, "root/twin", "x");
	fixture_path(&f, "root/twin", from);
	fixture_path(&f, "root/dir/twin", to);
	ck_assert_int_eq(link(from, to), 0);
}

/* Asks for each view with the tag of its last answer: 304 as long as nothing changed. */
static const struct {
	const char *query, *accept;
} views[] = {
	{ "format=json", NULL }, { NULL, NULL }, { "page=1", BROWSER }, { "page=2", BROWSER }, { "sort=size&page=1", BROWSER },
	{ "sort=time&order=desc", NULL },
};

enum { VIEWS = sizeof(views) / sizeof(views[0]) };

static char tags[VIEWS][64];

static enum status
ask_view(size_t i, bool with_tag)
{
	f.request.query = str_from(views[i].query);
	f.request.accept = str_from(views[i].accept);
	f.request.if_none_match = with_tag ? str_from(tags[i]) : (struct str){ NULL, 0 };
	return fixture_get(&f, "/dir/");
}

static void
check_change(int change)
{
	for (size_t i = 0; i < VIEWS; i++) {
		ck_assert_int_eq(ask_view(i, false), 200);
		fixture_etag(&f, tags[i]);
	}
	for (size_t i = 0; i < 2 * VIEWS; i++)
		ck_assert_int_eq(ask_view(i % VIEWS, true), 304);
	changes[change].make();
	/* Everything that shows all rows is another page now. */
	ck_assert_int_eq(ask_view(0, true), 200);
	if (changes[change].there != NULL)
		ck_assert_msg(fixture_has(&f, changes[change].there), "%.*s", STR_ARGS(buf_view(&f.content)));
	if (changes[change].gone != NULL)
		ck_assert(!fixture_has(&f, changes[change].gone));
	ck_assert_int_eq(ask_view(1, true), 200);
	for (size_t i = 0; i < VIEWS; i++) {
		ck_assert_int_eq(ask_view(i, false), 200);
		fixture_etag(&f, tags[i]);
		ck_assert_int_eq(ask_view(i, true), 304);
	}
}

/* Told by inotify. */
START_TEST(a_change_shows_in_the_next_answer)
{
	make_changeable();
	check_change(_i);
}
END_TEST

/* Not told: read each time when that is asked for. */
START_TEST(a_change_shows_without_watches)
{
	f.options.watches = 0;
	make_changeable();
	check_change(_i);
}
END_TEST

/* One watch for two folders: who has it gives it up. */
START_TEST(a_change_shows_when_watches_are_scarce)
{
	f.options.watches = 1;
	fixture_directory(&f, "root/elsewhere");
	make_changeable();
	for (size_t i = 0; i < VIEWS; i++) {
		ck_assert_int_eq(ask_view(i, false), 200);
		ck_assert_int_eq(fixture_get(&f, "/elsewhere/"), 200);
	}
	check_change(_i);
}
END_TEST

/* All of them, one after the other, in one life of the handler; and what is asked for is what a new one says. */
START_TEST(many_changes_one_after_the_other)
{
	make_changeable();
	for (int i = 0; i < ROWS(changes); i++) {
		struct handler fresh;
		struct response response;

		changes[i].make();
		for (size_t view = 0; view < VIEWS; view++) {
			ck_assert_int_eq(ask_view(view, false), 200);
			ck_assert_int_eq(handler_init(&fresh, &f.options), 0);
			response_init(&response);
			handler_respond(&fresh, &f.request, &response);
			ck_assert_int_eq(response.status, 200);
			ck_assert_uint_eq(response.segment_count, 1);
			ck_assert(str_eq(buf_view(&f.content),
			    (struct str){ response.segments[0].bytes, (size_t)response.segments[0].length }));
			ck_assert(str_eq(buf_view(&f.response.fields), buf_view(&response.fields)));
			handler_finish(&fresh, &response);
			response_release(&response);
			handler_release(&fresh);
		}
		if (changes[i].make == change_target || changes[i].make == swap_link)
			break_link();
		if (changes[i].make == break_link || changes[i].make == change_target || changes[i].make == swap_link)
			fixture_file(&f, "root/target", "x");
	}
}
END_TEST

/* Without a watch a listing counts for as long as it is told to, and not longer. */
START_TEST(what_cannot_be_watched_counts_for_a_while)
{
	f.options.watches = 0;
	f.options.snapshot_age = 2 * SECOND;
	make_changeable();
	ck_assert_int_eq(ask_view(0, false), 200);
	fixture_file(&f, "root/dir/new", "12");
	f.request.received += 2 * SECOND;
	ck_assert_int_eq(ask_view(0, false), 200);
	ck_assert(fixture_has(&f, "\"name\":\"new\""));
	/* A clock that was set back tells nothing. */
	fixture_file(&f, "root/dir/newer", "12");
	f.request.received -= 3600 * SECOND;
	ck_assert_int_eq(ask_view(0, false), 200);
	ck_assert(fixture_has(&f, "\"name\":\"newer\""));
}
END_TEST

Suite *
pages_changes_suite(void)
{
	Suite *suite = suite_create("handler/pages_changes");

	suite_add_case(suite, a_change_shows_in_the_next_answer, ROWS(changes), setup, teardown);
	suite_add_case(suite, a_change_shows_without_watches, ROWS(changes), setup, teardown);
	suite_add_case(suite, a_change_shows_when_watches_are_scarce, ROWS(changes), setup, teardown);
	suite_add_case(suite, many_changes_one_after_the_other, 1, setup, teardown);
	suite_add_case(suite, what_cannot_be_watched_counts_for_a_while, 1, setup, teardown);
	return suite;
}
