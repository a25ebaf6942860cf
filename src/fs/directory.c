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

/* From so many names on, the index of a listing is made where the names are read. */
#define INDEX_FROM 16000

/* A look as fstatat has one, and whether something is mounted there: then a change is told where it comes from. Without statx (an old
 * sandbox says EPERM) that is not known. */
static int
look_at(int at, const char *name, int flags, struct stat *st, bool *mounted)
{
	struct statx found;

	*mounted = false;
	if (statx(at, name, flags | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &found) != 0)
		return errno == EPERM || errno == ENOSYS ? fstatat(at, name, st, flags) : -1;
	*mounted = (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
	*st = (struct stat){
		.st_mode = found.stx_mode,
		.st_nlink = found.stx_nlink,
		.st_ino = found.stx_ino,
		.st_size = (off_t)found.stx_size,
		.st_mtim = { .tv_sec = found.stx_mtime.tv_sec, .tv_nsec = found.stx_mtime.tv_nsec },
	};
	return 0;
}

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
	entry->inode = (uint32_t)st->st_ino;
	entry->elsewhere = entry->is_link || S_ISDIR(st->st_mode) || st->st_nlink > 1;
	entry->mtime = file_nanoseconds(&st->st_mtim);
}

/* The target of a link, as the policy sees it: broken is all that is told of what it does not allow. */
static int
look_through(struct entry *entry, const struct root *root, struct str path, struct str name)
{
	char joined[PATH_MAX + 1];
	struct stat st;
	int fd;

	entry->is_link = true;
	entry->elsewhere = true;
	entry->kind = ENTRY_BROKEN;
	if (root->symlinks == SYMLINKS_REFUSE || path.len + 1 + name.len > PATH_MAX)
		return 0;
	memcpy(joined, path.ptr != NULL ? path.ptr : "", path.len);
	joined[path.len] = '/';
	memcpy(joined + path.len + 1, name.ptr, name.len);
	fd = root_open_below(root, (struct str){ joined, path.len + 1 + name.len }, O_PATH);
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

int
directory_look(const struct listing *listing, struct entry *entry, const struct root *root, int dir, struct str path)
{
	struct str name = listing_name(listing, entry);
	char text[NAME_MAX + 1];
	struct stat st;
	bool mounted;

	if (name.len > NAME_MAX)
		return -ENOENT;
	memcpy(text, name.ptr, name.len);
	text[name.len] = '\0';
	entry->kind = ENTRY_UNREADABLE;
	entry->looked = true;
	entry->has_stat = false;
	entry->elsewhere = false;
	entry->size = 0;
	entry->mtime = 0;
	if (look_at(dir, text, AT_SYMLINK_NOFOLLOW, &st, &mounted) < 0)
		return errno == ENOENT || errno == ENOMEM ? -errno : 0;
	entry->is_link = S_ISLNK(st.st_mode);
	if (entry->is_link)
		return look_through(entry, root, path, name);
	entry_take(entry, &st);
	entry->elsewhere = entry->elsewhere || mounted;
	return 0;
}

static enum entry_kind
kind_of_type(unsigned char type)
{
	if (type == DT_REG)
		return ENTRY_FILE;
	return type == DT_DIR ? ENTRY_DIRECTORY : ENTRY_SPECIAL;
}

static int
add_name(struct listing *listing, const struct root *root, int dir, struct str path, const struct dirent64 *one)
{
	struct str name = str_from(one->d_name);
	struct entry *entry;
	int error = 0;

	if (name_is_hidden(name))
		return 0;
	entry = listing_add(listing, name);
	if (entry == NULL)
		return -ENOMEM;
	entry->kind = (uint8_t)kind_of_type(one->d_type);
	entry->is_link = one->d_type == DT_LNK;
	if (one->d_type == DT_LNK || one->d_type == DT_UNKNOWN)
		error = directory_look(listing, entry, root, dir, path);
	if (error == -ENOENT)
		listing_remove(listing, entry);
	return error == -ENOENT ? 0 : error;
}

int
directory_names(struct listing *listing, const struct root *root, int dir, struct str path, size_t most)
{
	alignas(struct dirent64) char block[32768];
	size_t links = 0;
	ssize_t len;

	if (path.len >= PATH_MAX)
		return -ENOENT;
	if (lseek(dir, 0, SEEK_SET) < 0)
		return -errno;
	while ((len = getdents64(dir, block, sizeof(block))) > 0) {
		for (ssize_t at = 0; at < len;) {
			const struct dirent64 *one = (const void *)(block + at);
			int error = add_name(listing, root, dir, path, one);

			links += one->d_type == DT_LNK;
			if (error == 0 && listing->count + links * (DIRECTORY_LINK_LOOKS - 1) > most)
				error = -EFBIG;
			if (error != 0)
				return error;
			at += one->d_reclen;
		}
	}
	/* Some milliseconds for a large one, which a thread reads. Without memory it is tried again when it is needed. */
	if (len == 0 && listing->count >= INDEX_FROM)
		listing_index(listing);
	return len < 0 ? -errno : 0;
}

int
directory_look_all(struct listing *listing, const struct root *root, int dir, struct str path)
{
	int error = 0;

	for (size_t i = 0; i < listing->count && error == 0;) {
		struct entry *entry = &listing->entries[i];

		if (!entry->looked)
			error = directory_look(listing, entry, root, dir, path);
		if (error == -ENOENT)
			listing_remove(listing, entry);
		else
			i++;
		if (error == -ENOENT)
			error = 0;
	}
	return error;
}
