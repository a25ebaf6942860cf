/* A micro benchmark: a table of operations, each done N times by `program OPERATION N`. run.sh counts instructions
 * for two values of N under callgrind and divides the difference: start-up and set-up drop out, the figure repeats. */
#ifndef MICRO_H
#define MICRO_H

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct micro {
	const char *name;
	size_t per;               /* things done in one operation: rows of a page, entries sorted; 0 counts as 1 */
	void (*run)(size_t times);
};

/* What was computed goes here, or the compiler would leave the work out. */
extern volatile uint64_t micro_sink;
volatile uint64_t micro_sink;

static inline double
micro_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds an operation: the least of nine goes of about ten milliseconds. */
static inline double
micro_time(const struct micro *m)
{
	double least = 1e18, begin = micro_now(), one;
	size_t times;

	m->run(1);
	one = micro_now() - begin;
	times = one > 1e7 ? 1 : (size_t)(1e7 / (one + 1));
	for (int i = 0; i < 9; i++) {
		begin = micro_now();
		m->run(times);
		one = (micro_now() - begin) / (double)times;
		least = one < least ? one : least;
	}
	return least;
}

/* Without arguments: names, and what one operation holds. With a name: its time. With a name and N: N times it. */
static inline int
micro_main(int argc, char **argv, const struct micro *table, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (argc < 2)
			printf("%s %zu\n", table[i].name, table[i].per > 0 ? table[i].per : 1);
		else if (strcmp(argv[1], table[i].name) == 0 && argc > 2)
			table[i].run(strtoul(argv[2], NULL, 10));
		else if (strcmp(argv[1], table[i].name) == 0)
			printf("%.1f\n", micro_time(&table[i]));
	}
	return 0;
}

#define MICRO_MAIN(table) \
	int main(int argc, char **argv) { return micro_main(argc, argv, table, sizeof(table) / sizeof((table)[0])); }

#endif
