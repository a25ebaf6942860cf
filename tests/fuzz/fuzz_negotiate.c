/* Negotiation: quality stays between 0 and 1000, and what a field names first decides.
 * The input is the field. */
#include "http/negotiate.h"

#include "fuzz.h"

static void
check_media(struct str field, struct str media_type)
{
	bool named;
	int quality = negotiate_media(field, media_type, &named);
	struct buf longer;

	FUZZ_CHECK(quality >= 0 && quality <= 1000);
	buf_init(&longer, media_type.len + 7 + field.len);
	buf_str(&longer, media_type);
	buf_text(&longer, ";q=0.3,");
	buf_str(&longer, field);
	FUZZ_CHECK(negotiate_media(buf_view(&longer), media_type, &named) == 300);
	FUZZ_CHECK(named);
	buf_release(&longer);
}

static void
check_coding(struct str field, struct str coding)
{
	int quality = negotiate_coding(field, coding);
	struct buf longer;

	FUZZ_CHECK(quality >= 0 && quality <= 1000);
	buf_init(&longer, coding.len + 5 + field.len);
	buf_str(&longer, coding);
	buf_text(&longer, ";q=0,");
	buf_str(&longer, field);
	FUZZ_CHECK(negotiate_coding(buf_view(&longer), coding) == 0);
	buf_release(&longer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str field = fuzz_input(data, size);

	check_media(field, S("text/html"));
	check_media(field, S("application/json"));
	check_coding(field, S("gzip"));
	check_coding(field, S("br"));
	check_coding(field, S("identity"));
	return 0;
}
