/* Keeps the cache directory below its number of bytes. */
#ifndef FS_BLOBDIR_SWEEP_H
#define FS_BLOBDIR_SWEEP_H

#include "fs/blobdir.h"

/* A file that was used stays for this long at least: a front may have been told its name. */
#define BLOBDIR_STAY_SECONDS 120

/* A use is noted when the last one noted is so long ago. */
#define BLOBDIR_TOUCH_SECONDS 30

/* The longest name of a file in it, and its end. */
#define BLOBDIR_NAME 48

/* Takes away what was not used for longest until the directory of this boot is well below its budget, and what
 * earlier boots left. False when what was used a moment ago is more than the budget. */
bool blobdir_sweep(const struct blobdir *dir);

#endif
