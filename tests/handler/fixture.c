/* What the answer says is compared with what is sent, whatever a test asks for. */
#include "handler/fixture.h"

#include "suites.h"
#include "temporary.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void
fixture_make(struct fixture *f)
{
	*f = (struct fixture){ .options = { .handoff_above = 65536 } };
	temporary_make("handler", f->base, sizeof(f->base));
	ck_assert_int_eq(chmod(f->base, 0755), 0);
	fixture_path(f, "root", f->root);
	fixture_directory(f, "root");
	f->options.root = str_from(f->root);
	f->options.index[0] = S("index.html");
	f->options.index_count = 1;
	response_init(&f->response);
	buf_init(&f->content, (size_t)64 << 20);
	f->request = (struct request){ .method = METHOD_GET, .front = FRONT_UNKNOWN, .received = RECEIVED };
	fixture_target(f, "/");
}

void
fixture_remove(struct fixture *f)
{
	handler_finish(&f->handler, &f->response);
	response_release(&f->response);
	buf_release(&f->content);
	if (f->open)
		handler_release(&f->handler);
	temporary_remove(f->base);
}

void
fixture_path(const struct fixture *f, const char *path, char out[PATH_MAX])
{
	int n = snprintf(out, PATH_MAX, "%s/%s", f->base, path);

	ck_assert(n > 0 && n < PATH_MAX);
}

void
fixture_directory(const struct fixture *f, const char *path)
{
	char full[PATH_MAX];

	fixture_path(f, path, full);
	ck_assert_int_eq(mkdir(full, 0755), 0);
	ck_assert_int_eq(chmod(full, 0755), 0);
}

static void
write_file(const struct fixture *f, const char *path, const char *bytes, size_t len)
{
	char full[PATH_MAX];
	int fd;

	fixture_path(f, path, full);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fchmod(fd, 0644), 0);
	ck_assert_int_eq(write(fd, bytes, len), (ssize_t)len);
	close(fd);
	fixture_time(f, path, WRITTEN, 0);
}

void
fixture_file(const struct fixture *f, const char *path, const char *content)
{
	write_file(f, path, content, strlen(content));
}

/* No period that a record or block length could have. */
char
pattern_at(size_t i)
{
	return (char)((i * 31 + i / 251) & 0xff);
}

void
fixture_bytes(const struct fixture *f, const char *path, size_t size)
{
	char *bytes = malloc(size);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = pattern_at(i);
	write_file(f, path, bytes, size);
	free(bytes);
}

/* Hex digits that no coding finds any order in. */
char
text_at(size_t i)
{
	uint64_t mixed = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);

	return "0123456789abcdef"[(mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 60];
}

void
fixture_text(const struct fixture *f, const char *path, size_t size)
{
	char *bytes = malloc(size);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = text_at(i);
	write_file(f, path, bytes, size);
	free(bytes);
}

void
fixture_link(const struct fixture *f, const char *path, const char *target)
{
	char full[PATH_MAX];

	fixture_path(f, path, full);
	ck_assert_int_eq(symlink(target, full), 0);
}

void
fixture_time(const struct fixture *f, const char *path, int64_t seconds, long nanoseconds)
{
	struct timespec times[2] = { { seconds, nanoseconds }, { seconds, nanoseconds } };
	char full[PATH_MAX];

	fixture_path(f, path, full);
	ck_assert_int_eq(utimensat(AT_FDCWD, full, times, AT_SYMLINK_NOFOLLOW), 0);
}

void
fixture_mode(const struct fixture *f, const char *path, unsigned mode)
{
	char full[PATH_MAX];

	fixture_path(f, path, full);
	ck_assert_int_eq(chmod(full, mode), 0);
}

void
fixture_settle(struct fixture *f)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	f->request.received = ((int64_t)now.tv_sec + 10) * SECOND;
}

void
fixture_tick(void)
{
	const struct timespec tick = { 0, 20000000 };

	nanosleep(&tick, NULL);
}

void
fixture_target(struct fixture *f, const char *path)
{
	f->request.url = f->request.path = str_from(path);
}

static void
gather(struct fixture *f)
{
	const struct response *response = &f->response;

	for (size_t i = 0; i < response->segment_count; i++) {
		const struct segment *segment = &response->segments[i];
		size_t len = (size_t)segment->length;

		if (segment->bytes != NULL) {
			buf_bytes(&f->content, segment->bytes, len);
			continue;
		}
		ck_assert_int_ge(response->fd, 0);
		ck_assert(buf_reserve(&f->content, len));
		ck_assert_int_eq(pread(response->fd, f->content.ptr + f->content.len, len, segment->offset), (ssize_t)len);
		f->content.len += len;
	}
}

