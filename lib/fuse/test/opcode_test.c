/* SPDX-License-Identifier: MIT */
/*
 * opcode_test.c — every opcode with hand-made bytes: what a valid request calls, that it is refused
 * at every shorter length and when it is longer, and which names are.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test/tap.h"
#include "fuse/test/peer.h"

/* Rows name what differs from zero, and nothing else. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static struct peer peer;

/* A request: arguments, then strings (with their NULs) and data. */
struct sample {
	const char *title;
	uint32_t opcode;
	const void *args;
	size_t args_size;
	const char *tail;
	size_t tail_size;
	const char *log;     /* what the file system was called with; NULL: not at all */
	size_t reply;        /* bytes of data in the answer */
	int error;
	bool is_silent;
	bool may_be_shorter; /* a shorter one can be valid: data of its own length, or INIT */
	bool may_be_longer;
};

#define ARGS(type, ...) &(const struct type){__VA_ARGS__}, sizeof(struct type)
#define NONE NULL, 0
#define TAIL(text) (text), sizeof(text)          /* with its NUL */
#define DATA(text) (text), sizeof(text) - 1

static const struct sample samples[] = {
	{"LOOKUP", FUSE_LOOKUP, NONE, TAIL("name"), "lookup 5 name", 128},
	{"FORGET", FUSE_FORGET, ARGS(fuse_forget_in, 3), NONE, "forget 5 3", 0, .is_silent = true},
	{"GETATTR", FUSE_GETATTR, ARGS(fuse_getattr_in, 0, 0, 4), NONE, "getattr 5 0 0", 104},
	{"GETATTR of a handle", FUSE_GETATTR, ARGS(fuse_getattr_in, FUSE_GETATTR_FH, 0, 4), NONE,
		"getattr 5 1 4", 104},
	{"STATX", FUSE_OPCODE_STATX, ARGS(tacit_statx_in, FUSE_GETATTR_FH, 0, 4), NONE,
		"getattr 5 1 4", 288},
	{"SETATTR", FUSE_SETATTR,
		ARGS(fuse_setattr_in,
		.valid = FATTR_SIZE | FATTR_FH | FATTR_MTIME | FATTR_KILL_SUIDGID,
			.fh = 4, .size = 10, .mtime = 3, .mtimensec = 9, .mode = 0600, .uid = 1,
			.gid = 2),
		NONE, "setattr 5 0x228 1 4 size=10 mode=600 uid=1 gid=2 mtime=3.9", 104},
	{"READLINK", FUSE_READLINK, NONE, NONE, "readlink 5", 6},
	{"SYMLINK", FUSE_SYMLINK, NONE, TAIL("name\0../a/b"), "symlink 5 name ../a/b", 128},
	{"MKNOD", FUSE_MKNOD, ARGS(fuse_mknod_in, 0100644, 7, 022), TAIL("n"),
		"mknod 5 n 100644 22 7",
		128},
	{"MKDIR", FUSE_MKDIR, ARGS(fuse_mkdir_in, 0755, 022), TAIL("n"), "mkdir 5 n 40755 22", 128},
	{"UNLINK", FUSE_UNLINK, NONE, TAIL("n"), "unlink 5 n", 0},
	{"RMDIR", FUSE_RMDIR, NONE, TAIL("n"), "rmdir 5 n", 0},
	{"RENAME", FUSE_RENAME, ARGS(fuse_rename_in, 6), TAIL("a\0b"), "rename 5 a 6 b 0", 0},
	{"RENAME2", FUSE_RENAME2, ARGS(fuse_rename2_in, 6, 2), TAIL("a\0b"), "rename 5 a 6 b 2", 0},
	{"LINK", FUSE_LINK, ARGS(fuse_link_in, 6), TAIL("n"), "link 6 5 n", 128},
	{"OPEN", FUSE_OPEN, ARGS(fuse_open_in, 2, FUSE_OPEN_KILL_SUIDGID), NONE, "open 5 0x2 1",
		16},
	{"READ", FUSE_READ, ARGS(fuse_read_in, 4, 100, 4096), NONE, "read 5 4 100 4096", 16},
	{"READ, cut to what was asked", FUSE_READ, ARGS(fuse_read_in, 4, 100, 7), NONE,
		"read 5 4 100 7", 7},
	{"WRITE", FUSE_WRITE, ARGS(fuse_write_in, 4, 100, 5, FUSE_WRITE_KILL_SUIDGID),
		DATA("hello"),
		"write 5 4 100 0 1 hello", 8},
	{"WRITE of the cache", FUSE_WRITE, ARGS(fuse_write_in, 4, 0, 1, FUSE_WRITE_CACHE),
		DATA("x"),
		"write 5 4 0 1 0 x", 8},
	{"STATFS", FUSE_STATFS, NONE, NONE, "statfs 5", 80},
	{"RELEASE", FUSE_RELEASE, ARGS(fuse_release_in, 4, 2), NONE, "release 5 4 0x2", 0},
	{"FSYNC", FUSE_FSYNC, ARGS(fuse_fsync_in, 4, 1), NONE, "fsync 5 4 1", 0},
	{"SETXATTR", FUSE_SETXATTR, "\5\0\0\0\1\0\0\0", 8, DATA("user.a\0value"),
		"setxattr 5 user.a value 0x1", 0},
	{"SETXATTR of nothing", FUSE_SETXATTR, "\0\0\0\0\0\0\0\0", 8, DATA("user.a\0"),
		"setxattr 5 user.a  0", 0},
	{"GETXATTR", FUSE_GETXATTR, ARGS(fuse_getxattr_in, 5), TAIL("a/b"), "getxattr 5 a/b 5", 5},
	{"GETXATTR of a size", FUSE_GETXATTR, ARGS(fuse_getxattr_in, 0), TAIL("a"),
		"getxattr 5 a 0", 8},
	{"GETXATTR without room", FUSE_GETXATTR, ARGS(fuse_getxattr_in, 4), TAIL("a"),
		"getxattr 5 a 4",
		0, -ERANGE},
	{"LISTXATTR", FUSE_LISTXATTR, ARGS(fuse_getxattr_in, 7), NONE, "listxattr 5 7", 7},
	{"LISTXATTR without room", FUSE_LISTXATTR, ARGS(fuse_getxattr_in, 6), NONE, "listxattr 5 6",
		0,
		-ERANGE},
	{"REMOVEXATTR", FUSE_REMOVEXATTR, NONE, TAIL("a"), "removexattr 5 a", 0},
	{"FLUSH", FUSE_FLUSH, ARGS(fuse_flush_in, 4, 0, 0, 8), NONE, "flush 5 4 8", 0},
	{"OPENDIR", FUSE_OPENDIR, ARGS(fuse_open_in, 1), NONE, "opendir 5 0x1", 16},
	{"READDIR", FUSE_READDIR, ARGS(fuse_read_in, 4, 0, 4096), NONE, "readdir 5 4 0 0", 96},
	{"READDIR, two fit", FUSE_READDIR, ARGS(fuse_read_in, 4, 0, 95), NONE, "readdir 5 4 0 0",
		64},
	{"READDIR, none fits", FUSE_READDIR, ARGS(fuse_read_in, 4, 0, 31), NONE, "readdir 5 4 0 0",
		0},
	{"READDIR of the rest", FUSE_READDIR, ARGS(fuse_read_in, 4, 2, 4096), NONE,
		"readdir 5 4 2 0",
		32},
	{"READDIRPLUS", FUSE_READDIRPLUS, ARGS(fuse_read_in, 4, 0, 4096), NONE, "readdir 5 4 0 1",
		96 + 3 * 128},
	{"RELEASEDIR", FUSE_RELEASEDIR, ARGS(fuse_release_in, 4), NONE, "releasedir 5 4", 0},
	{"FSYNCDIR", FUSE_FSYNCDIR, ARGS(fuse_fsync_in, 4, 0), NONE, "fsyncdir 5 4 0", 0},
	{"GETLK", FUSE_GETLK, ARGS(fuse_lk_in, 4, 8, {1, INT64_MAX, 1, 7}), NONE,
		"getlk 5 4 1-18446744073709551615 1", 24},
	{"SETLK", FUSE_SETLK, ARGS(fuse_lk_in, 4, 8, {1, 2, 1, 7}, FUSE_LK_FLOCK), NONE,
		"setlk 5 8 1 0", 0},
	{"SETLKW", FUSE_SETLKW, ARGS(fuse_lk_in, 4, 8, {1, 2, 1, 7}), NONE, "setlk 5 8 0 1", 0},
	{"SETLK of a turned range", FUSE_SETLK, ARGS(fuse_lk_in, 4, 8, {2, 1, 1, 7}), NONE, NULL, 0,
		-EINVAL},
	{"ACCESS", FUSE_ACCESS, ARGS(fuse_access_in, 4), NONE, "access 5 4", 0},
	{"CREATE", FUSE_CREATE, ARGS(fuse_create_in, 2, 0100600, 022, 0), TAIL("n"),
		"create 5 n 0x2 100600 22 0 group=0", 144},
	{"TMPFILE", FUSE_TMPFILE, ARGS(fuse_create_in, 2, 0100600), TAIL("/"),
		"tmpfile 5 0x2 100600",
		144},
	{"INTERRUPT", FUSE_INTERRUPT, ARGS(fuse_interrupt_in, 1000), NONE, NULL, 0,
		.is_silent = true},
	{"IOCTL", FUSE_IOCTL, ARGS(fuse_ioctl_in, 4, FUSE_IOCTL_DIR, 0x66, 0, 3, 9), DATA("abc"),
		"ioctl 5 4 0x66 in=3 out=9 1", 22},
	{"IOCTL, cut to what was asked", FUSE_IOCTL, ARGS(fuse_ioctl_in, 4, 0, 0x66, 0, 0, 4), NONE,
		"ioctl 5 4 0x66 in=0 out=4 0", 20},
	{"NOTIFY_REPLY", FUSE_NOTIFY_REPLY, ARGS(fuse_notify_retrieve_in, 0), DATA("x"), NULL, 0,
		.is_silent = true},
	{"BATCH_FORGET", FUSE_BATCH_FORGET, ARGS(fuse_batch_forget_in, 1),
		DATA("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"), "forget 1 2", 0, .is_silent = true},
	{"FALLOCATE", FUSE_FALLOCATE, ARGS(fuse_fallocate_in, 4, 10, 20, 1), NONE,
		"fallocate 5 4 1 10 20", 0},
	{"FALLOCATE past the end", FUSE_FALLOCATE, ARGS(fuse_fallocate_in, 4, 10, UINT64_MAX), NONE,
		NULL,
		0, -EFBIG},
	{"LSEEK", FUSE_LSEEK, ARGS(fuse_lseek_in, 4, 10, SEEK_HOLE), NONE, "lseek 5 4 10 4", 8},
	{"LSEEK that the kernel does itself", FUSE_LSEEK, ARGS(fuse_lseek_in, 4, 10, SEEK_END),
		NONE,
		NULL, 0, -EINVAL},
	{"COPY_FILE_RANGE", FUSE_COPY_FILE_RANGE, ARGS(fuse_copy_file_range_in, 1, 2, 3, 4, 5, 6,
		0),
		NONE, "copy 5 1 2 to 3 4 5 6", 8},
	{"COPY_FILE_RANGE, cut to 32 bits", FUSE_COPY_FILE_RANGE,
		ARGS(fuse_copy_file_range_in, 1, 2, 3, 4, 5, 1ull << 40, 0), NONE,
		"copy 5 1 2 to 3 4 5 4294963200", 8},
	{"COPY_FILE_RANGE_64", FUSE_OPCODE_COPY_FILE_RANGE_64,
		ARGS(fuse_copy_file_range_in, 1, 2, 3, 4, 5, 1ull << 40, 0), NONE,
		"copy 5 1 2 to 3 4 5 1099511627776", 8},
	{"SYNCFS", FUSE_SYNCFS, ARGS(fuse_syncfs_in, 0), NONE, "syncfs 5", 0},
	{"READ past the end", FUSE_READ, ARGS(fuse_read_in, 4, INT64_MAX, 1), NONE, NULL, 0,
		-EINVAL},
	{"WRITE past the end", FUSE_WRITE, ARGS(fuse_write_in, 4, INT64_MAX, 1), DATA("x"), NULL, 0,
		-EINVAL},
	{"SETATTR of a time that is none", FUSE_SETATTR,
		ARGS(fuse_setattr_in, .valid = FATTR_MTIME, .mtimensec = 1000000000), NONE, NULL, 0,
		-EINVAL},
	{"WRITE with another size", FUSE_WRITE, ARGS(fuse_write_in, 4, 0, 4), DATA("hello"), NULL,
		0,
		-EINVAL, .may_be_shorter = true},
	{"BMAP", FUSE_BMAP, ARGS(fuse_bmap_in, 0), NONE, NULL, 0, -ENOSYS, .may_be_longer = true},
	{"POLL", FUSE_POLL, ARGS(fuse_poll_in, 0), NONE, NULL, 0, -ENOSYS, .may_be_longer = true},
	{"SETUPMAPPING", FUSE_SETUPMAPPING, ARGS(fuse_setupmapping_in, 0), NONE, NULL, 0, -ENOSYS,
		.may_be_longer = true},
	{"REMOVEMAPPING", FUSE_REMOVEMAPPING, ARGS(fuse_removemapping_in, 0), NONE, NULL, 0,
		-ENOSYS,
		.may_be_longer = true},
	{"no opcode (0)", 0, NONE, NONE, NULL, 0, -ENOSYS},
	{"no opcode (7)", 7, NONE, NONE, NULL, 0, -ENOSYS},
	{"an opcode of the future", 1000, NONE, DATA("abc"), NULL, 0, -ENOSYS,
		.may_be_longer = true},
	{"a very large opcode", UINT32_MAX, NONE, NONE, NULL, 0, -ENOSYS},
};

