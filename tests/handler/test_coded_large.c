/* Forms that take a while: who asks first waits for a thread, and nobody waits for anybody else's. */
#include "handler/coded.h"

#include "handler/coding.h"
#include "suites.h"

#include "fs/helper.h"

#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

Suite *coded_large_suite(void);

#define LARGE ((size_t)2 << 20)

static struct fixture f;

static void
setup(void)
{
	coding_make(&f);
	fixture_text(&f, "root/large.txt", LARGE);
	fixture_text(&f, "root/second.txt", LARGE);
	fixture_settle(&f);
	accept_coding(&f, "gzip");
	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	f.open = true;
}

static void
teardown(void)
{
	fixture_remove(&f);
}

/* Asks once, without waiting. */
static enum status
ask(struct response *response, const char *path)
{
	fixture_target(&f, path);
	handler_respond(&f.handler, &f.request, response);
	return response->status;
}

static void
collect(void)
{
	struct pollfd ready = { .fd = handler_descriptor(&f.handler), .events = POLLIN };

	ck_assert_int_eq(poll(&ready, 1, 60000), 1);
	handler_collect(&f.handler);
}

static void
give_back(struct response *response)
{
	handler_finish(&f.handler, response);
	response_release(response);
}

static const char *const codings[] = { "gzip", "zstd", "br" };

START_TEST(the_first_request_gets_it)
{
	int64_t length;
	char tag[64];

	accept_coding(&f, codings[_i]);
	f.request.method = METHOD_HEAD;
	ck_assert_int_eq(fixture_get(&f, "/large.txt"), 200);
	ck_assert_field(&f, "Content-Encoding", codings[_i]);
	length = f.response.content_length;
	fixture_etag(&f, tag);
	f.request.method = METHOD_GET;
	ck_assert_int_eq(fixture_get(&f, "/large.txt"), 200);
	check_whole(&f, codings[_i], LARGE);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	ck_assert_field(&f, "ETag", tag);
	ck_assert_int_eq(f.response.content_length, length);
	/* Of a file without a name nothing is ever taken away. */
	ck_assert(f.response.fd >= 0 && f.response.fd_is_stable);
}
END_TEST

/* Of what is kept nowhere as well: each time, and each time only once. */
START_TEST(without_a_place_to_keep_it)
{
	handler_release(&f.handler);
	f.options.cache_memory = 0;
	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	for (int i = 0; i < 3; i++) {
		struct response response;

		response_init(&response);
		ck_assert_int_eq(ask(&response, "/large.txt"), 0);
		collect();
		ck_assert_int_eq(ask(&response, "/large.txt"), 200);
		ck_assert_int_lt(response.content_length, (int64_t)LARGE);
		handler_collected(&f.handler);
		give_back(&response);
	}
}
END_TEST

START_TEST(who_asks_for_the_same_waits_for_the_same)
{
	struct response first, second, small;

	response_init(&first);
	response_init(&second);
	response_init(&small);
	ck_assert_int_eq(ask(&first, "/large.txt"), 0);
	ck_assert_int_eq(ask(&second, "/large.txt"), 0);
	/* Others are answered meanwhile. */
	ck_assert_int_eq(ask(&small, "/a.txt"), 200);
	collect();
	ck_assert_int_eq(ask(&first, "/large.txt"), 200);
	ck_assert_int_eq(ask(&second, "/large.txt"), 200);
	ck_assert_ptr_eq(first.owner, second.owner);
	handler_collected(&f.handler);
	give_back(&first);
	give_back(&second);
	give_back(&small);
}
END_TEST

/* One at a time: for another one it is made later. */
START_TEST(nobody_waits_behind_another)
{
	struct response first;

	response_init(&first);
	ck_assert_int_eq(ask(&first, "/large.txt"), 0);
	ck_assert_int_eq(fixture_get(&f, "/second.txt"), 200);
	check_whole(&f, NULL, LARGE);
	ck_assert_field(&f, "Vary", "Accept-Encoding");
	collect();
	ck_assert_int_eq(ask(&first, "/large.txt"), 200);
	handler_collected(&f.handler);
	give_back(&first);
	ck_assert(wait_for(&f, "/second.txt", "gzip", NULL));
	check_whole(&f, "gzip", LARGE);
}
END_TEST

