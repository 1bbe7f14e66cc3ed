/* SPDX-License-Identifier: MIT */
/*
 * filesystem.h — what a file system is: the operations it offers, and how it answers.
 *
 * This is one of the two headers in which the floors of the house meet (the other is
 * fuse/session.h). A file system implements struct fs_ops and knows nothing of the FUSE wire
 * format, descriptors or threads of a transport; the session decodes a request, calls exactly one
 * operation, and encodes what the fs_reply functions are given.
 *
 * The whole of it, in the order of this file: the values that requests and answers carry; what a
 * file system may want of its peer (FS_WANT_*); struct fs_ops, the operations; struct fs, the
 * object; what may be asked of a request; the answers; notifications. A file system is an object
 * that begins with struct fs, a constant table of operations, and functions like this one:
 *
 *	static int hello_getattr(struct fs *fs, struct fs_request *req, uint64_t node,
 *		bool has_handle, uint64_t handle)
 *	{
 *		if (node != FS_ROOT)
 *			return -ESTALE;
 *		fs_reply_attr(req, &hello_of(fs)->root, 0);
 *		return 0;
 *	}
 *
 * fs/null is a complete one in a hundred lines, fs/test/fake_request.h the stand-in for the session
 * under which one is tested.
 *
 * A request's life. An operation gets a struct fs_request and either
 *   - returns a negative errno: the session answers with that error; or
 *   - calls exactly one fs_reply function and returns 0; or
 *   - returns 0 without an answer: it has kept the request and calls exactly one fs_reply function
 *     later, from any thread. A kept request may be interrupted (fs_request_on_interrupt).
 * After the answer the request and all that was borrowed from it are gone.
 *
 * A node's life. FS_ROOT is known from the start. Every other node that an answer names (look-up,
 * creation, readdir with attributes) is held by the peer, once for each time it was named, until
 * `forget` gives the holds back; until then its id must find it, also when its last name is gone.
 * A handle lives from the answer to open or create until release.
 *
 * Names that reach an operation are checked: NUL-terminated, 1 to 255 bytes, no '/', never "." or
 * ".." where a name is made or removed. Names live until the answer. Everything else (node ids,
 * handles, sizes, flags) comes from the peer as it is: a file system checks ids through a slot map
 * (base/slots.h) and answers -EBADF or -ESTALE for those it does not know, never asserts.
 *
 * Threads: operations are called by several threads at once, for the same node too. destroy is
 * called once, when no request is left.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/reader.h"

#define FS_ROOT 1ull          /* node id of the root, known from the start */
#define FS_NAME_MAX 255       /* bytes, without the NUL */
#define FS_WRITE_MAX (1u << 20) /* bytes in one write; the kernel's own limit (256 pages) */

struct fs;
struct fs_request;

/* Who asks. Over a VM's transport pid is a guest's number and means nothing here. */
struct fs_caller {
	uint32_t uid;
	uint32_t gid;
	uint32_t pid;
};

struct fs_attr {
	uint64_t ino;
	uint64_t size;
	uint64_t blocks; /* of 512 bytes */
	struct timespec atime, mtime, ctime;
	uint32_t mode; /* type and permissions */
	uint32_t nlink;
	uint32_t uid;
	uint32_t gid;
	uint32_t rdev;    /* the kernel's 32-bit encoding */
	uint32_t blksize;
	struct timespec btime; /* of birth; valid with has_btime */
	bool has_btime;
	bool is_mount_root; /* a directory on another file system than its parent's */
};

/* How long the kernel may use an answer without asking again, in nanoseconds; 0: ask each time. */
#define FS_FOREVER UINT64_MAX

/* A looked-up node: its lookup count rises by one for each entry answered with node != 0. */
struct fs_entry {
	uint64_t node; /* 0: there is no such name, and the kernel may remember that */
	uint64_t generation;
	struct fs_attr attr;
	uint64_t entry_timeout;
	uint64_t attr_timeout;
};

