/* A row is a deployment with the very variables that its front sends. /W is the document root, /A an aliased
 * directory, /C/x.fcgi this program, /S a root that is configured or sent. */
#include "gateway/locate.h"

#include "client.h"
#include "suites.h"

Suite *locate_suite(void);

#define DIRECT "direct call of the script"
#define PAIRS 14

static const struct place {
	const char *what;
	const char *pairs[PAIRS];
	bool has_root;
	const char *prefix;  /* NULL: none configured */
	const char *located; /* the rule, or why it is refused */
	const char *url;     /* NULL: refused */
	const char *root, *path;
	bool directory_only;
} places[] = {
	/* A: ScriptAlias /cgi-bin/ /C/ */
	{ "A: direct call",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REQUEST_URI=/cgi-bin/x.fcgi/t/f.txt?a=1",
		"CONTEXT_PREFIX=/cgi-bin/", "CONTEXT_DOCUMENT_ROOT=/C/", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "A with a root",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REQUEST_URI=/cgi-bin/x.fcgi/t/f.txt?a=1",
		"CONTEXT_PREFIX=/cgi-bin/", "CONTEXT_DOCUMENT_ROOT=/C/", "DOCUMENT_ROOT=/W" },
	    true, NULL, "mount", "/cgi-bin/x.fcgi/t/f.txt", "", "/t/f.txt", false },
	{ "A with a root of SetEnv",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REQUEST_URI=/cgi-bin/x.fcgi/t/f.txt", "STATICGI_ROOT=/S" },
	    false, NULL, "mount", "/cgi-bin/x.fcgi/t/f.txt", "/S", "/t/f.txt", false },
	{ "A with both roots: that of the front counts",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t",
		"STATICGI_ROOT=/S" },
	    true, NULL, "mount", "/cgi-bin/x.fcgi/t", "/S", "/t", false },
	{ "A with a root, the script alone",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/cgi-bin/x.fcgi" },
	    true, NULL, "mount", "/cgi-bin/x.fcgi", "", "/", false },
	{ "A with a root, a slash alone",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/",
		"REQUEST_URI=/cgi-bin/x.fcgi/" },
	    true, NULL, "mount", "/cgi-bin/x.fcgi/", "", "/", false },
	{ "A without PATH_INFO: its own URL is no directory",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/cgi-bin/x.fcgi?/t/",
		"CONTEXT_PREFIX=/cgi-bin/", "CONTEXT_DOCUMENT_ROOT=/C/", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "A spelled otherwise in the request line",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/cgi-bin/./%78.fcgi",
		"CONTEXT_PREFIX=/cgi-bin/", "CONTEXT_DOCUMENT_ROOT=/C/", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "A, REDIRECT_URL missing though the status is there",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/denied/f",
		"PATH_TRANSLATED=/W/t/denied/f", "REDIRECT_STATUS=200",
		"REQUEST_URI=/cgi-bin/x.fcgi/t/denied/f", "CONTEXT_PREFIX=/cgi-bin/",
		"CONTEXT_DOCUMENT_ROOT=/C/", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "A, a client that writes headers as if it were the front",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/denied/f",
		"PATH_TRANSLATED=/W/t/denied/f", "REQUEST_URI=/cgi-bin/x.fcgi/t/denied/f",
		"HTTP_REDIRECT_STATUS=200", "HTTP_REDIRECT_URL=/t/denied/f", "HTTP_STATICGI_ROOT=/W",
		"HTTP_STATICGI_PATH=/W/t/denied/f", "HTTP_PATH_TRANSLATED_DIRINDEX=/W/t/denied/",
		"HTTP_REDIRECT_STATICGI_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },

	/* A': ScriptAlias /files /C/x.fcgi; PATH_TRANSLATED is of the wrong tree */
	{ "A'",
	    { "SCRIPT_NAME=/files", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/h.txt",
		"PATH_TRANSLATED=/W/h.txt", "REQUEST_URI=/files/h.txt", "CONTEXT_PREFIX=/files",
		"CONTEXT_DOCUMENT_ROOT=/C/x.fcgi", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "A' with a root",
	    { "SCRIPT_NAME=/files", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/h.txt",
		"PATH_TRANSLATED=/W/h.txt", "REQUEST_URI=/files/h.txt", "CONTEXT_PREFIX=/files",
		"CONTEXT_DOCUMENT_ROOT=/C/x.fcgi", "DOCUMENT_ROOT=/W" },
	    true, NULL, "mount", "/files/h.txt", "", "/h.txt", false },
	{ "A' with a root and the same prefix",
	    { "SCRIPT_NAME=/files", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/h.txt",
		"REQUEST_URI=/files/h.txt" },
	    true, "/files/", "mount", "/files/h.txt", "", "/h.txt", false },
	{ "A' with a root and a foreign prefix",
	    { "SCRIPT_NAME=/files", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/h.txt",
		"REQUEST_URI=/files/h.txt" },
	    true, "/file", "outside the mount", NULL, NULL, NULL, false },
	{ "A' without the slash",
	    { "SCRIPT_NAME=/files", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/files",
		"CONTEXT_PREFIX=/files" },
	    true, NULL, "mount", "/files", "", "/", false },

	/* B: DirectoryIndex index.html /cgi-bin/x.fcgi */
	{ "B",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t/sub/?q",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "directory index", "/t/sub/", "/W", "/t/sub/", true },
	{ "B, the document root itself, its final slash configured",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W/", "DOCUMENT_ROOT=/W/" },
	    false, NULL, "directory index", "/", "/W", "/", true },
	{ "B, odd names",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi",
		"REQUEST_URI=/a%20b+c/%C3%BC%2541%3Fx%23/?sort=name",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "directory index", "/a b+c/\xc3\xbc%41?x#/", "/W", "/a b+c/\xc3\xbc%41?x#/", true },
	{ "B, dot segments and runs of slashes",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=//t/./x/%2e%2e//sub/",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "directory index", "/t/sub/", "/W", "/t/sub/", true },
	{ "B, absolute form",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=http://h/t/sub/?x",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "directory index", "/t/sub/", "/W", "/t/sub/", true },
	{ "B, an encoded slash",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t%2Fsub/",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "B, above the root",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t/../../etc/",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "B, no directory's URL",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t/sub",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "not a directory's URL", NULL, NULL, NULL, false },
	{ "B after a rewrite: the request line is the old URL",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t_rw2/v/sub/",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W",
		"REDIRECT_URL=/t_rw2/v/sub/", "REDIRECT_STATUS=200" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "B after a rewrite, REDIRECT_URL empty",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t/sub/",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W", "REDIRECT_URL=" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "B without CONTEXT_DOCUMENT_ROOT",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t/sub/",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "B without REQUEST_URI",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "B with mod_proxy_fcgi as the script's handler",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=proxy:fcgi://localhost/C/x.fcgi",
		"REQUEST_URI=/t/sub/", "CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "directory index", "/t/sub/", "/W", "/t/sub/", true },
	{ "B2: under Alias",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/aliased/sub/",
		"CONTEXT_PREFIX=/aliased/", "CONTEXT_DOCUMENT_ROOT=/A/", "DOCUMENT_ROOT=/W" },
	    false, NULL, "directory index", "/aliased/sub/", "/A", "/sub/", true },
	{ "B2, the aliased directory itself",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/aliased/",
		"CONTEXT_PREFIX=/aliased/", "CONTEXT_DOCUMENT_ROOT=/A/", "DOCUMENT_ROOT=/W" },
	    false, NULL, "directory index", "/aliased/", "/A", "/", true },
	{ "B2, a request line outside the alias",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/other/sub/",
		"CONTEXT_PREFIX=/aliased/", "CONTEXT_DOCUMENT_ROOT=/A/", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "B3: UserDir",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/~bob/sub/",
		"CONTEXT_PREFIX=/~bob", "CONTEXT_DOCUMENT_ROOT=/home/bob/public_html", "DOCUMENT_ROOT=/W" },
	    false, NULL, "directory index", "/~bob/sub/", "/home/bob/public_html", "/sub/", true },
	{ "B3, a longer user name is another user",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/~bobby/sub/",
		"CONTEXT_PREFIX=/~bob", "CONTEXT_DOCUMENT_ROOT=/home/bob/public_html", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "B3: VirtualDocumentRoot",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/sub/",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/vh/site.test", "DOCUMENT_ROOT=/vh/site.test" },
	    false, NULL, "directory index", "/sub/", "/vh/site.test", "/sub/", true },

	/* C: Action and SetHandler */
	{ "C",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REQUEST_URI=/t/f.txt?q=1", "CONTEXT_PREFIX=/cgi-bin/",
		"CONTEXT_DOCUMENT_ROOT=/C/", "REDIRECT_URL=/t/f.txt", "REDIRECT_STATUS=200",
		"REDIRECT_HANDLER=lister", "REDIRECT_QUERY_STRING=q=1", "DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/t/f.txt", "/W", "/t/f.txt", false },
	{ "C, a directory",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/",
		"PATH_TRANSLATED=/W/t/", "REQUEST_URI=/t/", "REDIRECT_URL=/t/", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/t/", "/W", "/t/", false },
	{ "C under Alias",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/aliased/d/f.txt",
		"PATH_TRANSLATED=/A/d/f.txt", "REQUEST_URI=/aliased/d/f.txt", "CONTEXT_PREFIX=/cgi-bin/",
		"CONTEXT_DOCUMENT_ROOT=/C/", "REDIRECT_URL=/aliased/d/f.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/aliased/d/f.txt", "/A", "/d/f.txt", false },
	{ "C under UserDir",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/~bob/sub/f.txt",
		"PATH_TRANSLATED=/home/bob/public_html/sub/f.txt", "REDIRECT_URL=/~bob/sub/f.txt",
		"REDIRECT_STATUS=200", "CONTEXT_PREFIX=/cgi-bin/", "CONTEXT_DOCUMENT_ROOT=/C/",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/~bob/sub/f.txt", "/home/bob/public_html", "/sub/f.txt", false },
	{ "C, URL and path the same: not all of the disk",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/srv/t/f.txt",
		"PATH_TRANSLATED=/srv/t/f.txt", "REDIRECT_URL=/srv/t/f.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/" },
	    false, NULL, "action", "/srv/t/f.txt", "/srv/t", "/f.txt", false },
	{ "C, the same with a directory",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/srv/t/",
		"PATH_TRANSLATED=/srv/t/", "REDIRECT_URL=/srv/t/", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=//" },
	    false, NULL, "action", "/srv/t/", "/srv/t", "/", false },
	{ "C, nothing in common at the ends",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/x",
		"PATH_TRANSLATED=/srv/t/y", "REDIRECT_URL=/x", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/x", "/srv/t", "/y", false },
	{ "C, a name that only begins like the document root",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/a/f",
		"PATH_TRANSLATED=/Wider/f", "REDIRECT_URL=/a/f", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/a/f", "/Wider", "/f", false },
	{ "C, LiteSpeed: no status",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REDIRECT_URL=/t/f.txt", "DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/t/f.txt", "/W", "/t/f.txt", false },
	{ "C, MergeSlashes Off",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/ten.txt",
		"PATH_TRANSLATED=/W/t/ten.txt", "REDIRECT_URL=//t//ten.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/t/ten.txt", "/W", "/t/ten.txt", false },
	{ "C, runs of slashes in PATH_INFO too",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=//t//ten.txt",
		"PATH_TRANSLATED=/W//t//ten.txt", "REDIRECT_URL=//t//ten.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/t/ten.txt", "/W", "/t/ten.txt", false },
	{ "C, PATH_INFO and REDIRECT_URL differ",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/denied/f",
		"PATH_TRANSLATED=/W/t/denied/f", "REDIRECT_URL=/t/f.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "C, .. in PATH_TRANSLATED",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/../etc/passwd", "REDIRECT_URL=/t/f.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "action", "/t/f.txt", "/etc", "/passwd", false },
	{ "C, PATH_TRANSLATED above everything",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/../../etc/passwd", "REDIRECT_URL=/t/f.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "no usable path", NULL, NULL, NULL, false },
	{ "C, .. above everything in the two that must agree",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/../f.txt",
		"PATH_TRANSLATED=/W/f.txt", "REDIRECT_URL=/../f.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "C with a root: the mount counts",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REDIRECT_URL=/t/f.txt", "REDIRECT_STATUS=200",
		"REDIRECT_STATICGI_ROOT=/S", "DOCUMENT_ROOT=/W" },
	    false, NULL, "mount", "/cgi-bin/x.fcgi/t/f.txt", "/S", "/t/f.txt", false },

	/* REDIRECT_STATUS in other forms */
	{ "status 403",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REDIRECT_URL=/t/f.txt", "REDIRECT_STATUS=403",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "error document", NULL, NULL, NULL, false },
	{ "status with a blank",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REDIRECT_URL=/t/f.txt", "REDIRECT_STATUS=200 ",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "error document", NULL, NULL, NULL, false },
	{ "status empty",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REDIRECT_URL=/t/f.txt",
		"REDIRECT_STATUS=", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "status 403, and a client that says 200",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REDIRECT_URL=/t/f.txt", "REDIRECT_STATUS=403",
		"HTTP_REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "error document", NULL, NULL, NULL, false },

	/* D: FcgidWrapper virtual and SetHandler fcgid-script */
	{ "D",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=/W/t/f.txt", "REQUEST_URI=/t/f.txt",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/f.txt", "/W", "/t/f.txt", false },
	{ "D, DirectoryCheckHandler On",
	    { "SCRIPT_NAME=/t/", "SCRIPT_FILENAME=/W/t/", "REQUEST_URI=/t/",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/", "/W", "/t/", false },
	{ "D under Alias",
	    { "SCRIPT_NAME=/aliased/f.txt", "SCRIPT_FILENAME=/A/f.txt", "REQUEST_URI=/aliased/f.txt",
		"CONTEXT_PREFIX=/aliased/", "CONTEXT_DOCUMENT_ROOT=/A/", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/aliased/f.txt", "/A", "/f.txt", false },
	{ "D with MergeSlashes Off",
	    { "SCRIPT_NAME=//t//f.txt", "SCRIPT_FILENAME=/W/t/f.txt", "REQUEST_URI=//t//f.txt",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/f.txt", "/W", "/t/f.txt", false },
	{ "D2",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=/W/t/f.txt", "PATH_INFO=/extra",
		"PATH_TRANSLATED=/W/extra", "REQUEST_URI=/t/f.txt/extra",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/f.txt/extra", "/W", "/t/f.txt/extra", false },
	{ "D3",
	    { "SCRIPT_NAME=/t/no", "SCRIPT_FILENAME=/W/t/no", "PATH_INFO=/extra", "PATH_TRANSLATED=/W/extra",
		"REQUEST_URI=/t/no/extra", "CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/no/extra", "/W", "/t/no/extra", false },
	{ "D with a root of SetEnv",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=/W/t/f.txt", "REQUEST_URI=/t/f.txt",
		"STATICGI_ROOT=/S", "DOCUMENT_ROOT=/W" },
	    false, NULL, "mount", "/t/f.txt", "/S", "/t/f.txt", false },
	{ "D, .. in SCRIPT_FILENAME",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=/W/../../../etc/passwd", "DOCUMENT_ROOT=/W" }, false,
	    NULL, DIRECT, NULL, NULL, NULL, false },
	{ "D, .. in PATH_INFO",
	    { "SCRIPT_NAME=/t/f", "SCRIPT_FILENAME=/W/t/f", "PATH_INFO=/../../../etc/passwd",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "no usable path", NULL, NULL, NULL, false },

	/* E: FallbackResource */
	{ "E, a directory",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t/",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "directory index", "/t/", "/W", "/t/", true },
	{ "E, nothing there",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t/no",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "not a directory's URL", NULL, NULL, NULL, false },

	/* F: RewriteRule ^(.*)$ /cgi-bin/x.fcgi/t/$1 in .htaccess */
	{ "F",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=redirect:/cgi-bin/x.fcgi/t/f.txt", "REQUEST_URI=/t/f.txt",
		"CONTEXT_PREFIX=/cgi-bin/", "CONTEXT_DOCUMENT_ROOT=/C/", "REDIRECT_URL=/t/f.txt",
		"REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "F with a root",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=redirect:/cgi-bin/x.fcgi/t/f.txt", "REQUEST_URI=/t/f.txt",
		"CONTEXT_PREFIX=/cgi-bin/", "CONTEXT_DOCUMENT_ROOT=/C/", "REDIRECT_URL=/t/f.txt",
		"REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    true, NULL, "mount", "/cgi-bin/x.fcgi/t/f.txt", "", "/t/f.txt", false },

	/* G: SetHandler "proxy:unix:S|fcgi://localhost" */
	{ "G",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=proxy:fcgi://localhost/W/t/f.txt",
		"REQUEST_URI=/t/f.txt", "CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/f.txt", "/W", "/t/f.txt", false },
	{ "G with a port, and a name that looks encoded",
	    { "SCRIPT_NAME=/t/a%20b", "SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/W/t/a%20b",
		"REQUEST_URI=/t/a%2520b", "CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W/",
		"DOCUMENT_ROOT=/W/" },
	    false, NULL, "script", "/t/a%20b", "/W", "/t/a%20b", false },
	{ "G under UserDir",
	    { "SCRIPT_NAME=/~bob/sub/", "SCRIPT_FILENAME=proxy:fcgi://localhost/home/bob/public_html/sub/",
		"REQUEST_URI=/~bob/sub/", "CONTEXT_PREFIX=/~bob",
		"CONTEXT_DOCUMENT_ROOT=/home/bob/public_html", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/~bob/sub/", "/home/bob/public_html", "/sub/", false },
	{ "G with more path",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=proxy:fcgi://localhost/W/t/f.txt", "PATH_INFO=/extra",
		"PATH_TRANSLATED=/W/extra", "CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/f.txt/extra", "/W", "/t/f.txt/extra", false },
	{ "G without a path",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=proxy:fcgi://localhost",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "G2: ProxyFCGIBackendType GENERIC",
	    { "SCRIPT_NAME=/rawgen", "SCRIPT_FILENAME=//W/rawgen", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REQUEST_URI=/rawgen/t/f.txt",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/rawgen/t/f.txt", "/W", "/rawgen/t/f.txt", false },
	{ "G with a root of SetEnv",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=proxy:fcgi://localhost/W/t/f.txt",
		"REQUEST_URI=/t/f.txt", "STATICGI_ROOT=/S", "CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "mount", "/t/f.txt", "/S", "/t/f.txt", false },

	/* H: ProxyPass /pp/ "unix:S|fcgi://localhost/W/" */
	{ "H: no access rule ran",
	    { "SCRIPT_NAME=/pp/t/f.txt", "SCRIPT_FILENAME=proxy:fcgi://localhost/W/t/f.txt",
		"REQUEST_URI=/pp/t/f.txt", "CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "H, odd names",
	    { "SCRIPT_NAME=/pp/a b+c/\xc3\xbc%41?x#.txt",
		"SCRIPT_FILENAME=proxy:fcgi://localhost/W/a%20b+c/%C3%BC%2541%3Fx%23.txt",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "H with a root and the prefix",
	    { "SCRIPT_NAME=/pp/a b/\xc3\xbc%41.txt",
		"SCRIPT_FILENAME=proxy:fcgi://localhost/W/a%20b/%C3%BC%2541.txt",
		"REQUEST_URI=/pp/a%20b/%C3%BC%2541.txt", "CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W" },
	    true, "/pp", "mount", "/pp/a b/\xc3\xbc%41.txt", "", "/a b/\xc3\xbc%41.txt", false },
	{ "H with a root, without the prefix",
	    { "SCRIPT_NAME=/pp/t/f.txt", "SCRIPT_FILENAME=proxy:fcgi://localhost/W/t/f.txt",
		"REQUEST_URI=/pp/t/f.txt" },
	    true, NULL, "mount", "/pp/t/f.txt", "", "/pp/t/f.txt", false },

	/* I: the script in the document root, AddHandler fcgid-script .fcgi */
	{ "I: direct call",
	    { "SCRIPT_NAME=/t/l.fcgi", "SCRIPT_FILENAME=/W/t/l.fcgi", "PATH_INFO=/d/f.txt",
		"PATH_TRANSLATED=/W/d/f.txt", "REQUEST_URI=/t/l.fcgi/d/f.txt",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "I without more path",
	    { "SCRIPT_NAME=/t/l.fcgi", "SCRIPT_FILENAME=/W/t/l.fcgi", "REQUEST_URI=/t/l.fcgi",
		"CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "I with a slash",
	    { "SCRIPT_NAME=/t/l.fcgi", "SCRIPT_FILENAME=/W/t/l.fcgi", "PATH_INFO=/", "PATH_TRANSLATED=/W/",
		"REQUEST_URI=/t/l.fcgi/", "CONTEXT_PREFIX=", "CONTEXT_DOCUMENT_ROOT=/W", "DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "I with a root",
	    { "SCRIPT_NAME=/t/l.fcgi", "SCRIPT_FILENAME=/W/t/l.fcgi", "PATH_INFO=/d/f.txt",
		"PATH_TRANSLATED=/W/d/f.txt", "REQUEST_URI=/t/l.fcgi/d/f.txt" },
	    true, NULL, "mount", "/t/l.fcgi/d/f.txt", "", "/d/f.txt", false },

	/* J: ErrorDocument; refused also with a root */
	{ "J, 403",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/denied/f",
		"PATH_TRANSLATED=/W/t/denied/f", "REQUEST_URI=/t/denied/f", "CONTEXT_PREFIX=/cgi-bin/",
		"CONTEXT_DOCUMENT_ROOT=/C/", "REDIRECT_URL=/t/denied/f", "REDIRECT_STATUS=403",
		"REDIRECT_REQUEST_METHOD=GET", "DOCUMENT_ROOT=/W" },
	    false, NULL, "error document", NULL, NULL, NULL, false },
	{ "J, 404, with a root",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/no",
		"PATH_TRANSLATED=/W/t/no", "REQUEST_URI=/t/no", "REDIRECT_URL=/t/no", "REDIRECT_STATUS=404",
		"STATICGI_ROOT=/S", "DOCUMENT_ROOT=/W" },
	    true, NULL, "error document", NULL, NULL, NULL, false },

	/* L: lighttpd */
	{ "L1: /files, with a root",
	    { "SCRIPT_NAME=/files", "SCRIPT_FILENAME=/W/files", "PATH_INFO=/a/b", "PATH_TRANSLATED=/W/a/b",
		"REQUEST_URI=/files/a/b", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    true, NULL, "mount", "/files/a/b", "", "/a/b", false },
	{ "L1 without a root: below the document root",
	    { "SCRIPT_NAME=/files", "SCRIPT_FILENAME=/W/files", "PATH_INFO=/a/b", "PATH_TRANSLATED=/W/a/b",
		"REQUEST_URI=/files/a/b", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/files/a/b", "/W", "/files/a/b", false },
	{ "L1': a prefix without a boundary",
	    { "SCRIPT_NAME=/files", "SCRIPT_FILENAME=/W/files", "PATH_INFO=/q", "PATH_TRANSLATED=/W/q",
		"REQUEST_URI=/filesXYZ/q", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    true, NULL, "mount", "/files/q", "", "/q", false },
	{ "L2: /files/, with a root and the prefix",
	    { "SCRIPT_NAME=/files/a", "SCRIPT_FILENAME=/W/files/a", "PATH_INFO=/b.txt",
		"PATH_TRANSLATED=/W/b.txt", "REQUEST_URI=/files/a/b.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    true, "/files/", "mount", "/files/a/b.txt", "", "/a/b.txt", false },
	{ "L2 without a root",
	    { "SCRIPT_NAME=/files/a", "SCRIPT_FILENAME=/W/files/a", "PATH_INFO=/b.txt",
		"PATH_TRANSLATED=/W/b.txt", "REQUEST_URI=/files/a/b.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/files/a/b.txt", "/W", "/files/a/b.txt", false },
	{ "L3: /, with a root and the prefix /",
	    { "SCRIPT_NAME=/t", "SCRIPT_FILENAME=/W/t", "PATH_INFO=/f.txt", "PATH_TRANSLATED=/W/f.txt",
		"REQUEST_URI=/t/f.txt", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    true, "/", "mount", "/t/f.txt", "", "/t/f.txt", false },
	{ "L3 without a root",
	    { "SCRIPT_NAME=/t", "SCRIPT_FILENAME=/W/t", "PATH_INFO=/f.txt", "PATH_TRANSLATED=/W/f.txt",
		"REQUEST_URI=/t/f.txt", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/f.txt", "/W", "/t/f.txt", false },
	{ "L4: fix-root-scriptname, with a root",
	    { "SCRIPT_NAME=", "SCRIPT_FILENAME=/W/", "PATH_INFO=/t/f.txt", "PATH_TRANSLATED=/W/t/f.txt",
		"REQUEST_URI=/t/f.txt", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    true, NULL, "mount", "/t/f.txt", "", "/t/f.txt", false },
	{ "L4 without a root",
	    { "SCRIPT_NAME=", "SCRIPT_FILENAME=/W/", "PATH_INFO=/t/f.txt", "PATH_TRANSLATED=/W/t/f.txt",
		"REQUEST_URI=/t/f.txt", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/f.txt", "/W", "/t/f.txt", false },
	{ "L5: check-local enable",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=/W/t/f.txt", "REQUEST_URI=/t/f.txt",
		"REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/f.txt", "/W", "/t/f.txt", false },
	{ "L5 with more path",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=/W/t/f.txt", "PATH_INFO=/extra",
		"REQUEST_URI=/t/f.txt/extra", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "script", "/t/f.txt/extra", "/W", "/t/f.txt/extra", false },
	{ "L5 with a root and the prefix /",
	    { "SCRIPT_NAME=/t/f.txt", "SCRIPT_FILENAME=/W/t/f.txt", "REQUEST_URI=/t/f.txt",
		"REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    true, "/", "mount", "/t/f.txt", "", "/t/f.txt", false },
	{ "L6: index-file",
	    { "SCRIPT_NAME=/staticgi.fcgi", "SCRIPT_FILENAME=/W/staticgi.fcgi", "REQUEST_URI=/t/sub/",
		"PATH_TRANSLATED_DIRINDEX=/W/t/sub/", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "index-file", "/t/sub/", "/W", "/t/sub/", true },
	{ "L6 under alias.url",
	    { "SCRIPT_NAME=/staticgi.fcgi", "SCRIPT_FILENAME=/A/staticgi.fcgi", "REQUEST_URI=/aliased/sub/?q",
		"PATH_TRANSLATED_DIRINDEX=/A/sub/", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/A/" },
	    false, NULL, "index-file", "/aliased/sub/", "/A", "/sub/", true },
	{ "L6, no directory's path",
	    { "SCRIPT_NAME=/staticgi.fcgi", "SCRIPT_FILENAME=/W/staticgi.fcgi", "REQUEST_URI=/t/sub/",
		"PATH_TRANSLATED_DIRINDEX=/W/t/sub", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "not a directory's URL", NULL, NULL, NULL, false },
	{ "L6, an encoded slash",
	    { "SCRIPT_NAME=/staticgi.fcgi", "SCRIPT_FILENAME=/W/staticgi.fcgi", "REQUEST_URI=/t%2fsub/",
		"PATH_TRANSLATED_DIRINDEX=/W/t/sub/", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    false, NULL, "no usable path", NULL, NULL, NULL, false },
	{ "L6, the directory with .. above everything",
	    { "SCRIPT_NAME=/staticgi.fcgi", "SCRIPT_FILENAME=/W/staticgi.fcgi", "REQUEST_URI=/t/sub/",
		"PATH_TRANSLATED_DIRINDEX=/../", "DOCUMENT_ROOT=/W" },
	    false, NULL, "no usable path", NULL, NULL, NULL, false },

	/* N: nginx */
	{ "N1: stock parameters, with a root",
	    { "SCRIPT_NAME=/stock/a b.txt", "REQUEST_URI=/stock/a%20b.txt", "DOCUMENT_URI=/stock/a b.txt",
		"REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    true, NULL, "mount", "/stock/a b.txt", "", "/stock/a b.txt", false },
	{ "N1 with a root and the prefix",
	    { "SCRIPT_NAME=/stock/a b.txt", "REQUEST_URI=/stock/a%20b.txt", "DOCUMENT_URI=/stock/a b.txt",
		"REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" },
	    true, "/stock", "mount", "/stock/a b.txt", "", "/a b.txt", false },
	{ "N1 with a root, the prefix alone",
	    { "SCRIPT_NAME=/stock", "REQUEST_URI=/stock", "REDIRECT_STATUS=200", "DOCUMENT_ROOT=/W" }, true,
	    "/stock/", "mount", "/stock", "", "/", false },
	{ "N1 without a root",
	    { "SCRIPT_NAME=/stock/a b.txt", "REQUEST_URI=/stock/a%20b.txt", "REDIRECT_STATUS=200",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "N2: split_path_info, SCRIPT_NAME sent twice",
	    { "SCRIPT_NAME=/exp/t/f.txt", "REQUEST_URI=/exp/t/f.txt", "DOCUMENT_ROOT=/W",
		"REDIRECT_STATUS=200", "SCRIPT_NAME=/exp", "PATH_INFO=/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt" },
	    true, NULL, "mount", "/exp/t/f.txt", "", "/t/f.txt", false },
	{ "N2 with a root sent and the prefix",
	    { "SCRIPT_NAME=/exp", "PATH_INFO=/t/f.txt", "REQUEST_URI=/exp/t/f.txt", "STATICGI_ROOT=/S" },
	    false, "/exp", "mount", "/exp/t/f.txt", "/S", "/t/f.txt", false },
	{ "N2 without a root",
	    { "SCRIPT_NAME=/exp", "PATH_INFO=/t/f.txt", "REQUEST_URI=/exp/t/f.txt",
		"PATH_TRANSLATED=/W/t/f.txt", "REDIRECT_STATUS=200" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "N2, a line break that the split does not match, SCRIPT_NAME as configured",
	    { "SCRIPT_NAME=/exp", "PATH_INFO=", "REQUEST_URI=/exp/a%0Ab", "DOCUMENT_ROOT=/W" }, true, NULL,
	    "mount", "/exp/a\nb", "", "/a\nb", false },
	{ "N2, a line break, SCRIPT_NAME whole, the prefix configured",
	    { "SCRIPT_NAME=/exp/a\nb", "PATH_INFO=", "REQUEST_URI=/exp/a%0Ab", "DOCUMENT_ROOT=/W" }, true,
	    "/exp", "mount", "/exp/a\nb", "", "/a\nb", false },

	/* the mount, other forms */
	{ "mount, nothing sent", { NULL }, true, NULL, "mount", "/", "", "/", false },
	{ "mount, runs of slashes",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=//t//ten.txt" }, true,
	    NULL, "mount", "/cgi-bin/x.fcgi/t/ten.txt", "", "/t/ten.txt", false },
	{ "mount, .. within",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/../u" }, true, NULL,
	    "mount", "/cgi-bin/x.fcgi/u", "", "/u", false },
	{ "mount, .. out of it",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/../../etc/passwd" },
	    true, NULL, "outside the mount", NULL, NULL, NULL, false },
	{ "mount, .. above everything",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/../../../etc/passwd" },
	    true, NULL, "outside the mount", NULL, NULL, NULL, false },
	{ "mount, .. in SCRIPT_NAME", { "SCRIPT_NAME=/../exp", "PATH_INFO=/t" }, true, NULL,
	    "outside the mount", NULL, NULL, NULL, false },
	{ "mount, SCRIPT_NAME without a slash", { "SCRIPT_NAME=exp", "PATH_INFO=/t" }, true, NULL,
	    "outside the mount", NULL, NULL, NULL, false },
	{ "mount, a relative root", { "SCRIPT_NAME=/exp", "PATH_INFO=/t", "STATICGI_ROOT=srv" }, false, NULL,
	    "STATICGI_ROOT is not absolute", NULL, NULL, NULL, false },
	{ "mount, the root after two redirects",
	    { "SCRIPT_NAME=/exp", "PATH_INFO=/t", "REDIRECT_REDIRECT_STATICGI_ROOT=/S" }, false, NULL,
	    "mount", "/exp/t", "/S", "/t", false },
	{ "mount, an empty root is none", { "SCRIPT_NAME=/exp", "PATH_INFO=/t", "STATICGI_ROOT=" }, false,
	    NULL, DIRECT, NULL, NULL, NULL, false },

	/* STATICGI_PATH: SetEnvIfExpr with %{REQUEST_FILENAME} */
	{ "STATICGI_PATH",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/~bob/sub/",
		"STATICGI_PATH=/home/bob/public_html/sub/", "CONTEXT_PREFIX=/~bob",
		"CONTEXT_DOCUMENT_ROOT=/home/bob/public_html", "DOCUMENT_ROOT=/W" },
	    false, NULL, "STATICGI_PATH", "/~bob/sub/", "/home/bob/public_html", "/sub/", false },
	{ "STATICGI_PATH after a rewrite",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t_rw2/v/sub/",
		"REDIRECT_URL=/t_rw2/v/sub/", "REDIRECT_STATUS=200",
		"REDIRECT_STATICGI_PATH=/W/t_rw2target/sub/", "DOCUMENT_ROOT=/W" },
	    false, NULL, "STATICGI_PATH", "/t_rw2/v/sub/", "/W", "/t_rw2target/sub/", false },
	{ "STATICGI_PATH is the script: no proof of anything",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "PATH_INFO=/t/f",
		"PATH_TRANSLATED=/W/t/f", "REQUEST_URI=/cgi-bin/x.fcgi/t/f", "STATICGI_PATH=/C/x.fcgi",
		"DOCUMENT_ROOT=/W" },
	    false, NULL, DIRECT, NULL, NULL, NULL, false },
	{ "STATICGI_PATH, relative",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t/",
		"STATICGI_PATH=t/" },
	    false, NULL, "no usable path", NULL, NULL, NULL, false },
	{ "STATICGI_PATH, above everything",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t/",
		"STATICGI_PATH=/t/../../x" },
	    false, NULL, "no usable path", NULL, NULL, NULL, false },
	{ "STATICGI_PATH, an encoded slash",
	    { "SCRIPT_NAME=/cgi-bin/x.fcgi", "SCRIPT_FILENAME=/C/x.fcgi", "REQUEST_URI=/t%2F",
		"STATICGI_PATH=/W/t/" },
	    false, NULL, "no usable path", NULL, NULL, NULL, false },

	{ "nothing sent at all", { NULL }, false, NULL, DIRECT, NULL, NULL, NULL, false },
};

static bool
is_script(void *context, struct str path)
{
	(void)context;
	return str_eq(path, S("/C/x.fcgi")) || str_eq(path, S("/W/t/l.fcgi"));
}

static void
locate(struct exchange *exchange, const char *const *pairs, bool has_root, const char *prefix)
{
	struct locate_options options = {
		.has_root = has_root, .url_prefix = str_from(prefix), .is_self = is_script
	};

	exchange_init(exchange);
	for (; *pairs != NULL; pairs++) {
		struct str value = str_from(*pairs), name;

		str_cut(&value, '=', &name);
		params_set(&exchange->params, name, value);
	}
	locate_request(exchange, &options);
}

START_TEST(place)
{
	const struct place *want = &places[_i];
	struct exchange exchange;
	const struct request *request = &exchange.request;

	locate(&exchange, want->pairs, want->has_root, want->prefix);
	ck_assert_ptr_nonnull(request->located);
	ck_assert_msg(
	    strcmp(request->located, want->located) == 0 && (request->refused != 0) == (want->url == NULL),
	    "%s: %s, %d, %.*s %.*s %.*s", want->what, request->located, request->refused,
	    STR_ARGS(request->url), STR_ARGS(request->root), STR_ARGS(request->path));
	if (want->url != NULL) {
		ck_assert_str_is(request->url, want->url);
		ck_assert_str_is(request->root, want->root);
		ck_assert_str_is(request->path, want->path);
		ck_assert(request->directory_only == want->directory_only);
	} else {
		ck_assert_int_eq(request->refused, STATUS_NOT_FOUND);
	}
	exchange_release(&exchange);
}
END_TEST

/* What a client can write changes nothing, whatever the deployment. */
START_TEST(headers_do_not_matter)
{
	static const char *const headers[] = {
		"HTTP_STATICGI_ROOT=/evil",
		"HTTP_STATICGI_PATH=/evil/f",
		"HTTP_REDIRECT_STATICGI_ROOT=/evil",
		"HTTP_REDIRECT_STATUS=200",
		"HTTP_REDIRECT_URL=/evil",
		"HTTP_PATH_INFO=/evil",
		"HTTP_PATH_TRANSLATED=/evil",
		"HTTP_SCRIPT_FILENAME=/evil",
		"HTTP_PATH_TRANSLATED_DIRINDEX=/evil/",
		"HTTP_CONTEXT_DOCUMENT_ROOT=/evil",
		"HTTP_DOCUMENT_ROOT=/evil",
		"HTTP_STATICGI_HANDOFF=x-sendfile",
	};
	const char *pairs[PAIRS + ROWS(headers) + 1] = { NULL };
	const struct place *want = &places[_i];
	struct exchange exchange;
	int count = 0;

	while (want->pairs[count] != NULL) {
		pairs[count] = want->pairs[count];
		count++;
	}
	for (int i = 0; i < ROWS(headers); i++)
		pairs[count++] = headers[i];
	locate(&exchange, pairs, want->has_root, want->prefix);
	ck_assert_str_eq(exchange.request.located, want->located);
	if (want->url != NULL) {
		ck_assert_str_is(exchange.request.root, want->root);
		ck_assert_str_is(exchange.request.path, want->path);
	}
	ck_assert_uint_eq(exchange.request.handoff.len, 0);
	exchange_release(&exchange);
}
END_TEST

/* NUL is a byte like any other here and is still there when the path is judged (path_check refuses it):
 * nothing may end a string before its end. */
static const struct {
	const char *name;
	struct str value;
} nuls[] = {
	{ "PATH_TRANSLATED", STR("/W/t/f.txt\0.png") },
	{ "PATH_INFO", STR("/t/f.txt\0.png") },
	{ "REDIRECT_URL", STR("/t/f.txt\0.png") },
	{ "REDIRECT_STATUS", STR("200\0") },
	{ "SCRIPT_FILENAME", STR("/C/x.fcgi\0") },
	{ "STATICGI_PATH", STR("/W/t/f.txt\0") },
	{ "STATICGI_ROOT", STR("/W\0/x") },
	{ "PATH_TRANSLATED_DIRINDEX", STR("/W/t\0/") },
};

START_TEST(nul_byte)
{
	struct locate_options options = { .is_self = is_script };
	struct exchange exchange;
	const struct request *request = &exchange.request;

	exchange_init(&exchange);
	params_set(&exchange.params, S("SCRIPT_NAME"), S("/cgi-bin/x.fcgi"));
	params_set(&exchange.params, S("SCRIPT_FILENAME"), S("/C/x.fcgi"));
	params_set(&exchange.params, S("DOCUMENT_ROOT"), S("/W"));
	params_set(&exchange.params, S("REQUEST_URI"), S("/t/f.txt"));
	params_set(&exchange.params, str_from(nuls[_i].name), nuls[_i].value);
	locate_request(&exchange, &options);
	ck_assert(request->refused != 0 || str_has(request->path, '\0') || str_has(request->root, '\0'));
	exchange_release(&exchange);
}
END_TEST

START_TEST(action_with_nul_byte)
{
	struct locate_options options = { .is_self = is_script };
	struct exchange exchange;

	exchange_init(&exchange);
	params_set(&exchange.params, S("SCRIPT_FILENAME"), S("/C/x.fcgi"));
	params_set(&exchange.params, S("PATH_INFO"), S("/t/denied\0/ok"));
	params_set(&exchange.params, S("REDIRECT_URL"), S("/t/denied"));
	params_set(&exchange.params, S("PATH_TRANSLATED"), S("/W/t/denied"));
	locate_request(&exchange, &options);
	ck_assert_str_eq(exchange.request.located, DIRECT);
	exchange_release(&exchange);
}
END_TEST

/* The fields that need no locating, also of a request that is refused. */
START_TEST(fields)
{
	static const char *const pairs[] = {
		"REQUEST_METHOD=HEAD",
		"SERVER_SOFTWARE=lighttpd/1.4.69",
		"QUERY_STRING=",
		"REQUEST_URI=/x?a=%20b&c",
		"REDIRECT_REMOTE_USER=bob",
		"REDIRECT_STATICGI_HANDOFF=x-sendfile",
		"HTTP_RANGE=bytes=0-1",
		"HTTP_IF_MATCH=\"m\"",
		"HTTP_IF_NONE_MATCH=\"n\"",
		"HTTP_IF_MODIFIED_SINCE=since",
		"HTTP_IF_UNMODIFIED_SINCE=unmodified",
		"HTTP_IF_RANGE=\"r\"",
		"HTTP_ACCEPT=",
		NULL,
	};
	struct exchange exchange;
	const struct request *request = &exchange.request;

	locate(&exchange, pairs, false, NULL);
	ck_assert_int_ne(request->refused, 0);
	ck_assert_int_eq(request->method, METHOD_HEAD);
	ck_assert_int_eq(request->front, FRONT_LIGHTTPD);
	ck_assert_str_is(request->query, "a=%20b&c");
	ck_assert(request->authenticated);
	ck_assert_str_is(request->handoff, "x-sendfile");
	ck_assert_str_is(request->range, "bytes=0-1");
	ck_assert_str_is(request->if_match, "\"m\"");
	ck_assert_str_is(request->if_none_match, "\"n\"");
	ck_assert_str_is(request->if_modified_since, "since");
	ck_assert_str_is(request->if_unmodified_since, "unmodified");
	ck_assert_str_is(request->if_range, "\"r\"");
	ck_assert_ptr_nonnull(request->accept.ptr);
	ck_assert_ptr_null(request->accept_encoding.ptr);
	exchange_release(&exchange);
}
END_TEST

static const struct {
	const char *software;
	enum front front;
} softwares[] = {
	{ "SERVER_SOFTWARE=Apache/2.4.71 (Debian) mod_fcgid/2.3.9", FRONT_APACHE },
	{ "SERVER_SOFTWARE=Apache", FRONT_APACHE },
	{ "SERVER_SOFTWARE=lighttpd/1.4.69", FRONT_LIGHTTPD },
	{ "SERVER_SOFTWARE=nginx/1.22.1", FRONT_NGINX },
	{ "SERVER_SOFTWARE=LiteSpeed", FRONT_LITESPEED },
	{ "SERVER_SOFTWARE=litespeed", FRONT_LITESPEED },
	{ "SERVER_SOFTWARE=Caddy", FRONT_UNKNOWN },
	{ "SERVER_SOFTWARE=ngin", FRONT_UNKNOWN },
	{ "SERVER_SOFTWARE=", FRONT_UNKNOWN },
	{ "SERVER_NAME=nginx", FRONT_UNKNOWN },
};

START_TEST(software)
{
	struct exchange exchange;

	locate(&exchange, (const char *const[]){ softwares[_i].software, NULL }, false, NULL);
	ck_assert_int_eq(exchange.request.front, softwares[_i].front);
	exchange_release(&exchange);
}
END_TEST

static const enum status refusals[] = { STATUS_BAD_REQUEST, STATUS_FIELDS_TOO_LARGE };

START_TEST(unreadable_parameters)
{
	struct locate_options options = { .has_root = true, .is_self = is_script };
	struct exchange exchange;

	exchange_init(&exchange);
	exchange.refused = refusals[_i];
	params_set(&exchange.params, S("SCRIPT_NAME"), S("/x"));
	locate_request(&exchange, &options);
	ck_assert_int_eq(exchange.request.refused, refusals[_i]);
	exchange_release(&exchange);
}
END_TEST

/* The longest parameters there are, each in every place, do not move the memory that earlier strings point
 * into. */
START_TEST(long_parameters)
{
	static const char *const names[] = {
		"SCRIPT_NAME",
		"PATH_INFO",
		"REDIRECT_URL",
		"PATH_TRANSLATED",
		"SCRIPT_FILENAME",
		"REQUEST_URI",
		"CONTEXT_DOCUMENT_ROOT",
		"DOCUMENT_ROOT",
		"STATICGI_PATH",
	};
	struct buf path;

	buf_init(&path, CLIENT_MAX);
	buf_char(&path, '/');
	for (int i = 0; i < 250000; i++)
		buf_char(&path, i % 100 == 0 ? '/' : 'x');
	for (int without = 0; without <= ROWS(names); without++) {
		struct locate_options options = { .is_self = is_script };
		struct exchange exchange;

		exchange_init(&exchange);
		for (int i = 0; i < ROWS(names) - without; i++)
			params_set(&exchange.params, str_from(names[i]), buf_view(&path));
		locate_request(&exchange, &options);
		if (exchange.request.refused == 0)
			ck_assert(str_starts(exchange.request.path, S("/")));
		exchange_release(&exchange);
	}
	buf_release(&path);
}
END_TEST

Suite *
locate_suite(void)
{
	Suite *suite = suite_create("locate");

	suite_add_rows(suite, place, places);
	suite_add_rows(suite, headers_do_not_matter, places);
	suite_add_rows(suite, nul_byte, nuls);
	suite_add_test(suite, action_with_nul_byte);
	suite_add_test(suite, fields);
	suite_add_rows(suite, software, softwares);
	suite_add_rows(suite, unreadable_parameters, refusals);
	suite_add_test(suite, long_parameters);
	return suite;
}
