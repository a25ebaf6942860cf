#!/bin/sh
# Calls go one way: each folder of src/ includes only what lies below it. Reads every #include there, says which one is
# not allowed, then plants a few breaches to see that it would notice.
#
#   sh tests/layers.sh [SOURCE-DIRECTORY]
set -eu
LC_ALL=C
export LC_ALL

top=${1:-${srcdir:-$(cd "$(dirname "$0")/.." && pwd)}}

# breaches DIR: a line for each include below DIR/src that is not allowed; fails when there is one.
breaches() {
	(cd "$1" && find src -name '*.[ch]' | sort | xargs awk '
BEGIN {
	# folder | may include, beside itself
	allow("base", "")
	allow("http", "base")
	allow("listing", "base http")
	allow("apache", "base http listing")
	allow("fs", "base http listing apache")
	allow("handler", "base http listing apache fs")
	allow("gateway", "base http")
	allow("daemon", "base http handler gateway")
	allow("cli", "base http listing apache fs handler gateway daemon")
	allow("main.c", "base cli daemon")

	# The translation to FastCGI and CGI is of no concern to the commands.
	split("gateway/record.h gateway/sink.h gateway/fastcgi.h gateway/cgi.h", words)
	for (i in words)
		refused["cli", words[i]] = 1

	# Pure: nothing here opens, sends, prints or asks the clock.
	split("base http listing apache gateway/params gateway/record gateway/locate gateway/exchange", words)
	for (i in words)
		pure[words[i]] = 1
	split("assert.h inttypes.h limits.h stdalign.h stdarg.h stdbool.h stddef.h stdint.h stdlib.h string.h " \
	    "xxhash.h fastcgi.h", words)
	for (i in words)
		harmless[words[i]] = 1
}
function allow(folder, list, names, n, i) {
	known[folder] = 1
	allowed[folder, folder] = 1
	n = split(list, names)
	for (i = 1; i <= n; i++)
		allowed[folder, names[i]] = 1
}
function breach(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what
	found = 1
}
FNR == 1 {
	split(FILENAME, part, "/")
	folder = part[2]
	layer = folder ~ /\./ ? folder : folder "/"
	unit = part[2] "/" part[3]
	sub(/\.[ch]$/, "", unit)
	if (!(folder in known))
		breach("the folder " folder " is in no layer: add it to tests/layers.sh")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	target = quoted[2]
	if (target !~ /\//) {
		breach("\"" target "\": include by folder, \"" layer target "\"")
		next
	}
	split(target, part, "/")
	if (!((folder, part[1]) in allowed))
		breach(layer " may not include \"" target "\"")
	else if ((folder, target) in refused)
		breach(layer " may not include \"" target "\": the protocol is the gateway'\''s own")
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	split($0, quoted, "[<>]")
	if (((folder in pure) || (unit in pure)) && !(quoted[2] in harmless))
		breach(((folder in pure) ? layer : unit) " is pure and may not include <" quoted[2] ">")
}
END { exit found }
')
}

if ! breaches "$top"; then
	echo "layers.sh: an include is not allowed; DESIGN's table of layers says why" >&2
	exit 1
fi

T=$(mktemp -d "${TMPDIR:-/tmp}/staticgi-layers.XXXXXX")
trap 'rm -rf "$T"' EXIT

# planted FILE INCLUDE MESSAGE: a copy of the file with that line in it must be found out, and nothing else.
planted() {
	rm -rf "$T/src"
	mkdir -p "$T/$(dirname "$1")"
	if [ -f "$top/$1" ]; then cp "$top/$1" "$T/$1"; else : >"$T/$1"; fi
	chmod u+w "$T/$1"
	line=$(($(wc -l <"$T/$1") + 1))
	echo "$2" >>"$T/$1"
	if breaches "$T" >"$T/said"; then
		echo "layers.sh: $2 in $1 was not noticed" >&2
		exit 1
	fi
	if [ "$(cat "$T/said")" != "$1:$line: $3" ]; then
		echo "layers.sh: $2 in $1 gave: $(cat "$T/said")" >&2
		exit 1
	fi
}

planted src/http/range.c '#include "fs/root.h"' 'http/ may not include "fs/root.h"'
planted src/http/range.c '#include <time.h>' 'http/ is pure and may not include <time.h>'
planted src/listing/json.c '#include <stdio.h>' 'listing/ is pure and may not include <stdio.h>'
planted src/base/buf.c '#  include "http/date.h"' 'base/ may not include "http/date.h"'
planted src/handler/handler.c '#include "gateway/params.h"' 'handler/ may not include "gateway/params.h"'
planted src/handler/handler.c '#include "daemon/log.h"' 'handler/ may not include "daemon/log.h"'
planted src/gateway/cgi.c '#include "handler/handler.h"' 'gateway/ may not include "handler/handler.h"'
planted src/gateway/params.c '#include <unistd.h>' 'gateway/params is pure and may not include <unistd.h>'
planted src/daemon/log.c '#include "fs/file.h"' 'daemon/ may not include "fs/file.h"'
planted src/cli/serve.c '#include "gateway/sink.h"' \
	'cli/ may not include "gateway/sink.h": the protocol is the gateway'\''s own'
planted src/main.c '#include "handler/handler.h"' 'main.c may not include "handler/handler.h"'
planted src/http/range.c '#include "range.h"' '"range.h": include by folder, "http/range.h"'
planted src/novel/a.c '/* */' 'the folder novel is in no layer: add it to tests/layers.sh'
