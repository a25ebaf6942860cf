/* A setting is a row: its name, its default, how it is read, how it is shown. The file, the command line, the help,
 * `staticgi check` and the sample file's test all go by this table. */
#include "daemon/settings.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
copy_text(char out[SETTING_TEXT], struct str value)
{
	if (value.len >= SETTING_TEXT || str_has(value, '\0'))
		return false;
	memcpy(out, value.ptr != NULL ? value.ptr : "", value.len);
	out[value.len] = '\0';
	return true;
}

/* libconfuse reads ${NAME} inside quotes as a variable of the environment. */
static void
show_text(struct buf *out, struct str text)
{
	buf_char(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"' || text.ptr[i] == '\\' || text.ptr[i] == '$')
			buf_char(out, '\\');
		buf_char(out, text.ptr[i]);
	}
	buf_char(out, '"');
}

static bool
take_root(struct settings *settings, struct str value)
{
	if (value.len > 0 && value.ptr[0] != '/')
		return false;
	while (value.len > 1 && value.ptr[value.len - 1] == '/')
		value.len--;
	return copy_text(settings->root, value);
}

static void
show_root(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->root));
}

static bool
take_url_prefix(struct settings *settings, struct str value)
{
	return (value.len == 0 || value.ptr[0] == '/') && copy_text(settings->url_prefix, value);
}

static void
show_url_prefix(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->url_prefix));
}

/* Adds a name; the empty value empties the list. */
static bool
take_index(struct settings *settings, struct str value)
{
	size_t count = 0;

	if (value.len == 0) {
		settings->index_len = 0;
		return true;
	}
	for (size_t i = 0; i < settings->index_len; i++)
		count += settings->index[i] == '\0';
	if (count == HANDLER_INDEX_MAX || str_has(value, '/') || str_has(value, '\0') || value.ptr[0] == '.' ||
	    value.len + 1 > SETTING_TEXT - settings->index_len)
		return false;
	memcpy(settings->index + settings->index_len, value.ptr, value.len);
	settings->index_len += value.len;
	settings->index[settings->index_len++] = '\0';
	return true;
}

static void
show_index(const struct settings *settings, struct buf *out)
{
	buf_char(out, '{');
	for (size_t at = 0; at < settings->index_len;) {
		struct str name = str_from(settings->index + at);

		buf_text(out, at > 0 ? ", " : "");
		show_text(out, name);
		at += name.len + 1;
	}
	buf_char(out, '}');
}

static bool
take_hand_off(struct settings *settings, struct str value)
{
	struct handoff handoff;

	return handoff_parse(value, &handoff) && copy_text(settings->hand_off, value);
}

static void
show_hand_off(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->hand_off));
}

/* Digits, and K, M or G for 1024 to the power of one, two or three. */
static bool
take_size(int64_t *size, struct str value)
{
	int shift = 0;
	int64_t n;

	if (value.len > 0)
		shift = value.ptr[value.len - 1] == 'K' ? 10 : value.ptr[value.len - 1] == 'M' ? 20 :
		    value.ptr[value.len - 1] == 'G' ? 30 : 0;
	if (shift > 0)
		value.len--;
	if (!str_digits(value, &n) || n > INT64_MAX >> shift)
		return false;
	*size = n << shift;
	return true;
}

static void
show_size(int64_t size, struct buf *out)
{
	static const char units[] = "KMG";
	int unit = 0;

	while (size > 0 && size % 1024 == 0 && unit < 3) {
		size /= 1024;
		unit++;
	}
	buf_int(out, size);
	if (unit > 0)
		buf_char(out, units[unit - 1]);
}

static bool
take_number(int64_t *number, struct str value, int64_t least, int64_t most)
{
	int64_t n;

	if (!str_digits(value, &n) || n < least || n > most)
		return false;
	*number = n;
	return true;
}

static bool
take_hand_off_above(struct settings *settings, struct str value)
{
	return take_size(&settings->hand_off_above, value);
}

static void
show_hand_off_above(const struct settings *settings, struct buf *out)
{
	show_size(settings->hand_off_above, out);
}

