/* Reason phrases, for what people read: error pages, the log, the Status field. */
#include "http/status.h"

const char *
status_reason(enum status status)
{
	switch (status) {
	case STATUS_OK:
		return "OK";
	case STATUS_NO_CONTENT:
		return "No Content";
	case STATUS_PARTIAL_CONTENT:
		return "Partial Content";
	case STATUS_MOVED_PERMANENTLY:
		return "Moved Permanently";
	case STATUS_NOT_MODIFIED:
		return "Not Modified";
	case STATUS_BAD_REQUEST:
		return "Bad Request";
	case STATUS_FORBIDDEN:
		return "Forbidden";
	case STATUS_NOT_FOUND:
		return "Not Found";
	case STATUS_METHOD_NOT_ALLOWED:
		return "Method Not Allowed";
	case STATUS_PRECONDITION_FAILED:
		return "Precondition Failed";
	case STATUS_RANGE_NOT_SATISFIABLE:
		return "Range Not Satisfiable";
	case STATUS_FIELDS_TOO_LARGE:
		return "Request Header Fields Too Large";
	case STATUS_INTERNAL_SERVER_ERROR:
		return "Internal Server Error";
	case STATUS_NOT_IMPLEMENTED:
		return "Not Implemented";
	case STATUS_SERVICE_UNAVAILABLE:
		return "Service Unavailable";
	case STATUS_UNDECIDED:
		break;
	}
	return "Unknown";
}
