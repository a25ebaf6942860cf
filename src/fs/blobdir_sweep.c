/* What was not used for longest goes first. Only our own names: whoever configures a directory that holds other
 * things keeps them. */
#include "fs/blobdir_sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OTHER_BOOT_SECONDS 86400

struct old_file {
	char name[BLOBDIR_NAME];
	int64_t size;
	time_t used;
};

static int
compare_age(const void *left, const void *right)
{
	const struct old_file *a = left, *b = right;

	return (a->used > b->used) - (a->used < b->used);
}

static bool
is_own_name(const char *name)
{
	return strncmp(name, "part.", 5) == 0 || strncmp(name, "lock.", 5) == 0 ||
	    (strlen(name) == 32 && strspn(name, "0123456789abcdef") == 32);
}

/* When it was used last. A time to come is of a clock that was set back since: it begins to age now. */
static time_t
last_use(int at, const char *name, const struct stat *st)
{
	const time_t now = time(NULL);
	const struct timespec times[] = { { .tv_sec = now }, { .tv_sec = now } };

	if (st->st_mtime <= now + BLOBDIR_TOUCH_SECONDS)
		return st->st_mtime;
	if (is_own_name(name))
		utimensat(at, name, times, AT_SYMLINK_NOFOLLOW);
	return now;
}

/* All files of a directory. The number, and *list to be freed. */
static size_t
list_files(int at, struct old_file **list, int64_t *sum)
{
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	size_t count = 0, capacity = 0;
	struct dirent *one;
	struct stat st;

	*list = NULL;
	*sum = 0;
	if (stream == NULL && fd >= 0)
		close(fd);
	while (stream != NULL && (one = readdir(stream)) != NULL) {
		size_t len = strlen(one->d_name);

		if (one->d_name[0] == '.' || len >= BLOBDIR_NAME || fstatat(at, one->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (count == capacity) {
			size_t wanted = capacity == 0 ? 256 : capacity * 2;
			struct old_file *grown = realloc(*list, wanted * sizeof(*grown));

			if (grown == NULL)
				break;
			*list = grown;
			capacity = wanted;
		}
		memcpy((*list)[count].name, one->d_name, len + 1);
		(*list)[count].size = st.st_size;
		(*list)[count++].used = last_use(at, one->d_name, &st);
		*sum += st.st_size;
	}
	if (stream != NULL)
		closedir(stream);
	return count;
}

/* Takes the longest unused away until so much is left, none that was used after `newest`. The bytes that stay. */
static int64_t
sweep_files(int at, int64_t budget, int64_t left, time_t newest)
{
	struct old_file *list;
	struct stat st;
	int64_t sum;
	size_t count = list_files(at, &list, &sum);

	if (sum > budget && count > 0) {
		qsort(list, count, sizeof(*list), compare_age);
		for (size_t i = 0; i < count && sum > left && list[i].used < newest; i++) {
			/* Somebody may have begun to use it since. */
			if (!is_own_name(list[i].name) || fstatat(at, list[i].name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
			    st.st_mtime >= newest || unlinkat(at, list[i].name, 0) != 0)
				continue;
			sum -= list[i].size;
		}
	}
	free(list);
	return sum;
}

static bool
is_boot_name(const char *name)
{
	return strcmp(name, "boot") == 0 || (strlen(name) == 36 && strspn(name, "0123456789abcdef-") == 36);
}

/* What earlier boots left, unless another machine that shares the directory uses it. */
static void
sweep_boots(const struct blobdir *dir)
{
	int above = openat(dir->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = above >= 0 ? fdopendir(above) : NULL;
	struct dirent *one;

	if (stream == NULL && above >= 0)
		close(above);
	while (stream != NULL && (one = readdir(stream)) != NULL) {
		int fd;

		if (!is_boot_name(one->d_name) || strcmp(one->d_name, dir->boot) == 0)
			continue;
		fd = openat(above, one->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		sweep_files(fd, -1, -1, time(NULL) - OTHER_BOOT_SECONDS);
		close(fd);
		unlinkat(above, one->d_name, AT_REMOVEDIR);
	}
	if (stream != NULL)
		closedir(stream);
}

bool
blobdir_sweep(const struct blobdir *dir)
{
	int64_t left = sweep_files(dir->fd, dir->budget, dir->budget / 4 * 3, time(NULL) - BLOBDIR_STAY_SECONDS);

	sweep_boots(dir);
	return left <= dir->budget;
}