static bool
take_page_size(struct settings *settings, struct str value)
{
	int64_t n;

	if (!take_number(&n, value, 0, 1000000))
		return false;
	settings->page_size = (size_t)n;
	return true;
}

static void
show_page_size(const struct settings *settings, struct buf *out)
{
	buf_int(out, (int64_t)settings->page_size);
}

/* Adds a coding; the empty value empties the list. Identity stands for "any of them is on". */
static bool
take_codings(struct settings *settings, struct str value)
{
	if (value.len == 0) {
		memset(settings->codings, 0, sizeof(settings->codings));
		return true;
	}
	for (int i = CODING_IDENTITY + 1; i < CODING_COUNT; i++) {
		if (!str_eq(value, coding_name((enum coding)i)))
			continue;
		settings->codings[i] = true;
		settings->codings[CODING_IDENTITY] = true;
		return true;
	}
	return false;
}

static void
show_codings(const struct settings *settings, struct buf *out)
{
	bool first = true;

	buf_char(out, '{');
	for (int i = CODING_COUNT - 1; i > CODING_IDENTITY; i--) {
		if (!settings->codings[i])
			continue;
		buf_text(out, first ? "" : ", ");
		show_text(out, coding_name((enum coding)i));
		first = false;
	}
	buf_char(out, '}');
}

/* "auto" is the system's cache directory if it is there and ours to write, else one of this user's among the temporary files. */
static void
find_cache_dir(struct settings *settings)
{
	struct buf path = { .ptr = settings->cache_dir_path, .cap = SETTING_TEXT, .max = SETTING_TEXT };
	const char *temporary = getenv("TMPDIR");

	if (access(CACHEDIR, W_OK | X_OK) == 0) {
		buf_text(&path, CACHEDIR);
	} else {
		buf_text(&path, temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
		buf_text(&path, "/staticgi-");
		buf_int(&path, (int64_t)geteuid());
	}
	buf_char(&path, '\0');
	if (buf_failed(&path))
		settings->cache_dir_path[0] = '\0';
}

static bool
take_cache_dir(struct settings *settings, struct str value)
{
	settings->cache_dir_path[0] = '\0';
	if (str_eq(value, S("auto")))
		find_cache_dir(settings);
	else if (str_starts(value, S("/")) && value.len < SETTING_TEXT)
		copy_text(settings->cache_dir_path, value);
	else if (!str_eq(value, S("off")))
		return false;
	return copy_text(settings->cache_dir, value);
}

static void
show_cache_dir(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->cache_dir));
}

static bool
take_cache_hand_off(struct settings *settings, struct str value)
{
	return (str_eq(value, S("off")) || str_eq(value, S("x-sendfile"))) && copy_text(settings->cache_hand_off, value);
}

static void
show_cache_hand_off(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->cache_hand_off));
}

static bool
take_cache_memory(struct settings *settings, struct str value)
{
	return take_size(&settings->cache_memory, value);
}

static void
show_cache_memory(const struct settings *settings, struct buf *out)
{
	show_size(settings->cache_memory, out);
}

static bool
take_cache_disk(struct settings *settings, struct str value)
{
	return take_size(&settings->cache_disk, value);
}

static void
show_cache_disk(const struct settings *settings, struct buf *out)
{
	show_size(settings->cache_disk, out);
}

static bool
take_watches(struct settings *settings, struct str value)
{
	return take_number(&settings->watches, value, 0, 1000000);
}

static void
show_watches(const struct settings *settings, struct buf *out)
{
	buf_int(out, settings->watches);
}

static bool
take_snapshot_age(struct settings *settings, struct str value)
{
	return take_number(&settings->snapshot_age, value, 0, 86400);
}

static void
show_snapshot_age(const struct settings *settings, struct buf *out)
{
	buf_int(out, settings->snapshot_age);
}

static bool
take_workers(struct settings *settings, struct str value)
{
	int64_t n = 0;

	if (!str_eq(value, S("auto")) && (!str_digits(value, &n) || n < 1 || n > 1024))
		return false;
	settings->workers = (int)n;
	return true;
}

