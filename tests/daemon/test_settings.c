/* The table of settings: defaults, what each takes, what each refuses, how it is shown. */
#include "daemon/settings.h"

#include "daemon/shown.h"
#include "suites.h"

#include <stdio.h>
#include <unistd.h>

Suite *settings_suite(void);

static struct settings settings;

static void
setup(void)
{
	settings_init(&settings);
}

/* The defaults, written out. */
static const struct {
	const char *name, *shown;
} defaults[] = {
	{ "root", "\"\"" },
	{ "url-prefix", "\"\"" },
	{ "index", "{\"index.html\"}" },
	{ "hand-off", "\"off\"" },
	{ "hand-off-above", "64K" },
	{ "workers", "auto" },
	{ "listen", "\"\"" },
	{ "listen-mode", "0660" },
	{ "symlinks", "follow-within-root" },
	{ "page-size", "200" },
	{ "codings", "{\"br\", \"zstd\", \"gzip\"}" },
	{ "cache-dir", "\"auto\"" },
	{ "cache-hand-off", "\"off\"" },
	{ "cache-memory", "64M" },
	{ "cache-disk", "1G" },
	{ "watches", "1024" },
	{ "snapshot-age", "2" },
	{ "log", "\"stderr\"" },
	{ "verbose", "no" },
};

START_TEST(default_of_each)
{
	const struct setting *setting = setting_find(defaults[_i].name);

	ck_assert_ptr_nonnull(setting);
	check_shown(&settings, defaults[_i].name, defaults[_i].shown);
	/* Taken over again it is the same. */
	ck_assert(setting_take_all(&settings, setting, str_from(setting->standard)));
	check_shown(&settings, defaults[_i].name, defaults[_i].shown);
}
END_TEST

START_TEST(the_table_is_whole)
{
	int count = 0;

	for (const struct setting *setting = settings_table; setting->name != NULL; setting++, count++) {
		ck_assert_str_eq(setting->name, defaults[count].name);
		ck_assert(strlen(setting->allowed) > 0 && strlen(setting->meaning) > 0);
	}
	ck_assert_int_eq(count, ROWS(defaults));
	ck_assert_ptr_null(setting_find("nothing"));
	ck_assert_ptr_null(setting_find(""));
}
END_TEST

