#include "http/conditional.h"

#include "suites.h"

Suite *conditional_suite(void);

#define SECOND INT64_C(1000000000)

/* The representation of the tables: 10 bytes, tag "own", alias "nginx", modified at .5 s past this second. */
#define MODIFIED INT64_C(1700000000)
#define OLDER "Tue, 14 Nov 2023 22:13:19 GMT"
#define EQUAL "Tue, 14 Nov 2023 22:13:20 GMT"
#define NEWER "Tue, 14 Nov 2023 22:13:21 GMT"
#define OWN "\"own\""
#define WEAK "W/\"own\""
#define OTHER "\"other\""

static struct representation
representation_make(void)
{
	return (struct representation){
		.media_type = STR("text/plain"),
		.etag = STR(OWN),
		.etag_alias = STR("\"nginx\""),
		.complete_length = 10,
		.last_modified = MODIFIED * SECOND + SECOND / 2,
		.has_last_modified = true,
	};
}

/* NULL: not sent. An hour after the modification unless `received` says otherwise. */
static const struct row {
	const char *if_match, *if_unmodified_since, *if_none_match, *if_modified_since, *range, *if_range;
	enum status get, head;
} cases[] = {
	{ NULL, NULL, NULL, NULL, NULL, NULL, 200, 200 },
	/* If-Match */
	{ .if_match = OWN, .get = 200, .head = 200 },
	{ .if_match = OTHER, .get = 412, .head = 412 },
	{ .if_match = OTHER ", " OWN, .get = 200, .head = 200 },
	{ .if_match = "*", .get = 200, .head = 200 },
	{ .if_match = WEAK, .get = 412, .head = 412 },
	{ .if_match = "\"nginx\"", .get = 200, .head = 200 },
	{ .if_match = "\"own-gzip\"", .get = 412, .head = 412 },
	{ .if_match = "garbage", .get = 412, .head = 412 },
	{ .if_match = "", .get = 412, .head = 412 },
	{ .if_match = OTHER, .if_none_match = OWN, .get = 412, .head = 412 },
	{ .if_match = OTHER, .range = "bytes=100-", .get = 412, .head = 412 },
	{ .if_match = OWN, .if_unmodified_since = OLDER, .get = 200, .head = 200 },
	{ .if_match = OTHER, .if_unmodified_since = NEWER, .get = 412, .head = 412 },
	{ .if_match = OWN, .if_none_match = OWN, .get = 304, .head = 304 },
	/* If-Unmodified-Since */
	{ .if_unmodified_since = OLDER, .get = 412, .head = 412 },
	{ .if_unmodified_since = EQUAL, .get = 200, .head = 200 },
	{ .if_unmodified_since = NEWER, .get = 200, .head = 200 },
	{ .if_unmodified_since = "yesterday", .get = 200, .head = 200 },
	{ .if_unmodified_since = "", .get = 200, .head = 200 },
	{ .if_unmodified_since = OLDER, .if_modified_since = EQUAL, .get = 412, .head = 412 },
	{ .if_unmodified_since = EQUAL, .if_modified_since = EQUAL, .get = 304, .head = 304 },
	/* If-None-Match */
	{ .if_none_match = OWN, .get = 304, .head = 304 },
	{ .if_none_match = WEAK, .get = 304, .head = 304 },
	{ .if_none_match = "*", .get = 304, .head = 304 },
	{ .if_none_match = OTHER, .get = 200, .head = 200 },
	{ .if_none_match = OTHER ", " WEAK, .get = 304, .head = 304 },
	{ .if_none_match = "\"nginx\"", .get = 304, .head = 304 },
	{ .if_none_match = "\"own-gzip\"", .get = 304, .head = 304 },
	{ .if_none_match = "W/\"own;br\"", .get = 304, .head = 304 },
	{ .if_none_match = "own", .get = 200, .head = 200 },
	/* It hides If-Modified-Since whatever it holds. */
	{ .if_none_match = OTHER, .if_modified_since = EQUAL, .get = 200, .head = 200 },
	{ .if_none_match = "garbage", .if_modified_since = EQUAL, .get = 200, .head = 200 },
	{ .if_none_match = "", .if_modified_since = EQUAL, .get = 200, .head = 200 },
	{ .if_none_match = OWN, .if_modified_since = OLDER, .get = 304, .head = 304 },
	/* If-Modified-Since */
	{ .if_modified_since = OLDER, .get = 200, .head = 200 },
	{ .if_modified_since = EQUAL, .get = 304, .head = 304 },
	{ .if_modified_since = NEWER, .get = 304, .head = 304 },
	{ .if_modified_since = "Tue, 19 Jan 2038 03:14:08 GMT", .get = 304, .head = 304 },
	{ .if_modified_since = "Sun, 07 Feb 2106 06:28:16 GMT", .get = 304, .head = 304 },
	{ .if_modified_since = "Fri, 31 Dec 9999 23:59:59 GMT", .get = 304, .head = 304 },
	{ .if_modified_since = "Thu, 01 Jan 1970 00:00:00 GMT", .get = 200, .head = 200 },
	{ .if_modified_since = "Tuesday, 14-Nov-23 22:13:20 GMT", .get = 304, .head = 304 },
	{ .if_modified_since = "Tue Nov 14 22:13:20 2023", .get = 304, .head = 304 },
	{ .if_modified_since = "garbage", .get = 200, .head = 200 },
	{ .if_modified_since = EQUAL "; length=10", .get = 200, .head = 200 },
	{ .if_modified_since = "Tue, 32 Nov 2023 22:13:20 GMT", .get = 200, .head = 200 },
	{ .if_modified_since = "Tue, 14 Nov 2023 25:00:00 GMT", .get = 200, .head = 200 },
	/* Range comes last, and is for GET only. */
	{ .range = "bytes=2-5", .get = 206, .head = 200 },
	{ .range = "bytes=0-", .get = 206, .head = 200 },
	{ .range = "bytes=100-", .get = 416, .head = 200 },
	{ .range = "items=0-5", .get = 200, .head = 200 },
	{ .range = "garbage", .get = 200, .head = 200 },
	{ .range = "", .get = 200, .head = 200 },
	{ .range = "bytes=2-5", .if_none_match = OWN, .get = 304, .head = 304 },
	{ .range = "bytes=100-", .if_none_match = OWN, .get = 304, .head = 304 },
	{ .range = "bytes=2-5", .if_none_match = OTHER, .get = 206, .head = 200 },
	{ .range = "bytes=2-5", .if_modified_since = EQUAL, .get = 304, .head = 304 },
	{ .range = "bytes=2-5", .if_match = OWN, .get = 206, .head = 200 },
	{ .range = "bytes=2-5", .if_unmodified_since = EQUAL, .get = 206, .head = 200 },
	/* If-Range: the same bytes for certain, or the whole. */
	{ .range = "bytes=2-5", .if_range = OWN, .get = 206, .head = 200 },
	{ .range = "bytes=2-5", .if_range = "\"nginx\"", .get = 206, .head = 200 },
	{ .range = "bytes=2-5", .if_range = WEAK, .get = 200, .head = 200 },
	{ .range = "bytes=2-5", .if_range = OTHER, .get = 200, .head = 200 },
	{ .range = "bytes=2-5", .if_range = "\"own-gzip\"", .get = 200, .head = 200 },
	{ .range = "bytes=2-5", .if_range = "*", .get = 200, .head = 200 },
	{ .range = "bytes=2-5", .if_range = OTHER ", " OWN, .get = 200, .head = 200 },
	{ .range = "bytes=2-5", .if_range = OLDER, .get = 200, .head = 200 },
	{ .range = "bytes=2-5", .if_range = EQUAL, .get = 206, .head = 200 },
	{ .range = "bytes=2-5", .if_range = NEWER, .get = 200, .head = 200 },
	{ .range = "bytes=2-5", .if_range = "wrong", .get = 200, .head = 200 },
	{ .range = "bytes=2-5", .if_range = "", .get = 200, .head = 200 },
	{ .range = "bytes=100-", .if_range = OTHER, .get = 200, .head = 200 },
	{ .range = "bytes=100-", .if_range = OWN, .get = 416, .head = 200 },
	{ .range = "bytes=2-5", .if_range = OTHER, .if_none_match = OWN, .get = 304, .head = 304 },
	{ .if_range = OTHER, .get = 200, .head = 200 },
	{ .if_range = OWN, .get = 200, .head = 200 },
};

