/* The tests of src/base, one suite a file. */
#include "suites.h"

Suite *str_suite(void);
Suite *buf_suite(void);
Suite *escape_suite(void);
Suite *natural_suite(void);
Suite *cache_suite(void);

int
main(void)
{
	Suite *suites[] = { str_suite(), buf_suite(), escape_suite(), natural_suite(), cache_suite() };

	return suites_run(suites, ROWS(suites));
}
