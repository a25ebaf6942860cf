/* The floor of a listing: reads the names of a directory, looks at each entry, sorts by natural order with keys made
 * once, formats one row an entry. Each step is timed apart, the median of N rounds is printed; no server, no HTTP. With
 * several directories the rounds take them in turn: as many rounds as directories read each of them for the first time.
 *
 *   listing [-r ROUNDS] DIR…     one line of JSON, times in microseconds */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STEP_READ, STEP_STAT, STEP_KEYS, STEP_SORT, STEP_FORMAT, STEP_WHOLE, STEP_COUNT };
enum { ROUNDS_MAX = 1000, ROW_MAX = 2200 };

static const char *const step_names[STEP_COUNT] = { "read", "stat", "keys", "sort", "format", "whole" };

struct entry {
	uint32_t name, key;
	uint16_t name_len, key_len;
	uint64_t prefix; /* first bytes of the key, so that most comparisons need no memory */
	int64_t size, mtime;
};

struct listing {
	struct entry *entries;
	size_t count, capacity;
	char *arena;
	size_t arena_len, arena_cap;
};

struct dirent64_raw {
	uint64_t inode;
	int64_t offset;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static char *
arena_room(struct listing *l, size_t more)
{
	if (l->arena_len + more > l->arena_cap) {
		l->arena_cap = 2 * (l->arena_cap + more);
		l->arena = realloc(l->arena, l->arena_cap);
		if (l->arena == NULL)
			exit(1);
	}
	return l->arena + l->arena_len;
}

static void
add(struct listing *l, const char *name)
{
	size_t len = strlen(name);

	if (l->count == l->capacity) {
		l->capacity = l->capacity > 0 ? 2 * l->capacity : 1024;
		l->entries = realloc(l->entries, l->capacity * sizeof(*l->entries));
		if (l->entries == NULL)
			exit(1);
	}
	memcpy(arena_room(l, len + 1), name, len + 1);
	l->entries[l->count++] = (struct entry){ .name = (uint32_t)l->arena_len, .name_len = (uint16_t)len };
	l->arena_len += len + 1;
}

static void
read_names(struct listing *l, int dir)
{
	static char buffer[1 << 18];
	long n;

	lseek(dir, 0, SEEK_SET);
	while ((n = syscall(SYS_getdents64, dir, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent64_raw *d = (const void *)(buffer + at);

			if (d->name[0] != '.')
				add(l, d->name);
			at += d->reclen;
		}
	}
}

static void
stat_all(struct listing *l, int dir)
{
	struct stat st;

	for (size_t i = 0; i < l->count; i++) {
		if (fstatat(dir, l->arena + l->entries[i].name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		l->entries[i].size = st.st_size;
		l->entries[i].mtime = st.st_mtim.tv_sec;
	}
}

/* Lower case; a run of digits becomes its length and its digits without leading zeros. */
static size_t
key_make(char *out, const char *name, size_t len)
{
	size_t used = 0;

	for (size_t i = 0; i < len;) {
		size_t start;

		if (name[i] < '0' || name[i] > '9') {
			out[used++] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 32) : name[i];
			i++;
			continue;
		}
		while (i < len && name[i] == '0')
			i++;
		start = i;
		while (i < len && name[i] >= '0' && name[i] <= '9')
			i++;
		out[used++] = '0';
		out[used++] = (char)(i - start);
		memcpy(out + used, name + start, i - start);
		used += i - start;
	}
	return used;
}

static void
make_keys(struct listing *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct entry *e = &l->entries[i];
		char *room = arena_room(l, 2 * (size_t)e->name_len + 2);

		e->key = (uint32_t)l->arena_len;
		e->key_len = (uint16_t)key_make(room, l->arena + e->name, e->name_len);
		for (int b = 0; b < 8; b++)
			e->prefix = e->prefix << 8 | (b < e->key_len ? (unsigned char)room[b] : 0);
		l->arena_len += e->key_len;
	}
}

static int
compare(const void *a, const void *b, void *arena)
{
	const struct entry *x = a, *y = b;
	const char *base = arena;
	int order;

	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	order = memcmp(base + x->key, base + y->key, x->key_len < y->key_len ? x->key_len : y->key_len);
	return order != 0 ? order : (int)x->key_len - (int)y->key_len;
}

static char *
put(char *out, const char *text, size_t len)
{
	memcpy(out, text, len);
	return out + len;
}

static char *
put_number(char *out, uint64_t n, int width)
{
	char digits[24];
	int at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
		width--;
	} while (n > 0 || width > 0);
	return put(out, digits + at, sizeof(digits) - (size_t)at);
}

/* The day of a time, by arithmetic (days from civil, reversed). */
static char *
put_time(char *out, int64_t time)
{
	int64_t days = time / 86400, rest = time % 86400, z = days + 719468, era = z / 146097, doe = z % 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
	int64_t year = yoe + era * 400 + (month <= 2);

	out = put_number(out, (uint64_t)year, 4);
	*out++ = '-';
	out = put_number(out, (uint64_t)month, 2);
	*out++ = '-';
	out = put_number(out, (uint64_t)day, 2);
	*out++ = ' ';
	out = put_number(out, (uint64_t)(rest / 3600), 2);
	*out++ = ':';
	return put_number(out, (uint64_t)(rest % 3600 / 60), 2);
}

static char *
put_escaped(char *out, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '&' || name[i] == '<' || name[i] == '>' || name[i] == '"' || name[i] == '\'')
			out += snprintf(out, 8, "&#%d;", name[i]);
		else
			*out++ = name[i];
	}
	return out;
}

