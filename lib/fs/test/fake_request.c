/* SPDX-License-Identifier: MIT */
/* fake_request.c — see fake_request.h. */
#include "fs/test/fake_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_SECONDS 20

static void give_up(const char *why)
{
	printf("Bail out! %s\n", why);
	fflush(stdout);
	abort();
}

void fake_request_fini(struct fs_request *req)
{
	free(req->data);
	free(req->dirents);
	req->data = NULL;
	req->dirents = NULL;
}

/* The answer is being filled in: holds the request's lock until end_answer. */
static void begin_answer(struct fs_request *req, enum fake_answer answer)
{
	pthread_mutex_lock(&req->lock);
	while (req->is_calling && !pthread_equal(req->calling, pthread_self()))
		pthread_cond_wait(&req->is_awaited, &req->lock);
	if (req->is_answered)
		give_up("a request was answered twice");
	req->answer = answer;
}

static void end_answer(struct fs_request *req)
{
	req->is_answered = true;
	req->interrupted = NULL;
	pthread_cond_broadcast(&req->is_awaited);
	pthread_mutex_unlock(&req->lock);
}

int fake_finish(struct fs_request *req, int r)
{
	struct timespec until;

	pthread_mutex_lock(&req->lock);
	if (r < 0) {
		if (req->is_answered)
			give_up("an operation answered and returned an error too");
		req->answer = FAKE_ERROR;
		req->error = r;
		req->is_answered = true;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_SECONDS;
	while (!req->is_answered) {
		if (pthread_cond_timedwait(&req->is_awaited, &req->lock, &until) == ETIMEDOUT)
			give_up("a request was not answered");
	}
	pthread_mutex_unlock(&req->lock);
	return req->answer == FAKE_ERROR ? req->error : 0;
}

bool fake_is_answered(struct fs_request *req)
{
	bool is_answered;

	pthread_mutex_lock(&req->lock);
	is_answered = req->is_answered;
	pthread_mutex_unlock(&req->lock);
	return is_answered;
}

void fake_interrupt(struct fs_request *req)
{
	void (*interrupted)(void *arg);
	void *arg;

	pthread_mutex_lock(&req->lock);
	req->is_interrupted = true;
	interrupted = req->interrupted;
	arg = req->interrupted_arg;
	req->interrupted = NULL;
	req->is_calling = interrupted;
	req->calling = pthread_self();
	pthread_mutex_unlock(&req->lock);
	if (!interrupted)
		return;
	interrupted(arg);
	pthread_mutex_lock(&req->lock);
	req->is_calling = false;
	pthread_cond_broadcast(&req->is_awaited);
	pthread_mutex_unlock(&req->lock);
}

struct fs_caller fs_request_caller(const struct fs_request *req)
{
	return req->caller;
}

bool fs_request_group(const struct fs_request *req, uint32_t *ret_gid)
{
	if (!req->has_group)
		return false;
	*ret_gid = req->group;
	return true;
}

struct iov_reader fs_request_payload(const struct fs_request *req)
{
	return iov_reader_of(req->payload, req->payload_count);
}

bool fs_request_on_interrupt(struct fs_request *req, void (*interrupted)(void *arg), void *arg)
{
	bool is_interrupted;

	pthread_mutex_lock(&req->lock);
	is_interrupted = req->is_interrupted;
	if (!is_interrupted) {
		req->interrupted = interrupted;
		req->interrupted_arg = arg;
	}
	pthread_mutex_unlock(&req->lock);
	return is_interrupted;
}

void fs_reply_error(struct fs_request *req, int error)
{
	begin_answer(req, FAKE_ERROR);
	req->error = error;
	end_answer(req);
}

void fs_reply_ok(struct fs_request *req)
{
	begin_answer(req, FAKE_OK);
	end_answer(req);
}

void fs_reply_entry(struct fs_request *req, const struct fs_entry *entry)
{
	begin_answer(req, FAKE_ENTRY);
	req->entry = *entry;
	end_answer(req);
}

void fs_reply_create(struct fs_request *req, const struct fs_entry *entry,
	const struct fs_open *open)
{
	begin_answer(req, FAKE_CREATE);
	req->entry = *entry;
	req->open = *open;
	end_answer(req);
}

void fs_reply_attr(struct fs_request *req, const struct fs_attr *attr, uint64_t attr_timeout)
{
	begin_answer(req, FAKE_ATTR);
	req->attr = *attr;
	req->attr_timeout = attr_timeout;
	end_answer(req);
}

void fs_reply_open(struct fs_request *req, const struct fs_open *open)
{
	begin_answer(req, FAKE_OPEN);
	req->open = *open;
	end_answer(req);
}

void fs_reply_written(struct fs_request *req, size_t size)
{
	begin_answer(req, FAKE_WRITTEN);
	req->size = size;
	end_answer(req);
}

static void keep_data(struct fs_request *req, const void *data, size_t size)
{
	req->data = malloc(size + 1);
	if (!req->data)
		give_up("out of memory");
	if (size > 0)
		memcpy(req->data, data, size);
	req->data[size] = 0; /* so that a text may be compared */
	req->size = size;
}

void fs_reply_data(struct fs_request *req, const void *data, size_t size)
{
	begin_answer(req, FAKE_DATA);
	keep_data(req, data, size);
	end_answer(req);
}

void fs_reply_statfs(struct fs_request *req, const struct fs_statfs *statfs)
{
	begin_answer(req, FAKE_STATFS);
	req->statfs = *statfs;
	end_answer(req);
}

void fs_reply_xattr_size(struct fs_request *req, size_t size)
{
	begin_answer(req, FAKE_XATTR_SIZE);
	req->size = size;
	end_answer(req);
}

void fs_reply_lseek(struct fs_request *req, uint64_t offset)
{
	begin_answer(req, FAKE_LSEEK);
	req->offset = offset;
	end_answer(req);
}

void fs_reply_lock(struct fs_request *req, const struct fs_lock *lock)
{
	begin_answer(req, FAKE_LOCK);
	end_answer(req);
}

void fs_reply_ioctl(struct fs_request *req, int result, const void *data, size_t size)
{
	begin_answer(req, FAKE_IOCTL);
	req->result = result;
	keep_data(req, data, size);
	end_answer(req);
}

int fs_reply_buffer(struct fs_request *req, size_t size, struct iovec *iov, size_t max)
{
	if (max == 0)
		return -EMSGSIZE;
	pthread_mutex_lock(&req->lock);
	free(req->data);
	req->data = calloc(1, size + 1);
	pthread_mutex_unlock(&req->lock);
	if (!req->data)
		return -ENOMEM;
	iov[0] = (struct iovec){.iov_base = req->data, .iov_len = size};
	return 1;
}

void fs_reply_filled(struct fs_request *req, size_t size)
{
	begin_answer(req, FAKE_DATA);
	req->size = size;
	end_answer(req);
}

bool fs_reply_dirent(struct fs_request *req, const char *name, uint64_t ino, uint32_t type,
	uint64_t next)
{
	struct fake_dirent *grown;

	if (req->dirents_max && req->dirent_count >= req->dirents_max)
		return false;
	grown = realloc(req->dirents, (req->dirent_count + 1) * sizeof(*grown));
	if (!grown)
		give_up("out of memory");
	req->dirents = grown;
	grown += req->dirent_count++;
	*grown = (struct fake_dirent){.ino = ino, .type = type, .next = next};
	(void)snprintf(grown->name, sizeof(grown->name), "%s", name);
	return true;
}

bool fs_reply_direntplus(struct fs_request *req, const char *name, const struct fs_entry *entry,
	uint64_t next)
{
	return fs_reply_dirent(req, name, entry->attr.ino, entry->attr.mode >> 12, next);
}

void fs_reply_dir_end(struct fs_request *req)
{
	begin_answer(req, FAKE_DIRECTORY);
	end_answer(req);
}

int fs_notify_node(struct fs *fs, uint64_t node, int64_t offset, int64_t length)
{
	return -ENOTCONN;
}

int fs_notify_entry(struct fs *fs, uint64_t parent, const char *name)
{
	return -ENOTCONN;
}

int fs_backing_open(struct fs *fs, int fd, uint32_t *ret_backing)
{
	return -EOPNOTSUPP;
}

void fs_backing_close(struct fs *fs, uint32_t backing)
{
}

void *fs_request_memory(struct fs_request *req, size_t size)
{
	return size <= FS_MEMORY_MAX ? req->memory : NULL;
}

/* Without a worker to come back to: file systems make their calls themselves. */
int fs_request_io(struct fs_request *req, struct fs_io *io)
{
	return -EOPNOTSUPP;
}
