/* SPDX-License-Identifier: MIT */
/*
 * channel.c — what the session asks of the transport (struct fuse_channel_ops): answers to the
 * descriptor that the request came from, notifications and backing files to the mount's own, input
 * and output to the ring of the request's worker.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include "base/log.h"
#include "fuse/protocol.h"
#include "transport/devfuse/internal.h"

static void request_home(struct devfuse_server *server, struct devfuse_request *request)
{
	struct worker *worker = worker_current(server);

	if (worker && !worker->spare)
		worker->spare = request;
	else
		request_pool_return(&server->pool, request);
}

/* An INIT that was refused ends the server: the kernel does not ask again. */
static void init_answered(struct devfuse_server *server, const struct devfuse_request *request)
{
	struct fuse_out_header header;
	int none = 0;

	if (fuse_session_is_ready(server->session)) {
		atomic_store(&server->is_ready, true);
	} else {
		memcpy(&header, request->out[0].iov_base, sizeof(header));
		if (header.error == 0)
			return; /* it is to ask again with our version */
		atomic_compare_exchange_strong(&server->error, &none, -EPROTO);
		atomic_store(&server->stop_wanted, true);
	}
	server_event(server);
}

static void channel_complete(struct fuse_channel *channel, struct fs_request *req, size_t length)
{
	struct devfuse_server *server = (struct devfuse_server *)channel;
	struct devfuse_request *request = (struct devfuse_request *)req;
	struct iovec iov[2] = {request->out[0], request->out[1]};
	ssize_t n = 0;

	if (length > iov[0].iov_len) {
		iov[1].iov_len = length - iov[0].iov_len;
		n = writev(request->device, iov, 2);
	} else if (length > 0) {
		n = write(request->device, iov[0].iov_base, length);
	}
	/* ENOENT: its caller was killed; ENODEV: unmounted; the kernel ends it in any case */
	if (n < 0 && errno != ENOENT && errno != ENODEV)
		log_limited(LOG_LEVEL_DEBUG, "an answer of %zu bytes was refused: %s", length,
			strerror(errno));
	if (req->opcode == FUSE_INIT)
		init_answered(server, request);
	request_home(server, request);
}

/* ---- calls of the device from outside a request ---- */

/* False: the server is ending, the device must not be used any more. */
static bool outside_begin(struct devfuse_server *server)
{
	bool is_open;

	pthread_mutex_lock(&server->outside_lock);
	is_open = !server->outside_is_closed;
	if (is_open)
		server->outside++;
	pthread_mutex_unlock(&server->outside_lock);
	return is_open;
}

static void outside_end(struct devfuse_server *server)
{
	pthread_mutex_lock(&server->outside_lock);
	server->outside--;
	pthread_cond_broadcast(&server->outside_ended);
	pthread_mutex_unlock(&server->outside_lock);
}

void outside_close(struct devfuse_server *server)
{
	pthread_mutex_lock(&server->outside_lock);
	server->outside_is_closed = true;
	while (server->outside > 0)
		pthread_cond_wait(&server->outside_ended, &server->outside_lock);
	pthread_mutex_unlock(&server->outside_lock);
}

static int channel_notify(struct fuse_channel *channel, const struct iovec *iov, size_t count)
{
	struct devfuse_server *server = (struct devfuse_server *)channel;
	int r = 0;

	if (!outside_begin(server))
		return -ENOTCONN;
	if (writev(devfuse_mount_fd(server->mount), iov, (int)count) < 0)
		r = errno == ENODEV || errno == EPERM ? -ENOTCONN : -errno;
	outside_end(server);
	return r;
}

static int channel_backing_open(struct fuse_channel *channel, int fd, uint32_t *ret_backing)
{
	struct devfuse_server *server = (struct devfuse_server *)channel;
	struct tacit_backing_map map = {.fd = fd};
	int id;

	if (!outside_begin(server))
		return -ENOTCONN;
	id = ioctl(devfuse_mount_fd(server->mount), TACIT_DEV_IOC_BACKING_OPEN, &map);
	if (id < 0)
		id = errno == ENOTTY ? -EOPNOTSUPP : -errno; /* a kernel older than 6.9 */
	outside_end(server);
	if (id < 0)
		return id;
	*ret_backing = (uint32_t)id;
	return 0;
}

static void channel_backing_close(struct fuse_channel *channel, uint32_t backing)
{
	struct devfuse_server *server = (struct devfuse_server *)channel;

	if (!outside_begin(server))
		return; /* the kernel drops them all with the connection */
	(void)ioctl(devfuse_mount_fd(server->mount), TACIT_DEV_IOC_BACKING_CLOSE, &backing);
	outside_end(server);
}

static int channel_io(struct fuse_channel *channel, struct fs_request *req, struct fs_io *io)
{
	struct devfuse_server *server = (struct devfuse_server *)channel;
	struct worker *worker = worker_current(server);

	return worker ? worker_io(worker, io) : -EOPNOTSUPP;
}

const struct fuse_channel_ops devfuse_channel_ops = {
	.complete = channel_complete,
	.notify = channel_notify,
	.io = channel_io,
	.backing_open = channel_backing_open,
	.backing_close = channel_backing_close,
};
