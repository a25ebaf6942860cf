"""Configurations of the front servers: as a front of a FastCGI pool, and serving files and listings by themselves.
Each one is as its own documents recommend for this use; keep-alive limits are out of the way everywhere."""
import os

MODULES = next((d for d in ("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules") if os.path.isdir(d)), "modules")
LIGHTTPD_MODULES = next((d for d in ("/usr/lib/lighttpd", "/usr/lib64/lighttpd") if os.path.isdir(d)), "")
MIME = (("html", "text/html; charset=utf-8"), ("txt", "text/plain; charset=utf-8"), ("json", "application/json"),
        ("bin", "application/octet-stream"))


def lighttpd_base(s, modules):
    types = ", ".join('".%s" => "%s"' % m for m in MIME)
    return """server.modules = ( {modules} )
server.document-root = "{www}"
server.bind = "127.0.0.1"
server.port = {port}
server.upload-dirs = ( "{dir}" )
server.max-keep-alive-requests = 1000000000
server.max-fds = 8192
server.max-connections = 4096
mimetype.assign = ( {types} )
""".format(modules=", ".join('"%s"' % m for m in modules), www=s.www, port=s.port, dir=s.dir, types=types)


def lighttpd_pool(s):
    text = lighttpd_base(s, ["mod_fastcgi"]) + """fastcgi.server = ( "/" => ((
	"socket" => "{sock}", "check-local" => "disable", "fix-root-scriptname" => "enable",
""".format(sock=s.sock)
    if s.hand_off:
        text += '\t"x-sendfile" => "enable", "x-sendfile-docroot" => ( "%s", "%s" ),\n' % (s.www, s.cache)
    return text + ")) )\n"


def lighttpd_own(s, cached=False):
    modules = ["mod_dirlisting"]
    deflate = os.path.exists(LIGHTTPD_MODULES + "/mod_deflate.so")
    if deflate:
        modules.append("mod_deflate")
    text = lighttpd_base(s, modules) + 'dir-listing.activate = "enable"\n'
    if deflate:
        text += ('deflate.mimetypes = ( "text/html", "text/plain", "application/json" )\n'
                 'deflate.allowed-encodings = ( "br", "gzip" )\ndeflate.cache-dir = "%s"\n' % s.cache)
    if cached:
        text += 'dir-listing.cache = ( "path" => "%s", "max-age" => 3600 )\n' % s.cache
    return text


def nginx_base(s, server, before="", outside=""):
    user = "user root;\n" if os.geteuid() == 0 and not s.dropped else ""
    kinds = ("client_body", "fastcgi", "proxy", "uwsgi", "scgi")
    temp = "".join("\t%s_temp_path %s/%s;\n" % (k, s.dir, k) for k in kinds)
    types = " ".join("%s %s;" % (t.partition(";")[0], e) for e, t in MIME)
    return """{before}{user}daemon off;
worker_processes 1;
pid {dir}/nginx.pid;
error_log stderr error;
events {{ worker_connections 4096; }}
http {{
	access_log off;
	sendfile on;
	tcp_nopush on;
	keepalive_timeout 65;
	keepalive_requests 1000000000;
	types {{ {types} }}
{temp}{outside}	server {{
		listen 127.0.0.1:{port};
		root {www};
{server}	}}
}}
""".format(before=before, user=user, dir=s.dir, types=types, temp=temp, outside=outside, port=s.port, www=s.www,
           server=server)


FASTCGI = ("QUERY_STRING $query_string", "REQUEST_METHOD $request_method", "CONTENT_TYPE $content_type",
           "CONTENT_LENGTH $content_length", 'SCRIPT_NAME ""', "PATH_INFO $uri", "REQUEST_URI $request_uri",
           "DOCUMENT_URI $document_uri", "DOCUMENT_ROOT $document_root", "SERVER_PROTOCOL $server_protocol",
           "REQUEST_SCHEME $scheme", "GATEWAY_INTERFACE CGI/1.1", "SERVER_SOFTWARE nginx/$nginx_version",
           "REMOTE_ADDR $remote_addr", "REMOTE_PORT $remote_port", "SERVER_ADDR $server_addr",
           "SERVER_PORT $server_port", "SERVER_NAME $server_name", "REDIRECT_STATUS 200")


def nginx_pool(s):
    keep = s.keepalive
    upstream = "\tupstream pool { server unix:%s;%s }\n" % (s.sock, " keepalive 16;" if keep else "")
    params = "".join("\t\t\tfastcgi_param %s;\n" % p for p in FASTCGI)
    server = ("\t\tlocation / {\n" + params + ("\t\t\tfastcgi_keep_conn on;\n" if keep else "") +
              "\t\t\tfastcgi_pass pool;\n\t\t}\n"
              "\t\tlocation /_files/ { internal; alias %s/; add_header Vary $upstream_http_vary; }\n"
              "\t\tlocation /_cache/ { internal; alias %s/; }\n" % (s.www, s.cache))
    return nginx_base(s, server, outside=upstream)


