/* Accept and Accept-Encoding, as browsers and curl send them. */
#include "http/negotiate.h"

#include "micro.h"

static const struct str browser =
    STR("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8");

static void
media(size_t times)
{
	bool named = false;

	for (size_t i = 0; i < times; i++)
		micro_sink += (uint64_t)negotiate_media(browser, S("text/html"), &named) + named;
}

static void
coding(struct str field, size_t times)
{
	for (size_t i = 0; i < times; i++) {
		micro_sink += (uint64_t)negotiate_coding(field, S("br"));
		micro_sink += (uint64_t)negotiate_coding(field, S("gzip"));
		micro_sink += (uint64_t)negotiate_coding(field, S("identity"));
	}
}

static void three_codings(size_t n) { coding(S("gzip, deflate, br, zstd"), n); }
static void no_field(size_t n) { coding((struct str){ NULL, 0 }, n); }

static const struct micro table[] = {
	{ "media-browser", 1, media },
	{ "three-codings", 1, three_codings },
	{ "three-codings-no-field", 1, no_field },
};
MICRO_MAIN(table)
