/* SPDX-License-Identifier: MIT */
/*
 * internal.h — the file system object of efivarfs, and what its parts offer one another.
 *
 * Who touches what. The services belong to the firmware thread (executor.h); functions that use
 * them say "firmware thread only". Nodes and handles are under `lock`, which is held for memory
 * work alone, never across a question to the services or an answer. What statfs needs is atomic.
 *
 * What can be answered without the services is answered by the worker that asks: everything that is
 * known of an exclusive store. Of a store that others may change, look-up, getattr, open and the
 * start of a listing first ask whether it has changed, on the firmware thread.
 *
 * Locks, in the order of taking: `lock`; nothing inside it. notes.lock, statfs.lock and the
 * executor's own are leaves.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "fs/efivars/efivars.h"
#include "fs/efivars/executor.h"
#include "fs/efivars/nodes.h"
#include "fs/efivars/notes.h"
#include "fs/efivars/rules.h"
#include "fs/efivars/statfs.h"

/*
 * Largest write: less than what a kernel puts into one request, so that the first piece of a longer
 * write, which would look like a whole variable, is refused.
 */
#define WRITE_MAX (FS_WRITE_MAX - 4096)

struct efivars {
	struct fs fs; /* first */
	struct efivars_config config; /* options in it: only uid and gid, which stay */
	struct executor *executor;
	_Atomic bool is_statfs_on;
	_Atomic bool is_read_only;
	struct statfs_cache statfs;
	struct notes notes;

	/* firmware thread only, once it runs */
	struct uefi_services *services;

	uint32_t supported; /* the services' own word, which does not change */
	/* nobody else can change the variables: what is remembered is true. A remount changes it */
	_Atomic bool is_exclusive;

	/* the services ended the list early: a name that is not in it may be there all the same */
	_Atomic bool is_list_cut;

	pthread_mutex_t lock;
	struct nodes nodes;
};

static inline struct efivars *efivars_of(struct fs *fs)
{
	return (struct efivars *)fs;
}

/* A job of the firmware thread with what the operations here need. */
struct task {
	struct job job; /* first */
	struct efivars *e;
	void (*run)(struct task *task);
	uint64_t node;
	uint64_t handle;
	uint64_t offset;
	uint32_t size;  /* bytes that were asked for */
	uint32_t flags; /* of open: O_* */
	bool kill_suidgid;
	bool is_plus; /* readdir's */
	struct fs_create create;
	struct variable_key key;
	char name[FILE_NAME_SIZE];
	uint8_t *data; /* owned; NULL, or the bytes of a write or of a value */
	size_t data_size;
	uint32_t attributes; /* of a write */
};

/* task.c */

/* A task for a request, or NULL without memory. */
struct task *task_new(struct efivars *e, struct fs_request *req, void (*run)(struct task *task));
struct task *task_free(struct task *task);
DEFINE_CLEAN(struct task *, task_free)
/* The services have been asked all: the request, to be answered at once. From run, once. */
struct fs_request *task_end(struct task *task);
/* Hands the task to the firmware thread, which answers. Always 0: an operation returns it. */
int task_submit(struct task *take_task);

/* variable.c: firmware thread only */

/*
 * Reads a variable in one question, as a rule. SUCCESS with a reference in *ret; OUT_OF_RESOURCES
 * also when there is no memory; DEVICE_ERROR when the services contradict themselves.
 */
enum uefi_status variable_get(struct efivars *e, const struct variable_key *key,
	struct content **ret);
enum uefi_status variable_set(struct efivars *e, const struct variable_key *key,
	uint32_t attributes, const void *data, size_t size);
/* The errno for a status that refused an operation on a name; notes the reason. Never -ENOENT. */
int variable_refused(struct efivars *e, const char *name, const char *what,
	enum uefi_status status);
/*
 * Makes a node's size known by reading it. What cannot be read counts as known, with the size of
 * the attributes alone. A variable that is gone is removed. Takes the lock.
 */