/* What holds of every answer whatever it is. */
static void
check_answer(const struct fixture *f)
{
	const struct response *response = &f->response;

	ck_assert_int_ne(response->status, 0);
	ck_assert_ptr_nonnull(response->reason);
	ck_assert_int_eq(response->content_omitted, f->request.method == METHOD_HEAD);
	ck_assert_ptr_null(fixture_field(f, "Content-Length").ptr);
	ck_assert_ptr_null(fixture_field(f, "Transfer-Encoding").ptr);
	if (response->status == 204 || response->status == 304 || fixture_body(f) == BODY_HANDOFF) {
		ck_assert_int_eq(response->content_length, -1);
		ck_assert_uint_eq(response->segment_count, 0);
	} else {
		ck_assert_int_eq(response->content_length, (int64_t)f->content.len);
		ck_assert_ptr_nonnull(fixture_field(f, "Content-Type").ptr);
	}
	/* What the front is told about a file never goes with anything but a 200. */
	if (fixture_body(f) != BODY_HANDOFF) {
		ck_assert_ptr_null(fixture_field(f, "X-Sendfile").ptr);
		ck_assert_ptr_null(fixture_field(f, "X-Accel-Redirect").ptr);
		ck_assert_ptr_null(fixture_field(f, "X-LiteSpeed-Location").ptr);
		ck_assert(!response->local_redirect);
	} else {
		ck_assert_int_eq(response->status, 200);
	}
}

static void
respond(struct fixture *f)
{
	handler_finish(&f->handler, &f->response);
	response_reset(&f->response);
	handler_respond(&f->handler, &f->request, &f->response);
}

/* An answer that a thread works on is asked for again once the thread has said so, as the gateway does. */
static void
settle(struct fixture *f)
{
	struct pollfd ready = { .events = POLLIN };

	respond(f);
	while (f->response.status == 0) {
		ready.fd = handler_descriptor(&f->handler);
		ck_assert_int_ge(ready.fd, 0);
		ck_assert_int_eq(poll(&ready, 1, 60000), 1);
		handler_collect(&f->handler);
		respond(f);
		handler_collected(&f->handler);
	}
}

enum body_kind
fixture_body(const struct fixture *f)
{
	const struct response *response = &f->response;

	if (response->segment_count > 1)
		return BODY_MULTIPART;
	if (response->segment_count == 1)
		return response->segments[0].bytes != NULL ? BODY_BYTES : BODY_FILE;
	return response->status == 200 && response->content_length == -1 ? BODY_HANDOFF : BODY_NONE;
}

enum status
fixture_ask(struct fixture *f)
{
	if (!f->open) {
		ck_assert_int_eq(handler_init(&f->handler, &f->options), 0);
		f->open = true;
	}
	buf_reset(&f->content);
	settle(f);
	gather(f);
	check_answer(f);
	if (f->request.method == METHOD_HEAD)
		buf_reset(&f->content);
	return f->response.status;
}

enum status
fixture_get(struct fixture *f, const char *path)
{
	fixture_target(f, path);
	return fixture_ask(f);
}

struct str
fixture_field(const struct fixture *f, const char *name)
{
	struct str rest = buf_view(&f->response.fields), line, found = { NULL, 0 };

	while (str_cut(&rest, '\n', &line)) {
		struct str value = line, key;

		if (!str_ends(line, S("\r")) || !str_cut(&value, ':', &key) || !str_ieq(key, str_from(name)))
			continue;
		ck_assert_msg(found.ptr == NULL, "%s is there twice", name);
		value.len--;
		found = str_trim(value);
	}
	return found;
}

bool
fixture_has(const struct fixture *f, const char *text)
{
	return f->content.len > 0 && memmem(f->content.ptr, f->content.len, text, strlen(text)) != NULL;
}

size_t
fixture_count(const struct fixture *f, const char *text)
{
	const char *at = f->content.ptr, *end = at != NULL ? at + f->content.len : NULL;
	size_t count = 0;

	while (at != NULL && (at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL) {
		at += strlen(text);
		count++;
	}
	return count;
}

void
fixture_etag(const struct fixture *f, char out[64])
{
	struct str tag = fixture_field(f, "ETag");

	ck_assert(tag.len > 2 && tag.len < 64);
	memcpy(out, tag.ptr, tag.len);
	out[tag.len] = '\0';
}

int
without_privilege(void (*run)(void))
{
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
			_exit(100);
		run();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}
