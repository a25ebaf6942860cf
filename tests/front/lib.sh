# Sourced by the scripts beside it: a private directory, private servers on loopback, and a count of checks.
# Everything runs as an ordinary user (www-data when started as root), because unreadable entries are part of the
# cases; everything that was started is ended on the way out, by its own process group.
#
#   STATICGI=/path/to/staticgi sh deploy.sh        KEEP=1 leaves the directory, QUIET=1 prints only what fails

set -u
umask 022
LC_ALL=C.UTF-8 PYTHONIOENCODING=utf-8:backslashreplace
# The servers are in sbin; and a python3 of root's own would be out of reach for the servers' user.
PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export LC_ALL PYTHONIOENCODING PATH

FRONT=$(cd "$(dirname "$0")" && pwd)
CASES=$(cd "$FRONT/../cases" && pwd)
CONF=$(cd "$FRONT/../../conf" && pwd)
PIDS= PASSED=0 FAILED=0 SKIPPED=0 T=

die() {
	echo "$0: $*" >&2
	exit 2
}

# front_begin: the private directory, laid out as the example paths of conf/ want it.
front_begin() {
	STATICGI=${STATICGI:-}
	[ -x "$STATICGI" ] || die "STATICGI must name the built program"
	AS_USER=
	[ "$(id -u)" -ne 0 ] || AS_USER="setpriv --reuid=www-data --regid=www-data --clear-groups --"
	trap 'front_cleanup' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	T=$(mktemp -d /tmp/staticgi-front.XXXXXX) || exit 2
	chmod 755 "$T"
	mkdir "$T/bin" "$T/cgi-bin" "$T/run" "$T/log" "$T/conf" "$T/docroot" "$T/tmp" "$T/home"
	[ -z "$AS_USER" ] || chown -R www-data:www-data "$T"
	for name in bin/staticgi cgi-bin/staticgi.fcgi cgi-bin/staticgi.cgi; do
		install -m 755 "$STATICGI" "$T/$name"
	done
}

as_user() {
	env HOME="$T" TMPDIR="$T/tmp" $AS_USER "$@"
}

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# spawn NAME COMMAND...: in a session of its own, output to log/NAME.out; its id is in SPAWNED. Without the "env" a
# background command of sh would ignore Ctrl-C's signal.
spawn() {
	spawn_name=$1
	shift
	setsid env --default-signal=INT,QUIT HOME="$T" TMPDIR="$T/tmp" $AS_USER "$@" \
		</dev/null >>"$T/log/$spawn_name.out" 2>&1 &
	SPAWNED=$!
	PIDS="$PIDS $SPAWNED"
}

# alive ID: what has ended and was not waited for yet is not.
alive() {
	case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
	"" | Z*) return 1 ;;
	esac
}

# stop ID: asks, waits up to five seconds, then kills the whole group.
stop() {
	kill -TERM "$1" 2>/dev/null
	i=0
	while alive "$1" && [ $i -lt 100 ]; do
		sleep 0.05
		i=$((i + 1))
	done
	kill -s KILL -- "-$1" 2>/dev/null
	wait "$1" 2>/dev/null
	left=
	for pid in $PIDS; do
		[ "$pid" = "$1" ] || left="$left $pid"
	done
	PIDS=$left
}

stop_all() {
	for one in $PIDS; do
		stop "$one"
	done
}

# leftovers: the processes that still run a program of the private directory.
leftovers() {
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe" 2>/dev/null) in
		"$T"/*) dirname "$exe" | sed 's,/proc/,,' ;;
		esac
	done
}

front_cleanup() {
	status=$?
	trap - EXIT INT TERM
	stop_all
	[ -n "$T" ] || exit "$status"
	for pid in $(leftovers); do
		kill -KILL "$pid" 2>/dev/null
	done
	if [ -n "${KEEP:-}" ]; then
		echo "kept: $T"
	else
		chmod -R u+rwx "$T" 2>/dev/null
		rm -rf "$T"
	fi
	exit "$status"
}

# front_end: stops the servers, looks for what they left, prints the logs if something failed, and the last line.
front_end() {
	stop_all
	sleep 0.2
	left=$(leftovers | tr '\n' ' ')
	if [ -z "$left" ]; then
		ok "nothing is left running"
	else
		bad "left running: $(for pid in $left; do tr '\0' ' ' <"/proc/$pid/cmdline"; done)"
	fi
	if [ "$FAILED" -gt 0 ]; then
		for log in "$T"/log/*; do
			[ -s "$log" ] || continue
			echo "--- the end of ${log##*/}"
			tail -n 15 "$log"
		done
	fi
	[ "$SKIPPED" -eq 0 ] || echo "$SKIPPED skipped, each by name in impossible.txt"
	echo "$PASSED passed, $FAILED failed"
	[ "$FAILED" -eq 0 ]
	exit
}