static struct request
request_make(enum method method, const struct row *row)
{
	return (struct request){
		.method = method,
		.received = (MODIFIED + 3600) * SECOND,
		.if_match = str_from(row->if_match),
		.if_unmodified_since = str_from(row->if_unmodified_since),
		.if_none_match = str_from(row->if_none_match),
		.if_modified_since = str_from(row->if_modified_since),
		.range = str_from(row->range),
		.if_range = str_from(row->if_range),
	};
}

START_TEST(table)
{
	struct representation representation = representation_make();
	struct request get = request_make(METHOD_GET, &cases[_i]), head = request_make(METHOD_HEAD, &cases[_i]);

	ck_assert_int_eq(conditional_evaluate(&get, &representation).status, cases[_i].get);
	ck_assert_int_eq(conditional_evaluate(&head, &representation).status, cases[_i].head);
}
END_TEST

START_TEST(ranges_come_with_206)
{
	struct representation representation = representation_make();
	struct request request = request_make(METHOD_GET, &(struct row){ .range = "bytes=-4" });
	struct outcome outcome = conditional_evaluate(&request, &representation);

	ck_assert_uint_eq(outcome.ranges.count, 1);
	ck_assert_int_eq(outcome.ranges.ranges[0].first, 6);
	ck_assert_int_eq(outcome.ranges.ranges[0].length, 4);
	request.range = S("bytes=0-1,x");
	ck_assert_uint_eq(conditional_evaluate(&request, &representation).ranges.count, 0);
}
END_TEST

