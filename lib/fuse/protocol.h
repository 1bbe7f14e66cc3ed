/* SPDX-License-Identifier: MIT */
/*
 * protocol.h — the FUSE wire format: the kernel's own header, and what is newer than the one that
 * this system has installed.
 *
 * Wire structures are used as they are and copied into host memory before they are looked at.
 *
 * Specification: linux/fuse.h 7.45. The version in which each addition came stands beside it.
 */
#pragma once

#include <assert.h>
#include <linux/fuse.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* The newest protocol that this code knows, and the oldest whose structures it decodes. */
#define FUSE_MAJOR 7u
#define FUSE_MINOR 45u
#define FUSE_MINOR_OLDEST 31u

#if FUSE_KERNEL_MINOR_VERSION < 38
#error "linux/fuse.h of protocol 7.38 (Linux 6.2) or newer is needed"
#endif

#ifndef FUSE_CREATE_SUPP_GROUP
#define FUSE_CREATE_SUPP_GROUP (1ull << 34) /* 7.38 */
#endif
#ifndef FUSE_DIRECT_IO_ALLOW_MMAP
#define FUSE_DIRECT_IO_ALLOW_MMAP (1ull << 36) /* 7.39 */
#endif
#ifndef FUSE_PASSTHROUGH
#define FUSE_PASSTHROUGH (1ull << 37) /* 7.40 */
#endif
#ifndef FOPEN_PASSTHROUGH
#define FOPEN_PASSTHROUGH (1u << 7) /* 7.40 */
#endif

/* Opcodes are numbers here: those of an enumeration cannot be tested by the preprocessor. */
#define FUSE_OPCODE_STATX 52u              /* 7.39 */
#define FUSE_OPCODE_COPY_FILE_RANGE_64 53u /* 7.45 */
#define FUSE_OPCODE_COUNT 54u

/* An extension of a creation: the groups of the caller, 7.38. */
#define FUSE_EXTENSION_GROUPS 32u

/* INIT's answer as of 7.40: what follows flags2, which older headers call unused. */
struct tacit_init_tail {
	uint32_t max_stack_depth;
	uint32_t unused[6];
};

#define TACIT_INIT_TAIL 36u /* its offset in struct fuse_init_out */

/* OPEN's answer as of 7.40: older headers call backing_id padding. */
struct tacit_open_out {
	uint64_t fh;
	uint32_t open_flags;
	uint32_t backing_id;
};

/* FUSE_DEV_IOC_BACKING_OPEN and _CLOSE, ioctls of the device, 7.40. */
struct tacit_backing_map {
	int32_t fd;
	uint32_t flags;
	uint64_t padding;
};

#define TACIT_DEV_IOC_BACKING_OPEN _IOW(229, 1, struct tacit_backing_map)
#define TACIT_DEV_IOC_BACKING_CLOSE _IOW(229, 2, uint32_t)

/* STATX, 7.39. */
struct tacit_statx_in {
	uint32_t getattr_flags;
	uint32_t reserved;
	uint64_t fh;
	uint32_t sx_flags;
	uint32_t sx_mask;
};

struct tacit_statx_time {
	int64_t seconds;
	uint32_t nanoseconds;
	int32_t reserved;
};

struct tacit_statx_out {
	uint64_t attr_valid;
	uint32_t attr_valid_nsec;
	uint32_t flags;
	uint64_t spare[2];
	uint32_t mask;
	uint32_t blksize;
	uint64_t attributes;
	uint32_t nlink;
	uint32_t uid;
	uint32_t gid;
	uint16_t mode;
	uint16_t spare_mode;
	uint64_t ino;
	uint64_t size;
	uint64_t blocks;
	uint64_t attributes_mask;
	struct tacit_statx_time atime, btime, ctime, mtime;
	uint32_t rdev_major, rdev_minor;
	uint32_t dev_major, dev_minor;
	uint64_t spare_end[14];
};

/* COPY_FILE_RANGE_64, 7.45. */
struct tacit_copy_file_range_out {
	uint64_t bytes_copied;
};

static_assert(sizeof(struct tacit_backing_map) == 16, "fuse.h 7.40: struct fuse_backing_map");
static_assert(sizeof(struct tacit_statx_in) == 24, "fuse.h 7.39: struct fuse_statx_in");
static_assert(sizeof(struct tacit_statx_out) == 288, "fuse.h 7.39: struct fuse_statx_out");
static_assert(offsetof(struct tacit_statx_out, mask) == 32,
	"fuse.h 7.39: struct fuse_statx_out.stat");
static_assert(offsetof(struct tacit_statx_out, atime) == 96,
	"fuse.h 7.39: struct fuse_statx.atime");
static_assert(sizeof(struct fuse_in_header) == 40, "fuse.h: struct fuse_in_header");
static_assert(sizeof(struct fuse_out_header) == 16, "fuse.h: struct fuse_out_header");
static_assert(sizeof(struct fuse_init_in) == 64, "fuse.h 7.36: struct fuse_init_in");
static_assert(sizeof(struct fuse_init_out) == 64, "fuse.h 7.36: struct fuse_init_out");
static_assert(sizeof(struct fuse_write_in) == 40, "fuse.h: struct fuse_write_in");
static_assert(sizeof(struct fuse_entry_out) == 128, "fuse.h: struct fuse_entry_out");
static_assert(offsetof(struct fuse_init_out, flags2) + 4 == TACIT_INIT_TAIL &&
	TACIT_INIT_TAIL + sizeof(struct tacit_init_tail) == sizeof(struct fuse_init_out),
	"fuse.h 7.40: struct fuse_init_out.max_stack_depth");
static_assert(sizeof(struct tacit_open_out) == sizeof(struct fuse_open_out),
	"fuse.h 7.40: struct fuse_open_out");
