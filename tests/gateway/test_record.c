/* Records in, events out. Each row is fed in one go, cut in two at every byte, and byte by byte: what comes
 * out must be the same, and is written down here from the FastCGI specification. */
#include "gateway/record.h"

#include "gateway/params.h"

#include "client.h"
#include "suites.h"

Suite *record_suite(void);

#define BEGIN_KEEP STR("\0\1\1\0\0\0\0\0")
#define BEGIN STR("\0\1\0\0\0\0\0\0")
#define PAIR STR("\1\1AB")
#define NONE STR("")

struct sent {
	int type;
	unsigned id;
	struct str content;
	unsigned padding;
};

/* events: what record_feed said, "request ID [content of PARAMS]", "abort", "close", "broken"; then "idle" or
 * "open". reply: the records in it. answers: whether a request is finished at once or stays open until the
 * end. */
static const struct {
	const char *what;
	struct sent sent[10]; /* type 0 ends the list */
	bool answers;
	const char *events;
	const char *reply;
} streams[] = {
	{ "nothing", { { 0, 0, NONE, 0 } }, true, "idle", "" },
	{ "a request",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_PARAMS, 1, PAIR, 0 }, { FCGI_PARAMS, 1, NONE, 0 },
		{ FCGI_STDIN, 1, NONE, 0 } },
	    true, "request 1 [4] close; idle", "" },
	{ "keep-alive, twice, the second with another id",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN_KEEP, 0 }, { FCGI_PARAMS, 1, PAIR, 0 },
		{ FCGI_PARAMS, 1, NONE, 0 }, { FCGI_STDIN, 1, NONE, 0 },
		{ FCGI_BEGIN_REQUEST, 65535, BEGIN_KEEP, 0 }, { FCGI_PARAMS, 65535, NONE, 0 },
		{ FCGI_STDIN, 65535, NONE, 0 } },
	    true, "request 1 [4] keep; request 65535 [0] keep; idle", "" },
	{ "parameters in many records, padded, one with padding alone",
	    { { FCGI_BEGIN_REQUEST, 7, BEGIN, 3 }, { FCGI_PARAMS, 7, STR("\1"), 255 },
		{ FCGI_PARAMS, 7, STR("\1A"), 7 }, { FCGI_PARAMS, 7, STR("B"), 0 },
		{ FCGI_PARAMS, 7, NONE, 255 }, { FCGI_STDIN, 7, NONE, 1 } },
	    true, "request 7 [4] close; idle", "" },
	{ "a body is stepped over",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_PARAMS, 1, PAIR, 0 }, { FCGI_PARAMS, 1, NONE, 0 },
		{ FCGI_STDIN, 1, STR("\1\5\0\1\0\0\0\0"), 0 }, { FCGI_STDIN, 1, STR("x"), 9 },
		{ FCGI_STDIN, 1, NONE, 0 } },
	    true, "request 1 [4] close; idle", "" },
	{ "a request without its last record",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_PARAMS, 1, PAIR, 0 }, { FCGI_PARAMS, 1, NONE, 0 } },
	    true, "open", "" },
	{ "STDIN before the parameters ended does not end the request",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_STDIN, 1, NONE, 0 }, { FCGI_PARAMS, 1, NONE, 0 },
		{ FCGI_STDIN, 1, NONE, 0 } },
	    true, "request 1 [0] close; idle", "" },
	{ "parameters after their end do not count",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_PARAMS, 1, PAIR, 0 }, { FCGI_PARAMS, 1, NONE, 0 },
		{ FCGI_PARAMS, 1, PAIR, 0 }, { FCGI_STDIN, 1, NONE, 0 } },
	    true, "request 1 [4] close; idle", "" },
	{ "records of ids that nobody began",
	    { { FCGI_PARAMS, 2, PAIR, 0 }, { FCGI_STDIN, 2, NONE, 0 }, { FCGI_ABORT_REQUEST, 2, NONE, 0 },
		{ FCGI_DATA, 2, PAIR, 5 }, { FCGI_END_REQUEST, 9, STR("12345678"), 0 }, { 200, 9, PAIR, 0 },
		{ FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_PARAMS, 2, PAIR, 0 },
		{ FCGI_STDIN, 2, NONE, 0 } },
	    true, "open", "" },
	{ "a second request before the first is answered",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_BEGIN_REQUEST, 2, BEGIN_KEEP, 0 },
		{ FCGI_PARAMS, 2, PAIR, 0 }, { FCGI_PARAMS, 1, NONE, 0 }, { FCGI_STDIN, 2, NONE, 0 },
		{ FCGI_STDIN, 1, NONE, 0 } },
	    true, "request 1 [0] close; idle", "end 2 status 1; " },
	{ "a second request while the first is being answered",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_PARAMS, 1, NONE, 0 }, { FCGI_STDIN, 1, NONE, 0 },
		{ FCGI_BEGIN_REQUEST, 2, BEGIN, 0 }, { FCGI_STDIN, 1, NONE, 0 } },
	    false, "request 1 [0] close; open", "end 2 status 1; " },
	{ "the same id again", { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 } },
	    true, "broken", "" },
	{ "the same id again while it is being answered",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_PARAMS, 1, NONE, 0 }, { FCGI_STDIN, 1, NONE, 0 },
		{ FCGI_BEGIN_REQUEST, 1, BEGIN, 0 } },
	    false, "request 1 [0] close; broken", "" },
	{ "abort before the parameters ended, kept",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN_KEEP, 0 }, { FCGI_PARAMS, 1, PAIR, 0 },
		{ FCGI_ABORT_REQUEST, 1, NONE, 0 }, { FCGI_PARAMS, 1, NONE, 0 }, { FCGI_STDIN, 1, NONE, 0 } },
	    true, "idle", "end 1 status 0; " },
	{ "abort before the parameters ended, not kept",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_ABORT_REQUEST, 1, NONE, 8 } }, true, "close",
	    "end 1 status 0; " },
	{ "abort after the parameters, and the id used again",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN_KEEP, 0 }, { FCGI_PARAMS, 1, PAIR, 0 },
		{ FCGI_PARAMS, 1, NONE, 0 }, { FCGI_ABORT_REQUEST, 1, NONE, 0 },
		{ FCGI_BEGIN_REQUEST, 1, BEGIN_KEEP, 0 }, { FCGI_PARAMS, 1, NONE, 0 },
		{ FCGI_STDIN, 1, NONE, 0 } },
	    true, "request 1 [0] keep; idle", "end 1 status 0; " },
	{ "abort while the answer is being sent",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_PARAMS, 1, NONE, 0 }, { FCGI_STDIN, 1, NONE, 0 },
		{ FCGI_ABORT_REQUEST, 1, NONE, 0 } },
	    false, "request 1 [0] close; abort; open", "" },
	{ "abort after the answer",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN_KEEP, 0 }, { FCGI_PARAMS, 1, NONE, 0 },
		{ FCGI_STDIN, 1, NONE, 0 }, { FCGI_ABORT_REQUEST, 1, NONE, 0 } },
	    true, "request 1 [0] keep; idle", "" },
	{ "authorizer, kept", { { FCGI_BEGIN_REQUEST, 1, STR("\0\2\1\0\0\0\0\0"), 0 } }, true, "idle",
	    "end 1 status 3; " },
	{ "filter, not kept", { { FCGI_BEGIN_REQUEST, 3, STR("\0\3\0\0\0\0\0\0"), 0 } }, true, "close",
	    "end 3 status 3; " },
	{ "a role beyond one byte", { { FCGI_BEGIN_REQUEST, 3, STR("\1\1\1\0\0\0\0\0"), 0 } }, true, "idle",
	    "end 3 status 3; " },
	{ "unknown flags are ignored",
	    { { FCGI_BEGIN_REQUEST, 1, STR("\0\1\xfe\xff\xff\xff\xff\xff"), 0 }, { FCGI_PARAMS, 1, NONE, 0 },
		{ FCGI_STDIN, 1, NONE, 0 } },
	    true, "request 1 [0] close; idle", "" },
	{ "BEGIN_REQUEST too short", { { FCGI_BEGIN_REQUEST, 1, STR("\0\1\0\0\0\0\0"), 1 } }, true, "broken",
	    "" },
	{ "BEGIN_REQUEST empty", { { FCGI_BEGIN_REQUEST, 1, NONE, 0 } }, true, "broken", "" },
	{ "BEGIN_REQUEST longer than today's", { { FCGI_BEGIN_REQUEST, 1, STR("\0\1\1\0\0\0\0\0more"), 0 } },
	    true, "open", "" },
	{ "all values",
	    { { FCGI_GET_VALUES, 0, STR("\x0e\0FCGI_MAX_CONNS\x0d\0FCGI_MAX_REQS\x0f\0FCGI_MPXS_CONNS"),
		2 } },
	    true, "idle", "values FCGI_MAX_CONNS=1024 FCGI_MAX_REQS=1024 FCGI_MPXS_CONNS=0; " },
	{ "one value among unknown ones, and a value where none belongs",
	    { { FCGI_GET_VALUES, 0, STR("\1\0X\x0f\3FCGI_MPXS_CONNSabc\0\0"), 0 } }, true, "idle",
	    "values FCGI_MPXS_CONNS=0; " },
	{ "no value", { { FCGI_GET_VALUES, 0, NONE, 0 } }, true, "idle", "values; " },
	{ "a value asked for twice",
	    { { FCGI_GET_VALUES, 0, STR("\x0d\0FCGI_MAX_REQS\x0d\0FCGI_MAX_REQS"), 0 } }, true, "idle",
	    "values FCGI_MAX_REQS=1024; " },
	{ "values, malformed", { { FCGI_GET_VALUES, 0, STR("\x0d\0FCGI_MAX_REQS\x80"), 0 } }, true, "idle",
	    "values FCGI_MAX_REQS=1024; " },
	{ "values, a length past the end", { { FCGI_GET_VALUES, 0, STR("\xff\xff\xff\xff\0FCGI"), 0 } }, true,
	    "idle", "values; " },
	{ "unknown management types",
	    { { 77, 0, PAIR, 0 }, { 255, 0, NONE, 255 }, { FCGI_BEGIN_REQUEST, 0, BEGIN, 0 } }, true, "idle",
	    "unknown 77; unknown 255; unknown 1; " },
	{ "management records within a request",
	    { { FCGI_BEGIN_REQUEST, 1, BEGIN, 0 }, { FCGI_PARAMS, 1, PAIR, 0 }, { 77, 0, PAIR, 0 },
		{ FCGI_GET_VALUES, 0, STR("\x0f\0FCGI_MPXS_CONNS"), 0 }, { FCGI_PARAMS, 1, NONE, 0 },
		{ FCGI_STDIN, 1, NONE, 0 } },
	    true, "request 1 [4] close; idle", "unknown 77; values FCGI_MPXS_CONNS=0; " },
};

