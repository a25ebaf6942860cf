#!/bin/sh
# Nothing is ever stale: 10,000 random changes, each followed by questions whose answers must be the disk's (fresh.py
# has the rules), through lighttpd and straight to the pool; then the same where inotify cannot tell: limits used up,
# queue run over, watches given up. SEED=N repeats a run.
. "$(dirname "$0")/lib.sh"
front_begin
SEED=${SEED:-$(date +%s)}

# A user of its own: inotify's limits are a user's, and others must not suffer.
if [ -n "$AS_USER" ]; then
	id=$((61000 + $$ % 3000))
	AS_USER="setpriv --reuid=$id --regid=$id --clear-groups --"
	chown -R $id:$id "$T"
fi
as_user python3 -B "$FRONT/fresh.py" tree "$T" "$SEED" || die "the tree cannot be made"

# fresh NAME COUNT [OPTION...]
fresh() {
	name=$1 count=$2
	shift 2
	as_user python3 -B "$FRONT/fresh.py" check "$name" "$T" "$SEED" "$count" "$@" >"$T/tmp/fresh.out" 2>"$T/tmp/fresh.err" ||
		echo "FAIL $name: fresh.py broke: $(tail -n 1 "$T/tmp/fresh.err")" >>"$T/tmp/fresh.out"
	tally "$T/tmp/fresh.out"
	SEED=$((SEED + 1))
}

# start [OPTION...]: a pool, and lighttpd before it.
start() {
	pool pool "$T/run/staticgi.sock" --cache-dir "$T/cache" --cache-hand-off x-sendfile "$@"
	POOL=$SPAWNED
	conf_use lighttpd/prefix.conf -e '/"bin-path"/d' -e '/"max-procs"/d' -e "s#/run/lighttpd.sock#/run/staticgi.sock#" \
		-e "s#\"x-sendfile-docroot\" => ( #&\"$T/cache\", #" >"$T/conf/lighttpd"
	lighttpd_start lighttpd "$T/conf/lighttpd"
	LIGHTTPD=$SPAWNED
}

end() {
	stop "$LIGHTTPD"
	stop "$POOL"
	rm -f "$T/run/staticgi.sock"
}

# hold WHAT LEAVE: uses up the limit, by another process of the pool's user.
hold() {
	as_user mkdir -p "$T/tmp/held"
	spawn "hold-$1" python3 -B "$FRONT/fresh.py" hold "$1" "$T/tmp/held" "$2"
	HOLDER=$SPAWNED
	i=0
	until grep -q '^held' "$T/log/hold-$1.out"; do
		i=$((i + 1))
		if [ $i -gt 300 ] || ! kill -0 "$HOLDER" 2>/dev/null; then
			bad "inotify's $1 cannot be used up: $(tail -n 1 "$T/log/hold-$1.out")"
			front_end
		fi
		sleep 0.1
	done
}

DIRECT="socket=$T/run/staticgi.sock"

start
fresh "lighttpd" 2000 "port=$PORT" "clients=$PORT" "pool=$POOL" watched=yes
fresh "the pool" 8000 "$DIRECT" "clients=$PORT" "pool=$POOL" watched=yes
fresh "lighttpd, handed-off pages" 0 "port=$PORT" dates=1
fresh "more events than the queue holds" 0 "$DIRECT" bursts=3
fresh "a second name" 0 "$DIRECT" links=15
end

hold instances 0
start --snapshot-age 0
fresh "no inotify, age 0" 300 "$DIRECT" "clients=$PORT" "pool=$POOL" watched=no
end
start --snapshot-age 1
fresh "no inotify, age 1" 400 "$DIRECT" "clients=$PORT" age=1 "pool=$POOL" watched=no
end
stop "$HOLDER"

hold watches 3
start --snapshot-age 0
fresh "three watches left" 300 "$DIRECT" "clients=$PORT"
end
stop "$HOLDER"

start --watches 2 --snapshot-age 0
fresh "two watches" 300 "$DIRECT" "clients=$PORT" "pool=$POOL" watched=yes
end
front_end
