/* Whatever the form, it is the file: each content is decoded and compared. */
#include "handler/coding.h"

#include "handler/decode.h"
#include "suites.h"

#include <unistd.h>

#define PATIENCE 4000 /* hundredths of a second */

void
coding_make(struct fixture *f)
{
	fixture_make(f);
	for (int i = 0; i < CODING_COUNT; i++)
		f->options.codings[i] = true;
	f->options.cache_memory = (size_t)64 << 20;
	f->options.cache_disk = INT64_C(1) << 30;
	fixture_text(f, "root/a.txt", SIZE);
}

void
use_cache_dir(struct fixture *f, char cache_dir[PATH_MAX])
{
	fixture_path(f, "cache", cache_dir);
	f->options.cache_dir = cache_dir;
	f->options.cache_handoff.mode = HANDOFF_X_SENDFILE;
}

void
accept_coding(struct fixture *f, const char *field)
{
	f->request.accept_encoding = str_from(field);
}

void
check_text(struct str coding, struct str content, size_t size)
{
	char *bytes = malloc(size + 1);
	size_t same = 0;

	ck_assert_uint_eq(decode(coding, content, bytes, size + 1), size);
	while (same < size && bytes[same] == text_at(same))
		same++;
	ck_assert_uint_eq(same, size);
	free(bytes);
}

void
check_whole(const struct fixture *f, const char *coding, size_t size)
{
	struct str field = fixture_field(f, "Content-Encoding");

	if (coding != NULL)
		ck_assert_str_is(field, coding);
	else
		ck_assert_ptr_null(field.ptr);
	ck_assert(coding == NULL || f->content.len < size);
	check_text(field, buf_view(&f->content), size);
}

bool
wait_for(struct fixture *f, const char *asked, const char *coding, const char *not_tag)
{
	for (int i = 0; i < PATIENCE; i++) {
		ck_assert_int_eq(fixture_get(f, asked), 200);
		ck_assert_field(f, "Vary", "Accept-Encoding");
		if (str_eq(fixture_field(f, "Content-Encoding"), str_from(coding)) &&
		    (not_tag == NULL || !str_eq(fixture_field(f, "ETag"), str_from(not_tag))))
			return true;
		usleep(10000);
	}
	return false;
}