/* One run over a stream that comes in pieces. */
struct run {
	struct record_reader reader;
	struct buf events;
	bool answers, stopped;
};

static void
run_feed(struct run *run, struct str bytes)
{
	enum record_event event = RECORD_MORE;

	do {
		if (run->stopped)
			return;
		event = record_feed(&run->reader, &bytes);
		if (event == RECORD_REQUEST) {
			buf_text(&run->events, "request ");
			buf_int(&run->events, run->reader.request_id);
			buf_text(&run->events, " [");
			buf_int(&run->events, (int64_t)run->reader.params.len);
			buf_text(&run->events, run->reader.too_large ? " cut]" : "]");
			buf_text(&run->events, run->reader.keep ? " keep; " : " close; ");
			if (run->answers)
				record_finish(&run->reader);
		} else if (event == RECORD_ABORT) {
			buf_text(&run->events, "abort; ");
		} else if (event != RECORD_MORE) {
			buf_text(&run->events, event == RECORD_CLOSE ? "close" : "broken");
			run->stopped = true;
		}
	} while (event != RECORD_MORE);
	ck_assert_uint_eq(bytes.len, 0);
}

static void
run_start(struct run *run, bool answers)
{
	*run = (struct run){ .answers = answers };
	record_init(&run->reader);
	buf_init(&run->events, 4096);
}

