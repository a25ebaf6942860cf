/* From the variables to the path: the mount at the root of nginx, and Apache's mapped file. */
#include "gateway/locate.h"

#include "micro.h"
#include "requests.h"

static bool
never(void *context, struct str path)
{
	return context != NULL && path.len == 0;
}

static void
locate(const struct variable *variables, size_t count, const struct locate_options *options, size_t times)
{
	struct exchange exchange;
	struct params params = { 0 };
	struct buf pairs;

	buf_init(&pairs, 65535);
	put_pairs(&pairs, variables, count);
	params_parse(&params, buf_view(&pairs));
	exchange_init(&exchange);
	for (size_t i = 0; i < times; i++) {
		exchange_reset(&exchange);
		exchange.params = params;
		locate_request(&exchange, options);
		micro_sink += exchange.request.path.len + (uint64_t)exchange.request.refused;
	}
	exchange_release(&exchange);
	buf_release(&pairs);
}

static void
nginx(size_t times)
{
	locate(nginx_variables, COUNT(nginx_variables),
	    &(struct locate_options){ .has_root = true, .url_prefix = S("/"), .is_self = never }, times);
}

static void
apache(size_t times)
{
	locate(apache_variables, COUNT(apache_variables), &(struct locate_options){ .is_self = never }, times);
}

static const struct micro table[] = {
	{ "nginx-browser", 1, nginx },
	{ "apache-curl", 1, apache },
};
MICRO_MAIN(table)
