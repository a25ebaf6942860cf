/* A request that comes before the log was told of the last wrong value makes no complaint of its own: the same value
 * comes again with the next request. Values are remembered by their hashes, and only so many: a front may make them of
 * what clients send. */
#include "handler/complaint.h"

/* Of a value, so much is shown. */
#define SHOWN_MAX 200

static bool
is_known(const struct handler *handler, struct hash hash)
{
	for (size_t i = 0; i < handler->mistake_count; i++)
		if (handler->mistakes[i].high == hash.high && handler->mistakes[i].low == hash.low)
			return true;
	return false;
}

void
complaint_handoff(struct handler *handler, struct str value)
{
	struct hash hash;

	if (handler->mistake.len > 0 || handler->mistake_count == HANDLER_MISTAKES_MAX)
		return;
	hash = hash_bytes(value);
	if (is_known(handler, hash))
		return;
	handler->mistakes[handler->mistake_count++] = hash;
	buf_str(&handler->mistake, str_sub(value, 0, SHOWN_MAX));
}

struct complaint
handler_complaint(struct handler *handler)
{
	const char *path = NULL;
	int error = blobs_complaint(handler->blobs, &path);
	struct str mistake = buf_view(&handler->mistake);

	if (error != 0)
		return (struct complaint){ COMPLAINT_CACHE_DIR, error, str_from(path) };
	error = listcache_complaint(handler->listings);
	if (error != 0)
		return (struct complaint){ COMPLAINT_WATCHES, error, S("") };
	if (mistake.len == 0)
		return (struct complaint){ COMPLAINT_NONE, 0, S("") };
	/* Its bytes stay where they are. */
	buf_reset(&handler->mistake);
	return (struct complaint){ COMPLAINT_HANDOFF, 0, mistake };
}
