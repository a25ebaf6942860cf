#include "temporary.h"

#include "suites.h"

#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

void
temporary_make(const char *of, char *path, size_t room)
{
	const char *tmp = getenv("TMPDIR");
	char made[PATH_MAX], *real;

	snprintf(made, sizeof(made), "%s/staticgi-%s-XXXXXX", tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp", of);
	ck_assert_ptr_nonnull(mkdtemp(made));
	real = realpath(made, NULL);
	ck_assert(real != NULL && strlen(real) < room);
	memcpy(path, real, strlen(real) + 1);
	free(real);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path) == 0 ? 0 : -1;
}

/* Called before what is in a directory is looked at: a test may have closed it for its owner too. */
static int
open_up(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)at;
	return type == FTW_D && (st->st_mode & 0700) != 0700 ? chmod(path, 0700) : 0;
}

void
remove_all(const char *path)
{
	nftw(path, remove_one, 16, FTW_PHYS | FTW_DEPTH);
}

void
temporary_remove(const char *path)
{
	nftw(path, open_up, 16, FTW_PHYS);
	remove_all(path);
}
