#!/bin/sh
# style_header.sh CSS: writes the C header that holds the style and its hash to standard output.
#
# The policy allows the style by the hash of its exact bytes, so both come from here and from one string:
# comments gone, blanks gone where CSS does not need them, all in one line. The style keeps to the rules in
# its first comment, so that this needs to know no more CSS than that.
set -eu
LC_ALL=C
export LC_ALL

[ $# -eq 1 ] && [ -r "$1" ] || {
	echo "usage: style_header.sh CSS" >&2
	exit 2
}

# A blank before ':' stays ("a :hover" is not "a:hover"), and so do those around + and > (calc).
style=$(awk '{ all = all " " $0 }
END {
	while ((start = index(all, "/*")) > 0) {
		end = index(substr(all, start + 2), "*/")
		if (end == 0)
			exit 1
		all = substr(all, 1, start - 1) " " substr(all, start + end + 3)
	}
	gsub(/[ \t\r]+/, " ", all)
	gsub(/ ?[{] ?/, "{", all)
	gsub(/ ?[}] ?/, "}", all)
	gsub(/ ?; ?/, ";", all)
	gsub(/ ?, ?/, ",", all)
	gsub(/: /, ":", all)
	gsub(/;[}]/, "}", all)
	gsub(/^ | $/, "", all)
	printf "%s", all
}' "$1") || {
	echo "style_header.sh: a comment in $1 does not end" >&2
	exit 1
}

# "<" would end the element that the style stands in; the rest could not stand in a C string.
case $style in
'' | *'<'* | *[!\ -~]*)
	echo "style_header.sh: $1 is empty, holds a '<' or a byte that is not printable ASCII" >&2
	exit 1
	;;
esac

hash=$(printf '%s' "$style" | openssl dgst -sha256 -binary | openssl base64 -A)
[ ${#hash} -eq 44 ] || {
	echo "style_header.sh: openssl gave no hash" >&2
	exit 1
}

echo "/* Made from style.css by style_header.sh. */"
printf '#define LISTING_STYLE "%s"\n' "$(printf '%s\n' "$style" | sed 's/[\\"]/\\&/g')"
printf '#define LISTING_STYLE_HASH "sha256-%s"\n' "$hash"
