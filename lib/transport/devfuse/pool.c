/* SPDX-License-Identifier: MIT */
/*
 * pool.c — the memory of requests.
 *
 * A request's memory, one mapping:
 *
 *   0          reply's header (16 bytes)
 *   4016       request's header and arguments; a WRITE's are 80 bytes and end at 4096
 *   4096       a WRITE's data, FS_WRITE_MAX bytes; the data of a reply
 *   + 1 MiB    what else a request may be long, and the scratch
 *
 * The data begins on a page, so that a file system may write it with O_DIRECT, and read into it. A
 * reply may lie over its request: strings are in the scratch by then, arguments in the session.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "fuse/protocol.h"
#include "transport/devfuse/internal.h"

#define DATA_OFFSET 4096u
#define READ_OFFSET (DATA_OFFSET - sizeof(struct fuse_in_header) - sizeof(struct fuse_write_in))
#define SCRATCH_OFFSET (DATA_OFFSET + FUSE_REQUEST_MAX)
#define MEMORY_SIZE (SCRATCH_OFFSET + FUSE_SCRATCH_SIZE)

void request_pool_init(struct request_pool *pool)
{
	pthread_mutex_init(&pool->lock, NULL); /* normal ones: cannot fail */
	pthread_cond_init(&pool->returned, NULL);
}

void request_pool_fini(struct request_pool *pool)
{
	for (size_t i = 0; i < pool->count; i++) {
		(void)munmap(pool->all[i]->memory, MEMORY_SIZE); /* our own mapping */
		free(pool->all[i]);
	}
	pthread_cond_destroy(&pool->returned);
	pthread_mutex_destroy(&pool->lock);
}

static struct devfuse_request *request_new(void)
{
	struct devfuse_request *request = calloc(1, sizeof(*request));
	void *memory;

	if (!request)
		return NULL;
	memory = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		free(request);
		return NULL;
	}
	request->memory = memory;
	request->out[0] = (struct iovec){request->memory, sizeof(struct fuse_out_header)};
	request->out[1] = (struct iovec){request->memory + DATA_OFFSET, FUSE_REQUEST_MAX};
	return request;
}

/* A new request for the pool, as long as it may grow. Called with the lock. */
static struct devfuse_request *pool_grow(struct request_pool *pool)
{
	struct devfuse_request *request;

	if (pool->count == DEVFUSE_REQUESTS_MAX)
		return NULL;
	request = request_new();
	if (request)
		pool->all[pool->count++] = request;
	return request;
}

struct devfuse_request *request_pool_take(struct request_pool *pool, bool may_wait)
{
	struct devfuse_request *request = NULL;

	pthread_mutex_lock(&pool->lock);
	while (!pool->is_closed) {
		request = pool->free_list;
		if (request) {
			pool->free_list = request->next_free;
			pool->home--;
			break;
		}
		request = pool_grow(pool);
		if (request || pool->count == 0 || !may_wait)
			break;
		pthread_cond_wait(&pool->returned, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return request;
}

void request_pool_return(struct request_pool *pool, struct devfuse_request *request)
{
	pthread_mutex_lock(&pool->lock);
	request->next_free = pool->free_list;
	pool->free_list = request;
	pool->home++;
	pthread_cond_broadcast(&pool->returned);
	pthread_mutex_unlock(&pool->lock);
}

void request_pool_close(struct request_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->is_closed = true;
	pthread_cond_broadcast(&pool->returned);
	pthread_mutex_unlock(&pool->lock);
}

void request_pool_wait_home(struct request_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->home < pool->count)
		pthread_cond_wait(&pool->returned, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

struct iovec request_read_place(const struct devfuse_request *request)
{
	return (struct iovec){request->memory + READ_OFFSET, FUSE_REQUEST_MAX};
}

void request_received(struct devfuse_request *request, size_t size)
{
	struct fs_request *req = &request->req;

	request->in = (struct iovec){request->memory + READ_OFFSET, size};
	req->in = iov_reader_of(&request->in, 1);
	req->out = request->out;
	req->out_count = 2;
	req->out_size = request->out[0].iov_len + request->out[1].iov_len;
	req->scratch = request->memory + SCRATCH_OFFSET;
}