START_TEST(nothing_to_cut_of_an_empty_file)
{
	static const char *const ranges[] = { "bytes=0-", "bytes=0-0", "bytes=-1", "bytes=-0" };
	struct representation representation = representation_make();

	representation.complete_length = 0;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct request request = request_make(METHOD_GET, &(struct row){ .range = ranges[i] });

		ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_OK);
	}
}
END_TEST

/* A tag of a file that may still change unseen: good for 304, not for 206 nor If-Match. */
START_TEST(weak_own_tag)
{
	struct representation representation = representation_make();
	struct request request = request_make(METHOD_GET, &(struct row){ .if_none_match = OWN });

	representation.etag = S(WEAK);
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_NOT_MODIFIED);
	request = request_make(METHOD_GET, &(struct row){ .if_match = OWN ", " WEAK ", \"nginx\"" });
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_PRECONDITION_FAILED);
	request = request_make(METHOD_GET, &(struct row){ .if_match = "*" });
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_OK);
	request = request_make(METHOD_GET, &(struct row){ .range = "bytes=0-1", .if_range = WEAK });
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_OK);
	request = request_make(METHOD_GET, &(struct row){ .range = "bytes=0-1", .if_range = OWN });
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_OK);
}
END_TEST

START_TEST(without_modification_date)
{
	struct representation representation = representation_make();
	struct request request = request_make(METHOD_GET, &(struct row){ .if_modified_since = NEWER });

	representation.has_last_modified = false;
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_OK);
	request = request_make(METHOD_GET, &(struct row){ .if_unmodified_since = OLDER });
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_OK);
	request = request_make(METHOD_GET, &(struct row){ .range = "bytes=0-1", .if_range = EQUAL });
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_OK);
}
END_TEST

/* A date is a strong validator only once the file has been left alone (RFC 9110 8.8.2.2). */
static const struct {
	int64_t received;
	enum status status;
} ages[] = {
	{ (MODIFIED + 3600) * SECOND, 206 },
	{ (MODIFIED + 60) * SECOND + SECOND / 2, 206 },
	{ (MODIFIED + 60) * SECOND + SECOND / 2 - 1, 200 },
	{ (MODIFIED + 1) * SECOND, 200 },
	{ (MODIFIED - 3600) * SECOND, 200 },
};

START_TEST(a_fresh_date_is_weak)
{
	struct representation representation = representation_make();
	struct request request = request_make(METHOD_GET, &(struct row){ .range = "bytes=0-1", .if_range = EQUAL });

	request.received = ages[_i].received;
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, ages[_i].status);
	request.if_range = S(OWN);
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_PARTIAL_CONTENT);
}
END_TEST

START_TEST(before_1970)
{
	struct representation representation = representation_make();
	struct request request =
	    request_make(METHOD_GET, &(struct row){ .if_modified_since = "Wed, 31 Dec 1969 23:59:59 GMT" });

	representation.last_modified = -SECOND / 2;
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_NOT_MODIFIED);
	request.if_modified_since = S("Wed, 31 Dec 1969 23:59:58 GMT");
	ck_assert_int_eq(conditional_evaluate(&request, &representation).status, STATUS_OK);
}
END_TEST

/* The cross product: every value of every field with what it means, so that the oracle needs no parser. */
enum meaning {
	ABSENT, BAD,
	MATCHES, MATCHES_WEAKLY, DIFFERS,
	DATE_OLDER, DATE_EQUAL, DATE_NEWER,
	INSIDE, OUTSIDE,
};

struct value {
	const char *text;
	enum meaning meaning;
};

static const struct value tags[] = {
	{ NULL, ABSENT },
	{ OWN, MATCHES },
	{ WEAK, MATCHES_WEAKLY },
	{ OTHER, DIFFERS },
	{ OTHER ", " OWN, MATCHES },
	{ OTHER "," WEAK ",", MATCHES_WEAKLY },
	{ "*", MATCHES },
	{ "garbage", DIFFERS },
	{ "", DIFFERS },
};

