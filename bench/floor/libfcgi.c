/* The usual libfcgi program: FCGX_Accept_r in a loop, a fixed answer through FCGX_PutStr. Beside responder.c it
 * shows what the library's blocking loop costs. One connection pins one process, so a front that keeps connections
 * open must not be put before it.
 *
 *   libfcgi --listen PATH [--workers N] --bytes N        without --listen: descriptor 0 */
#define _GNU_SOURCE
#include <fcgiapp.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void
serve(int listening, int bytes, const char *content)
{
	FCGX_Request request;
	char drain[4096];

	FCGX_InitRequest(&request, listening, 0);
	while (FCGX_Accept_r(&request) == 0) {
		while (FCGX_GetStr(drain, sizeof(drain), request.in) > 0)
			;
		FCGX_FPrintF(request.out, "Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n", bytes);
		FCGX_PutStr(content, bytes, request.out);
		FCGX_Finish_r(&request);
	}
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "listen", required_argument, NULL, 'l' },
		{ "workers", required_argument, NULL, 'w' },
		{ "bytes", required_argument, NULL, 'b' },
		{ NULL, 0, NULL, 0 },
	};
	const char *path = NULL;
	int bytes = 1024, workers = 1, option, listening = 0;
	char *content;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'l': path = optarg; break;
		case 'w': workers = atoi(optarg); break;
		case 'b': bytes = atoi(optarg); break;
		default: return 2;
		}
	}
	content = malloc((size_t)bytes + 1);
	if (content == NULL || FCGX_Init() != 0)
		return 1;
	memset(content, 'x', (size_t)bytes);
	if (path == NULL) {
		serve(0, bytes, content);
		return 0;
	}
	listening = FCGX_OpenSocket(path, 1024);
	if (listening < 0 || chmod(path, 0666) != 0)
		return 1;
	for (int i = 0; i < workers; i++) {
		if (fork() != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listening, bytes, content);
		_exit(0);
	}
	pause();
	return 0;
}