static void
describe_values(struct buf *text, struct str content)
{
	struct str name, value;

	buf_text(text, "values");
	while (params_next(&content, &name, &value)) {
		buf_char(text, ' ');
		buf_str(text, name);
		buf_char(text, '=');
		buf_str(text, value);
	}
	ck_assert_uint_eq(content.len, 0);
	buf_text(text, "; ");
}

/* The reply as text. */
static void
describe_reply(struct buf *text, struct str reply)
{
	while (reply.len > 0) {
		const unsigned char *h = (const unsigned char *)reply.ptr;
		size_t length;

		ck_assert_uint_ge(reply.len, 8);
		ck_assert_int_eq(h[0], 1);
		length = (size_t)h[4] << 8 | h[5];
		ck_assert_uint_ge(reply.len, 8 + length + h[6]);
		if (h[1] == FCGI_END_REQUEST) {
			ck_assert_uint_eq(length, 8);
			buf_text(text, "end ");
			buf_int(text, h[2] << 8 | h[3]);
			buf_text(text, " status ");
			buf_int(text, h[12]);
			buf_text(text, "; ");
		} else {
			ck_assert(h[1] == FCGI_UNKNOWN_TYPE || h[1] == FCGI_GET_VALUES_RESULT);
			ck_assert(h[2] == 0 && h[3] == 0);
			if (h[1] == FCGI_GET_VALUES_RESULT) {
				describe_values(text, str_sub(reply, 8, length));
			} else {
				ck_assert_uint_eq(length, 8);
				buf_text(text, "unknown ");
				buf_int(text, h[8]);
				buf_text(text, "; ");
			}
		}
		reply = str_after(reply, 8 + length + h[6]);
	}
}

