/* Large folders, which a thread reads: who waits is told, gets what was read after he came, and nothing is kept when all have it. */
#include "handler/scan.h"

#include "handler/fixture.h"
#include "suites.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

Suite *scan_suite(void);

/* More than is read while others wait. */
#define MANY 17000

static struct fixture f;

static void
make_many(const char *path)
{
	char name[PATH_MAX];
	int dir, fd;

	fixture_directory(&f, path);
	fixture_path(&f, path, name);
	dir = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "f%05d", i);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		ck_assert_int_ge(fd, 0);
		close(fd);
	}
	close(dir);
}

static void
setup(void)
{
	fixture_make(&f);
	make_many("root/dir");
	fixture_file(&f, "root/a.txt", "other");
	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	f.open = true;
}

static void
teardown(void)
{
	fixture_remove(&f);
}

/* One who asks, until he is answered. */
struct asker {
	struct request request;
	struct response response;
};

static void
try_again(struct asker *asker)
{
	handler_finish(&f.handler, &asker->response);
	response_reset(&asker->response);
	handler_respond(&f.handler, &asker->request, &asker->response);
}

static void
come(struct asker *asker, const char *path, uint64_t order)
{
	asker->request = f.request;
	asker->request.url = asker->request.path = str_from(path);
	asker->request.order = order;
	response_init(&asker->response);
	try_again(asker);
}

static void
go(struct asker *asker)
{
	handler_finish(&f.handler, &asker->response);
	response_release(&asker->response);
}

static bool
is_ready(int milliseconds)
{
	struct pollfd ready = { .fd = handler_descriptor(&f.handler), .events = POLLIN };

	ck_assert_int_ge(ready.fd, 0);
	return poll(&ready, 1, milliseconds) == 1;
}

/* What the gateway does when the descriptor is readable. How many still wait. */
static int
wake(struct asker *askers, int count)
{
	int waiting = 0;

	ck_assert(is_ready(60000));
	handler_collect(&f.handler);
	for (int i = 0; i < count; i++) {
		if (askers[i].response.status == 0)
			try_again(&askers[i]);
		waiting += askers[i].response.status == 0;
	}
	handler_collected(&f.handler);
	return waiting;
}

static bool
has(const struct asker *asker, const char *text)
{
	const struct response *response = &asker->response;
	struct buf content;
	bool found;

	ck_assert_int_eq(response->status, 200);
	buf_init(&content, (size_t)64 << 20);
	for (size_t i = 0; i < response->segment_count; i++) {
		const struct segment *segment = &response->segments[i];
		size_t len = (size_t)segment->length;

		ck_assert(buf_reserve(&content, len + 1));
		if (segment->bytes != NULL)
			buf_bytes(&content, segment->bytes, len);
		else
			content.len += (size_t)pread(response->fd, content.ptr + content.len, len, segment->offset);
	}
	found = content.len > 0 && memmem(content.ptr, content.len, text, strlen(text)) != NULL;
	buf_release(&content);
	return found;
}

static int
count_kept(void)
{
	int count = 0;

	for (int i = 0; i < HANDLER_SCANS_MAX; i++)
		count += f.handler.scans[i].valid || f.handler.scans[i].blob != NULL;
	return count;
}

/* Who asks for something else does not take the call from the one who waits. */
START_TEST(others_leave_the_call_to_who_waits)
{
	struct asker waiting, other;

	come(&waiting, "/dir/", 1);
	ck_assert_int_eq(waiting.response.status, 0);
	ck_assert(is_ready(60000));
	for (uint64_t i = 0; i < 3; i++) {
		come(&other, "/a.txt", 2 + i);
		ck_assert_int_eq(other.response.status, 200);
		go(&other);
		ck_assert(is_ready(0));
	}
	ck_assert_int_eq(wake(&waiting, 1), 0);
	ck_assert(has(&waiting, " 17000 files"));
	ck_assert_int_eq(count_kept(), 0);
	go(&waiting);
}
END_TEST

/* Tried again in either order, however far the thread is: nobody is left behind. */
START_TEST(two_folders_at_once)
{
	struct asker askers[2];
	int turns = 0;

	make_many("root/second");
	come(&askers[_i % 2], "/dir/", 1);
	come(&askers[1 - _i % 2], "/second/", 2);
	ck_assert(is_ready(60000));
	handler_collect(&f.handler);
	try_again(&askers[0]);
	/* Both are done before the other one is tried. */
	if (_i >= 2)
		is_ready(60000);
	try_again(&askers[1]);
	handler_collected(&f.handler);
	while (askers[0].response.status == 0 || askers[1].response.status == 0) {
		wake(askers, 2);
		ck_assert_int_lt(++turns, 3);
	}
	for (int i = 0; i < 2; i++) {
		ck_assert(has(&askers[i], " 17000 files"));
		go(&askers[i]);
	}
	ck_assert_int_eq(count_kept(), 0);
}
END_TEST

