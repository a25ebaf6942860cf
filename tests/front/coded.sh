#!/bin/sh
# Files of some megabytes through each front: who asks first for a coded form gets it, and small files do not wait for that (coded.py).
. "$(dirname "$0")/lib.sh"
front_begin
WORKERS=1

# check NAME: with a new tree, since each question is about what is new.
check() {
	rm -rf "$T/data"
	as_user python3 -B "$FRONT/coded.py" make "$T/data" || die "the tree cannot be made"
	# What has just changed is not kept.
	sleep 3
	python3 -B "$FRONT/coded.py" check "$1" "$PORT" >"$T/tmp/coded.out" 2>"$T/tmp/coded.err"
	[ $? -le 1 ] && [ ! -s "$T/tmp/coded.err" ] || echo "FAIL $1: coded.py broke: $(tail -n 1 "$T/tmp/coded.err")" >>"$T/tmp/coded.out"
	tally "$T/tmp/coded.out"
}

# One process, so that it would show if it waited. mod_fcgid gives a process one request at a time.
each_front check -e 's/"max-procs" => 2/"max-procs" => 1/'
front_end