static size_t sample_bytes(const struct sample *s, uint8_t *bytes)
{
	if (s->args_size > 0)
		memcpy(bytes, s->args, s->args_size);
	if (s->tail_size > 0)
		memcpy(bytes + s->args_size, s->tail, s->tail_size);
	return s->args_size + s->tail_size;
}

/* True when it was answered (or, wanting none, not), and the file system was not called. */
static bool is_refused(const struct sample *s, unsigned completed)
{
	return peer.completed == completed + 1 && peer.recorder.log[0] == '\0' &&
		(s->is_silent ? peer.length == 0 : peer.length == 16 && peer.error < 0);
}

static void test_lengths(const struct sample *s, const uint8_t *bytes, size_t size)
{
	uint8_t longer[4096] = {0};
	bool passed = true;

	for (size_t n = 0; n < size && !s->may_be_shorter; n++) {
		unsigned completed = peer.completed;

		(void)peer_send(&peer, s->opcode, 5, bytes, n);
		passed = passed && is_refused(s, completed);
	}
	ok(passed, "%s: refused at every shorter length", s->title);
	if (s->may_be_longer || s->opcode == FUSE_NOTIFY_REPLY || s->opcode == FUSE_INTERRUPT)
		return;
	memcpy(longer, bytes, size);
	for (size_t extra = 1; extra < 40; extra++) {
		unsigned completed = peer.completed;

		(void)peer_send(&peer, s->opcode, 5, longer, size + extra);
		passed = passed && is_refused(s, completed);
	}
	ok(passed, "%s: refused with more behind it", s->title);
}