void variable_load(struct efivars *e, uint64_t id);
/* The same of the node that is listed under a canonical name, if there is one. */
void variable_load_named(struct efivars *e, const char *canonical);

/* listing.c: firmware thread only, or before it runs */

/* Reads the whole list. 0; -EOPNOTSUPP, -EIO when it cannot even begin; -ENOMEM. Takes the lock. */
int listing_read(struct efivars *e) MUST_CHECK;
/* Every variable's content is asked for at its next use. Takes the lock. */
void listing_forget_contents(struct efivars *e);
/* Reads it again if the store is shared and has changed; failures are noted. Takes the lock. */
void listing_refresh(struct efivars *e);
/*
 * Looks for a variable that a cut list may lack, and lists it when it is there. 0 (also when the
 * list is whole), or -EIO when the services cannot say. Takes the lock.
 */
int listing_find_missing(struct efivars *e, const struct variable_key *key) MUST_CHECK;

/* nodes with the options of the mount; under the lock */

/* Adds a node with the owner, mode and times of a new file. As nodes_add. */
int efivars_add_node(struct efivars *e, const struct variable_key *key, const char *shown,
	uint32_t mode, struct node **ret) MUST_CHECK;
/* True when a look-up can be answered from memory. */
bool efivars_knows(const struct efivars *e, const struct node *node);
void efivars_fill_attr(const struct node *node, struct fs_attr *ret);
/* Fills the entry and counts a look-up. */
void efivars_fill_entry(struct node *node, struct fs_entry *ret);
/* The directory's times, after an entry came or went. */
void efivars_touch_root(struct efivars *e);
/* -EROFS when the mount is read-only. */
int efivars_check_writable(struct efivars *e) MUST_CHECK;

/*
 * Notes why something cannot be done to a file, where the errno is one of ours that needs a word
 * (EPERM: it is immutable; EROFS); returns r. Not under the lock.
 */
int efivars_refuse(struct efivars *e, const char *name, const char *what, int r);

/* the operations (filesystem.h), by file */

/* directory.c */
int efivars_lookup(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name);
void efivars_forget(struct fs *fs, uint64_t id, uint64_t count);
int efivars_readdir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, bool is_plus);
int efivars_unlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name);
int efivars_rmdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name);
int efivars_mkdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *create);
int efivars_symlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const char *target);
int efivars_link(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t parent,
	const char *name);
int efivars_rename(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint64_t new_parent, const char *new_name, uint32_t flags);

/* create.c */
int efivars_create(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint32_t flags, const struct fs_create *create, bool kill_suidgid);
int efivars_mknod(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *create);
int efivars_tmpfile(struct fs *fs, struct fs_request *req, uint64_t parent, uint32_t flags,
	const struct fs_create *create);
/* Opens a node as open(2) with these flags. 0 or -errno. Under the lock. */
int efivars_open_node(struct efivars *e, struct node *node, uint32_t flags, struct fs_open *ret)
	MUST_CHECK;
/* Clears set-id bits as a write does. Under the lock. */
void efivars_kill_suidgid(struct node *node);

/* files.c */
int efivars_open(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags,
	bool kill_suidgid);
int efivars_read(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, uint32_t size, uint32_t open_flags);
int efivars_release(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t id,
	uint32_t flags);
int efivars_fsync(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	bool is_data_only);

/* write.c */
int efivars_write(struct fs *fs, struct fs_request *req, uint64_t id,
	const struct fs_write *write);

/* attributes.c */
int efivars_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle);
int efivars_setattr(struct fs *fs, struct fs_request *req, uint64_t id,
	const struct fs_setattr *set);

/* flags.c */
int efivars_ioctl(struct fs *fs, struct fs_request *req, uint64_t id,
	const struct fs_ioctl *ioctl);

/* xattr.c */
int efivars_getxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	uint32_t size);
int efivars_listxattr(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t size);
int efivars_setxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	const void *value, size_t size, uint32_t flags);
int efivars_removexattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name);
