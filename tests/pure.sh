#!/bin/sh
# The pure libraries decide and never act: nothing in them may call the system. Looks at what their objects want from
# outside; whatever is neither in these libraries nor on a short list is named as library:object:symbol. Run in
# the build directory.
set -eu
LC_ALL=C
export LC_ALL

: "${NM:=nm}"
libraries='libbase.a libhttp.a liblisting.a'

# strangers LIBRARY...: "library:object:symbol" for each symbol wanted that nobody may want; fails when there is one.
strangers() {
	"$NM" -A "$@" | awk '
BEGIN {
	split("memchr memcmp memcpy memmove memset memmem memrchr bcmp strlen strcmp strncmp strchr strrchr " \
	    "malloc calloc realloc free qsort qsort_r bsearch " \
	    "__memcpy_chk __memmove_chk __memset_chk __stack_chk_fail __assert_fail __assert abort " \
	    "_GLOBAL_OFFSET_TABLE_", words)
	for (i in words)
		allowed[words[i]] = 1
}
# libhttp.a:date.o:0000000000000000 T date_format     or     libhttp.a:date.o:                 U memcpy
NF >= 2 {
	symbol = $NF
	kind = $(NF - 1)
	place = $0
	sub(/:[0-9a-f ]* [A-Za-z] [^ ]*$/, "", place)
	sub(/@.*/, "", symbol)
	if (kind != "U") {
		defined[symbol] = 1
		next
	}
	wanted[++count] = place ":" symbol
	name[count] = symbol
}
END {
	for (i = 1; i <= count; i++) {
		if ((name[i] in allowed) || (name[i] in defined) || name[i] ~ /^__(asan|ubsan|lsan|sanitizer|gcov|llvm)_/)
			continue
		print wanted[i]
		found = 1
	}
	exit found
}'
}

for library in $libraries; do
	if [ ! -f "$library" ]; then
		echo "pure.sh: no $library here: run it in the build directory" >&2
		exit 1
	fi
done
# shellcheck disable=SC2086
if ! strangers $libraries; then
	echo "pure.sh: base, http and listing call nothing that touches files, the clock or the locale" >&2
	exit 1
fi

# Would it notice? An object that asks the clock, opens a file and prints.
T=$(mktemp -d "${TMPDIR:-/tmp}/staticgi-pure.XXXXXX")
trap 'rm -rf "$T"' EXIT
command -v "${CC:=cc}" >/dev/null 2>&1 || exit 0
cat >"$T/planted.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

long planted(int argument);

long
planted(int argument)
{
	printf("%d\n", argument);
	return (long)time(NULL) + open("/", O_RDONLY);
}
END
"$CC" -c -o "$T/planted.o" "$T/planted.c"
ar cr "$T/libplanted.a" "$T/planted.o"
# shellcheck disable=SC2086
if strangers $libraries "$T/libplanted.a" >"$T/said"; then
	echo "pure.sh: a call of time, open and printf was not noticed" >&2
	exit 1
fi
for symbol in time open printf; do
	grep -q "libplanted.a:planted.o:$symbol\$" "$T/said" || {
		echo "pure.sh: a call of $symbol was not noticed" >&2
		cat "$T/said" >&2
		exit 1
	}
done
