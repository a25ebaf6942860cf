/* Reading and showing a value, one pair of functions for each setting. What is shown is what the file would say, so that
 * `staticgi check` prints a file that can be read back. */
#include "daemon/setting_values.h"

#include <stdlib.h>
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

bool
take_root(struct settings *settings, struct str value)
{
	if (value.len > 0 && value.ptr[0] != '/')
		return false;
	while (value.len > 1 && value.ptr[value.len - 1] == '/')
		value.len--;
	return copy_text(settings->root, value);
}

void
show_root(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->root));
}

bool
take_url_prefix(struct settings *settings, struct str value)
{
	return (value.len == 0 || value.ptr[0] == '/') && copy_text(settings->url_prefix, value);
}

void
show_url_prefix(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->url_prefix));
}

/* Adds a name; the empty value empties the list. */
bool
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

void
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

bool
take_hand_off(struct settings *settings, struct str value)
{
	struct handoff handoff;

	return handoff_parse(value, &handoff) && copy_text(settings->hand_off, value);
}

void
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

bool
take_hand_off_above(struct settings *settings, struct str value)
{
	return take_size(&settings->hand_off_above, value);
}

void
show_hand_off_above(const struct settings *settings, struct buf *out)
{
	show_size(settings->hand_off_above, out);
}

bool
take_page_size(struct settings *settings, struct str value)
{
	int64_t n;

	if (!take_number(&n, value, 0, 1000000))
		return false;
	settings->page_size = (size_t)n;
	return true;
}

void
show_page_size(const struct settings *settings, struct buf *out)
{
	buf_int(out, (int64_t)settings->page_size);
}

/* Adds a coding; the empty value empties the list. Identity stands for "any of them is on". */
bool
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

void
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
find_cache_dir(char out[SETTING_TEXT])
{
	struct buf path = { .ptr = out, .cap = SETTING_TEXT, .max = SETTING_TEXT };
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
		out[0] = '\0';
}

bool
take_cache_dir(struct settings *settings, struct str value)
{
	bool is_path = str_starts(value, S("/")), is_auto = str_eq(value, S("auto"));

	if ((!is_path && !is_auto && !str_eq(value, S("off"))) || !copy_text(settings->cache_dir, value))
		return false;
	if (is_auto)
		find_cache_dir(settings->cache_dir_path);
	else
		copy_text(settings->cache_dir_path, is_path ? value : S(""));
	return true;
}

void
show_cache_dir(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->cache_dir));
}

bool
take_cache_hand_off(struct settings *settings, struct str value)
{
	return (str_eq(value, S("off")) || str_eq(value, S("x-sendfile"))) && copy_text(settings->cache_hand_off, value);
}

void
show_cache_hand_off(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->cache_hand_off));
}

bool
take_cache_memory(struct settings *settings, struct str value)
{
	return take_size(&settings->cache_memory, value);
}

void
show_cache_memory(const struct settings *settings, struct buf *out)
{
	show_size(settings->cache_memory, out);
}

bool
take_cache_disk(struct settings *settings, struct str value)
{
	return take_size(&settings->cache_disk, value);
}

void
show_cache_disk(const struct settings *settings, struct buf *out)
{
	show_size(settings->cache_disk, out);
}

bool
take_watches(struct settings *settings, struct str value)
{
	return take_number(&settings->watches, value, 0, 1000000);
}

void
show_watches(const struct settings *settings, struct buf *out)
{
	buf_int(out, settings->watches);
}

bool
take_snapshot_age(struct settings *settings, struct str value)
{
	return take_number(&settings->snapshot_age, value, 0, 86400);
}

void
show_snapshot_age(const struct settings *settings, struct buf *out)
{
	buf_int(out, settings->snapshot_age);
}

bool
take_workers(struct settings *settings, struct str value)
{
	int64_t n = 0;

	if (!str_eq(value, S("auto")) && (!str_digits(value, &n) || n < 1 || n > 1024))
		return false;
	settings->workers = (int)n;
	return true;
}

void
show_workers(const struct settings *settings, struct buf *out)
{
	if (settings->workers == 0)
		buf_text(out, "auto");
	else
		buf_int(out, settings->workers);
}

/* unix:PATH, HOST:PORT or [ADDRESS]:PORT. */
bool
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

void
show_listen(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->listen));
}

bool
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

void
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

bool
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

void
show_symlinks(const struct settings *settings, struct buf *out)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		if (settings->symlinks == policies[i].policy)
			buf_str(out, policies[i].name);
}

bool
take_log(struct settings *settings, struct str value)
{
	return (str_eq(value, S("stderr")) || str_starts(value, S("/"))) && copy_text(settings->log, value);
}

void
show_log(const struct settings *settings, struct buf *out)
{
	show_text(out, str_from(settings->log));
}

bool
take_verbose(struct settings *settings, struct str value)
{
	bool yes = str_eq(value, S("yes"));

	if (!yes && !str_eq(value, S("no")))
		return false;
	settings->verbose = yes;
	return true;
}

void
show_verbose(const struct settings *settings, struct buf *out)
{
	buf_text(out, settings->verbose ? "yes" : "no");
}