/* Who comes while it is read waits for the next reading, all of them for the same, whoever is tried first. */
START_TEST(late_comers)
{
	struct asker askers[6];
	int turns = 0;

	come(&askers[0], "/dir/", 1);
	fixture_file(&f, "root/dir/late", "");
	for (int i = 1; i < ROWS(askers); i++)
		come(&askers[i], "/dir/", _i == 0 ? (uint64_t)i + 1 : 10 - (uint64_t)i);
	while (wake(askers, ROWS(askers)) > 0)
		ck_assert_int_lt(++turns, 2);
	for (int i = 0; i < ROWS(askers); i++) {
		ck_assert(i == 0 || has(&askers[i], "<a href=\"late\">"));
		go(&askers[i]);
	}
	ck_assert_int_eq(count_kept(), 0);
}
END_TEST

/* The clock is set back an hour: what was read before that is not fresh for it. */
START_TEST(clock_set_back)
{
	f.options.watches = _i == 0 ? 16 : 0;
	handler_release(&f.handler);
	ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	for (uint64_t i = 0; i < 3; i++) {
		char name[64], want[64];

		f.request.order++;
		ck_assert_int_eq(fixture_get(&f, "/dir/"), 200);
		snprintf(want, sizeof(want), " %d files", MANY + (int)i);
		ck_assert(fixture_has(&f, want));
		ck_assert_int_eq(count_kept(), 0);
		snprintf(name, sizeof(name), "root/dir/g%d", (int)i);
		fixture_file(&f, name, "");
		f.request.received -= 3600 * SECOND;
	}
}
END_TEST

/* Where no thread can be had (a limit of processes) it is read all the same. */
START_TEST(without_a_thread)
{
	struct asker asker;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	ck_assert_int_eq(pthread_attr_setstacksize(&attributes, (size_t)1 << 46), 0);
	ck_assert_int_eq(pthread_setattr_default_np(&attributes), 0);
	come(&asker, "/dir/", 1);
	ck_assert_int_eq(wake(&asker, 1), 0);
	ck_assert(has(&asker, " 17000 files"));
	go(&asker);
}
END_TEST

static void
ask_for_names_alone(void)
{
	struct asker asker;

	come(&asker, "/dir/", 1);
	ck_assert_int_eq(wake(&asker, 1), 0);
	ck_assert_int_eq(asker.response.status, 200);
	go(&asker);
}

/* A folder that may be read and not entered shows its names. */
START_TEST(names_alone)
{
	f.options.index_count = 0;
	fixture_mode(&f, "root/dir", 0744);
	ck_assert_int_eq(without_privilege(ask_for_names_alone), 0);
}
END_TEST

/* Its coded form is made in another thread, and waited for once: of what was read then, whatever is there by now. */
START_TEST(coded_while_it_changes)
{
	struct asker asker;
	int turns = 0;

	if (_i == 1) {
		handler_release(&f.handler);
		f.options.watches = 16;
		f.options.cache_memory = (size_t)64 << 20;
		ck_assert_int_eq(handler_init(&f.handler, &f.options), 0);
	}
	f.options.codings[CODING_IDENTITY] = f.options.codings[CODING_BR] = true;
	f.request.accept_encoding = S("br");
	come(&asker, "/dir/", 1);
	do {
		fixture_file(&f, "root/dir/f00000", "longer" + turns);
		ck_assert_int_lt(++turns, 4);
	} while (wake(&asker, 1) != 0);
	ck_assert_int_eq(asker.response.status, 200);
	ck_assert_int_eq(count_kept(), 0);
	go(&asker);
}
END_TEST

/* Whoever waited has gone: the result goes too. */
START_TEST(nobody_waits_any_more)
{
	struct asker gone;

	come(&gone, "/dir/", 1);
	ck_assert_int_eq(count_kept(), 1);
	go(&gone);
	wake(NULL, 0);
	ck_assert_int_eq(count_kept(), 0);
}
END_TEST

Suite *
scan_suite(void)
{
	Suite *suite = suite_create("handler/scan");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 120);
	tcase_add_test(all, others_leave_the_call_to_who_waits);
	tcase_add_loop_test(all, two_folders_at_once, 0, 4);
	tcase_add_loop_test(all, late_comers, 0, 2);
	tcase_add_loop_test(all, clock_set_back, 0, 2);
	tcase_add_test(all, names_alone);
	tcase_add_loop_test(all, coded_while_it_changes, 0, 2);
	tcase_add_test(all, nobody_waits_any_more);
	tcase_add_test(all, without_a_thread);
	suite_add_tcase(suite, all);
	return suite;
}