static void
show_workers(const struct settings *settings, struct buf *out)
{
	if (settings->workers == 0)
		buf_text(out, "auto");
	else
		buf_int(out, settings->workers);
}

/* unix:PATH, HOST:PORT or [ADDRESS]:PORT. */
static bool
take_listen(struct settings *settings, struct str value)
{
	size_t colon = value.len;
	int64_t port;

	if (value.len == 0 || str_starts(value, S("unix:/")))
		return copy_text(settings->listen, value);
	while (colon > 0 && value.ptr[colon - 1] != ':')
		colon--;
	if (colon < 2 || !str_digits(str_after(value, colon), &port) || port < 1 || port > 65535)
		return false;
	return copy_text(settings->listen, value);
}

static void
show_listen(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->listen));
}

static bool
take_listen_mode(struct settings *settings, struct str value)
{
	unsigned mode = 0;

	if (value.len < 3 || value.len > 4)
		return false;
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] < '0' || value.ptr[i] > '7')
			return false;
		mode = mode * 8 + (unsigned)(value.ptr[i] - '0');
	}
	if (mode > 0777)
		return false;
	settings->listen_mode = mode;
	return true;
}

static void
show_listen_mode(const struct settings *settings, struct buf *out)
{
	buf_char(out, '0');
	for (int shift = 6; shift >= 0; shift -= 3)
		buf_char(out, (char)('0' + (settings->listen_mode >> shift & 7)));
}

static const struct {
	struct str name;
	enum symlink_policy policy;
} policies[] = {
	{ STR("follow-within-root"), SYMLINKS_WITHIN_ROOT },
	{ STR("follow"), SYMLINKS_FOLLOW },
	{ STR("refuse"), SYMLINKS_REFUSE },
};

static bool
take_symlinks(struct settings *settings, struct str value)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (!str_eq(value, policies[i].name))
			continue;
		settings->symlinks = policies[i].policy;
		return true;
	}
	return false;
}

static void
show_symlinks(const struct settings *settings, struct buf *out)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		if (settings->symlinks == policies[i].policy)
			buf_str(out, policies[i].name);
}

static bool
take_log(struct settings *settings, struct str value)
{
	return (str_eq(value, S("stderr")) || str_starts(value, S("/"))) && copy_text(settings->log, value);
}

static void
show_log(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->log));
}

static bool
take_verbose(struct settings *settings, struct str value)
{
	bool yes = str_eq(value, S("yes"));

	if (!yes && !str_eq(value, S("no")))
		return false;
	settings->verbose = yes;
	return true;
}

static void
show_verbose(const struct settings *settings, struct buf *out)
{
	buf_text(out, settings->verbose ? "yes" : "no");
}