static const struct {
	const char *name, *value;
	const char *shown; /* NULL: refused */
} values[] = {
	{ "root", "/srv/www", "\"/srv/www\"" },
	{ "root", "/srv/www/", "\"/srv/www\"" },
	{ "root", "/", "\"/\"" },
	{ "root", "///", "\"/\"" },
	{ "root", "/a \"b\"\\c${d}", "\"/a \\\"b\\\"\\\\c\\${d}\"" },
	{ "root", "relative", NULL },
	{ "root", "./a", NULL },
	{ "url-prefix", "/files", "\"/files\"" },
	{ "url-prefix", "/files/", "\"/files/\"" },
	{ "url-prefix", "files", NULL },
	{ "index", "a b.htm", "{\"index.html\", \"a b.htm\"}" },
	{ "index", "a/b", NULL },
	{ "index", ".hidden", NULL },
	{ "index", "..", NULL },
	{ "hand-off", "x-sendfile", "\"x-sendfile\"" },
	{ "hand-off", "x-accel-redirect:/p/", "\"x-accel-redirect:/p/\"" },
	{ "hand-off", "x-accel-redirect", NULL },
	{ "hand-off", "on", NULL },
	{ "hand-off", "", NULL },
	{ "hand-off-above", "0", "0" },
	{ "hand-off-above", "1000", "1000" },
	{ "hand-off-above", "1024", "1K" },
	{ "hand-off-above", "100K", "100K" },
	{ "hand-off-above", "1536K", "1536K" },
	{ "hand-off-above", "1024K", "1M" },
	{ "hand-off-above", "2G", "2G" },
	{ "hand-off-above", "8589934591G", "8589934591G" },
	{ "hand-off-above", "8589934592G", NULL },
	{ "hand-off-above", "2048M", "2G" },
	{ "hand-off-above", "1536M", "1536M" },
	{ "hand-off-above", "1T", NULL },
	{ "hand-off-above", "", NULL },
	{ "hand-off-above", "K", NULL },
	{ "hand-off-above", "-1", NULL },
	{ "hand-off-above", "1k", NULL },
	{ "hand-off-above", "1KK", NULL },
	{ "hand-off-above", "1.5M", NULL },
	{ "hand-off-above", "64 K", NULL },
	{ "workers", "1", "1" },
	{ "workers", "1024", "1024" },
	{ "workers", "auto", "auto" },
	{ "workers", "0", NULL },
	{ "workers", "1025", NULL },
	{ "workers", "-1", NULL },
	{ "workers", "many", NULL },
	{ "workers", "", NULL },
	{ "listen", "unix:/run/staticgi.sock", "\"unix:/run/staticgi.sock\"" },
	{ "listen", "127.0.0.1:9000", "\"127.0.0.1:9000\"" },
	{ "listen", "[::1]:9000", "\"[::1]:9000\"" },
	{ "listen", "localhost:65535", "\"localhost:65535\"" },
	{ "listen", "unix:relative", NULL },
	{ "listen", "unix:", NULL },
	{ "listen", "9000", NULL },
	{ "listen", ":9000", NULL },
	{ "listen", "localhost", NULL },
	{ "listen", "localhost:", NULL },
	{ "listen", "localhost:0", NULL },
	{ "listen", "localhost:65536", NULL },
	{ "listen", "localhost:http", NULL },
	{ "listen-mode", "0666", "0666" },
	{ "listen-mode", "600", "0600" },
	{ "listen-mode", "0000", "0000" },
	{ "listen-mode", "1777", NULL },
	{ "listen-mode", "0888", NULL },
	{ "listen-mode", "66", NULL },
	{ "listen-mode", "00666", NULL },
	{ "listen-mode", "rw-", NULL },
	{ "symlinks", "follow", "follow" },
	{ "symlinks", "refuse", "refuse" },
	{ "symlinks", "follow-within-root", "follow-within-root" },
	{ "symlinks", "yes", NULL },
	{ "symlinks", "", NULL },
	{ "page-size", "0", "0" },
	{ "page-size", "1", "1" },
	{ "page-size", "1000000", "1000000" },
	{ "page-size", "1000001", NULL },
	{ "page-size", "-1", NULL },
	{ "page-size", "1K", NULL },
	{ "page-size", "all", NULL },
	{ "page-size", "", NULL },
	/* Added to the default: a coding that is on stays on. */
	{ "codings", "gzip", "{\"br\", \"zstd\", \"gzip\"}" },
	{ "codings", "", "{}" },
	{ "codings", "deflate", NULL },
	{ "codings", "identity", NULL },
	{ "codings", "GZIP", NULL },
	{ "codings", "br,gzip", NULL },
	{ "cache-dir", "off", "\"off\"" },
	{ "cache-dir", "/var/cache/a b", "\"/var/cache/a b\"" },
	{ "cache-dir", "auto", "\"auto\"" },
	{ "cache-dir", "relative", NULL },
	{ "cache-dir", "", NULL },
	{ "cache-dir", "AUTO", NULL },
	{ "cache-hand-off", "x-sendfile", "\"x-sendfile\"" },
	{ "cache-hand-off", "off", "\"off\"" },
	/* nginx and LiteSpeed drop what the answer says of its coding. */
	{ "cache-hand-off", "x-accel-redirect:/p/", NULL },
	{ "cache-hand-off", "local-redirect:/p/", NULL },
	{ "cache-hand-off", "", NULL },
	{ "cache-memory", "0", "0" },
	{ "cache-memory", "1G", "1G" },
	{ "cache-memory", "lots", NULL },
	{ "cache-memory", "", NULL },
	{ "cache-disk", "0", "0" },
	{ "cache-disk", "10240M", "10G" },
	{ "cache-disk", "-1", NULL },
	{ "watches", "0", "0" },
	{ "watches", "1000000", "1000000" },
	{ "watches", "1000001", NULL },
	{ "watches", "-1", NULL },
	{ "watches", "1K", NULL },
	{ "snapshot-age", "0", "0" },
	{ "snapshot-age", "86400", "86400" },
	{ "snapshot-age", "86401", NULL },
	{ "snapshot-age", "1.5", NULL },
	{ "snapshot-age", "2s", NULL },
	{ "log", "/var/log/staticgi.log", "\"/var/log/staticgi.log\"" },
	{ "log", "stdout", NULL },
	{ "log", "log.txt", NULL },
	{ "log", "", NULL },
	{ "verbose", "yes", "yes" },
	{ "verbose", "no", "no" },
	{ "verbose", "YES", NULL },
	{ "verbose", "1", NULL },
	{ "verbose", "", NULL },
};

START_TEST(values_of_each)
{
	const struct setting *setting = setting_find(values[_i].name);
	struct settings before;

	ck_assert(setting_find("verbose")->take(&settings, S("yes")));
	memcpy(&before, &settings, sizeof(before));
	ck_assert_int_eq(setting->take(&settings, str_from(values[_i].value)), values[_i].shown != NULL);
	if (values[_i].shown != NULL)
		check_shown(&settings, values[_i].name, values[_i].shown);
	else
		ck_assert(memcmp(&before, &settings, sizeof(before)) == 0);
}
END_TEST

