/* The record stream of a request: in one read, as fronts send it, and cut into pieces. */
#include "gateway/record.h"

#include "micro.h"
#include "requests.h"

static void
feed(size_t times, size_t piece)
{
	struct record_reader reader;
	struct buf stream;

	record_init(&reader);
	buf_init(&stream, 65535);
	put_request(&stream, nginx_variables, COUNT(nginx_variables));
	for (size_t i = 0; i < times; i++) {
		for (size_t at = 0; at < stream.len; at += piece) {
			struct str bytes = str_sub(buf_view(&stream), at, piece);

			while (record_feed(&reader, &bytes) != RECORD_MORE)
				record_finish(&reader);
		}
		micro_sink += reader.params.len;
	}
	record_release(&reader);
	buf_release(&stream);
}

static void
whole(size_t times)
{
	feed(times, 65535);
}

static void
pieces(size_t times)
{
	feed(times, 100);
}

static const struct micro table[] = {
	{ "whole", 1, whole },
	{ "pieces-of-100", 1, pieces },
};
MICRO_MAIN(table)
