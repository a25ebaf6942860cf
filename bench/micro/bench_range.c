/* Range fields of players and downloaders, and the worst that is still read. */
#include "http/range.h"

#include "micro.h"

static void
parse(struct str field, size_t times)
{
	struct range_set set;

	for (size_t i = 0; i < times; i++) {
		micro_sink += range_parse(field, 1 << 20, &set);
		micro_sink += set.count;
	}
}

static void one(size_t n) { parse(S("bytes=1000-1999"), n); }
static void suffix(size_t n) { parse(S("bytes=-500"), n); }
static void absent(size_t n) { parse(S(""), n); }

static void
many(size_t times)
{
	parse(S("bytes=0-1,1000-1001,2000-2001,3000-3001,4000-4001,5000-5001,6000-6001,7000-7001,8000-8001,9000-9001,"
	        "10000-10001,11000-11001,12000-12001,13000-13001,14000-14001,15000-15001,16000-16001,17000-17001"),
	    times);
}

static const struct micro table[] = {
	{ "one", 1, one },
	{ "suffix", 1, suffix },
	{ "empty", 1, absent },
	{ "eighteen", 1, many },
};
MICRO_MAIN(table)
