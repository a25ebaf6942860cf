/* Everything has the time WRITTEN, where what is shown of it matters. */
#include "handler/trees.h"

#include <stdio.h>

void
trees_make_small(struct fixture *f)
{
	fixture_make(f);
	fixture_file(f, "secret", "secret");
	fixture_file(f, "root/a.txt", "hello");
	fixture_directory(f, "root/dir");
	fixture_file(f, "root/dir/b.txt", "inner");
}

void
trees_make_listed(struct fixture *f)
{
	fixture_make(f);
	fixture_directory(f, "root/dir");
	fixture_file(f, "root/dir/b.txt", "inner");
	fixture_file(f, "root/dir/a10", "ten");
	fixture_file(f, "root/dir/a9", "number nine");
	fixture_directory(f, "root/dir/sub");
	fixture_time(f, "root/dir/sub", WRITTEN, 0);
}

void
trees_make_paged(struct fixture *f)
{
	fixture_make(f);
	f->options.cache_memory = (size_t)64 << 20;
	f->options.cache_disk = INT64_C(1) << 30;
	f->options.watches = 16;
	f->options.page_size = 10;
	fixture_directory(f, "root/dir");
	fixture_time(f, "root/dir", WRITTEN, 0);
}

void
trees_add_files(const struct fixture *f, const char *folder, int count)
{
	char name[64];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "root/%s/f%02d", folder, i);
		fixture_file(f, name, "x");
	}
}

void
trees_add_28(const struct fixture *f)
{
	trees_add_files(f, "dir", 25);
	for (int i = 0; i < 3; i++) {
		char name[32];

		snprintf(name, sizeof(name), "root/dir/d%d", i);
		fixture_directory(f, name);
	}
}
