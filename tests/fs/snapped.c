/* The clock of these tests is NOW, whatever the file system's is. */
#include "fs/snapped.h"

#include "suites.h"

#include <fcntl.h>
#include <unistd.h>

void
snapped_make(struct snapped *s)
{
	tree_make(&s->tree);
	tree_directory(&s->tree, "root", 0755);
	tree_directory(&s->tree, "root/d", 0755);
	tree_directory(&s->tree, "root/other", 0755);
	tree_directory(&s->tree, "root/d/sub", 0755);
	tree_file(&s->tree, "root/other/target", "1");
	tree_file(&s->tree, "root/other/twin", "1");
	tree_file(&s->tree, "root/d/file", "1");
	tree_file(&s->tree, "root/d/second", "1");
	tree_link(&s->tree, "root/d/link", "../other/target");
	ck_assert_int_eq(linkat(s->tree.fd, "root/other/twin", s->tree.fd, "root/d/twin", 0), 0);
	tree_open_root(&s->tree, "root", &s->root, SYMLINKS_WITHIN_ROOT);
	s->place = (struct place){ &s->root, root_open_below(&s->root, S("/d"), O_RDONLY), S("/d") };
	ck_assert_int_ge(s->place.dir, 0);
	snapshot_init(&s->snapshot);
	ck_assert(s->snapshot.stale);
	ck_assert_int_eq(snapshot_read(&s->snapshot, &s->place, NOW, SIZE_MAX), 0);
	ck_assert(!s->snapshot.stale);
}

void
snapped_remove(struct snapped *s)
{
	snapshot_release(&s->snapshot);
	close(s->place.dir);
	root_close(&s->root);
	tree_remove(&s->tree);
}

const struct entry *
snapped_find(const struct snapped *s, const char *name)
{
	return listing_find(&s->snapshot.listing, str_from(name));
}

void
snapped_look_all(struct snapped *s)
{
	ck_assert_int_eq(snapshot_look_all(&s->snapshot, &s->place), 0);
}

int
snapped_refresh(struct snapped *s)
{
	int error = snapshot_refresh(&s->snapshot, &s->place, NOW);

	return error == 0 ? snapshot_look_untold(&s->snapshot, &s->place, false) : error;
}

void
snapped_note(struct snapped *s, const char *name)
{
	snapshot_note_change(&s->snapshot, str_from(name));
}
