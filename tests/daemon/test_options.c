/* The command line over the file over the defaults. */
#include "daemon/options.h"

#include "daemon/scratch.h"
#include "daemon/shown.h"
#include "suites.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *options_suite(void);

#define ARGUMENTS 8

static struct scratch scratch;
static struct settings settings;

/* In the scratch directory, where "test.conf" sets a few things and "www" is a directory. */
static void
setup(void)
{
	scratch_make(&scratch);
	ck_assert_int_eq(chdir(scratch.path), 0);
	ck_assert_int_eq(mkdir("www", 0755), 0);
	scratch_file(&scratch, "test.conf", "workers = 3\nindex = {\"a.html\"}\nroot = \"/srv\"\n", 0600);
	scratch_file(&scratch, "bad.conf", "workers = 0\n", 0600);
}

static void
teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	scratch_remove(&scratch);
}

static bool
read_options(const char *const arguments[ARGUMENTS], int *first)
{
	char words[ARGUMENTS][256], *argv[ARGUMENTS + 2] = { words[0] };
	int argc = 1;
	char name[] = "serve";

	argv[0] = name;
	for (int i = 0; i < ARGUMENTS && arguments[i] != NULL; i++) {
		snprintf(words[i], sizeof(words[i]), "%s", arguments[i]);
		argv[argc++] = words[i];
	}
	argv[argc] = NULL;
	return options_read(&settings, argc, argv, first);
}

static const struct {
	const char *arguments[ARGUMENTS];
	int first;
	const char *name, *shown;
} good[] = {
	{ { NULL }, 1, "workers", "auto" },
	{ { "--workers", "5" }, 3, "workers", "5" },
	{ { "--workers=5" }, 2, "workers", "5" },
	{ { "--workers=5", "--workers=6" }, 3, "workers", "6" },
	{ { "--config", "test.conf" }, 3, "workers", "3" },
	/* Whatever the order: the command line counts before the file. */
	{ { "--config", "test.conf", "--workers", "5" }, 5, "workers", "5" },
	{ { "--workers", "5", "--config", "test.conf" }, 5, "workers", "5" },
	{ { "--config", "test.conf", "--workers", "5" }, 5, "root", "\"/srv\"" },
	{ { "--index", "a.htm,b.htm" }, 3, "index", "{\"a.htm\", \"b.htm\"}" },
	{ { "--index", "b.html", "--config", "test.conf" }, 5, "index", "{\"b.html\"}" },
	{ { "--config", "test.conf" }, 3, "index", "{\"a.html\"}" },
	{ { "--index", "" }, 3, "index", "{}" },
	{ { "--root", "/srv/" }, 3, "root", "\"/srv\"" },
	{ { "--root", "" }, 3, "root", "\"\"" },
	{ { "--verbose" }, 2, "verbose", "yes" },
	{ { "-v" }, 2, "verbose", "yes" },
	{ { "-v", "--workers", "2" }, 4, "verbose", "yes" },
	{ { "--listen", "unix:/run/s" }, 3, "listen", "\"unix:/run/s\"" },
	{ { "--listen-mode", "0600" }, 3, "listen-mode", "0600" },
	{ { "--hand-off", "x-sendfile", "--hand-off-above", "1M" }, 5, "hand-off-above", "1M" },
	{ { "--symlinks", "refuse" }, 3, "symlinks", "refuse" },
	{ { "--log", "/var/log/s" }, 3, "log", "\"/var/log/s\"" },
	{ { "--url-prefix", "/files" }, 3, "url-prefix", "\"/files\"" },
	{ { "--page-size", "50" }, 3, "page-size", "50" },
	{ { "--codings", "gzip" }, 3, "codings", "{\"gzip\"}" },
	{ { "--codings=gzip,br" }, 2, "codings", "{\"br\", \"gzip\"}" },
	{ { "--codings", "" }, 3, "codings", "{}" },
	{ { "--cache-dir", "off" }, 3, "cache-dir", "\"off\"" },
	{ { "--cache-dir", "/srv/cache" }, 3, "cache-dir", "\"/srv/cache\"" },
	{ { "--cache-hand-off", "x-sendfile" }, 3, "cache-hand-off", "\"x-sendfile\"" },
	{ { "--cache-memory", "1024K", "--cache-disk", "2G" }, 5, "cache-memory", "1M" },
	{ { "--cache-memory", "1024K", "--cache-disk", "2G" }, 5, "cache-disk", "2G" },
	{ { "--watches", "0", "--snapshot-age", "0" }, 5, "watches", "0" },
	{ { "--watches", "0", "--snapshot-age", "10" }, 5, "snapshot-age", "10" },
	/* The first word that is no option ends them. */
	{ { "word", "--workers", "5" }, 1, "workers", "auto" },
	{ { "--", "--workers", "5" }, 2, "workers", "auto" },
};

