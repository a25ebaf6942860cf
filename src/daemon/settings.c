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
take_hand_off_above(struct settings *settings, struct str value)
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
	settings->hand_off_above = n << shift;
	return true;
}

static void
show_hand_off_above(const struct settings *settings, struct buf *out)
{
	int64_t n = settings->hand_off_above;
	const char *unit = "";

	if (n > 0 && n % ((int64_t)1 << 20) == 0) {
		n >>= 20;
		unit = "M";
	} else if (n > 0 && n % 1024 == 0) {
		n >>= 10;
		unit = "K";
	}
	buf_int(out, n);
	buf_text(out, unit);
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

void
settings_init(struct settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	for (const struct setting *setting = settings_table; setting->name != NULL; setting++)
		setting->take(settings, str_from(setting->standard));
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
	};
	handoff_parse(str_from(settings->hand_off), &options->handoff);
	for (size_t at = 0; at < settings->index_len;) {
		struct str name = str_from(settings->index + at);

		options->index[options->index_count++] = name;
		at += name.len + 1;
	}
}