#define FS_OPEN_DIRECT_IO (1u << 0)   /* no page cache: each read and write is a request */
#define FS_OPEN_KEEP_CACHE (1u << 1)  /* cached pages of an earlier open stay valid */
#define FS_OPEN_NONSEEKABLE (1u << 2)
#define FS_OPEN_CACHE_DIR (1u << 3)
#define FS_OPEN_NOFLUSH (1u << 4)     /* close need not be told */
#define FS_OPEN_PARALLEL_WRITES (1u << 5)
#define FS_OPEN_PASSTHROUGH (1u << 6) /* reads, writes and mappings go to `backing`, not to us */

struct fs_open {
	uint64_t handle;
	uint32_t flags;   /* FS_OPEN_* */
	uint32_t backing; /* with FS_OPEN_PASSTHROUGH: of fs_backing_open */
};

struct fs_statfs {
	uint64_t blocks, bfree, bavail; /* of bsize */
	uint64_t files, ffree;
	uint32_t bsize;
	uint32_t frsize;
	uint32_t namelen;
};

#define FS_SET_MODE (1u << 0)
#define FS_SET_UID (1u << 1)
#define FS_SET_GID (1u << 2)
#define FS_SET_SIZE (1u << 3)
#define FS_SET_ATIME (1u << 4)
#define FS_SET_MTIME (1u << 5)
#define FS_SET_ATIME_NOW (1u << 6)
#define FS_SET_MTIME_NOW (1u << 7)
#define FS_SET_CTIME (1u << 8)
#define FS_SET_KILL_SUIDGID (1u << 9)

struct fs_setattr {
	uint32_t valid; /* FS_SET_* */
	bool has_handle;
	uint64_t handle;
	struct fs_attr attr; /* mode, uid, gid, size, times: those named in valid */
};

/* A new node's attributes: mode holds the type; umask is 0 where the kernel applied it already. */
struct fs_create {
	uint32_t mode;
	uint32_t umask;
	uint32_t rdev;
};

struct fs_write {
	uint64_t handle;
	uint64_t offset;
	uint32_t open_flags; /* of the descriptor, O_* */
	bool is_cached;      /* written back from the page cache; the caller is not the writer */
	bool kill_suidgid;
};

struct fs_lock {
	uint64_t handle;
	uint64_t owner;
	uint64_t start, end; /* bytes, inclusive; end UINT64_MAX: to the end of file */
	uint32_t type;       /* F_RDLCK, F_WRLCK, F_UNLCK */
	uint32_t pid;
	bool is_flock;
	bool may_wait;
};

struct fs_ioctl {
	uint64_t handle;
	uint32_t command;
	bool is_directory;
	uint32_t out_size; /* bytes the caller takes back at the most */
};

struct fs_copy {
	uint64_t from_node, from_handle, from_offset;
	uint64_t to_node, to_handle, to_offset;
	uint64_t length;
	uint32_t flags;
};

/* A flag beside those of setxattr(2): this access ACL clears the file's set-group-id bit. */
#define FS_XATTR_KILL_SETGID (1u << 16)

/*
 * What a file system would like of the session; a peer that does not offer it is served without.
 * The session's table (fuse/promise.c) gives each its FUSE flag and the reason for it.
 */
#define FS_WANT_ATOMIC_TRUNCATE (1u << 0) /* open is told O_TRUNC instead of a setattr of size 0 */
#define FS_WANT_KILLPRIV_V2 (1u << 1)     /* we strip set-id bits: no question before a write */
#define FS_WANT_WRITEBACK (1u << 2)
#define FS_WANT_READDIRPLUS (1u << 3)
#define FS_WANT_READDIRPLUS_AUTO (1u << 4)
#define FS_WANT_POSIX_LOCKS (1u << 5)
#define FS_WANT_FLOCK (1u << 6)
#define FS_WANT_POSIX_ACL (1u << 7)
#define FS_WANT_DONT_MASK (1u << 8)       /* umask is ours to apply (default ACLs) */
#define FS_WANT_EXPORT (1u << 9)          /* "." and ".." may be looked up (NFS handles) */
#define FS_WANT_SYMLINK_CACHE (1u << 10)
#define FS_WANT_SUBMOUNTS (1u << 11)
#define FS_WANT_NO_OPEN (1u << 12)        /* ENOSYS to open means: never ask again */
#define FS_WANT_NO_OPENDIR (1u << 13)
#define FS_WANT_EXPLICIT_INVAL (1u << 14) /* data caches are dropped by notification only */
#define FS_WANT_CREATE_GROUP (1u << 15)   /* creation carries the parent's group */
#define FS_WANT_PASSTHROUGH (1u << 16)    /* open files may have a backing file */

