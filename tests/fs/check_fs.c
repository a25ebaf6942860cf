/* The tests of src/fs, each in a tree of its own. */
#include "suites.h"

Suite *root_suite(void);
Suite *root_renamed_suite(void);
Suite *file_suite(void);
Suite *directory_suite(void);
Suite *filetype_suite(void);
Suite *magic_suite(void);
Suite *watch_suite(void);
Suite *watch_changes_suite(void);
Suite *snapshot_suite(void);
Suite *snapshot_rows_suite(void);
Suite *listcache_suite(void);
Suite *listcache_large_suite(void);
Suite *listcache_random_suite(void);
Suite *listcache_told_suite(void);
Suite *listcache_mounted_suite(void);
Suite *blobs_suite(void);
Suite *blobdir_suite(void);
Suite *blobdir_sweep_suite(void);
Suite *blobdir_trouble_suite(void);
Suite *blobdir_shared_suite(void);
Suite *compress_suite(void);
Suite *subdirs_suite(void);
Suite *filecache_suite(void);
Suite *filecache_changes_suite(void);
Suite *helper_suite(void);

int
main(void)
{
	Suite *suites[] = {
		root_suite(), root_renamed_suite(), file_suite(), directory_suite(), filetype_suite(),
		magic_suite(), watch_suite(), watch_changes_suite(), snapshot_suite(), snapshot_rows_suite(), subdirs_suite(),
		listcache_suite(), listcache_large_suite(), listcache_mounted_suite(), listcache_random_suite(), listcache_told_suite(), blobs_suite(), blobdir_suite(),
		blobdir_shared_suite(), blobdir_sweep_suite(), blobdir_trouble_suite(), compress_suite(), filecache_suite(), filecache_changes_suite(),
		helper_suite(),
	};

	return suites_run(suites, sizeof(suites) / sizeof(suites[0]));
}
