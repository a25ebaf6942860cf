#!/bin/sh
# Every way to put staticgi behind a front that its documents name, on the real servers: the right URL and the right
# path are found, what the front denies stays denied, and the script's own URL walks around nothing. The deployments
# of conf/ are the very files.
. "$(dirname "$0")/lib.sh"
front_begin

S=/cgi-bin/staticgi.fcgi

# plant DIR [FILE]: a tree with denied parts. FILE becomes the first lines of its .htaccess.
plant() {
	as_user sh -c '
		mkdir -p "$1/sub/deeper" "$1/denied" "$1/auth" "$1/withindex" "$1/odd name+%41" "$1/empty"
		cd "$1" || exit 1
		printf "file f" >f.txt
		printf "file g" >sub/g.txt
		printf "file d" >sub/deeper/d.txt
		printf "odd" >"odd name+%41/b&c;d#.txt"
		printf "index here" >withindex/index.html
		printf "DENIED-CONTENT" >denied/d.txt
		printf "SECRET-CONTENT" >secret.txt
		printf "AUTH-CONTENT" >auth/a.txt
		printf "NESTED-CONTENT" >sub/secret.txt
		head -c 300000 /dev/zero | tr "\0" "b" >big.txt
		cp big.txt big.zip
		printf "Require all denied\n" >denied/.htaccess
		printf "AuthType Basic\nAuthName n\nAuthUserFile %s\nRequire valid-user\n" "$2/users" >auth/.htaccess
		printf "#HTACCESS-CONTENT\n" >sub/.htaccess
		{
			[ -z "$3" ] || cat "$3"
			printf "<Files secret.txt>\nRequire all denied\n</Files>\n#HTACCESS-CONTENT\n"
		} >.htaccess
		# What is younger than two seconds has a weak tag and is not handed off.
		find . -type f -exec touch -d @1700000000 {} +
	' - "$1" "$T/conf" "${2:-}"
}

# Every HEAD has a length, but where Apache takes it away: of CGI, unless ap_trust_cgilike_cl is set for the script's URL.
LENGTH=' | ?Content-Length: ^[1-9][0-9]*$'
# Where Apache's rules are asked before staticgi. $1 name, $2 URL prefix.
rows_checked() {
	probe "$1" "$PORT" <<-END
	200 GET $2/ | +sub/ | +f.txt | -.htaccess | ?Content-Type: ^text/html # the listing
	200 GET $2/sub/ | +g.txt | +deeper/ | -f.txt | -.htaccess # a folder's listing
	200 GET $2/sub/?sort=size&order=desc | +g.txt # a sorted listing
	200 GET $2/sub/ | >Accept: application/json | +"g.txt" | ?Content-Type: json # the listing as JSON
	200 HEAD $2/sub/ | =$LENGTH # HEAD of a listing
	301 GET $2/sub | ?Location: $2/sub/\$ # a missing final slash
	301 GET $2/sub?x=1 | ?Location: $2/sub/\?x=1\$ # a missing final slash keeps the query
	200 GET $2/f.txt | =file f # a file
	200 GET $2/sub/g.txt | =file g # a file further down
	200 GET $2/odd%20name+%2541/ | +b&amp;c # a folder with an odd name
	200 GET $2/odd%20name+%2541/b&c;d%23.txt | =odd # a file with an odd name
	206 GET $2/f.txt | >Range: bytes=5-5 | =f | ?Content-Range: ^bytes 5-5/6\$ # a range
	200 GET $2/big.zip | ?Content-Length: ^300000\$ | !X-Sendfile # a file large enough to be handed over
	206 GET $2/big.zip | >Range: bytes=-3 | =bbb | !X-Sendfile # the end of a large file
	200 GET $2/withindex/ | =index here # an index file
	200 GET $2/sub/deeper/../../sub/./g.txt | =file g # dot segments
	200 GET http://localhost$2/sub/ | +g.txt # the absolute form
	404 GET $2/none.txt # a file that is not there
	404 GET $2/none/ # a folder that is not there
	403 GET $2/denied/ | -DENIED | -d.txt # a denied folder
	403 GET $2/denied/d.txt | -DENIED # a file in a denied folder
	403 GET $2/sub/../denied/d.txt | -DENIED # a denied folder by dot segments
	403 GET $2/%64enied/d.txt | -DENIED # a denied folder, percent-encoded
	403 GET $2/secret.txt | -SECRET # a denied file
	403 GET $2/sub/secret.txt | -NESTED # a denied file further down
	401 GET $2/auth/ | -a.txt # a folder that wants a password
	401 GET $2/auth/a.txt | -AUTH # a file that wants a password
	200 GET $2/auth/ | >Authorization: Basic dTpw | +a.txt # a folder with the password
	200 GET $2/auth/a.txt | >Authorization: Basic dTpw | =AUTH-CONTENT # a file with the password
	403/404 GET $2/.htaccess | -HTACCESS # .htaccess
	403/404 GET $2/sub/.htaccess | -HTACCESS # a further .htaccess
	403/404 GET $2/%2ehtaccess | -HTACCESS # .htaccess, percent-encoded
	404 GET $2/f.txt/ | -file f # a file with a slash
	404 GET $2/f.txt/extra | -file f # a path below a file
	400/403/404 GET $2/../../../../etc/passwd | -root: # out of the tree
	400/403/404 GET $2/%2e%2e/%2e%2e/%2e%2e/etc/passwd | -root: # out of the tree, percent-encoded
	END
	rows_headers "$1" "$2"
}

