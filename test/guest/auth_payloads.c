/* SPDX-License-Identifier: MIT */
/*
 * auth_payloads.c — "auth-payloads DIR": writes the payloads of lib/uefi/auth/test into files.
 *
 * DIR/N is what is written to a variable's file of an efivarfs, attributes included. The list on
 * standard output has a line for each: N, the file's name, the errno that is right, what it is.
 */
#include <stdio.h>
#include <string.h>

#include "uefi/auth/test/keys.h"
#include "uefi/auth/test/payloads.h"

/* Linux's efivarfs: a write that finds nothing is an error of input and output. */
static int errno_of(enum uefi_status status)
{
	return status == UEFI_NOT_FOUND ? 5 : -uefi_status_errno(status);
}

static int write_payload(
	const char *directory, size_t i, const struct payload *p, const struct buffer *data)
{
	const uint8_t attributes[4] = {(uint8_t)p->attributes};
	char path[4096], guid[GUID_TEXT_LENGTH + 1];
	bool is_written;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%zu", directory, i);
	file = fopen(path, "we");
	if (!file)
		return -1;
	is_written = fwrite(attributes, sizeof(attributes), 1, file) == 1 &&
		     fwrite(data->data, 1, data->size, file) == data->size;
	if (fclose(file) != 0 || !is_written)
		return -1;
	guid_format(p->vendor, guid);
	printf("%zu %s-%s %d %s\n", i, p->name, guid, errno_of(p->status), p->label);
	return 0;
}

int main(int argc, char **argv)
{
	struct payload p;
	int r = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: auth-payloads DIR\n");
		return 2;
	}
	test_keys_make();
	for (size_t i = 0; r == 0; i++) {
		CLEAN_BUFFER struct buffer data = BUFFER_INIT;

		if (!payload_make(i, &p, &data))
			break;
		if (!p.is_for_us_only)
			r = write_payload(argv[1], i, &p, &data);
	}
	test_keys_free();
	if (r < 0)
		perror("auth-payloads");
	return r < 0;
}
