/* Rules 1 to 7, first match wins (each row of tests/gateway/test_locate.c is a deployment with the very variables
 * that its front sends):
 *
 *  1  a root is configured or STATICGI_ROOT sent: SCRIPT_NAME + PATH_INFO, less the mount's prefix
 *  2  PATH_TRANSLATED_DIRINDEX (lighttpd's index-file): that directory
 *  3  STATICGI_PATH (from SetEnvIfExpr): the path that Apache mapped
 *  4  Action: REDIRECT_URL, status 200 and PATH_INFO equal to it prove that Apache's access rules ran on it
 *  5  the script is not us: SCRIPT_FILENAME + PATH_INFO is the target (virtual wrapper, SetHandler proxy:fcgi)
 *  6  DirectoryIndex: only REQUEST_URI tells, CONTEXT_* says where that lies
 *  7  anything else is a direct call of the script: refused, or every rule of Apache's could be walked around
 *
 * No HTTP_ variable is ever asked where something lies: a client writes those. */
#include "gateway/locate.h"

#include "http/path.h"

static struct str
param(const struct exchange *exchange, enum param name)
{
	return exchange->params.values[name];
}

/* Appends to scratch, which was reserved large enough, and returns what was appended. */
static struct str
scratch_join(struct exchange *exchange, struct str a, struct str b)
{
	size_t at = exchange->scratch.len;

	buf_str(&exchange->scratch, a);
	buf_str(&exchange->scratch, b);
	return buf_since(&exchange->scratch, at);
}

/* The normalised form in scratch; ptr NULL when there is none. */
static struct str
scratch_normalise(struct exchange *exchange, struct str path)
{
	size_t at = exchange->scratch.len;

	if (!path_normalise(&exchange->scratch, path))
		return (struct str){ NULL, 0 };
	return buf_since(&exchange->scratch, at);
}

static void
refuse(struct request *request, enum status status, const char *why)
{
	request->refused = status;
	request->located = why;
}

/* URL of the request line, decoded and normalised. An encoded slash means that text and mapping may
 * disagree: then there is none. */
static struct str
url_of_request_line(struct exchange *exchange)
{
	size_t at = exchange->scratch.len;
	bool encoded_slash = false;

	if (!path_from_target(&exchange->scratch, param(exchange, PARAM_REQUEST_URI), &encoded_slash) || encoded_slash)
		return (struct str){ NULL, 0 };
	return buf_since(&exchange->scratch, at);
}

/* The rest of `path` below `dir` (with or without a final slash), starting with '/'; ptr NULL when it is not below. */
static struct str
path_below(struct str path, struct str dir)
{
	while (dir.len > 0 && dir.ptr[dir.len - 1] == '/')
		dir.len--;
	if (!str_starts(path, dir) || path.len == dir.len || path.ptr[dir.len] != '/')
		return (struct str){ NULL, 0 };
	return str_after(path, dir.len);
}

/* Splits a mapped path into the root that links must stay in, and the rest. The document root where the path
 * lies below it; else what is left when the names that URL and path share at their ends are taken off; at least the
 * target's own directory, and never all of the disk. */
static void
split_root(struct exchange *exchange, struct str path)
{
	struct request *request = &exchange->request;
	const struct str roots[] = {
		param(exchange, PARAM_DOCUMENT_ROOT),
		param(exchange, PARAM_CONTEXT_DOCUMENT_ROOT),
	};
	size_t p = path.len, u = request->url.len, cut = 0;

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		struct str rest = path_below(path, roots[i]);

		if (roots[i].len > 0 && rest.ptr != NULL && rest.len < path.len) {
			request->root = str_sub(path, 0, path.len - rest.len);
			request->path = rest;
			return;
		}
	}
	while (p > 0 && u > 0 && path.ptr[p - 1] == request->url.ptr[u - 1]) {
		p--;
		u--;
		if (path.ptr[p] == '/')
			cut = p;
	}
	if (cut == 0)
		for (cut = path.len - 1; cut > 0 && path.ptr[cut] != '/';)
			cut--;
	if (cut == 0)
		cut = path.len > 1 ? 0 : 1;
	request->root = cut > 0 ? str_sub(path, 0, cut) : S("/");
	request->path = cut > 0 && cut < path.len ? str_after(path, cut) : path;
}