/*
 * The operations. Every member may be NULL: the session then answers ENOSYS (which makes the kernel
 * stop asking, where it does), or what the comment says. `node` and handles are as the peer sent
 * them. None may block for long: what may sleep keeps the request.
 */
struct fs_ops {
	const char *name;
	uint32_t wants; /* FS_WANT_*; an instance may add to it in struct fs */

	/* Frees the file system. Called once, when no request is left. Never NULL. */
	void (*destroy)(struct fs *fs);

	/* ret_entry through fs_reply_entry; -ENOENT for a name that is not there. Never NULL. */
	int (*lookup)(struct fs *fs, struct fs_request *req, uint64_t node, const char *name);
	/* The kernel drops `count` of a node's lookups; 0 left: the node may go. No answer. */
	void (*forget)(struct fs *fs, uint64_t node, uint64_t count);
	/* fs_reply_attr. handle is valid only with has_handle. Never NULL. A timeout of 0 makes the
	 * kernel ask again each time. */
	int (*getattr)(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
		uint64_t handle);
	/* fs_reply_attr, with what they are now: what set->valid names changes, all or nothing. */
	int (*setattr)(struct fs *fs, struct fs_request *req, uint64_t node,
		const struct fs_setattr *set);
	/* fs_reply_data: the target, without a NUL. */
	int (*readlink)(struct fs *fs, struct fs_request *req, uint64_t node);
	/* mknod, mkdir, symlink, link: fs_reply_entry. */
	int (*mknod)(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
		const struct fs_create *create);
	int (*mkdir)(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
		const struct fs_create *create);
	int (*symlink)(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
		const char *target);
	int (*link)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t parent,
		const char *name);
	/* unlink, rmdir, rename: fs_reply_ok. */
	int (*unlink)(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name);
	int (*rmdir)(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name);
	int (*rename)(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
		uint64_t new_parent, const char *new_name, uint32_t flags);

	/* fs_reply_open. NULL: opened with handle 0. flags are O_*. */
	int (*open)(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags,
		bool kill_suidgid);
	/* fs_reply_create: look-up, creation and open in one. */
	int (*create)(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
		uint32_t flags, const struct fs_create *create, bool kill_suidgid);
	/* fs_reply_create: a file without a name, open. */
	int (*tmpfile)(struct fs *fs, struct fs_request *req, uint64_t parent, uint32_t flags,
		const struct fs_create *create);
	/* fs_reply_data or fs_reply_buffer; fewer bytes than size only at the end of the file. */
	int (*read)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
		uint64_t offset, uint32_t size, uint32_t open_flags);
	/* fs_reply_written. The bytes are fs_request_payload's. */
	int (*write)(struct fs *fs, struct fs_request *req, uint64_t node,
		const struct fs_write *write);
	/* fs_reply_ok: a descriptor is closed; there may be others of the same handle. */
	int (*flush)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
		uint64_t lock_owner);
	/* fs_reply_ok; an error goes nowhere. NULL: done. */
	int (*release)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
		uint32_t flags);
	/* fs_reply_ok. Its error is the program's to see. */
	int (*fsync)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
		bool is_data_only);

	/* fs_reply_open. NULL: opened with handle 0. */
	int (*opendir)(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags);
	/* fs_reply_dirent (or fs_reply_direntplus) for each entry from `offset` on until it says
	 * full, then fs_reply_dir_end. offset 0 is the start, others are `next` values given. */
	int (*readdir)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
		uint64_t offset, bool is_plus);
	int (*releasedir)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
		uint32_t flags);
	int (*fsyncdir)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
		bool is_data_only);

	/* fs_reply_statfs. */
	int (*statfs)(struct fs *fs, struct fs_request *req, uint64_t node);
	/* fs_reply_ok or -EACCES; mask is access(2)'s. Asked only without default_permissions. */
	int (*access)(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t mask);

	/* size 0: fs_reply_xattr_size; else fs_reply_data, or -ERANGE when it does not fit. */
	int (*getxattr)(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
		uint32_t size);
	int (*listxattr)(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t size);
	/* The value is contiguous and lives until the answer. flags: XATTR_CREATE, XATTR_REPLACE,
	 * FS_XATTR_KILL_SETGID. */
	int (*setxattr)(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
		const void *value, size_t size, uint32_t flags);
	int (*removexattr)(struct fs *fs, struct fs_request *req, uint64_t node, const char *name);

	/* fs_reply_lock: one that is in the way, or with type F_UNLCK that there is none. */
	int (*getlk)(struct fs *fs, struct fs_request *req, uint64_t node,
		const struct fs_lock *lock);
	/* fs_reply_ok; -EAGAIN where it is in the way, unless lock->may_wait. */
	int (*setlk)(struct fs *fs, struct fs_request *req, uint64_t node,
		const struct fs_lock *lock);

	/* fs_reply_ioctl. The argument bytes are fs_request_payload's. NULL: ENOTTY. */
	int (*ioctl)(struct fs *fs, struct fs_request *req, uint64_t node,
		const struct fs_ioctl *ioctl);
	/* fs_reply_ok; mode is fallocate(2)'s. */
	int (*fallocate)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
		uint32_t mode, uint64_t offset, uint64_t length);
	/* fs_reply_lseek. SEEK_DATA and SEEK_HOLE only; the kernel does the others itself. */
	int (*lseek)(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
		uint64_t offset, uint32_t whence);
	/* fs_reply_written. */
	int (*copy_file_range)(struct fs *fs, struct fs_request *req, const struct fs_copy *copy);
	/* fs_reply_ok. */
	int (*syncfs)(struct fs *fs, struct fs_request *req, uint64_t node);
};

