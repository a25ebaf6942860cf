/* The Range field against a length. A field that breaks the grammar anywhere is ignored as a whole (RFC 9110
 * 14.2); a member that is well formed but lies outside is left out. Ranges are joined as they come in, so
 * that the set never holds two that overlap: no request can make the answer larger than the content. */
#include "http/range.h"

/* So many digits fit 64 bits with and without a sign. */
#define DIGITS_PLAIN 18

enum member {
	MEMBER_BROKEN,
	MEMBER_INSIDE,
	MEMBER_OUTSIDE,
};

static int64_t
range_end(const struct range *range)
{
	return range->first + range->length;
}

static bool
ranges_are_near(const struct range *a, const struct range *b)
{
	return a->first - range_end(b) < RANGE_JOIN_GAP && b->first - range_end(a) < RANGE_JOIN_GAP;
}

static struct range
range_around(const struct range *a, const struct range *b)
{
	int64_t first = a->first < b->first ? a->first : b->first;
	int64_t end = range_end(a) > range_end(b) ? range_end(a) : range_end(b);

	return (struct range){ first, end - first };
}

/* Joins the range with all that it comes near. What grew may come near others, so the search starts again. */
static void
set_add(struct range_set *set, struct range range)
{
	size_t place = set->count;

	for (size_t i = 0; i < set->count;) {
		if (!ranges_are_near(&range, &set->ranges[i])) {
			i++;
			continue;
		}
		range = range_around(&range, &set->ranges[i]);
		if (i < place)
			place = i;
		set->count--;
		memmove(&set->ranges[i], &set->ranges[i + 1], (set->count - i) * sizeof(range));
		i = 0;
	}
	memmove(&set->ranges[place + 1], &set->ranges[place], (set->count - place) * sizeof(range));
	set->ranges[place] = range;
	set->count++;
}

/* RFC 9110 14.1.1, suffix-range: the last so many bytes, or all when there are fewer. */
static enum member
read_suffix(struct str digits, int64_t complete_length, struct range *range)
{
	int64_t length;

	if (!str_digits(digits, &length))
		return MEMBER_BROKEN;
	if (length == 0)
		return MEMBER_OUTSIDE;
	range->length = length < complete_length ? length : complete_length;
	range->first = complete_length - range->length;
	return MEMBER_INSIDE;
}

/* RFC 9110 14.1.2: first-pos "-" [ last-pos ], or "-" suffix-length. */
static enum member
read_member(struct str member, int64_t complete_length, struct range *range)
{
	struct str rest = member, first_pos;
	int64_t first, last = INT64_MAX;

	if (!str_has(member, '-'))
		return MEMBER_BROKEN;
	str_cut(&rest, '-', &first_pos);
	if (first_pos.len == 0)
		return read_suffix(rest, complete_length, range);
	if (!str_digits(first_pos, &first))
		return MEMBER_BROKEN;
	if (rest.len > 0 && !str_digits(rest, &last))
		return MEMBER_BROKEN;
	if (first > last)
		return MEMBER_BROKEN;
	if (first >= complete_length)
		return MEMBER_OUTSIDE;
	range->first = first;
	range->length = (last < complete_length ? last + 1 : complete_length) - first;
	return MEMBER_INSIDE;
}

enum range_result
range_parse(struct str field, int64_t complete_length, struct range_set *set)
{
	struct str rest = str_trim(field), part;
	size_t members = 0;

	set->count = 0;
	if (complete_length <= 0 || !str_has(rest, '='))
		return RANGE_IGNORED;
	str_cut(&rest, '=', &part);
	if (!str_ieq(part, S("bytes")))
		return RANGE_IGNORED;
	while (str_cut(&rest, ',', &part)) {
		struct str member = str_trim(part);
		struct range range;
		enum member read;

		/* RFC 9110 5.6.1.2: a recipient takes a reasonable number of empty members. */
		if (member.len == 0)
			continue;
		read = read_member(member, complete_length, &range);
		if (read == MEMBER_BROKEN || ++members > RANGE_MAX)
			return RANGE_IGNORED;
		if (read == MEMBER_INSIDE)
			set_add(set, range);
	}
	if (members == 0)
		return RANGE_IGNORED;
	return set->count > 0 ? RANGE_SATISFIABLE : RANGE_UNSATISFIABLE;
}

bool
range_is_plain(struct str field)
{
	struct str rest = field, part, first_pos;
	struct range_set set;

	if (range_parse(field, INT64_MAX, &set) != RANGE_SATISFIABLE)
		return false;
	str_cut(&rest, '=', &part);
	while (str_cut(&rest, ',', &part)) {
		struct str last_pos = str_trim(part);

		str_cut(&last_pos, '-', &first_pos);
		if (first_pos.len + last_pos.len == 0 || first_pos.len > DIGITS_PLAIN || last_pos.len > DIGITS_PLAIN)
			return false;
	}
	return true;
}

void
range_format(struct buf *out, const struct range *range, int64_t complete_length)
{
	buf_text(out, "bytes ");
	buf_int(out, range->first);
	buf_char(out, '-');
	buf_int(out, range_end(range) - 1);
	buf_char(out, '/');
	buf_int(out, complete_length);
}

void
range_format_unsatisfied(struct buf *out, int64_t complete_length)
{
	buf_text(out, "bytes */");
	buf_int(out, complete_length);
}
