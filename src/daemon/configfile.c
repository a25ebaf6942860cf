/* libconfuse reads the syntax and knows the line; the table of settings knows what a value may be. All values are strings
 * to libconfuse, so that one mistake does not hide the next: each is reported, then reading goes on. At a name that it
 * does not know libconfuse gives up: the text is read again with that name made known, until it says nothing new. libconfuse
 * 3.3 counts the end of a comment's line twice, so it is given the text with comments blanked out. */
#include "daemon/configfile.h"

#include "daemon/log.h"

#include <confuse.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_NAME "staticgi.conf"
#define SETTINGS_MAX 32
#define UNKNOWN_MAX 16
#define CONFIG_BYTES_MAX ((size_t)1 << 20)

/* What libconfuse carries for us beside the settings, under names that nobody writes. */
#define MISTAKES "\x7fmistakes"
#define SAID "\x7fsaid"
#define LAST "\x7flast"
#define UNKNOWN "\x7funknown"

/* What is known from the times that the text was read before. */
struct reading {
	char *unknown[UNKNOWN_MAX]; /* names that are none of ours */
	size_t unknown_count;
	long said;                  /* so many mistakes in values have been reported */
};

/* What libconfuse itself finds: broken syntax, a name that is none of ours. */
static void __attribute__((format(printf, 2, 0)))
report(cfg_t *cfg, const char *format, va_list arguments)
{
	char text[512];

	if (cfg != NULL && strcmp(format, "no such option '%s'") == 0) {
		va_list copy;

		va_copy(copy, arguments);
		cfg_setstr(cfg, UNKNOWN, va_arg(copy, const char *));
		va_end(copy);
	}
	vsnprintf(text, sizeof(text), format, arguments);
	log_line("%s:%d: %s", cfg != NULL && cfg->filename != NULL ? cfg->filename : FILE_NAME,
	    cfg != NULL ? cfg->line : 0, text);
}

/* The last value of a list comes twice: once as itself, once with the brace that closes the list. */
static void
report_value(cfg_t *cfg, const struct setting *setting, const char *value)
{
	char text[SETTING_TEXT];

	snprintf(text, sizeof(text), "%d: %s: \"%s\"", cfg->line, setting->name, value);
	if (strcmp(text, cfg_getstr(cfg, LAST)) == 0)
		return;
	cfg_setstr(cfg, LAST, text);
	cfg_setint(cfg, MISTAKES, cfg_getint(cfg, MISTAKES) + 1);
	if (cfg_getint(cfg, MISTAKES) > cfg_getint(cfg, SAID))
		log_line("%s:%s is not allowed: %s", cfg->filename, text, setting->allowed);
}

/* Called by libconfuse for each value as it is read: the line is right then. Mistakes are counted in a setting of our own. */
static int
check_value(cfg_t *cfg, cfg_opt_t *opt)
{
	const struct setting *setting = setting_find(opt->name);
	struct settings *trial = malloc(sizeof(*trial));
	unsigned count = cfg_opt_size(opt);
	const char *value = count > 0 ? cfg_opt_getnstr(opt, count - 1) : "";
	bool good;

	if (trial == NULL)
		return -1;
	settings_init(trial);
	if (setting->is_list)
		setting->take(trial, S(""));
	/* What came before it counts too: a list has its limit. */
	for (unsigned i = 0; setting->is_list && i + 1 < cfg_opt_size(opt); i++)
		setting->take(trial, str_from(cfg_opt_getnstr(opt, i)));
	good = value != NULL && setting->take(trial, str_from(value));
	free(trial);
	if (good)
		return 0;
	report_value(cfg, setting, value != NULL ? value : "");
	return 0;
}

static void
take_all(struct settings *settings, cfg_t *cfg)
{
	for (const struct setting *setting = settings_table; setting->name != NULL; setting++) {
		unsigned count = cfg_size(cfg, setting->name);

		if ((cfg_getopt(cfg, setting->name)->flags & CFGF_MODIFIED) == 0)
			continue;
		if (setting->is_list)
			setting->take(settings, S(""));
		for (unsigned i = 0; i < count; i++)
			setting->take(settings, str_from(cfg_getnstr(cfg, setting->name, i)));
	}
}