/* Embedded first in every file system. */
struct fs {
	const struct fs_ops *ops;
	uint32_t wants; /* FS_WANT_* beyond ops->wants; set before the session starts */
	uint32_t agreed; /* FS_WANT_* that the peer offers too; set before any operation */
	uint32_t stack_depth; /* of backing files' file systems: 0 on a disk, 1 on overlayfs */
	struct fs_notifier *notifier; /* the session's, from its start until destroy; else NULL */
};

/* ---- of a request ---- */

struct fs_caller fs_request_caller(const struct fs_request *req);

/* With FS_WANT_CREATE_GROUP: true when a creation says that the parent's group is the caller's. */
bool fs_request_group(const struct fs_request *req, uint32_t *ret_gid);

/* The bytes that follow a write's or ioctl's arguments; a copy of the reader, taken once. */
struct iov_reader fs_request_payload(const struct fs_request *req);

/*
 * A kept request: calls interrupted(arg) at most once, from a transport's thread, when the caller
 * was killed or got a signal. It may answer the request (-EINTR) or let it go on. To be called by
 * the operation itself, once, before another thread can answer.
 *
 * The call is never made after, or at the same time as, an answer has returned: an answer from
 * another thread waits for it, so give none under a lock that interrupted takes (this function may
 * be called under it). True is returned, and no call made, when the interrupt has come already.
 */
bool fs_request_on_interrupt(struct fs_request *req, void (*interrupted)(void *arg), void *arg);

/*
 * Memory of the request's own, which lives until the answer: for what a kept request needs. size
 * is FS_MEMORY_MAX at the most, aligned for any type, not cleared. It is the same memory at each
 * call, and where names and values lie: only for operations without them (reads, writes, syncs).
 */
#define FS_MEMORY_MAX 32768u
void *fs_request_memory(struct fs_request *req, size_t size);

/* ---- input and output that may sleep ---- */

enum fs_io_kind { FS_IO_READ, FS_IO_WRITE, FS_IO_SYNC, FS_IO_DATASYNC };

/*
 * One system call on a descriptor of the host: preadv2, pwritev2, fsync or fdatasync. It lies in
 * the request's memory or the file system's own and is the transport's until done is called.
 */
