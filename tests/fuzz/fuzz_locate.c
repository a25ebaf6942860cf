/* Any variables, one NAME=value a line: what is not refused is a path without dot segments below an absolute
 * root. The first line says what is configured: 'r' a root, 'p' a prefix, 's' every path is the script, 'n'
 * none is. */
#include "gateway/locate.h"

#include "fuzz.h"

static bool
is_script(void *context, struct str path)
{
	const char *answer = context;

	return path.len > 0 && (*answer == 's' || (*answer != 'n' && str_ends(path, S(".fcgi"))));
}

static void
check_no_dot_segments(struct str path)
{
	struct str segment;

	while (str_cut(&path, '/', &segment))
		FUZZ_CHECK(!str_eq(segment, S(".")) && !str_eq(segment, S("..")));
}

static void
check_located(const struct exchange *exchange, bool has_root)
{
	const struct request *request = &exchange->request;
	struct str setting = params_setting(&exchange->params, PARAM_STATICGI_ROOT);

	FUZZ_CHECK(str_starts(request->path, S("/")) && str_starts(request->url, S("/")));
	check_no_dot_segments(request->path);
	check_no_dot_segments(request->url);
	FUZZ_CHECK(request->root.len == 0 || request->root.ptr[0] == '/');
	/* An empty root is the configured one; there must be one then. */
	FUZZ_CHECK(request->root.len > 0 || has_root);
	if (!str_eq(request->root, setting))
		check_no_dot_segments(request->root);
	/* The whole disk only for what stands in it directly. */
	if (str_eq(request->root, S("/")) && setting.len == 0)
		FUZZ_CHECK(!str_has(str_after(request->path, 1), '/'));
	/* A request that no front's own variable located must not exist. */
	if (setting.len == 0 && !has_root)
		FUZZ_CHECK(exchange->params.values[PARAM_SCRIPT_FILENAME].ptr != NULL ||
			   exchange->params.values[PARAM_PATH_TRANSLATED].ptr != NULL ||
			   exchange->params.values[PARAM_PATH_TRANSLATED_DIRINDEX].ptr != NULL ||
			   params_setting(&exchange->params, PARAM_STATICGI_PATH).ptr != NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = fuzz_input(data, size), flags = { NULL, 0 }, line;
	struct locate_options options = { .is_self = is_script };
	struct exchange exchange;
	char answer = ' ';

	str_cut(&input, '\n', &flags);
	if (str_has(flags, 's') || str_has(flags, 'n'))
		answer = str_has(flags, 's') ? 's' : 'n';
	options.context = &answer;
	options.has_root = str_has(flags, 'r');
	if (str_has(flags, 'p'))
		options.url_prefix = S("/files/");
	exchange_init(&exchange);
	while (str_cut(&input, '\n', &line)) {
		struct str name;

		if (str_cut(&line, '=', &name) && line.ptr != NULL)
			params_set(&exchange.params, name, line);
	}
	locate_request(&exchange, &options);
	FUZZ_CHECK(exchange.request.located != NULL);
	if (exchange.request.refused == 0)
		check_located(&exchange, options.has_root);
	exchange_release(&exchange);
	return 0;
}
