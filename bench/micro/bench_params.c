/* Names and values of a request, found and put into the table. */
#include "gateway/params.h"

#include "micro.h"
#include "requests.h"

static void
parse(const struct variable *variables, size_t count, size_t times)
{
	struct buf pairs;

	buf_init(&pairs, 65535);
	put_pairs(&pairs, variables, count);
	for (size_t i = 0; i < times; i++) {
		struct params params = { 0 };

		micro_sink += params_parse(&params, buf_view(&pairs));
		micro_sink += params.values[PARAM_REQUEST_URI].len;
	}
	buf_release(&pairs);
}

static void
nginx(size_t times)
{
	parse(nginx_variables, COUNT(nginx_variables), times);
}

static void
apache(size_t times)
{
	parse(apache_variables, COUNT(apache_variables), times);
}

static const struct micro table[] = {
	{ "nginx-browser", 1, nginx },
	{ "apache-curl", 1, apache },
};
MICRO_MAIN(table)
