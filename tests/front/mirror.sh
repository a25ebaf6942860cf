#!/bin/sh
# Real trees come back whole: /usr/share/doc of this machine and the tree of the cases, mirrored by "wget -r -np", which
# follows nothing but the listings, and compared with the disk by "diff -r". What may differ is listed by name:
# hidden entries and links that leave the tree (expected.py names each), and what wget itself cannot save. Because of the
# latter the cases' tree is mirrored a second time by mirror.py, where nothing may differ.
#   mirror.sh [FRONT...]    of: fcgid proxy lighttpd nginx
. "$(dirname "$0")/lib.sh"
FRONTS=${*:-fcgid proxy lighttpd nginx}
front_begin

# Listings are saved under a name that no file has, and folders with an index.html are listed like any other.
PAGE=...the-listing...
for dir in bin cgi-bin; do
	echo 'index = ""' >"$T/$dir/staticgi.conf"
done

mkdir "$T/data"
mkdir "$T/data/doc"
# Its first folders that hold 3000 names, so that all fronts together take a minute.
(cd /usr/share/doc && count=0 && for dir in *; do
	[ $count -le 3000 ] || break
	count=$((count + $(find "$dir" | wc -l)))
	cp -a "$dir" "$T/data/doc/"
done)
[ -z "$AS_USER" ] || chown -hR www-data:www-data "$T/data"
as_user python3 "$CASES/fixtures.py" "$T/data/cases" >"$T/log/fixtures.out" 2>&1 || die "fixtures.py: $(tail -n 1 "$T/log/fixtures.out")"
rm -rf "$T/data/casesx" "$T/data/cases-secret"
# Not in a mirror: a folder that holds itself has no end, and what cannot be read is there but refused (cases.sh asks
# for both).
rm -rf "$T/data/cases/links/dot" "$T/data/cases/perm" "$T/data/cases/gz/nr.css.gz"
as_user mkdir "$T/expected"
as_user python3 -B "$FRONT/expected.py" "$T/data" "$T/expected" >"$T/tmp/left-out" || die "expected.py failed"
sed 's/^/     /' "$T/tmp/left-out"
echo "     $(find "$T/expected" -type f | wc -l) files in $(find "$T/expected" -type d | wc -l) folders are to come"

# What wget cannot save, whatever server it asks: it decodes twice, so "a%20b.txt" takes the place of "a b.txt" (a lone %
# stays), and it cuts names to 236 bytes. These are taken out of both sides; mirror.py does not need that.
without_wget_limits() {
	find "$1" \( -name '*%[0-9A-Fa-f][0-9A-Fa-f]*' -o -name 'a b.txt' -o -name "$(printf 'per\316nt')" -o -name '.-name' \
		-o -name "$(printf 'n%.0s' $(seq 200))*" \) -prune -exec rm -rf {} +
}
# What a front refuses, whoever stands behind it (impossible.txt has the reasons): these names are taken out of what is
# to come, and listed.
refused_names() {
	case $1 in
	proxy) LC_ALL=C find . \( -name '*[[:cntrl:]]*' -o -name '*[?]*' \) -prune -print0 ;;
	esac
}
refused_urls() {
	case $1 in
	proxy) grep -vE '^refused 403 .*%([01][0-9A-F]|7F|3F)' ;;
	*) cat ;;
	esac
}

# compare FRONT WHAT EXPECTED MIRROR [REFUSALS]
compare() {
	{
		diff -r "$3" "$4"
		[ -z "${5:-}" ] || refused_urls "$1" <"$5"
	} >"$T/tmp/differences" 2>&1
	if [ ! -s "$T/tmp/differences" ]; then
		ok "$1: $2 of $(find "$4" -type f | wc -l) files equals the disk"
		return
	fi
	bad "$1: $2: $(wc -l <"$T/tmp/differences") differences"
	head -n 20 "$T/tmp/differences" | sed "s#$T/##g" | cat -v
}

# mirror FRONT URL
mirror() {
	as_user mkdir "$T/tmp/wget" "$T/tmp/py"
	cp -a "$T/expected" "$T/tmp/want"
	(cd "$T/tmp/want" && refused_names "$1" >"$T/tmp/names" &&
		xargs -0 -r ls -1db <"$T/tmp/names" | sed "s/^/     refused by $1: /" && xargs -0 -r rm -r <"$T/tmp/names")
	cp -a "$T/tmp/want" "$T/tmp/want.wget"
	without_wget_limits "$T/tmp/want.wget"
	(cd "$T/tmp/wget" && as_user wget -r -np -l inf -nH --cut-dirs=1 -e robots=off --reject-regex '[?]' --tries=1 -nv \
		--restrict-file-names=unix,nocontrol --default-page="$PAGE" --no-iri "$2" >"$T/log/$1.wget" 2>&1)
	find "$T/tmp/wget" -type f -name "$PAGE" -delete
	without_wget_limits "$T/tmp/wget"
	compare "$1" "wget's mirror" "$T/tmp/want.wget" "$T/tmp/wget"
	as_user python3 -B "$FRONT/mirror.py" "${2}cases/" "$T/tmp/py" >"$T/tmp/refused" 2>&1
	compare "$1" "mirror.py's mirror" "$T/tmp/want/cases" "$T/tmp/py" "$T/tmp/refused"
	chmod -R u+rwx "$T/tmp/wget" "$T/tmp/py"
	rm -rf "$T/tmp/wget" "$T/tmp/py" "$T/tmp/want" "$T/tmp/want.wget"
}

for front in $FRONTS; do
	others=
	case $front in
	fcgid)
		conf_use apache/mod_fcgid.conf >"$T/conf/$front"
		apache_start "$front" "fcgid xsendfile" "$T/conf/$front"
		;;
	proxy)
		pool "$front-pool" "$T/run/staticgi.sock"
		others=$SPAWNED
		conf_use apache/proxy_fcgi.conf >"$T/conf/$front"
		apache_start "$front" "proxy proxy_fcgi xsendfile" "$T/conf/$front"
		;;
	lighttpd)
		conf_use lighttpd/prefix.conf >"$T/conf/$front"
		lighttpd_start "$front" "$T/conf/$front"
		;;
	nginx)
		pool "$front-pool" "$T/run/staticgi.sock"
		others=$SPAWNED
		conf_use nginx/location.conf >"$T/conf/$front"
		nginx_start "$front" "$T/conf/$front"
		;;
	*) die "no such front: $front" ;;
	esac
	server=$SPAWNED
	mirror "$front" "http://127.0.0.1:$PORT/files/"
	for pid in $server $others; do
		stop "$pid"
	done
	rm -f "$T/run/staticgi.sock"
done
front_end
