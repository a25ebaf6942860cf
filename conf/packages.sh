# Sourced by try.sh and tests/run.sh: what a fresh Debian lacks is installed, by root; anyone else is told.

BUILD_PACKAGES="autoconf automake pkg-config gcc make libc6-dev libfcgi-dev libmagic-dev libconfuse-dev libxxhash-dev check libbrotli-dev libzstd-dev
	libdeflate-dev
	media-types openssl xz-utils"

packages_missing() {
	for package in "$@"; do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
	done
}

# packages_need PACKAGE...: 1 when something is missing and cannot be had.
packages_need() {
	# Elsewhere configure and the scripts say what they miss.
	command -v dpkg-query >/dev/null || return 0
	missing=$(packages_missing "$@")
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" -ne 0 ]; then
		echo "missing: $missing" >&2
		echo "as root: apt-get install --no-install-recommends $missing" >&2
		return 1
	fi
	echo "installing $missing" >&2
	# A web server that is installed for its program shall not be started on port 80.
	policy=/usr/sbin/policy-rc.d
	if [ -e $policy ]; then
		policy=
	else
		printf '#!/bin/sh\nexit 101\n' >$policy
		chmod 755 $policy
	fi
	installed=0
	{
		apt-get -q update
		# shellcheck disable=SC2086
		DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $missing
	} >&2 </dev/null || installed=1
	[ -z "$policy" ] || rm -f "$policy"
	[ $installed -eq 0 ] || echo "apt-get could not install $missing" >&2
	return $installed
}
