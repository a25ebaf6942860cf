/* The record stream: fed in one go or byte by byte, the same requests, the same parameters, the same replies.
 */
#include "gateway/record.h"

#include "gateway/params.h"

#include "fuzz.h"

/* What one reader made of the input. */
struct story {
	struct record_reader reader;
	struct buf events;
	unsigned answer_after; /* a request counts as answered after so many further events, 255: never */
	unsigned pending;
	bool over;
};

static void
story_request(struct story *story)
{
	const struct record_reader *reader = &story->reader;
	struct params params = { 0 };

	FUZZ_CHECK(reader->active && reader->complete && reader->params.len <= RECORD_PARAMS_MAX);
	buf_int(&story->events, reader->request_id);
	buf_char(&story->events, reader->keep ? 'k' : 'c');
	buf_char(&story->events, reader->too_large ? 'l' : ' ');
	buf_char(&story->events, params_parse(&params, buf_view(&reader->params)) ? 'w' : 'm');
	buf_str(&story->events, buf_view(&reader->params));
	for (int i = 0; i < PARAM_COUNT; i++)
		buf_str(&story->events, params.values[i]);
	story->pending = story->answer_after;
	if (story->pending == 0)
		record_finish(&story->reader);
}

static void
story_feed(struct story *story, struct str bytes)
{
	enum record_event event = RECORD_MORE;

	do {
		if (story->over)
			return;
		event = record_feed(&story->reader, &bytes);
		if (event == RECORD_MORE)
			break;
		buf_char(&story->events, (char)('0' + (int)event));
		if (event == RECORD_REQUEST)
			story_request(story);
		else if (event == RECORD_ABORT && story->pending > 0 && story->pending != 255 &&
			 --story->pending == 0)
			record_finish(&story->reader);
		story->over = event == RECORD_BROKEN || event == RECORD_CLOSE;
	} while (true);
	FUZZ_CHECK(bytes.len == 0);
}

static void
story_start(struct story *story, unsigned answer_after)
{
	*story = (struct story){ .answer_after = answer_after };
	record_init(&story->reader);
	buf_init(&story->events, (size_t)64 << 20);
}

static void
story_end(struct story *story)
{
	record_release(&story->reader);
	buf_release(&story->events);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = fuzz_input(data, size);
	unsigned answer_after = size > 0 ? data[0] : 0;
	struct story whole, bytes;

	input = str_after(input, 1);
	story_start(&whole, answer_after);
	story_start(&bytes, answer_after);
	story_feed(&whole, input);
	for (size_t i = 0; i < input.len; i++)
		story_feed(&bytes, str_sub(input, i, 1));
	FUZZ_CHECK(str_eq(buf_view(&whole.events), buf_view(&bytes.events)));
	FUZZ_CHECK(str_eq(buf_view(&whole.reader.reply), buf_view(&bytes.reader.reply)));
	FUZZ_CHECK(whole.over == bytes.over);
	FUZZ_CHECK(whole.over || record_is_idle(&whole.reader) == record_is_idle(&bytes.reader));
	story_end(&whole);
	story_end(&bytes);
	return 0;
}
