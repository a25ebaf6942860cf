/* Whoever is not root cannot open the directories that are locked for all but root: then they are locked for their owner. */
#include "fs/rooted.h"

#include "suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void
make_links(const struct tree *tree)
{
	tree_link(tree, "root/dir/back", "../file");
	tree_link(tree, "root/to_dir", "dir");
	tree_link(tree, "root/two", "to_dir/back");
	tree_link(tree, "root/dot", ".");
	tree_link(tree, "root/up", "..");
	tree_link(tree, "root/climb", "../root/dir/inner");
	tree_link(tree, "root/climb_out", "../secret");
	tree_link(tree, "root/climb_prefix", "../rootx/file");
	tree_link(tree, "root/loop", "loop");
	tree_link(tree, "root/loop_a", "loop_b");
	tree_link(tree, "root/loop_b", "loop_a");
	tree_link(tree, "root/dangling", "nowhere");
	tree_link(tree, "root/zero", "/dev/zero");
	tree_link(tree, "root/system", "/");
	tree_link(tree, "root/magic", "/proc/self/exe");
	tree_link_absolute(tree, "root/abs_in", "/root/dir/inner");
	tree_link_absolute(tree, "root/abs_dir", "/root/dir");
	tree_link_absolute(tree, "root/abs_root", "/root");
	tree_link_absolute(tree, "root/abs_fifo", "/root/fifo");
	tree_link_absolute(tree, "root/abs_out", "/secret");
	tree_link_absolute(tree, "root/abs_prefix", "/rootx/file");
	tree_link_absolute(tree, "root/abs_dangling", "/nowhere");
	tree_link_absolute(tree, "root/through_door", "/door/dir/inner");
	tree_link_absolute(tree, "root/abs_locked", "/root/locked/inner");
	tree_link_absolute(tree, "root/abs_vault", "/vault/inner");
	tree_link(tree, "door", "root");
}

void
rooted_make(struct tree *tree)
{
	char deep[sizeof("root/" D60)] = "root/";

	tree_make(tree);
	tree_directory(tree, "root", 0755);
	tree_directory(tree, "rootx", 0755);
	tree_directory(tree, "vault", 0755);
	tree_directory(tree, "root/dir", 0755);
	tree_directory(tree, "root/locked", 0755);
	tree_file(tree, "secret", "secret");
	tree_file(tree, "rootx/file", "prefix");
	tree_file(tree, "vault/inner", "vault");
	tree_file(tree, "root/file", "file");
	tree_file(tree, "root/closed", "closed");
	tree_file(tree, "root/dir/inner", "inner");
	tree_file(tree, "root/locked/inner", "locked");
	tree_file(tree, "root/" ANY_BYTES, "bytes");
	tree_file(tree, "root/" N255, "long");
	tree_fifo(tree, "root/fifo");
	tree_socket(tree, "root/socket");
	for (size_t i = 0; i < sizeof(D60) / 2; i++) {
		strcat(deep, "d/");
		tree_directory(tree, deep, 0755);
	}
	tree_file(tree, "root/" D60 "file", "deep");
	make_links(tree);
	ck_assert_int_eq(fchmodat(tree->fd, "root/closed", 0, 0), 0);
	ck_assert_int_eq(fchmodat(tree->fd, "root/locked", 0700, 0), 0);
	ck_assert_int_eq(fchmodat(tree->fd, "vault", 0700, 0), 0);
	if (geteuid() != 0) {
		ck_assert_int_eq(fchmodat(tree->fd, "root/locked", 0600, 0), 0);
		ck_assert_int_eq(fchmodat(tree->fd, "vault", 0600, 0), 0);
	}
}

void
open_variant(const struct tree *tree, struct root *root, enum symlink_policy policy, int variant)
{
	tree_open_root(tree, (variant & 1) != 0 ? "door" : "root", root, policy);
	if ((variant & 2) != 0)
		root_force_walk(root);
}

void
describe(char text[64], int fd)
{
	struct stat st;

	if (fd < 0) {
		snprintf(text, 64, "%s", strerrorname_np(-fd));
		return;
	}
	ck_assert_int_eq(fstat(fd, &st), 0);
	if (S_ISREG(st.st_mode)) {
		ssize_t len = read(fd, text, 63);

		ck_assert_int_ge(len, 0);
		text[len] = '\0';
	} else {
		strcpy(text, S_ISDIR(st.st_mode) ? "DIR" : "OTHER");
	}
	close(fd);
}
