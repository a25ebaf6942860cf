/* Building an answer. No rule lives here; see conditional.c for those. */
#include "http/response.h"

#include <assert.h>

/* Fields: a Location and a hand-off path may each be three times PATH_MAX. Text: a listing of a million names. */
#define FIELDS_MAX ((size_t)64 << 10)
#define TEXT_MAX ((size_t)1 << 30)

void
response_init(struct response *response)
{
	*response = (struct response){ .content_length = -1, .fd = -1 };
	buf_init(&response->fields, FIELDS_MAX);
	buf_init(&response->text, TEXT_MAX);
}

void
response_release(struct response *response)
{
	buf_release(&response->fields);
	buf_release(&response->text);
}

/* The segments are a kilobyte and count as far as segment_count says: they are left as they are. */
void
response_reset(struct response *response)
{
	buf_reset(&response->fields);
	buf_reset(&response->text);
	response->status = STATUS_UNDECIDED;
	response->local_redirect = response->content_omitted = response->fd_is_stable = false;
	response->content_length = -1;
	response->segment_count = 0;
	response->fd = -1;
	response->owner = NULL;
	response->reason = NULL;
	response->error = 0;
}

static bool
is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Eight bytes at a time: a byte's top bit is set where the byte is below 0x20, or becomes 0 when 0x7f is taken off it bitwise. What a
 * borrow adds to that comes only after a byte that was found rightly. */
static bool
has_control(struct str value)
{
	const uint64_t ones = UINT64_MAX / 255, tops = ones << 7;
	size_t at = 0;

	for (; at + sizeof(uint64_t) <= value.len; at += sizeof(uint64_t)) {
		uint64_t word, delete;

		memcpy(&word, value.ptr + at, sizeof(word));
		delete = word ^ 0x7f * ones;
		if ((((word - 0x20 * ones) & ~word) | ((delete - ones) & ~delete)) & tops)
			return true;
	}
	for (; at < value.len; at++)
		if (is_control(value.ptr[at]))
			return true;
	return false;
}

void
response_field(struct response *response, const char *name, struct str value)
{
	struct buf *out = &response->fields;

	if (!buf_reserve(out, strlen(name) + value.len + sizeof(": \r\n")))
		return;
	buf_text(out, name);
	buf_text(out, ": ");
	if (!has_control(value))
		buf_str(out, value);
	else
		for (size_t i = 0; i < value.len; i++)
			if (!is_control(value.ptr[i]))
				buf_char(out, value.ptr[i]);
	buf_text(out, "\r\n");
}

void
response_bytes(struct response *response, struct str bytes)
{
	assert(response->segment_count < RESPONSE_SEGMENTS);
	response->segments[response->segment_count++] =
	    (struct segment){ .bytes = bytes.ptr, .length = (int64_t)bytes.len };
}

void
response_file(struct response *response, int64_t offset, int64_t length)
{
	assert(response->segment_count < RESPONSE_SEGMENTS);
	response->segments[response->segment_count++] =
	    (struct segment){ .offset = offset, .length = length };
}
