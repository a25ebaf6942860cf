/* struct settings: what the program was told, from defaults, the configuration file and the command line, by one table
 * of names. */
#ifndef DAEMON_SETTINGS_H
#define DAEMON_SETTINGS_H

#include "base/buf.h"
#include "handler/handler.h"

#define SETTING_TEXT 4096

struct settings {
	char root[SETTING_TEXT];        /* absolute; "": none */
	char url_prefix[SETTING_TEXT];  /* starts with '/'; "": not configured */
	char index[SETTING_TEXT];       /* names, each ended by NUL */
	size_t index_len;
	char hand_off[SETTING_TEXT];    /* as written */
	int64_t hand_off_above;
	int workers;                    /* 0: by the number of cores */
	char listen[SETTING_TEXT];
	unsigned listen_mode;           /* of a unix socket */
	enum symlink_policy symlinks;
	size_t page_size;
	bool codings[CODING_COUNT];
	char cache_dir[SETTING_TEXT];   /* as written: auto, off or a path */
	char cache_dir_path[SETTING_TEXT]; /* what that means for this user; "": none */
	char cache_hand_off[SETTING_TEXT];
	int64_t cache_memory;
	int64_t cache_disk;
	int64_t watches;
	int64_t snapshot_age;           /* seconds */
	char log[SETTING_TEXT];
	bool verbose;
	char source[SETTING_TEXT];      /* the configuration file read; "": none */
};

struct setting {
	const char *name;     /* in the file and, with --, on the command line */
	const char *standard; /* the default, as it would be written */
	const char *allowed;  /* for messages: what may stand there */
	const char *meaning;  /* for the help */
	/* Takes a value over. False: it is not one that is allowed, settings are unchanged. */
	bool (*take)(struct settings *settings, struct str value);
	/* Appends the value in force as it would be written in the file, quoted. */
	void (*show)(const struct settings *settings, struct buf *out);
	bool is_list;         /* several values, each taken on its own after an emptying take("") */
};

/* All of them, in the order in which they are shown; the last has name NULL. */
extern const struct setting settings_table[];

/* Takes a value over as the command line writes it: the members of a list with commas between. False as take. */
bool setting_take_all(struct settings *settings, const struct setting *setting, struct str value);

/* The setting of a name, or NULL. */
const struct setting *setting_find(const char *name);

/* Fills in the defaults. */
void settings_init(struct settings *settings);

/* Appends one line for each setting: name = value, as a configuration file. */
void settings_show(const struct settings *settings, struct buf *out);

/* The number of workers: as set, or one per core and at least two. */
int settings_workers(const struct settings *settings);

/* What a handler needs of it; strings are borrowed from settings. */
void settings_handler_options(const struct settings *settings, struct handler_options *options);

#endif
