#!/bin/sh
# What `staticgi check` says of the log, the cache directory and the address to listen on, before anything is served, by one who is not
# root. It only looks: after each row everything is as it was. $STATICGI is the program's path.
set -u

: "${STATICGI:?is the path of the program}"
unset STATICGI_CONFIG GATEWAY_INTERFACE
LC_ALL=C
export LC_ALL

T=$(mktemp -d "${TMPDIR:-/tmp}/staticgi-check.XXXXXX") || exit 1
T=$(cd "$T" && pwd -P)
pool= passed=0 failed=0
trap '[ -z "$pool" ] || kill "$pool" 2>/dev/null; rm -rf "$T"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

as_user=
if [ "$(id -u)" = 0 ]; then
	if ! setpriv --reuid=65534 --regid=65534 --clear-groups true; then
		echo "skipped: cli/check: no other user than root can be had here"
		exit 0
	fi
	as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
fi
chmod 755 "$T"
cp "$STATICGI" "$T/staticgi"

# Everything there, with what a change would move.
everything() {
	find "$T/tree" -printf '%p %y %m %U %s %T@ %C@ %l\n' | sort
}

# row STATUS TEXT OPTION...: the exit status, and a text on standard error (- for nothing said at all).
row() {
	want=$1 text=$2
	shift 2
	everything >"$T/before"
	$as_user "$T/staticgi" check --cache-dir off "$@" >"$T/out" 2>"$T/err"
	got=$?
	if ! everything | cmp -s - "$T/before"; then
		wrong="something was changed"
	elif [ $got -ne "$want" ]; then
		wrong="exit status $got, wanted $want"
	elif [ "$text" = - ] && [ -s "$T/err" ]; then
		wrong="something was said"
	elif [ "$text" != - ] && ! grep -qF -e "$text" "$T/err"; then
		wrong="no \"$text\""
	else
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAILED: check $*: $wrong"
	sed 's/^/  /' "$T/err"
}

mkdir "$T/tree"
cd "$T/tree" || exit 1
mkdir open closed own shared public
touch closed/file open/file open/mine
mkfifo open/pipe
ln -s own link
chmod 0600 closed/file open/mine
chmod 0755 closed
chmod 0777 open open/pipe
chmod 0700 own
chmod 0770 shared
chmod 01777 public
[ -z "$as_user" ] || chown 65534:65534 own shared open/mine
user=$($as_user id -u)
$as_user "$T/staticgi" serve --listen "unix:$T/tree/open/live" --cache-dir off --workers 1 2>"$T/log" &
pool=$!
tries=0
until [ -S open/live ] || [ $tries -ge 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done

# ---- log ----

row 0 - --log stderr
row 0 - --log "$T/tree/open/new"
row 0 - --log "$T/tree/open/mine"
row 1 "log: user $user cannot append to $T/tree/none/new" --log "$T/tree/none/new"
row 1 "log: user $user cannot append to $T/tree/closed" --log "$T/tree/closed"
row 1 'Not a directory' --log "$T/tree/open/file/new"
row 1 'No such device or address' --log "$T/tree/open/pipe"
[ "$user" = "$(id -u)" ] || row 1 'Permission denied' --log "$T/tree/closed/new"
[ "$user" = "$(id -u)" ] || row 1 'Permission denied' --log "$T/tree/closed/file"

# ---- cache-dir ----

row 0 - --cache-dir off
row 0 - --cache-dir "$T/tree/own"
row 0 - --cache-dir "$T/tree/open/new"
row 1 "cache-dir: user $user cannot keep files in $T/tree/none/new" --cache-dir "$T/tree/none/new"
row 1 'Not a directory' --cache-dir "$T/tree/open/file"
row 1 'Not a directory' --cache-dir "$T/tree/link"
row 1 "cache-dir: $T/tree/shared must belong to user $user, and nobody else may write in it" --cache-dir "$T/tree/shared"
row 1 "cache-dir: $T/tree/public must belong" --cache-dir "$T/tree/public"
[ "$user" = "$(id -u)" ] || row 1 "cache-dir: $T/tree/closed must belong" --cache-dir "$T/tree/closed"
[ "$user" = "$(id -u)" ] || row 1 'Permission denied' --cache-dir "$T/tree/closed/new"

# ---- listen ----

row 0 - --listen "unix:$T/tree/open/new"
row 0 - --listen '127.0.0.77:47231'
row 0 "listen: somebody listens on unix:$T/tree/open/live already" --listen "unix:$T/tree/open/live"
row 1 'is there and is no socket' --listen "unix:$T/tree/open/file"
row 1 "listen: user $user cannot make the socket $T/tree/none/new" --listen "unix:$T/tree/none/new"
row 1 'is no address of this machine' --listen 203.0.113.7:9000
row 1 'give an address of this machine and a port' --listen host.invalid:9000
row 2 'is not allowed: unix:/PATH, HOST:PORT' --listen nonsense
[ "$user" = "$(id -u)" ] || row 1 "Permission denied" --listen "unix:$T/tree/closed/new"

# ---- what cannot be said ----

for words in 'check --cache-dir off' version help; do
	"$T/staticgi" $words >/dev/full 2>"$T/err"
	got=$?
	if [ $got -eq 1 ] && grep -q 'standard output: No space left' "$T/err"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $words on a full disk: exit status $got"
	fi
done

# Whoever has one thing wrong hears of the others too.
row 1 'log: ' --log "$T/tree/none/new" --cache-dir "$T/tree/public" --listen "unix:$T/tree/open/file" --root "$T/none"
for text in 'root: ' 'cache-dir: ' 'listen: '; do
	grep -q "$text" "$T/err" && passed=$((passed + 1)) || { failed=$((failed + 1)) && echo "FAILED: all at once: no $text"; }
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