static void test_samples(void)
{
	uint8_t bytes[4096];

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];
		size_t size = sample_bytes(s, bytes);
		uint64_t unique = peer.next_unique;
		unsigned completed = peer.completed;

		is_int(peer_send(&peer, s->opcode, 5, bytes, size), s->error, s->title);
		is_int(peer.completed, completed + 1, "is completed once");
		if (s->log)
			is_text(peer.recorder.log, s->log, "calls the operation");
		else
			is_text(peer.recorder.log, "", "calls nothing");
		is_int(peer.size, s->reply, "the answer's size");
		if (s->is_silent)
			is_int(peer.length, 0, "has no answer");
		else
			ok(peer.unique == unique, "the answer names its request");
		if (s->error == 0)
			test_lengths(s, bytes, size);
	}
	is_int(fuse_session_pending(peer.session), 0, "no request is left");
}

/* ---- names ---- */

struct name_sample {
	const char *name;
	size_t size; /* with its NUL, if any */
	int as_entry, as_find, as_xattr;
};

static void test_names(void)
{
	static char long_name[256 + 1], longest_name[255 + 1], target[4096 + 1];
	const struct name_sample names[] = {
		{TAIL("a"), 0, 0, 0},
		{TAIL("..."), 0, 0, 0},
		{TAIL("\xff\n"), 0, 0, 0},
		{TAIL(""), -EINVAL, -EINVAL, -EINVAL},
		{TAIL("."), -EINVAL, -EINVAL, 0},
		{TAIL(".."), -EINVAL, -EINVAL, 0},
		{TAIL("a/b"), -EINVAL, -EINVAL, 0},
		{TAIL("/"), -EINVAL, -EINVAL, 0},
		{DATA("unended"), -EINVAL, -EINVAL, -EINVAL},
		{TAIL("two\0strings"), -EINVAL, -EINVAL, -EINVAL},
		{longest_name, sizeof(longest_name), 0, 0, 0},
		{long_name, sizeof(long_name), -ENAMETOOLONG, -ENAMETOOLONG, -ERANGE},
		{NULL, 0, -EINVAL, -EINVAL, -EINVAL},
	};
	char pair[8200] = "name";

	memset(long_name, 'n', sizeof(long_name) - 1);
	memset(longest_name, 'n', sizeof(longest_name) - 1);
	memset(target, 't', sizeof(target) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct name_sample *n = &names[i];

		is_int(peer_send(&peer, FUSE_UNLINK, 1, n->name, n->size), n->as_entry,
			"name removed");
		is_int(peer_send(&peer, FUSE_LOOKUP, 1, n->name, n->size), n->as_find,
			"name looked up");
		is_int(peer_send(&peer, FUSE_REMOVEXATTR, 1, n->name, n->size), n->as_xattr,
			"attribute's name");
	}
	memcpy(pair + 5, target, sizeof(target));
	is_int(peer_send(&peer, FUSE_SYMLINK, 1, pair, 5 + sizeof(target)), -ENAMETOOLONG,
		"a target of 4096 bytes is too long");
	is_int(peer_send(&peer, FUSE_SYMLINK, 1, pair, 6), -EINVAL, "a target needs its NUL");
	pair[5 + 4095] = '\0';
	is_int(peer_send(&peer, FUSE_SYMLINK, 1, pair, 5 + 4096), 0, "one of 4095 is not");
	pair[5] = '\0';
	is_int(peer_send(&peer, FUSE_SYMLINK, 1, pair, 6), -ENOENT, "an empty target is none");
}

