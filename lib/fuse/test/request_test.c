/* SPDX-License-Identifier: MIT */
/*
 * request_test.c — requests that are kept: interrupts before, during and after; a shutdown; and
 * threads that keep, interrupt and answer the same requests.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/test/tap.h"
#include "fuse/test/peer.h"

static struct peer peer;
static unsigned interrupts;

static void count_interrupt(void *arg)
{
	interrupts++;
}

static void answer_interrupt(void *arg)
{
	interrupts++;
	fs_reply_error(arg, -EINTR);
}

/* Sends a request that is kept; returns its unique. peer.req is it. */
static uint64_t keep(void)
{
	uint64_t unique = peer.next_unique;

	peer.recorder.is_keeper = true;
	(void)peer_send(&peer, FUSE_STATFS, 1, NULL, 0);
	return unique;
}

/* An INTERRUPT from memory of its own, as the kept request has the peer's. */
struct interrupter {
	struct {
		struct fuse_in_header header;
		struct fuse_interrupt_in in;
	} bytes;
	uint8_t reply[16];
	struct iovec in, out;
	struct fs_request req;
};

static void interrupter_send(struct interrupter *i, struct fuse_session *session,
	struct fuse_channel *channel, uint64_t unique)
{
	i->bytes.header = (struct fuse_in_header){
		.len = sizeof(i->bytes),
		.opcode = FUSE_INTERRUPT,
		.unique = unique | 1,
	};
	i->bytes.in.unique = unique;
	i->in = (struct iovec){&i->bytes, sizeof(i->bytes)};
	i->out = (struct iovec){i->reply, sizeof(i->reply)};
	i->req = (struct fs_request){
		.channel = channel,
		.in = iov_reader_of(&i->in, 1),
		.out = &i->out,
		.out_count = 1,
		.out_size = sizeof(i->reply),
	};
	fuse_session_handle(session, &i->req);
}

/* The length of the interrupter's own answer: 0, or 16 with EAGAIN. */
static size_t interrupt_length;

static void counting_complete(struct fuse_channel *channel, struct fs_request *req, size_t length)
{
	interrupt_length = length;
}

static const struct fuse_channel_ops counting_ops = {.complete = counting_complete};

static size_t interrupt(uint64_t unique)
{
	static struct interrupter i;
	struct fuse_channel channel = {&counting_ops};

	interrupter_send(&i, peer.session, &channel, unique);
	return interrupt_length;
}

static void test_orders(void)
{
	uint64_t unique;
	unsigned completed;

	unique = keep();
	ok(!fs_request_on_interrupt(&peer.req, count_interrupt, NULL), "a calm request is kept");
	is_int(interrupts, 0, "nothing is told");
	is_int(interrupt(unique), 0, "its interrupt wants no answer");
	is_int(interrupts, 1, "and is told");
	is_int(interrupt(unique), 0, "a second one");
	is_int(interrupts, 1, "is not");
	completed = peer.completed;
	fs_reply_ok(&peer.req);
	is_int(peer.completed, completed + 1, "an interrupted request can go on");
	is_int(peer.error, 0, "and end well");

	interrupts = 0;
	unique = keep();
	ok(!fs_request_on_interrupt(&peer.req, answer_interrupt, &peer.req), "one that answers");
	(void)interrupt(unique);
	is_int(peer.error, -EINTR, "is answered by the interrupt");
	is_int(interrupts, 1, "which came once");

	interrupts = 0;
	unique = keep();
	is_int(interrupt(unique), 0, "an interrupt before the request was kept is remembered");
	ok(fs_request_on_interrupt(&peer.req, count_interrupt, NULL), "and is told when it is");
	is_int(interrupts, 0, "without a call");
	fs_reply_error(&peer.req, -EINTR);
	is_int(peer.error, -EINTR, "the answer");

	unique = peer.next_unique;
	(void)interrupt(unique);
	is_int(keep(), unique, "an interrupt before its request was read");
	ok(fs_request_on_interrupt(&peer.req, count_interrupt, NULL), "is remembered too");
	fs_reply_ok(&peer.req);

	unique = keep();
	ok(!fs_request_on_interrupt(&peer.req, count_interrupt, NULL), "a request");
	fs_reply_ok(&peer.req);
	(void)interrupt(unique);
	is_int(interrupts, 0, "that was answered is not interrupted");
}

