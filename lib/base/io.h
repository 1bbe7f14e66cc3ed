/* SPDX-License-Identifier: MIT */
/*
 * io.h — whole reads and writes on descriptors: interrupted and short ones are continued.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

/* Reads up to n bytes at offset; returns what was there before the end of file, or -errno. */
ssize_t io_pread(int fd, void *data, size_t n, uint64_t offset) MUST_CHECK;

/* Writes n bytes at offset; 0 or -errno (some bytes may have been written). */
int io_pwrite(int fd, const void *data, size_t n, uint64_t offset) MUST_CHECK;

/* Writes n bytes at the descriptor's own position; 0 or -errno. */
int io_write(int fd, const void *data, size_t n) MUST_CHECK;

/*
 * Reads to the end of a descriptor (a file, a pipe, a terminal) into memory that the caller frees;
 * -EFBIG past limit bytes.
 */
int io_read_all(int fd, size_t limit, uint8_t **ret_data, size_t *ret_size) MUST_CHECK;

/*
 * Replaces a file's whole content atomically, or makes the file: a temporary one beside it (same
 * mode and owner where that may be set), written, synced, renamed over it, and the directory
 * synced. Follows a symbolic link at path, so that the link stays. 0 or -errno; -EINVAL for what is
 * no regular file. On failure the old file is as it was, unless only the directory's sync failed:
 * then the new one is there, but may be lost with the power.
 */
int io_replace_file(const char *path, const void *data, size_t size) MUST_CHECK;
