/* A directory becomes a listing: every name, then a look at it. Straight getdents64 into a block on the
 * stack, so that reading allocates nothing but what the listing keeps. */
#include "fs/directory.h"

#include "fs/file.h"
#include "http/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdalign.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the directory is, and room to put a name behind its path. */
struct place {
	const struct root *root;
	int dir;
	size_t path_len;
	char path[PATH_MAX + 1];
};

static void
entry_take(struct entry *entry, const struct stat *st)
{
	entry->kind = ENTRY_SPECIAL;
	if (S_ISREG(st->st_mode)) {
		entry->kind = ENTRY_FILE;
		entry->size = st->st_size;
	} else if (S_ISDIR(st->st_mode)) {
		entry->kind = ENTRY_DIRECTORY;
	}
	entry->has_stat = true;
	entry->mtime = file_nanoseconds(&st->st_mtim);
}

/* The target of a link, as the policy sees it: broken is all that is told of what it does not allow. */
static int
look_through(struct entry *entry, struct place *place, struct str name)
{
	size_t len = place->path_len + name.len;
	struct stat st;
	int fd;

	entry->is_link = true;
	entry->kind = ENTRY_BROKEN;
	if (place->root->symlinks == SYMLINKS_REFUSE || len > PATH_MAX)
		return 0;
	memcpy(place->path + place->path_len, name.ptr, name.len);
	fd = root_open_below(place->root, (struct str){ place->path, len }, O_PATH);
	if (fd == -ENOENT)
		return 0;
	if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
		return fd;
	if (fd >= 0 && fstat(fd, &st) == 0)
		entry_take(entry, &st);
	else
		entry->kind = ENTRY_UNREADABLE;
	if (fd >= 0)
		close(fd);
	return 0;
}

/* Fills the facts of an entry. -ENOENT when it vanished; other failures of its own are its kind. */
static int
look_at(struct entry *entry, struct place *place, const char *name, unsigned char type)
{
	struct stat st;

	*entry = (struct entry){ .kind = ENTRY_UNREADABLE, .is_link = type == DT_LNK };
	if (fstatat(place->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || errno == ENOMEM ? -errno : 0;
	if (S_ISLNK(st.st_mode))
		return look_through(entry, place, str_from(name));
	entry_take(entry, &st);
	return 0;
}

static int
add_name(struct listing *listing, struct place *place, const char *name, unsigned char type)
{
	struct entry facts;
	struct entry *entry;
	int error;

	if (name_is_hidden(str_from(name)))
		return 0;
	error = look_at(&facts, place, name, type);
	if (error != 0)
		return error == -ENOENT ? 0 : error;
	entry = listing_add(listing, str_from(name));
	if (entry == NULL)
		return -ENOMEM;
	entry->kind = facts.kind;
	entry->is_link = facts.is_link;
	entry->has_stat = facts.has_stat;
	entry->size = facts.size;
	entry->mtime = facts.mtime;
	return 0;
}

static int
add_block(struct listing *listing, struct place *place, const char *block, size_t len)
{
	for (size_t at = 0; at < len;) {
		const struct dirent64 *one = (const void *)(block + at);
		const char *name = block + at + offsetof(struct dirent64, d_name);
		int error = add_name(listing, place, name, one->d_type);

		if (error != 0)
			return error;
		at += one->d_reclen;
	}
	return 0;
}

int
directory_read(struct listing *listing, const struct root *root, int dir, struct str path)
{
	alignas(struct dirent64) char block[32768];
	struct place place = { .root = root, .dir = dir };
	ssize_t len;

	if (path.len >= PATH_MAX)
		return -ENOENT;
	if (path.len > 0)
		memcpy(place.path, path.ptr, path.len);
	place.path[path.len] = '/';
	place.path_len = path.len + 1;

	if (lseek(dir, 0, SEEK_SET) < 0)
		return -errno;
	while ((len = getdents64(dir, block, sizeof(block))) > 0) {
		int error = add_block(listing, &place, block, (size_t)len);

		if (error != 0)
			return error;
	}
	return len < 0 ? -errno : 0;
}
