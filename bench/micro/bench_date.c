/* Dates: written into each answer and each row, read from conditional requests. */
#include "http/date.h"

#include "micro.h"

static void
format(bool (*by)(struct buf *, int64_t), size_t times)
{
	struct buf out;

	buf_init(&out, 256);
	for (size_t i = 0; i < times; i++) {
		buf_reset(&out);
		micro_sink += by(&out, 1700000000 + (int64_t)(i % 1000) * 86413);
	}
	buf_release(&out);
}

static void field(size_t n) { format(date_format, n); }
static void row(size_t n) { format(date_format_rfc3339, n); }

static void
parse(size_t times)
{
	int64_t seconds = 0;

	for (size_t i = 0; i < times; i++) {
		micro_sink += date_parse(S("Tue, 14 Nov 2023 22:13:20 GMT"), 1700000001, &seconds);
		micro_sink += (uint64_t)seconds;
	}
}

static const struct micro table[] = {
	{ "format", 1, field },
	{ "format-row", 1, row },
	{ "parse", 1, parse },
};
MICRO_MAIN(table)
