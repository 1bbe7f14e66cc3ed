/* SPDX-License-Identifier: MIT */
/* auth_test.c — the payloads against the emulated firmware: status, reason, and what is stored. */
#include "uefi/auth/auth.h"

#include "base/test/tap.h"
#include "uefi/auth/test/keys.h"
#include "uefi/auth/test/payloads.h"
#include "uefi/firmware.h"
#include "uefi/test/memory_store.h"

static enum uefi_status set(
	struct uefi_services *services, const struct payload *p, const struct buffer *data)
{
	struct uefi_name name = {0};

	if (uefi_name_from_utf8(&name, p->name, strlen(p->name)) < 0)
		return UEFI_ABORTED;
	return services->ops->set_variable(
		services, &name, p->vendor, p->attributes, data->data, data->size);
}

/* A refusal has a reason of one line, and changes nothing. */
static void check_payload(struct uefi_services *services, struct memory_store *store,
	const struct payload *p, const struct buffer *data)
{
	const unsigned before = store->put_calls + store->remove_calls;
	enum uefi_status status = set(services, p, data);
	const char *reason = services->ops->reason(services);

	is_text(uefi_status_name(status), uefi_status_name(p->status), p->label);
	if (status == UEFI_SUCCESS)
		return;
	printf("# %s\n", reason);
	ok(*reason && !strchr(reason, '\n'), "the refusal says why");
	if (status != UEFI_NOT_FOUND)
		ok(store->put_calls + store->remove_calls == before, "and changes nothing");
}

static void is_left(struct memory_store *store, const char *name, size_t size, unsigned minute)
{
	const struct nv_variable *v = memory_store_look(store, name);

	ok(v && v->size == size, "%s is left", name);
	ok(v && v->time.minute == minute, "with its time");
	if (v)
		printf("# %s: %zu bytes, minute %u\n", name, v->size, v->time.minute);
}

static void test_payloads(void)
{
	const struct firmware_config config = {.auth = FIRMWARE_AUTH_FIRMWARE};
	struct memory_store *store = memory_store_new(262044);
	struct uefi_services *services;
	struct payload p;
	size_t i = 0;

	if (!store || firmware_new(&services, &store->nv, &config) < 0) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	store->nv.limits.max_auth_variable = 0x8400;
	for (;; i++) {
		CLEAN_BUFFER struct buffer data = BUFFER_INIT;

		if (!payload_make(i, &p, &data))
			break;
		check_payload(services, store, &p, &data);
	}
	ok(i >= 40, "there are enough of them");
	is_left(store, "db", 76, 3);
	is_left(store, "TacitOwned", 4, 5);
	/* its owners: TacitOther, TacitAppended, TacitOwned */
	is_left(store, "certdb", 4 + 3 * (28 + 32) + 2 * (10 + 13 + 10), 0);
	ok(!memory_store_look(store, "PK"), "PK is gone");
	uefi_services_free(services);
}

int main(void)
{
	test_keys_make();
	test_payloads();
	test_keys_free();
	return tap_done();
}
