/* By the libraries that browsers use, not by ours. */
#include "handler/decode.h"

#include "suites.h"

#include <brotli/decode.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

size_t
decode(struct str coding, struct str in, char *out, size_t room)
{
	size_t len = room;

	if (str_eq(coding, S("gzip"))) {
		struct libdeflate_decompressor *one = libdeflate_alloc_decompressor();

		ck_assert_int_eq(libdeflate_gzip_decompress(one, in.ptr, in.len, out, room, &len), LIBDEFLATE_SUCCESS);
		libdeflate_free_decompressor(one);
	} else if (str_eq(coding, S("zstd"))) {
		len = ZSTD_decompress(out, room, in.ptr, in.len);
		ck_assert(!ZSTD_isError(len));
	} else if (str_eq(coding, S("br"))) {
		ck_assert_int_eq(BrotliDecoderDecompress(in.len, (const uint8_t *)in.ptr, &len, (uint8_t *)out),
		    BROTLI_DECODER_RESULT_SUCCESS);
	} else {
		ck_assert_uint_eq(coding.len, 0);
		ck_assert_uint_le(in.len, room);
		memcpy(out, in.ptr, in.len);
		len = in.len;
	}
	return len;
}

void
read_handed_off(const struct fixture *f, const char *directory, struct buf *out)
{
	struct str path = fixture_field(f, "X-Sendfile");
	char name[PATH_MAX];
	struct stat st;
	int fd;

	ck_assert_int_eq(fixture_body(f), BODY_HANDOFF);
	ck_assert(str_starts(path, str_from(directory)));
	snprintf(name, sizeof(name), "%.*s", STR_ARGS(path));
	fd = open(name, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	/* The front is another user. */
	ck_assert(fstat(fd, &st) == 0 && (st.st_mode & 0444) == 0444);
	ck_assert_int_gt(st.st_size, 0);
	ck_assert(buf_reserve(out, (size_t)st.st_size));
	ck_assert_int_eq(read(fd, out->ptr + out->len, (size_t)st.st_size), st.st_size);
	out->len += (size_t)st.st_size;
	close(fd);
}
