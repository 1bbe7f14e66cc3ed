/* SPDX-License-Identifier: MIT */
/*
 * internal.h — what the files of the directory server share.
 *
 *   passthrough.c  its life, its operations, statfs
 *   table.c        ids of nodes and of open files
 *   nodes.c        nodes: found by inode, counted, forgotten; their descriptors
 *   attributes.c   getattr, setattr
 *   names.c        what is done with names: lookup, creation, removal, links
 *   files.c        open files: their life, reads, writes
 *   space.c        fallocate, lseek, copy_file_range
 *   directory.c    open directories
 *   xattr.c        extended attributes and access lists
 *   flags.c        ioctl of file flags
 *   locks.c        flock and fcntl locks, and those who wait for them
 *   identity.c     for whom a thread acts; what a caller may
 *   killpriv.c     set-id bits that an operation takes away
 *
 * Locks, in the order in which they are taken: shard.lock (of one inode in 64), mounts_lock,
 * table.lock; alone: locks.lock, file.lock (of one open directory). A read or write takes none.
 *
 * Descriptors. A node has an O_PATH descriptor. When there are too many, those not used lately are
 * exchanged for file handles, where the kernel lets us open one again; else a new node fails with
 * EMFILE in the end. Regular files and directories alone are ever opened for real: another's open
 * would act on a device or wait for a peer (CVE-2020-35517).
 */
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fs/filesystem.h"
#include "fs/passthrough/idmap.h"
#include "fs/passthrough/passthrough.h"
#include "fs/passthrough/table.h"
#include "fs/passthrough/xattrmap.h"

#define XATTR_CAPABILITY "security.capability"
#define XATTR_ACCESS_LIST "system.posix_acl_access"
#define XATTR_DEFAULT_LIST "system.posix_acl_default"

#define SHARDS 64u /* a power of two */

/* Which inode of the host: a number may be the same on two file systems, and a file system may be
 * mounted twice. */
struct node_key {
	uint64_t ino;
	uint64_t device;
	uint64_t mount;
};

struct lock_owner;
struct node_handle;

struct node {
	uint64_t id;
	struct node_key key;
	_Atomic uint64_t descriptor; /* descriptor + 1 << 32 | uses; 0: there is none */
	_Atomic(struct node_handle *) handle; /* owned; stays once it is there */
	uint64_t lookups;            /* under the shard's lock */
	struct node *next;           /* of the same bucket */
	uint32_t type;               /* S_IFMT's part of the mode: never changes */
	atomic_uint permissions;     /* the mode's other part, as last seen (killpriv.c) */
	_Atomic uint64_t no_capability_until; /* killpriv.c: time up to which it has none */
	atomic_bool is_used;         /* lately */
	atomic_bool lost_capability; /* security.capability was just removed by the client */
	_Atomic(struct lock_owner *) owners; /* of fcntl locks; written under locks.lock */
};

struct shard {
	pthread_mutex_t lock;
	struct node **buckets; /* owned; a power of two of them */
	uint32_t bucket_count;
	uint32_t count;
	uint32_t hand; /* bucket at which the next search for an unused descriptor begins */
};

/* An open directory's place in its listing. */
struct listing {
	pthread_mutex_t lock;
	uint64_t next;  /* offset that the entries in data begin at */
	size_t begin, end;
	char data[32768];
};

/* An open file or directory. */
struct file {
	uint64_t id;
	int fd;
	struct node *node;       /* holds a reference */
	bool is_direct;          /* O_DIRECT */
	bool is_writable;
	struct listing *listing; /* of a directory; owned */
};

struct mount_fd {
	uint64_t mount;
	int fd;
	struct mount_fd *next;
};

struct lock_table {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct lock_wait *waiting;
	pthread_t thread;
	bool has_thread;
	bool is_ending;
};

struct passthrough {
	struct fs fs; /* first */
	struct passthrough_config config;
	struct xattrmap *xattrmap; /* owned; NULL: names are the same on both sides */
	struct idmap *uids, *gids; /* owned; NULL: ids are the same on both sides */
	char *capability_name;   /* the host's, where it is another; else NULL; owned */
	bool has_access_lists;
	bool is_privileged; /* acts as root for others */
	uint64_t entry_timeout, attr_timeout;
	uint64_t user_namespace; /* inode of ours */
	struct node root;
	struct table nodes;
	struct table files;
	struct shard shards[SHARDS];
	atomic_uint descriptors; /* of nodes */
	unsigned descriptors_max;
	atomic_uint hand;        /* shard to look for an unused descriptor in */
	atomic_bool can_reopen;  /* handles can be opened, as far as is known */
	pthread_mutex_t mounts_lock;
	struct mount_fd *mounts; /* only grows */
	struct lock_table locks;
	pthread_mutex_t options_lock;
	char *options_error;     /* owned; under options_lock */
};

