#include "suites.h"

Suite *listing_suite(void);
Suite *listing_index_suite(void);
Suite *view_suite(void);
Suite *order_suite(void);
Suite *order_slow_suite(void);
Suite *order_windows_suite(void);
Suite *page_suite(void);
Suite *page_digest_suite(void);
Suite *html_suite(void);
Suite *html_pages_suite(void);
Suite *html_patch_suite(void);
Suite *json_suite(void);

int
main(void)
{
	Suite *suites[] = {
		listing_suite(), listing_index_suite(), view_suite(), order_suite(), order_slow_suite(), order_windows_suite(),
		page_suite(), page_digest_suite(), html_suite(), html_pages_suite(), html_patch_suite(), json_suite(),
	};

	return suites_run(suites, ROWS(suites));
}
