/* What every test program is made of: suites of check, each row of a table a test of its own. */
#ifndef TESTS_SUITES_H
#define TESTS_SUITES_H

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* Adds a loop test over a table to a suite as a test case of its own name. */
#define suite_add_rows(suite, test, table)                         \
	do {                                                       \
		TCase *rows = tcase_create(#test);                 \
		tcase_add_loop_test(rows, test, 0, ROWS(table));   \
		suite_add_tcase(suite, rows);                      \
	} while (0)

/* Adds one test without a table. */
#define suite_add_test(suite, test)                \
	do {                                       \
		TCase *one = tcase_create(#test);  \
		tcase_add_test(one, test);         \
		suite_add_tcase(suite, one);       \
	} while (0)

/* Adds a test of so many rows as a test case of its own name: `setup` before each row and `teardown` after it, either of them
 * NULL for none. The time is enough for a busy machine, with a sanitizer too. */
static inline void
suite_add_case(Suite *suite, const TTest *test, int rows, SFun setup, SFun teardown)
{
	TCase *one = tcase_create(test->name);

	tcase_set_timeout(one, 120);
	tcase_add_checked_fixture(one, setup, teardown);
	tcase_add_loop_test(one, test, 0, rows);
	suite_add_tcase(suite, one);
}

/* The same, set up once for all rows. */
static inline void
suite_add_shared_case(Suite *suite, const TTest *test, int rows, SFun setup, SFun teardown)
{
	TCase *one = tcase_create(test->name);

	tcase_set_timeout(one, 120);
	tcase_add_unchecked_fixture(one, setup, teardown);
	tcase_add_loop_test(one, test, 0, rows);
	suite_add_tcase(suite, one);
}

/* Says what could not be tried on this machine, and why; the test passes. `make check` says it once more at its end. */
static inline void __attribute__((format(printf, 1, 2)))
suite_skipped(const char *format, ...)
{
	char line[512];
	va_list values;

	va_start(values, format);
	vsnprintf(line, sizeof(line), format, values);
	va_end(values);
	dprintf(STDERR_FILENO, "skipped: %s\n", line);
}

/* Compares a struct str with a C string, and shows both on failure. */
#define ck_assert_str_is(got, want)                                                                      \
	ck_assert_msg(str_eq((got), str_from(want)), "got \"%.*s\", wanted \"%s\"", STR_ARGS(got), (want))

static inline int
suites_run(Suite **suites, size_t count)
{
	SRunner *runner = srunner_create(suites[0]);
	int failed;

	for (size_t i = 1; i < count; i++)
		srunner_add_suite(runner, suites[i]);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
