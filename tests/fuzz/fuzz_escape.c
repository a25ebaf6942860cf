/* Escaping: nothing that is dangerous in a place comes out of its escaper, and a path survives the round
 * trip. Natural keys too, since they eat the same names. The input is the text. */
#include "base/escape.h"

#include "base/natural.h"

#include "fuzz.h"

/* What an escaper may make of one byte at most: \uXXXX, &quot;. */
#define GROWTH 6

static void
check_bytes(void (*escape)(struct buf *, struct str), struct str text, const char *banned, bool ascii)
{
	struct buf out;

	buf_init(&out, GROWTH * text.len + 1);
	escape(&out, text);
	FUZZ_CHECK(!buf_failed(&out));
	for (size_t i = 0; i < out.len; i++) {
		unsigned char byte = (unsigned char)out.ptr[i];

		FUZZ_CHECK(byte >= 0x20 && byte != 0x7f && (!ascii || byte < 0x80));
		FUZZ_CHECK(strchr(banned, byte) == NULL);
	}
	FUZZ_CHECK(utf8_valid(buf_view(&out)));
	buf_release(&out);
}

static void
check_path_round_trip(struct str text)
{
	struct buf escaped, back;

	buf_init(&escaped, 3 * text.len + 1);
	buf_init(&back, text.len + 1);
	escape_path(&escaped, text);
	percent_decode(&back, buf_view(&escaped));
	FUZZ_CHECK(str_eq(buf_view(&back), text));
	buf_release(&escaped);
	buf_release(&back);
}

/* An '&' in HTML starts one of our five entities. */
static void
check_entities(struct str text)
{
	static const struct str entities[] = {
		STR("&amp;"), STR("&lt;"), STR("&gt;"), STR("&quot;"), STR("&#39;"),
	};
	struct buf out;

	buf_init(&out, GROWTH * text.len + 1);
	escape_html(&out, text);
	for (size_t i = 0; i < out.len; i++) {
		bool known = out.ptr[i] != '&';

		for (size_t e = 0; e < sizeof(entities) / sizeof(entities[0]); e++)
			known = known || str_starts(buf_since(&out, i), entities[e]);
		FUZZ_CHECK(known);
	}
	buf_release(&out);
}

static void
check_natural(struct str text)
{
	struct str half = str_sub(text, 0, text.len / 2), rest = str_after(text, text.len / 2);
	struct buf a, b;

	buf_init(&a, 2 * half.len + 2);
	buf_init(&b, 2 * rest.len + 2);
	natural_key(&a, half);
	natural_key(&b, rest);
	FUZZ_CHECK(!buf_failed(&a) && !buf_failed(&b));
	if (str_ieq(half, rest))
		FUZZ_CHECK(str_eq(buf_view(&a), buf_view(&b)));
	else if (str_eq(buf_view(&a), buf_view(&b)))
		/* Only a NUL, which no name holds, may make two names one. */
		FUZZ_CHECK(str_has(text, '\0'));
	buf_release(&a);
	buf_release(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = fuzz_input(data, size);

	check_bytes(escape_path, text, " \"'<>&?#:\\", true);
	check_bytes(escape_query, text, " \"'<>#\\", true);
	check_bytes(escape_html, text, "\"'<>", false);
	check_bytes(escape_json, text, "<>&", false);
	check_bytes(escape_log, text, "", true);
	check_path_round_trip(text);
	check_entities(text);
	check_natural(text);
	return 0;
}
