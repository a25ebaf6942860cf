/* The cache directory: files named by a hash, shared by processes, kept below a number of bytes. */
#ifndef FS_BLOBDIR_H
#define FS_BLOBDIR_H

#include "base/hash.h"

struct blobdir {
	const char *path;      /* as configured; NULL: none */
	int fd;                /* of this boot's directory in it; -1: not open */
	bool tried;            /* opening was tried */
	bool for_front;        /* another user, who is told a path, may read the file */
	int64_t budget;        /* bytes */
	int64_t written;       /* bytes since the last sweep */
	bool swept_elsewhere;  /* by another thread, with a view of its own, when sweep_due says so; set it after blobdir_init */
	bool sweep_due;
	int64_t full_until;    /* seconds of the monotonic clock: until then nothing is written */
	int error;             /* why it is not used, or could not be written; 0: it is, or was not tried */
	bool complained;
	char boot[37];         /* the name of this boot's directory */
	struct hash secret;    /* in all names where others than this user may read; else nothing */
};

/* Looks at nothing yet. */
void blobdir_init(struct blobdir *dir, const char *path, bool for_front, int64_t budget);
void blobdir_release(struct blobdir *dir);

/* The open file of a key and its length, or -errno. */
int blobdir_open(struct blobdir *dir, struct hash key, int64_t *length);

/* Writes a file and opens it. The descriptor, or -errno. Takes old files away when there is too much; -ENOSPC: what is
 * there is in use. */
int blobdir_write(struct blobdir *dir, struct hash key, struct str bytes);

/* Takes old files away now if there is too much. False: what is there is in use. */
bool blobdir_make_room(struct blobdir *dir);

/* Of one that is swept elsewhere: it was, and that said this of it. */
void blobdir_swept(struct blobdir *dir, bool has_room);

/* A key's open file is in use: it will not be taken away for two minutes. False when its path does not lead to it any more: it was taken
 * away already, or the directory was. */
bool blobdir_touch(const struct blobdir *dir, struct hash key, int fd);

/* A claim to a key, so that of all processes one makes what takes long; nobody waits for it. A descriptor to be
 * given back with blobdir_disclaim (when it was written, or not), -EEXIST: it is there; -EBUSY: another process
 * makes it; -ENOENT: the directory cannot be used. */
int blobdir_claim(struct blobdir *dir, struct hash key);
void blobdir_disclaim(const struct blobdir *dir, struct hash key, int claim);

/* Appends the absolute path of a key. */
void blobdir_path(const struct blobdir *dir, struct hash key, struct buf *out);

/* Whether a directory could be used, without making anything: 0, or the -errno that keeps it from it. -EPERM: it is
 * another's, or others may write in it. */
int blobdir_check(const char *path);

/* Why it is not used, once; 0 else. */
int blobdir_complaint(struct blobdir *dir, const char **path);

#endif
