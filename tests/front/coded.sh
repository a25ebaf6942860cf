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
	for pid in $server $others; do
		stop "$pid"
	done
	rm -f "$T/run/staticgi.sock"
}

others=
# One process, so that it would show if it waited.
conf_use lighttpd/prefix.conf -e 's/"max-procs" => 2/"max-procs" => 1/' >"$T/conf/lighttpd"
lighttpd_start lighttpd "$T/conf/lighttpd"
server=$SPAWNED
check lighttpd

# mod_fcgid gives a process one request at a time.
conf_use apache/mod_fcgid.conf >"$T/conf/fcgid"
apache_start fcgid "fcgid xsendfile" "$T/conf/fcgid"
server=$SPAWNED
check "mod_fcgid"

pool proxy-pool "$T/run/staticgi.sock"
others=$SPAWNED
conf_use apache/proxy_fcgi.conf >"$T/conf/proxy"
apache_start proxy "proxy proxy_fcgi xsendfile" "$T/conf/proxy"
server=$SPAWNED
check "mod_proxy_fcgi"

pool nginx-pool "$T/run/staticgi.sock"
others=$SPAWNED
conf_use nginx/location.conf >"$T/conf/nginx"
nginx_start nginx "$T/conf/nginx"
server=$SPAWNED
check nginx
front_end
