/* The tests of src/http, one suite a file. */
#include "suites.h"

Suite *status_suite(void);
Suite *request_suite(void);
Suite *response_suite(void);
Suite *date_suite(void);
Suite *etag_suite(void);
Suite *range_suite(void);
Suite *multipart_suite(void);
Suite *conditional_suite(void);
Suite *negotiate_suite(void);
Suite *path_suite(void);

int
main(void)
{
	Suite *suites[] = {
		status_suite(), request_suite(), response_suite(), date_suite(), etag_suite(), range_suite(),
		multipart_suite(), conditional_suite(), negotiate_suite(), path_suite(),
	};

	return suites_run(suites, ROWS(suites));
}
