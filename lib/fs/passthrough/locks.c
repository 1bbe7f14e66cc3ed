/* SPDX-License-Identifier: MIT */
/*
 * locks.c — flock and fcntl locks, and those who wait for them.
 *
 * A flock lock belongs to an open file, and is the host's on our descriptor of it. A fcntl lock
 * belongs to a process of the client, of which the host knows nothing: each owner has an open file
 * of its own on each node, whose OFD locks stand for his. Closing it ends them all, as close(2) by
 * the owner must.
 *
 * A worker never waits. One thread tries again for all who wait: when a lock is given back here,
 * and every RETRY_MS, for those that programs of the host hold.
 *
 * There is no deadlock detection (EDEADLK), as with OFD locks.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>

#include "fs/passthrough/internal.h"

#define RETRY_MS 50

struct lock_owner {
	uint64_t owner;
	uint64_t handle; /* by which the first lock came */
	uint32_t pid;
	int fd;
	struct lock_owner *next;
};

struct lock_wait {
	struct passthrough *pt;
	struct fs_request *req;
	struct file *file; /* holds a reference */
	struct fs_lock lock;
	int result;          /* of the last attempt */
	bool is_interrupted; /* under locks.lock */
	struct lock_wait *next;
};

void locks_init(struct passthrough *pt)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&pt->locks.lock, NULL); /* normal ones: cannot fail */
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&pt->locks.changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

void locks_stop(struct passthrough *pt)
{
	pthread_mutex_lock(&pt->locks.lock);
	pt->locks.is_ending = true;
	pthread_cond_broadcast(&pt->locks.changed);
	pthread_mutex_unlock(&pt->locks.lock);
	if (pt->locks.has_thread)
		pthread_join(pt->locks.thread, NULL);
}

void locks_fini(struct passthrough *pt)
{
	pthread_cond_destroy(&pt->locks.changed);
	pthread_mutex_destroy(&pt->locks.lock);
}

void locks_changed(struct passthrough *pt)
{
	pthread_mutex_lock(&pt->locks.lock);
	if (pt->locks.waiting)
		pthread_cond_signal(&pt->locks.changed);
	pthread_mutex_unlock(&pt->locks.lock);
}

/* ---- owners ---- */

static struct lock_owner *owners_of(struct node *node)
{
	return atomic_load_explicit(&node->owners, memory_order_acquire);
}

static struct lock_owner *owner_find(struct node *node, uint64_t owner)
{
	struct lock_owner *o = owners_of(node);

	while (o && o->owner != owner)
		o = o->next;
	return o;
}

/* Called with the lock. Returns NULL with the error in *ret_error. */
static struct lock_owner *owner_new(struct file *file, const struct fs_lock *lock, int *ret_error)
{
	struct proc_path path = proc_path(file->fd);
	CLEAN_FD int fd = open(path.text, O_RDWR | O_CLOEXEC | O_NOCTTY);
	struct lock_owner *o;

	if (fd < 0)
		fd = open(path.text, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	*ret_error = fd < 0 ? -errno : -ENOMEM;
	o = fd < 0 ? NULL : malloc(sizeof(*o));
	if (!o)
		return NULL;
	*o = (struct lock_owner){lock->owner, file->id, lock->pid, TAKE_FD(fd),
		owners_of(file->node)};
	atomic_store_explicit(&file->node->owners, o, memory_order_release);
	return o;
}

static void owners_drop(struct passthrough *pt, struct node *node,
	bool (*is_meant)(const struct lock_owner *o, uint64_t number), uint64_t number)
{
	struct lock_owner *kept = NULL;

	if (!owners_of(node))
		return; /* as for most files */
	pthread_mutex_lock(&pt->locks.lock);
	for (struct lock_owner *o = owners_of(node), *next; o; o = next) {
		next = o->next;
		if (is_meant(o, number)) {
			(void)close(o->fd); /* nothing was written through it */
			free(o);
		} else {
			o->next = kept;
			kept = o;
		}
	}
	atomic_store_explicit(&node->owners, kept, memory_order_release);
	if (pt->locks.waiting)
		pthread_cond_signal(&pt->locks.changed);
	pthread_mutex_unlock(&pt->locks.lock);
}

static bool is_of_owner(const struct lock_owner *o, uint64_t owner)
{
	return o->owner == owner;
}

static bool is_of_handle(const struct lock_owner *o, uint64_t handle)
{
	return o->handle == handle;
}

void locks_drop_owner(struct passthrough *pt, struct node *node, uint64_t owner)
{
	owners_drop(pt, node, is_of_owner, owner);
}

void locks_drop_handle(struct passthrough *pt, struct node *node, uint64_t handle)
{
	owners_drop(pt, node, is_of_handle, handle);
}

/* ---- one attempt ---- */

static struct flock host_lock(const struct fs_lock *lock)
{
	return (struct flock){
		.l_type = (short)lock->type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)lock->start,
		.l_len = lock->end > INT64_MAX ? 0 : (off_t)(lock->end - lock->start + 1),
	};
}

