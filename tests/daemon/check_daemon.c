/* The tests of src/daemon, each in a directory of its own. */
#include "suites.h"

Suite *listen_suite(void);
Suite *listen_tcp_suite(void);
Suite *log_suite(void);
Suite *settings_suite(void);
Suite *configfile_suite(void);
Suite *options_suite(void);
Suite *self_suite(void);
Suite *pool_suite(void);
Suite *pool_stop_suite(void);

int
main(void)
{
	Suite *suites[] = {
		listen_suite(), listen_tcp_suite(), log_suite(), settings_suite(), configfile_suite(), options_suite(),
		self_suite(), pool_suite(), pool_stop_suite(),
	};

	return suites_run(suites, ROWS(suites));
}