static void test_unknown(void)
{
	unsigned silent = 0, again = 0;

	for (uint64_t unique = 1000002; unique < 1000002 + 2 * 200; unique += 2) {
		if (interrupt(unique) == 0)
			silent++;
		else
			again++;
	}
	ok(silent > 0 && silent <= 64, "some interrupts of nothing are remembered");
	is_int(silent + again, 200, "for the others the kernel is asked to send again");
}

static void test_shutdown(void)
{
	interrupts = 0;
	(void)keep();
	(void)fs_request_on_interrupt(&peer.req, answer_interrupt, &peer.req);
	fuse_session_interrupt_all(peer.session);
	is_int(interrupts, 1, "a shutdown interrupts what is kept");
	is_int(peer.error, -EINTR, "which is answered");
	(void)keep();
	ok(fs_request_on_interrupt(&peer.req, answer_interrupt, &peer.req),
		"what is kept after it is told at once");
	fs_reply_error(&peer.req, -EINTR);
	is_int(fuse_session_pending(peer.session), 0, "no request is left");
	peer.recorder.is_keeper = false;
	(void)peer_send(&peer, FUSE_DESTROY, 0, NULL, 0);
	(void)peer_init(&peer, 7, 45, 0);
	(void)keep();
	ok(!fs_request_on_interrupt(&peer.req, count_interrupt, NULL),
		"a new client begins calmly");
	fs_reply_ok(&peer.req);
}

/* ---- threads ---- */

#define ROUNDS 1000u
#define PLACES 8u

/*
 * Two threads work on requests of one session: one keeps and answers, the other interrupts. Memory
 * of a request is used again at once, so a call that came late would hit another request.
 */
struct place {
	struct fs_request req;
	struct fuse_in_header header;
	struct iovec in, out;
	uint8_t reply[128];
	uint8_t scratch[16];
	pthread_mutex_t lock;
	bool is_waiting;      /* under lock: not answered yet */
	atomic_uint completed;
};

static struct {
	struct fs fs;
	struct fuse_channel channel;
	struct fuse_session *session;
	struct place places[PLACES];
	atomic_uint interrupted, answered;
	_Atomic uint64_t last_unique;
	atomic_bool is_done;
} stress;

static void stress_complete(struct fuse_channel *channel, struct fs_request *req, size_t length)
{
	struct place *place = (struct place *)req;

	if (req->opcode == FUSE_STATFS)
		atomic_fetch_add(&place->completed, 1);
}

static void stress_interrupted(void *arg)
{
	struct place *place = arg;
	bool is_mine;

	pthread_mutex_lock(&place->lock);
	is_mine = place->is_waiting;
	place->is_waiting = false;
	pthread_mutex_unlock(&place->lock);
	if (is_mine) {
		atomic_fetch_add(&stress.interrupted, 1);
		fs_reply_error(&place->req, -EINTR);
	}
}

static void stress_destroy(struct fs *fs)
{
}

static int stress_lookup(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	return -ENOENT;
}

static int stress_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle)
{
	return -ENOENT;
}

static int stress_statfs(struct fs *fs, struct fs_request *req, uint64_t node)
{
	struct place *place = (struct place *)req;
	bool is_interrupted;

	pthread_mutex_lock(&place->lock);
	is_interrupted = fs_request_on_interrupt(req, stress_interrupted, place);
	place->is_waiting = !is_interrupted;
	pthread_mutex_unlock(&place->lock);
	return is_interrupted ? -EINTR : 0;
}

static const struct fs_ops stress_ops = {
	.name = "stress",
	.destroy = stress_destroy,
	.lookup = stress_lookup,
	.getattr = stress_getattr,
	.statfs = stress_statfs,
};

