#include "listing/markup.h"

#include <string.h>

int
markup_count(const struct buf *out, const char *text)
{
	const char *at = out->ptr, *end = out->ptr + out->len;
	int found = 0;

	while ((at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL) {
		at += strlen(text);
		found++;
	}
	return found;
}
