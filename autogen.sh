#!/bin/sh
# Makes ./configure out of configure.ac. Needs autoconf, automake, libtool's aclocal files and pkg-config.
set -eu
cd "$(dirname "$0")"
for tool in autoreconf automake pkg-config; do
	command -v "$tool" >/dev/null 2>&1 || {
		echo "autogen.sh: $tool is missing. On Debian: apt-get install autoconf automake pkg-config" >&2
		exit 1
	}
done
mkdir -p build-aux
exec autoreconf --install --force