START_TEST(no_value_holds_a_nul_or_is_too_long)
{
	static const char *const names[] = { "root", "url-prefix", "log", "index", "cache-dir" };
	static char text[SETTING_TEXT + 1];
	static struct settings before;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool is_index = strcmp(names[i], "index") == 0;

		memset(text, 'a', sizeof(text));
		text[0] = is_index ? 'a' : '/';
		ck_assert(!setting_find(names[i])->take(&settings, (struct str){ text, SETTING_TEXT }));
		if (!is_index)
			ck_assert(setting_find(names[i])->take(&settings, (struct str){ text, SETTING_TEXT - 1 }));
		text[3] = '\0';
		memcpy(&before, &settings, sizeof(before));
		ck_assert(!setting_find(names[i])->take(&settings, (struct str){ text, 10 }));
		ck_assert(memcmp(&before, &settings, sizeof(before)) == 0);
	}
}
END_TEST

START_TEST(index_has_room_for_sixteen)
{
	const struct setting *index = setting_find("index");
	struct handler_options options;

	ck_assert(index->take(&settings, S("")));
	settings_handler_options(&settings, &options);
	ck_assert_uint_eq(options.index_count, 0);
	for (int i = 0; i < HANDLER_INDEX_MAX; i++)
		ck_assert(index->take(&settings, S("index.html")));
	ck_assert(!index->take(&settings, S("index.html")));
	settings_handler_options(&settings, &options);
	ck_assert_uint_eq(options.index_count, HANDLER_INDEX_MAX);
	ck_assert_str_is(options.index[HANDLER_INDEX_MAX - 1], "index.html");
}
END_TEST

START_TEST(what_the_handler_gets)
{
	struct handler_options options;

	settings_handler_options(&settings, &options);
	ck_assert_uint_eq(options.root.len, 0);
	ck_assert_uint_eq(options.index_count, 1);
	ck_assert_str_is(options.index[0], "index.html");
	ck_assert_int_eq(options.handoff.mode, HANDOFF_OFF);
	ck_assert_int_eq(options.handoff_above, 65536);
	ck_assert_int_eq(options.symlinks, SYMLINKS_WITHIN_ROOT);
	ck_assert(setting_find("hand-off")->take(&settings, S("x-accel-redirect:/p/")));
	ck_assert(setting_find("root")->take(&settings, S("/srv")));
	settings_handler_options(&settings, &options);
	ck_assert_str_is(options.root, "/srv");
	ck_assert_int_eq(options.handoff.mode, HANDOFF_X_ACCEL_REDIRECT);
	ck_assert_str_is(options.handoff.prefix, "/p/");
}
END_TEST

START_TEST(what_the_handler_gets_of_caches)
{
	struct handler_options options;

	settings_handler_options(&settings, &options);
	ck_assert_uint_eq(options.page_size, 200);
	for (int i = 0; i < CODING_COUNT; i++)
		ck_assert(options.codings[i]);
	ck_assert_int_eq(options.cache_handoff.mode, HANDOFF_OFF);
	ck_assert_uint_eq(options.cache_memory, (size_t)64 << 20);
	ck_assert_int_eq(options.cache_disk, INT64_C(1) << 30);
	ck_assert_uint_eq(options.watches, 1024);
	ck_assert_int_eq(options.snapshot_age, INT64_C(2000000000));
	ck_assert(setting_find("cache-hand-off")->take(&settings, S("x-sendfile")));
	ck_assert(setting_find("snapshot-age")->take(&settings, S("86400")));
	ck_assert(setting_find("page-size")->take(&settings, S("0")));
	settings_handler_options(&settings, &options);
	ck_assert_int_eq(options.cache_handoff.mode, HANDOFF_X_SENDFILE);
	ck_assert_int_eq(options.snapshot_age, INT64_C(86400000000000));
	ck_assert_uint_eq(options.page_size, 0);
}
END_TEST

/* As the command line writes them, and which of them a handler finds on. Identity: any at all. */
static const struct {
	const char *value;
	const char *shown; /* NULL: refused */
	bool identity, gzip, zstd, br;
} codings[] = {
	{ "br,zstd,gzip", "{\"br\", \"zstd\", \"gzip\"}", true, true, true, true },
	{ "gzip", "{\"gzip\"}", true, true, false, false },
	{ "gzip,br", "{\"br\", \"gzip\"}", true, true, false, true },
	{ "zstd,zstd", "{\"zstd\"}", true, false, true, false },
	{ "", "{}", false, false, false, false },
	{ "gzip,deflate", NULL, false, false, false, false },
	{ "gzip, br", NULL, false, false, false, false },
};