const struct setting settings_table[] = {
	{ "root", "", "an absolute path, or nothing", "directory to serve; without one the front must say what it mapped",
	    take_root, show_root, false },
	{ "url-prefix", "", "a path that starts with /, or nothing", "URL path at which the front mounts the root",
	    take_url_prefix, show_url_prefix, false },
	{ "index", "index.html", "up to 16 file names without / and without . in front",
	    "files that stand for their directory, first one there counts", take_index, show_index, true },
	{ "hand-off", "off",
	    "off, x-sendfile, x-accel-redirect:/prefix/, x-litespeed-location:/prefix/ or local-redirect:/prefix/",
	    "how the front is given large content", take_hand_off, show_hand_off, false },
	{ "hand-off-above", "64K", "a number of bytes, with K, M or G", "content larger than this is handed off",
	    take_hand_off_above, show_hand_off_above, false },
	{ "workers", "auto", "auto, or 1 to 1024", "processes of the pool; auto: one per core, at least 2", take_workers,
	    show_workers, false },
	{ "listen", "", "unix:/PATH, HOST:PORT or [ADDRESS]:PORT", "where the pool listens", take_listen, show_listen,
	    false },
	{ "listen-mode", "0660", "an octal mode from 0000 to 0777", "permissions of a unix socket", take_listen_mode,
	    show_listen_mode, false },
	{ "symlinks", "follow-within-root", "follow-within-root, follow or refuse", "which symbolic links are followed",
	    take_symlinks, show_symlinks, false },
	{ "page-size", "200", "a number of rows, 0 for no pages", "rows of a page of a listing that a browser gets",
	    take_page_size, show_page_size, false },
	{ "codings", "br,zstd,gzip", "br, zstd, gzip, or nothing", "content codings made for clients that take them",
	    take_codings, show_codings, true },
	{ "cache-dir", "auto", "auto, off, or an absolute path", "directory for coded files and rendered listings",
	    take_cache_dir, show_cache_dir, false },
	{ "cache-hand-off", "off", "off or x-sendfile", "how the front is given files of cache-dir", take_cache_hand_off,
	    show_cache_hand_off, false },
	{ "cache-memory", "64M", "a number of bytes, with K, M or G",
	    "memory of a worker for listings, for bodies and for files, each", take_cache_memory, show_cache_memory, false },
	{ "cache-disk", "1G", "a number of bytes, with K, M or G", "size of cache-dir", take_cache_disk, show_cache_disk,
	    false },
	{ "watches", "1024", "0 to 1000000", "directories that a worker has watched for changes", take_watches,
	    show_watches, false },
	{ "snapshot-age", "2", "seconds, 0 to 86400", "how long a listing counts that cannot be watched (network file systems)",
	    take_snapshot_age, show_snapshot_age, false },
	{ "log", "stderr", "stderr, or an absolute path", "where messages go", take_log, show_log, false },
	{ "verbose", "no", "yes or no", "log a line for each request", take_verbose, show_verbose, false },
	{ NULL, NULL, NULL, NULL, NULL, NULL, false },
};

const struct setting *
setting_find(const char *name)
{
	for (const struct setting *setting = settings_table; setting->name != NULL; setting++)
		if (strcmp(setting->name, name) == 0)
			return setting;
	return NULL;
}

bool
setting_take_all(struct settings *settings, const struct setting *setting, struct str value)
{
	struct str part;

	if (!setting->is_list)
		return setting->take(settings, value);
	setting->take(settings, S(""));
	while (str_cut(&value, ',', &part))
		if (part.len > 0 && !setting->take(settings, part))
			return false;
	return true;
}

void
settings_init(struct settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	for (const struct setting *setting = settings_table; setting->name != NULL; setting++)
		setting_take_all(settings, setting, str_from(setting->standard));
}

void
settings_show(const struct settings *settings, struct buf *out)
{
	for (const struct setting *setting = settings_table; setting->name != NULL; setting++) {
		buf_text(out, setting->name);
		buf_text(out, " = ");
		setting->show(settings, out);
		buf_char(out, '\n');
	}
}

int
settings_workers(const struct settings *settings)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (settings->workers > 0)
		return settings->workers;
	return cores < 2 ? 2 : cores > 1024 ? 1024 : (int)cores;
}

void
settings_handler_options(const struct settings *settings, struct handler_options *options)
{
	*options = (struct handler_options){
		.root = str_from(settings->root),
		.handoff_above = settings->hand_off_above,
		.symlinks = settings->symlinks,
		.page_size = settings->page_size,
		.cache_dir = settings->cache_dir_path[0] != '\0' ? settings->cache_dir_path : NULL,
		.cache_memory = (size_t)settings->cache_memory,
		.cache_disk = settings->cache_disk,
		.watches = (size_t)settings->watches,
		.snapshot_age = settings->snapshot_age * 1000000000,
	};
	memcpy(options->codings, settings->codings, sizeof(options->codings));
	handoff_parse(str_from(settings->hand_off), &options->handoff);
	handoff_parse(str_from(settings->cache_hand_off), &options->cache_handoff);
	for (size_t at = 0; at < settings->index_len;) {
		struct str name = str_from(settings->index + at);

		options->index[options->index_count++] = name;
		at += name.len + 1;
	}
}
