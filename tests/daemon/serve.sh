#!/bin/sh
# The built program as a person, a CGI front and a FastCGI front start it. $STATICGI is its path.
set -u

: "${STATICGI:?is the path of the program}"
here=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/daemon
unset STATICGI_CONFIG GATEWAY_INTERFACE
LC_ALL=C
export LC_ALL

T=$(mktemp -d "${TMPDIR:-/tmp}/staticgi-serve.XXXXXX") || exit 1
T=$(cd "$T" && pwd -P)
# For cache-dir = auto: nobody else's.
TMPDIR=$T
export TMPDIR
pid= passed=0 failed=0

cleanup() {
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
	rm -rf "$T"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

ok() {
	passed=$((passed + 1))
}

# not NAME: shows what there is to see.
not() {
	failed=$((failed + 1))
	echo "FAILED: $1"
	for file in out err log; do
		[ ! -s "$T/$file" ] || sed "s/^/  $file: /" "$T/$file"
	done
}

# is NAME STATUS COMMAND...: runs it with its output in $T/out and $T/err, compares the exit status.
is() {
	name=$1 want=$2
	shift 2
	"$@" >"$T/out" 2>"$T/err" </dev/null
	got=$?
	if [ $got -eq "$want" ]; then ok; else not "$name: exit status $got, wanted $want"; fi
}

# has NAME FILE TEXT / has_not NAME FILE TEXT: a line of the file holds the text.
has() {
	if grep -qF -e "$3" "$T/$2"; then ok; else not "$1: no \"$3\" in $2"; fi
}
has_not() {
	if grep -qF -e "$3" "$T/$2"; then not "$1: \"$3\" in $2"; else ok; fi
}

# until_true COMMAND...: for ten seconds at most.
until_true() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || return 1
		sleep 0.05
	done
}

# becomes NAME COMMAND...
becomes() {
	name=$1
	shift
	if until_true "$@"; then ok; else not "$name"; fi
}

# ask WHERE PATH [NAME=VALUE...]: the whole answer on standard output.
ask() {
	where=$1 path=$2
	shift 2
	python3 "$here/fcgi.py" ask "$where" REQUEST_METHOD=GET SCRIPT_NAME= "PATH_INFO=$path" "REQUEST_URI=$path" \
		SERVER_SOFTWARE=test/1 "$@"
}

# answers WHERE PATH TEXT
answers() {
	ask "$1" "$2" | grep -qF -e "$3"
}

# ends NAME SIGNAL STATUS: of the process $pid.
ends() {
	kill -"$2" "$pid"
	wait "$pid"
	got=$?
	pid=
	if [ $got -eq "$3" ]; then ok; else not "$1: exit status $got, wanted $3"; fi
}

mkdir "$T/www" "$T/www/dir" "$T/bin"
printf hello >"$T/www/a.txt"
printf first >"$T/www/dir/a.html"
printf second >"$T/www/dir/b.html"

# ---- commands ----

is 'no arguments' 2 "$STATICGI"
has 'no arguments' err 'staticgi serve'
is 'help' 0 "$STATICGI" --help
has 'help' out '--hand-off-above VALUE'
is 'version' 0 "$STATICGI" version
has 'version' out 'staticgi '
is 'version takes nothing' 2 "$STATICGI" version now
is 'unknown command' 2 "$STATICGI" srve
has 'unknown command' err 'srve is not a command'
is 'unknown option' 2 "$STATICGI" check --rot /srv
has 'unknown option' err '--rot is not an option'
is 'a word too many' 2 "$STATICGI" check here
is 'serve without listen' 2 "$STATICGI" serve
has 'serve without listen' err '--listen'

# ---- configuration ----

is 'check' 0 "$STATICGI" check
has 'check' out '# configuration file: none'
has 'check' out 'hand-off-above = 64K'
cp "$T/out" "$T/shown.conf"
sed 1d "$T/out" >"$T/shown"
is 'check of what check prints' 0 "$STATICGI" check --config "$T/shown.conf"
sed 1d "$T/out" | cmp -s - "$T/shown" && ok || not 'what check prints, read again, is the same'
is 'check with options' 0 "$STATICGI" check --root "$T/www" --workers 3 -v
has 'check with options' out "root = \"$T/www\""
has 'check with options' out 'workers = 3'
has 'check with options' out 'verbose = yes'
is 'check of a root that is not there' 1 "$STATICGI" check --root "$T/nowhere"
has 'check of a root that is not there' err "$T/nowhere"

printf 'root = "/srv"\nworkers = none\n\nverbose = 7\n' >"$T/bad.conf"
is 'bad configuration' 2 "$STATICGI" check --config "$T/bad.conf"
has 'bad configuration' err "$T/bad.conf:2: workers: \"none\" is not allowed: auto, or 1 to 1024"
has 'bad configuration' err "$T/bad.conf:4: verbose: \"7\" is not allowed: yes or no"
is 'serve with a bad configuration' 2 "$STATICGI" serve --listen "unix:$T/s" --config "$T/bad.conf"
has 'serve with a bad configuration' err "$T/bad.conf:2:"
is 'no configuration' 2 "$STATICGI" check --config "$T/none.conf"