static void test_large_strings(void)
{
	static uint8_t bytes[150000];
	uint32_t args[2] = {65536, 0};

	memset(bytes, 'v', sizeof(bytes));
	memcpy(bytes, args, sizeof(args));
	memcpy(bytes + 8, "user.a", 7);
	is_int(peer_send(&peer, FUSE_SETXATTR, 1, bytes, 8 + 7 + 65536), 0,
		"an attribute's value of 64 KiB is taken");
	is_int(peer_send(&peer, FUSE_SETXATTR, 1, bytes, 8 + 7 + 65537), -EINVAL,
		"one that is longer than it says is not");
	is_int(peer_send(&peer, FUSE_SETXATTR, 1, bytes, 140000), -E2BIG,
		"nor one that is far too long");
	is_int(peer_send(&peer, FUSE_LOOKUP, 1, bytes + 100, 140000), -ENAMETOOLONG,
		"a name that is far too long");
}

/* ---- the header ---- */

static void test_header(void)
{
	struct fuse_in_header h = {.len = 40, .opcode = FUSE_STATFS, .unique = 90, .nodeid = 1};
	unsigned completed = peer.completed;

	for (size_t n = 0; n < sizeof(h); n++) {
		peer_prepare(&peer, n, 4096);
		fuse_session_handle(peer.session, &peer.req);
	}
	is_int(peer.completed, completed + sizeof(h),
		"requests without a whole header are taken back");
	is_int(peer.length, 0, "and not answered");
	is_int(peer_send_raw(&peer, &h, NULL, 0, 4096), 0, "a header that tells its length");
	h.len = 41;
	is_int(peer_send_raw(&peer, &h, NULL, 0, 4096), -EIO, "longer than the bytes");
	h.len = 39;
	is_int(peer_send_raw(&peer, &h, NULL, 0, 4096), -EIO, "shorter than the bytes");
	h.len = 40;
	is_int(peer_send_raw(&peer, &h, NULL, 0, 95), -EIO, "no room for the answer's data");
	is_int(peer.length, 16, "the error fits");
	(void)peer_send_raw(&peer, &h, NULL, 0, 15);
	is_int(peer.length, 0, "no room for a header: taken back without an answer");
}

