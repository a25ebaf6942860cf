#!/bin/sh
# Installs what is missing (as root on Debian), builds staticgi, and serves a directory behind lighttpd until Ctrl-C. The
# last line that it prints is the URL. Without a directory a small sample tree is served. The build is kept below
# ~/.cache, so that the second start takes a second.
#   sh conf/try.sh [DIR] [--front lighttpd|apache|nginx] [--port N]
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/conf/packages.sh"

server=lighttpd
for word in "$@"; do
	case $word in
	apache | --front=apache) server="apache2-bin libapache2-mod-fcgid libapache2-mod-xsendfile" ;;
	nginx | --front=nginx) server="nginx" ;;
	esac
done
# shellcheck disable=SC2086
packages_need $BUILD_PACKAGES $server

build=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/staticgi/$(echo "$top" | cksum | tr -d ' ')
if ! mkdir -p "$build" 2>/dev/null || [ ! -w "$build" ]; then
	build=$(mktemp -d)
	echo "building in $build" >&2
fi

# Every build step writes to one file, of which nothing is shown but its end when a step fails.
step() {
	"$@" >>"$build/try.log" 2>&1 || {
		tail -n 30 "$build/try.log" >&2
		echo "failed: $*" >&2
		exit 1
	}
}

sample() {
	[ ! -d "$1" ] || return 0
	mkdir -p "$1/a folder" "$1/empty" "$1/names"
	printf 'Any file may stand here.\n' >"$1/read me.txt"
	printf '<!doctype html>\n<title>A page</title>\n<p>A page, shown as it is.\n' >"$1/a folder/page.html"
	printf 'ten\n' >"$1/names/file10.txt"
	printf 'two\n' >"$1/names/file2.txt"
	printf 'odd\n' >"$1/names/100% <b>odd name?#.txt"
	head -c 5000000 /dev/zero >"$1/five megabytes.bin"
}

: >"$build/try.log"
newer() { [ -n "$(find "$1" -newer "$2" 2>/dev/null)" ]; }
if ! newer "$top/configure" "$top/configure.ac" || ! newer "$top/Makefile.in" "$top/Makefile.am"; then
	echo "building; this takes a minute the first time" >&2
	step "$top/autogen.sh"
fi
# configure writes into the directory that it is called from.
[ -f "$build/Makefile" ] || step sh -c 'cd "$1" && "$2/configure" --quiet' - "$build" "$top"
step make -s -C "$build" -j"$(nproc)"

case ${1:-} in
"" | -*)
	sample "$build/sample"
	set -- "$build/sample" "$@"
	;;
esac
exec "$build/staticgi" try "$@"
