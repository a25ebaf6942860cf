/* The configuration file: what is read, and what is said of every mistake. */
#include "daemon/configfile.h"

#include "daemon/scratch.h"
#include "daemon/shown.h"
#include "suites.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *configfile_suite(void);

static struct scratch scratch;
static struct settings settings;
static char path[PATH_MAX];
static bool no_streams;

/* The library's own, unless there is no memory for it. */
FILE *
fmemopen(void *bytes, size_t len, const char *mode)
{
	FILE *(*real)(void *, size_t, const char *);

	*(void **)&real = dlsym(RTLD_NEXT, "fmemopen");
	if (!no_streams)
		return real(bytes, len, mode);
	errno = ENOMEM;
	return NULL;
}

static void
setup(void)
{
	scratch_make(&scratch);
	scratch_name(&scratch, "test.conf", path);
	settings_init(&settings);
}

static void
teardown(void)
{
	scratch_remove(&scratch);
}

static const struct {
	const char *text, *name, *shown;
} good[] = {
	{ "", "root", "\"\"" },
	{ "# nothing\n", "index", "{\"index.html\"}" },
	{ "root = \"/srv/www\"\n", "root", "\"/srv/www\"" },
	{ "root = /srv/www\n", "root", "\"/srv/www\"" },
	{ "root = '/srv/w w'", "root", "\"/srv/w w\"" },
	{ "root = \"/a\\\"b\"", "root", "\"/a\\\"b\"" },
	{ "\xef\xbb\xbfroot = \"/srv/www\"\r\nworkers = 4\r\n", "root", "\"/srv/www\"" },
	{ "workers = 4\nverbose = yes\n", "workers", "4" },
	{ "workers = 4\nverbose = yes\n", "verbose", "yes" },
	{ "workers = 4\nworkers = 5\n", "workers", "5" },
	{ "index = {\"a.html\", \"b.html\"}\n", "index", "{\"a.html\", \"b.html\"}" },
	{ "index = {a.html}\n", "index", "{\"a.html\"}" },
	{ "index = {}\n", "index", "{}" },
	{ "index = \"\"\n", "index", "{}" },
	{ "codings = {\"gzip\", \"br\"}\n", "codings", "{\"br\", \"gzip\"}" },
	{ "codings = zstd\n", "codings", "{\"zstd\"}" },
	{ "codings = {}\n", "codings", "{}" },
	{ "cache-dir = off\npage-size = 0\n", "cache-dir", "\"off\"" },
	{ "index = {\"index.html\"}\nindex += {\"b.html\"}\n", "index", "{\"index.html\", \"b.html\"}" },
	{ "hand-off = \"x-accel-redirect:/p/\"\nhand-off-above = 1M\n", "hand-off-above", "1M" },
	{ "listen = \"unix:/run/s.sock\"\nlisten-mode = 0600\n", "listen-mode", "0600" },
	{ "symlinks = refuse # why not\n", "symlinks", "refuse" },
};

START_TEST(what_is_read)
{
	scratch_file(&scratch, "test.conf", good[_i].text, 0600);
	ck_assert_msg(configfile_read(&settings, path), "%s", scratch_log(&scratch));
	check_shown(&settings, good[_i].name, good[_i].shown);
	ck_assert_str_eq(settings.source, path);
	ck_assert_str_eq(scratch_log(&scratch), "");
}
END_TEST

/* Messages: file and line, what stands there, what is allowed. The file's path stands in front of the ":N:". */
static const struct {
	const char *text;
	const char *said[4];
} bad[] = {
	{ "root = \"www\"\n",
	    { "test.conf:1: root: \"www\" is not allowed: an absolute path, or nothing" } },
	{ "\n\nworkers = 0\n",
	    { "test.conf:3: workers: \"0\" is not allowed: auto, or 1 to 1024" } },
	{ "workers = 0\nverbose = maybe\nroot = /srv\nsymlinks = no\nindex = {\"a\", \"b/c\",\n\"d/e\"}\n",
	    { "test.conf:1: workers: \"0\"", "test.conf:2: verbose: \"maybe\" is not allowed: yes or no",
	        "test.conf:4: symlinks: \"no\" is not allowed: follow-within-root, follow or refuse",
	        "test.conf:5: index: \"b/c\"" } },
	{ "index = {\"a\", \"b\",\n\"d/e\"}\n", { "test.conf:2: index: \"d/e\"" } },
	{ "index = {a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q}\n", { "test.conf:1: index: \"q\" is not allowed: up to 16" } },
	{ "# a comment\nrot = \"/srv\"\n",
	    { "test.conf:2: ", "'rot'", "settings are: root, url-prefix, index, hand-off, hand-off-above, workers" } },
	{ "workers = 0\nrot = \"/srv\"\n", { "test.conf:1: workers: \"0\"", "test.conf:2: ", "'rot'" } },
	/* One unknown name does not hide what comes after it; nothing is said twice. */
	{ "rot = 1\nworkers = 0\nwrokers = {1, 2}\nverbose = 2\nrot = 3\nlog = x\n",
	    { "test.conf:1: no such option 'rot'", "test.conf:2: workers: \"0\" is not allowed: auto, or 1 to 1024\n",
	        "test.conf:3: no such option 'wrokers'", "test.conf:4: verbose: \"2\" is not allowed: yes or no\n" } },
	{ "rot = 1\nwrokers = 2\n}\n",
	    { "test.conf:1: no such option 'rot'", "test.conf:2: no such option 'wrokers'", "test.conf:3: " } },
	/* Lines are counted right after comments of every kind. */
	{ "# one\n// two\n/* three\nfour */\nroot = \"/a#b//c\" # five\nworkers = 0\n", { "test.conf:6: workers" } },
	{ "root = \"/srv\n", { "test.conf:" } },
	{ "root \"/srv\"\n", { "test.conf:1: " } },
	{ "root = {\n", { "test.conf:" } },
	{ "}\n", { "test.conf:1: " } },
	{ "hand-off = {\"off\"}\n", { "test.conf:1: " } },
	{ "mistakes = 0\n", { "test.conf:1: no such option 'mistakes'" } },
};