static const struct value dates[] = {
	{ NULL, ABSENT },
	{ OLDER, DATE_OLDER },
	{ EQUAL, DATE_EQUAL },
	{ NEWER, DATE_NEWER },
	{ "garbage", BAD },
};

static const struct value ranges[] = {
	{ NULL, ABSENT },
	{ "bytes=2-5", INSIDE },
	{ "bytes=0-0,-1", INSIDE },
	{ "bytes=100-", OUTSIDE },
	{ "bytes=5-2", BAD },
	{ "items=0-5", BAD },
};

static const struct value range_conditions[] = {
	{ NULL, ABSENT },
	{ OWN, MATCHES },
	{ WEAK, MATCHES_WEAKLY },
	{ OTHER, DIFFERS },
	{ OLDER, DATE_OLDER },
	{ EQUAL, DATE_EQUAL },
	{ NEWER, DATE_NEWER },
	{ "garbage", BAD },
};

/* RFC 9110 13.2.2 once more, from what the values mean instead of from their bytes. */
static enum status
oracle(bool get, enum meaning im, enum meaning ius, enum meaning inm, enum meaning ims, enum meaning range,
    enum meaning if_range)
{
	if (im != ABSENT) {
		/* 1. If-Match is there: false unless it matches, strongly. */
		if (im != MATCHES)
			return 412;
	} else if (ius == DATE_OLDER) {
		/* 2. No If-Match, a valid date, modified since. */
		return 412;
	}
	if (inm != ABSENT) {
		/* 3. If-None-Match is there: a match, weak or strong, makes it false; the method is GET or HEAD. */
		if (inm == MATCHES || inm == MATCHES_WEAKLY)
			return 304;
	} else if (ims == DATE_EQUAL || ims == DATE_NEWER) {
		/* 4. No If-None-Match, a valid date, not modified since. */
		return 304;
	}
	/* 5. GET with Range, and If-Range absent or true; 14.2: a broken or foreign range is ignored. */
	if (get && (if_range == ABSENT || if_range == MATCHES || if_range == DATE_EQUAL)) {
		if (range == INSIDE)
			return 206;
		if (range == OUTSIDE)
			return 416;
	}
	/* 6. */
	return 200;
}

static void
compare_with_oracle(const struct value *im, const struct value *ius, const struct value *inm,
    const struct value *ims, const struct value *range, const struct value *if_range)
{
	struct representation representation = representation_make();
	struct row row = { im->text, ius->text, inm->text, ims->text, range->text, if_range->text, 0, 0 };

	for (int get = 0; get <= 1; get++) {
		struct request request = request_make(get ? METHOD_GET : METHOD_HEAD, &row);
		enum status want = oracle(get, im->meaning, ius->meaning, inm->meaning, ims->meaning,
		    range->meaning, if_range->meaning);
		enum status got = conditional_evaluate(&request, &representation).status;

		/* The many that agree must not cost a call of check each. */
		if (got != want)
			ck_abort_msg("%s: If-Match %s, If-Unmodified-Since %s, If-None-Match %s, "
			    "If-Modified-Since %s, Range %s, If-Range %s: got %d, wanted %d", get ? "GET" : "HEAD",
			    im->text, ius->text, inm->text, ims->text, range->text, if_range->text, got, want);
	}
}

START_TEST(agrees_with_the_oracle)
{
	/* One test a value of If-Match; the rest of the product in here. */
	for (int ius = 0; ius < ROWS(dates); ius++)
		for (int inm = 0; inm < ROWS(tags); inm++)
			for (int ims = 0; ims < ROWS(dates); ims++)
				for (int r = 0; r < ROWS(ranges); r++)
					for (int ir = 0; ir < ROWS(range_conditions); ir++)
						compare_with_oracle(&tags[_i], &dates[ius], &tags[inm], &dates[ims],
						    &ranges[r], &range_conditions[ir]);
}
END_TEST

Suite *
conditional_suite(void)
{
	Suite *suite = suite_create("conditional");

	suite_add_rows(suite, table, cases);
	suite_add_test(suite, ranges_come_with_206);
	suite_add_test(suite, nothing_to_cut_of_an_empty_file);
	suite_add_test(suite, weak_own_tag);
	suite_add_test(suite, without_modification_date);
	suite_add_rows(suite, a_fresh_date_is_weak, ages);
	suite_add_test(suite, before_1970);
	suite_add_rows(suite, agrees_with_the_oracle, tags);
	return suite;
}
