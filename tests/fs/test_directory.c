/* What a listing says of each entry, under each policy. */
#include "fs/directory.h"

#include "fs/tree.h"
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *directory_suite(void);

static struct tree tree;

#define SECONDS(n) ((int64_t)(n) * 1000000000)

enum { MANY = 3000 };

static void
make_subdirectory(void)
{
	tree_directory(&tree, "root/sub", 0755);
	tree_file(&tree, "root/sub/file", "12345");
	tree_file(&tree, "root/sub/empty", "");
	tree_file(&tree, "root/sub/closed", "closed");
	tree_file(&tree, "root/sub/" ANY_BYTES, "1");
	tree_file(&tree, "root/sub/" N255, "1");
	tree_file(&tree, "root/sub/.hidden", "1");
	tree_directory(&tree, "root/sub/.git", 0755);
	tree_directory(&tree, "root/sub/.well-known", 0755);
	tree_directory(&tree, "root/sub/dir", 0755);
	tree_directory(&tree, "root/sub/locked", 0);
	tree_fifo(&tree, "root/sub/fifo");
	tree_socket(&tree, "root/sub/socket");
	tree_link(&tree, "root/sub/to_file", "file");
	tree_link(&tree, "root/sub/to_dir", "dir");
	tree_link(&tree, "root/sub/to_fifo", "fifo");
	tree_link(&tree, "root/sub/to_socket", "socket");
	tree_link(&tree, "root/sub/to_closed", "closed");
	tree_link(&tree, "root/sub/to_top", "../top");
	tree_link(&tree, "root/sub/out", "../../secret");
	tree_link(&tree, "root/sub/dangling", "nowhere");
	tree_link(&tree, "root/sub/not_a_dir", "file/x");
	tree_link(&tree, "root/sub/loop", "loop");
	tree_link(&tree, "root/sub/dot", ".");
	tree_link(&tree, "root/sub/zero", "/dev/zero");
	tree_link_absolute(&tree, "root/sub/abs_in", "/root/sub/file");
	tree_link_absolute(&tree, "root/sub/abs_out", "/secret");
	ck_assert_int_eq(fchmodat(tree.fd, "root/sub/closed", 0, 0), 0);
	tree_time(&tree, "root/sub/file", 784111777, 123456789);
	tree_time(&tree, "root/sub/to_file", 1, 0);
	tree_time(&tree, "root/sub/dir", 1000, 0);
	tree_time(&tree, "root/sub/empty", -2, 0);
}

