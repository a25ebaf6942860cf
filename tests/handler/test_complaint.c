/* What the log is told of: once, and whose fault it is. The cache directory's troubles are in test_coded_cachedir.c. */
#include "handler/handler.h"

#include "handler/fixture.h"
#include "suites.h"

#include <stdio.h>

Suite *complaint_suite(void);

static struct fixture f;

static void
setup(void)
{
	fixture_make(&f);
	fixture_file(&f, "root/a.txt", "a");
	fixture_directory(&f, "root/dir");
}

static void
teardown(void)
{
	fixture_remove(&f);
}

static void
check_told(const char *value)
{
	struct complaint complaint = handler_complaint(&f.handler);

	ck_assert_int_eq(complaint.about, value != NULL ? COMPLAINT_HANDOFF : COMPLAINT_NONE);
	if (value != NULL)
		ck_assert_str_is(complaint.what, value);
	ck_assert_int_eq(handler_complaint(&f.handler).about, COMPLAINT_NONE);
}

static void
get_with(const char *value)
{
	f.request.handoff = str_from(value);
	ck_assert_int_eq(fixture_get(&f, "/a.txt"), 200);
	ck_assert_content(&f, "a");
}

static const struct {
	const char *value;
	bool wrong;
} values[] = {
	{ "", false }, { "off", false }, { "x-sendfile", false }, { "x-accel-redirect+vary:/p/", false },
	{ "x-sendfil", true }, { "X-Sendfile", true }, { "x-sendfile ", true }, { "on", true }, { "x-accel-redirect", true },
	{ "x-accel-redirect:/p", true }, { "x-sendfile:/p/", true }, { "a\nb\xff", true },
};

START_TEST(a_wrong_hand_off_is_told_once)
{
	const char *told = values[_i].wrong ? values[_i].value : NULL;

	for (int i = 0; i < 3; i++) {
		get_with(values[_i].value);
		check_told(i == 0 ? told : NULL);
	}
}
END_TEST

/* Two sites on one worker, each with a mistake of its own; and a request between, before the first one was told. */
START_TEST(each_value_is_told)
{
	get_with("one");
	get_with("two");
	get_with("x-sendfile");
	check_told("one");
	get_with("two");
	check_told("two");
	get_with("one");
	check_told(NULL);
	get_with("two");
	check_told(NULL);
}
END_TEST

/* A value that is made of what clients send cannot fill the log. */
START_TEST(not_without_end)
{
	int told = 0;

	for (int i = 0; i < 1000; i++) {
		char value[16];

		snprintf(value, sizeof(value), "value %d", i);
		get_with(value);
		told += handler_complaint(&f.handler).about == COMPLAINT_HANDOFF;
	}
	ck_assert_int_eq(told, HANDLER_MISTAKES_MAX);
}
END_TEST

START_TEST(a_long_one_is_cut)
{
	static char value[100001];
	struct complaint complaint;

	memset(value, 'x', sizeof(value) - 1);
	get_with(value);
	complaint = handler_complaint(&f.handler);
	ck_assert_int_eq(complaint.about, COMPLAINT_HANDOFF);
	ck_assert_uint_ge(complaint.what.len, 100);
	ck_assert_uint_le(complaint.what.len, 1000);
	get_with(value);
	check_told(NULL);
}
END_TEST

Suite *
complaint_suite(void)
{
	Suite *suite = suite_create("complaint");

	suite_add_case(suite, a_wrong_hand_off_is_told_once, ROWS(values), setup, teardown);
	suite_add_case(suite, each_value_is_told, 1, setup, teardown);
	suite_add_case(suite, not_without_end, 1, setup, teardown);
	suite_add_case(suite, a_long_one_is_cut, 1, setup, teardown);
	return suite;
}