# What a client writes into its own fields changes nothing. $1 name, $2 URL prefix.
rows_headers() {
	probe "$1" "$PORT" <<-END
	200 GET $2/sub/ | >Redirect-Status: 404 | >Redirect-Url: /x | +g.txt # Redirect-Status and Redirect-Url in the request
	200 GET $2/sub/ | >Staticgi-Root: /etc | >Staticgi-Path: /etc/ | -passwd | +g.txt # Staticgi-Root and Staticgi-Path in the request
	200 GET $2/sub/ | >Proxy: http://x.example/ | >Path-Info: /etc/ | >Script-Filename: /etc/passwd | +g.txt # Proxy, Path-Info and Script-Filename in the request
	200 GET $2/big.zip | >Staticgi-Handoff: x-accel-redirect:/x/ | ?Content-Length: ^300000\$ | !X-Accel-Redirect # Staticgi-Handoff in the request
	200 GET $2/sub/ | >X-Forwarded-Host: evil.example | -evil.example # X-Forwarded-Host in the request
	301 GET $2/sub | >X-Forwarded-Proto: gopher | >X-Forwarded-Host: evil.example | -evil.example | -gopher # a redirect with X-Forwarded- in the request
	END
}

# The script's own URL, without a root: nothing, whatever the path. $1 name, $2 the script, $3 a tree's URL prefix.
rows_direct() {
	probe "$1" "$PORT" <<-END
	403/404 GET $2 | -passwd # the script
	403/404 GET $2/ | -passwd # the script and a slash
	403/404 GET $2$3/ | -f.txt # the script and a folder
	403/404 GET $2$3/f.txt | -file f # the script and a file
	403/404 GET $2$3/denied/d.txt | -DENIED # the script and a denied file
	403/404 GET $2$3/secret.txt | -SECRET # the script and another denied file
	403/404 GET $2$3/auth/a.txt | -AUTH # the script and a file that wants a password
	403/404 GET $2$3/.htaccess | -HTACCESS # the script and .htaccess
	403/404 GET $2$3/f.txt | >Redirect-Status: 200 | >Redirect-Url: $3/f.txt | -file f # the script, with the fields of an Action in the request
	403/404 GET $2$3/secret.txt | >Redirect-Status: 200 | >Redirect-Url: $3/secret.txt | >Redirect-Redirect-Status: 200 | -SECRET # a denied file, with the fields of an Action
	403/404 GET $2/sub/ | >Staticgi-Root: $T/data | -g.txt # the script, with a root in the request
	403/404 GET $2/ | >Staticgi-Path: $T/data/ | >Path-Translated-Dirindex: $T/data/ | -sub # the script, with a path in the request
	403/404 GET $2/.//..$2/../..$3/secret.txt | -SECRET # the script and dot segments
	403/404 GET $2?$3/ | -f.txt # the script and a query
	403/404 GET http://localhost$3/denied/..$2$3/secret.txt | -SECRET # the script by the absolute form
	END
}