static void
name_all(void)
{
	char names[1024];
	struct buf out = { .ptr = names, .cap = sizeof(names), .max = sizeof(names) };

	for (const struct setting *setting = settings_table; setting->name != NULL; setting++) {
		buf_text(&out, setting == settings_table ? "" : ", ");
		buf_text(&out, setting->name);
	}
	log_line("settings are: %.*s", STR_ARGS(buf_view(&out)));
}

/* The length of the comment that starts at text[at], 0 when none does. */
static size_t
comment_length(struct str text, size_t at)
{
	struct str rest = str_after(text, at);
	bool starts_word = at == 0 || strchr(" \t\n={}(),;\"'", text.ptr[at - 1]) != NULL;
	const char *end;

	if (str_starts(rest, S("#")) || (starts_word && str_starts(rest, S("//")))) {
		end = memchr(rest.ptr, '\n', rest.len);
		return end != NULL ? (size_t)(end - rest.ptr) : rest.len;
	}
	if (!starts_word || !str_starts(rest, S("/*")))
		return 0;
	end = memmem(rest.ptr + 2, rest.len - 2, "*/", 2);
	return end != NULL ? (size_t)(end - rest.ptr) + 2 : rest.len;
}

/* Line ends stay, so that lines keep their numbers. */
static void
blank_comments(struct buf *text)
{
	char quote = '\0';

	for (size_t at = 0; at < text->len; at++) {
		size_t length = quote == '\0' ? comment_length(buf_view(text), at) : 0;
		char c = text->ptr[at];

		for (size_t i = 0; i < length; i++)
			if (text->ptr[at + i] != '\n')
				text->ptr[at + i] = ' ';
		if (length > 0)
			at += length - 1;
		else if (quote != '\0' && c == '\\')
			at++;
		else if (quote != '\0' && c == quote)
			quote = '\0';
		else if (quote == '\0' && (c == '"' || c == '\''))
			quote = c;
	}
}

static int
read_text(struct buf *text, const char *path)
{
	FILE *file = fopen(path, "re");
	size_t n;
	int error;

	if (file == NULL)
		return -errno;
	do {
		char block[4096];

		n = fread(block, 1, sizeof(block), file);
		buf_bytes(text, block, n);
	} while (n > 0 && !buf_failed(text));
	error = ferror(file) ? -errno : buf_failed(text) ? -EFBIG : 0;
	fclose(file);
	return error;
}

/* One option for each setting and each name known to be none, and our own. */
static cfg_t *
open_parser(const struct reading *reading, const char *path)
{
	cfg_opt_t opts[SETTINGS_MAX + UNKNOWN_MAX];
	size_t count = 0;
	cfg_t *cfg;

	for (const struct setting *setting = settings_table; setting->name != NULL; setting++) {
		cfg_opt_t one = CFG_STR(setting->name, NULL, CFGF_NODEFAULT);
		cfg_opt_t list = CFG_STR_LIST(setting->name, NULL, CFGF_NODEFAULT);

		opts[count++] = setting->is_list ? list : one;
	}
	for (size_t i = 0; i < reading->unknown_count; i++)
		opts[count++] = (cfg_opt_t)CFG_STR_LIST(reading->unknown[i], NULL, CFGF_NODEFAULT);
	opts[count++] = (cfg_opt_t)CFG_INT(MISTAKES, 0, CFGF_NONE);
	opts[count++] = (cfg_opt_t)CFG_INT(SAID, reading->said, CFGF_NONE);
	opts[count++] = (cfg_opt_t)CFG_STR(LAST, "", CFGF_NONE);
	opts[count++] = (cfg_opt_t)CFG_STR(UNKNOWN, NULL, CFGF_NONE);
	opts[count] = (cfg_opt_t)CFG_END();
	cfg = cfg_init(opts, CFGF_NONE);
	if (cfg == NULL)
		return NULL;
	cfg->filename = strdup(path);
	cfg_set_error_function(cfg, report);
	for (const struct setting *setting = settings_table; setting->name != NULL; setting++)
		cfg_set_validate_func(cfg, setting->name, check_value);
	return cfg;
}

