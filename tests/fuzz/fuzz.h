/* What the fuzz targets share: a check that no NDEBUG takes away, and numbers out of bytes. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                               \
	do {                                                                                \
		if (!(condition)) {                                                         \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
			abort();                                                            \
		}                                                                           \
	} while (0)

/* Takes up to eight bytes off the front of the input as a number. */
static inline int64_t
fuzz_number(struct str *input)
{
	uint64_t number = 0;
	size_t len = input->len < 8 ? input->len : 8;

	for (size_t i = 0; i < len; i++)
		number |= (uint64_t)(unsigned char)input->ptr[i] << (8 * i);
	*input = str_after(*input, len);
	return (int64_t)number;
}

static inline struct str
fuzz_input(const uint8_t *data, size_t size)
{
	return (struct str){ size > 0 ? (const char *)data : "", size };
}

#endif
