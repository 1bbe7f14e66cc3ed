/* SPDX-License-Identifier: MIT */
/*
 * services.h — the variable part of the UEFI runtime services as an interface (UEFI 2.10 §8.2).
 *
 * Implementations: the emulated firmware over a store (firmware.h), a slow layer (delay.h), and the
 * running machine's own firmware. A user of it (a file system, a verb) sees status codes exactly as
 * firmware gives them.
 *
 * Threads: one call at a time; the caller serialises. A call may block as long as firmware does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uefi/status.h"
#include "uefi/variable.h"

#define UEFI_HAS_GET_VARIABLE (1u << 0)
#define UEFI_HAS_GET_NEXT (1u << 1)
#define UEFI_HAS_SET_VARIABLE (1u << 2)
#define UEFI_HAS_QUERY_INFO (1u << 3)

struct uefi_query {
	uint64_t max_storage;  /* bytes: MaximumVariableStorageSize */
	uint64_t remaining;    /* bytes: RemainingVariableStorageSize */
	uint64_t max_variable; /* bytes: MaximumVariableSize */
};

struct uefi_services;

struct uefi_services_ops {
	const char *name;

	/*
	 * GetVariable. *size is the room in data on entry and the content's size on return;
	 * BUFFER_TOO_SMALL sets it too, and data may be NULL when it is 0.
	 */
	enum uefi_status (*get_variable)(struct uefi_services *s, const struct uefi_name *name,
		const struct guid *vendor, uint32_t *ret_attributes, void *data, size_t *size);
	/* GetNextVariableName: a name of 0 units starts; NOT_FOUND ends; INVALID_PARAMETER for a
	 * name that is not there. */
	enum uefi_status (*get_next)(struct uefi_services *s, struct uefi_name *name,
		struct guid *vendor);
	/* SetVariable. */
	enum uefi_status (*set_variable)(struct uefi_services *s, const struct uefi_name *name,
		const struct guid *vendor, uint32_t attributes, const void *data, size_t size);
	/* QueryVariableInfo. */
	enum uefi_status (*query_info)(struct uefi_services *s, uint32_t attributes,
		struct uefi_query *ret);
	/*
	 * True when the variables may have changed other than through this object since the last
	 * call (another process wrote the image): everything remembered must be asked for again.
	 */
	bool (*has_changed)(struct uefi_services *s);
	/*
	 * Turns writing on or off, for a remount. 0, -EROFS when it cannot be turned on
	 * (*ret_error, owned by the caller, says why in one line), or another -errno.
	 */
	int (*set_writable)(struct uefi_services *s, bool is_writable, char **ret_error);
	/* Why the last call did not succeed, one line; "" when there is nothing to say. Borrowed
	 * until the next call. */
	const char *(*reason)(struct uefi_services *s);
	/* Frees the object and what it owns. */
	void (*destroy)(struct uefi_services *s);
};

/* Embedded first in every implementation. All members of ops are set. */
struct uefi_services {
	const struct uefi_services_ops *ops;
	uint32_t supported; /* UEFI_HAS_* */
	bool is_exclusive;  /* nobody else can change the variables: answers may be remembered */
};

static inline void uefi_services_free(struct uefi_services *s)
{
	if (s)
		s->ops->destroy(s);
}
DEFINE_CLEAN(struct uefi_services *, uefi_services_free)

/*
 * A whole variable in one go: attributes, and its content in memory that the caller frees (never
 * NULL on success). NOT_FOUND, or the service's own status; OUT_OF_RESOURCES without memory.
 */
enum uefi_status uefi_read_variable(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t *ret_attributes, uint8_t **ret_data, size_t *ret_size);