static int try_flock(const struct file *file, const struct fs_lock *lock)
{
	int operation = lock->type == F_RDLCK ? LOCK_SH :
		lock->type == F_WRLCK         ? LOCK_EX :
						LOCK_UN;

	return flock(file->fd, operation | LOCK_NB) < 0 ? -errno : 0;
}

/* 0; -EAGAIN when another has it; -errno. Called with the lock. */
static int lock_try(struct file *file, const struct fs_lock *lock)
{
	struct flock host = host_lock(lock);
	struct lock_owner *o;
	int r;

	if (lock->is_flock)
		return try_flock(file, lock);
	if (file->node->type != S_IFREG)
		return -EBADF;
	o = owner_find(file->node, lock->owner);
	if (!o && lock->type == F_UNLCK)
		return 0;
	if (!o)
		o = owner_new(file, lock, &r);
	if (!o)
		return r;
	return fcntl(o->fd, F_OFD_SETLK, &host) < 0 ? -errno : 0;
}

/* ---- waiting ---- */

/* Takes those whose wait is over out of the list. Called with the lock. */
static struct lock_wait *waits_over(struct lock_table *locks)
{
	struct lock_wait **link = &locks->waiting;
	struct lock_wait *over = NULL;

	while (*link) {
		struct lock_wait *w = *link;

		w->result = w->is_interrupted ? -EINTR : lock_try(w->file, &w->lock);
		if (w->result == -EAGAIN) {
			link = &w->next;
			continue;
		}
		*link = w->next;
		w->next = over;
		over = w;
	}
	return over;
}

static void wait_answer(struct lock_wait *w)
{
	if (w->result < 0)
		fs_reply_error(w->req, w->result);
	else
		fs_reply_ok(w->req);
	file_put(w->pt, w->file);
	free(w);
}

/* Until somebody gives a lock back, or it is time to look. Called with the lock. */
static void wait_for_change(struct lock_table *locks)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until); /* the clock always exists */
	until.tv_nsec += RETRY_MS * 1000000l;
	if (until.tv_nsec >= 1000000000l) {
		until.tv_nsec -= 1000000000l;
		until.tv_sec++;
	}
	if (locks->waiting)
		(void)pthread_cond_timedwait(&locks->changed, &locks->lock, &until);
	else
		pthread_cond_wait(&locks->changed, &locks->lock);
}

static void *wait_main(void *arg)
{
	struct lock_table *locks = arg;

	pthread_mutex_lock(&locks->lock);
	while (!locks->is_ending || locks->waiting) {
		struct lock_wait *over = waits_over(locks);

		if (!over) {
			if (!locks->is_ending || locks->waiting)
				wait_for_change(locks);
			continue;
		}
		/* an answer waits for an interrupt that is under way, which takes the lock */
		pthread_mutex_unlock(&locks->lock);
		for (struct lock_wait *next; over; over = next) {
			next = over->next;
			wait_answer(over);
		}
		pthread_mutex_lock(&locks->lock);
	}
	pthread_mutex_unlock(&locks->lock);
	return NULL;
}