static inline struct passthrough *passthrough_of(struct fs *fs)
{
	return (struct passthrough *)fs; /* embedded first */
}

/* The path of an open descriptor, whatever it refers to. */
struct proc_path {
	char text[32];
};

static inline struct proc_path proc_path(int fd)
{
	struct proc_path path;

	(void)snprintf(path.text, sizeof(path.text), "/proc/self/fd/%d", fd);
	return path;
}

/* ---- nodes ---- */

int inodes_init(struct passthrough *pt) MUST_CHECK;
void inodes_fini(struct passthrough *pt); /* all, known or not */

/* A node with a reference and its descriptor, which stays open until it is let go. */
struct held {
	struct passthrough *pt;
	struct node *node; /* NULL: nothing is held */
	int fd;
};

void held_release(struct held *held);
#define CLEAN_HELD __attribute__((cleanup(held_release)))

/* 0; -ESTALE for an id that is not known, or a node that is gone; -EMFILE. */
int node_hold(struct passthrough *pt, uint64_t id, struct held *ret) MUST_CHECK;

/* A reference alone; NULL when the id is not known. */
struct node *node_get(struct passthrough *pt, uint64_t id);
void node_put(struct passthrough *pt, struct node *node);

/*
 * The node of an O_PATH descriptor that has just been opened, its lookup count raised; takes the
 * descriptor in any case. ret_stx is what the node looks like now.
 */
int node_adopt(struct passthrough *pt, int take_descriptor, uint64_t *ret_id, struct statx *ret_stx)
	MUST_CHECK;
void node_forget(struct passthrough *pt, uint64_t id, uint64_t count);

/*
 * Opens a node for real: EACCES or what else the host says; -ELOOP for a symbolic link, -ENXIO for
 * what is neither a regular file nor a directory. O_NOFOLLOW is never among the flags.
 */
int node_open(const struct held *held, int flags) MUST_CHECK;

/* ---- attributes ---- */

#define STATX_WANTED (STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID)

/* Reads a descriptor's attributes. 0 or -errno. */
int stat_descriptor(int fd, struct statx *ret) MUST_CHECK;
struct node_key node_key_of(const struct statx *stx);

/* Notes the mode that a node was seen with. */
void node_see(struct node *node, const struct statx *stx);
dev_t device_decode(uint32_t encoded); /* a node of a device, from the kernel's 32 bits */
/* With the client's ids. */
void attr_of_statx(const struct passthrough *pt, const struct statx *stx, struct fs_attr *ret);
/* How long attributes may be used: not at all where bits may go without the client's doing. */
uint64_t attr_timeout_of(const struct passthrough *pt, const struct statx *stx);

/* Looks a name up in a held directory and makes an entry of it. 0 or -errno. */
int entry_lookup(const struct held *parent, const char *name, struct fs_entry *ret) MUST_CHECK;

/* ---- identity ---- */

/* Lets the calling thread create for the caller until identity_end: owner, group, umask. */
struct identity {
	bool is_changed;
	bool has_group;
};
int identity_begin(struct passthrough *pt, const struct fs_request *req, uint32_t mode,
	uint32_t umask, struct identity *ret) MUST_CHECK;
void identity_end(const struct identity *identity);

/* Whether the calling thread's operations keep set-id bits (CAP_FSETID); stays so until changed. */
void identity_keep_setid(struct passthrough *pt, bool keep);

/* What the caller really may; from /proc where its pid is one of ours. Ids are the client's. */
bool caller_has(const struct passthrough *pt, const struct fs_caller *caller, unsigned capability);
bool caller_is_member(const struct passthrough *pt, const struct fs_caller *caller, uint32_t gid);

/* ---- killpriv ---- */

/* The permission bits that are left when such a file, of a group of the host, is changed by the
 * caller. */
uint32_t killpriv_left(const struct passthrough *pt, const struct fs_caller *caller, uint32_t mode,
	uint32_t gid);

/*
 * Before an operation that changes a regular file through fd (O_PATH or real): with kill, what the
 * caller's change takes away is gone, or goes with the operation. 0 or -errno.
 */
int killpriv_before(struct passthrough *pt, const struct fs_request *req, struct node *node, int fd,
	bool kill) MUST_CHECK;

/* The same for an operation whose request does not say whether to kill. */
int killpriv_before_unsaid(struct passthrough *pt, const struct fs_request *req, struct node *node,
	int fd) MUST_CHECK;

