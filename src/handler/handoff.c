/* Every dialect differs in what it decodes, keeps and leaks (each row tried on the real servers, tests/front):
 * mod_xsendfile 0.12 takes raw bytes, its 1.0 decodes: a '%' is ambiguous. lighttpd decodes and wants UTF-8. A front that does not
 * know the field passes it to the client, with the path in it: so a dialect is spoken only to
 * the front whose it is. mod_xsendfile and nginx drop Content-Encoding: coded content is streamed there. */
#include "handler/handoff.h"

#include "base/escape.h"
#include "http/date.h"

static const struct {
	struct str name;
	enum handoff_mode mode;
	bool takes_prefix;
	bool adds_vary;
	const char *field;
} dialects[] = {
	{ STR("off"), HANDOFF_OFF, false, false, NULL },
	{ STR("x-sendfile"), HANDOFF_X_SENDFILE, false, false, "X-Sendfile" },
	{ STR("x-accel-redirect"), HANDOFF_X_ACCEL_REDIRECT, true, false, "X-Accel-Redirect" },
	{ STR("x-accel-redirect+vary"), HANDOFF_X_ACCEL_REDIRECT, true, true, "X-Accel-Redirect" },
	{ STR("x-litespeed-location"), HANDOFF_X_LITESPEED_LOCATION, true, false, "X-LiteSpeed-Location" },
	{ STR("local-redirect"), HANDOFF_LOCAL_REDIRECT, true, false, "Location" },
};

bool
handoff_parse(struct str text, struct handoff *handoff)
{
	struct str rest = text, name;

	if (!str_cut(&rest, ':', &name))
		return false;
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		if (!str_eq(name, dialects[i].name))
			continue;
		if (dialects[i].takes_prefix != (rest.ptr != NULL))
			return false;
		if (rest.ptr != NULL && (!str_starts(rest, S("/")) || !str_ends(rest, S("/"))))
			return false;
		for (size_t at = 0; at < rest.len; at++)
			if ((unsigned char)rest.ptr[at] <= 0x20 || rest.ptr[at] == 0x7f)
				return false;
		*handoff = (struct handoff){ dialects[i].mode, rest, dialects[i].adds_vary };
		return true;
	}
	return false;
}

static bool
has_control(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f)
			return true;
	return false;
}

/* A raw field value: no controls, no blank that a parser trims, no '%' that a later version decodes. */
static bool
raw_value_carries(struct str path)
{
	return !has_control(path) && !str_has(path, '%') && !str_ends(path, S(" "));
}

bool
handoff_can_carry(const struct handoff *handoff, enum front front, struct str root, struct str path, struct str coding)
{
	switch (handoff->mode) {
	case HANDOFF_OFF:
		return false;
	case HANDOFF_X_SENDFILE:
		if (front == FRONT_APACHE)
			return coding.len == 0 && raw_value_carries(root) && raw_value_carries(path);
		return front == FRONT_LIGHTTPD && utf8_valid(root) && utf8_valid(path) && !has_control(path);
	case HANDOFF_X_ACCEL_REDIRECT:
		return front == FRONT_NGINX && coding.len == 0;
	case HANDOFF_X_LITESPEED_LOCATION:
		return front == FRONT_LITESPEED && coding.len == 0;
	case HANDOFF_LOCAL_REDIRECT:
		return (front == FRONT_APACHE || front == FRONT_LITESPEED) && coding.len == 0 && !has_control(path);
	}
	return false;
}

bool
handoff_front_validates(const struct handoff *handoff)
{
	return handoff->mode == HANDOFF_X_LITESPEED_LOCATION || handoff->mode == HANDOFF_LOCAL_REDIRECT;
}

/* A date that the representation has, and that is no strong validator yet: fronts compare the seconds and no more. */
static bool
is_weak_date(const struct request *request, const struct representation *representation, const struct outcome *outcome)
{
	int64_t date;

	return outcome->status == STATUS_OK && request->if_range.ptr != NULL && representation->has_last_modified &&
	    date_parse(request->if_range, seconds_from_nanoseconds(request->received), &date) &&
	    date == seconds_from_nanoseconds(representation->last_modified);
}

/* Tried on the real ones: Apache and nginx cut ranges out of an answer to HEAD, and look at If-Unmodified-Since beside an If-Match
 * that holds (RFC 9110 13.2.2, 14.2). They take for a date what is none. nginx and lighttpd answer 416 to a last-pos of 20 digits,
 * nginx to an empty list member. */
bool
handoff_agrees(const struct request *request, const struct representation *representation, const struct outcome *outcome)
{
	int64_t date;

	if (request->if_match.ptr != NULL || request->if_unmodified_since.ptr != NULL)
		return false;
	if (request->if_modified_since.ptr != NULL && request->if_none_match.ptr == NULL &&
	    !date_parse(request->if_modified_since, seconds_from_nanoseconds(request->received), &date))
		return false;
	if (request->range.ptr == NULL)
		return true;
	return request->method == METHOD_GET && range_is_plain(request->range) &&
	    !is_weak_date(request, representation, outcome);
}

bool
handoff_drops_vary(const struct handoff *handoff)
{
	return handoff->mode != HANDOFF_OFF && handoff->mode != HANDOFF_X_SENDFILE && !handoff->adds_vary;
}

/* Appends the value to response->text, which is free: a handed-off answer has no text. */
static struct str
handoff_value(struct response *response, const struct handoff *handoff, enum front front, struct str root, struct str path)
{
	struct buf *value = &response->text;

	if (handoff->mode != HANDOFF_X_SENDFILE) {
		buf_str(value, handoff->prefix);
		escape_path(value, str_after(path, 1));
		return buf_view(value);
	}
	while (root.len > 0 && root.ptr[root.len - 1] == '/')
		root.len--;
	if (front == FRONT_LIGHTTPD) {
		escape_path(value, root);
		escape_path(value, path);
		return buf_view(value);
	}
	buf_str(value, root);
	buf_str(value, path);
	return buf_view(value);
}

void
handoff_respond(struct response *response, const struct handoff *handoff, enum front front, struct str root,
    struct str path)
{
	const char *field = NULL;

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
		if (dialects[i].mode == handoff->mode)
			field = dialects[i].field;
	if (field == NULL)
		return;
	/* The front reads nothing but the Location of a local redirect. */
	if (handoff->mode == HANDOFF_LOCAL_REDIRECT) {
		buf_reset(&response->fields);
		response->local_redirect = true;
	}
	/* mod_xsendfile says nothing of the ranges that Apache cuts then; nginx says it itself. */
	if (handoff->mode == HANDOFF_X_SENDFILE)
		response_field(response, "Accept-Ranges", S("bytes"));
	response_field(response, field, handoff_value(response, handoff, front, root, path));
	response->content_length = -1;
	response->segment_count = 0;
}