static void test_extensions(void)
{
	struct {
		struct fuse_create_in in;
		char name[8];
		uint32_t extension[6];
	} create = {{2, 0100600, 0, 0}, "n", {8, 31, 16, 32, 1, 44}};
	struct fuse_in_header h = {.opcode = FUSE_CREATE, .unique = 90, .nodeid = 5};
	static const uint32_t bad[][4] = {{15, 32, 1, 44}, {20, 32, 1, 44}, {16, 32, 2, 44},
		{7, 32, 1, 44}, {0, 0, 0, 0}, {12, 32, 1, 44}, {UINT32_MAX, 32, 1, 44}};
	uint8_t bytes[sizeof(create)];
	size_t size = sizeof(create.in) + 2;

	memcpy(bytes, &create.in, sizeof(create.in));
	memcpy(bytes + sizeof(create.in), "n", 2);
	memcpy(bytes + size, create.extension, sizeof(create.extension));
	h.len = (uint32_t)(sizeof(h) + size + sizeof(create.extension));
	h.total_extlen = sizeof(create.extension) / 8;
	is_int(peer_send_raw(&peer, &h, bytes, size + sizeof(create.extension), 4096), 0,
		"a creation with extensions");
	is_text(peer.recorder.log, "create 5 n 0x2 100600 0 0 group=44", "tells the group");
	h.total_extlen = 1000;
	is_int(peer_send_raw(&peer, &h, bytes, size + sizeof(create.extension), 4096), -EINVAL,
		"extensions longer than the request");
	h.total_extlen = 2;
	h.len = (uint32_t)(sizeof(h) + size + 16);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		memcpy(bytes + size, bad[i], sizeof(bad[i]));
		is_int(peer_send_raw(&peer, &h, bytes, size + 16, 4096), -EINVAL,
			"a broken extension");
	}
}

