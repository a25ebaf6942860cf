/* The bytes have no period that a record's length could have, so that a gap or a repetition shows. */
#include "service.h"

#include "suites.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

char
pattern(size_t i)
{
	return (char)(i * 31 + i / 251 + i / 65521);
}

int
count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (directory != NULL && readdir(directory) != NULL)
		count++;
	if (directory != NULL)
		closedir(directory);
	return count - 3; /* ".", "..", its own */
}

static void
respond_bytes(struct response *response, int64_t length)
{
	ck_assert(buf_reserve(&response->text, (size_t)length + 1));
	for (size_t i = 0; i < (size_t)length; i++)
		response->text.ptr[i] = pattern(i);
	response->text.len = (size_t)length;
	response_bytes(response, buf_view(&response->text));
	response->content_length = length;
}

static void
respond_file(struct response *response, struct str path)
{
	char text[200];

	snprintf(text, sizeof(text), "%.*s", STR_ARGS(path));
	response->fd = open(text, O_RDONLY | O_CLOEXEC);
	response->content_length = lseek(response->fd, 0, SEEK_END);
	response_file(response, 0, response->content_length);
}

static void
respond_numbers(struct response *response, const struct service_state *state)
{
	const int64_t numbers[] = { count_descriptors(), state->responded, state->finished, state->whole };

	for (int i = 0; i < ROWS(numbers); i++) {
		buf_int(&response->text, numbers[i]);
		buf_char(&response->text, ' ');
	}
	response_bytes(response, buf_view(&response->text));
	response->content_length = (int64_t)response->text.len;
}

void
service_respond(void *context, struct exchange *exchange)
{
	struct service_state *state = context;
	struct response *response = &exchange->response;
	const struct str *values = exchange->params.values;
	struct str path = values[PARAM_PATH_INFO];
	int64_t length = 0;

	state->responded++;
	response->status = exchange->refused != 0 ? exchange->refused : STATUS_OK;
	response->content_omitted = str_eq(values[PARAM_REQUEST_METHOD], S("HEAD"));
	if (exchange->refused != 0) {
		response->content_length = 0;
	} else if (str_starts(path, S("/bytes/")) && str_digits(str_after(path, 7), &length)) {
		respond_bytes(response, length);
	} else if (str_eq(path, S("/file"))) {
		respond_file(response, values[PARAM_PATH_TRANSLATED]);
	} else if (str_eq(path, S("/numbers"))) {
		respond_numbers(response, state);
	} else {
		response_bytes(response, values[PARAM_QUERY_STRING]);
		response->content_length = (int64_t)values[PARAM_QUERY_STRING].len;
	}
}

void
service_finish(void *context, struct exchange *exchange)
{
	struct service_state *state = context;

	state->finished++;
	state->whole += exchange->whole;
	if (exchange->response.fd >= 0)
		close(exchange->response.fd);
	exchange->response.fd = -1;
}
