/* The functions behind settings_table: how the value of each setting is taken over and shown (struct setting says what
 * both must do). */
#ifndef DAEMON_SETTING_VALUES_H
#define DAEMON_SETTING_VALUES_H

#include "daemon/settings.h"

bool take_root(struct settings *settings, struct str value);
void show_root(const struct settings *settings, struct buf *out);
bool take_url_prefix(struct settings *settings, struct str value);
void show_url_prefix(const struct settings *settings, struct buf *out);
bool take_index(struct settings *settings, struct str value);
void show_index(const struct settings *settings, struct buf *out);
bool take_hand_off(struct settings *settings, struct str value);
void show_hand_off(const struct settings *settings, struct buf *out);
bool take_hand_off_above(struct settings *settings, struct str value);
void show_hand_off_above(const struct settings *settings, struct buf *out);
bool take_page_size(struct settings *settings, struct str value);
void show_page_size(const struct settings *settings, struct buf *out);
bool take_codings(struct settings *settings, struct str value);
void show_codings(const struct settings *settings, struct buf *out);
bool take_cache_dir(struct settings *settings, struct str value);
void show_cache_dir(const struct settings *settings, struct buf *out);
bool take_cache_hand_off(struct settings *settings, struct str value);
void show_cache_hand_off(const struct settings *settings, struct buf *out);
bool take_cache_memory(struct settings *settings, struct str value);
void show_cache_memory(const struct settings *settings, struct buf *out);
bool take_cache_disk(struct settings *settings, struct str value);
void show_cache_disk(const struct settings *settings, struct buf *out);
bool take_watches(struct settings *settings, struct str value);
void show_watches(const struct settings *settings, struct buf *out);
bool take_snapshot_age(struct settings *settings, struct str value);
void show_snapshot_age(const struct settings *settings, struct buf *out);
bool take_workers(struct settings *settings, struct str value);
void show_workers(const struct settings *settings, struct buf *out);
bool take_listen(struct settings *settings, struct str value);
void show_listen(const struct settings *settings, struct buf *out);
bool take_listen_mode(struct settings *settings, struct str value);
void show_listen_mode(const struct settings *settings, struct buf *out);
bool take_symlinks(struct settings *settings, struct str value);
void show_symlinks(const struct settings *settings, struct buf *out);
bool take_log(struct settings *settings, struct str value);
void show_log(const struct settings *settings, struct buf *out);
bool take_verbose(struct settings *settings, struct str value);
void show_verbose(const struct settings *settings, struct buf *out);

#endif
