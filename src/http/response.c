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

void
response_reset(struct response *response)
{
	struct buf fields = response->fields, text = response->text;

	buf_reset(&fields);
	buf_reset(&text);
	*response = (struct response){ .content_length = -1, .fd = -1, .fields = fields, .text = text };
}

void
response_field(struct response *response, const char *name, struct str value)
{
	struct buf *out = &response->fields;

	buf_text(out, name);
	buf_text(out, ": ");
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.ptr[i] >= 0x20 && value.ptr[i] != 0x7f)
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
