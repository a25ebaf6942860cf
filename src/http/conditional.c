/* RFC 9110 13: every precondition is a function that answers whether it is there and whether it holds, and
 * conditional_evaluate is the list of steps of 13.2.2. Dates compare in whole seconds, because that is all
 * that a Last-Modified field can say: with its fraction a file would always be newer than its own date. */
#include "http/conditional.h"

#include "http/date.h"
#include "http/etag.h"

/* A date is a strong validator only when the file cannot have changed again within the second that it names
 * (8.8.2.2). A minute is beyond any doubt about clocks. */
#define STRONG_DATE_AGE_NANOSECONDS INT64_C(60000000000)

enum held {
	HELD_ABSENT, /* not sent, or to be ignored */
	HELD_TRUE,
	HELD_FALSE,
};

static bool
is_sent(struct str field)
{
	return field.ptr != NULL;
}

static bool
read_date(const struct request *request, struct str field, int64_t *date)
{
	return is_sent(field) && date_parse(field, seconds_from_nanoseconds(request->received), date);
}

/* 13.1.1. The target exists, so "*" holds. */
static enum held
if_match(const struct request *request, const struct representation *representation)
{
	if (!is_sent(request->if_match))
		return HELD_ABSENT;
	return etag_list_has(request->if_match, representation->etag, representation->etag_alias, ETAG_STRONG) ?
	    HELD_TRUE : HELD_FALSE;
}

/* 13.1.4. Ignored when it is no date or when there is no modification date to compare with. */
static enum held
if_unmodified_since(const struct request *request, const struct representation *representation)
{
	int64_t date;

	if (!representation->has_last_modified || !read_date(request, request->if_unmodified_since, &date))
		return HELD_ABSENT;
	return seconds_from_nanoseconds(representation->last_modified) <= date ? HELD_TRUE : HELD_FALSE;
}

/* 13.1.2. False when a tag of the list is ours, or when it is "*". */
static enum held
if_none_match(const struct request *request, const struct representation *representation)
{
	if (!is_sent(request->if_none_match))
		return HELD_ABSENT;
	return etag_list_has(request->if_none_match, representation->etag, representation->etag_alias, ETAG_WEAK) ?
	    HELD_FALSE : HELD_TRUE;
}

/* 13.1.3. Ignored as If-Unmodified-Since is; a date still to come is as good as any. */
static enum held
if_modified_since(const struct request *request, const struct representation *representation)
{
	int64_t date;

	if (!representation->has_last_modified || !read_date(request, request->if_modified_since, &date))
		return HELD_ABSENT;
	return seconds_from_nanoseconds(representation->last_modified) <= date ? HELD_FALSE : HELD_TRUE;
}

/* 13.1.5. One tag or one date, and either has to be ours exactly: "not newer" is not enough here. */
static enum held
if_range(const struct request *request, const struct representation *representation)
{
	int64_t date;

	if (!is_sent(request->if_range))
		return HELD_ABSENT;
	if (etag_is_same(request->if_range, representation->etag, representation->etag_alias, ETAG_STRONG))
		return HELD_TRUE;
	if (!representation->has_last_modified || !read_date(request, request->if_range, &date))
		return HELD_FALSE;
	if (representation->last_modified > request->received - STRONG_DATE_AGE_NANOSECONDS)
		return HELD_FALSE;
	return seconds_from_nanoseconds(representation->last_modified) == date ? HELD_TRUE : HELD_FALSE;
}

/* 14.2: Range is defined for GET only. */
static struct outcome
outcome_of_range(const struct request *request, const struct representation *representation)
{
	struct outcome outcome = { .status = STATUS_OK };

	if (request->method != METHOD_GET || !is_sent(request->range))
		return outcome;
	if (if_range(request, representation) == HELD_FALSE)
		return outcome;
	switch (range_parse(request->range, representation->complete_length, &outcome.ranges)) {
	case RANGE_SATISFIABLE:
		outcome.status = STATUS_PARTIAL_CONTENT;
		break;
	case RANGE_UNSATISFIABLE:
		outcome.status = STATUS_RANGE_NOT_SATISFIABLE;
		break;
	case RANGE_IGNORED:
		outcome.ranges.count = 0;
		break;
	}
	return outcome;
}

struct outcome
conditional_evaluate(const struct request *request, const struct representation *representation)
{
	enum held held;

	/* 13.2.2 step 1, and only without If-Match step 2. */
	held = if_match(request, representation);
	if (held == HELD_ABSENT)
		held = if_unmodified_since(request, representation);
	if (held == HELD_FALSE)
		return (struct outcome){ .status = STATUS_PRECONDITION_FAILED };

	/* Step 3, and only without If-None-Match step 4; the method is GET or HEAD. */
	held = if_none_match(request, representation);
	if (held == HELD_ABSENT)
		held = if_modified_since(request, representation);
	if (held == HELD_FALSE)
		return (struct outcome){ .status = STATUS_NOT_MODIFIED };

	/* Steps 5 and 6. */
	return outcome_of_range(request, representation);
}