static void
setup(void)
{
	tree_make(&tree);
	tree_directory(&tree, "root", 0755);
	tree_file(&tree, "secret", "secret");
	tree_file(&tree, "root/top", "123");
	make_subdirectory();
	tree_directory(&tree, "root/blank", 0755);
	tree_directory(&tree, "root/unsearchable", 0755);
	tree_file(&tree, "root/unsearchable/file", "1");
	tree_link(&tree, "root/unsearchable/link", "file");
	tree_directory(&tree, "root/unsearchable/dir", 0755);
	ck_assert_int_eq(fchmodat(tree.fd, "root/unsearchable", 0644, 0), 0);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

/* Reads "/sub" and the like. */
static int
read_below(struct listing *listing, enum symlink_policy policy, bool walk, const char *path)
{
	struct root root;
	int dir, result;

	tree_open_root(&tree, "root", &root, policy);
	if (walk)
		root_force_walk(&root);
	listing_init(listing);
	dir = root_open_below(&root, str_from(path), O_RDONLY);
	result = dir < 0 ? dir : read_directory(listing, &root, dir, str_from(path));
	if (dir >= 0)
		close(dir);
	root_close(&root);
	return result;
}

static const struct entry *
find(const struct listing *listing, const char *name)
{
	for (size_t i = 0; i < listing->count; i++)
		if (str_eq(listing_name(listing, &listing->entries[i]), str_from(name)))
			return &listing->entries[i];
	return NULL;
}

#define LINK true

static const struct {
	const char *name;
	bool is_link;
	enum entry_kind within, follow, refuse;
	int64_t size;
	int64_t mtime; /* 0: not looked at */
} entries[] = {
	{ "file", false, ENTRY_FILE, ENTRY_FILE, ENTRY_FILE, 5, 784111777123456789 },
	{ "empty", false, ENTRY_FILE, ENTRY_FILE, ENTRY_FILE, 0, SECONDS(-2) },
	{ "closed", false, ENTRY_FILE, ENTRY_FILE, ENTRY_FILE, 6, 0 },
	{ ANY_BYTES, false, ENTRY_FILE, ENTRY_FILE, ENTRY_FILE, 1, 0 },
	{ N255, false, ENTRY_FILE, ENTRY_FILE, ENTRY_FILE, 1, 0 },
	{ ".well-known", false, ENTRY_DIRECTORY, ENTRY_DIRECTORY, ENTRY_DIRECTORY, 0, 0 },
	{ "dir", false, ENTRY_DIRECTORY, ENTRY_DIRECTORY, ENTRY_DIRECTORY, 0, SECONDS(1000) },
	{ "locked", false, ENTRY_DIRECTORY, ENTRY_DIRECTORY, ENTRY_DIRECTORY, 0, 0 },
	{ "fifo", false, ENTRY_SPECIAL, ENTRY_SPECIAL, ENTRY_SPECIAL, 0, 0 },
	{ "socket", false, ENTRY_SPECIAL, ENTRY_SPECIAL, ENTRY_SPECIAL, 0, 0 },
	{ "to_file", LINK, ENTRY_FILE, ENTRY_FILE, ENTRY_BROKEN, 5, 784111777123456789 },
	{ "to_dir", LINK, ENTRY_DIRECTORY, ENTRY_DIRECTORY, ENTRY_BROKEN, 0, SECONDS(1000) },
	{ "to_fifo", LINK, ENTRY_SPECIAL, ENTRY_SPECIAL, ENTRY_BROKEN, 0, 0 },
	{ "to_socket", LINK, ENTRY_SPECIAL, ENTRY_SPECIAL, ENTRY_BROKEN, 0, 0 },
	{ "to_closed", LINK, ENTRY_FILE, ENTRY_FILE, ENTRY_BROKEN, 6, 0 },
	{ "to_top", LINK, ENTRY_FILE, ENTRY_FILE, ENTRY_BROKEN, 3, 0 },
	{ "abs_in", LINK, ENTRY_FILE, ENTRY_FILE, ENTRY_BROKEN, 5, 784111777123456789 },
	{ "dot", LINK, ENTRY_DIRECTORY, ENTRY_DIRECTORY, ENTRY_BROKEN, 0, 0 },
	{ "out", LINK, ENTRY_BROKEN, ENTRY_FILE, ENTRY_BROKEN, 6, 0 },
	{ "abs_out", LINK, ENTRY_BROKEN, ENTRY_FILE, ENTRY_BROKEN, 6, 0 },
	{ "zero", LINK, ENTRY_BROKEN, ENTRY_SPECIAL, ENTRY_BROKEN, 0, 0 },
	{ "dangling", LINK, ENTRY_BROKEN, ENTRY_BROKEN, ENTRY_BROKEN, 0, 0 },
	{ "not_a_dir", LINK, ENTRY_BROKEN, ENTRY_BROKEN, ENTRY_BROKEN, 0, 0 },
	{ "loop", LINK, ENTRY_BROKEN, ENTRY_BROKEN, ENTRY_BROKEN, 0, 0 },
};

static void
check_entry(const struct entry *entry, int row, enum entry_kind kind)
{
	bool looked_at = kind != ENTRY_BROKEN;

	ck_assert_ptr_nonnull(entry);
	ck_assert_int_eq(entry->kind, kind);
	ck_assert_int_eq(entry->is_link, entries[row].is_link);
	ck_assert_int_eq(entry->has_stat, looked_at);
	ck_assert(entry->looked);
	/* What may change without the directory's being told. */
	ck_assert_int_eq(entry->elsewhere, entries[row].is_link || kind == ENTRY_DIRECTORY);
	ck_assert_int_eq(entry->size, looked_at ? entries[row].size : 0);
	if (!looked_at)
		ck_assert_int_eq(entry->mtime, 0);
	else if (entries[row].mtime != 0)
		ck_assert_int_eq(entry->mtime, entries[row].mtime);
}

START_TEST(each_entry)
{
	const enum entry_kind kinds[] = {
		[SYMLINKS_WITHIN_ROOT] = entries[_i].within,
		[SYMLINKS_FOLLOW] = entries[_i].follow,
		[SYMLINKS_REFUSE] = entries[_i].refuse,
	};

	for (int variant = 0; variant < 6; variant++) {
		enum symlink_policy policy = (enum symlink_policy)(variant / 2);
		struct listing listing;

		ck_assert_int_eq(read_below(&listing, policy, variant % 2 != 0, "/sub"), 0);
		ck_assert_uint_eq(listing.count, (size_t)ROWS(entries));
		check_entry(find(&listing, entries[_i].name), _i, kinds[policy]);
		listing_release(&listing);
	}
}
END_TEST

struct place_below {
	struct root root;
	int dir;
	struct listing listing;
};

static void
open_place(struct place_below *place, enum symlink_policy policy)
{
	tree_open_root(&tree, "root", &place->root, policy);
	place->dir = root_open_below(&place->root, S("/sub"), O_RDONLY);
	listing_init(&place->listing);
}

static void
close_place(struct place_below *place)
{
	listing_release(&place->listing);
	close(place->dir);
	root_close(&place->root);
}

/* The names alone: links are looked at, for their kind; of the rest the directory says it. */
START_TEST(names_then_a_look)
{
	const enum entry_kind kinds[] = {
		[SYMLINKS_WITHIN_ROOT] = entries[_i].within,
		[SYMLINKS_FOLLOW] = entries[_i].follow,
		[SYMLINKS_REFUSE] = entries[_i].refuse,
	};

	for (int policy = 0; policy < 3; policy++) {
		struct place_below place;
		struct entry *entry;

		open_place(&place, (enum symlink_policy)policy);
		ck_assert_int_eq(directory_names(&place.listing, &place.root, place.dir, S("/sub"), SIZE_MAX), 0);
		ck_assert_uint_eq(place.listing.count, (size_t)ROWS(entries));
		entry = listing_find(&place.listing, str_from(entries[_i].name));
		ck_assert_ptr_nonnull(entry);
		if (entries[_i].is_link)
			check_entry(entry, _i, kinds[policy]);
		ck_assert_int_eq(entry->is_link, entries[_i].is_link);
		ck_assert_int_eq(entry->kind, kinds[policy]);
		ck_assert_int_eq(directory_look(&place.listing, entry, &place.root, place.dir, S("/sub")), 0);
		check_entry(entry, _i, kinds[policy]);
		close_place(&place);
	}
}
END_TEST

/* What became of a name between reading and looking. */
START_TEST(looked_at_too_late)
{
	struct place_below place;
	struct entry *gone, *other;

	tree_file(&tree, "root/sub/gone", "1");
	tree_file(&tree, "root/sub/other", "1");
	open_place(&place, SYMLINKS_WITHIN_ROOT);
	ck_assert_int_eq(directory_names(&place.listing, &place.root, place.dir, S("/sub"), SIZE_MAX), 0);
	gone = listing_find(&place.listing, S("gone"));
	other = listing_find(&place.listing, S("other"));
	tree_take_away(&tree, "root/sub/gone");
	tree_take_away(&tree, "root/sub/other");
	tree_link(&tree, "root/sub/other", "dir");
	ck_assert_int_eq(directory_look(&place.listing, gone, &place.root, place.dir, S("/sub")), -ENOENT);
	ck_assert_int_eq(directory_look(&place.listing, other, &place.root, place.dir, S("/sub")), 0);
	ck_assert(other->is_link && other->elsewhere && other->has_stat);
	ck_assert_int_eq(other->kind, ENTRY_DIRECTORY);
	ck_assert_int_eq(other->mtime, SECONDS(1000));
	tree_take_away(&tree, "root/sub/other");
	close_place(&place);
}
END_TEST

START_TEST(a_second_name)
{
	struct place_below place;
	struct entry *entry;

	ck_assert_int_eq(linkat(tree.fd, "root/sub/file", tree.fd, "second", 0), 0);
	open_place(&place, SYMLINKS_REFUSE);
	ck_assert_int_eq(directory_names(&place.listing, &place.root, place.dir, S("/sub"), SIZE_MAX), 0);
	entry = listing_find(&place.listing, S("file"));
	ck_assert(!entry->looked && !entry->has_stat);
	ck_assert_int_eq(directory_look(&place.listing, entry, &place.root, place.dir, S("/sub")), 0);
	ck_assert(entry->looked && entry->has_stat && entry->elsewhere && !entry->is_link);
	ck_assert_int_eq(unlinkat(tree.fd, "second", 0), 0);
	ck_assert_int_eq(directory_look(&place.listing, entry, &place.root, place.dir, S("/sub")), 0);
	ck_assert(!entry->elsewhere);
	close_place(&place);
}
END_TEST

/* The same directory under every way to write its path, and once more through a link to itself. */
START_TEST(path_of_the_directory)
{
	static const char *const paths[] = { "/sub", "/sub/", "sub", "//sub//", "/sub/dot", "/sub/dot/dot/" };

	for (int i = 0; i < ROWS(paths); i++) {
		struct listing listing;

		ck_assert_int_eq(read_below(&listing, SYMLINKS_WITHIN_ROOT, false, paths[i]), 0);
		ck_assert_uint_eq(listing.count, (size_t)ROWS(entries));
		ck_assert_int_eq(find(&listing, "to_top")->kind, ENTRY_FILE);
		listing_release(&listing);
	}
}
END_TEST

START_TEST(every_name_once)
{
	static bool seen[MANY];
	struct listing listing;

	tree_directory(&tree, "root/many", 0755);
	for (int i = 0; i < MANY; i++) {
		char path[64];

		snprintf(path, sizeof(path), "root/many/a name that fills the blocks %d", i);
		tree_file(&tree, path, "");
	}
	ck_assert_int_eq(read_below(&listing, SYMLINKS_WITHIN_ROOT, false, "/many"), 0);
	ck_assert_uint_eq(listing.count, (size_t)MANY);
	for (size_t i = 0; i < listing.count; i++) {
		struct str name = listing_name(&listing, &listing.entries[i]);
		int64_t number;

		ck_assert(str_digits(str_after(name, strlen("a name that fills the blocks ")), &number));
		ck_assert(number < MANY && !seen[number]);
		seen[number] = true;
	}
	listing_release(&listing);
}
END_TEST

/* From its start whatever was read before, and the descriptor stays the caller's. */
START_TEST(read_twice)
{
	struct listing listing;
	struct root root;
	int before = tree_next_fd();
	int dir;

	tree_open_root(&tree, "root", &root, SYMLINKS_WITHIN_ROOT);
	listing_init(&listing);
	dir = root_open_below(&root, S("/sub"), O_RDONLY);
	for (int i = 0; i < 3; i++) {
		listing_reset(&listing);
		ck_assert_int_eq(read_directory(&listing, &root, dir, S("/sub")), 0);
		ck_assert_uint_eq(listing.count, (size_t)ROWS(entries));
	}
	ck_assert_int_eq(close(dir), 0);
	listing_release(&listing);
	root_close(&root);
	ck_assert_int_eq(tree_next_fd(), before);
}
END_TEST

START_TEST(nothing_to_read)
{
	struct listing listing;

	ck_assert_int_eq(read_below(&listing, SYMLINKS_FOLLOW, false, "/blank"), 0);
	ck_assert_uint_eq(listing.count, 0);
	listing_release(&listing);
	ck_assert_int_eq(read_below(&listing, SYMLINKS_FOLLOW, false, "/top"), -ENOTDIR);
	ck_assert_uint_eq(listing.count, 0);
	listing_release(&listing);
}
END_TEST

/* A directory of mode 0644 tells its names and nothing more. */
static int
read_unsearchable(void)
{
	static const char *const names[] = { "file", "link", "dir" };

	for (int policy = 0; policy < 3; policy++) {
		struct listing listing;

		if (read_below(&listing, (enum symlink_policy)policy, false, "/unsearchable") != 0)
			return 1;
		if (listing.count != 3)
			return 2;
		for (int i = 0; i < 3; i++) {
			const struct entry *entry = find(&listing, names[i]);

			if (entry == NULL || entry->kind != ENTRY_UNREADABLE || !entry->looked || entry->has_stat ||
			    entry->size != 0)
				return 3;
			if (entry->is_link && i != 1)
				return 4;
		}
		listing_release(&listing);
	}
	return 0;
}

START_TEST(unsearchable)
{
	ck_assert_int_eq(tree_without_privilege(read_unsearchable), 0);
}
END_TEST

Suite *
directory_suite(void)
{
	Suite *suite = suite_create("directory");

	suite_add_shared_case(suite, each_entry, ROWS(entries), setup, teardown);
	suite_add_shared_case(suite, names_then_a_look, ROWS(entries), setup, teardown);
	suite_add_shared_case(suite, looked_at_too_late, 1, setup, teardown);
	suite_add_shared_case(suite, a_second_name, 1, setup, teardown);
	suite_add_shared_case(suite, path_of_the_directory, 1, setup, teardown);
	suite_add_shared_case(suite, every_name_once, 1, setup, teardown);
	suite_add_shared_case(suite, read_twice, 1, setup, teardown);
	suite_add_shared_case(suite, nothing_to_read, 1, setup, teardown);
	suite_add_shared_case(suite, unsearchable, 1, setup, teardown);
	return suite;
}
