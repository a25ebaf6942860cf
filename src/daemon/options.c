/* Two passes over the options: --config first, since what the file says must not overrule the command line. */
#include "daemon/options.h"

#include "daemon/configfile.h"
#include "daemon/log.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define OPTIONS_MAX 32
#define OPTION_CONFIG 1000
#define OPTION_FIRST 1001

static void
list_options(struct option options[OPTIONS_MAX])
{
	int count = 0;

	options[count++] = (struct option){ "config", required_argument, NULL, OPTION_CONFIG };
	options[count++] = (struct option){ "verbose", no_argument, NULL, 'v' };
	for (int i = 0; settings_table[i].name != NULL; i++)
		if (strcmp(settings_table[i].name, "verbose") != 0)
			options[count++] = (struct option){ settings_table[i].name, required_argument, NULL, OPTION_FIRST + i };
	options[count] = (struct option){ NULL, 0, NULL, 0 };
}

/* On the command line a relative root is one below the current directory, and a list is written with commas. */
static bool
take_option(struct settings *settings, const struct setting *setting, const char *value)
{
	char absolute[PATH_MAX];

	if (strcmp(setting->name, "root") == 0 && value[0] != '\0' && value[0] != '/')
		return realpath(value, absolute) != NULL && setting->take(settings, str_from(absolute));
	return setting_take_all(settings, setting, str_from(value));
}

static bool
take_command_line(struct settings *settings, int argc, char **argv, const struct option *options)
{
	bool good = true;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+v", options, NULL)) != -1) {
		const struct setting *setting = option >= OPTION_FIRST ? &settings_table[option - OPTION_FIRST] : NULL;

		if (option == 'v')
			settings->verbose = true;
		if (setting == NULL || take_option(settings, setting, optarg))
			continue;
		log_line("--%s: \"%s\" is not allowed: %s", setting->name, optarg, setting->allowed);
		good = false;
	}
	return good;
}

/* The value of --config; false when an option is none of ours or lacks its value. */
static bool
find_config(int argc, char **argv, const struct option *options, const char **config)
{
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:v", options, NULL)) != -1) {
		if (option == OPTION_CONFIG)
			*config = optarg;
		if (option == ':')
			log_line("%s wants a value", argv[optind - 1]);
		if (option == '?')
			log_line("%s is not an option", argv[optind - 1]);
		if (option == ':' || option == '?')
			return false;
	}
	return true;
}

bool
options_read(struct settings *settings, int argc, char **argv, int *first)
{
	struct option options[OPTIONS_MAX];
	const char *config = NULL;
	bool good;

	list_options(options);
	settings_init(settings);
	if (!find_config(argc, argv, options, &config))
		return false;
	good = configfile_read(settings, config);
	good = take_command_line(settings, argc, argv, options) && good;
	*first = optind;
	return good;
}

void
options_help(struct buf *out)
{
	buf_text(out, "  --config FILE\n        configuration file; default: $STATICGI_CONFIG, staticgi.conf beside the program,\n"
	    "        " SYSCONFDIR "/staticgi.conf\n");
	for (const struct setting *setting = settings_table; setting->name != NULL; setting++) {
		buf_text(out, "  --");
		buf_text(out, setting->name);
		if (strcmp(setting->name, "verbose") == 0) {
			buf_text(out, ", -v\n        ");
			buf_text(out, setting->meaning);
			buf_text(out, "\n");
			continue;
		}
		buf_text(out, " VALUE\n        ");
		buf_text(out, setting->meaning);
		buf_text(out, "; ");
		buf_text(out, setting->allowed);
		buf_text(out, "; default ");
		buf_text(out, setting->standard[0] != '\0' ? setting->standard : "none");
		buf_char(out, '\n');
	}
}