START_TEST(what_is_taken)
{
	int first = 0;

	ck_assert_msg(read_options(good[_i].arguments, &first), "%s", scratch_log(&scratch));
	ck_assert_int_eq(first, good[_i].first);
	check_shown(&settings, good[_i].name, good[_i].shown);
	ck_assert_str_eq(scratch_log(&scratch), "");
}
END_TEST

static const struct {
	const char *arguments[ARGUMENTS];
	const char *said[2];
} bad[] = {
	{ { "--nothing" }, { "--nothing is not an option" } },
	{ { "-x" }, { "-x is not an option" } },
	{ { "--workers" }, { "--workers wants a value" } },
	{ { "--config" }, { "--config wants a value" } },
	{ { "--workers", "0" }, { "--workers: \"0\" is not allowed: auto, or 1 to 1024" } },
	{ { "--workers", "0", "--symlinks=no" }, { "--workers: \"0\"", "--symlinks: \"no\"" } },
	{ { "--index", "a,b/c" }, { "--index: \"a,b/c\" is not allowed: up to 16 file names" } },
	{ { "--root", "nowhere" }, { "--root: \"nowhere\"" } },
	{ { "--codings", "gzip,deflate" }, { "--codings: \"gzip,deflate\" is not allowed: br, zstd, gzip, or nothing" } },
	{ { "--cache-dir", "cache" }, { "--cache-dir: \"cache\" is not allowed: auto, off, or an absolute path" } },
	{ { "--cache-hand-off", "x-accel-redirect:/p/" }, { "--cache-hand-off: \"x-accel-redirect:/p/\" is not allowed" } },
	{ { "--page-size", "many", "--snapshot-age=-1" }, { "--page-size: \"many\"", "--snapshot-age: \"-1\"" } },
	{ { "--config", "nowhere.conf" }, { "cannot read the configuration file nowhere.conf" } },
	{ { "--config", "bad.conf", "--symlinks", "no" }, { "bad.conf:1: workers: \"0\"", "--symlinks: \"no\"" } },
};

START_TEST(what_is_said_of_mistakes)
{
	int first;

	ck_assert(!read_options(bad[_i].arguments, &first));
	for (size_t i = 0; i < 2 && bad[_i].said[i] != NULL; i++)
		scratch_log_has(&scratch, bad[_i].said[i]);
}
END_TEST

START_TEST(a_relative_root_is_below_the_current_directory)
{
	const char *const arguments[ARGUMENTS] = { "--root", "www/../www/" };
	char want[PATH_MAX];
	int first;

	ck_assert(read_options(arguments, &first));
	scratch_name(&scratch, "www", want);
	ck_assert_str_eq(settings.root, want);
}
END_TEST

START_TEST(twice_is_as_once)
{
	const char *const arguments[ARGUMENTS] = { "--workers", "5", "--index", "x" };
	int first;

	for (int i = 0; i < 2; i++) {
		ck_assert(read_options(arguments, &first));
		ck_assert_int_eq(settings.workers, 5);
		check_shown(&settings, "index", "{\"x\"}");
	}
}
END_TEST

START_TEST(help_names_every_option)
{
	struct buf out;

	buf_init(&out, 65536);
	options_help(&out);
	ck_assert_ptr_nonnull(strstr(buf_cstr(&out), "--config FILE"));
	for (const struct setting *setting = settings_table; setting->name != NULL; setting++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", setting->name);
		ck_assert_ptr_nonnull(strstr(buf_cstr(&out), name));
		ck_assert_ptr_nonnull(strstr(buf_cstr(&out), setting->meaning));
	}
	buf_release(&out);
}
END_TEST

Suite *
options_suite(void)
{
	Suite *suite = suite_create("daemon/options");

	suite_add_case(suite, what_is_taken, ROWS(good), setup, teardown);
	suite_add_case(suite, what_is_said_of_mistakes, ROWS(bad), setup, teardown);
	suite_add_case(suite, a_relative_root_is_below_the_current_directory, 1, setup, teardown);
	suite_add_case(suite, twice_is_as_once, 1, setup, teardown);
	suite_add_case(suite, help_names_every_option, 1, setup, teardown);
	return suite;
}
