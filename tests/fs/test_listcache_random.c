/* Thousands of changes of every kind, drawn at random from a seed: after each the cache says what reading anew says. The clock
 * stands still where the watch is to tell everything. */
#include "fs/sight.h"
#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *listcache_random_suite(void);

#define SEED 20240229u

static struct tree tree;

static void
setup(void)
{
	sight_make_tree(&tree);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

struct random {
	uint32_t state;
	char path[64], to[64];
};

static unsigned
draw(struct random *random, unsigned below)
{
	random->state ^= random->state << 13;
	random->state ^= random->state >> 17;
	random->state ^= random->state << 5;
	return random->state % below;
}

static const char *
draw_path(struct random *random, char path[64])
{
	static const char *const names[] = { "a", "b", "c", "d 1", "e\xff", "F10", "F9", ".hidden", ".well-known" };

	snprintf(path, 64, "root/%s/%s", draw(random, 4) != 0 ? "d" : "e", names[draw(random, ROWS(names))]);
	return path;
}

static void
put_file(const char *path, int flags, unsigned len)
{
	int fd = openat(tree.fd, path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | flags, 0644);

	if (fd < 0)
		return;
	(void)!write(fd, "0123456789abcdef", len % 17);
	close(fd);
}

static void
change_create(struct random *random)
{
	put_file(draw_path(random, random->path), 0, draw(random, 17));
}

static void
change_append(struct random *random)
{
	put_file(draw_path(random, random->path), O_APPEND, 1 + draw(random, 16));
}

static void
change_truncate(struct random *random)
{
	put_file(draw_path(random, random->path), O_TRUNC, draw(random, 3));
}

static void
change_delete(struct random *random)
{
	tree_take_away(&tree, draw_path(random, random->path));
}

static void
change_rename(struct random *random)
{
	draw_path(random, random->path);
	draw_path(random, random->to);
	renameat(tree.fd, random->path, tree.fd, random->to);
}

static void
change_touch(struct random *random)
{
	struct timespec times[2] = { { 1000, 0 }, { draw(random, 5000), draw(random, 1000000000) } };

	utimensat(tree.fd, draw_path(random, random->path), times, draw(random, 2) != 0 ? AT_SYMLINK_NOFOLLOW : 0);
}

static void
change_mode(struct random *random)
{
	static const mode_t modes[] = { 0644, 0600, 0755, 0 };

	(void)!fchmodat(tree.fd, draw_path(random, random->path), modes[draw(random, 4)], 0);
}

static void
change_mode_of_directory(struct random *random)
{
	(void)!fchmodat(tree.fd, draw(random, 2) != 0 ? "root/d" : "root/e", draw(random, 2) != 0 ? 0755 : 0711, 0);
}

static void
change_make_directory(struct random *random)
{
	mkdirat(tree.fd, draw_path(random, random->path), 0755);
}

/* A file becomes a directory, and the other way round. */
static void
change_kind(struct random *random)
{
	struct stat st;

	draw_path(random, random->path);
	if (fstatat(tree.fd, random->path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	tree_take_away(&tree, random->path);
	if (S_ISDIR(st.st_mode))
		put_file(random->path, 0, 3);
	else
		mkdirat(tree.fd, random->path, 0755);
}

static void
change_link(struct random *random)
{
	static const char *const targets[] = { "../other/x", "../../out/secret", "../other", "a", "b", "nowhere", "../d/a", ".." };

	draw_path(random, random->to);
	unlinkat(tree.fd, "new", 0);
	if (symlinkat(targets[draw(random, ROWS(targets))], tree.fd, "new") == 0)
		renameat(tree.fd, "new", tree.fd, random->to);
}

static void
change_inside(struct random *random)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/inner%u", draw_path(random, random->path), draw(random, 3));
	if (draw(random, 2) != 0)
		put_file(path, O_TRUNC, 5);
	else
		unlinkat(tree.fd, path, 0);
}

static void
change_targets(struct random *random)
{
	static const char *const targets[] = { "root/other/x", "out/secret" };
	const char *target = targets[draw(random, 2)];

	if (draw(random, 4) == 0)
		tree_take_away(&tree, target);
	else
		put_file(target, draw(random, 2) != 0 ? O_APPEND : O_TRUNC, 1 + draw(random, 9));
}

/* A second name for a file of another directory, or for one beside it. A link that leads out of a directory that was read is
 * what nobody tells; that one is a test of its own. */
static void
change_second_name(struct random *random)
{
	char *at;

	draw_path(random, random->to);
	if (draw(random, 2) != 0) {
		(void)!linkat(tree.fd, "root/other/twin", tree.fd, random->to, 0);
		return;
	}
	draw_path(random, random->path);
	at = random->path + strlen("root/");
	*at = random->to[strlen("root/")];
	if (linkat(tree.fd, random->path, tree.fd, random->to, 0) == 0 && draw(random, 2) != 0)
		put_file(random->to, O_APPEND, 5);
}

static void
change_through_second_name(struct random *random)
{
	put_file("root/other/twin", draw(random, 2) != 0 ? O_APPEND : O_TRUNC, 1 + draw(random, 16));
}

static void
change_fifo(struct random *random)
{
	mkfifoat(tree.fd, draw_path(random, random->path), 0644);
}

static void
change_directory(struct random *random)
{
	switch (draw(random, 20)) {
	case 0: /* the same inode, perhaps */
		tree_take_away(&tree, "root/e");
		mkdirat(tree.fd, "root/e", 0755);
		break;
	case 1:
		renameat(tree.fd, "root/d", tree.fd, "root/moved");
		break;
	case 2:
		renameat2(tree.fd, "root/d", tree.fd, "root/e", RENAME_EXCHANGE);
		break;
	default:
		renameat2(tree.fd, "root/moved", tree.fd, "root/d", RENAME_NOREPLACE);
	}
}

static void
change_nothing(struct random *random)
{
	(void)random;
}

static const struct {
	const char *what;
	void (*change)(struct random *random);
} changes[] = {
	{ "nothing", change_nothing },
	{ "create", change_create },
	{ "create", change_create },
	{ "append", change_append },
	{ "truncate", change_truncate },
	{ "delete", change_delete },
	{ "rename", change_rename },
	{ "rename", change_rename },
	{ "touch", change_touch },
	{ "chmod", change_mode },
	{ "chmod of the directory", change_mode_of_directory },
	{ "mkdir", change_make_directory },
	{ "another kind", change_kind },
	{ "link swapped", change_link },
	{ "link swapped", change_link },
	{ "inside a subdirectory", change_inside },
	{ "a link's target", change_targets },
	{ "a second name", change_second_name },
	{ "a second name", change_second_name },
	{ "written by its second name", change_through_second_name },
	{ "fifo", change_fifo },
	{ "the directory itself", change_directory },
};

static const struct mode {
	const char *name;
	size_t budget, watches;
	int64_t step;      /* how far the clock goes each time */
	bool leave;        /* most changes are not asked for one by one */
	bool steady;       /* what did not change is never read again */
} modes[] = {
	{ "watched", 1 << 20, 16, 0, false, true },
	{ "watched, many changes at once", 1 << 20, 16, 0, true, false },
	{ "watched, with self-checks", 1 << 20, 16, SECOND / 3, false, true },
	{ "one watch for all", 1 << 20, 1, 0, false, false },
	{ "subdirectories tell", 1 << 20, 256, 0, false, true },
	{ "subdirectories tell, many changes at once", 1 << 20, 256, 0, true, false },
	{ "by age", 1 << 20, 0, SECOND, false, false },
	{ "room for one", 9000, 16, 0, false, false },
	{ "no room at all", 100, 16, 0, false, false },
};

struct shown {
	uint64_t version;
	struct buf text;
};

/* Another text, another version; and the same one where nothing was done, unless it had to be read again. */
static void
check_version(struct shown *shown, const struct snapshot *snapshot, const struct buf *got, const struct mode *mode, bool nothing)
{
	bool same = str_eq(buf_view(got), buf_view(&shown->text));

	ck_assert_msg(same || snapshot->version != shown->version, "%s: the version is the same, what is shown is not", mode->name);
	if (nothing && mode->steady && shown->version != 0)
		ck_assert_msg(same && snapshot->version == shown->version, "nothing changed:\n%.*s\nwas\n%.*s", STR_ARGS(buf_view(got)), STR_ARGS(buf_view(&shown->text)));
	shown->version = snapshot->version;
	buf_reset(&shown->text);
	buf_str(&shown->text, buf_view(got));
}

static void
run_random(const struct mode *mode, int steps)
{
	struct sight sights[] = { { .tree = &tree, .root = "root", .path = "/d" }, { .tree = &tree, .root = "root", .path = "/e" }, { .tree = &tree, .root = "root/d", .path = "/" } };
	struct listcache *cache = sight_cache(mode->budget, mode->watches);
	struct random random = { .state = SEED };
	struct shown shown[ROWS(sights)] = { 0 };
	int64_t now = NOW;
	size_t told = 0;
	struct buf got;

	buf_init(&got, 1 << 24);
	for (int i = 0; i < ROWS(sights); i++)
		buf_init(&shown[i].text, 1 << 24);
	for (int step = 0; step < steps; step++) {
		unsigned which = draw(&random, ROWS(changes));
		char what[200];

		changes[which].change(&random);
		if (mode->leave && draw(&random, 10) != 0)
			continue;
		snprintf(what, sizeof(what), "%s: seed %u, step %d, %s (%s, %s)", mode->name, SEED, step, changes[which].what,
		    random.path, random.to);
		now += mode->step;
		for (int i = 0; i < ROWS(sights); i++) {
			struct snapshot *snapshot = sight_compare(cache, &sights[i], now, &got, what);

			if (snapshot == NULL)
				continue;
			told += snapshot->subdirs.count;
			check_version(&shown[i], snapshot, &got, mode, which == 0);
			listcache_settle(cache, snapshot);
			sight_close(&sights[i]);
		}
	}
	ck_assert(told > 0 || mode->watches < 256);
	for (int i = 0; i < ROWS(sights); i++)
		buf_release(&shown[i].text);
	buf_release(&got);
	listcache_free(cache);
}

START_TEST(random_changes)
{
	run_random(&modes[_i], 3000);
}
END_TEST

/* Others have used all instances of inotify up. */
static int
run_without_inotify(void)
{
	const struct mode mode = { "no inotify", 1 << 20, 16, SECOND, false, false };

	if (tree_limit("random_changes_without_inotify", "max_inotify_instances", "0"))
		run_random(&mode, 500);
	return 0;
}

START_TEST(random_changes_without_inotify)
{
	tree_in_namespace("random_changes_without_inotify", run_without_inotify);
}
END_TEST

/* Or all watches but two. */
static int
run_with_two_watches(void)
{
	const struct mode mode = { "two watches", 1 << 20, 16, SECOND, false, false };

	if (tree_limit("random_changes_with_two_watches", "max_inotify_watches", "2"))
		run_random(&mode, 500);
	return 0;
}

START_TEST(random_changes_with_two_watches)
{
	tree_in_namespace("random_changes_with_two_watches", run_with_two_watches);
}
END_TEST

Suite *
listcache_random_suite(void)
{
	Suite *suite = suite_create("listcache_random");

	suite_add_case(suite, random_changes, ROWS(modes), setup, teardown);
	suite_add_case(suite, random_changes_without_inotify, 1, setup, teardown);
	suite_add_case(suite, random_changes_with_two_watches, 1, setup, teardown);
	return suite;
}
