/* Media types by extension: one binary search in a table of constants, nothing to load at start. */
#include "fs/filetype_table.h"

enum { EXTENSION_MAX = 31 };

/* What follows the last dot when something comes before it: ".profile" is a hidden name, no extension. */
static struct str
extension_of(struct str name)
{
	for (size_t i = name.len; i > 1 && name.ptr[i - 1] != '/'; i--)
		if (name.ptr[i - 1] == '.')
			return name.ptr[i - 2] != '/' ? str_after(name, i) : S("");
	return S("");
}

struct filetype
filetype_from_name(struct str name)
{
	struct str given = extension_of(name);
	char lower[EXTENSION_MAX];
	struct str extension = { lower, given.len };
	size_t low = 0, high = filetype_row_count;

	if (given.len == 0 || given.len > sizeof(lower))
		return (struct filetype){ S(""), S("") };
	for (size_t i = 0; i < given.len; i++)
		lower[i] = ascii_lower(given.ptr[i]);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = str_compare(extension, filetype_rows[middle].extension);

		if (order == 0)
			return filetype_rows[middle].filetype;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return (struct filetype){ S(""), S("") };
}
