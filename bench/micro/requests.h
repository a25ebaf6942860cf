/* Requests as the fronts send them: the variables, and the record stream made of them. */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "base/buf.h"

#include <fastcgi.h>

struct variable {
	struct str name, value;
};

#define VARIABLE(name, value) { STR(name), STR(value) }

static const struct variable nginx_variables[] = {
	VARIABLE("QUERY_STRING", ""), VARIABLE("REQUEST_METHOD", "GET"), VARIABLE("CONTENT_TYPE", ""),
	VARIABLE("CONTENT_LENGTH", ""), VARIABLE("SCRIPT_NAME", ""), VARIABLE("PATH_INFO", "/pub/photos/2024/IMG_0042.jpg"),
	VARIABLE("REQUEST_URI", "/pub/photos/2024/IMG_0042.jpg"), VARIABLE("DOCUMENT_URI", "/pub/photos/2024/IMG_0042.jpg"),
	VARIABLE("DOCUMENT_ROOT", "/srv/data"), VARIABLE("SERVER_PROTOCOL", "HTTP/1.1"), VARIABLE("REQUEST_SCHEME", "http"),
	VARIABLE("GATEWAY_INTERFACE", "CGI/1.1"), VARIABLE("SERVER_SOFTWARE", "nginx/1.22.1"),
	VARIABLE("REMOTE_ADDR", "192.0.2.17"), VARIABLE("REMOTE_PORT", "50122"), VARIABLE("SERVER_ADDR", "192.0.2.1"),
	VARIABLE("SERVER_PORT", "80"), VARIABLE("SERVER_NAME", "files.example"), VARIABLE("REDIRECT_STATUS", "200"),
	VARIABLE("HTTP_HOST", "files.example"),
	VARIABLE("HTTP_USER_AGENT", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
	VARIABLE("HTTP_ACCEPT", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"),
	VARIABLE("HTTP_ACCEPT_LANGUAGE", "en-US,en;q=0.5"), VARIABLE("HTTP_ACCEPT_ENCODING", "gzip, deflate, br, zstd"),
	VARIABLE("HTTP_CONNECTION", "keep-alive"), VARIABLE("HTTP_REFERER", "http://files.example/pub/photos/2024/"),
	VARIABLE("HTTP_UPGRADE_INSECURE_REQUESTS", "1"), VARIABLE("HTTP_PRIORITY", "u=0, i"),
};

/* mod_proxy_fcgi: the path of the file stands in SCRIPT_FILENAME. */
static const struct variable apache_variables[] = {
	VARIABLE("GATEWAY_INTERFACE", "CGI/1.1"), VARIABLE("SERVER_PROTOCOL", "HTTP/1.1"), VARIABLE("REQUEST_METHOD", "GET"),
	VARIABLE("QUERY_STRING", ""), VARIABLE("REQUEST_URI", "/files/photos/2024/IMG_0042.jpg"),
	VARIABLE("SCRIPT_NAME", "/files/photos/2024/IMG_0042.jpg"),
	VARIABLE("SCRIPT_FILENAME", "proxy:fcgi://localhost/srv/data/photos/2024/IMG_0042.jpg"),
	VARIABLE("CONTEXT_PREFIX", "/files"), VARIABLE("CONTEXT_DOCUMENT_ROOT", "/srv/data"),
	VARIABLE("DOCUMENT_ROOT", "/var/www/html"), VARIABLE("REQUEST_SCHEME", "http"),
	VARIABLE("SERVER_ADMIN", "[no address given]"),
	VARIABLE("REMOTE_ADDR", "192.0.2.17"), VARIABLE("REMOTE_PORT", "50122"), VARIABLE("SERVER_ADDR", "192.0.2.1"),
	VARIABLE("SERVER_PORT", "80"), VARIABLE("SERVER_NAME", "files.example"), VARIABLE("SERVER_SIGNATURE", ""),
	VARIABLE("SERVER_SOFTWARE", "Apache/2.4.62 (Debian)"),
	VARIABLE("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"),
	VARIABLE("HTTP_HOST", "files.example"), VARIABLE("HTTP_USER_AGENT", "curl/7.88.1"), VARIABLE("HTTP_ACCEPT", "*/*"),
};

static inline void
put_pair(struct buf *out, struct str name, struct str value)
{
	const size_t lengths[] = { name.len, value.len };

	for (int i = 0; i < 2; i++) {
		if (lengths[i] >= 128) {
			buf_char(out, (char)(0x80 | (lengths[i] >> 24)));
			buf_char(out, (char)(lengths[i] >> 16));
			buf_char(out, (char)(lengths[i] >> 8));
		}
		buf_char(out, (char)lengths[i]);
	}
	buf_str(out, name);
	buf_str(out, value);
}

static inline void
put_pairs(struct buf *out, const struct variable *variables, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_pair(out, variables[i].name, variables[i].value);
}

static inline void
put_record(struct buf *out, int type, struct str content)
{
	const unsigned char header[FCGI_HEADER_LEN] = { 1, (unsigned char)type, 0, 1, (unsigned char)(content.len >> 8),
		(unsigned char)content.len, 0, 0 };

	buf_bytes(out, header, sizeof(header));
	buf_str(out, content);
}

/* BEGIN_REQUEST, PARAMS, their end, STDIN's end. */
static inline void
put_request(struct buf *out, const struct variable *variables, size_t count)
{
	static const char begin[8] = { 0, FCGI_RESPONDER, FCGI_KEEP_CONN };
	struct buf pairs;

	buf_init(&pairs, 65535);
	put_pairs(&pairs, variables, count);
	put_record(out, FCGI_BEGIN_REQUEST, (struct str){ begin, sizeof(begin) });
	put_record(out, FCGI_PARAMS, buf_view(&pairs));
	put_record(out, FCGI_PARAMS, S(""));
	put_record(out, FCGI_STDIN, S(""));
	buf_release(&pairs);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
