#!/bin/sh
# The cases from real reports (../cases/README.md) through every front, with the hand-off off and on. The fronts are
# set up by the very files of conf/. What a front itself makes impossible stands in impossible.txt with its reason.
#   cases.sh [FRONT...]    of: lighttpd lighttpd-pool fcgid proxy cgid nginx nginx-keepalive
. "$(dirname "$0")/lib.sh"
FRONTS=${*:-lighttpd lighttpd-pool fcgid proxy cgid nginx nginx-keepalive}
front_begin
# R76 and R77 are about content codings and caches of them, which staticgi does not have yet.
LATER='R76 R77'

# In another zone than UTC, since R68 is about that.
TZ=Asia/Tokyo
export TZ

as_user python3 "$CASES/fixtures.py" "$T/data" --big --many 5000 >"$T/log/fixtures.out" 2>&1 ||
	die "fixtures.py: $(tail -n 1 "$T/log/fixtures.out")"

# run FRONT HANDOFF BASE
run() {
	# R73 writes it anew, and what is new has a weak tag for two seconds.
	as_user touch -d @1700000000 "$T/data/t/slow.bin"
	only=$(python3 -c 'import json, sys; ids = {c["id"].split(".")[0] for c in json.load(open(sys.argv[1]))}
print(",".join(sorted(ids - set(sys.argv[2].split()))))' "$CASES/checks.json" "$LATER")
	as_user python3 -B "$CASES/check.py" "$3" "$T/data" --only "$only" -v >"$T/tmp/check.out" 2>"$T/tmp/check.err"
	[ ! -s "$T/tmp/check.err" ] || bad "$1, hand-off $2: check.py broke: $(tail -n 1 "$T/tmp/check.err")"
	awk -F ' [|] ' -v front="$1" -v handoff="$2" -v counts="$T/tmp/counts" '
		FNR == NR {
			if ($0 !~ /^(#|$)/ && (index("/" $1 "/", "/" front "/") ||
			    index("/" $1 "/", "/" front ":" handoff "/"))) {
				fault[$2] = $3
				why[$2] = $4
			}
			next
		}
		{ split($0, word, / +/) }
		word[1] == "ok" {
			passed++
			if (word[2] in why)
				print "note " front ", hand-off " handoff ": " word[2] " passes, though impossible.txt says: " why[word[2]]
		}
		word[1] == "skip" || (word[1] == "FAIL" && word[2] in why && $2 ~ fault[word[2]]) {
			print "skip " front ", hand-off " handoff ": " word[2] ": " (word[1] == "skip" ? $0 : why[word[2]])
			skipped++
			next
		}
		word[1] == "FAIL" { print "FAIL " front ", hand-off " handoff ": " substr($0, 6) }
		END {
			print passed + 0, skipped + 0 >counts
			if (NR - FNR < 10 || passed < 100)
				print "FAIL " front ": check.py passed only " passed + 0 " checks"
		}' "$FRONT/impossible.txt" "$T/tmp/check.out" >"$T/tmp/judged"
	cat "$T/tmp/judged"
	f=$(grep -c '^FAIL' "$T/tmp/judged")
	read -r p s <"$T/tmp/counts"
	PASSED=$((PASSED + p)) FAILED=$((FAILED + f)) SKIPPED=$((SKIPPED + s))
	echo "     $1, hand-off $2: $p passed, $f failed, $s skipped"
}

# With the hand-off off the files of conf/ lose the lines that switch it on; the rest stays.
for handoff in off on; do
	lines=
	[ $handoff = on ] || lines=/STATICGI_HANDOFF/d
	for front in $FRONTS; do
		name=$front-$handoff
		PORT=
		others=
		case $front in
		lighttpd)
			conf_use lighttpd/prefix.conf -e "$lines" >"$T/conf/$name"
			lighttpd_start "$name" "$T/conf/$name"
			;;
		lighttpd-pool)
			pool "$name-pool" "$T/run/staticgi.sock"
			others=$SPAWNED
			conf_use lighttpd/prefix.conf -e "$lines" -e '/"bin-path"/d' -e '/"max-procs"/d' \
				-e 's/lighttpd\.sock/staticgi.sock/' >"$T/conf/$name"
			lighttpd_start "$name" "$T/conf/$name"
			;;
		fcgid)
			conf_use apache/mod_fcgid.conf -e "$lines" >"$T/conf/$name"
			apache_start "$name" "fcgid xsendfile" "$T/conf/$name"
			;;
		proxy)
			pool "$name-pool" "$T/run/staticgi.sock"
			others=$SPAWNED
			conf_use apache/proxy_fcgi.conf -e "$lines" >"$T/conf/$name"
			apache_start "$name" "proxy proxy_fcgi xsendfile" "$T/conf/$name"
			;;
		cgid)
			conf_use apache/cgi.conf -e "$lines" >"$T/conf/$name"
			apache_start "$name" "cgid xsendfile" "$T/conf/$name"
			;;
		nginx)
			pool "$name-pool" "$T/run/staticgi.sock"
			others=$SPAWNED
			conf_use nginx/location.conf -e "$lines" >"$T/conf/$name"
			nginx_start "$name" "$T/conf/$name"
			;;
		nginx-keepalive)
			pool "$name-pool" "$T/run/staticgi.sock"
			others=$SPAWNED
			conf_use nginx/keepalive.conf -e "$lines" >"$T/conf/$name"
			nginx_start "$name" /dev/null "$T/conf/$name"
			;;
		*) die "no such front: $front" ;;
		esac
		server=$SPAWNED
		mount=/files
		[ "$front" != nginx-keepalive ] || mount=
		run "$front" "$handoff" "http://127.0.0.1:$PORT$mount"
		for pid in $server $others; do
			stop "$pid"
		done
		rm -f "$T/run/staticgi.sock"
	done
done
front_end