cp "$STATICGI" "$T/bin/staticgi"
printf 'workers = 9\n' >"$T/bin/staticgi.conf"
is 'the file beside the program' 0 "$T/bin/staticgi" check
has 'the file beside the program' out 'workers = 9'
has 'the file beside the program' out "# configuration file: $T/bin/staticgi.conf"
printf 'workers = 8\n' >"$T/env.conf"
is 'the file of the environment' 0 env STATICGI_CONFIG="$T/env.conf" "$T/bin/staticgi" check
has 'the file of the environment' out 'workers = 8'
is 'the file of the command line' 0 env STATICGI_CONFIG="$T/env.conf" "$T/bin/staticgi" check --config "$T/shown.conf"
has 'the file of the command line' out 'workers = auto'

# ---- CGI: the command line is the client's, and not looked at ----

cgi() {
	env -i GATEWAY_INTERFACE=CGI/1.1 REQUEST_METHOD=GET SERVER_SOFTWARE=test/1 SCRIPT_NAME=/cgi-bin/staticgi \
		"REQUEST_URI=/cgi-bin/staticgi/a.txt" PATH_INFO=/a.txt "$@"
}
for arguments in '' '-h --version' 'version' 'serve --listen 127.0.0.1:1' '--root /' '--config /etc/passwd' '-v'; do
	# shellcheck disable=SC2086
	is "CGI with \"$arguments\"" 0 cgi STATICGI_ROOT="$T/www" "$STATICGI" $arguments
	has "CGI with \"$arguments\"" out 'Status: 200 OK'
	has "CGI with \"$arguments\"" out 'Content-Length: 5'
	has "CGI with \"$arguments\"" out 'hello'
	[ ! -s "$T/err" ] && ok || not "CGI with \"$arguments\" says something on standard error"
done
is 'CGI HEAD' 0 cgi STATICGI_ROOT="$T/www" REQUEST_METHOD=HEAD "$STATICGI"
has 'CGI HEAD' out 'Content-Length: 5'
has_not 'CGI HEAD' out 'hello'
is 'CGI without a root' 0 cgi "$STATICGI"
has 'CGI without a root' out 'Status: 404 Not Found'
is 'CGI: no setting out of a header' 0 cgi HTTP_STATICGI_ROOT="$T/www" "$STATICGI"
has 'CGI: no setting out of a header' out 'Status: 404 Not Found'
is 'CGI with the file beside the program' 2 cgi STATICGI_CONFIG="$T/bad.conf" "$STATICGI"
has 'CGI with a bad configuration' err "$T/bad.conf:2:"

if ! command -v python3 >/dev/null; then
	echo "python3 is missing: FastCGI was not tried"
	[ $failed -eq 0 ]
	exit
fi

# ---- FastCGI as a front starts it ----

python3 "$here/fcgi.py" start "$T/fd0" "$STATICGI" --root "$T/www" -v 2>"$T/log" &
pid=$!
becomes 'FastCGI on fd 0' answers "$T/fd0" /a.txt hello
ask "$T/fd0" /a.txt >"$T/out"
has 'FastCGI on fd 0' out 'Status: 200 OK'
ends 'FastCGI on fd 0 ends' TERM 0

# ---- the pool ----

printf 'root = "%s"\nindex = {"a.html"}\nworkers = 2\nlisten-mode = 0600\n' "$T/www" >"$T/pool.conf"
"$STATICGI" serve --listen "unix:$T/socket" --config "$T/pool.conf" -v 2>"$T/log" &
pid=$!
becomes 'the pool answers' answers "$T/socket" /a.txt hello
case $(ls -l "$T/socket") in
srw-------*) ok ;;
*) not 'the permissions of the socket' ;;
esac
is 'a second pool on the same socket' 1 "$STATICGI" serve --listen "unix:$T/socket" --root "$T/www"
has 'a second pool on the same socket' err 'somebody already listens'

: >"$T/log"
ask "$T/socket" /a.txt >"$T/out"
ask "$T/socket" /nothing >"$T/out"
ask "$T/socket" /a.txt REQUEST_METHOD=HEAD >"$T/out"
ask "$T/socket" '/x\n2 GET /fake 200\e[31m' >"$T/out"
becomes 'a line for each request' sh -c "[ \$(wc -l <'$T/log') -eq 4 ]"
line='staticgi\[[0-9]*\]: GET /a\.txt 200 5 [0-9]*us \(file\|file, kept\|answer, kept\) by mount'
grep -qx "$line" "$T/log" && ok || not 'the line of a file'
grep -qx 'staticgi\[[0-9]*\]: GET /nothing 404 [0-9]* [0-9]*us .* by mount: No such file or directory' "$T/log" && ok ||
	not 'the line of a 404'
