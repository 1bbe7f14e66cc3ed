/* SPDX-License-Identifier: MIT */
/*
 * session_test.c — a session's states, what INIT agrees, answers that a file system gets wrong,
 * and notifications.
 */
#include <errno.h>

#include "base/test/tap.h"
#include "fuse/test/peer.h"

static struct peer peer;

static struct fuse_init_out init_answer(void)
{
	struct fuse_init_out out = {0};

	if (peer.size <= sizeof(out))
		memcpy(&out, peer.data, peer.size);
	return out;
}

static void test_states(void)
{
	peer_open(&peer, 0);
	ok(!fuse_session_is_ready(peer.session), "a new session is not ready");
	is_int(peer_send(&peer, FUSE_STATFS, 1, NULL, 0), -EIO, "nothing is served before INIT");
	is_int(peer_send(&peer, FUSE_DESTROY, 1, NULL, 0), -EIO, "DESTROY neither");
	is_int(peer_send(&peer, 1000, 1, NULL, 0), -EIO, "nor what we do not know");
	(void)peer_send(&peer, FUSE_FORGET, 1, "\1\0\0\0\0\0\0", 8);
	ok(peer.length == 0 && peer.recorder.calls == 0, "FORGET is taken back without a call");
	is_int(fs_notify_node(&peer.recorder.fs, 1, 0, 0), -ENOTCONN,
		"no notification before INIT");
	is_int(peer_send(&peer, FUSE_INIT, 0, "\7\0\0\0\55\0\0\0\0\0\0", 12), -EINVAL,
		"a short INIT");
	is_int(peer_init(&peer, 7, 45, 0), 0, "INIT");
	ok(fuse_session_is_ready(peer.session), "then it is ready");
	is_int(peer_init(&peer, 7, 45, 0), -EIO, "a second INIT is refused");
	is_int(peer_send(&peer, FUSE_STATFS, 1, NULL, 0), 0, "and changes nothing");
	is_int(peer_send(&peer, FUSE_DESTROY, 1, NULL, 0), 0, "DESTROY ends it");
	is_int(peer_send(&peer, FUSE_STATFS, 1, NULL, 0), -EIO, "nothing is served after it");
	is_int(peer_init(&peer, 7, 40, 0), 0, "a client may begin again");
	is_int(peer_send(&peer, FUSE_STATFS, 1, NULL, 0), 0, "and is served");
	peer_close(&peer);
	is_int(fs_notify_node(&peer.recorder.fs, 1, 0, 0), -ENOTCONN, "no notification at the end");
}

static void test_versions(void)
{
	static const struct {
		uint32_t major, minor;
		int error;
		bool is_ready;
		uint32_t answer;
	} rows[] = {
		{7, 45, 0, true, 45}, {7, 99, 0, true, 45}, {7, 38, 0, true, 38}, {7, 31, 0, true,
			31},
		{7, 30, -EPROTO, false, 0}, {6, 99, -EPROTO, false, 0}, {0, 0, -EPROTO, false, 0},
		{8, 0, 0, false, 45},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		peer_open(&peer, 0);
		is_int(peer_init(&peer, rows[i].major, rows[i].minor, 0), rows[i].error, "INIT");
		is_int(init_answer().minor, rows[i].answer, "the answer's version");
		is_int(fuse_session_is_ready(peer.session), rows[i].is_ready, "ready or not");
		is_int(peer_init(&peer, 7, 45, 0), rows[i].is_ready ? -EIO : 0,
			"one that is not ready may be asked again");
		peer_close(&peer);
	}
}

static void test_foreign_order(void)
{
	struct fuse_in_header h = {.len = 104u << 24, .opcode = FUSE_INIT_BSWAP_RESERVED};
	uint8_t bytes[64] = {0};

	peer_open(&peer, 0);
	is_int(peer_send_raw(&peer, &h, bytes, sizeof(bytes), 4096), -EIO,
		"INIT in the other byte order is refused");
	ok(!fuse_session_is_ready(peer.session), "and the session waits for another");
	peer_close(&peer);
}

