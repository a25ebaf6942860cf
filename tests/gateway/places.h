/* Deployments with the very variables that their fronts send, and what is made of each. */
#ifndef TESTS_PLACES_H
#define TESTS_PLACES_H

#include <stdbool.h>

#define DIRECT "direct call of the script"
#define REWRITTEN "the server may rewrite URLs, and STATICGI_PATH is not set"
#define PAIRS 14

struct place {
	const char *what;
	const char *pairs[PAIRS];
	bool has_root;
	const char *prefix;  /* NULL: none configured */
	const char *located; /* the rule, or why it is refused */
	const char *url;     /* NULL: refused */
	const char *root, *path;
	bool directory_only;
};

extern const struct place places[];
extern const int places_count;

#endif