START_TEST(what_is_said_of_mistakes)
{
	struct settings before;

	memcpy(&before, &settings, sizeof(before));
	scratch_file(&scratch, "test.conf", bad[_i].text, 0600);
	ck_assert(!configfile_read(&settings, path));
	for (size_t i = 0; i < 4 && bad[_i].said[i] != NULL; i++)
		scratch_log_has(&scratch, bad[_i].said[i]);
	for (size_t i = 0; i < 4 && bad[_i].said[i] != NULL; i++) {
		const char *once = strstr(scratch_log(&scratch), bad[_i].said[i]);

		if (strlen(bad[_i].said[i]) > strlen("test.conf:1: "))
			ck_assert_ptr_null(strstr(once + 1, bad[_i].said[i]));
	}
	/* Nothing of a file with a mistake is taken over. */
	memcpy(before.source, settings.source, sizeof(before.source));
	ck_assert(memcmp(&before, &settings, sizeof(before)) == 0);
}
END_TEST

START_TEST(a_file_that_is_not_there)
{
	ck_assert(!configfile_read(&settings, "/nowhere at all.conf"));
	scratch_log_has(&scratch, "cannot read the configuration file /nowhere at all.conf: No such file");
}
END_TEST

START_TEST(a_directory_is_no_file)
{
	ck_assert(!configfile_read(&settings, scratch.path));
	scratch_log_has(&scratch, "cannot read the configuration file ");
	scratch_log_has(&scratch, "Is a directory");
}
END_TEST

/* Each with what is said of it. */
static const struct {
	struct str bytes;
	const char *said;
} nul_bytes[] = {
	{ STR("\0"), "test.conf:1: a NUL byte stands here: the file must be plain text, in UTF-8" },
	{ STR("workers = 3\n\0"), "test.conf:2: a NUL byte" },
	{ STR("workers = 3\nroot = \"/srv\0/x\"\nbogus = 1\n"), "test.conf:2: a NUL byte" },
	{ STR("# \0\n"), "test.conf:1: a NUL byte" },
	{ STR("\xff\xfer\0o\0o\0t\0"), "test.conf:1: a NUL byte" },
};

START_TEST(a_file_that_is_no_text)
{
	int fd;

	scratch_file(&scratch, "test.conf", "", 0600);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(write(fd, nul_bytes[_i].bytes.ptr, nul_bytes[_i].bytes.len), nul_bytes[_i].bytes.len);
	close(fd);
	ck_assert(!configfile_read(&settings, path));
	scratch_log_has(&scratch, nul_bytes[_i].said);
	ck_assert_int_eq(settings.workers, 0);
}
END_TEST

START_TEST(a_file_that_may_not_be_read)
{
	bool root = geteuid() == 0, read;

	scratch_file(&scratch, "test.conf", "workers = 3\n", 0);
	ck_assert_int_eq(chmod(scratch.path, 0755), 0);
	if (root)
		ck_assert_int_eq(seteuid(65534), 0);
	read = configfile_read(&settings, path);
	if (root)
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert(!read);
	scratch_log_has(&scratch, "Permission denied");
}
END_TEST

/* What could not be read is no empty file. */
START_TEST(a_file_without_memory_for_it)
{
	scratch_file(&scratch, "test.conf", "workers = 3\n", 0600);
	no_streams = true;
	ck_assert(!configfile_read(&settings, path));
	no_streams = false;
	scratch_log_has(&scratch, "cannot read the configuration file ");
	scratch_log_has(&scratch, "test.conf: Cannot allocate memory");
	ck_assert_int_eq(settings.workers, 0);
}
END_TEST

