/* SPDX-License-Identifier: MIT */
/* session.c — see session.h: a session's life, and the way of one request through it. */
#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "fuse/internal.h"

#define MAX_BACKGROUND 64u /* performance.md: 12 costs 8 %, 1024 gains 8 % but holds memory */

static struct fuse_session_config config_complete(const struct fuse_session_config *config)
{
	struct fuse_session_config c = config ? *config : (struct fuse_session_config){0};

	if (c.max_write == 0 || c.max_write > FS_WRITE_MAX)
		c.max_write = FS_WRITE_MAX;
	if (c.max_write < 4096)
		c.max_write = 4096;
	if (c.max_background == 0)
		c.max_background = MAX_BACKGROUND;
	if (c.max_background > UINT16_MAX)
		c.max_background = UINT16_MAX;
	return c;
}

int fuse_session_new(struct fuse_session **ret, struct fs *fs, struct fuse_channel *channel,
	const struct fuse_session_config *config)
{
	struct fuse_session *session = calloc(1, sizeof(*session));

	if (!session)
		return -ENOMEM;
	kept_table_init(&session->kept);
	session->fs = fs;
	session->channel = channel;
	session->config = config_complete(config);
	session->notifier.session = session;
	fs->notifier = &session->notifier;
	*ret = session;
	return 0;
}

struct fuse_session *fuse_session_free(struct fuse_session *session)
{
	if (!session)
		return NULL;
	session->fs->notifier = NULL;
	kept_table_fini(&session->kept);
	free(session);
	return NULL;
}

size_t fuse_session_pending(const struct fuse_session *session)
{
	return atomic_load_explicit(&session->pending, memory_order_relaxed);
}

bool fuse_session_is_ready(const struct fuse_session *session)
{
	return atomic_load_explicit(&session->state, memory_order_acquire) == SESSION_READY;
}

static void request_begin(struct fuse_session *session, struct fs_request *req)
{
	req->session = session;
	req->unique = 0;
	req->node = 0;
	req->caller = (struct fs_caller){0};
	req->opcode = 0;
	req->has_group = false;
	req->reply_max = 0;
	req->reply_used = 0;
	req->is_kept = false;
	req->is_interrupted = false;
	req->interrupted = NULL;
	atomic_fetch_add_explicit(&session->pending, 1, memory_order_relaxed);
}

void fuse_session_handle(struct fuse_session *session, struct fs_request *req)
{
	struct message m;
	int r;

	request_begin(session, req);
	r = message_decode(session, req, &m);
	if (r == 0) {
		r = m.opcode->handle(session, req, &m);
		if (r >= 0)
			return; /* the request may be gone by now */
	}
	if (m.is_silent)
		request_finish(req, 0);
	else
		fs_reply_error(req, r);
}

uint32_t session_wants(const struct fuse_session *session)
{
	uint32_t wants = session->fs->wants | session->fs->ops->wants;

	if (!session->channel || !session->channel->ops->backing_open)
		wants &= ~FS_WANT_PASSTHROUGH;
	return wants;
}

int call_init(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	enum session_state state = atomic_load_explicit(&session->state, memory_order_acquire);
	struct fuse_init_out out;
	int r;

	if ((state != SESSION_NEW && state != SESSION_ENDED) ||
		!atomic_compare_exchange_strong(&session->state, &state, SESSION_STARTING))
		return -EIO;
	r = promise_agree(&m->args.init, session_wants(session), session->fs->stack_depth,
		&session->config, &session->agreed, &out);
	if (r <= 0) {
		atomic_store_explicit(&session->state, state, memory_order_release);
		if (r < 0) {
			log_error("the FUSE client speaks protocol %u.%u, %u.%u or newer is needed",
				m->args.init.major, m->args.init.minor, FUSE_MAJOR,
				FUSE_MINOR_OLDEST);
			return r;
		}
		reply_send(req, &out, FUSE_COMPAT_INIT_OUT_SIZE);
		return 0;
	}
	session->fs->agreed = session->agreed.wants;
	kept_table_reset(&session->kept);
	/* before the answer: the next request may reach another thread as soon as it is sent */
	atomic_store_explicit(&session->state, SESSION_READY, memory_order_release);
	reply_send(req, &out, sizeof(out));
	return 0;
}

int call_destroy(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	atomic_store_explicit(&session->state, SESSION_ENDED, memory_order_release);
	fs_reply_ok(req);
	return 0;
}

int call_interrupt(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	if (request_interrupt(session, m->args.interrupt.unique))
		request_finish(req, 0);
	else
		fs_reply_error(req, -EAGAIN); /* the kernel asks again (fuse.rst, "Interrupting") */
	return 0;
}

int call_notify_reply(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	request_finish(req, 0); /* nothing was asked for */
	return 0;
}
