/* libfcgi keeps the parameters as a list that every look-up walks, and the first of two equal names wins
 * there. This table holds the names that matter, is filled in one pass without an allocation, and the last
 * value wins, as PHP and every front's documentation assume. */
#include "gateway/params.h"

struct param_name {
	struct str name;
	enum param param;
};

/* Ordered by length, then by bytes: params_find halves it. tests/gateway/test_params.c checks the order. */
static const struct param_name param_names[] = {
	{ STR("PATH_INFO"), PARAM_PATH_INFO },
	{ STR("HTTP_RANGE"), PARAM_RANGE },
	{ STR("HTTP_ACCEPT"), PARAM_ACCEPT },
	{ STR("REMOTE_USER"), PARAM_REMOTE_USER },
	{ STR("REQUEST_URI"), PARAM_REQUEST_URI },
	{ STR("SCRIPT_NAME"), PARAM_SCRIPT_NAME },
	{ STR("QUERY_STRING"), PARAM_QUERY_STRING },
	{ STR("REDIRECT_URL"), PARAM_REDIRECT_URL },
	{ STR("DOCUMENT_ROOT"), PARAM_DOCUMENT_ROOT },
	{ STR("HTTP_IF_MATCH"), PARAM_IF_MATCH },
	{ STR("HTTP_IF_RANGE"), PARAM_IF_RANGE },
	{ STR("STATICGI_PATH"), PARAM_STATICGI_PATH },
	{ STR("STATICGI_ROOT"), PARAM_STATICGI_ROOT },
	{ STR("CONTEXT_PREFIX"), PARAM_CONTEXT_PREFIX },
	{ STR("REQUEST_METHOD"), PARAM_REQUEST_METHOD },
	{ STR("PATH_TRANSLATED"), PARAM_PATH_TRANSLATED },
	{ STR("REDIRECT_STATUS"), PARAM_REDIRECT_STATUS },
	{ STR("SCRIPT_FILENAME"), PARAM_SCRIPT_FILENAME },
	{ STR("SERVER_SOFTWARE"), PARAM_SERVER_SOFTWARE },
	{ STR("STATICGI_HANDOFF"), PARAM_STATICGI_HANDOFF },
	{ STR("GATEWAY_INTERFACE"), PARAM_GATEWAY_INTERFACE },
	{ STR("HTTP_IF_NONE_MATCH"), PARAM_IF_NONE_MATCH },
	{ STR("HTTP_ACCEPT_ENCODING"), PARAM_ACCEPT_ENCODING },
	{ STR("REDIRECT_REMOTE_USER"), PARAM_REDIRECT_REMOTE_USER },
	{ STR("CONTEXT_DOCUMENT_ROOT"), PARAM_CONTEXT_DOCUMENT_ROOT },
	{ STR("HTTP_IF_MODIFIED_SINCE"), PARAM_IF_MODIFIED_SINCE },
	{ STR("REDIRECT_STATICGI_PATH"), PARAM_REDIRECT_STATICGI_PATH },
	{ STR("REDIRECT_STATICGI_ROOT"), PARAM_REDIRECT_STATICGI_ROOT },
	{ STR("HTTP_IF_UNMODIFIED_SINCE"), PARAM_IF_UNMODIFIED_SINCE },
	{ STR("PATH_TRANSLATED_DIRINDEX"), PARAM_PATH_TRANSLATED_DIRINDEX },
	{ STR("REDIRECT_STATICGI_HANDOFF"), PARAM_REDIRECT_STATICGI_HANDOFF },
	{ STR("REDIRECT_REDIRECT_STATICGI_PATH"), PARAM_REDIRECT_REDIRECT_STATICGI_PATH },
	{ STR("REDIRECT_REDIRECT_STATICGI_ROOT"), PARAM_REDIRECT_REDIRECT_STATICGI_ROOT },
	{ STR("REDIRECT_REDIRECT_STATICGI_HANDOFF"), PARAM_REDIRECT_REDIRECT_STATICGI_HANDOFF },
};

static int
param_name_compare(struct str a, struct str b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(a.ptr, b.ptr, a.len);
}

static const struct param_name *
params_find(struct str name)
{
	size_t low = 0, high = sizeof(param_names) / sizeof(param_names[0]);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = param_name_compare(name, param_names[middle].name);

		if (order == 0)
			return &param_names[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

void
params_set(struct params *params, struct str name, struct str value)
{
	const struct param_name *found = name.len > 0 ? params_find(name) : NULL;

	if (found != NULL)
		params->values[found->param] = (struct str){ value.ptr != NULL ? value.ptr : "", value.len };
}

/* One byte for up to 127, four with the top bit set otherwise. */
static bool
params_length(struct str *rest, size_t *length)
{
	const unsigned char *b = (const unsigned char *)rest->ptr;

	if (rest->len == 0)
		return false;
	if (b[0] < 0x80) {
		*length = b[0];
		*rest = str_after(*rest, 1);
		return true;
	}
	if (rest->len < 4)
		return false;
	*length = (size_t)(b[0] & 0x7f) << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
	*rest = str_after(*rest, 4);
	return true;
}

bool
params_next(struct str *rest, struct str *name, struct str *value)
{
	struct str at = *rest;
	size_t name_len, value_len;

	if (!params_length(&at, &name_len) || !params_length(&at, &value_len))
		return false;
	if (name_len > at.len || value_len > at.len - name_len)
		return false;
	*name = str_sub(at, 0, name_len);
	*value = str_sub(at, name_len, value_len);
	*rest = str_after(at, name_len + value_len);
	return true;
}

bool
params_parse(struct params *params, struct str bytes)
{
	struct str name, value;

	while (params_next(&bytes, &name, &value))
		params_set(params, name, value);
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