def nginx_own(s, fancy=False):
    zipped = "\tgzip on;\n\tgzip_types text/plain application/json;\n"
    module = "/usr/lib/nginx/modules/ngx_http_fancyindex_module.so"
    if fancy:
        return nginx_base(s, "\t\tlocation / { fancyindex on; fancyindex_exact_size off; }\n",
                          before="load_module %s;\n" % module, outside=zipped)
    return nginx_base(s, "\t\tlocation / { autoindex on; }\n", outside=zipped)


def apache_base(s, mpm, modules, rest):
    loads = "".join("LoadModule %s_module %s/mod_%s.so\n" % (m, MODULES, m)
                    for m in ["mpm_" + mpm, "authz_core", "env", "mime", "alias"] + modules)
    user = "User www-data\nGroup www-data\n" if os.geteuid() == 0 and not s.dropped else ""
    # Fixed numbers: a process that comes or goes in the middle would spoil the accounts.
    if mpm == "event":
        size = ("StartServers 2\nServerLimit 2\nThreadsPerChild 64\nMaxRequestWorkers 128\nMinSpareThreads 1\n"
                "MaxSpareThreads 128\n")
    else:
        size = "StartServers 128\nServerLimit 160\nMaxRequestWorkers 160\nMinSpareServers 64\nMaxSpareServers 160\n"
    types = "".join('AddType "%s" .%s\n' % (t, e) for e, t in MIME)
    return loads + user + size + types + """ServerRoot "{dir}"
DefaultRuntimeDir "{dir}"
ServerName localhost
PidFile "{dir}/apache.pid"
ErrorLog "{dir}/apache.log"
LogLevel error
Listen 127.0.0.1:{port}
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 60
EnableSendfile On
TypesConfig /dev/null
DocumentRoot "{www}"
AcceptPathInfo On
<Directory "/">
	Options FollowSymLinks
	AllowOverride None
	Require all granted
</Directory>
""".format(dir=s.dir, port=s.port, www=s.www) + rest


def apache_sendfile(s):
    return 'XSendFile On\nXSendFilePath "%s"\nXSendFilePath "%s"\n' % (s.www, s.cache) if s.hand_off else ""


def apache_proxy(s):
    """mod_proxy_fcgi with connections that stay open. The handler's worker must be named as in <Proxy>."""
    name = "unix:%s|fcgi://localhost/" % s.sock
    return apache_base(s, "event", ["dir", "proxy", "proxy_fcgi", "xsendfile"], """<Proxy "{name}" enablereuse=on max=64>
</Proxy>
<Directory "{www}">
	SetHandler "proxy:{name}"
	DirectoryCheckHandler On
	SetEnv ap_trust_cgilike_cl yes
</Directory>
{send}""".format(name=name, www=s.www, send=apache_sendfile(s)))


def apache_fcgid(s):
    """mod_fcgid spawns the workers. Sixteen at most, because a request that finds all busy sleeps a second."""
    return apache_base(s, "prefork", ["fcgid", "xsendfile"], """FcgidIPCDir "{dir}"
FcgidProcessTableFile "{dir}/fcgid_shm"
FcgidMaxProcesses 16
FcgidMaxProcessesPerClass 16
FcgidMinProcessesPerClass 4
FcgidIdleTimeout 3600
FcgidSpawnScoreUpLimit 1000
ScriptAlias "/files" "{script}"
<Location "/files">
	SetHandler fcgid-script
	SetEnv STATICGI_ROOT "{www}"
</Location>
<Directory "{bin}">
	Options +ExecCGI
</Directory>
{send}""".format(dir=s.dir, www=s.www, script=s.script, bin=os.path.dirname(s.script), send=apache_sendfile(s)))


def apache_own(s):
    return apache_base(s, "event", ["dir", "autoindex", "deflate", "filter"], """<Directory "{www}">
	Options Indexes FollowSymLinks
</Directory>
IndexOptions FancyIndexing VersionSort HTMLTable NameWidth=* DescriptionWidth=* Charset=UTF-8
AddOutputFilterByType DEFLATE text/html text/plain application/json
""".format(www=s.www))


def caddy_own(s):
    return """{{
	admin off
	auto_https off
	log {{
		level ERROR
	}}
}}
http://:{port} {{
	bind 127.0.0.1
	root * {www}
	encode zstd gzip
	file_server browse
}}
""".format(port=s.port, www=s.www)


COMMANDS = {
    "lighttpd": ["lighttpd", "-D", "-f", "@"],
    "nginx": ["nginx", "-e", "stderr", "-c", "@"],
    "apache": ["apache2", "-D", "FOREGROUND", "-f", "@"],
    "caddy": ["caddy", "run", "--adapter", "caddyfile", "--config", "@"],
}
