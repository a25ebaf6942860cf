/* The tests of src/handler: whole answers, no socket. */
#include "suites.h"

Suite *coded_suite(void);
Suite *coded_cachedir_suite(void);
Suite *coded_handoff_suite(void);
Suite *coded_kept_suite(void);
Suite *coded_large_suite(void);
Suite *coded_parts_suite(void);
Suite *complaint_suite(void);
Suite *handler_suite(void);
Suite *handed_off_suite(void);
Suite *handoff_suite(void);
Suite *index_suite(void);
Suite *kept_answer_suite(void);
Suite *coded_work_suite(void);
Suite *page_lost_suite(void);
Suite *pages_suite(void);
Suite *pages_changes_suite(void);
Suite *pages_large_suite(void);
Suite *pages_written_suite(void);
Suite *problem_suite(void);
Suite *rights_suite(void);
Suite *roots_suite(void);
Suite *scan_suite(void);
Suite *serve_file_suite(void);
Suite *serve_file_changes_suite(void);
Suite *serve_file_parts_suite(void);
Suite *serve_listing_suite(void);
Suite *serve_listing_tags_suite(void);
Suite *untold_suite(void);

int
main(void)
{
	Suite *suites[] = {
		coded_suite(), coded_cachedir_suite(), coded_handoff_suite(), coded_kept_suite(),
		coded_large_suite(), coded_parts_suite(), coded_work_suite(), page_lost_suite(), complaint_suite(), handed_off_suite(), handler_suite(), handoff_suite(), index_suite(), kept_answer_suite(), pages_suite(),
		pages_changes_suite(), pages_large_suite(), pages_written_suite(), problem_suite(), rights_suite(), roots_suite(),
		serve_file_suite(), serve_file_changes_suite(), serve_file_parts_suite(), serve_listing_suite(),
		scan_suite(), serve_listing_tags_suite(), untold_suite(),
	};

	return suites_run(suites, ROWS(suites));
}
