/* A key's path is asked of the directory itself, so that no test knows how it names its files. */
#include "fs/cachedir.h"

#include "suites.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct hash
key_of(unsigned n)
{
	return (struct hash){ .high = 0x0123456789abcdef, .low = n * 16 + 1 };
}

const char *
path_of(const struct tree *tree, const struct blobdir *dir, struct hash key)
{
	static char path[256];
	struct buf out = { .ptr = path, .cap = sizeof(path) - 1, .max = sizeof(path) - 1 };

	blobdir_path(dir, key, &out);
	path[out.len] = '\0';
	ck_assert(str_starts(str_from(path), str_from(tree->path)));
	return path + strlen(tree->path) + 1;
}

void
check_content(int fd, const char *want)
{
	char got[64] = "";

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, got, sizeof(got) - 1, 0), (ssize_t)strlen(want));
	ck_assert_str_eq(got, want);
	close(fd);
}

int
count_files(const struct blobdir *dir, int64_t *bytes)
{
	DIR *stream = fdopendir(openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *one;
	struct stat st;
	int count = 0;

	*bytes = 0;
	ck_assert_ptr_nonnull(stream);
	while ((one = readdir(stream)) != NULL) {
		if (one->d_name[0] == '.')
			continue;
		ck_assert_int_eq(fstatat(dir->fd, one->d_name, &st, AT_SYMLINK_NOFOLLOW), 0);
		*bytes += st.st_size;
		count++;
	}
	closedir(stream);
	return count;
}

void
set_age(const struct tree *tree, const char *path, int seconds)
{
	tree_time(tree, path, time(NULL) - seconds, 0);
}

void
write_many(const struct tree *tree, struct blobdir *dir, unsigned from, unsigned to, int age)
{
	static char block[1024];

	for (unsigned i = from; i < to; i++) {
		int fd = blobdir_write(dir, key_of(i), (struct str){ block, sizeof(block) });

		ck_assert_int_ge(fd, 0);
		close(fd);
		if (age > 0)
			set_age(tree, path_of(tree, dir, key_of(i)), age);
	}
}
