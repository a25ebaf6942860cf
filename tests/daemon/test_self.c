/* What counts as this program: a request that names it is a call of the script, never a file to serve. */
#include "daemon/self.h"

#include "daemon/scratch.h"
#include "suites.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *self_suite(void);

static struct scratch scratch;

static void
setup(void)
{
	scratch_make(&scratch);
}

static void
teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	scratch_remove(&scratch);
}

static bool
is_self(struct self *self, const char *name)
{
	char path[PATH_MAX];

	if (name[0] == '/')
		return self_is(self, str_from(name));
	scratch_name(&scratch, name, path);
	return self_is(self, str_from(path));
}

START_TEST(the_running_program)
{
	char program[PATH_MAX], link[PATH_MAX];
	struct self self;
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	ck_assert_int_gt(n, 0);
	program[n] = '\0';
	self_init(&self, false);
	ck_assert(self.known);
	ck_assert(is_self(&self, program));
	scratch_name(&scratch, "link", link);
	ck_assert_int_eq(symlink(program, link), 0);
	ck_assert(is_self(&self, link));
	ck_assert(!is_self(&self, "/bin/sh"));
	ck_assert(!is_self(&self, "/nowhere at all"));
	ck_assert(!is_self(&self, "/"));
	ck_assert(!is_self(&self, scratch.path));
	ck_assert(!self_is(&self, (struct str){ NULL, 0 }));
}
END_TEST

static void
take_directory(const char *name, dev_t *device, ino_t *inode)
{
	char path[PATH_MAX];
	struct stat there;

	scratch_name(&scratch, name, path);
	ck_assert_int_eq(stat(path, &there), 0);
	*device = there.st_dev;
	*inode = there.st_ino;
}

/* An upgrade: the process still runs the old file, the new one lies under its name. */
START_TEST(the_program_replaced)
{
	struct self self = { .known = true, .name = "staticgi" };

	scratch_file(&scratch, "staticgi", "new", 0755);
	scratch_file(&scratch, "other", "other", 0755);
	take_directory(".", &self.directory_device, &self.directory_inode);
	ck_assert(is_self(&self, "staticgi"));
	ck_assert(!is_self(&self, "other"));
	/* No front runs what is not executable. */
	scratch_file(&scratch, "staticgi", "data", 0644);
	ck_assert(!is_self(&self, "staticgi"));
}
END_TEST

START_TEST(the_name_in_another_folder)
{
	struct self self = { .known = true, .name = "staticgi" };
	char path[PATH_MAX];

	scratch_name(&scratch, "bin", path);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	scratch_file(&scratch, "bin/staticgi", "ours", 0755);
	scratch_file(&scratch, "staticgi", "somebody's download", 0755);
	take_directory("bin", &self.directory_device, &self.directory_inode);
	ck_assert(is_self(&self, "bin/staticgi"));
	ck_assert(!is_self(&self, "staticgi"));
}
END_TEST

/* A script that ends with `exec staticgi`: the front starts it in its own directory. */
START_TEST(a_wrapper_script)
{
	struct self self;
	char path[PATH_MAX];

	scratch_name(&scratch, "cgi-bin", path);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	scratch_file(&scratch, "cgi-bin/files.fcgi", "#!/bin/sh\nexec staticgi\n", 0755);
	scratch_file(&scratch, "cgi-bin/data.txt", "data", 0644);
	scratch_file(&scratch, "elsewhere", "x", 0755);
	ck_assert_int_eq(chdir(path), 0);
	self_init(&self, true);
	ck_assert(is_self(&self, "cgi-bin/files.fcgi"));
	ck_assert(!is_self(&self, "cgi-bin/data.txt"));
	ck_assert(!is_self(&self, "elsewhere"));
	/* `staticgi serve` may be started anywhere. */
	self_init(&self, false);
	ck_assert(!is_self(&self, "cgi-bin/files.fcgi"));
}
END_TEST

Suite *
self_suite(void)
{
	Suite *suite = suite_create("daemon/self");

	suite_add_case(suite, the_running_program, 1, setup, teardown);
	suite_add_case(suite, the_program_replaced, 1, setup, teardown);
	suite_add_case(suite, the_name_in_another_folder, 1, setup, teardown);
	suite_add_case(suite, a_wrapper_script, 1, setup, teardown);
	return suite;
}