/* One promise: who wants it and what is offered, against what is agreed. */
static void test_promises(void)
{
	static const struct {
		const char *title;
		uint32_t want;
		uint64_t flag;
	} rows[] = {
		{"ATOMIC_O_TRUNC", FS_WANT_ATOMIC_TRUNCATE, FUSE_ATOMIC_O_TRUNC},
		{"HANDLE_KILLPRIV_V2", FS_WANT_KILLPRIV_V2, FUSE_HANDLE_KILLPRIV_V2},
		{"WRITEBACK_CACHE", FS_WANT_WRITEBACK, FUSE_WRITEBACK_CACHE},
		{"DO_READDIRPLUS", FS_WANT_READDIRPLUS, FUSE_DO_READDIRPLUS},
		{"READDIRPLUS_AUTO", FS_WANT_READDIRPLUS_AUTO, FUSE_READDIRPLUS_AUTO},
		{"POSIX_LOCKS", FS_WANT_POSIX_LOCKS, FUSE_POSIX_LOCKS},
		{"FLOCK_LOCKS", FS_WANT_FLOCK, FUSE_FLOCK_LOCKS},
		{"POSIX_ACL", FS_WANT_POSIX_ACL, FUSE_POSIX_ACL},
		{"SETXATTR_EXT", FS_WANT_POSIX_ACL, FUSE_SETXATTR_EXT},
		{"DONT_MASK", FS_WANT_DONT_MASK, FUSE_DONT_MASK},
		{"EXPORT_SUPPORT", FS_WANT_EXPORT, FUSE_EXPORT_SUPPORT},
		{"CACHE_SYMLINKS", FS_WANT_SYMLINK_CACHE, FUSE_CACHE_SYMLINKS},
		{"SUBMOUNTS", FS_WANT_SUBMOUNTS, FUSE_SUBMOUNTS},
		{"NO_OPEN_SUPPORT", FS_WANT_NO_OPEN, FUSE_NO_OPEN_SUPPORT},
		{"NO_OPENDIR_SUPPORT", FS_WANT_NO_OPENDIR, FUSE_NO_OPENDIR_SUPPORT},
		{"EXPLICIT_INVAL_DATA", FS_WANT_EXPLICIT_INVAL, FUSE_EXPLICIT_INVAL_DATA},
		{"CREATE_SUPP_GROUP", FS_WANT_CREATE_GROUP, FUSE_CREATE_SUPP_GROUP},
	};
	static const uint64_t never = FUSE_SPLICE_READ | FUSE_SPLICE_WRITE | FUSE_SPLICE_MOVE |
		FUSE_HANDLE_KILLPRIV | FUSE_SECURITY_CTX | FUSE_HAS_INODE_DAX | 1ull << 40;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned way = 0; way < 4; way++) {
			bool is_wanted = way & 1, is_offered = way & 2;
			uint64_t flags;

			peer_open(&peer, is_wanted ? rows[i].want : ~rows[i].want);
			(void)peer_init(&peer, 7, 45, is_offered ? UINT64_MAX :
				~rows[i].flag);
			flags = init_answer().flags | (uint64_t)init_answer().flags2 << 32;
			ok(!(flags & rows[i].flag) == !(is_wanted && is_offered),
				"%s%s%s", rows[i].title, is_wanted ? ", wanted" : "",
				is_offered ? ", offered" : "");
			if (is_wanted && rows[i].flag != FUSE_SETXATTR_EXT)
				is_int(peer.recorder.fs.agreed & rows[i].want,
					is_offered ? rows[i].want : 0,
					"the file system knows");
			is_int(flags & never, 0, "what is never promised is not");
			peer_close(&peer);
		}
	}
}

static void test_agreement(void)
{
	uint64_t always = FUSE_INIT_EXT | FUSE_ASYNC_READ | FUSE_BIG_WRITES | FUSE_MAX_PAGES |
		FUSE_ASYNC_DIO | FUSE_PARALLEL_DIROPS | FUSE_ABORT_ERROR | FUSE_HAS_IOCTL_DIR |
		FUSE_AUTO_INVAL_DATA | FUSE_DIRECT_IO_ALLOW_MMAP;
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;
	struct fuse_init_out out;

	peer_open(&peer, 0);
	fuse_session_describe(peer.session, &text);
	is_text(buffer_text(&text), "FUSE: INIT has not been answered\n", "described before INIT");
	(void)peer_init(&peer, 7, 45, UINT64_MAX);
	out = init_answer();
	is_int(peer.size, 64, "the answer is whole");
	ok((out.flags | (uint64_t)out.flags2 << 32) == always, "what is always promised");
	is_int(out.max_write, FS_WRITE_MAX, "max_write");
	is_int(out.max_pages, 256, "max_pages");
	is_int(out.time_gran, 1, "time_gran");
	is_int(out.max_readahead, 131072, "max_readahead is the client's");
	is_int(out.max_background, 64, "max_background");
	is_int(out.congestion_threshold, 48, "congestion_threshold");
	fuse_session_describe(peer.session, &text);
	ok(strstr(buffer_text(&text), "ASYNC_DIO: yes"), "a promise kept is described");
	ok(strstr(buffer_text(&text), "FLOCK_LOCKS: not wanted"), "one not wanted too");
	peer_close(&peer);

	peer_open(&peer, FS_WANT_FLOCK);
	(void)peer_init(&peer, 7, 45,
		UINT64_MAX & ~(uint64_t)FUSE_INIT_EXT & ~(uint64_t)FUSE_FLOCK_LOCKS);
	is_int(init_answer().flags2, 0, "flags2 counts only with INIT_EXT");
	fuse_session_describe(peer.session, &text);
	ok(strstr(buffer_text(&text), "FLOCK_LOCKS: not offered"), "one not offered is described");
	peer_close(&peer);
}

