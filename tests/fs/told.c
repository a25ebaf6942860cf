/* Each change is one system call, or as few as it takes. */
#include "fs/told.h"

#include "suites.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void
told_make_tree(struct tree *tree)
{
	tree_make(tree);
	tree_directory(tree, "dir", 0755);
	tree_directory(tree, "dir/sub", 0755);
	tree_directory(tree, "dir/empty", 0755);
	tree_directory(tree, "other", 0755);
	tree_file(tree, "dir/file", "content");
	tree_file(tree, "dir/second", "content");
	tree_file(tree, "dir/sub/inner", "content");
	tree_file(tree, "other/file", "content");
	tree_link(tree, "dir/link", "../other/file");
}

int
open_directory(const struct tree *tree, const char *path)
{
	int fd = openat(tree->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

struct watch *
watch_directory(const struct tree *tree, struct told *told, const char *path)
{
	struct watch *watch = watch_new(take_event, told);
	int dir = open_directory(tree, path);

	ck_assert_ptr_nonnull(watch);
	*told = (struct told){ 0 };
	buf_init(&told->names, 1 << 20);
	told->wd = watch_add(watch, dir, WATCH_ALL);
	ck_assert_int_ge(told->wd, 0);
	close(dir);
	return watch;
}

void
release(struct watch *watch, struct told *told)
{
	watch_free(watch);
	buf_release(&told->names);
}

void
take_event(void *context, int wd, struct str name)
{
	struct told *told = context;

	told->events++;
	told->overflows += wd < 0;
	told->strangers += wd >= 0 && wd != told->wd;
	if (wd != told->wd)
		return;
	buf_str(&told->names, name);
	buf_char(&told->names, '/');
}

bool
was_told(const struct told *told, const char *name)
{
	struct str rest = buf_view(&told->names), one;

	while (rest.len > 0 && str_cut(&rest, '/', &one))
		if (str_eq(one, str_from(name)))
			return true;
	return false;
}

void
forget(struct told *told)
{
	buf_reset(&told->names);
	told->events = told->overflows = told->strangers = 0;
}

static void
read_file(const struct tree *tree, const char *path)
{
	int fd = openat(tree->fd, path, O_RDONLY | O_CLOEXEC);
	char block[64];

	ck_assert_int_ge(fd, 0);
	(void)!read(fd, block, sizeof(block));
	close(fd);
}

static void
truncate_file(const struct tree *tree, const char *path)
{
	int fd = openat(tree->fd, path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 1), 0);
	close(fd);
}

static void
write_by_map(const struct tree *tree, const char *path)
{
	int fd = openat(tree->fd, path, O_RDWR | O_CLOEXEC);
	char *map = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(map, MAP_FAILED);
	close(fd);
	map[0] = 'z';
	munmap(map, 1);
}

/* Where the kernel has no io_submit, it is only opened and closed. */
static void
write_by_submission(const struct tree *tree, const char *path)
{
	int fd = openat(tree->fd, path, O_WRONLY | O_CLOEXEC);
	struct iocb block = { .aio_fildes = (unsigned)fd, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_buf = (uintptr_t)"z",
		.aio_nbytes = 1 }, *blocks[] = { &block };
	aio_context_t context = 0;
	struct io_event done;

	ck_assert_int_ge(fd, 0);
	if (syscall(SYS_io_setup, 1, &context) == 0) {
		ck_assert_int_eq(syscall(SYS_io_submit, context, 1L, blocks), 1);
		ck_assert_int_eq(syscall(SYS_io_getevents, context, 1L, 1L, &done, NULL), 1);
		syscall(SYS_io_destroy, context);
	}
	close(fd);
}

void
apply(const struct tree *tree, enum change change, const char *path, const char *to)
{
	switch (change) {
	case CREATE:
		tree_file(tree, path, "");
		break;
	case MAKE_DIRECTORY:
		tree_directory(tree, path, 0755);
		break;
	case UNLINK:
		ck_assert_int_eq(unlinkat(tree->fd, path, 0), 0);
		break;
	case REMOVE_DIRECTORY:
		ck_assert_int_eq(unlinkat(tree->fd, path, AT_REMOVEDIR), 0);
		break;
	case RENAME:
		ck_assert_int_eq(renameat(tree->fd, path, tree->fd, to), 0);
		break;
	case WRITE:
		tree_append(tree, path, "more");
		break;
	case TRUNCATE:
		truncate_file(tree, path);
		break;
	case CHMOD:
		ck_assert_int_eq(fchmodat(tree->fd, path, 0700, 0), 0);
		break;
	case TOUCH:
		tree_time(tree, path, 784111777, 0);
		break;
	case SYMLINK:
		tree_link(tree, path, to);
		break;
	case LINK:
		ck_assert_int_eq(linkat(tree->fd, path, tree->fd, to, 0), 0);
		break;
	case FIFO:
		tree_fifo(tree, path);
		break;
	case READ:
		read_file(tree, path);
		break;
	case MAP:
		write_by_map(tree, path);
		break;
	case SUBMIT:
		write_by_submission(tree, path);
		break;
	}
}
