#!/bin/sh
# "staticgi try" behind each front: the last line is the URL, it answers, Ctrl-C leaves nothing behind. And conf/try.sh,
# as the README says it, in a copy of the tree.
. "$(dirname "$0")/lib.sh"
front_begin
as_user mkdir -p "$T/data/sub"
as_user sh -c 'printf "file f" >"$1/f.txt"; head -c 300000 /dev/zero >"$1/big.bin"' - "$T/data"
# What a private front leaves in the way of temporary directories shall be gone as well.
before=$(ls "$T/tmp")

# url_of OUTPUT: waits for the last line to be a URL.
url_of() {
	i=0
	while [ $i -lt "$2" ]; do
		url=$(tail -n 1 "$1" 2>/dev/null | grep -o 'http://[^ ]*$') && [ -n "$url" ] && echo "$url" && return 0
		alive "$SPAWNED" || return 1
		sleep 0.1
		i=$((i + 1))
	done
	return 1
}

# answers NAME: what $SPAWNED serves; then Ctrl-C to its whole group, as a terminal does.
answers() {
	if ! url=$(url_of "$T/log/$1.out" "$2"); then
		bad "$1: no URL as the last line: $(tail -n 3 "$T/log/$1.out")"
		stop "$SPAWNED"
		return
	fi
	ok "$1: the last line is $url"
	expect "$1: the listing answers" 200 "$(curl -s -o "$T/tmp/page" -w '%{http_code}' "$url")"
	if [ -n "$3" ]; then
		expect "$1: a file answers" "file f" "$(curl -s "${url%/}/f.txt")"
		expect "$1: a large file answers" "200 300000" "$(curl -s -o /dev/null -w '%{http_code} %{size_download}' "${url%/}/big.bin")"
	fi
	kill -s INT -- "-$SPAWNED"
	i=0
	while alive "$SPAWNED" && [ $i -lt 100 ]; do
		sleep 0.05
		i=$((i + 1))
	done
	if alive "$SPAWNED"; then bad "$1: still there five seconds after Ctrl-C"; else ok "$1: Ctrl-C ends it"; fi
	wait "$SPAWNED" 2>/dev/null
	sleep 0.3
	left=$(pgrep -s "$SPAWNED" 2>/dev/null; pgrep -f "$T/tmp" 2>/dev/null)
	expect "$1: no process is left" "" "$(for pid in $left; do tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null; done)"
	expect "$1: nobody listens" "000" "$(curl -s -o /dev/null -w '%{http_code}' "$url")"
	stop "$SPAWNED"
}

for front in lighttpd apache nginx; do
	spawn "try-$front" "$T/bin/staticgi" try "$T/data" --front $front --port "$(free_port)"
	answers "try-$front" 150 files
done
spawn try-default "$T/bin/staticgi" try "$T/data"
answers try-default 150 files
rm -f "$T/tmp/page"
# The cache (staticgi-UID) stays, for the next start.
expect "no temporary file is left" "$before" "$(ls "$T/tmp" | grep -v '^staticgi-[0-9]*$')"
spawn try-none "$T/bin/staticgi" try "$T/data/none"
wait "$SPAWNED"
status=$?
if [ $status -ne 0 ] && [ $status -lt 126 ]; then ok "a directory that is not there ends it with $status"; else bad "a directory that is not there: $status"; fi
stop "$SPAWNED"

# A copy as a fresh clone would be: without what autogen.sh and configure write.
mkdir "$T/clone"
(cd "$FRONT/../.." && tar cf - --exclude=.git --exclude=build-aux --exclude=autom4te.cache --exclude=configure --exclude=Makefile.in \
	--exclude=aclocal.m4 --exclude=config.h.in .) | (cd "$T/clone" && tar xf -)
[ -z "$AS_USER" ] || chown -R www-data:www-data "$T/clone"
spawn conf-try env XDG_CACHE_HOME="$T/tmp/cache" sh "$T/clone/conf/try.sh" "$T/data"
answers conf-try 3000 files
began=$(date +%s)
spawn conf-try-again env XDG_CACHE_HOME="$T/tmp/cache" sh "$T/clone/conf/try.sh"
answers conf-try-again 600 ""
took=$(($(date +%s) - began))
if [ $took -le 10 ]; then ok "the second start took $took s"; else bad "the second start took $took s"; fi
front_end
