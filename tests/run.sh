#!/bin/sh
# Every test there is: the unit tests (also under the sanitizers, out of a distribution, and built by clang), then the
# program behind the real servers. On a fresh Debian 12 it installs what is missing, as root. The last line is
# "N passed, N failed"; the exit status is 1 when something failed.
#
#   sh tests/run.sh              all
#   sh tests/run.sh --quick      without the servers
#   sh tests/run.sh NAME...      only these of tests/front: deploy cases mirror kill big coded try fresh
#
# STATICGI_BUILD=DIR builds there and leaves it; -v shows every check.
set -u

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 2
. conf/packages.sh

quick= names= passed=0 failed=0 child= summary=
QUIET=1
for word in "$@"; do
	case $word in
	--quick) quick=1 ;;
	-v) QUIET= ;;
	-*)
		sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
		exit 2
		;;
	*)
		[ -r "tests/front/$word.sh" ] || {
			echo "there is no tests/front/$word.sh" >&2
			exit 2
		}
		names="$names $word"
		;;
	esac
done
export QUIET
fronts=${names:-deploy cases mirror kill big coded try fresh}
[ -z "$quick" ] || fronts=

packages="$BUILD_PACKAGES clang python3"
[ -z "$fronts" ] || packages="$packages apache2-bin libapache2-mod-fcgid libapache2-mod-xsendfile lighttpd nginx wget curl
	ca-certificates procps"
# shellcheck disable=SC2086
packages_need $packages || {
	echo "0 passed, 1 failed"
	exit 1
}

if [ -n "${STATICGI_BUILD:-}" ]; then
	mkdir -p "$STATICGI_BUILD" && work=$(cd "$STATICGI_BUILD" && pwd) || exit 2
else
	work=$(mktemp -d /tmp/staticgi-build.XXXXXX) || exit 2
fi

cleanup() {
	status=$?
	trap - EXIT INT TERM
	if [ -n "$child" ]; then
		kill -TERM "$child" 2>/dev/null
		wait "$child"
	fi
	if [ -z "${STATICGI_BUILD:-}" ]; then
		# distcheck leaves its tree read-only when it is interrupted.
		chmod -R u+w "$work"
		rm -rf "$work"
	fi
	exit $status
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# In the background, so that a signal ends the step and what it started.
run() {
	"$@" &
	child=$!
	wait "$child"
	status=$?
	child=
	return $status
}

# note NAME PASSED FAILED SECONDS
note() {
	passed=$((passed + $2))
	failed=$((failed + $3))
	line=$(printf '%-44s %5d passed %4d failed %5d s' "$1" "$2" "$3" "$4")
	echo "$line"
	summary="$summary$line
"
}

# step NAME COMMAND...: one check, its output in a file of which the end is shown when it fails.
step() {
	step_name=$1
	shift
	began=$(date +%s)
	if run "$@" >"$work/step.log" 2>&1; then
		note "$step_name" 1 0 $(($(date +%s) - began))
		return 0
	fi
	tail -n 40 "$work/step.log"
	note "$step_name" 0 1 $(($(date +%s) - began))
	return 1
}

# tests_in DIR: "passed failed" of the last make check there. A program of the check library counts each of its tests.
tests_in() {
	p=0 f=0
	for trs in $(find "$1" -name '*.trs' | sort); do
		log=${trs%.trs}.log
		result=$(sed -n 's/^:test-result: *//p' "$trs" | head -n 1)
		line=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$log" | tail -n 1)
		case $result/$line in
		SKIP/*) ;;
		*/[0-9]*)
			# shellcheck disable=SC2086
			set -- $line
			p=$((p + $1 - $2 - $3)) f=$((f + $2 + $3))
			# All tests passed and the program failed: a leak, or a crash at its end.
			[ "$result" = PASS ] || [ $(($2 + $3)) -gt 0 ] || f=$((f + 1))
			;;
		PASS/) p=$((p + 1)) ;;
		*) f=$((f + 1)) ;;
		esac
	done
	echo "$p $f"
}

# unit NAME DIR: make check there.
unit() {
	began=$(date +%s)
	run make -C "$2" -j"$(nproc)" -k check >"$work/step.log" 2>&1
	made=$?
	# shellcheck disable=SC2046
	set -- "$1" "$2" $(tests_in "$2")
	if [ $made -ne 0 ]; then
		for trs in $(grep -lE '^:test-result: *(FAIL|ERROR)' $(find "$2" -name '*.trs')); do
			tail -n 30 "${trs%.trs}.log"
		done
		# The build of the tests themselves broke.
		if [ "$4" -eq 0 ]; then
			tail -n 40 "$work/step.log"
			set -- "$1" "$2" "$3" 1
		fi
	fi
	note "$1" "$3" "$4" $(($(date +%s) - began))
}

# build NAME DIR CONFIGURE-ARGUMENT...
build() {
	build_name=$1 build_dir=$2
	shift 2
	mkdir -p "$build_dir"
	step "$build_name" sh -c 'cd "$1" && top=$2 && shift 2 && { [ -f Makefile ] || "$top/configure" "$@"; } &&
		make -j"$(nproc)"' - "$build_dir" "$top" "$@"
}

finish() {
	echo
	printf '%s' "$summary"
	[ "$passed" -gt 0 ] || failed=$((failed + 1))
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

step "autogen.sh" ./autogen.sh || finish
build "build with gcc" "$work/gcc" CC=gcc --enable-werror || finish
if [ -z "$names" ]; then
	unit "unit tests" "$work/gcc"
	if build "build with the sanitizers" "$work/sanitizers" CC=gcc --enable-werror --enable-sanitizers; then
		unit "unit tests under the sanitizers" "$work/sanitizers"
	fi
	build "build with clang" "$work/clang" CC=clang --enable-werror
	step "make distcheck" make -C "$work/gcc" -j"$(nproc)" distcheck
fi

for name in $fronts; do
	began=$(date +%s)
	echo "--- tests/front/$name.sh"
	STATICGI=$work/gcc/staticgi run sh "tests/front/$name.sh" >"$work/front-$name.log" 2>&1
	status=$?
	# All but its last line, which is the count.
	sed '$d' "$work/front-$name.log"
	counts=$(tail -n 1 "$work/front-$name.log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
	if [ -z "$counts" ]; then
		tail -n 1 "$work/front-$name.log"
		counts="0 1"
	elif [ $status -ne 0 ] && [ "${counts#* }" -eq 0 ]; then
		counts="${counts% *} 1"
	fi
	# shellcheck disable=SC2086
	note "front/$name" $counts $(($(date +%s) - began))
done
finish
