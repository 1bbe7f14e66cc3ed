/* SPDX-License-Identifier: MIT */
/* services.c — see services.h. */
#include "uefi/services.h"

#include <stdlib.h>

/* More than most firmware allows: one question instead of two, which matters where it is slow. */
#define FIRST_ROOM (64u << 10)

/* A service that asks for more than this for one variable is not believed. */
#define CONTENT_MAX (64u << 20)

/* A variable may grow between the answer with its size and the next question; not for ever. */
#define TRIES 4

/* Gives back what the content does not need; keeps the larger block where that fails. */
static uint8_t *shrink(uint8_t *data, size_t size)
{
	uint8_t *smaller = realloc(data, size > 0 ? size : 1);

	return smaller ? smaller : data;
}

enum uefi_status uefi_read_variable(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t *ret_attributes, uint8_t **ret_data, size_t *ret_size)
{
	enum uefi_status status = UEFI_DEVICE_ERROR;
	size_t room = FIRST_ROOM;

	for (int i = 0; i < TRIES; i++) {
		CLEAN(free) uint8_t *data = malloc(room);
		uint32_t attributes = 0;
		size_t size = room;

		if (!data)
			return UEFI_OUT_OF_RESOURCES;
		status = s->ops->get_variable(s, name, vendor, &attributes, data, &size);
		if (status == UEFI_BUFFER_TOO_SMALL && size > room && size <= CONTENT_MAX) {
			room = size;
			continue;
		}
		if (status != UEFI_SUCCESS)
			return status;
		if (size > room)
			return UEFI_DEVICE_ERROR;
		*ret_attributes = attributes;
		*ret_data = shrink(TAKE_PTR(data), size);
		*ret_size = size;
		return UEFI_SUCCESS;
	}
	return status;
}
