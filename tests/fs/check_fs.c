/* The tests of src/fs, each in a tree of its own. */
#include "suites.h"

Suite *root_suite(void);
Suite *file_suite(void);
Suite *directory_suite(void);
Suite *filetype_suite(void);
Suite *magic_suite(void);

int
main(void)
{
	Suite *suites[] = {
		root_suite(), file_suite(), directory_suite(), filetype_suite(), magic_suite(),
	};

	return suites_run(suites, sizeof(suites) / sizeof(suites[0]));
}