START_TEST(the_environment_names_the_file)
{
	scratch_file(&scratch, "test.conf", "workers = 7\n", 0600);
	setenv("STATICGI_CONFIG", path, 1);
	ck_assert(configfile_read(&settings, NULL));
	ck_assert_int_eq(settings.workers, 7);
	setenv("STATICGI_CONFIG", "/nowhere at all.conf", 1);
	ck_assert(!configfile_read(&settings, NULL));
	/* What is said by name counts first. */
	ck_assert(configfile_read(&settings, path));
	setenv("STATICGI_CONFIG", "", 1);
	settings_init(&settings);
	ck_assert(configfile_read(&settings, NULL));
	ck_assert_int_eq(settings.workers, 0);
}
END_TEST

static const struct {
	const char *name, *value;
} hard[] = {
	{ "root", "/srv/a b" }, { "root", "/\"quoted\"" }, { "root", "/back\\slash\\n" }, { "root", "/${HOME}/$x" },
	{ "root", "/line\nbreak" }, { "root", "/'single'#{},=" }, { "root", "/\xff\xc3\xa9" }, { "root", "/tab\there" },
	{ "url-prefix", "/${PATH}" }, { "index", "a \"b\".html" }, { "hand-off", "x-accel-redirect:/p$\"{/" },
	{ "log", "/var/log/${x}" }, { "listen", "unix:/run/a b" }, { "hand-off-above", "12345" }, { "workers", "12" },
	{ "listen-mode", "0007" }, { "symlinks", "follow" }, { "verbose", "yes" }, { "page-size", "0" }, { "codings", "" },
	{ "cache-dir", "/srv/${x} \"y\"" }, { "cache-hand-off", "x-sendfile" }, { "cache-memory", "1000" },
	{ "cache-disk", "3G" }, { "watches", "0" }, { "snapshot-age", "86400" },
};

/* What `staticgi check` prints, read as a file, gives the same. */
START_TEST(what_is_shown_can_be_read)
{
	static struct settings again;
	struct buf out;

	buf_init(&out, 65536);
	ck_assert(setting_find(hard[_i].name)->take(&settings, str_from(hard[_i].value)));
	settings_show(&settings, &out);
	scratch_file(&scratch, "test.conf", buf_cstr(&out), 0600);
	settings_init(&again);
	ck_assert_msg(configfile_read(&again, path), "%s", scratch_log(&scratch));
	again.source[0] = '\0';
	memset(again.source, 0, sizeof(again.source));
	buf_reset(&out);
	settings_show(&again, &out);
	scratch_file(&scratch, "again.conf", buf_cstr(&out), 0600);
	ck_assert(memcmp(&again, &settings, sizeof(settings)) == 0);
	buf_release(&out);
}
END_TEST

static void
read_sample(struct buf *out)
{
	const char *srcdir = getenv("srcdir");
	char sample[PATH_MAX];
	ssize_t n;
	int fd;

	snprintf(sample, sizeof(sample), "%s/conf/staticgi.conf", srcdir != NULL ? srcdir : ".");
	fd = open(sample, O_RDONLY | O_CLOEXEC);
	ck_assert_msg(fd >= 0, "%s cannot be opened", sample);
	ck_assert(buf_reserve(out, 65536));
	n = read(fd, out->ptr, 65536);
	ck_assert_int_gt(n, 0);
	out->len = (size_t)n;
	close(fd);
}

/* The sample names every setting, and says of each what holds without it. */
START_TEST(the_sample_is_the_defaults)
{
	static struct settings sample;
	struct buf text;

	buf_init(&text, 1 << 20);
	read_sample(&text);
	scratch_file(&scratch, "test.conf", buf_cstr(&text), 0600);
	memset(&sample, 0, sizeof(sample));
	ck_assert_msg(configfile_read(&sample, path), "%s", scratch_log(&scratch));
	memset(sample.source, 0, sizeof(sample.source));
	ck_assert(memcmp(&sample, &settings, sizeof(settings)) == 0);
	for (const struct setting *setting = settings_table; setting->name != NULL; setting++) {
		char line[64];

		snprintf(line, sizeof(line), "\n%s = ", setting->name);
		ck_assert_msg(strstr(buf_cstr(&text), line) != NULL, "%s is not in the sample", setting->name);
	}
	buf_release(&text);
}
END_TEST

Suite *
configfile_suite(void)
{
	Suite *suite = suite_create("daemon/configfile");

	suite_add_case(suite, what_is_read, ROWS(good), setup, teardown);
	suite_add_case(suite, what_is_said_of_mistakes, ROWS(bad), setup, teardown);
	suite_add_case(suite, a_file_that_is_not_there, 1, setup, teardown);
	suite_add_case(suite, a_directory_is_no_file, 1, setup, teardown);
	suite_add_case(suite, a_file_that_is_no_text, ROWS(nul_bytes), setup, teardown);
	suite_add_case(suite, a_file_that_may_not_be_read, 1, setup, teardown);
	suite_add_case(suite, a_file_without_memory_for_it, 1, setup, teardown);
	suite_add_case(suite, the_environment_names_the_file, 1, setup, teardown);
	suite_add_case(suite, what_is_shown_can_be_read, ROWS(hard), setup, teardown);
	suite_add_case(suite, the_sample_is_the_defaults, 1, setup, teardown);
	return suite;
}
