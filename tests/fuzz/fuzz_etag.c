/* Entity tags: a strong match is a weak one too, and the own tag is found in any list that it leads.
 * Input: eight bytes each of time and size, then a list. */
#include "http/etag.h"

#include "fuzz.h"

static void
check_own(struct str own, struct str list, bool weak)
{
	struct str none = STR("");
	struct buf longer;

	FUZZ_CHECK(etag_is_same(own, own, none, ETAG_WEAK));
	FUZZ_CHECK(etag_is_same(own, own, none, ETAG_STRONG) == !weak);
	FUZZ_CHECK(etag_is_same(own, none, own, ETAG_WEAK));
	if (etag_is_same(list, own, none, ETAG_STRONG))
		FUZZ_CHECK(etag_is_same(list, own, none, ETAG_WEAK));
	if (etag_list_has(list, own, none, ETAG_STRONG))
		FUZZ_CHECK(etag_list_has(list, own, none, ETAG_WEAK));
	if (etag_is_same(list, own, none, ETAG_WEAK))
		FUZZ_CHECK(etag_list_has(list, own, none, ETAG_WEAK));

	/* Whatever follows, the first member counts. */
	buf_init(&longer, own.len + 1 + list.len);
	buf_str(&longer, own);
	buf_char(&longer, ',');
	buf_str(&longer, list);
	FUZZ_CHECK(!buf_failed(&longer));
	FUZZ_CHECK(etag_list_has(buf_view(&longer), own, none, ETAG_WEAK));
	buf_release(&longer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str list = fuzz_input(data, size);
	int64_t mtime = fuzz_number(&list), length = fuzz_number(&list);
	struct buf own;

	etag_is_unsettled(mtime, length);
	buf_init(&own, ETAG_MAX);
	for (int weak = 0; weak <= 1; weak++) {
		buf_reset(&own);
		etag_format(&own, mtime, length, weak);
		FUZZ_CHECK(!buf_failed(&own));
		check_own(buf_view(&own), list, weak);
	}
	buf_reset(&own);
	etag_format_nginx(&own, mtime, length);
	check_own(buf_view(&own), list, false);
	buf_release(&own);
	/* The input as an own tag: no byte of it may do harm. */
	etag_list_has(list, list, list, ETAG_STRONG);
	return 0;
}
