/* libfcgi keeps the parameters as a list that every look-up walks, and the first of two equal names wins
 * there. This table holds the names that matter, is filled in one pass without an allocation, and the last
 * value wins, as PHP and every front's documentation assume. */
#include "gateway/params.h"

struct param_name {
	const char *name;
	enum param param;
};

/* The row is the length of the names in it: most of the twenty to forty that a front sends are told apart by that alone. A row ends
 * with an empty place. */
static const struct param_name param_names[][6] = {
	[9] = { { "PATH_INFO", PARAM_PATH_INFO } },
	[10] = { { "HTTP_RANGE", PARAM_RANGE }, { "SCRIPT_URL", PARAM_SCRIPT_URL } },
	[11] = {
		{ "HTTP_ACCEPT", PARAM_ACCEPT },
		{ "REMOTE_USER", PARAM_REMOTE_USER },
		{ "REQUEST_URI", PARAM_REQUEST_URI },
		{ "SCRIPT_NAME", PARAM_SCRIPT_NAME },
	},
	[12] = { { "QUERY_STRING", PARAM_QUERY_STRING }, { "REDIRECT_URL", PARAM_REDIRECT_URL } },
	[13] = {
		{ "DOCUMENT_ROOT", PARAM_DOCUMENT_ROOT },
		{ "HTTP_IF_MATCH", PARAM_IF_MATCH },
		{ "HTTP_IF_RANGE", PARAM_IF_RANGE },
		{ "STATICGI_PATH", PARAM_STATICGI_PATH },
		{ "STATICGI_ROOT", PARAM_STATICGI_ROOT },
	},
	[14] = { { "CONTEXT_PREFIX", PARAM_CONTEXT_PREFIX }, { "REQUEST_METHOD", PARAM_REQUEST_METHOD } },
	[15] = {
		{ "PATH_TRANSLATED", PARAM_PATH_TRANSLATED },
		{ "REDIRECT_STATUS", PARAM_REDIRECT_STATUS },
		{ "SCRIPT_FILENAME", PARAM_SCRIPT_FILENAME },
		{ "SERVER_SOFTWARE", PARAM_SERVER_SOFTWARE },
	},
	[16] = { { "STATICGI_HANDOFF", PARAM_STATICGI_HANDOFF } },
	[17] = { { "GATEWAY_INTERFACE", PARAM_GATEWAY_INTERFACE } },
	[18] = { { "HTTP_IF_NONE_MATCH", PARAM_IF_NONE_MATCH } },
	[20] = {
		{ "HTTP_ACCEPT_ENCODING", PARAM_ACCEPT_ENCODING },
		{ "REDIRECT_REMOTE_USER", PARAM_REDIRECT_REMOTE_USER },
	},
	[21] = { { "CONTEXT_DOCUMENT_ROOT", PARAM_CONTEXT_DOCUMENT_ROOT } },
	[22] = {
		{ "HTTP_IF_MODIFIED_SINCE", PARAM_IF_MODIFIED_SINCE },
		{ "REDIRECT_STATICGI_PATH", PARAM_REDIRECT_STATICGI_PATH },
		{ "REDIRECT_STATICGI_ROOT", PARAM_REDIRECT_STATICGI_ROOT },
	},
	[24] = {
		{ "HTTP_IF_UNMODIFIED_SINCE", PARAM_IF_UNMODIFIED_SINCE },
		{ "PATH_TRANSLATED_DIRINDEX", PARAM_PATH_TRANSLATED_DIRINDEX },
	},
	[25] = { { "REDIRECT_STATICGI_HANDOFF", PARAM_REDIRECT_STATICGI_HANDOFF } },
	[31] = {
		{ "REDIRECT_REDIRECT_STATICGI_PATH", PARAM_REDIRECT_REDIRECT_STATICGI_PATH },
		{ "REDIRECT_REDIRECT_STATICGI_ROOT", PARAM_REDIRECT_REDIRECT_STATICGI_ROOT },
	},
	[34] = { { "REDIRECT_REDIRECT_STATICGI_HANDOFF", PARAM_REDIRECT_REDIRECT_STATICGI_HANDOFF } },
};

/* In params_parse's loop, twenty times a request and more. */
static inline void
store(struct params *params, struct str name, struct str value)
{
	if (name.len >= sizeof(param_names) / sizeof(param_names[0]))
		return;
	for (const struct param_name *known = param_names[name.len]; known->name != NULL; known++) {
		/* The last bytes differ the most. */
		if (known->name[name.len - 1] != name.ptr[name.len - 1] || memcmp(known->name, name.ptr, name.len) != 0)
			continue;
		params->values[known->param] = value;
		return;
	}
}

void
params_set(struct params *params, struct str name, struct str value)
{
	store(params, name, (struct str){ value.ptr != NULL ? value.ptr : "", value.len });
}

/* One byte for up to 127, four with the top bit set otherwise. The place behind it; NULL when the bytes end before that. */
static const char *
params_length(const char *at, const char *end, size_t *length)
{
	const unsigned char *b = (const unsigned char *)at;

	if (at == end)
		return NULL;
	if (b[0] < 0x80) {
		*length = b[0];
		return at + 1;
	}
	if (end - at < 4)
		return NULL;
	*length = (size_t)(b[0] & 0x7f) << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
	return at + 4;
}

bool
params_next(struct str *rest, struct str *name, struct str *value)
{
	const char *at = rest->ptr, *end = rest->len > 0 ? at + rest->len : at;
	size_t name_len, value_len;

	at = params_length(at, end, &name_len);
	at = at != NULL ? params_length(at, end, &value_len) : NULL;
	if (at == NULL)
		return false;
	if (name_len > (size_t)(end - at) || value_len > (size_t)(end - at) - name_len)
		return false;
	*name = (struct str){ at, name_len };
	*value = (struct str){ at + name_len, value_len };
	at += name_len + value_len;
	*rest = (struct str){ at, (size_t)(end - at) };
	return true;
}

bool
params_parse(struct params *params, struct str bytes)
{
	struct str name, value;

	while (params_next(&bytes, &name, &value))
		store(params, name, value);
	return bytes.len == 0;
}

struct str
params_setting(const struct params *params, enum param plain)
{
	static const enum param forms[][3] = {
		{ PARAM_STATICGI_PATH, PARAM_REDIRECT_STATICGI_PATH, PARAM_REDIRECT_REDIRECT_STATICGI_PATH },
		{ PARAM_STATICGI_ROOT, PARAM_REDIRECT_STATICGI_ROOT, PARAM_REDIRECT_REDIRECT_STATICGI_ROOT },
		{ PARAM_STATICGI_HANDOFF, PARAM_REDIRECT_STATICGI_HANDOFF,
		    PARAM_REDIRECT_REDIRECT_STATICGI_HANDOFF },
	};

	for (size_t row = 0; row < sizeof(forms) / sizeof(forms[0]); row++) {
		if (forms[row][0] != plain)
			continue;
		for (size_t form = 0; form < 3; form++)
			if (params->values[forms[row][form]].len > 0)
				return params->values[forms[row][form]];
	}
	return (struct str){ NULL, 0 };
}
