/* Entity tags: made for each answer, looked for in a list. */
#include "http/etag.h"

#include "micro.h"

static void
format(size_t times)
{
	struct buf out;

	buf_init(&out, 256);
	for (size_t i = 0; i < times; i++) {
		buf_reset(&out);
		etag_format(&out, INT64_C(1700000000123456789), 123456, false);
		micro_sink += out.len;
	}
	buf_release(&out);
}

static void
has(struct str list, size_t times)
{
	for (size_t i = 0; i < times; i++)
		micro_sink += etag_list_has(list, S("\"17979cfe362a0000-400\""), S(""), ETAG_WEAK);
}

static void same(size_t n) { has(S("\"17979cfe362a0000-400\""), n); }
static void other(size_t n) { has(S("\"17979cfe362a0001-400\""), n); }
static void list(size_t n) { has(S("\"a\", \"b\", W/\"c\", \"d\", \"17979cfe362a0000-400-gzip\""), n); }

static const struct micro table[] = {
	{ "format", 1, format },
	{ "same", 1, same },
	{ "other", 1, other },
	{ "list-of-five", 1, list },
};
MICRO_MAIN(table)
