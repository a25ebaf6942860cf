/* A handler on a tree of its own, and what a test looks at of an answer: no socket, no process. */
#ifndef TESTS_HANDLER_FIXTURE_H
#define TESTS_HANDLER_FIXTURE_H

#include "handler/handler.h"

#include <limits.h>
#include <time.h>

/* When every request of these tests comes in: an hour after WRITTEN, the time that fixture_file gives. */
#define SECOND INT64_C(1000000000)
#define WRITTEN INT64_C(1700000000)
#define WRITTEN_TEXT "Tue, 14 Nov 2023 22:13:20 GMT"
#define RECEIVED ((WRITTEN + 3600) * SECOND)

struct fixture {
	char base[PATH_MAX];  /* the directory that is removed at the end */
	char root[PATH_MAX];  /* base/root */
	struct handler_options options;
	struct handler handler;
	bool open;
	struct request request;
	struct response response;
	struct buf content;   /* what the client would get */
};

/* A tree with an empty root and a request for "/" with nothing in it. The handler is opened by the first ask. */
void fixture_make(struct fixture *f);
void fixture_remove(struct fixture *f);

/* Makes things below base ("root/a"): directories with 0755, files with mode 0644 and the time WRITTEN. */
void fixture_directory(const struct fixture *f, const char *path);
void fixture_file(const struct fixture *f, const char *path, const char *content);
void fixture_bytes(const struct fixture *f, const char *path, size_t size); /* byte i is pattern_at(i) */
void fixture_text(const struct fixture *f, const char *path, size_t size);  /* byte i is text_at(i): gets half as long */
void fixture_link(const struct fixture *f, const char *path, const char *target);
void fixture_time(const struct fixture *f, const char *path, int64_t seconds, long nanoseconds);
void fixture_mode(const struct fixture *f, const char *path, unsigned mode);
void fixture_path(const struct fixture *f, const char *path, char out[PATH_MAX]);

char pattern_at(size_t i);
char text_at(size_t i);

/* Lets the request come ten seconds from now: what was written up to now is taken for settled, so it is kept. Whoever changes
 * something afterwards lets the file system's clock tick first. */
void fixture_settle(struct fixture *f);

/* Waits until files written from now on get another time than those written up to now. */
void fixture_tick(void);

/* Sets url and path of the request, keeps the rest. */
void fixture_target(struct fixture *f, const char *path);

/* Answers the request; the answer stays until the next ask. The content is gathered (none for HEAD) and its length is
 * compared with what the answer says; the status is returned. */
enum status fixture_ask(struct fixture *f);

/* fixture_target and fixture_ask. */
enum status fixture_get(struct fixture *f, const char *path);

/* What the content of the last answer is made of. */
enum body_kind { BODY_NONE, BODY_BYTES, BODY_FILE, BODY_MULTIPART, BODY_HANDOFF };
enum body_kind fixture_body(const struct fixture *f);

/* A field's value, ptr NULL when there is none. A field that is there twice fails the test. */
struct str fixture_field(const struct fixture *f, const char *name);

/* Whether the content, or a str, holds a text. */
bool fixture_has(const struct fixture *f, const char *text);

/* How often the content holds a text. */
size_t fixture_count(const struct fixture *f, const char *text);

/* Copies the ETag of the last answer. */
void fixture_etag(const struct fixture *f, char out[64]);

#define ck_assert_field(f, name, want) ck_assert_str_is(fixture_field((f), (name)), (want))
#define ck_assert_no_field(f, name) ck_assert_ptr_null(fixture_field((f), (name)).ptr)
#define ck_assert_content(f, want) ck_assert_str_is(buf_view(&(f)->content), (want))

/* Runs a function in a child that may not read everything: as nobody when we are root. 0 when its checks passed. */
int without_privilege(void (*run)(void));

#endif