/* What depends on an agreement. */
static void test_dependants(void)
{
	static const uint8_t extended[] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 'a', 0,
		'v'};

	peer_open(&peer, FS_WANT_POSIX_ACL | FS_WANT_EXPORT);
	(void)peer_init(&peer, 7, 45, UINT64_MAX);
	is_int(peer_send(&peer, FUSE_SETXATTR, 1, extended, sizeof(extended)), 0,
		"a long SETXATTR");
	is_text(peer.recorder.log, "setxattr 1 a v 0x10000", "tells that set-group-id goes");
	is_int(peer_send(&peer, FUSE_LOOKUP, 1, "..", 3), 0, "\"..\" may be looked up for export");
	is_int(peer_send(&peer, FUSE_RMDIR, 1, "..", 3), -EINVAL, "but not removed");
	peer_close(&peer);
}

/* ---- file systems that are not complete, or wrong ---- */

static void bare_destroy(struct fs *fs)
{
}

static int bare_lookup(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	return -ENOENT;
}

static int bare_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle)
{
	return -EACCES;
}

static void test_bare(uint32_t wants, int open_error)
{
	static const struct fs_ops bare_ops = {
		.name = "bare",
		.destroy = bare_destroy,
		.lookup = bare_lookup,
		.getattr = bare_getattr,
	};
	static const struct {
		uint32_t opcode;
		size_t size;
		int error;
	} rows[] = {
		{FUSE_STATFS, 0, -ENOSYS}, {FUSE_RELEASE, 24, 0}, {FUSE_RELEASEDIR, 24, 0},
		{FUSE_FLUSH, 24, -ENOSYS}, {FUSE_FSYNC, 16, -ENOSYS}, {FUSE_READ, 40, -ENOSYS},
		{FUSE_WRITE, 40, -ENOSYS}, {FUSE_IOCTL, 32, -ENOTTY}, {FUSE_ACCESS, 8, -ENOSYS},
		{FUSE_READDIR, 40, -ENOSYS}, {FUSE_SETATTR, 88, -ENOSYS}, {FUSE_READLINK, 0,
			-ENOSYS},
		{FUSE_FALLOCATE, 32, -ENOSYS}, {FUSE_SYNCFS, 8, -ENOSYS}, {FUSE_SETLK, 48, -ENOSYS},
		{FUSE_LISTXATTR, 8, -ENOSYS}, {FUSE_COPY_FILE_RANGE, 56, -ENOSYS},
	};
	static const uint8_t zeros[128];

	peer_open(&peer, wants);
	peer.recorder.fs.ops = &bare_ops;
	(void)peer_init(&peer, 7, 45, UINT64_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		is_int(peer_send(&peer, rows[i].opcode, 1, zeros, rows[i].size), rows[i].error,
			"an operation that is not there");
	is_int(peer_send(&peer, FUSE_OPEN, 1, zeros, 8), open_error, "OPEN that is not there");
	is_int(peer_send(&peer, FUSE_OPENDIR, 1, zeros, 8), open_error,
		"OPENDIR that is not there");
	(void)peer_send(&peer, FUSE_FORGET, 1, zeros, 8);
	is_int(peer.length, 0, "FORGET that is not there");
	peer_close(&peer);
}

static void test_results(void)
{
	static const struct {
		int result, error;
	} rows[] = {{-1, -1}, {-ENOENT, -ENOENT}, {-133, -133}, {-511, -511}, {-512, -EIO},
		{-4095, -EIO}, {-4096, -EIO}, {INT32_MIN, -EIO}};

	peer_open(&peer, 0);
	(void)peer_init(&peer, 7, 45, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		peer.recorder.result = rows[i].result;
		is_int(peer_send(&peer, FUSE_STATFS, 1, NULL, 0), rows[i].error,
			"an operation's error, as the kernel takes it");
		is_int(peer.length, 16, "without data");
	}
	peer_close(&peer);
}

/* ---- answers in place, and entries of a directory ---- */

static void test_buffer(void)
{
	struct fuse_read_in in = {.size = 100};
	struct iovec iov[4];
	size_t sum = 0;
	int n;

	peer_open(&peer, 0);
	(void)peer_init(&peer, 7, 45, 0);
	peer.recorder.is_keeper = true;
	(void)peer_send(&peer, FUSE_READ, 1, &in, sizeof(in));
	is_int(fuse_session_pending(peer.session), 1, "a request that is kept is pending");
	is_int(fs_reply_buffer(&peer.req, 101, iov, 4), -ERANGE, "more than asked for");
	is_int(fs_reply_buffer(&peer.req, 100, iov, 1), -EMSGSIZE, "in more pieces than there are");
	n = fs_reply_buffer(&peer.req, 100, iov, 4);
	is_int(n, 2, "the place for data, in two pieces");
	ok(iov[0].iov_base == peer.out_bytes + 16, "behind the header");
	for (int i = 0; i < n; i++) {
		memset(iov[i].iov_base, 'x', iov[i].iov_len);
		sum += iov[i].iov_len;
	}
	is_int(sum, 100, "as large as asked for");
	fs_reply_filled(&peer.req, 30);
	is_int(peer.size, 30, "the answer has what was filled");
	ok(peer.data[29] == 'x', "where it was filled");
	is_int(fuse_session_pending(peer.session), 0, "and the request is gone");
	(void)peer_send(&peer, FUSE_READ, 1, &in, sizeof(in));
	fs_reply_filled(&peer.req, 1000);
	is_int(peer.size, 100, "more than asked for is cut");
	peer_close(&peer);
}

static void test_encoding(void)
{
	struct fuse_read_in in = {.size = 4096};
	struct fuse_entry_out entry;
	struct fuse_attr_out attr;
	struct fuse_open_out open;
	struct fuse_dirent dirent;
	struct tacit_statx_out statx;

	peer_open(&peer, 0);
	(void)peer_init(&peer, 7, 45, 0);
	(void)peer_send(&peer, FUSE_LOOKUP, 1, "n", 2);
	memcpy(&entry, peer.data, sizeof(entry));
	ok(entry.nodeid == 9 && entry.generation == 8 && entry.entry_valid == 1 &&
			entry.entry_valid_nsec == 500000000 &&
			entry.attr_valid == UINT64_MAX / 1000000000,
		"an entry: node and how long it is valid");
	ok(entry.attr.ino == 42 && entry.attr.size == 4711 && entry.attr.blocks == 16 &&
			entry.attr.atime == 1 && entry.attr.mtimensec == 22 &&
			entry.attr.ctime == 3 && entry.attr.mode == 0100640 &&
			entry.attr.nlink == 3 && entry.attr.uid == 5 &&
			entry.attr.gid == 6 && entry.attr.rdev == 0x12345678 &&
			entry.attr.blksize == 512 && entry.attr.flags == 0,
		"and attributes");
	(void)peer_send(&peer, FUSE_GETATTR, 1, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	memcpy(&attr, peer.data, sizeof(attr));
	ok(attr.attr_valid == 2 && attr.attr_valid_nsec == 1 && attr.attr.size == 4711,
		"attributes");
	(void)peer_send(&peer, FUSE_OPCODE_STATX, 1, (uint8_t[24]){0}, 24);
	memcpy(&statx, peer.data, sizeof(statx));
	ok(statx.mask == 0x7ff && statx.mode == 0100640 && statx.size == 4711 &&
			statx.mtime.seconds == 2 && statx.mtime.nanoseconds == 22 &&
			statx.rdev_major == 0x456 && statx.rdev_minor == 0x12378,
		"the same as statx, the device number taken apart");
	(void)peer_send(&peer, FUSE_OPEN, 1, "\0\0\0\0\0\0\0", 8);
	memcpy(&open, peer.data, sizeof(open));
	is_int(open.fh, 77, "a handle");
	is_int(open.open_flags, FOPEN_DIRECT_IO | FOPEN_NOFLUSH | FOPEN_PARALLEL_DIRECT_WRITES,
		"and its flags");
	(void)peer_send(&peer, FUSE_READDIR, 1, &in, sizeof(in));
	memcpy(&dirent, peer.data + 32, sizeof(dirent));
	ok(dirent.ino == 41 && dirent.off == 2 && dirent.namelen == 8 && dirent.type == 8 &&
			memcmp(peer.data + 32 + 24, "eight888", 8) == 0,
		"an entry of a directory");
	ok(memcmp(peer.data + 24, "a\0\0\0\0\0\0\0", 8) == 0, "padded with zeros");
	(void)peer_send(&peer, FUSE_READDIRPLUS, 1, &in, sizeof(in));
	memcpy(&entry, peer.data + 160, sizeof(entry));
	memcpy(&dirent, peer.data + 160 + 128, sizeof(dirent));
	ok(entry.nodeid == 9 && dirent.ino == 42 && dirent.namelen == 8 && dirent.type == 8,
		"and one with its attributes");
	peer_close(&peer);
}

static void test_notifications(void)
{
	struct fuse_out_header header;
	struct fuse_notify_inval_inode_out node;
	struct fuse_notify_inval_entry_out entry;
	char long_name[257];

	memset(long_name, 'n', 256);
	long_name[256] = '\0';
	peer_open(&peer, 0);
	(void)peer_init(&peer, 7, 45, 0);
	is_int(fs_notify_node(&peer.recorder.fs, 5, -1, 0), 0, "a node's attributes are dropped");
	memcpy(&header, peer.notification, sizeof(header));
	memcpy(&node, peer.notification + sizeof(header), sizeof(node));
	ok(header.len == 40 && header.error == FUSE_NOTIFY_INVAL_INODE && header.unique == 0 &&
			node.ino == 5 && node.off == -1 && node.len == 0,
		"in the kernel's words");
	is_int(fs_notify_entry(&peer.recorder.fs, 5, "name"), 0, "an entry is dropped");
	memcpy(&header, peer.notification, sizeof(header));
	memcpy(&entry, peer.notification + sizeof(header), sizeof(entry));
	ok(header.len == 37 && header.error == FUSE_NOTIFY_INVAL_ENTRY && entry.parent == 5 &&
			entry.namelen == 4 && memcmp(peer.notification + 32, "name", 5) == 0,
		"in the kernel's words, with its NUL");
	is_int(fs_notify_entry(&peer.recorder.fs, 5, ""), -EINVAL, "a name that is none");
	is_int(fs_notify_entry(&peer.recorder.fs, 5, long_name), -EINVAL,
		"a name that is too long");
	peer_close(&peer);
}

static int passing_open(struct fuse_channel *channel, int fd, uint32_t *ret_backing)
{
	*ret_backing = (uint32_t)fd + 1;
	return 0;
}

static void passing_close(struct fuse_channel *channel, uint32_t backing)
{
}

/* A backing file is promised only where the transport has them, and its number is in the answer. */
static void test_backing(void)
{
	struct fuse_channel_ops passing = *peer.channel.ops;
	uint64_t offered = FUSE_INIT_EXT | FUSE_PASSTHROUGH;
	struct tacit_init_tail tail;
	struct tacit_open_out out;
	uint32_t backing = 0;

	peer_open(&peer, FS_WANT_PASSTHROUGH);
	(void)peer_init(&peer, 7, 45, offered);
	ok(!(peer.recorder.fs.agreed & FS_WANT_PASSTHROUGH), "no backing file without a way");
	is_int(fs_backing_open(&peer.recorder.fs, 4, &backing), -EOPNOTSUPP, "and none is opened");
	peer_close(&peer);

	peer_open(&peer, FS_WANT_PASSTHROUGH);
	passing = *peer.channel.ops;
	passing.backing_open = passing_open;
	passing.backing_close = passing_close;
	peer.channel.ops = &passing;
	peer.recorder.fs.stack_depth = 1;
	(void)peer_init(&peer, 7, 45, offered);
	memcpy(&tail, peer.data + TACIT_INIT_TAIL, sizeof(tail));
	ok(peer.recorder.fs.agreed & FS_WANT_PASSTHROUGH && tail.max_stack_depth == 2,
		"backing files, on overlayfs too");
	is_int(fs_backing_open(&peer.recorder.fs, 4, &backing), 0, "one is opened");
	is_int(backing, 5, "by the transport");
	fs_reply_open(&peer.req, &(struct fs_open){7, FS_OPEN_PASSTHROUGH, backing});
	memcpy(&out, peer.data, sizeof(out));
	ok(out.fh == 7 && out.open_flags == FOPEN_PASSTHROUGH && out.backing_id == 5,
		"the answer names it");
	peer_close(&peer);
}

int main(void)
{
	test_states();
	test_versions();
	test_foreign_order();
	test_promises();
	test_agreement();
	test_dependants();
	test_bare(0, 0);
	test_bare(FS_WANT_NO_OPEN | FS_WANT_NO_OPENDIR, -ENOSYS);
	test_results();
	test_buffer();
	test_encoding();
	test_notifications();
	test_backing();
	return tap_done();
}
