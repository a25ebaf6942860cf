/* The query of a listing. A visitor may edit it by hand and a crawler may mangle it, so whatever is not
 * understood is as if it were not there; no query is ever an error. */
#include "listing/view.h"

#include "http/negotiate.h"

struct choice {
	struct str value;
	int means;
};

static const struct choice sorts[] = {
	{ STR("name"), SORT_NAME },
	{ STR("size"), SORT_SIZE },
	{ STR("time"), SORT_TIME },
};

static const struct choice orders[] = {
	{ STR("asc"), false },
	{ STR("desc"), true },
};

static const struct choice formats[] = {
	{ STR("html"), FORMAT_HTML },
	{ STR("json"), FORMAT_JSON },
};

struct parameter {
	struct str name;
	const struct choice *choices;
	size_t count;
};

enum { SORT, ORDER, FORMAT, PARAMETERS };

#define CHOICES(table) table, sizeof(table) / sizeof(table[0])

static const struct parameter parameters[PARAMETERS] = {
	[SORT] = { STR("sort"), CHOICES(sorts) },
	[ORDER] = { STR("order"), CHOICES(orders) },
	[FORMAT] = { STR("format"), CHOICES(formats) },
};

/* The first known value of a parameter stays. */
static void
view_choose(const struct parameter *parameter, struct str value, int *chosen)
{
	if (*chosen >= 0)
		return;
	for (size_t i = 0; i < parameter->count; i++)
		if (str_eq(value, parameter->choices[i].value))
			*chosen = parameter->choices[i].means;
}

/* The first page=N or page=all stays. */
static void
view_page(struct str value, int64_t *page)
{
	int64_t n;

	if (*page >= 0)
		return;
	if (str_eq(value, S("all")))
		*page = 0;
	else if (str_digits(value, &n) && n >= 1)
		*page = n;
}

static void
view_pair(struct str pair, int chosen[PARAMETERS], int64_t *page)
{
	struct str name;

	if (!str_cut(&pair, '=', &name))
		return;
	if (str_eq(name, S("page")))
		view_page(pair, page);
	for (size_t i = 0; i < PARAMETERS; i++)
		if (str_eq(name, parameters[i].name))
			view_choose(&parameters[i], pair, &chosen[i]);
}

/* RFC 9110 12.5.1: the higher quality wins; a draw, and so a client that takes anything, gets HTML. */
static enum listing_format
view_negotiate(struct str accept)
{
	int json = negotiate_media(accept, S("application/json"), NULL);
	int html = negotiate_media(accept, S("text/html"), NULL);

	return json > html ? FORMAT_JSON : FORMAT_HTML;
}

struct view
view_parse(struct str query, struct str accept)
{
	int chosen[PARAMETERS] = { -1, -1, -1 };
	struct str part, pair;
	struct view view;
	int64_t page = -1;
	bool named;

	while (str_cut(&query, '&', &part))
		while (str_cut(&part, ';', &pair))
			view_pair(pair, chosen, &page);
	view = (struct view){
		.sort = chosen[SORT] < 0 ? SORT_NAME : (enum sort_key)chosen[SORT],
		.descending = chosen[ORDER] > 0,
		.format = chosen[FORMAT] < 0 ? view_negotiate(accept) : (enum listing_format)chosen[FORMAT],
	};
	if (view.format == FORMAT_HTML && page < 0)
		page = negotiate_media(accept, S("text/html"), &named) > 0 && named;
	view.page = view.format == FORMAT_HTML ? (size_t)page : 0;
	return view;
}
