/* The tests of src/handler: whole answers, no socket. */
#include "suites.h"

Suite *coded_suite(void);
Suite *handler_suite(void);
Suite *handoff_suite(void);
Suite *pages_suite(void);
Suite *problem_suite(void);
Suite *serve_file_suite(void);
Suite *serve_listing_suite(void);
Suite *untold_suite(void);

int
main(void)
{
	Suite *suites[] = {
		coded_suite(), handler_suite(), handoff_suite(), pages_suite(), problem_suite(), serve_file_suite(),
		serve_listing_suite(), untold_suite(),
	};

	return suites_run(suites, sizeof(suites) / sizeof(suites[0]));
}