struct held {
	struct job job;
	sem_t go;
};

static void
hold(struct job *job)
{
	sem_wait(&((struct held *)job)->go);
}

static void
forget(struct job *job)
{
	(void)job;
}

static bool
is_left_to_the_idle_thread(void)
{
	for (size_t i = 0; i < HANDLER_PENDING_MAX; i++)
		if (f.handler.pending[i].work != NULL)
			return true;
	return false;
}

/* The idle thread has other things to do first: then it is not left to it any longer than until somebody can wait for it, and is
 * not made twice. */
START_TEST(what_the_idle_thread_has_not_begun)
{
	struct held held = { .job = { .run = hold, .finish = forget } };
	struct response response;
	const struct blob *made;

	sem_init(&held.go, 0, 0);
	ck_assert(helper_submit(f.handler.helper, &held.job));
	response_init(&response);
	ck_assert_int_eq(ask(&response, "/large.txt"), 0);
	ck_assert_int_eq(fixture_get(&f, "/second.txt"), 200);
	ck_assert_no_field(&f, "Content-Encoding");
	collect();
	handler_collected(&f.handler);
	ck_assert(is_left_to_the_idle_thread());
	ck_assert_int_eq(fixture_get(&f, "/second.txt"), 200);
	check_whole(&f, "gzip", LARGE);
	made = f.response.owner;
	sem_post(&held.go);
	give_back(&response);
	for (int i = 0; i < 1000 && is_left_to_the_idle_thread(); i++) {
		usleep(10000);
		helper_collect(f.handler.helper);
	}
	ck_assert(!is_left_to_the_idle_thread());
	response_init(&response);
	ck_assert_int_eq(ask(&response, "/second.txt"), 200);
	ck_assert_ptr_eq(response.owner, made);
	give_back(&response);
	handler_release(&f.handler);
	f.open = false;
	sem_destroy(&held.go);
}
END_TEST

#define PLAIN_TAG "\"17979cfe362a0000-200000\""

/* Who gets the file as it is does not wait for another form of it. */
static const struct {
	const char *range, *if_none_match, *if_match;
	enum status status;
} others[] = {
	{ "bytes=0-9", NULL, NULL, 206 },
	{ "bytes=99999999-", NULL, NULL, 416 },
	{ NULL, PLAIN_TAG, NULL, 304 },
	{ NULL, NULL, PLAIN_TAG, 200 },
};

START_TEST(who_wants_no_other_form)
{
	struct response response;

	response_init(&response);
	f.request.range = str_from(others[_i].range);
	f.request.if_none_match = str_from(others[_i].if_none_match);
	f.request.if_match = str_from(others[_i].if_match);
	ck_assert_int_eq(ask(&response, "/large.txt"), others[_i].status);
	give_back(&response);
}
END_TEST

#define QUICK_TAG "\"17979cfe362a0000-200000.gz\""

/* Who had the form has it made again, since nothing else is of any use: what was kept of it is gone. */
static const struct {
	const char *range, *if_range, *if_none_match;
	enum status status;
} named[] = {
	{ "bytes=10-19", QUICK_TAG, NULL, 206 },
	{ NULL, NULL, QUICK_TAG, 304 },
	{ NULL, NULL, "*", 304 },
};

START_TEST(who_names_the_form)
{
	f.request.range = str_from(named[_i].range);
	f.request.if_range = str_from(named[_i].if_range);
	f.request.if_none_match = str_from(named[_i].if_none_match);
	ck_assert_int_eq(fixture_get(&f, "/large.txt"), named[_i].status);
	ck_assert_field(&f, "ETag", QUICK_TAG);
}
END_TEST

/* It is sent as it is sooner than it is coded. Row 1: to a request alone as well, and to any other. */
START_TEST(too_large_to_wait_for)
{
	const size_t size = ((size_t)8 << 20) + 1;

	fixture_text(&f, "root/huge.txt", size);
	fixture_settle(&f);
	if (_i == 1) {
		handler_release(&f.handler);
		f.options.alone = true;
		ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	}
	for (int i = 0; i < 1 + _i; i++) {
		ck_assert_int_eq(fixture_get(&f, "/huge.txt"), 200);
		check_whole(&f, NULL, size);
		ck_assert_field(&f, "Vary", "Accept-Encoding");
	}
	if (_i == 1)
		return;
	ck_assert(wait_for(&f, "/huge.txt", "gzip", NULL));
	check_whole(&f, "gzip", size);
}
END_TEST

