/* SPDX-License-Identifier: MIT */
/*
 * store_ftw.c — any bytes as the queue of a fault-tolerant work area, behind a valid header.
 *
 * What is said to be pending or free lies inside the area.
 */
#include <stdlib.h>
#include <string.h>

#include "store/edk2.h"
#include "target.h"

#define WORK 0x1000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t work[WORK];
	const struct edk2_geometry g = edk2_geometry_of(edk2_profile_of(STORE_PROFILE_OVMF_4M));
	struct edk2_wire_work header;
	struct edk2_ftw ftw;
	size_t room = WORK - sizeof(header);

	edk2_work_header(WORK, &header);
	memset(work, 0xff, sizeof(work));
	memcpy(work, &header, sizeof(header));
	memcpy(work + sizeof(header), data, size < room ? size : room);
	ftw = edk2_ftw_read(work, sizeof(work));
	if (ftw.state == EDK2_FTW_INVALID)
		abort();
	if (ftw.state == EDK2_FTW_READY && ftw.entry > WORK - EDK2_FTW_ENTRY)
		abort();
	if (ftw.state == EDK2_FTW_PENDING &&
		(ftw.entry >= ftw.record ||
			ftw.record > WORK - sizeof(struct edk2_wire_write_record)))
		abort();
	if (edk2_ftw_is_live(&ftw, &g) && ftw.offset + ftw.length > g.live)
		abort();
	/* Any bytes at all, header included. */
	(void)edk2_ftw_read(data, size);
	return 0;
}
