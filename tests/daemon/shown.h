/* How a setting is shown, of which the tests of all that set them make use. */
#ifndef TESTS_DAEMON_SHOWN_H
#define TESTS_DAEMON_SHOWN_H

#include "daemon/settings.h"

/* Fails the test unless the setting of that name is shown so. */
void check_shown(const struct settings *settings, const char *name, const char *want);

#endif
