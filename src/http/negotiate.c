/* Accept and Accept-Encoding, read member by member. A member that cannot be read is skipped: half a
 * preference is better than an error page. Quality is in thousandths, all that RFC 9110 12.4.2 allows. */
#include "http/negotiate.h"

/* One member: what it names, its other parameters, its quality. */
struct preference {
	struct str name;
	struct str parameters; /* before the weight, with their first ';' */
	int quality;
};

/* How many bytes come before the first `at` that is in no quoted string (RFC 9110 5.6.4). */
static size_t
length_before(struct str text, char at)
{
	const char *found = memchr(text.ptr, at, text.len);
	size_t len = found != NULL ? (size_t)(found - text.ptr) : text.len;
	bool quoted = false;

	if (memchr(text.ptr, '"', len) == NULL)
		return len;
	for (len = 0; len < text.len && (quoted || text.ptr[len] != at); len++) {
		if (text.ptr[len] == '"')
			quoted = !quoted;
		else if (quoted && text.ptr[len] == '\\' && len + 1 < text.len)
			len++;
	}
	return len;
}

/* Takes what comes before `at` out of *rest. */
static bool
cut_unquoted(struct str *rest, char at, struct str *part)
{
	size_t len;

	if (rest->len == 0)
		return false;
	len = length_before(*rest, at);
	*part = str_trim(str_sub(*rest, 0, len));
	*rest = str_after(*rest, len + 1);
	return true;
}

/* RFC 9110 12.4.2. Looser than its grammar where clients are: ".2" is 0.2, a fourth digit is dropped. */
static bool
read_quality(struct str text, int *quality)
{
	int64_t whole = 0, fraction;
	struct str integer;
	int weight = 100, sum = 0;

	str_cut(&text, '.', &integer);
	if (integer.len > 1 || (integer.len == 1 && !str_digits(integer, &whole)) || whole > 1)
		return false;
	if (integer.len == 0 && text.len == 0)
		return false;
	if (text.len > 0 && !str_digits(text, &fraction))
		return false;
	for (size_t i = 0; i < text.len && i < 3; i++, weight /= 10)
		sum += (text.ptr[i] - '0') * weight;
	if (whole == 1 && sum > 0)
		return false;
	*quality = (int)whole * 1000 + sum;
	return true;
}

/* Reads "name;parameter=value;q=0.5". False when there is no name or the weight is no weight. */
static bool
read_preference(struct str member, struct preference *preference)
{
	struct str rest = member, part, name;

	*preference = (struct preference){ .quality = 1000 };
	if (!cut_unquoted(&rest, ';', &preference->name) || preference->name.len == 0)
		return false;
	preference->parameters = str_sub(rest, 0, 0);
	while (rest.len > 0) {
		const char *start = rest.ptr;

		cut_unquoted(&rest, ';', &part);
		if (str_cut(&part, '=', &name) && part.ptr != NULL && str_ieq(str_trim(name), S("q")))
			return read_quality(str_trim(part), &preference->quality);
		preference->parameters.len += (size_t)(rest.ptr - start);
	}
	return true;
}

static bool
next_preference(struct str *field, struct preference *preference)
{
	struct str member;

	while (cut_unquoted(field, ',', &member))
		if (read_preference(member, preference))
			return true;
	return false;
}

/* Whether the parameters are none, or say no more than that the text be UTF-8. */
static bool
parameters_are_ours(struct str parameters)
{
	struct str part;

	while (cut_unquoted(&parameters, ';', &part))
		if (part.len > 0 && !str_ieq(part, S("charset=utf-8")) && !str_ieq(part, S("charset=\"utf-8\"")))
			return false;
	return true;
}

/* How exactly a media range names the type: 3 itself, 2 by its first half, 1 any, 0 not at all. */
static int
media_precision(const struct preference *range, struct str media_type)
{
	struct str rest = media_type, type;

	if (!parameters_are_ours(range->parameters))
		return 0;
	if (str_ieq(range->name, media_type))
		return 3;
	/* A lone "*" is no media range, but old Java clients send it as one. */
	if (str_eq(range->name, S("*/*")) || str_eq(range->name, S("*")))
		return 1;
	str_cut(&rest, '/', &type);
	if (range->name.len == type.len + 2 && str_ieq(str_sub(range->name, 0, type.len), type) &&
	    str_ends(range->name, S("/*")))
		return 2;
	return 0;
}

int
negotiate_media(struct str accept, struct str media_type, bool *named)
{
	struct preference range;
	int best = 0, quality = 0;
	bool any = false;

	while (next_preference(&accept, &range)) {
		int precision = media_precision(&range, media_type);

		any = any || str_has(range.name, '/') || str_eq(range.name, S("*"));
		if (precision > best) {
			best = precision;
			quality = range.quality;
		}
	}
	if (named != NULL)
		*named = best == 3;
	return any ? quality : 1000;
}

/* RFC 9110 8.4.1.3: x-gzip is gzip. */
static bool
is_coding(struct str name, struct str coding)
{
	if (str_ieq(name, S("x-gzip")))
		name = S("gzip");
	if (str_ieq(coding, S("x-gzip")))
		coding = S("gzip");
	return str_ieq(name, coding);
}

int
negotiate_coding(struct str accept_encoding, struct str coding)
{
	bool identity = str_ieq(coding, S("identity"));
	struct preference preference;
	int by_name = -1, by_star = -1;

	if (accept_encoding.ptr == NULL)
		return identity ? 1000 : 0;
	while (next_preference(&accept_encoding, &preference)) {
		if (by_name < 0 && is_coding(preference.name, coding))
			by_name = preference.quality;
		else if (by_star < 0 && str_eq(preference.name, S("*")))
			by_star = preference.quality;
	}
	if (by_name >= 0)
		return by_name;
	if (by_star >= 0)
		return by_star;
	return identity ? 1 : 0;
}