/* A mapped path becomes root and path. Dot segments in it were never the front's own words. */
static void
settle_mapped(struct exchange *exchange, struct str url, struct str path, const char *rule)
{
	struct request *request = &exchange->request;
	struct str normal = scratch_normalise(exchange, path);

	if (url.ptr == NULL || normal.ptr == NULL) {
		refuse(request, STATUS_NOT_FOUND, "no usable path");
		return;
	}
	request->url = url;
	request->located = rule;
	split_root(exchange, normal);
}

/* lighttpd writes '_' for a control byte of a name. The request line tells which it was, if it says the same but for those. */
static struct str
without_underscores(struct exchange *exchange, struct str path)
{
	struct str asked = str_has(path, '_') ? url_of_request_line(exchange) : (struct str){ NULL, 0 };

	if (asked.ptr == NULL || asked.len != path.len)
		return path;
	for (size_t i = 0; i < path.len; i++) {
		bool is_control = (unsigned char)asked.ptr[i] < 0x20 || asked.ptr[i] == 0x7f;

		if (path.ptr[i] != asked.ptr[i] && !(path.ptr[i] == '_' && is_control))
			return path;
	}
	return asked;
}

/* Rule 1. Without a configured prefix: where the front splits (it sends PATH_INFO) or calls the script itself,
 * SCRIPT_NAME is the prefix; else SCRIPT_NAME is the whole URL and the mount is "/" (nginx's stock parameters). */
static void
locate_mount(struct exchange *exchange, const struct locate_options *options)
{
	struct request *request = &exchange->request;
	struct str script = param(exchange, PARAM_SCRIPT_NAME), info = param(exchange, PARAM_PATH_INFO);
	struct str prefix = options->url_prefix, full = scratch_join(exchange, script, info), rest;

	request->located = "mount";
	if (info.ptr != NULL && info.len == 0) {
		/* A split that did not match (nginx's '.' stops at a line break) leaves PATH_INFO empty. */
		struct str asked = url_of_request_line(exchange);

		if (asked.ptr != NULL && path_below(asked, script).ptr != NULL) {
			full = asked;
			if (prefix.ptr == NULL)
				prefix = script;
		}
	}
	if (exchange->request.front == FRONT_LIGHTTPD)
		full = without_underscores(exchange, full);
	if (full.len == 0)
		full = S("/");
	full = scratch_normalise(exchange, full);
	if (prefix.ptr == NULL && (info.len > 0 || options->is_self(options->context, param(exchange, PARAM_SCRIPT_FILENAME))))
		prefix = scratch_normalise(exchange, script);
	while (prefix.len > 0 && prefix.ptr[prefix.len - 1] == '/')
		prefix.len--;
	request->url = full;
	rest = path_below(full, prefix);
	if (full.ptr == NULL || (rest.ptr == NULL && !str_eq(full, prefix)))
		refuse(request, STATUS_NOT_FOUND, "outside the mount");
	request->path = rest.len > 0 ? rest : S("/");
	request->root = params_setting(&exchange->params, PARAM_STATICGI_ROOT);
	if (request->root.len > 0 && request->root.ptr[0] != '/')
		refuse(request, STATUS_NOT_FOUND, "STATICGI_ROOT is not absolute");
}

/* Rules 2 and 6 list directories only: files are the front's own business there. */
static void
settle_directory(struct exchange *exchange, struct str url, struct str path, const char *rule)
{
	settle_mapped(exchange, url, path, rule);
	exchange->request.directory_only = true;
	if (exchange->request.refused == 0 && (!str_ends(url, S("/")) || !str_ends(exchange->request.path, S("/"))))
		refuse(&exchange->request, STATUS_NOT_FOUND, "not a directory's URL");
}

/* Rule 4. LiteSpeed leaves the status out; 403 or 404 is an ErrorDocument. */
static bool
is_action(struct exchange *exchange)
{
	struct str status = param(exchange, PARAM_REDIRECT_STATUS);
	struct str info = param(exchange, PARAM_PATH_INFO), url = param(exchange, PARAM_REDIRECT_URL);
	struct str a, b;

	if (url.len == 0 || info.len == 0 || (status.ptr != NULL && !str_eq(status, S("200"))))
		return false;
	if (!str_starts(param(exchange, PARAM_PATH_TRANSLATED), S("/")))
		return false;
	a = scratch_normalise(exchange, info);
	b = scratch_normalise(exchange, url);
	return a.ptr != NULL && b.ptr != NULL && str_eq(a, b);
}