/* Whether libconfuse gave up at a name that was not known to be unknown: it is now. */
static bool
learn_unknown(struct reading *reading, cfg_t *cfg)
{
	const char *name = cfg_getstr(cfg, UNKNOWN);

	if (name == NULL || reading->unknown_count == UNKNOWN_MAX)
		return false;
	reading->unknown[reading->unknown_count] = strdup(name);
	if (reading->unknown[reading->unknown_count] == NULL)
		return false;
	reading->unknown_count++;
	return true;
}

/* Reads the text once. True when it should be read again. */
static bool
parse_once(struct settings *settings, cfg_t *cfg, FILE *stream, struct reading *reading, bool *good)
{
	int result = cfg_parse_fp(cfg, stream);
	bool again = result != CFG_SUCCESS && learn_unknown(reading, cfg);

	reading->said = cfg_getint(cfg, MISTAKES);
	*good = result == CFG_SUCCESS && reading->said == 0 && reading->unknown_count == 0;
	if (*good)
		take_all(settings, cfg);
	return again;
}

static bool
parse_again(struct settings *settings, const char *path, struct buf *text, struct reading *reading, bool *good)
{
	cfg_t *cfg = open_parser(reading, path);
	FILE *stream = cfg != NULL ? fmemopen(text->ptr, text->len, "r") : NULL;
	bool again = false;

	*good = false;
	if (stream != NULL)
		again = parse_once(settings, cfg, stream, reading, good);
	else
		log_error(cfg != NULL ? errno : ENOMEM, "cannot read the configuration file %s", path);
	if (stream != NULL)
		fclose(stream);
	if (cfg != NULL)
		cfg_free(cfg);
	return again;
}

/* No bytes are no stream to some libraries: an empty file is not shown to the parser. */
static bool
parse_text(struct settings *settings, const char *path, struct buf *text)
{
	struct reading reading = { .said = 0 };
	bool good = text->len == 0;

	while (text->len > 0 && parse_again(settings, path, text, &reading, &good))
		;
	if (reading.unknown_count > 0)
		name_all();
	for (size_t i = 0; i < reading.unknown_count; i++)
		free(reading.unknown[i]);
	return good;
}

/* libconfuse ends at a NUL byte and says nothing. Windows' editors write them (UTF-16), and a mark in front of UTF-8, which no name
 * would be known with. */
static bool
is_text(const char *path, struct buf *text)
{
	const char *nul = memchr(text->ptr, '\0', text->len);
	int line = 1;

	if (nul == NULL) {
		if (str_starts(buf_view(text), S("\xef\xbb\xbf")))
			memset(text->ptr, ' ', 3);
		return true;
	}
	for (const char *at = text->ptr; at < nul; at++)
		line += *at == '\n';
	log_line("%s:%d: a NUL byte stands here: the file must be plain text, in UTF-8", path, line);
	return false;
}

static bool
parse_file(struct settings *settings, const char *path)
{
	struct buf text;
	int error;
	bool good = false;

	buf_init(&text, CONFIG_BYTES_MAX);
	error = read_text(&text, path);
	if (error != 0) {
		log_error(-error, "cannot read the configuration file %s", path);
	} else if (text.len == 0 || is_text(path, &text)) {
		blank_comments(&text);
		good = parse_text(settings, path, &text);
	}
	buf_release(&text);
	return good;
}

/* The directory that the program lies in, with a final slash. */
static bool
beside_program(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof(FILE_NAME) - 1);
	char *slash;

	if (n <= 0)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL)
		return false;
	memcpy(slash + 1, FILE_NAME, sizeof(FILE_NAME));
	return true;
}

bool
configfile_read(struct settings *settings, const char *path)
{
	char beside[PATH_MAX];

	if (path == NULL)
		path = getenv("STATICGI_CONFIG");
	if (path != NULL && path[0] == '\0')
		path = NULL;
	if (path == NULL && beside_program(beside) && access(beside, F_OK) == 0)
		path = beside;
	if (path == NULL && access(SYSCONFDIR "/" FILE_NAME, F_OK) == 0)
		path = SYSCONFDIR "/" FILE_NAME;
	if (path == NULL)
		return true;
	if (strlen(path) >= sizeof(settings->source)) {
		log_line("the path of the configuration file is too long");
		return false;
	}
	memcpy(settings->source, path, strlen(path) + 1);
	return parse_file(settings, path);
}
