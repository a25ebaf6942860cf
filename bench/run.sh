#!/bin/sh
# The bench: staticgi behind each front, the floor, and the peers, side by side on loopback. Installs what is missing
# (as root on Debian), builds, measures, writes Markdown, JSON and plots. Nothing is left running, nothing but --out
# and the cache is written.
#
#   sh bench/run.sh [--quick] [--rounds N] [--seconds S] [--only SUBJECT,...] [--out DIR] [ROW...]
#   sh bench/run.sh --list          the rows
#   STATICGI=/path/to/staticgi      measures that build instead of one of its own
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/staticgi-bench
export PATH="/usr/local/sbin:/usr/sbin:/sbin:$PATH"
# python3 is to leave nothing in the tree.
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$cache/tools" "$cache/npm"

case " $* " in
*" --list "* | *" --help "* | *" -h "*) exec python3 "$here/serve/main.py" "$@" ;;
esac

SERVERS="apache2-bin libapache2-mod-fcgid libapache2-mod-xsendfile lighttpd lighttpd-mod-deflate nginx-light
	libnginx-mod-http-fancyindex caddy"
LOADERS="wrk apache2-utils gnuplot-nox nodejs npm python3 util-linux"
PEERS="koa-classic-server@5 koa@3 express@5 serve-index fastify@5 @fastify/static total5 http-server serve sirv-cli
	autocannon compression @fastify/compress koa-compress"

# shellcheck source=conf/packages.sh
. "$top/conf/packages.sh"
# Node from elsewhere than Debian is as good.
command -v node >/dev/null && command -v npm >/dev/null && LOADERS=$(echo "$LOADERS" | sed 's/nodejs npm//')
# shellcheck disable=SC2086
packages_need $BUILD_PACKAGES $SERVERS $LOADERS || echo "what is missing is left out" >&2

step() {
	"$@" >"$cache/step.log" 2>&1 || {
		tail -n 30 "$cache/step.log" >&2
		echo "failed: $*" >&2
		exit 1
	}
}

if [ "$(cat "$cache/npm/peers" 2>/dev/null)" != "$PEERS" ]; then
	echo "installing the npm packages in $cache/npm" >&2
	[ -e "$cache/npm/package.json" ] || echo '{"private": true}' >"$cache/npm/package.json"
	# shellcheck disable=SC2086
	step npm install --prefix "$cache/npm" --no-audit --no-fund --loglevel=error $PEERS
	echo "$PEERS" >"$cache/npm/peers"
fi

for source in serve/get serve/startup floor/responder floor/listing floor/libfcgi; do
	name=$(basename "$source")
	libs=
	[ "$name" != libfcgi ] || libs=-lfcgi
	[ -n "$(find "$cache/tools/$name" -newer "$here/$source.c" 2>/dev/null)" ] ||
		step cc -std=gnu17 -O2 -o "$cache/tools/$name" "$here/$source.c" ${libs:+"$libs"}
done

if [ -z "${STATICGI:-}" ]; then
	build=$cache/build-$(echo "$top" | cksum | tr -d ' ')
	mkdir -p "$build"
	[ -x "$top/configure" ] || step "$top/autogen.sh"
	if [ ! -f "$build/Makefile" ]; then
		echo "building in $build" >&2
		# shellcheck disable=SC2016
		step sh -c 'cd "$1" && "$2/configure" --quiet CFLAGS=-O2' - "$build" "$top"
	fi
	step make -s -C "$build" staticgi
	STATICGI=$build/staticgi
	BENCH_REVISION=$(git -C "$top" describe --always --dirty 2>/dev/null | sed 's/^/, revision /' || true)
fi
BENCH_NPM=$cache/npm BENCH_TOOLS=$cache/tools
export STATICGI BENCH_NPM BENCH_TOOLS
export BENCH_REVISION="${BENCH_REVISION:-}"
exec python3 "$here/serve/main.py" "$@"
