#include "daemon/shown.h"

#include "suites.h"

void
check_shown(const struct settings *settings, const char *name, const char *want)
{
	struct buf shown;

	buf_init(&shown, 65536);
	setting_find(name)->show(settings, &shown);
	ck_assert_str_is(buf_view(&shown), want);
	buf_release(&shown);
}
