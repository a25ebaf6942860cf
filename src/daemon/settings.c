/* A setting is a row: its name, its default, how it is read, how it is shown. The file, the command line, the help,
 * `staticgi check` and the sample file's test all go by this table. */
#include "daemon/settings.h"

#include "daemon/setting_values.h"

#include <unistd.h>

const struct setting settings_table[] = {
	{ "root", "", "an absolute path, or nothing", "directory to serve; without one the front must say what it mapped",
	    take_root, show_root, false },
	{ "url-prefix", "", "a path that starts with /, or nothing", "URL path at which the front mounts the root",
	    take_url_prefix, show_url_prefix, false },
	{ "index", "index.html", "up to 16 file names without / and without . in front",
	    "files that stand for their directory, first one there counts", take_index, show_index, true },
	{ "hand-off", "off",
	    "off, x-sendfile, x-accel-redirect:/prefix/, x-accel-redirect+vary:/prefix/, x-litespeed-location:/prefix/ or "
	    "local-redirect:/prefix/", "how the front is given large content", take_hand_off, show_hand_off, false },
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