/* Takes "proxy:fcgi://HOST[:PORT]" off; *proxied tells whether it was there. */
static struct str
script_path(struct str path, bool *proxied)
{
	const struct str scheme = S("proxy:fcgi://");
	struct str rest;

	/* With ProxyFCGIBackendType GENERIC only the doubled slash is left of "fcgi://HOST/" + "/path". */
	*proxied = str_starts(path, scheme) || str_starts(path, S("//"));
	if (!str_starts(path, scheme))
		return path;
	rest = str_after(path, scheme.len);
	while (rest.len > 0 && rest.ptr[0] != '/')
		rest = str_after(rest, 1);
	return rest;
}

/* Under ProxyPass no access rule of the target ran, and the path is percent-encoded. What tells it from
 * SetHandler: there the path is where Apache's own mapping puts the URL. */
static bool
is_apache_mapping(struct exchange *exchange, struct str path)
{
	struct str prefix = param(exchange, PARAM_CONTEXT_PREFIX), base = param(exchange, PARAM_CONTEXT_DOCUMENT_ROOT);
	struct str script = param(exchange, PARAM_SCRIPT_NAME), mapped;

	if (base.ptr == NULL)
		return true;
	if (!str_starts(script, prefix))
		return false;
	while (base.len > 0 && base.ptr[base.len - 1] == '/')
		base.len--;
	script = str_after(script, prefix.len);
	/* The mount without its slash, or the alias of a single file. */
	if (script.len == 0)
		return str_eq(path, scratch_normalise(exchange, base));
	while (script.len > 0 && script.ptr[0] == '/')
		script = str_after(script, 1);
	mapped = scratch_join(exchange, base, S("/"));
	mapped = (struct str){ mapped.ptr, mapped.len + scratch_join(exchange, script, S("")).len };
	return str_eq(scratch_normalise(exchange, path), scratch_normalise(exchange, mapped));
}

/* Rule 5; false when the script is us or nothing is known of it. */
static bool
locate_target(struct exchange *exchange, const struct locate_options *options)
{
	bool proxied;
	struct str path = script_path(param(exchange, PARAM_SCRIPT_FILENAME), &proxied);
	struct str info = param(exchange, PARAM_PATH_INFO), url;

	if (!str_starts(path, S("/")))
		return false;
	path = scratch_normalise(exchange, path);
	if (path.ptr == NULL || options->is_self(options->context, path))
		return false;
	if (proxied && !is_apache_mapping(exchange, path))
		return false;
	url = scratch_normalise(exchange, scratch_join(exchange, param(exchange, PARAM_SCRIPT_NAME), info));
	settle_mapped(exchange, url, scratch_join(exchange, path, info), "script");
	return true;
}

/* Rule 6. With a rewrite the request line is the old URL: refused. REDIRECT_URL tells of one in a .htaccess; of one in the server's own
 * configuration nothing does, but that mod_rewrite is on there at all: it sets SCRIPT_URL then. */
static bool
locate_directory_index(struct exchange *exchange, const struct locate_options *options)
{
	struct str prefix = param(exchange, PARAM_CONTEXT_PREFIX), base = param(exchange, PARAM_CONTEXT_DOCUMENT_ROOT);
	bool proxied;
	struct str url, path, script = script_path(param(exchange, PARAM_SCRIPT_FILENAME), &proxied);

	if (base.len == 0 || param(exchange, PARAM_REDIRECT_URL).ptr != NULL || param(exchange, PARAM_PATH_INFO).len > 0)
		return false;
	if (!options->is_self(options->context, script))
		return false;
	url = url_of_request_line(exchange);
	if (url.ptr == NULL || str_eq(url, param(exchange, PARAM_SCRIPT_NAME)) || !str_starts(url, prefix))
		return false;
	path = str_after(url, prefix.len);
	if (prefix.len > 0 && prefix.ptr[prefix.len - 1] != '/' && !str_starts(path, S("/")))
		return false;
	if (param(exchange, PARAM_SCRIPT_URL).ptr != NULL) {
		refuse(&exchange->request, STATUS_NOT_FOUND, "the server may rewrite URLs, and STATICGI_PATH is not set");
		return true;
	}
	base = scratch_join(exchange, base, S("/"));
	base.len += scratch_join(exchange, path, S("")).len;
	settle_directory(exchange, url, base, "directory index");
	return true;
}