ok() {
	PASSED=$((PASSED + 1))
	[ -n "${QUIET:-}" ] || echo "ok   $*"
}

bad() {
	FAILED=$((FAILED + 1))
	echo "FAIL $*"
}

# expect NAME WANTED GOT
expect() {
	if [ "$2" = "$3" ]; then ok "$1"; else bad "$1: wanted $2, got $3"; fi
}

# tally FILE: shows the lines "ok ..." and "FAIL ..." of another program and counts them.
tally() {
	if [ -n "${QUIET:-}" ]; then grep -v '^ok ' "$1"; else cat "$1"; fi
	PASSED=$((PASSED + $(grep -c '^ok ' "$1")))
	FAILED=$((FAILED + $(grep -c '^FAIL ' "$1")))
}

# probe LABEL PORT: the table on standard input, a row is a check (see probe.py).
probe() {
	if python3 "$FRONT/probe.py" "$1" "$2" >"$T/tmp/probe.out" 2>&1; then
		:
	else
		[ $? -eq 1 ] || echo "FAIL $1: probe.py broke: $(tail -n 1 "$T/tmp/probe.out")" >>"$T/tmp/probe.out"
	fi
	tally "$T/tmp/probe.out"
}

# wait_for NAME URL: until something answers, 10 seconds at most.
wait_for() {
	i=0
	while ! curl -s -o /dev/null --max-time 5 "$2"; do
		i=$((i + 1))
		if [ $i -gt 100 ] || ! alive "$SPAWNED"; then
			bad "$1 does not answer at $2"
			front_end
		fi
		sleep 0.1
	done
}

# conf_use FILE [SED-ARGUMENT...]: a file of conf/ with its example paths moved below the private directory.
conf_use() {
	conf_file=$CONF/$1
	shift
	[ -r "$conf_file" ] || die "$conf_file is not there"
	sed -e "s#/usr/lib/cgi-bin#$T/cgi-bin#g" -e "s#/usr/bin/staticgi#$T/bin/staticgi#g" -e "s#/run/staticgi/#$T/run/#g" \
		-e "s#/srv/data#${DATA:-$T/data}#g" -e "s#/var/www/html#$T/docroot#g" -e "s#/home/me#$T/home/me#g" "$@" "$conf_file"
}

# pool NAME SOCKET [OPTION...]: a pool on a socket of the private directory; its id is in SPAWNED.
pool() {
	pool_name=$1 pool_socket=$2
	shift 2
	spawn "$pool_name" "$T/bin/staticgi" serve --listen "unix:$pool_socket" --workers "${WORKERS:-2}" "$@"
	i=0
	while [ ! -S "$pool_socket" ]; do
		i=$((i + 1))
		if [ $i -gt 100 ]; then
			bad "the pool $pool_name does not start: $(tail -n 2 "$T/log/$pool_name.out")"
			front_end
		fi
		sleep 0.05
	done
}

# apache_start NAME "MODULE..." VHOST-FILE [SERVER-FILE]: a private Apache; its port is in PORT. The first file is read
# inside a <VirtualHost>, the second outside.
apache_start() {
	apache_name=$1
	PORT=$(free_port)
	{
		echo "ServerRoot $T"
		echo "ServerName localhost"
		echo "Listen 127.0.0.1:$PORT"
		echo "PidFile $T/run/$apache_name.pid"
		echo "DefaultRuntimeDir $T/run"
		echo "Mutex file:$T/run default"
		echo "ErrorLog $T/log/$apache_name.error"
		echo "LogLevel ${APACHE_LOG:-warn}"
		for module in mpm_event authz_core authz_host authz_user authn_core authn_file auth_basic alias dir mime \
			env setenvif actions rewrite userdir vhost_alias filter deflate $2; do
			echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
		done
		cat <<-END
		TypesConfig /etc/mime.types
		ServerLimit 2
		StartServers 1
		ThreadsPerChild 16
		MaxRequestWorkers 32
		GracefulShutdownTimeout 1
		<IfModule mod_fcgid.c>
			FcgidIPCDir $T/run/fcgid-$apache_name
			FcgidProcessTableFile $T/run/$apache_name.shm
			FcgidMinProcessesPerClass 4
			FcgidMaxProcessesPerClass 8
			FcgidConnectTimeout 20
		</IfModule>
		<IfModule mod_cgid.c>
			ScriptSock $T/run/$apache_name.cgisock
		</IfModule>
		<Directory />
			AllowOverride None
			Require all denied
		</Directory>
		<Directory "$T/docroot">
			AllowOverride All
			Options FollowSymLinks ExecCGI
			Require all granted
		</Directory>
		END
		[ -z "${4:-}" ] || cat "$4"
		echo "<VirtualHost 127.0.0.1:$PORT>"
		echo "DocumentRoot $T/docroot"
		echo "Include $3"
		echo "</VirtualHost>"
	} >"$T/conf/$apache_name-httpd.conf"
	spawn "$apache_name" apache2 -DFOREGROUND -f "$T/conf/$apache_name-httpd.conf"
	wait_for "$apache_name" "http://127.0.0.1:$PORT/"
}

