/* The decision between 200, 206, 304, 412: asked by a browser that comes back, a player, a plain client. */
#include "http/conditional.h"

#include "micro.h"

static void
evaluate(const struct request *request, size_t times)
{
	struct representation representation = { .media_type = S("text/plain; charset=utf-8"), .coding = S(""),
		.etag = S("\"17979cfe362a0000-400\""), .etag_alias = S("\"6553f100-400\""), .complete_length = 1 << 20,
		.last_modified = INT64_C(1700000000000000000), .has_last_modified = true };

	for (size_t i = 0; i < times; i++)
		micro_sink += (uint64_t)conditional_evaluate(request, &representation).status;
}

static void
plain(size_t n)
{
	evaluate(&(struct request){ .method = METHOD_GET }, n);
}

static void
revalidate(size_t n)
{
	evaluate(&(struct request){ .method = METHOD_GET, .if_none_match = S("\"17979cfe362a0000-400\""),
	             .if_modified_since = S("Tue, 14 Nov 2023 22:13:20 GMT") },
	    n);
}

static void
by_date(size_t n)
{
	struct request request = { .method = METHOD_GET, .if_modified_since = S("Tue, 14 Nov 2023 22:13:20 GMT") };

	evaluate(&request, n);
}

static void
many_tags(size_t n)
{
	evaluate(&(struct request){ .method = METHOD_GET,
	             .if_none_match = S("\"a\", W/\"b\", \"c\", \"d\", \"e\", \"f\", \"17979cfe362a0000-400-gzip\"") },
	    n);
}

static void
resume(size_t n)
{
	evaluate(&(struct request){ .method = METHOD_GET, .range = S("bytes=500000-"),
	             .if_range = S("\"17979cfe362a0000-400\"") },
	    n);
}

static const struct micro table[] = {
	{ "plain", 1, plain },
	{ "if-none-match", 1, revalidate },
	{ "if-modified-since", 1, by_date },
	{ "seven-tags", 1, many_tags },
	{ "if-range", 1, resume },
};
MICRO_MAIN(table)