static size_t
format(const struct listing *l, char **page)
{
	char *out = *page = realloc(*page, l->count * (size_t)ROW_MAX + 1);

	if (out == NULL)
		exit(1);
	for (size_t i = 0; i < l->count; i++) {
		const struct entry *e = &l->entries[i];

		out = put(out, "<tr><td><a href=\"", 17);
		out = put_escaped(out, l->arena + e->name, e->name_len);
		out = put(out, "\">", 2);
		out = put_escaped(out, l->arena + e->name, e->name_len);
		out = put(out, "</a></td><td>", 13);
		out = put_number(out, (uint64_t)e->size, 1);
		out = put(out, "</td><td>", 9);
		out = put_time(out, e->mtime);
		out = put(out, "</td></tr>\n", 11);
	}
	return (size_t)(out - *page);
}

static int
order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double times[STEP_COUNT][ROUNDS_MAX];

/* Opening is no part of it: a server has the directory open for other reasons. */
static void
open_all(int *dirs, char **paths, int count)
{
	for (int i = 0; i < count; i++) {
		dirs[i] = open(paths[i], O_RDONLY | O_DIRECTORY);
		if (dirs[i] >= 0)
			continue;
		perror(paths[i]);
		exit(1);
	}
}

static size_t
list(struct listing *l, int dir, char **page, int round)
{
	double t[STEP_COUNT + 1];
	size_t bytes;

	l->count = l->arena_len = 0;
	t[0] = now();
	read_names(l, dir);
	t[1] = now();
	stat_all(l, dir);
	t[2] = now();
	make_keys(l);
	t[3] = now();
	qsort_r(l->entries, l->count, sizeof(*l->entries), compare, l->arena);
	t[4] = now();
	bytes = format(l, page);
	t[5] = now();
	for (int s = 0; s < STEP_WHOLE; s++)
		times[s][round] = t[s + 1] - t[s];
	times[STEP_WHOLE][round] = t[5] - t[0];
	return bytes;
}

int
main(int argc, char **argv)
{
	struct listing l = { 0 };
	char *page = NULL;
	size_t bytes = 0;
	int rounds = 15, option, dirs[ROUNDS_MAX];

	while ((option = getopt(argc, argv, "r:")) != -1)
		rounds = option == 'r' ? atoi(optarg) : 0;
	if (optind == argc || argc - optind > ROUNDS_MAX || rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	open_all(dirs, argv + optind, argc - optind);
	for (int r = 0; r < rounds; r++)
		bytes = list(&l, dirs[r % (argc - optind)], &page, r);
	printf("{\"entries\": %zu, \"bytes\": %zu", l.count, bytes);
	for (int s = 0; s < STEP_COUNT; s++) {
		qsort(times[s], (size_t)rounds, sizeof(double), order);
		printf(", \"%s\": %.1f", step_names[s], times[s][rounds / 2]);
	}
	printf("}\n");
	return 0;
}