static void test_batch_forget(void)
{
	struct {
		struct fuse_batch_forget_in in;
		struct fuse_forget_one one[3];
	} batch = {{3, 0}, {{2, 1}, {3, 10}, {4, 100}}};

	peer.recorder.forgotten = 0;
	(void)peer_send(&peer, FUSE_BATCH_FORGET, 0, &batch, sizeof(batch));
	is_int(peer.recorder.forgotten, 111, "each of a batch is forgotten");
	batch.in.count = 4;
	(void)peer_send(&peer, FUSE_BATCH_FORGET, 0, &batch, sizeof(batch));
	batch.in.count = 2;
	(void)peer_send(&peer, FUSE_BATCH_FORGET, 0, &batch, sizeof(batch));
	batch.in.count = UINT32_MAX;
	(void)peer_send(&peer, FUSE_BATCH_FORGET, 0, &batch, sizeof(batch));
	is_int(peer.recorder.forgotten, 111, "a count that is not true forgets nothing");
}

int main(void)
{
	peer_open(&peer, 0);
	is_int(peer_init(&peer, 7, 45, UINT64_MAX), 0, "INIT");
	test_samples();
	test_names();
	test_large_strings();
	test_header();
	test_extensions();
	test_batch_forget();
	is_int(fuse_session_pending(peer.session), 0, "no request is left");
	peer_close(&peer);
	return tap_done();
}