# lighttpd_start NAME FILE
lighttpd_start() {
	PORT=$(free_port)
	cat >"$T/conf/$1-lighttpd.conf" <<-END
	server.document-root = "$T/docroot"
	server.bind = "127.0.0.1"
	server.port = $PORT
	server.pid-file = "$T/run/$1.pid"
	server.errorlog = "$T/log/$1.error"
	server.upload-dirs = ( "$T/tmp" )
	server.modules = ()
	mimetype.assign = ( ".txt" => "text/plain", ".html" => "text/html", "" => "application/octet-stream" )
	static-file.exclude-extensions = ( ".fcgi" )
	include "$2"
	END
	spawn "$1" lighttpd -D -f "$T/conf/$1-lighttpd.conf"
	wait_for "$1" "http://127.0.0.1:$PORT/"
}

# nginx_start NAME SERVER-FILE [HTTP-FILE]: the first file is read inside a server block on PORT; the second is for the
# http level and has its "listen 80" on PORT (then the first is /dev/null).
nginx_start() {
	PORT=$(free_port)
	{
		cat <<-END
		daemon off;
		worker_processes 1;
		pid $T/run/$1.pid;
		error_log $T/log/$1.error warn;
		events { worker_connections 256; }
		http {
			access_log off;
			include /etc/nginx/mime.types;
			client_body_temp_path $T/tmp/body;
			fastcgi_temp_path $T/tmp/fastcgi;
			proxy_temp_path $T/tmp/proxy;
			uwsgi_temp_path $T/tmp/uwsgi;
			scgi_temp_path $T/tmp/scgi;
		END
		if [ -n "${3:-}" ]; then
			sed "s#listen 80;#listen 127.0.0.1:$PORT;#" "$3"
		else
			echo "server { listen 127.0.0.1:$PORT; include $2; }"
		fi
		echo "}"
	} >"$T/conf/$1-nginx.conf"
	cp /etc/nginx/fastcgi_params "$T/conf/"
	spawn "$1" nginx -e "$T/log/$1.error" -c "$T/conf/$1-nginx.conf"
	wait_for "$1" "http://127.0.0.1:$PORT/"
}

# each_checked CHECK NAME PID...: CHECK NAME while the server and its pool run, then their end.
each_checked() {
	"$1" "$2"
	shift 2
	for pid in "$@"; do
		stop "$pid"
	done
	rm -f "$T/run/staticgi.sock"
}

# each_front CHECK [SED-ARGUMENT...]: CHECK NAME behind lighttpd (its file changed so), mod_fcgid, mod_proxy_fcgi and nginx.
each_front() {
	each_check=$1
	shift
	conf_use lighttpd/prefix.conf "$@" >"$T/conf/lighttpd"
	lighttpd_start lighttpd "$T/conf/lighttpd"
	each_checked "$each_check" lighttpd "$SPAWNED"

	conf_use apache/mod_fcgid.conf >"$T/conf/fcgid"
	apache_start fcgid "fcgid xsendfile" "$T/conf/fcgid"
	each_checked "$each_check" mod_fcgid "$SPAWNED"

	pool proxy-pool "$T/run/staticgi.sock"
	each_pool=$SPAWNED
	conf_use apache/proxy_fcgi.conf >"$T/conf/proxy"
	apache_start proxy "proxy proxy_fcgi xsendfile" "$T/conf/proxy"
	each_checked "$each_check" mod_proxy_fcgi "$SPAWNED" "$each_pool"

	pool nginx-pool "$T/run/staticgi.sock"
	each_pool=$SPAWNED
	conf_use nginx/location.conf >"$T/conf/nginx"
	nginx_start nginx "$T/conf/nginx"
	each_checked "$each_check" nginx "$SPAWNED" "$each_pool"
}