static void stress_keep(struct place *place, uint64_t unique)
{
	place->header = (struct fuse_in_header){
		.len = sizeof(place->header),
		.opcode = FUSE_STATFS,
		.unique = unique,
	};
	place->in = (struct iovec){&place->header, sizeof(place->header)};
	place->out = (struct iovec){place->reply, sizeof(place->reply)};
	place->req.channel = &stress.channel;
	place->req.in = iov_reader_of(&place->in, 1);
	place->req.out = &place->out;
	place->req.out_count = 1;
	place->req.out_size = sizeof(place->reply);
	place->req.scratch = place->scratch;
	fuse_session_handle(stress.session, &place->req);
}

static void stress_answer(struct place *place)
{
	bool is_mine;

	pthread_mutex_lock(&place->lock);
	is_mine = place->is_waiting;
	place->is_waiting = false;
	pthread_mutex_unlock(&place->lock);
	if (is_mine) {
		atomic_fetch_add(&stress.answered, 1);
		fs_reply_ok(&place->req);
	}
}

static void *stress_interrupter(void *arg)
{
	static struct fuse_channel channel = {&counting_ops};
	struct interrupter i;

	for (uint64_t n = 0; !atomic_load(&stress.is_done); n++) {
		uint64_t last = atomic_load(&stress.last_unique);

		interrupter_send(&i, stress.session, &channel, last + 2 - n % (PLACES + 2) * 2);
	}
	return NULL;
}

static bool stress_start(void)
{
	static const struct fuse_channel_ops ops = {.complete = stress_complete};
	struct {
		struct fuse_in_header header;
		struct fuse_init_in in;
	} init = {
		.header = {.len = sizeof(init), .opcode = FUSE_INIT},
		.in = {.major = 7, .minor = 45},
	};
	struct place *place = &stress.places[0];

	stress.fs.ops = &stress_ops;
	stress.channel.ops = &ops;
	if (fuse_session_new(&stress.session, &stress.fs, &stress.channel, NULL) < 0)
		return false;
	place->in = (struct iovec){&init, sizeof(init)};
	place->out = (struct iovec){place->reply, sizeof(place->reply)};
	place->req = (struct fs_request){
		.channel = &stress.channel,
		.in = iov_reader_of(&place->in, 1),
		.out = &place->out,
		.out_count = 1,
		.out_size = sizeof(place->reply),
	};
	fuse_session_handle(stress.session, &place->req);
	return fuse_session_is_ready(stress.session);
}

static void test_threads(void)
{
	pthread_t thread;
	unsigned completed = 0;
	uint64_t unique = 2;

	ok(stress_start(), "a session for two threads");
	for (size_t p = 0; p < PLACES; p++)
		pthread_mutex_init(&stress.places[p].lock, NULL);
	ok(pthread_create(&thread, NULL, stress_interrupter, NULL) == 0,
		"a thread that interrupts");
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct place *place = &stress.places[round % PLACES];

		/* the request of PLACES rounds ago; every other one waits for an interrupt */
		if (round >= PLACES && round % 2 == 0)
			stress_answer(place);
		while (atomic_load(&place->completed) < round / PLACES)
			sched_yield();
		unique += 2;
		atomic_store(&stress.last_unique, unique);
		stress_keep(place, unique);
	}
	for (size_t p = 0; p < PLACES; p++)
		stress_answer(&stress.places[p]);
	atomic_store(&stress.is_done, true);
	pthread_join(thread, NULL);
	for (size_t p = 0; p < PLACES; p++)
		completed += atomic_load(&stress.places[p].completed);
	ok(atomic_load(&stress.interrupted) > 0, "some were interrupted while they waited");
	is_int(completed, ROUNDS, "every request was answered once");
	is_int(fuse_session_pending(stress.session), 0, "none is left");
	printf("# %u answered, %u interrupted while waiting\n", atomic_load(&stress.answered),
		atomic_load(&stress.interrupted));
	fuse_session_free(stress.session);
}

int main(void)
{
	peer_open(&peer, 0);
	(void)peer_init(&peer, 7, 45, 0);
	test_orders();
	test_unknown();
	test_shutdown();
	peer_close(&peer);
	test_threads();
	return tap_done();
}
