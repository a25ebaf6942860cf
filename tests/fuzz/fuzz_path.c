/* Paths: whatever the target, the path that comes out stays below "/" and is already normal. */
#include "http/path.h"

#include "base/escape.h"

#include "fuzz.h"

static void
check_is_normal(struct str path)
{
	struct str rest = path, segment;
	bool last_empty = false;

	FUZZ_CHECK(path.len > 0 && path.ptr[0] == '/');
	rest = str_after(rest, 1);
	while (str_cut(&rest, '/', &segment)) {
		FUZZ_CHECK(!last_empty);
		FUZZ_CHECK(!str_eq(segment, S(".")) && !str_eq(segment, S("..")));
		last_empty = segment.len == 0;
	}
}

/* Normalising twice is normalising once. */
static void
check_normalise(struct str path)
{
	struct buf once, twice;

	buf_init(&once, path.len + 1);
	buf_init(&twice, path.len + 1);
	if (path_normalise(&once, path)) {
		FUZZ_CHECK(once.len <= path.len);
		check_is_normal(buf_view(&once));
		FUZZ_CHECK(path_normalise(&twice, buf_view(&once)));
		FUZZ_CHECK(str_eq(buf_view(&once), buf_view(&twice)));
	} else
		FUZZ_CHECK(once.len == 0);
	buf_release(&once);
	buf_release(&twice);
}

/* A path that was taken from a target, escaped, is a target of the same path. */
static void
check_target(struct str target)
{
	struct buf path, escaped, again;
	struct str query = query_from_target(target);
	bool encoded_slash;

	buf_init(&path, target.len + 1);
	buf_init(&escaped, 3 * target.len + 3);
	buf_init(&again, 3 * target.len + 3);
	if (path_from_target(&path, target, &encoded_slash)) {
		check_is_normal(buf_view(&path));
		escape_path(&escaped, buf_view(&path));
		FUZZ_CHECK(path_from_target(&again, buf_view(&escaped), &encoded_slash));
		FUZZ_CHECK(!encoded_slash);
		FUZZ_CHECK(str_eq(buf_view(&path), buf_view(&again)));
		if (path_check(buf_view(&path)) == STATUS_UNDECIDED)
			FUZZ_CHECK(!str_has(buf_view(&path), '\0'));
	} else
		FUZZ_CHECK(path.len == 0);
	if (query.ptr != NULL)
		FUZZ_CHECK(query.len < target.len && str_has(target, '?'));
	buf_release(&path);
	buf_release(&escaped);
	buf_release(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = fuzz_input(data, size);

	check_normalise(input);
	check_target(input);
	path_check(input);
	name_is_hidden(input);
	return 0;
}