START_TEST(codings_by_the_command_line)
{
	struct handler_options options;

	ck_assert_int_eq(setting_take_all(&settings, setting_find("codings"), str_from(codings[_i].value)),
	    codings[_i].shown != NULL);
	if (codings[_i].shown == NULL)
		return;
	check_shown(&settings, "codings", codings[_i].shown);
	settings_handler_options(&settings, &options);
	ck_assert_int_eq(options.codings[CODING_IDENTITY], codings[_i].identity);
	ck_assert_int_eq(options.codings[CODING_GZIP], codings[_i].gzip);
	ck_assert_int_eq(options.codings[CODING_ZSTD], codings[_i].zstd);
	ck_assert_int_eq(options.codings[CODING_BR], codings[_i].br);
}
END_TEST

/* "auto" is what this user can have: the system's, or a directory of the user's own among the temporary files. */
START_TEST(where_the_cache_is)
{
	struct handler_options options;
	char want[128];

	ck_assert(setting_find("cache-dir")->take(&settings, S("off")));
	settings_handler_options(&settings, &options);
	ck_assert_ptr_null(options.cache_dir);
	ck_assert(setting_find("cache-dir")->take(&settings, S("/srv/cache")));
	settings_handler_options(&settings, &options);
	ck_assert_str_eq(options.cache_dir, "/srv/cache");
	setenv("TMPDIR", "/var/tmp", 1);
	ck_assert(setting_find("cache-dir")->take(&settings, S("auto")));
	settings_handler_options(&settings, &options);
	snprintf(want, sizeof(want), "/var/tmp/staticgi-%ld", (long)geteuid());
	ck_assert_str_eq(options.cache_dir, access(CACHEDIR, W_OK | X_OK) == 0 ? CACHEDIR : want);
	/* A relative one is not what anybody meant. */
	setenv("TMPDIR", "tmp", 1);
	ck_assert(setting_find("cache-dir")->take(&settings, S("auto")));
	settings_handler_options(&settings, &options);
	snprintf(want, sizeof(want), "/tmp/staticgi-%ld", (long)geteuid());
	ck_assert_str_eq(options.cache_dir, access(CACHEDIR, W_OK | X_OK) == 0 ? CACHEDIR : want);
}
END_TEST

START_TEST(workers_by_the_number_of_cores)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	ck_assert_int_eq(settings_workers(&settings), cores < 2 ? 2 : (int)cores);
	ck_assert(setting_find("workers")->take(&settings, S("1")));
	ck_assert_int_eq(settings_workers(&settings), 1);
}
END_TEST

START_TEST(shown_as_a_file)
{
	struct buf out;

	buf_init(&out, 65536);
	settings_show(&settings, &out);
	ck_assert_str_is(buf_view(&out),
	    "root = \"\"\n"
	    "url-prefix = \"\"\n"
	    "index = {\"index.html\"}\n"
	    "hand-off = \"off\"\n"
	    "hand-off-above = 64K\n"
	    "workers = auto\n"
	    "listen = \"\"\n"
	    "listen-mode = 0660\n"
	    "symlinks = follow-within-root\n"
	    "page-size = 200\n"
	    "codings = {\"br\", \"zstd\", \"gzip\"}\n"
	    "cache-dir = \"auto\"\n"
	    "cache-hand-off = \"off\"\n"
	    "cache-memory = 64M\n"
	    "cache-disk = 1G\n"
	    "watches = 1024\n"
	    "snapshot-age = 2\n"
	    "log = \"stderr\"\n"
	    "verbose = no\n");
	buf_release(&out);
}
END_TEST

Suite *
settings_suite(void)
{
	Suite *suite = suite_create("daemon/settings");

	suite_add_case(suite, default_of_each, ROWS(defaults), setup, NULL);
	suite_add_case(suite, the_table_is_whole, 1, setup, NULL);
	suite_add_case(suite, values_of_each, ROWS(values), setup, NULL);
	suite_add_case(suite, no_value_holds_a_nul_or_is_too_long, 1, setup, NULL);
	suite_add_case(suite, index_has_room_for_sixteen, 1, setup, NULL);
	suite_add_case(suite, what_the_handler_gets, 1, setup, NULL);
	suite_add_case(suite, what_the_handler_gets_of_caches, 1, setup, NULL);
	suite_add_case(suite, codings_by_the_command_line, ROWS(codings), setup, NULL);
	suite_add_case(suite, where_the_cache_is, 1, setup, NULL);
	suite_add_case(suite, workers_by_the_number_of_cores, 1, setup, NULL);
	suite_add_case(suite, shown_as_a_file, 1, setup, NULL);
	return suite;
}
