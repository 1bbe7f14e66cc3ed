/* SPDX-License-Identifier: MIT */
/* descriptor.c — see descriptor.h. */
#include "uefi/descriptor.h"

#include <errno.h>

#include "base/reader.h"

#define CERTIFICATE_FIXED_SIZE 24u    /* WIN_CERTIFICATE_UEFI_GUID without its data */
#define CERTIFICATE_REVISION 0x0200u  /* UEFI 2.10 §32.2.4, WIN_CERTIFICATE */
#define CERTIFICATE_TYPE_GUID 0x0ef1u /* WIN_CERT_TYPE_EFI_GUID */

/* EFI_CERT_TYPE_PKCS7_GUID */
static const struct guid pkcs7_guid =
	GUID_OF(0x4aafd29d, 0x68df, 0x49ee, 0x8a, 0xa9, 0x34, 0x7d, 0x37, 0x56, 0x65, 0xa7);

/* EFI_TIME (UEFI 2.10 §8.3). */
static struct uefi_time read_time(struct reader *r)
{
	struct uefi_time time = {0};

	time.year = reader_le16(r);
	time.month = reader_u8(r);
	time.day = reader_u8(r);
	time.hour = reader_u8(r);
	time.minute = reader_u8(r);
	time.second = reader_u8(r);
	time.pad1 = reader_u8(r);
	time.nanosecond = reader_le32(r);
	time.zone = (int16_t)reader_le16(r);
	time.daylight = reader_u8(r);
	time.pad2 = reader_u8(r);
	return time;
}

int descriptor_read(const void *data, size_t size, struct auth_descriptor *ret)
{
	struct reader r = reader_of(data, size);
	struct auth_descriptor d = {.time = read_time(&r)};
	uint32_t length = reader_le32(&r);
	uint16_t revision = reader_le16(&r);
	uint16_t type = reader_le16(&r);
	struct guid type_guid;

	if (!reader_copy(&r, &type_guid, sizeof(type_guid)))
		return -EBADMSG;
	d.is_pkcs7 = revision == CERTIFICATE_REVISION && type == CERTIFICATE_TYPE_GUID &&
		guid_equal(&type_guid, &pkcs7_guid);
	d.is_complete = length >= CERTIFICATE_FIXED_SIZE && length <= size - DESCRIPTOR_TIME_SIZE;
	d.is_time_plain = !d.time.pad1 && !d.time.nanosecond && !d.time.zone && !d.time.daylight &&
		!d.time.pad2;
	if (d.is_complete)
		d.size = DESCRIPTOR_TIME_SIZE + (size_t)length;
	*ret = d;
	return 0;
}
