/* Media types by content, and that nothing which a browser runs comes of it. */
#include "fs/magic.h"

#include "fs/tree.h"
#include "suites.h"

#include <fcntl.h>
#include <unistd.h>

Suite *magic_suite(void);

static struct tree tree;

static void
setup(void)
{
	tree_make(&tree);
}

static void
teardown(void)
{
	tree_remove(&tree);
}

#define UTF8 "text/plain; charset=utf-8"
#define BYTES "application/octet-stream"

static const struct {
	struct str content;
	const char *wanted;
} contents[] = {
	{ STR(""), BYTES },
	{ STR("Plain words.\n"), UTF8 },
	{ STR("Gr\xc3\xbc\xc3\x9f" "e aus K\xc3\xb6ln\n"), UTF8 },
	{ STR("Gr\xfc\xdf" "e aus K\xf6ln\n"), "text/plain" },
	{ STR("#!/bin/sh\necho hello\n"), UTF8 },
	{ STR("#!/usr/bin/python3\nprint('hello')\n"), UTF8 },
	{ STR("<!DOCTYPE html>\n<html><head><title>x</title></head><script>alert(1)</script></html>\n"), UTF8 },
	{ STR("<html><body>\xfc</body></html>\n"), "text/plain" },
	{ STR("<?xml version=\"1.0\"?>\n<a/>\n"), UTF8 },
	{ STR("<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>\n"), UTF8 },
	{ STR("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"></svg>\n"), UTF8 },
	{ STR("<?php echo 1; ?>\n"), UTF8 },
	{ STR("import {x} from \"./y\";\nexport const a = 1;\nclass A { constructor(b) {} }\n"), UTF8 },
	{ STR("From: a@example.org\nTo: b@example.org\nSubject: x\nReceived: by c\n\nHello\n"), UTF8 },
	{ STR("{\"a\": [1, 2, {\"b\": null}]}\n"), "application/json" },
	{ STR("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n"), "application/pdf" },
	{ STR("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0\x1f\x15\xc4\x89"), "image/png" },
	{ STR("GIF89a\1\0\1\0\x80\0\0\xff\xff\xff\0\0\0"), "image/gif" },
	{ STR("\xff\xd8\xff\xe0\0\20JFIF\0\1\1\0\0\1\0\1\0\0"), "image/jpeg" },
	{ STR("\x1f\x8b\10\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0"), "application/gzip" },
	{ STR("\1\2\3\4\0\xfe\x81\x91\0\0\7\x88\x99\xaa"), BYTES },
};

/* The open file, whose facts are made as fs/file makes them. */
static struct file
file_with(struct str content)
{
	struct file file = { .fd = -1 };
	struct root root;
	int fd = openat(tree.fd, "file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	ck_assert_int_eq(write(fd, content.ptr, content.len), (ssize_t)content.len);
	close(fd);
	ck_assert_int_eq(root_open(&root, tree.path, SYMLINKS_REFUSE), 0);
	ck_assert_int_eq(file_open(&file, &root, S("/file")), 0);
	root_close(&root);
	return file;
}

START_TEST(by_content)
{
	struct magic *magic = magic_new();
	struct file file = file_with(contents[_i].content);

	/* The second answer is the remembered one. */
	for (int i = 0; i < 2; i++)
		ck_assert_str_is(magic_type(magic, &file), contents[_i].wanted);
	ck_assert_int_eq(lseek(file.fd, 0, SEEK_CUR), 0);
	file_close(&file);
	magic_free(magic);
}
END_TEST

/* Where the first 4096 bytes end within a character, before it, and within what is none. */
static const struct {
	size_t letters; /* ASCII before */
	const char *then;
	const char *wanted;
} ends[] = {
	{ 4096, "\xe2\x82\xac\n", UTF8 },
	{ 4095, "\xe2\x82\xac\n", UTF8 },
	{ 4094, "\xe2\x82\xac\n", UTF8 },
	{ 4093, "\xe2\x82\xac\n", UTF8 },
	{ 4095, "\xf0\x9f\x98\x80\n", UTF8 },
	{ 4093, "\xf0\x9f\x98\x80\n", UTF8 },
	{ 4092, "\xf0\x9f\x98\x80\n", UTF8 },
	{ 4095, "\xc3\xa4\n", UTF8 },
	{ 4094, "\xe4\n\n", "text/plain" },
	{ 4092, "\xe4\xe4\xe4\xe4\n", "text/plain" },
	{ 4094, "\xe4", "text/plain" }, /* the end of the file cuts nothing */
	{ 4095, "\xe4", "text/plain" },
};

START_TEST(cut_at_the_end)
{
	char content[4200];
	size_t len = strlen(ends[_i].then);
	struct magic *magic = magic_new();
	struct file file;

	memset(content, 'a', ends[_i].letters);
	memcpy(content + ends[_i].letters, ends[_i].then, len);
	file = file_with((struct str){ content, ends[_i].letters + len });
	ck_assert_str_is(magic_type(magic, &file), ends[_i].wanted);
	file_close(&file);
	magic_free(magic);
}
END_TEST

/* Identity is all of device, inode, time and size; what was remembered is answered without a look. */
START_TEST(remembered)
{
	struct magic *magic = magic_new();
	struct file file = file_with(S("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"));
	struct file blind = file;

	ck_assert_str_is(magic_type(magic, &file), "application/pdf");
	blind.fd = -1;
	ck_assert_str_is(magic_type(magic, &blind), "application/pdf");
	blind.mtime++;
	ck_assert_str_is(magic_type(magic, &blind), BYTES);
	blind.mtime = file.mtime;
	blind.size++;
	ck_assert_str_is(magic_type(magic, &blind), BYTES);
	blind.size = file.size;
	blind.device++;
	ck_assert_str_is(magic_type(magic, &blind), BYTES);
	/* A failed read is not remembered, and pushed nothing out. */
	blind.device = file.device;
	ck_assert_str_is(magic_type(magic, &blind), "application/pdf");
	file_close(&file);
	magic_free(magic);
}
END_TEST

START_TEST(no_regular_file)
{
	struct magic *magic = magic_new();
	struct file file = file_with(S("Plain words.\n"));

	file.kind = FILE_DIRECTORY;
	ck_assert_str_is(magic_type(magic, &file), BYTES);
	file.kind = FILE_OTHER;
	ck_assert_str_is(magic_type(magic, &file), BYTES);
	file_close(&file);
	magic_free(magic);
	magic_free(NULL);
}
END_TEST

/* Nothing fails when libmagic finds no data of its own. */
START_TEST(without_data)
{
	struct magic *magic;
	struct file file = file_with(S("Plain words.\n"));

	ck_assert_int_eq(setenv("MAGIC", "/nonexistent/magic", 1), 0);
	magic = magic_new();
	for (int i = 0; i < 2; i++)
		ck_assert_str_is(magic_type(magic, &file), BYTES);
	unsetenv("MAGIC");
	file_close(&file);
	magic_free(magic);
}
END_TEST

Suite *
magic_suite(void)
{
	Suite *suite = suite_create("magic");

	suite_add_shared_case(suite, by_content, ROWS(contents), setup, teardown);
	suite_add_shared_case(suite, cut_at_the_end, ROWS(ends), setup, teardown);
	suite_add_shared_case(suite, remembered, 1, setup, teardown);
	suite_add_shared_case(suite, no_regular_file, 1, setup, teardown);
	suite_add_shared_case(suite, without_data, 1, setup, teardown);
	return suite;
}
