/* Runs one fuzz target over files, so that a corpus is a test where there is no libFuzzer: every file named,
 * and every file of every directory named. A target that finds something aborts. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX ((size_t)1 << 20)

static size_t replayed;

static int
replay_file(const char *path)
{
	/* Of the exact size, so that AddressSanitizer sees a read beyond the end. */
	uint8_t *large = malloc(INPUT_MAX), *exact = NULL;
	FILE *file = fopen(path, "rb");
	size_t size;

	if (large == NULL || file == NULL) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		free(large);
		if (file != NULL)
			fclose(file);
		return -1;
	}
	size = fread(large, 1, INPUT_MAX, file);
	fclose(file);
	exact = malloc(size > 0 ? size : 1);
	if (exact != NULL) {
		memcpy(exact, large, size);
		LLVMFuzzerTestOneInput(exact, size);
		replayed++;
	}
	free(large);
	free(exact);
	return exact != NULL ? 0 : -1;
}

static int
replay_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int result = 0;

	if (directory == NULL) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		return -1;
	}
	while ((entry = readdir(directory)) != NULL) {
		char file[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (replay_file(file) != 0)
			result = -1;
	}
	closedir(directory);
	return result;
}

int
main(int argc, char **argv)
{
	int result = EXIT_SUCCESS;

	for (int i = 1; i < argc; i++) {
		struct stat st;
		int (*replay)(const char *) = replay_file;

		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
			replay = replay_directory;
		if (replay(argv[i]) != 0)
			result = EXIT_FAILURE;
	}
	/* A path that is wrong by a letter must not pass as a test. */
	if (replayed == 0) {
		fprintf(stderr, "replay: no input\n");
		return EXIT_FAILURE;
	}
	printf("%zu inputs\n", replayed);
	return result;
}
