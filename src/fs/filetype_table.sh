#!/bin/sh
# filetype_table.sh CORRECTIONS MIME_TYPES >filetype_table.c
#
# Joins our corrections and the system's list of media types into one sorted C table. Corrections win; within
# the list the first mention of an extension wins (the registered types come before chemical/ and x- ones).
# Needs only a POSIX awk ($AWK) and sort. Any mistake in the corrections ends it, with file and line.
set -eu
LC_ALL=C
export LC_ALL

if [ $# -ne 2 ] || [ ! -r "$1" ] || [ ! -r "$2" ]; then
	echo "usage: $0 CORRECTIONS MIME_TYPES >filetype_table.c" >&2
	exit 2
fi

rows=$("${AWK:-awk}" '
function wrong(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
	failed = 1
	exit 1
}
FNR == 1 { source++ }
/^[ \t]*(#|$)/ { next }
NF < 2 && source == 1 { wrong("a type without extensions") }
{
	type = tolower($1)
	coding = ""
	first = 2
	if (source == 1 && $2 ~ /^coding=/) {
		coding = substr($2, 8)
		first = 3
	}
	if (type !~ /^[a-z0-9][a-z0-9.+_-]*\/[a-z0-9][a-z0-9.+_-]*$/ && !(source == 1 && type == "-")) {
		if (source == 1)
			wrong("not a media type: " $1)
		next
	}
	# JSON and XML formats have no such parameter or say it themselves (RFC 8259 11, RFC 7303 3).
	if (type ~ /^text\// && type != "text/xml")
		type = type "; charset=utf-8"
	for (i = first; i <= NF; i++) {
		extension = tolower($i)
		# Names are looked up by their last extension only: "spdx.json" could never be found.
		if (extension !~ /^[a-z0-9_+~%-]+$/ || length(extension) > 31) {
			if (source == 1)
				wrong("not an extension: " $i)
			continue
		}
		if (extension in seen) {
			if (source == 1)
				wrong("twice: " $i)
			continue
		}
		seen[extension] = 1
		if (type == "-")
			continue
		printf "%s\t{ STR(\"%s\"), { STR(\"%s\"), STR(\"%s\") } },\n", extension, extension, type, coding
	}
}
END { exit failed }
' "$1" "$2")

cat <<'END'
/* Written by filetype_table.sh. Change filetype.corrections instead. */
#include "fs/filetype_table.h"

const struct filetype_row filetype_rows[] = {
END
printf '%s\n' "$rows" | sort -t '	' -k 1,1 | cut -f 2 | sed 's/^/	/'
cat <<'END'
};

const size_t filetype_row_count = sizeof(filetype_rows) / sizeof(filetype_rows[0]);
END