static void
run_check(struct run *run, int row)
{
	struct buf text;

	buf_init(&text, 4096);
	if (!run->stopped)
		buf_text(&run->events, record_is_idle(&run->reader) ? "idle" : "open");
	describe_reply(&text, buf_view(&run->reader.reply));
	ck_assert_msg(str_eq(buf_view(&run->events), str_from(streams[row].events)), "%s: \"%.*s\"",
	    streams[row].what, STR_ARGS(buf_view(&run->events)));
	ck_assert_str_is(buf_view(&text), streams[row].reply);
	buf_release(&text);
	buf_release(&run->events);
	record_release(&run->reader);
}

START_TEST(stream)
{
	struct buf wire;
	struct str bytes;
	struct run run;

	buf_init(&wire, 65536);
	for (const struct sent *s = streams[_i].sent; s < streams[_i].sent + 10 && s->type != 0; s++)
		client_record(&wire, s->type, s->id, s->content, s->padding);
	bytes = buf_view(&wire);
	for (size_t cut = 0; cut <= bytes.len; cut++) {
		run_start(&run, streams[_i].answers);
		run_feed(&run, str_sub(bytes, 0, cut));
		run_feed(&run, str_after(bytes, cut));
		run_check(&run, _i);
	}
	run_start(&run, streams[_i].answers);
	for (size_t i = 0; i < bytes.len; i++)
		run_feed(&run, str_sub(bytes, i, 1));
	run_check(&run, _i);
	buf_release(&wire);
}
END_TEST

/* Only the first byte of garbage can tell. */
START_TEST(garbage)
{
	for (int first = 0; first < 256; first++) {
		char bytes[8] = { (char)first, 22, 0, 1, 0, 0, 0, 0 };
		struct str all = { bytes, 8 };
		struct record_reader reader;

		record_init(&reader);
		ck_assert_int_eq(record_feed(&reader, &all), first == 1 ? RECORD_MORE : RECORD_BROKEN);
		record_release(&reader);
	}
}
END_TEST

/* What does not fit is not kept, nor is anything that follows it: here whole records of 65535. */
static const struct {
	size_t length;
	const char *events;
} sizes[] = {
	{ 262143, "request 1 [262143] close; " },
	{ 262144, "request 1 [262144] close; " },
	{ 262145, "request 1 [262140 cut] close; " },
	{ 1000000, "request 1 [262140 cut] close; " },
};