/* Brotli has better ones of what is large, too. */
START_TEST(a_better_one_later)
{
	char quick[64];

	accept_coding(&f, "br");
	ck_assert_int_eq(fixture_get(&f, "/large.txt"), 200);
	check_whole(&f, "br", LARGE);
	fixture_etag(&f, quick);
	ck_assert(str_ends(str_from(quick), S(".br\"")));
	ck_assert(wait_for(&f, "/large.txt", "br", quick));
	check_whole(&f, "br", LARGE);
	ck_assert(str_ends(fixture_field(&f, "ETag"), S(".br9\"")));
}
END_TEST

/* What no coding makes smaller is tried once. */
START_TEST(what_does_not_get_smaller)
{
	char path[PATH_MAX], *bytes = malloc(LARGE);
	int from = open("/dev/urandom", O_RDONLY | O_CLOEXEC), to;
	struct response response;

	fixture_path(&f, "root/noise.txt", path);
	to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	for (size_t at = 0; at < LARGE; at += (size_t)1 << 18) {
		ck_assert_int_eq(read(from, bytes, (size_t)1 << 18), 1 << 18);
		ck_assert_int_eq(write(to, bytes, (size_t)1 << 18), 1 << 18);
	}
	close(from);
	close(to);
	free(bytes);
	fixture_settle(&f);
	ck_assert_int_eq(fixture_get(&f, "/noise.txt"), 200);
	ck_assert_no_field(&f, "Content-Encoding");
	response_init(&response);
	ck_assert_int_eq(ask(&response, "/noise.txt"), 200);
	give_back(&response);
}
END_TEST

/* The one that is there when it is asked for again is sent, whole, and neither coded nor waited for. */
START_TEST(replaced_while_it_is_coded)
{
	struct response response;

	response_init(&response);
	ck_assert_int_eq(ask(&response, "/large.txt"), 0);
	fixture_tick();
	fixture_text(&f, "root/large.txt", LARGE + 1);
	collect();
	ck_assert_int_eq(ask(&response, "/large.txt"), 200);
	ck_assert_int_eq(response.content_length, LARGE + 1);
	handler_collected(&f.handler);
	give_back(&response);
	fixture_settle(&f);
	ck_assert(wait_for(&f, "/large.txt", "gzip", NULL));
	check_whole(&f, "gzip", LARGE + 1);
}
END_TEST

/* Nobody is left who waits: it is kept for who comes. Or the process ends. */
START_TEST(given_up)
{
	struct response response;

	response_init(&response);
	ck_assert_int_eq(ask(&response, "/large.txt"), 0);
	give_back(&response);
	if (_i == 1)
		return;
	collect();
	handler_collected(&f.handler);
	response_init(&response);
	ck_assert_int_eq(ask(&response, "/large.txt"), 200);
	ck_assert_int_lt(response.content_length, (int64_t)LARGE);
	give_back(&response);
	ck_assert_int_eq(ask(&f.response, "/second.txt"), 0);
}
END_TEST

Suite *
coded_large_suite(void)
{
	Suite *suite = suite_create("handler/coded_large");

	suite_add_case(suite, the_first_request_gets_it, ROWS(codings), setup, teardown);
	suite_add_case(suite, without_a_place_to_keep_it, 1, setup, teardown);
	suite_add_case(suite, who_asks_for_the_same_waits_for_the_same, 1, setup, teardown);
	suite_add_case(suite, nobody_waits_behind_another, 1, setup, teardown);
	suite_add_case(suite, what_the_idle_thread_has_not_begun, 1, setup, teardown);
	suite_add_case(suite, who_wants_no_other_form, ROWS(others), setup, teardown);
	suite_add_case(suite, who_names_the_form, ROWS(named), setup, teardown);
	suite_add_case(suite, too_large_to_wait_for, 2, setup, teardown);
	suite_add_case(suite, a_better_one_later, 1, setup, teardown);
	suite_add_case(suite, what_does_not_get_smaller, 1, setup, teardown);
	suite_add_case(suite, replaced_while_it_is_coded, 1, setup, teardown);
	suite_add_case(suite, given_up, 2, setup, teardown);
	return suite;
}
