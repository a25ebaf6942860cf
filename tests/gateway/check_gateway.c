/* The tests of src/gateway, one suite a file. */
#include "suites.h"

#include <signal.h>

Suite *cgi_suite(void);
Suite *exchange_suite(void);
Suite *fastcgi_suite(void);
Suite *fastcgi_ends_suite(void);
Suite *fastcgi_limits_suite(void);
Suite *fastcgi_records_suite(void);
Suite *libfcgi_suite(void);
Suite *locate_suite(void);
Suite *params_suite(void);
Suite *record_suite(void);
Suite *sink_suite(void);

int
main(void)
{
	Suite *suites[] = {
		params_suite(), locate_suite(), record_suite(), libfcgi_suite(),
		exchange_suite(), sink_suite(), fastcgi_suite(), fastcgi_ends_suite(), fastcgi_limits_suite(),
		fastcgi_records_suite(), cgi_suite(),
	};

	signal(SIGPIPE, SIG_IGN);
	return suites_run(suites, ROWS(suites));
}