static void
locate_target_path(struct exchange *exchange, const struct locate_options *options)
{
	struct request *request = &exchange->request;
	struct str mapped = params_setting(&exchange->params, PARAM_STATICGI_PATH);
	struct str index = param(exchange, PARAM_PATH_TRANSLATED_DIRINDEX);

	if (options->has_root || params_setting(&exchange->params, PARAM_STATICGI_ROOT).len > 0)
		locate_mount(exchange, options);
	else if (index.len > 0)
		settle_directory(exchange, url_of_request_line(exchange), index, "index-file");
	else if (mapped.len > 0 && !options->is_self(options->context, mapped))
		settle_mapped(exchange, url_of_request_line(exchange), mapped, "STATICGI_PATH");
	else if (is_action(exchange))
		settle_mapped(exchange, scratch_normalise(exchange, param(exchange, PARAM_REDIRECT_URL)),
		    param(exchange, PARAM_PATH_TRANSLATED), "action");
	else if (!locate_target(exchange, options) && !locate_directory_index(exchange, options))
		refuse(request, STATUS_NOT_FOUND, "direct call of the script");
}

/* ErrorDocument: whatever the client asked for was refused or is not there. */
static bool
is_error_document(const struct exchange *exchange)
{
	struct str status = param(exchange, PARAM_REDIRECT_STATUS);

	return status.len > 0 && !str_eq(status, S("200"));
}

static enum front
front_from_software(struct str software)
{
	static const struct {
		struct str name;
		enum front front;
	} fronts[] = {
		{ STR("Apache"), FRONT_APACHE },
		{ STR("lighttpd"), FRONT_LIGHTTPD },
		{ STR("nginx"), FRONT_NGINX },
		{ STR("LiteSpeed"), FRONT_LITESPEED },
	};

	for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]); i++)
		if (str_ieq(str_sub(software, 0, fronts[i].name.len), fronts[i].name))
			return fronts[i].front;
	return FRONT_UNKNOWN;
}

static void
take_fields(struct exchange *exchange)
{
	struct request *request = &exchange->request;

	request->method = method_from_name(param(exchange, PARAM_REQUEST_METHOD));
	request->front = front_from_software(param(exchange, PARAM_SERVER_SOFTWARE));
	request->query = param(exchange, PARAM_QUERY_STRING);
	if (request->query.ptr == NULL || request->query.len == 0)
		request->query = query_from_target(param(exchange, PARAM_REQUEST_URI));
	request->authenticated =
	    param(exchange, PARAM_REMOTE_USER).len > 0 || param(exchange, PARAM_REDIRECT_REMOTE_USER).len > 0;
	request->handoff = params_setting(&exchange->params, PARAM_STATICGI_HANDOFF);
	request->if_match = param(exchange, PARAM_IF_MATCH);
	request->if_none_match = param(exchange, PARAM_IF_NONE_MATCH);
	request->if_modified_since = param(exchange, PARAM_IF_MODIFIED_SINCE);
	request->if_unmodified_since = param(exchange, PARAM_IF_UNMODIFIED_SINCE);
	request->if_range = param(exchange, PARAM_IF_RANGE);
	request->range = param(exchange, PARAM_RANGE);
	request->accept = param(exchange, PARAM_ACCEPT);
	request->accept_encoding = param(exchange, PARAM_ACCEPT_ENCODING);
}

void
locate_request(struct exchange *exchange, const struct locate_options *options)
{
	struct request *request = &exchange->request;
	size_t room = 1024;

	take_fields(exchange);
	if (exchange->refused != 0) {
		refuse(request, exchange->refused, "unreadable parameters");
		return;
	}
	/* Every string made here is put together from parameters, each used a few times at most. */
	for (int i = 0; i < PARAM_COUNT; i++)
		room += 6 * exchange->params.values[i].len;
	if (!buf_reserve(&exchange->scratch, room)) {
		refuse(request, STATUS_FIELDS_TOO_LARGE, "parameters too large");
		return;
	}
	if (is_error_document(exchange)) {
		refuse(request, STATUS_NOT_FOUND, "error document");
		return;
	}
	locate_target_path(exchange, options);
	if (request->refused == 0 && buf_failed(&exchange->scratch))
		refuse(request, STATUS_FIELDS_TOO_LARGE, "parameters too large");
}