START_TEST(params_size)
{
	struct buf wire, content;
	struct run run;

	buf_init(&wire, CLIENT_MAX);
	buf_init(&content, CLIENT_MAX);
	buf_reserve(&content, sizes[_i].length);
	memset(content.ptr, 'x', sizes[_i].length);
	content.len = sizes[_i].length;
	client_begin(&wire, 1, FCGI_RESPONDER, false);
	client_stream(&wire, FCGI_PARAMS, 1, buf_view(&content));
	client_stream(&wire, FCGI_STDIN, 1, S(""));
	run_start(&run, true);
	run_feed(&run, buf_view(&wire));
	ck_assert_str_is(buf_view(&run.events), sizes[_i].events);
	ck_assert(record_is_idle(&run.reader));
	/* The next request starts anew. */
	buf_reset(&wire);
	buf_reset(&run.events);
	client_request(&wire, 2, false, (const char *const[]){ "A=B", NULL });
	run_feed(&run, buf_view(&wire));
	ck_assert_str_is(buf_view(&run.events), "request 2 [4] close; ");
	record_release(&run.reader);
	buf_release(&run.events);
	buf_release(&wire);
	buf_release(&content);
}
END_TEST

/* A front that asks for ever and takes no answer: memory has an end, and no refusal is lost in silence. */
static const struct sent floods[] = {
	{ 77, 0, NONE, 0 },
	{ FCGI_GET_VALUES, 0, STR("\x0f\0FCGI_MPXS_CONNS"), 0 },
	{ FCGI_BEGIN_REQUEST, 2, BEGIN_KEEP, 0 },
};

START_TEST(flood)
{
	struct record_reader reader;
	enum record_event event = RECORD_MORE;
	struct buf wire, begin;
	struct str bytes;
	int count = 0;

	record_init(&reader);
	buf_init(&wire, 1000);
	buf_init(&begin, 1000);
	client_begin(&begin, 1, FCGI_RESPONDER, true);
	client_record(&wire, floods[_i].type, floods[_i].id, floods[_i].content, 0);
	bytes = buf_view(&begin);
	ck_assert_int_eq(record_feed(&reader, &bytes), RECORD_MORE);
	while (event == RECORD_MORE && count < 100000) {
		bytes = buf_view(&wire);
		event = record_feed(&reader, &bytes);
		count++;
	}
	ck_assert_int_eq(event, RECORD_BROKEN);
	ck_assert_uint_le(reader.reply.len, 65536);
	ck_assert_int_gt(count, 2000);
	record_release(&reader);
	buf_release(&wire);
	buf_release(&begin);
}
END_TEST

START_TEST(reset_between_connections)
{
	struct record_reader reader;
	struct buf wire;
	struct str bytes;

	record_init(&reader);
	buf_init(&wire, 1000);
	client_begin(&wire, 1, FCGI_RESPONDER, true);
	client_record(&wire, 77, 0, S("abc"), 0);
	client_record(&wire, FCGI_PARAMS, 1, S("half of it"), 9);
	bytes = str_sub(buf_view(&wire), 0, wire.len - 12);
	ck_assert_int_eq(record_feed(&reader, &bytes), RECORD_MORE);
	ck_assert(!record_is_idle(&reader));
	record_reset(&reader);
	ck_assert(record_is_idle(&reader));
	ck_assert_uint_eq(reader.reply.len, 0);
	buf_reset(&wire);
	client_request(&wire, 5, false, (const char *const[]){ NULL });
	bytes = buf_view(&wire);
	ck_assert_int_eq(record_feed(&reader, &bytes), RECORD_REQUEST);
	ck_assert_uint_eq(reader.params.len, 0);
	record_release(&reader);
	buf_release(&wire);
}
END_TEST

Suite *
record_suite(void)
{
	Suite *suite = suite_create("record");

	suite_add_rows(suite, stream, streams);
	suite_add_test(suite, garbage);
	suite_add_rows(suite, params_size, sizes);
	suite_add_rows(suite, flood, floods);
	suite_add_test(suite, reset_between_connections);
	return suite;
}
