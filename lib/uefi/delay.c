/* SPDX-License-Identifier: MIT */
/* delay.c — see delay.h. */
#include "uefi/delay.h"

#include <errno.h>
#include <time.h>

#include "base/ratelimit.h"

#define NS_PER_S 1000000000u

struct delay {
	struct uefi_services services;  /* first: the interface is the object */
	struct uefi_services *next;     /* owned */
	uint64_t delay_ns;
};

static struct delay *delay_of(struct uefi_services *s)
{
	return (struct delay *)s;
}

/* Waits until the question that began at start_ns has taken its time. */
static void wait_since(const struct delay *d, uint64_t start_ns)
{
	const uint64_t end_ns = start_ns + d->delay_ns;
	const struct timespec end = {.tv_sec = (time_t)(end_ns / NS_PER_S),
		.tv_nsec = (long)(end_ns % NS_PER_S)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		continue;
}

static enum uefi_status delay_get_variable(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t *ret_attributes, void *data, size_t *size)
{
	struct delay *d = delay_of(s);
	uint64_t start = clock_now_ns();
	enum uefi_status status =
		d->next->ops->get_variable(d->next, name, vendor, ret_attributes, data, size);

	wait_since(d, start);
	return status;
}

static enum uefi_status delay_get_next(struct uefi_services *s, struct uefi_name *name,
	struct guid *vendor)
{
	struct delay *d = delay_of(s);
	uint64_t start = clock_now_ns();
	enum uefi_status status = d->next->ops->get_next(d->next, name, vendor);

	wait_since(d, start);
	return status;
}

static enum uefi_status delay_set_variable(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t attributes, const void *data, size_t size)
{
	struct delay *d = delay_of(s);
	uint64_t start = clock_now_ns();
	enum uefi_status status =
		d->next->ops->set_variable(d->next, name, vendor, attributes, data, size);

	wait_since(d, start);
	return status;
}

static enum uefi_status delay_query_info(struct uefi_services *s, uint32_t attributes,
	struct uefi_query *ret)
{
	struct delay *d = delay_of(s);
	uint64_t start = clock_now_ns();
	enum uefi_status status = d->next->ops->query_info(d->next, attributes, ret);

	wait_since(d, start);
	return status;
}

/* These reach no firmware and take no longer than below. */
static bool delay_has_changed(struct uefi_services *s)
{
	struct delay *d = delay_of(s);

	return d->next->ops->has_changed(d->next);
}

static int delay_set_writable(struct uefi_services *s, bool is_writable, char **ret_error)
{
	struct delay *d = delay_of(s);
	int r = d->next->ops->set_writable(d->next, is_writable, ret_error);

	d->services.is_exclusive = d->next->is_exclusive;
	return r;
}

static const char *delay_reason(struct uefi_services *s)
{
	struct delay *d = delay_of(s);

	return d->next->ops->reason(d->next);
}

static void delay_destroy(struct uefi_services *s)
{
	struct delay *d = delay_of(s);

	uefi_services_free(d->next);
	free(d);
}

static const struct uefi_services_ops delay_ops = {
	.name = "delay",
	.get_variable = delay_get_variable,
	.get_next = delay_get_next,
	.set_variable = delay_set_variable,
	.query_info = delay_query_info,
	.has_changed = delay_has_changed,
	.set_writable = delay_set_writable,
	.reason = delay_reason,
	.destroy = delay_destroy,
};

int uefi_delay_new(struct uefi_services **ret, struct uefi_services *take_next, uint64_t delay_ns)
{
	struct delay *d = calloc(1, sizeof(*d));

	if (!d) {
		uefi_services_free(take_next);
		return -ENOMEM;
	}
	d->services.ops = &delay_ops;
	d->services.supported = take_next->supported;
	d->services.is_exclusive = take_next->is_exclusive;
	d->next = take_next;
	d->delay_ns = delay_ns < UEFI_DELAY_MAX_NS ? delay_ns : UEFI_DELAY_MAX_NS;
	*ret = &d->services;
	return 0;
}