struct fs_io {
	enum fs_io_kind kind;
	int fd;
	int flags; /* RWF_*, of a read or write */
	const struct iovec *iov;
	size_t count;
	uint64_t offset; /* bytes */
	/* The result: bytes or a negative errno. On the request's own worker, never from within
	 * fs_request_io; with the request unanswered, so that it may answer or submit again. */
	void (*done)(struct fs_request *req, struct fs_io *io, ssize_t result);
	struct fs_request *req; /* set by fs_request_io */
};

/*
 * Keeps the request and makes the call without blocking its worker; it runs with the calling
 * thread's credentials of now. To be called by the operation itself, or from done. 0: done will be
 * called. -EOPNOTSUPP where the transport has no way, -EAGAIN when too many are under way: the
 * caller makes the call itself then.
 */
int fs_request_io(struct fs_request *req, struct fs_io *io) MUST_CHECK;

/* ---- answers: each ends the request ---- */

void fs_reply_error(struct fs_request *req, int error); /* a negative errno */
void fs_reply_ok(struct fs_request *req);
void fs_reply_entry(struct fs_request *req, const struct fs_entry *entry);
void fs_reply_create(struct fs_request *req, const struct fs_entry *entry,
	const struct fs_open *open);
void fs_reply_attr(struct fs_request *req, const struct fs_attr *attr, uint64_t attr_timeout);
void fs_reply_open(struct fs_request *req, const struct fs_open *open);
void fs_reply_written(struct fs_request *req, size_t size);
/* Copied, and cut to what was asked for (an extended attribute that does not fit: -ERANGE). */
void fs_reply_data(struct fs_request *req, const void *data, size_t size);
void fs_reply_statfs(struct fs_request *req, const struct fs_statfs *statfs);
void fs_reply_xattr_size(struct fs_request *req, size_t size);
void fs_reply_lseek(struct fs_request *req, uint64_t offset);
void fs_reply_lock(struct fs_request *req, const struct fs_lock *lock);
void fs_reply_ioctl(struct fs_request *req, int result, const void *data, size_t size);

/*
 * The place of a reply's data itself (a worker's buffer or a guest's memory), to read into without
 * a copy: the iovecs that hold the first `size` bytes. Returns their number; -ERANGE for more than
 * was asked, -EMSGSIZE when max iovecs are too few. No answer yet: fs_reply_filled,
 * with the number of bytes that lie there, is one.
 */
int fs_reply_buffer(struct fs_request *req, size_t size, struct iovec *iov, size_t max) MUST_CHECK;
void fs_reply_filled(struct fs_request *req, size_t size);

/* Adds an entry to a readdir answer; false when it is full (the entry is not in it). type is DT_*;
 * `next` is the offset at which the following entry will be asked for. */
bool fs_reply_dirent(struct fs_request *req, const char *name, uint64_t ino, uint32_t type,
	uint64_t next);
/* The same with the node: its lookup count rises unless entry->node is 0. */
bool fs_reply_direntplus(struct fs_request *req, const char *name, const struct fs_entry *entry,
	uint64_t next);
void fs_reply_dir_end(struct fs_request *req);

/* ---- what a file system may tell the kernel unasked ---- */

/*
 * Drops cached attributes and, from offset on, data of a node (length 0: to the end; offset < 0:
 * attributes only). 0; -ENOENT when the kernel does not know it; -ENOTCONN. May wait for the
 * kernel: never call it from inside an operation on the same node. Any thread.
 */
int fs_notify_node(struct fs *fs, uint64_t node, int64_t offset, int64_t length);

/* Drops a directory entry that the kernel may have cached. As fs_notify_node. */
int fs_notify_entry(struct fs *fs, uint64_t parent, const char *name);

/* ---- backing files: the kernel reads and writes them itself ---- */

/*
 * Registers an open regular file, which the caller may close at once, as a backing file; the kernel
 * will act on it with the calling thread's credentials of now. With FS_WANT_PASSTHROUGH agreed.
 * All that have a node open at a time must be given the same one. 0 and *ret_backing, to be closed
 * when no handle uses it; -EOPNOTSUPP for a transport without them; -EPERM; -ELOOP when the file's
 * file system is stacked too deep. Any thread.
 */
int fs_backing_open(struct fs *fs, int fd, uint32_t *ret_backing) MUST_CHECK;
void fs_backing_close(struct fs *fs, uint32_t backing);
