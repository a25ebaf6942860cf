#!/bin/sh
# Instructions and time of the hot files, one operation each. Instructions are counted by callgrind and repeat to the last
# digit on one machine and compiler; the time is the least of nine goes, for orientation only.
#   sh bench/micro/run.sh [NAME...]        NAME: record, params, html, …; without one all of them
#   CC=clang CFLAGS=-O3 sh bench/micro/run.sh record
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
T=$(mktemp -d "${TMPDIR:-/tmp}/staticgi-micro.XXXXXX")
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

CC=${CC:-cc}
CFLAGS=${CFLAGS:--O2}
if [ $# -eq 0 ]; then
	for source in "$here"/bench_*.c; do
		name=${source##*/bench_}
		set -- "$@" "${name%.c}"
	done
fi

# The style sheet as a header, which the build generates.
mkdir -p "$T/src/listing"
(cd "$T" && sh "$top/src/listing/style_header.sh" "$top/src/listing/style.css" >src/listing/style.h)

# The pure layers, and of the gateway what opens no descriptor.
for source in "$top"/src/base/*.c "$top"/src/http/*.c "$top"/src/listing/*.c "$top"/src/gateway/record.c \
	"$top"/src/gateway/params.c "$top"/src/gateway/locate.c "$top"/src/gateway/exchange.c; do
	object=$T/$(basename "$(dirname "$source")")-$(basename "$source" .c).o
	# shellcheck disable=SC2086
	$CC -std=gnu17 -g $CFLAGS -D_GNU_SOURCE -I "$top/src" -I "$T/src" -I "$T/src/listing" -c -o "$object" "$source" ||
		echo "$source: left out" >&2
done
ar cr "$T/libpure.a" "$T"/*.o

counted() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

valgrind=yes
command -v valgrind >/dev/null || { valgrind= && echo "no valgrind: time only" >&2; }

printf '%-34s %14s %12s\n' "" instructions ns
for name; do
	# shellcheck disable=SC2086
	$CC -std=gnu17 -g $CFLAGS -D_GNU_SOURCE -I "$top/src" -I "$here" -o "$T/bench_$name" "$here/bench_$name.c" \
		"$T/libpure.a" -lfcgi || {
		echo "bench_$name.c: not built" >&2
		continue
	}
	"$T/bench_$name" | while read -r operation per; do
		# Few goes where one goes over many things.
		few=10 many=110
		[ "$per" -lt 1000 ] || few=1 many=4
		instructions=-
		if [ -n "$valgrind" ]; then
			low=$(counted "$T/bench_$name" "$operation" $few)
			high=$(counted "$T/bench_$name" "$operation" $many)
			instructions=$(awk "BEGIN { printf \"%.1f\", ($high - $low) / ($many - $few) / $per }")
		fi
		time=$("$T/bench_$name" "$operation" | awk "{ printf \"%.1f\", \$1 / $per }")
		printf '%-34s %14s %12s\n' "$name $operation" "$instructions" "$time"
	done
done
