/* SPDX-License-Identifier: MIT */
/*
 * nodes.h — the files of a mount: the root and one node a variable, the directory that lists them,
 * and the contents that are remembered.
 *
 *   state   | listed in the directory    | content         | a write            | next
 *   --------+----------------------------+-----------------+--------------------+----------------
 *   created | yes                        | empty           | makes it stored    | stored, removed
 *   stored  | yes                        | 4 bytes or more | stays or is gone   | removed
 *   removed | until the last close after | empty           | EIO                | -
 *           | a deletion by write; else no |               |                    |
 *
 * A node lives while it is listed, looked up by the kernel or open; after that its id finds
 * nothing. Its number is its inode number and its place in the directory at once: both only ever
 * rise, so an offset into the directory stays good while entries come and go.
 *
 * Threads: everything here is under the lock of struct efivars, except the bytes of a content,
 * which never change; a reference keeps them.
 */
#pragma once

#include <stdatomic.h>
#include <time.h>

#include "base/slots.h"
#include "fs/efivars/names.h"

#define NODES_MAX 65536        /* files in a mount */
#define HANDLES_MAX 65536      /* open files in a mount */
#define ATTRIBUTES_SIZE 4      /* of a file's bytes, in front */

/* What reading a file gives. */
struct content {
	_Atomic unsigned references;
	uint32_t attributes;
	size_t size;     /* with the attributes */
	uint8_t bytes[]; /* attributes, then data */
};

enum node_state { NODE_CREATED, NODE_STORED, NODE_REMOVED };

struct node {
	uint64_t id;     /* FS_ROOT, or a slot */
	uint64_t number; /* inode number and place in the directory */
	struct variable_key key;
	char canonical[FILE_NAME_SIZE]; /* found by this one */
	char shown[FILE_NAME_SIZE];     /* listed under this one: as it was typed */
	enum node_state state;
	bool is_listed;
	bool is_immutable;
	bool is_seen;       /* found by the listing under way */
	bool is_size_known; /* of a stored one: what follows is true */
	bool is_readable;   /* the last attempt to read it succeeded; else its size is shown as 4 */
	uint32_t attributes;
	uint64_t size; /* with the attributes */
	struct content *content; /* a reference, or NULL */
	uint32_t mode, uid, gid;
	struct timespec atime, mtime, ctime;
	uint64_t lookups; /* that the kernel will forget */
	uint64_t handles; /* open */
	struct node *next; /* with the same hash */
};

struct handle {
	uint64_t id;
	struct node *node;
	bool can_read, can_write;
	uint64_t write_end;    /* offset behind the last write that succeeded */
	bool has_written;
};

struct nodes {
	struct node root;
	struct slots slots;
	struct slots handles;
	struct node **buckets; /* owned; a power of two of them */
	size_t bucket_count;
	struct node **listed;  /* owned; by number */
	size_t count, capacity;
	uint64_t next_number;
};

/* 0 or -ENOMEM. The root is the caller's to fill in. */
int nodes_init(struct nodes *nodes) MUST_CHECK;
void nodes_fini(struct nodes *nodes);

/*
 * Makes a node of a key, lists it, and gives it id, number and names; shown may be NULL for the
 * canonical name. The caller fills in the rest. 0; -ENOSPC at NODES_MAX; -EEXIST when the canonical
 * name is listed already; -ENAMETOOLONG; -ENOMEM.
 */
int nodes_add(struct nodes *nodes, const struct variable_key *key, const char *shown,
	struct node **ret) MUST_CHECK;

/* By id, the root too, listed or not; NULL for one that is not known. */
struct node *nodes_get(struct nodes *nodes, uint64_t id);

/* The listed node of a canonical name, or NULL. */
struct node *nodes_find(const struct nodes *nodes, const char *canonical);

/* Index in `listed` of the first node with a number above this one; count when there is none. */
size_t nodes_after(const struct nodes *nodes, uint64_t number);

/* The variable is no more: state removed, empty, not listed from now on. May free the node. */
void nodes_remove(struct nodes *nodes, struct node *node);

/* The same, but listed until the last close. May free the node. */
void nodes_remove_at_close(struct nodes *nodes, struct node *node);

/* The kernel forgets lookups, a number that it says. May free the node. */
void nodes_forget(struct nodes *nodes, struct node *node, uint64_t count);

/* Opens the node. 0, -ENFILE, -ENOMEM. */
int nodes_open(struct nodes *nodes, struct node *node, struct handle **ret) MUST_CHECK;

/* NULL for a handle that is not known, or not of this node. */
struct handle *nodes_get_handle(const struct nodes *nodes, uint64_t node, uint64_t id);

/* Closes it. May free its node. */
void nodes_close(struct nodes *nodes, struct handle *handle);

/* Drops what is remembered of a stored node's content and size. */
void node_forget_content(struct node *node);

/*
 * Remembers a reading; NULL: it failed. The content itself is kept (a reference) if is_kept and the
 * variable is non-volatile.
 */
void node_set_content(struct node *node, struct content *content, bool is_kept);

/* NULL without memory. One reference. */
struct content *content_new(uint32_t attributes, const void *data, size_t size);
struct content *content_ref(struct content *content);
struct content *content_unref(struct content *content);
DEFINE_CLEAN(struct content *, content_unref)
