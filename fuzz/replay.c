/* SPDX-License-Identifier: MIT */
/*
 * replay.c — runs a fuzz target over its corpus, as a test.
 *
 * An input is handed over in memory of its exact size, so that a sanitizer sees a read behind it.
 * The empty input is always one more.
 */
#include <dirent.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/test/tap.h"
#include "target.h"

#define INPUT_MAX ((size_t)64 << 20)

static void replay_file(int dir, const char *name)
{
	CLEAN_FD int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	CLEAN(free) uint8_t *data = NULL;
	size_t size = 0;

	if (fd < 0 || io_read_all(fd, INPUT_MAX, &data, &size) < 0) {
		ok(false, "%s is read", name);
		return;
	}
	/* Named before it runs: a crash leaves this line as the last. */
	printf("# %s, %zu bytes\n", name, size);
	fflush(stdout);
	ok(LLVMFuzzerTestOneInput(data, size) == 0, "%s", name);
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	int count;
	int dir;

	if (argc != 2) {
		fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
		return 1;
	}
	dir = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	count = scandir(argv[1], &names, NULL, alphasort);
	ok(dir >= 0 && count > 2, "there is a corpus");
	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.')
			replay_file(dir, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	ok(LLVMFuzzerTestOneInput((const uint8_t *)"", 0) == 0, "no bytes at all");
	return tap_done();
}