grep -qx 'staticgi\[[0-9]*\]: HEAD /a\.txt 200 0 [0-9]*us \(file\|file, kept\|answer, kept\) by mount' "$T/log" && ok || not 'the line of HEAD'
grep -q '^staticgi\[[0-9]*\]: GET /x\\x0[aA]2 GET /fake 200\\x1[bB]\[31m 404 ' "$T/log" && ok ||
	not 'control bytes in the log'

# A front's mistake is said, and once for each worker, not for each request.
: >"$T/log"
for i in 1 2 3 4 5 6; do
	ask "$T/socket" /a.txt STATICGI_HANDOFF='xsendfile:"' >"$T/out"
	has 'a hand-off that is none' out hello
done
wrong='STATICGI_HANDOFF: "xsendfile:"" from the front is not allowed and counts as off: set it to off, x-sendfile, x-accel-redirect:'
becomes 'a hand-off that is none' grep -qF "$wrong" "$T/log"
[ "$(grep -cF STATICGI_HANDOFF "$T/log")" -le 2 ] && ok || not 'a hand-off that is none is said for each request'

answers "$T/socket" /dir/ first && ok || not 'the index file of the configuration'
printf 'root = "%s"\nindex = {"b.html"}\nworkers = 2\n' "$T/www" >"$T/pool.conf"
kill -HUP "$pid"
becomes 'SIGHUP takes the new configuration' grep -q 'all workers are replaced' "$T/log"
for i in 1 2 3 4 5 6; do
	answers "$T/socket" /dir/ second && ok || not "answer $i after SIGHUP"
done
printf 'root = "%s"\nindex = {"a/b"}\nrot = 1\n' "$T/www" >"$T/pool.conf"
kill -HUP "$pid"
becomes 'SIGHUP refuses a bad one' grep -q 'the configuration is not taken over' "$T/log"
has 'SIGHUP refuses a bad one' log "$T/pool.conf:2: index: \"a/b\""
has 'SIGHUP refuses a bad one' log "$T/pool.conf:3: "
answers "$T/socket" /dir/ second && ok || not 'the workers go on after a bad configuration'
ends 'SIGTERM' TERM 0
[ ! -e "$T/socket" ] && ok || not 'the socket is left behind'

# A pool that was killed leaves its socket: the next one takes it over.
"$STATICGI" serve --listen "unix:$T/socket" --root "$T/www" --workers 1 2>"$T/log" &
pid=$!
becomes 'a pool' answers "$T/socket" /a.txt hello
kill -KILL "$pid"
wait "$pid" 2>/dev/null
pid=
becomes 'its worker ends with it' sh -c "! python3 '$here/fcgi.py' ask '$T/socket' REQUEST_METHOD=GET"
[ -S "$T/socket" ] && ok || not 'the killed pool cannot have removed its socket'
"$STATICGI" serve --listen "unix:$T/socket" --root "$T/www" --workers 1 2>"$T/log" &
pid=$!
becomes 'a dead socket is taken over' answers "$T/socket" /a.txt hello
ends 'SIGINT' INT 0

# A root that is not there: said, tried again more and more slowly, served once it is there.
"$STATICGI" serve --listen "unix:$T/socket" --root "$T/later" --workers 1 2>"$T/log" &
pid=$!
becomes 'a root that is not there' grep -qF "root: cannot open $T/later" "$T/log"
sleep 1
tries=$(grep -c 'root: cannot open' "$T/log")
[ "$tries" -ge 2 ] && [ "$tries" -le 10 ] && ok || not "a worker that cannot start was started $tries times in a second"
mkdir "$T/later"
printf late >"$T/later/a.txt"
becomes 'a root that came later' answers "$T/socket" /a.txt late
ends 'SIGTERM' TERM 0

# A worker opens as many files as it is allowed to, not as many as a shell begins with.
(ulimit -Sn 256 && exec "$STATICGI" serve --listen "unix:$T/socket" --root "$T/www" --workers 1 2>"$T/log") &
pid=$!
becomes 'a pool with a low limit' answers "$T/socket" /a.txt hello
worker=$(sed 's/ .*//' "/proc/$pid/task/$pid/children" 2>/dev/null)
if [ -n "$worker" ]; then
	is 'the limit of a worker' 0 awk '/^Max open files/ { exit $4 != $5 }' "/proc/$worker/limits"
fi
ends 'SIGTERM' TERM 0

# Messages into a file.
"$STATICGI" serve --listen "unix:$T/socket" --root "$T/www" --workers 1 -v --log "$T/out.log" 2>"$T/log" &
pid=$!
becomes 'a pool' answers "$T/socket" /a.txt hello
becomes 'the log goes to a file' grep -q 'GET /a.txt 200 5' "$T/out.log"
[ ! -s "$T/log" ] && ok || not 'standard error stays empty'
ends 'SIGTERM' TERM 0

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