/*
 * Removes a capability that has a name which the host does not know, if there may be one. Part of
 * killpriv_before. 0 or -errno.
 */
int killpriv_capability(const struct passthrough *pt, struct node *node, int fd) MUST_CHECK;
/* The file was given one. */
void killpriv_see_capability(struct node *node);

/* ---- extended attributes ---- */

/* Takes note of what the map of names means. 0 or -ENOMEM. */
int xattr_init(struct passthrough *pt) MUST_CHECK;

/* True for an attribute (by the client's name) with ids in its value, where those have a map. */
bool value_has_ids(const struct passthrough *pt, const char *name);
/* Translates such a value where it lies. 0; -EINVAL for no such value; -EPERM for a forbidden id. */
int value_to_host(const struct passthrough *pt, const char *name, void *value, size_t size)
	MUST_CHECK;
int value_to_client(const struct passthrough *pt, const char *name, void *value, size_t size)
	MUST_CHECK;

/* ---- files ---- */

struct file *file_get(struct passthrough *pt, uint64_t handle);
void file_put(struct passthrough *pt, struct file *file);

/* A handle for an open descriptor, which it takes in any case. */
int file_new(struct passthrough *pt, struct node *node, int take_descriptor, int flags,
	struct listing *take_listing, struct fs_open *ret) MUST_CHECK;
/* The FS_OPEN_* of a regular file, by the cache mode. */
uint32_t file_open_flags(const struct passthrough *pt);
/* Flags of open(2) for the host, of those that the client gave. */
int file_host_flags(const struct passthrough *pt, uint32_t flags);
void files_fini(struct passthrough *pt);

/* A held file; like struct held. */
struct held_file {
	struct passthrough *pt;
	struct file *file;
};
static inline void held_file_release(struct held_file *held)
{
	if (held->file)
		file_put(held->pt, held->file);
}
#define CLEAN_FILE __attribute__((cleanup(held_file_release)))
int file_hold(struct passthrough *pt, uint64_t handle, struct held_file *ret) MUST_CHECK;

/* ---- locks ---- */

void locks_init(struct passthrough *pt);
void locks_stop(struct passthrough *pt); /* nobody waits any more; ends the thread */
void locks_fini(struct passthrough *pt); /* no file is open */
/* Ends the fcntl locks that `owner` has on a node. */
void locks_drop_owner(struct passthrough *pt, struct node *node, uint64_t owner);
/* Ends those that were made through a handle that is released. */
void locks_drop_handle(struct passthrough *pt, struct node *node, uint64_t handle);
/* A descriptor with locks was closed, so others may have theirs now. */
void locks_changed(struct passthrough *pt);

/* ---- operations, as in struct fs_ops ---- */

int op_lookup(struct fs *fs, struct fs_request *req, uint64_t node, const char *name);
void op_forget(struct fs *fs, uint64_t node, uint64_t count);
int op_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle);
int op_setattr(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_setattr *set);
int op_readlink(struct fs *fs, struct fs_request *req, uint64_t node);
int op_mknod(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *create);
int op_mkdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *create);
int op_symlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const char *target);
int op_link(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t parent,
	const char *name);
int op_unlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name);
int op_rmdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name);
int op_rename(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint64_t new_parent, const char *new_name, uint32_t flags);
int op_open(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags,
	bool kill_suidgid);
int op_create(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint32_t flags, const struct fs_create *create, bool kill_suidgid);
int op_tmpfile(struct fs *fs, struct fs_request *req, uint64_t parent, uint32_t flags,
	const struct fs_create *create);
int op_read(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle, uint64_t offset,
	uint32_t size, uint32_t open_flags);
int op_write(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_write *write);
int op_flush(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t lock_owner);
int op_release(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint32_t flags);
int op_fsync(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	bool is_data_only);
int op_opendir(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags);
int op_readdir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, bool is_plus);
int op_statfs(struct fs *fs, struct fs_request *req, uint64_t node);
int op_access(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t mask);
int op_getxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	uint32_t size);
int op_listxattr(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t size);
int op_setxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	const void *value, size_t size, uint32_t flags);
int op_removexattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name);
int op_getlk(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_lock *lock);
int op_setlk(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_lock *lock);
int op_ioctl(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_ioctl *in);
int op_fallocate(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint32_t mode, uint64_t offset, uint64_t length);
int op_lseek(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, uint32_t whence);
int op_copy_file_range(struct fs *fs, struct fs_request *req, const struct fs_copy *copy);
int op_syncfs(struct fs *fs, struct fs_request *req, uint64_t node);
