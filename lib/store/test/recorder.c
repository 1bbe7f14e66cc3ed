/* SPDX-License-Identifier: MIT */
/* recorder.c — see recorder.h. */
#include "store/test/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct recorder *recorder_of(struct source *s)
{
	return (struct recorder *)s;
}

static struct event *add_event(struct recorder *r, enum event_kind kind)
{
	if (r->count == RECORDER_EVENTS_MAX)
		abort();
	r->events[r->count] = (struct event){.kind = kind};
	return &r->events[r->count++];
}

static bool is_to_fail(struct recorder *r)
{
	r->calls++;
	return r->fail_at != 0 &&
		(r->calls == r->fail_at || (r->is_failing_on && r->calls > r->fail_at));
}

static int recorder_read(struct source *s, void *data, size_t n, uint64_t offset)
{
	if (offset > s->size || n > s->size - offset)
		return -EIO;
	memcpy(data, recorder_of(s)->data + offset, n);
	return 0;
}

static int recorder_write(struct source *s, const void *data, size_t n, uint64_t offset)
{
	struct recorder *r = recorder_of(s);
	bool is_failing = is_to_fail(r);
	struct event *e;

	if (!s->is_writable)
		return -EROFS;
	if (offset > s->size || n > s->size - offset)
		return -EIO;
	if (is_failing)
		n /= 2;
	e = add_event(r, EVENT_WRITE);
	e->offset = offset;
	e->size = n;
	e->data = malloc(n > 0 ? n : 1);
	if (!e->data)
		abort();
	memcpy(e->data, data, n);
	memcpy(r->data + offset, data, n);
	return is_failing ? r->error : 0;
}

static int recorder_sync(struct source *s)
{
	struct recorder *r = recorder_of(s);

	if (is_to_fail(r))
		return r->error;
	r->syncs++;
	(void)add_event(r, EVENT_BARRIER);
	return 0;
}

static bool recorder_has_changed(struct source *s)
{
	return false;
}

static int recorder_set_writable(struct source *s, bool is_writable, char **ret_error)
{
	s->is_writable = is_writable;
	return 0;
}

static void recorder_destroy(struct source *s)
{
}

static const struct source_ops recorder_ops = {
	.read = recorder_read,
	.write = recorder_write,
	.sync = recorder_sync,
	.has_changed = recorder_has_changed,
	.set_writable = recorder_set_writable,
	.destroy = recorder_destroy,
};

void recorder_init(struct recorder *r, const void *data, size_t size)
{
	*r = (struct recorder){
		.source = {.ops = &recorder_ops, .size = size, .is_writable = true,
			.is_exclusive = true},
		.data = malloc(size),
		.error = -EIO,
	};
	if (!r->data)
		abort();
	memcpy(r->data, data, size);
}

void recorder_reset(struct recorder *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->events[i].data);
	r->count = 0;
	r->calls = 0;
	r->syncs = 0;
	r->fail_at = 0;
	r->is_failing_on = false;
}

void recorder_mark(struct recorder *r)
{
	(void)add_event(r, EVENT_RETURN);
}

void recorder_fini(struct recorder *r)
{
	recorder_reset(r);
	free(r->data);
}
