/* Keys of natural order: one a name when a directory is read. */
#include "base/natural.h"

#include "micro.h"

static void
keys(struct str name, size_t times)
{
	struct buf out;

	buf_init(&out, 4096);
	for (size_t i = 0; i < times; i++) {
		buf_reset(&out);
		natural_key(&out, name);
		micro_sink += out.len;
	}
	buf_release(&out);
}

static void
photo(size_t times)
{
	keys(S("IMG_20240131_0042.jpg"), times);
}

static void
letters(size_t times)
{
	keys(S("Minutes of the general meeting.pdf"), times);
}

static const struct micro table[] = {
	{ "photo", 1, photo },
	{ "letters", 1, letters },
};
MICRO_MAIN(table)
