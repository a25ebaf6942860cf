/* Three small configurations, each the least that shows a folder through its front. */
#include "cli/try_front.h"

#include <unistd.h>

/* Appends a template with @DIR@ and @PORT@ filled in. */
static void
fill(struct buf *out, const char *template, const char *dir, int port)
{
	struct str rest = str_from(template), part;

	while (str_cut(&rest, '@', &part)) {
		if (str_eq(part, S("DIR")))
			buf_text(out, dir);
		else if (str_eq(part, S("PORT")))
			buf_int(out, port);
		else
			buf_str(out, part);
	}
}

static void
configure_lighttpd(struct buf *out, const char *dir, int port)
{
	fill(out,
	    "server.modules = ( \"mod_fastcgi\" )\n"
	    "server.document-root = \"@DIR@/empty\"\n"
	    "server.bind = \"127.0.0.1\"\n"
	    "server.port = @PORT@\n"
	    "server.stat-cache-engine = \"disable\"\n"
	    "server.upload-dirs = ( \"@DIR@\" )\n"
	    "server.http-parseopts += ( \"url-ctrls-reject\" => \"disable\", \"url-invalid-utf8-reject\" => \"disable\" )\n"
	    "fastcgi.server = ( \"/\" => (( \"socket\" => \"@DIR@/socket\", \"check-local\" => \"disable\",\n"
	    "  \"fix-root-scriptname\" => \"enable\", \"x-sendfile\" => \"enable\",\n"
	    "  \"x-sendfile-docroot\" => ( \"@DIR@/root\" ) )) )\n",
	    dir, port);
}

static void
configure_nginx(struct buf *out, const char *dir, int port)
{
	if (geteuid() == 0)
		buf_text(out, "user root;\n");
	fill(out,
	    "daemon off;\npid @DIR@/nginx.pid;\nerror_log stderr error;\nevents { }\n"
	    "http {\n  access_log off;\n  client_body_temp_path @DIR@/body;\n  fastcgi_temp_path @DIR@/fastcgi;\n"
	    "  proxy_temp_path @DIR@/proxy;\n  uwsgi_temp_path @DIR@/uwsgi;\n  scgi_temp_path @DIR@/scgi;\n"
	    "  server {\n    listen 127.0.0.1:@PORT@;\n    location / {\n"
	    "      fastcgi_param REQUEST_METHOD $request_method;\n      fastcgi_param REQUEST_URI $request_uri;\n"
	    "      fastcgi_param QUERY_STRING $query_string;\n      fastcgi_param SCRIPT_NAME $fastcgi_script_name;\n"
	    "      fastcgi_param SERVER_SOFTWARE nginx;\n      fastcgi_max_temp_file_size 0;\n      fastcgi_pass unix:@DIR@/socket;\n    }\n"
	    "    location /_staticgi/ { internal; alias @DIR@/root/;\n      add_header Vary $upstream_http_vary;\n"
	    "      add_header X-Content-Type-Options nosniff; }\n  }\n}\n",
	    dir, port);
}

static void
configure_apache(struct buf *out, const char *dir, int port)
{
	const char *modules = access("/usr/lib/apache2/modules", X_OK) == 0 ? "/usr/lib/apache2/modules" :
	    access("/usr/lib64/httpd/modules", X_OK) == 0 ? "/usr/lib64/httpd/modules" : "modules";
	static const char *const names[][2] = {
		{ "mpm_event", "mod_mpm_event.so" },
		{ "authz_core", "mod_authz_core.so" },
		{ "env", "mod_env.so" },
		{ "proxy", "mod_proxy.so" },
		{ "proxy_fcgi", "mod_proxy_fcgi.so" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		buf_text(out, "LoadModule ");
		buf_text(out, names[i][0]);
		buf_text(out, "_module ");
		buf_text(out, modules);
		buf_char(out, '/');
		buf_text(out, names[i][1]);
		buf_char(out, '\n');
	}
	if (geteuid() == 0)
		buf_text(out, "User nobody\nGroup nogroup\n");
	fill(out,
	    "ServerRoot \"@DIR@\"\nServerName localhost\nPidFile \"@DIR@/apache.pid\"\nDefaultRuntimeDir \"@DIR@\"\n"
	    "ErrorLog \"|/bin/cat\"\nLogLevel error\nListen 127.0.0.1:@PORT@\nDocumentRoot \"@DIR@/empty\"\n"
	    "<Location \"/\">\n  Require all granted\n  ProxyFCGIBackendType GENERIC\n"
	    "  SetHandler \"proxy:unix:@DIR@/socket|fcgi://localhost/\"\n  SetEnv ap_trust_cgilike_cl yes\n</Location>\n",
	    dir, port);
}

static const struct try_front fronts[] = {
	{ "lighttpd", { "lighttpd" }, "lighttpd", { "-D", "-f", "@" }, "x-sendfile", configure_lighttpd },
	{ "apache", { "apache2", "httpd" }, "apache2", { "-D", "FOREGROUND", "-f", "@" }, "off", configure_apache },
	{ "nginx", { "nginx" }, "nginx-light", { "-c", "@" }, "x-accel-redirect+vary:/_staticgi/", configure_nginx },
};

const struct try_front *
try_front_find(const char *name)
{
	for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]); i++)
		if (strcmp(fronts[i].name, name) == 0)
			return &fronts[i];
	return NULL;
}