static void wait_interrupted(void *arg)
{
	struct lock_wait *w = arg;
	struct lock_table *locks = &w->pt->locks;

	pthread_mutex_lock(&locks->lock);
	w->is_interrupted = true;
	pthread_cond_signal(&locks->changed);
	pthread_mutex_unlock(&locks->lock);
}

/* Starts the thread that waits for others, once. Called with the lock. */
static int wait_thread(struct lock_table *locks)
{
	int r = 0;

	if (!locks->has_thread)
		r = pthread_create(&locks->thread, NULL, wait_main, locks);
	locks->has_thread = r == 0;
	return -r;
}

/* Keeps the request until it has its lock. Takes the file's reference when it returns 0. */
static int wait_begin(struct passthrough *pt, struct fs_request *req, struct file *file,
	const struct fs_lock *lock)
{
	struct lock_wait *w = malloc(sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	*w = (struct lock_wait){.pt = pt, .req = req, .file = file, .lock = *lock};
	pthread_mutex_lock(&pt->locks.lock);
	r = wait_thread(&pt->locks);
	pthread_mutex_unlock(&pt->locks.lock);
	if (r == 0 && fs_request_on_interrupt(req, wait_interrupted, w))
		r = -EINTR;
	if (r < 0) {
		free(w);
		return r;
	}
	pthread_mutex_lock(&pt->locks.lock);
	w->next = pt->locks.waiting;
	pt->locks.waiting = w;
	pthread_cond_signal(&pt->locks.changed);
	pthread_mutex_unlock(&pt->locks.lock);
	return 0;
}

/* ---- operations ---- */

int op_setlk(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_lock *lock)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_FILE struct held_file held = {0};
	int r;

	r = file_hold(pt, lock->handle, &held);
	if (r < 0)
		return r;
	pthread_mutex_lock(&pt->locks.lock);
	r = lock_try(held.file, lock);
	if (r == 0 && pt->locks.waiting)
		pthread_cond_signal(&pt->locks.changed); /* it may have been given back */
	pthread_mutex_unlock(&pt->locks.lock);
	if (r == -EAGAIN && lock->may_wait) {
		r = wait_begin(pt, req, held.file, lock);
		if (r == 0)
			held.file = NULL; /* the one who waits has it */
		return r;
	}
	if (r < 0)
		return r;
	fs_reply_ok(req);
	return 0;
}

/* Whose lock it is: known when there is but one other owner. Called with the lock. */
static uint32_t holder_of(struct node *node, uint64_t owner)
{
	uint32_t pid = 0;
	unsigned others = 0;

	for (struct lock_owner *o = owners_of(node); o; o = o->next) {
		if (o->owner != owner) {
			pid = o->pid;
			others++;
		}
	}
	return others == 1 ? pid : 0;
}

/* Asks the host which lock is in the way. Called with the lock. */
static int lock_test(struct file *file, const struct fs_lock *lock, struct fs_lock *ret)
{
	struct lock_owner *own = owner_find(file->node, lock->owner);
	struct flock host = host_lock(lock);
	CLEAN_FD int fd = -1;

	if (!own)
		fd = open(proc_path(file->fd).text, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (!own && fd < 0)
		return -errno;
	if (fcntl(own ? own->fd : fd, F_OFD_GETLK, &host) < 0)
		return -errno;
	*ret = *lock;
	ret->type = (uint32_t)host.l_type;
	if (host.l_type == F_UNLCK)
		return 0;
	ret->start = (uint64_t)host.l_start;
	ret->end = host.l_len == 0 ? INT64_MAX : (uint64_t)(host.l_start + host.l_len - 1);
	ret->pid = holder_of(file->node, lock->owner);
	return 0;
}

int op_getlk(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_lock *lock)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_FILE struct held_file held = {0};
	struct fs_lock found;
	int r;

	r = file_hold(pt, lock->handle, &held);
	if (r < 0)
		return r;
	if (held.file->node->type != S_IFREG || lock->is_flock)
		return -EBADF;
	pthread_mutex_lock(&pt->locks.lock);
	r = lock_test(held.file, lock, &found);
	pthread_mutex_unlock(&pt->locks.lock);
	if (r < 0)
		return r;
	fs_reply_lock(req, &found);
	return 0;
}