# A mount with a root: staticgi alone decides. $1 name, $2 URL prefix.
rows_mount() {
	probe "$1" "$PORT" <<-END
	200 GET $2/ | +sub/ | +f.txt | -.htaccess # the listing
	200 GET $2/sub/ | +g.txt | +deeper/ # a folder's listing
	200 HEAD $2/sub/ | = | ?Content-Length: ^[1-9][0-9]*\$ # HEAD of a listing
	301 GET $2/sub | ?Location: ^(http://[^/]*)?$2/sub/\$ # a missing final slash
	301 GET $2/sub?x=1 | ?Location: $2/sub/\?x=1\$ # a missing final slash keeps the query
	200 GET $2/f.txt | =file f # a file
	200 GET $2/odd%20name+%2541/b&c;d%23.txt | =odd # a file with an odd name
	206 GET $2/f.txt | >Range: bytes=5-5 | =f # a range
	200 GET $2/big.zip | ?Content-Length: ^300000\$ | !X-Sendfile | !X-Accel-Redirect # a file large enough to be handed over
	200 GET $2/big.zip | ?X-Content-Type-Options: ^nosniff\$ | ?Accept-Ranges: ^bytes\$ # that says the same as a small one
	206 GET $2/big.zip | >Range: bytes=-3 | =bbb | !X-Sendfile | !X-Accel-Redirect # the end of a large file
	200 HEAD $2/big.zip | >Range: bytes=2-4 | = | !Content-Range | ?Content-Length: ^300000\$ # HEAD has no range of a large file
	200 GET $2/big.zip | >If-Match: * | >If-Unmodified-Since: Tue, 14 Nov 2000 22:13:20 GMT | ?Content-Length: ^300000\$ # If-Match hides If-Unmodified-Since
	206 GET $2/big.zip | >Range: bytes=299998-18446744073709551615 | =bb # a last-pos beyond all numbers
	200 GET $2/withindex/ | =index here # an index file
	200 GET $2/sub//../sub/./g.txt | =file g # dot segments and two slashes
	404 GET $2/none.txt # a file that is not there
	404 GET $2/.htaccess | -HTACCESS # .htaccess
	404 GET $2/sub/.htaccess | -HTACCESS # a further .htaccess
	404 GET $2/f.txt/ | -file f # a file with a slash
	404 GET $2/f.txt/extra | -file f # a path below a file
	400/403/404 GET $2/../../../../etc/passwd | -root: # out of the tree
	400/403/404 GET $2/%2e%2e/%2e%2e/%2e%2e/etc/passwd | -root: # out of the tree, percent-encoded
	404/405/501 BREW $2/f.txt | -file f # an unknown method
	END
	rows_headers "$1" "$2"
}

as_user sh -c 'printf "u:%s\n" "$(openssl passwd -apr1 p)" >"$1"' - "$T/conf/users"
mkdir -p "$T/home/me"
ln -s "$T/cgi-bin" "$T/home/me/cgi-bin"
plant "$T/data"

# --- Apache with mod_fcgid: every mount in one server, each in its own directory
for snippet in listings directoryindex everything; do
	conf_use "shared-hosting/htaccess-$snippet" >"$T/conf/$snippet"
	plant "$T/docroot/$snippet" "$T/conf/$snippet"
done
printf 'DirectoryIndex index.html %s\n' $S >"$T/conf/plain"
printf 'Action staticgi %s\nSetHandler staticgi\n' $S >"$T/conf/action"
printf 'Options +ExecCGI\nFcgidWrapper "%s" virtual\n<If "-d %%{REQUEST_FILENAME}">\nSetHandler fcgid-script\n</If>\n' \
	"$T/cgi-bin/staticgi.fcgi" >"$T/conf/wrapper-if"
plant "$T/docroot/plain" "$T/conf/plain"
plant "$T/docroot/action" "$T/conf/action"
plant "$T/docroot/wrapper-if" "$T/conf/wrapper-if"
plant "$T/aliased" "$T/conf/plain"
plant "$T/home/bob/public_html" "$T/conf/plain"
plant "$T/vh/site.test" "$T/conf/plain"
plant "$T/aliased-action" "$T/conf/action"
printf 'RewriteEngine On\nRewriteRule ^(.*)$ %s/rewrite/$1 [L,UnsafeAllow3F]\n' $S >"$T/conf/rewrite"
plant "$T/docroot/rewrite" "$T/conf/rewrite"
printf 'SetEnv STATICGI_ROOT "%s"\nRewriteEngine On\nRewriteRule ^(.*)$ %s/$1 [L,UnsafeAllow3F]\n' "$T/data" $S >"$T/conf/rewrite-root"
plant "$T/docroot/rewrite-root" "$T/conf/rewrite-root"
printf 'ErrorDocument 403 %s\nErrorDocument 404 %s/errordoc/secret.txt\n' $S $S >"$T/conf/errordoc"
plant "$T/docroot/errordoc" "$T/conf/errordoc"
printf 'FallbackResource %s\n' $S >"$T/conf/fallback"
plant "$T/docroot/fallback" "$T/conf/fallback"
printf 'Action staticgi %s\n<If "-d %%{REQUEST_FILENAME}">\nSetHandler staticgi\n</If>\n' /locked/staticgi.fcgi >"$T/conf/locked"
plant "$T/docroot/lockedtree" "$T/conf/locked"
mkdir "$T/docroot/locked"
install -m 755 "$STATICGI" "$T/docroot/locked/staticgi.fcgi"
printf '<Files "staticgi.fcgi">\nSetHandler fcgid-script\nRequire env REDIRECT_STATUS\n</Files>\n' >"$T/docroot/locked/.htaccess"
mkdir "$T/docroot/beside"
install -m 755 "$STATICGI" "$T/docroot/beside/list.fcgi"
printf 'AddHandler fcgid-script .fcgi\n' >"$T/docroot/beside/.htaccess"

{
	conf_use apache/mod_fcgid.conf
	cat <<-END
	ScriptAlias /cgi-bin/ "$T/cgi-bin/"
	ScriptAlias /rooted/ "$T/cgi-bin/"
	<Location /rooted>
		SetEnv STATICGI_ROOT "$T/data"
	</Location>
	<Directory "$T/cgi-bin">
		SetHandler fcgid-script
	</Directory>
	# As Debian's apache2.conf has it, in the trees whose files are Apache's business; in the others the refusal of
	# .htaccess must be staticgi's own.
	<DirectoryMatch "(listings|directoryindex|plain|wrapper-if|lockedtree|fallback|aliased|public_html|site.test)(/|$)">
		<FilesMatch "^\.ht">
			Require all denied
		</FilesMatch>
	</DirectoryMatch>
	Alias /aliased/ "$T/aliased/"
	Alias /aliasedaction/ "$T/aliased-action/"
	Alias /direct-alias "$T/cgi-bin/staticgi.fcgi"
	<Location /direct-alias>
		SetEnv STATICGI_ROOT "$T/data"
	</Location>
	UserDir $T/home/*/public_html
$(for dir in aliased aliased-action home; do
		printf '<Directory "%s">\nAllowOverride All\nOptions FollowSymLinks ExecCGI\nRequire all granted\n</Directory>\n' "$T/$dir"
	done)
	END
} >"$T/conf/vhost"
apache_start fcgid "fcgid xsendfile" "$T/conf/vhost"
rows_mount "mod_fcgid.conf" /files
rows_mount "PATH_INFO mount with a root" "/rooted/staticgi.fcgi"
rows_mount "Alias of the script with a root" "/direct-alias"
probe "mod_fcgid.conf" "$PORT" <<END
301 GET /files?x=1 | ?Location: ^/files/\?x=1\$ # the mount without its slash
404 GET /filesx | -f.txt # a longer name than the mount's
404 GET /files%2Ff.txt | -file f # an encoded slash
END
rows_checked "htaccess-listings" /listings
rows_checked "htaccess-directoryindex" /directoryindex
rows_checked "htaccess-everything" /everything
rows_checked "DirectoryIndex alone" /plain
rows_checked "DirectoryIndex under Alias" /aliased
rows_checked "DirectoryIndex under UserDir" /~bob
rows_checked "Action and SetHandler" /action
rows_checked "Action and SetHandler under Alias" /aliasedaction
rows_checked "FcgidWrapper for directories" /wrapper-if
rows_checked "Action with a locked script" /lockedtree
rows_direct "direct call" $S /listings
rows_direct "direct call" $S /action
rows_direct "direct call" $S /directoryindex
rows_direct "direct call of a locked script" /locked/staticgi.fcgi /lockedtree
rows_direct "direct call of a script beside the tree" /beside/list.fcgi /action
probe "htaccess-listings" "$PORT" <<END
200 GET /listings/withindex/ | =index here # an index file is Apache's
200 GET //listings//sub/ | +g.txt # two slashes
END
probe "htaccess-directoryindex" "$PORT" <<END
200 GET //directoryindex//sub/ | +g.txt # two slashes
200 GET /directoryindex/./sub/?a=%2F | +g.txt # a dot segment and an encoded slash in the query
END
probe "per-directory rewrite" "$PORT" <<END
403/404 GET /rewrite/f.txt | -file f # without a root: refused
403/404 GET /rewrite/denied/d.txt | -DENIED # a denied file
403/404 GET /rewrite/secret.txt | -SECRET # another denied file
200 GET /rewrite-root/f.txt | =file f # with a root: from the root
200 GET /rewrite-root/sub/ | +g.txt # with a root: a listing
403 GET /rewrite-root/denied/d.txt | -DENIED # what Apache denies for the URL stays denied
404 GET /rewrite-root/.htaccess2 # with a root: what is not there
END
probe "ErrorDocument" "$PORT" <<END
403/404 GET /errordoc/denied/d.txt | -DENIED | -d.txt # a denied file
403/404 GET /errordoc/denied/ | -DENIED | -d.txt # a denied folder
403/404 GET /errordoc/none.txt | -SECRET # a missing file
403/404 GET /errordoc/secret.txt | -SECRET # a denied file by name
200 GET /errordoc/f.txt | =file f # others are Apache's
END
probe "FallbackResource" "$PORT" <<END
404 GET /fallback/none.txt # a missing file
404 GET /fallback/none/deeper/ | -passwd # a missing folder
403 GET /fallback/denied/ | -d.txt # a denied folder
200 GET /fallback/f.txt | =file f # files are Apache's
END
stop "$SPAWNED"

# --- VirtualDocumentRoot, in a server of its own
cat >"$T/conf/vhost" <<END
VirtualDocumentRoot "$T/vh/%0"
ScriptAlias /cgi-bin/ "$T/cgi-bin/"
<Directory "$T/cgi-bin">
	SetHandler fcgid-script
	Options +ExecCGI
	Require all granted
</Directory>
<Directory "$T/vh">
	AllowOverride All
	Require all granted
</Directory>
END
apache_start vhosts "fcgid" "$T/conf/vhost"
probe "DirectoryIndex under VirtualDocumentRoot" "$PORT" <<END
200 GET / | >Host: site.test | +sub/ | +f.txt # the listing
200 GET /sub/ | >Host: site.test | +g.txt # a folder's listing
403 GET /denied/ | >Host: site.test | -d.txt # a denied folder
401 GET /auth/ | >Host: site.test | -a.txt # a folder that wants a password
404 GET /sub/ | >Host: other.test | -g.txt # another host
END
stop "$SPAWNED"

# --- Apache with mod_proxy_fcgi and pools
pool pool "$T/run/staticgi.sock"
pool_id=$SPAWNED
pool rooted "$T/run/rooted.sock" --root "$T/data" --url-prefix /pp
rooted_id=$SPAWNED
# The table above wants denied parts inside the mounted directory: AllowOverride is the administrator's choice.
plant "$T/docroot/generic"
plant "$T/docroot/generic2"
plant "$T/docroot/plainproxy"
conf_use apache/proxy_fcgi.conf -e 's/^<Directory.*/&\n	AllowOverride All/' >"$T/conf/vhost"
cat >>"$T/conf/vhost" <<END
<Directory "$T/docroot/generic">
	SetHandler "proxy:unix:$T/run/staticgi.sock|fcgi://localhost/"
	ProxyFCGIBackendType GENERIC
	DirectoryCheckHandler On
</Directory>
<Directory "$T/docroot/plainproxy">
	SetHandler "proxy:unix:$T/run/staticgi.sock|fcgi://localhost"
	DirectoryCheckHandler On
</Directory>
<Directory "$T/docroot/generic2">
	SetHandler "proxy:unix:$T/run/staticgi.sock|fcgi://localhost"
	ProxyFCGIBackendType GENERIC
	DirectoryCheckHandler On
</Directory>
# Hosts of their own: mod_proxy takes the first worker whose name fits, and one with a longer path fits better.
ProxyPass /pp/ "unix:$T/run/rooted.sock|fcgi://rooted$T/data/"
ProxyPass /unrooted/ "unix:$T/run/staticgi.sock|fcgi://unrooted$T/data/"
SetEnv ap_trust_cgilike_cl yes
END
apache_start proxy "proxy proxy_fcgi xsendfile" "$T/conf/vhost"
rows_checked "proxy_fcgi.conf" /files
probe "proxy_fcgi.conf" "$PORT" <<END
301 GET /files?x=1 | ?Location: ^/files/\?x=1\$ # the mount without its slash
END
rows_checked "SetHandler proxy:fcgi in the document root" /plainproxy
rows_checked "SetHandler proxy:fcgi, GENERIC, with a slash" /generic
rows_checked "SetHandler proxy:fcgi, GENERIC" /generic2
rows_mount "ProxyPass with a root" /pp
probe "ProxyPass without a root" "$PORT" <<END
403/404 GET /unrooted/denied/d.txt | -DENIED # Apache asked no rule: refused
403/404 GET /unrooted/secret.txt | -SECRET # another denied file
403/404 GET /unrooted/.htaccess | -HTACCESS # .htaccess
END
stop "$SPAWNED"
stop "$rooted_id"

# --- Apache with mod_cgid
{
	conf_use apache/cgi.conf
	cat <<-END
	ScriptAlias /cgi-bin/ "$T/cgi-bin/"
	END
} >"$T/conf/vhost"
sed 's/staticgi\.fcgi/staticgi.cgi/' "$T/conf/listings" >"$T/conf/listings-cgi"
sed 's/staticgi\.fcgi/staticgi.cgi/' "$T/conf/directoryindex" >"$T/conf/directoryindex-cgi"
plant "$T/docroot/listings-cgi" "$T/conf/listings-cgi"
plant "$T/docroot/directoryindex-cgi" "$T/conf/directoryindex-cgi"
plant "$T/docroot/local"
{
	printf '<DirectoryMatch "-cgi(/|$)">\n<FilesMatch "^\\.ht">\nRequire all denied\n</FilesMatch>\n</DirectoryMatch>\n'
	printf 'ScriptAlias /redirected "%s/cgi-bin/staticgi.cgi"\n' "$T"
	printf '<Location /redirected>\nSetEnv STATICGI_ROOT "%s/docroot/local"\nSetEnv STATICGI_HANDOFF local-redirect:/local/\n</Location>\n' "$T"
} >>"$T/conf/vhost"
apache_start cgi "cgid xsendfile" "$T/conf/vhost"
probe "cgi.conf" "$PORT" <<END
301 GET /files?x=1 | ?Location: ^/files/\?x=1\$ # the mount without its slash
END
rows_mount "cgi.conf" /files
# More than a socket holds: mod_cgid wants it read, or drops the connection.
for how in "" "Transfer-Encoding: chunked"; do
	expect "cgi.conf: a large body, $how" 405 "$(head -c 1000000 /dev/zero | curl -s -o "$T/tmp/posted" -w '%{http_code}' \
		-H "$how" --data-binary @- --max-time 20 "http://127.0.0.1:$PORT/files/f.txt")"
done
LENGTH=
rows_checked "htaccess-listings by CGI" /listings-cgi
rows_checked "htaccess-directoryindex by CGI" /directoryindex-cgi
LENGTH=' | ?Content-Length: ^[1-9][0-9]*$'
rows_direct "direct call by CGI" /cgi-bin/staticgi.cgi /listings-cgi
probe "words of the query are not arguments" "$PORT" <<END
200 GET /files/?-h | +f.txt | -sage: # -h
200 GET /files/?--help | +f.txt | -sage: # --help
200 GET /files/?--version | +f.txt # --version
200 GET /files/?serve+--root+/etc | +f.txt | -passwd # serve --root /etc
403/404 GET /cgi-bin/staticgi.cgi?--root=/etc | -passwd # --root=/etc
403/404 GET /cgi-bin/staticgi.cgi?check | -root = # check
END
probe "hand-off by local redirect" "$PORT" <<END
200 GET /redirected/big.zip | ?Content-Length: ^300000\$ | !Location # a large file comes from Apache
206 GET /redirected/big.zip | >Range: bytes=-3 | =bbb # a range of it
200 GET /redirected/f.txt | =file f # a small file comes from staticgi
200 GET /redirected/sub/ | +g.txt # a listing
403/404 GET /redirected/.htaccess | -HTACCESS # .htaccess
END
stop "$SPAWNED"

# --- lighttpd
conf_use lighttpd/prefix.conf >"$T/conf/lighttpd"
lighttpd_start prefix "$T/conf/lighttpd"
rows_mount "prefix.conf" /files
probe "prefix.conf" "$PORT" <<END
301 GET /files | ?Location: ^/files/\$ # the mount without its slash
301 GET /files?x=1 | ?Location: ^/files/\?x=1\$ # the mount without its slash keeps the query
404 GET /filesXYZ/f.txt | -file f # a longer name than the mount's
200/404 GET /files%2Ff.txt # an encoded slash is a slash, or nothing
END
stop "$SPAWNED"

lighttpd_with() {
	{
		echo 'server.modules += ( "mod_fastcgi", "mod_setenv", "mod_alias" )'
		cat
	} >"$T/conf/lighttpd"
	lighttpd_start "$1" "$T/conf/lighttpd"
}

lighttpd_with pool <<END
\$HTTP["url"] =~ "^/files(/|\$)" {
	setenv.add-environment = ( "STATICGI_ROOT" => "$T/data" )
	fastcgi.server = ( "/files" => (( "socket" => "$T/run/staticgi.sock", "check-local" => "disable" )) )
}
END
rows_mount "lighttpd, prefix, pool" /files
stop "$SPAWNED"

pool slash "$T/run/slash.sock" --root "$T/data" --url-prefix /
slash_id=$SPAWNED
lighttpd_with slash <<END
fastcgi.server = ( "/" => (( "socket" => "$T/run/slash.sock", "check-local" => "disable" )) )
END
rows_mount "lighttpd, prefix /" ""
stop "$SPAWNED"
lighttpd_with fixroot <<END
fastcgi.server = ( "/" => (( "socket" => "$T/run/slash.sock", "check-local" => "disable", "fix-root-scriptname" => "enable" )) )
END
rows_mount "lighttpd, prefix /, fix-root-scriptname" ""
stop "$SPAWNED"
stop "$slash_id"

plant "$T/docroot/local2"
lighttpd_with local <<END
fastcgi.server = ( "" => (( "socket" => "$T/run/staticgi.sock", "check-local" => "enable" )) )
END
probe "lighttpd, check-local" "$PORT" <<END
200 GET /local2/f.txt | =file f # a file
200 GET /local2/sub/g.txt | =file g # a file further down
200 GET /local2/odd%20name+%2541/b&c;d%23.txt | =odd # a file with an odd name
404 GET /local2/none.txt # a file that is not there
404 GET /local2/.htaccess | -HTACCESS # .htaccess
404 GET /local2/f.txt/extra | -file f # a path below a file
END
stop "$SPAWNED"

ln -s "$T/cgi-bin/staticgi.fcgi" "$T/docroot/staticgi.fcgi"
plant "$T/aliased-light"
mkdir "$T/aliased-light/more"
ln -s "$T/cgi-bin/staticgi.fcgi" "$T/aliased-light/staticgi.fcgi"
{
	conf_use lighttpd/index-file.conf
	printf 'server.modules += ( "mod_alias" )\nalias.url = ( "/aliased/" => "%s/" )\n' "$T/aliased-light"
} >"$T/conf/lighttpd"
as_user sh -c 'printf odd >"$1/$(printf "\\377").txt"; mkdir "$1/$(printf "\\376")"' - "$T/docroot/local2"
lighttpd_start index "$T/conf/lighttpd"
probe "index-file.conf" "$PORT" <<END
200 GET /local2/%FF.txt | =odd # a file whose name is not UTF-8
200 GET /local2/%FE/ | +empty # a folder whose name is not UTF-8
200 GET /local2/ | +sub/ | +f.txt | -.htaccess # the listing
200 GET /local2/sub/ | +g.txt | +deeper/ # a folder's listing
200 GET /local2/sub/?sort=size | +g.txt # a sorted listing
200 GET /local2/odd%20name+%2541/ | +b&amp;c # a folder with an odd name
200 GET /local2/withindex/ | =index here # an index file is lighttpd's
200 GET /local2/f.txt | =file f # a file is lighttpd's
301 GET /local2/sub # a missing final slash is lighttpd's
200 GET /aliased/sub/ | +g.txt # a listing under alias.url
404 GET /local2/none/ # a folder that is not there
403/404 GET /staticgi.fcgi | -ELF # the script
403/404 GET /staticgi.fcgi/local2/secret.txt | -SECRET # the script and a file
403/404 GET /staticgi.fcgi/local2/ | -secret # the script and a folder
403/404 GET /staticgi.fcgi | >Path-Translated-Dirindex: /etc/ | -passwd # the script, with a directory in the request
END
stop "$SPAWNED"

# --- nginx
conf_use nginx/location.conf >"$T/conf/nginx"
nginx_start location "$T/conf/nginx"
rows_mount "location.conf" /files
probe "location.conf" "$PORT" <<END
301 GET /files | ?Location: ^/files/\$ # the mount without its slash
301 GET /files?x=1 | ?Location: ^/files/\?x=1\$ # the mount without its slash keeps the query
404 GET /filesx | -f.txt # a longer name than the mount's
404 GET /staticgi-internal/big.txt # the internal location
200 GET /files/big.txt | ?ETag: ^"[0-9a-f]{8}-[0-9a-f]+"\$ | ?Vary: ^Accept-Encoding\$ | !X-Accel-Redirect # what varies is handed off, and says so
206 GET /files/big.txt | >Range: bytes=0-9 | ?Vary: ^Accept-Encoding\$ # a part of it
200 GET /files/big.zip | !Vary | !X-Accel-Redirect # what does not vary
END
stop "$SPAWNED"

pool stock "$T/run/stock.sock" --root "$T/data" --url-prefix /files
stock_id=$SPAWNED
cat >"$T/conf/nginx" <<END
location /files {
	include fastcgi_params;
	fastcgi_pass unix:$T/run/stock.sock;
}
END
nginx_start stock "$T/conf/nginx"
rows_mount "nginx, stock parameters" /files
probe "nginx, stock parameters" "$PORT" <<END
301 GET /files | ?Location: /files/\$ # the mount without its slash
404 GET /filesx/f.txt | -file f # a longer name than the mount's
END
stop "$SPAWNED"
stop "$stock_id"

conf_use nginx/index.conf >"$T/conf/nginx"
nginx_start index "$T/conf/nginx"
probe "nginx/index.conf" "$PORT" <<END
200 GET /local2/ | +sub/ | +f.txt | -.htaccess # the listing
200 GET /local2/sub/ | +g.txt | +deeper/ # a folder's listing
200 GET /local2/odd%20name+%2541/ | +b&amp;c # a folder with an odd name
200 GET /local2/withindex/ | =index here # an index file
200 GET /local2/f.txt | =file f # a file is nginx's
301 GET /local2/sub | ?Location: /local2/sub/\$ # a missing final slash
404 GET /local2/none/ # a folder that is not there
404 GET /local2/none.txt # a file that is not there
404 GET /local2/.htaccess | -HTACCESS # .htaccess
404 GET /local2/sub/.htaccess | -HTACCESS # a further .htaccess
END
stop "$SPAWNED"

conf_use nginx/keepalive.conf >"$T/conf/nginx"
nginx_start keepalive /dev/null "$T/conf/nginx"
rows_mount "nginx/keepalive.conf" ""
stop "$SPAWNED"
stop "$pool_id"

# --- systemd
if command -v systemd-analyze >/dev/null; then
	conf_use systemd/staticgi.service >"$T/conf/staticgi.service"
	said=$(systemd-analyze verify --man=no "$T/conf/staticgi.service" 2>&1 | grep "$T/conf/staticgi.service")
	expect "staticgi.service: systemd-analyze verify has nothing to say" "" "$said"
else
	conf_use systemd/staticgi.service >"$T/conf/staticgi.service"
	odd=$(grep -vE '^(#.*|\[[A-Za-z]+\]|[A-Za-z]+=.*|)$' "$T/conf/staticgi.service")
	expect "staticgi.service: every line is a section or a setting" "" "$odd"
fi
front_end
