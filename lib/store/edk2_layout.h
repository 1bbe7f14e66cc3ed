/* SPDX-License-Identifier: MIT */
/*
 * edk2_layout.h — what lies on disk in an edk2 variable store, and nothing else.
 *
 * PI 1.8 volume 3 §3.2.1 (firmware volume), edk2's VariableFormat.h, FaultTolerantWrite.h. All
 * integers are little-endian; a flag of the fault-tolerant write is set when its bit is 0, since
 * flash erases to ones and programs to zeros.
 */
#pragma once

#include <assert.h>
#include <stddef.h>

#include "base/guid.h"
#include "base/le.h"

/* Firmware volume header, followed by its block map: (count, length) pairs up to (0, 0). */
struct edk2_wire_volume {
	uint8_t zero_vector[16];
	struct guid file_system;
	le64 length;
	uint8_t signature[4];
	le32 attributes;
	le16 header_length;
	le16 checksum; /* makes the sum of the header's 16-bit words 0 */
	le16 ext_header;
	uint8_t reserved;
	uint8_t revision;
};
static_assert(sizeof(struct edk2_wire_volume) == 0x38, "PI 1.8 EFI_FIRMWARE_VOLUME_HEADER");
static_assert(offsetof(struct edk2_wire_volume, file_system) == 0x10, "file system GUID");
static_assert(offsetof(struct edk2_wire_volume, length) == 0x20, "length");
static_assert(offsetof(struct edk2_wire_volume, signature) == 0x28, "signature");
static_assert(offsetof(struct edk2_wire_volume, attributes) == 0x2c, "attributes");
static_assert(offsetof(struct edk2_wire_volume, header_length) == 0x30, "header length");
static_assert(offsetof(struct edk2_wire_volume, checksum) == 0x32, "checksum");
static_assert(offsetof(struct edk2_wire_volume, revision) == 0x37, "revision");

struct edk2_wire_block {
	le32 count;
	le32 length;
};
static_assert(sizeof(struct edk2_wire_block) == 8, "block map entry");

/* VARIABLE_STORE_HEADER, behind the volume header. Size counts this header too. */
struct edk2_wire_store {
	struct guid signature;
	le32 size;
	uint8_t format;
	uint8_t state;
	le16 reserved;
	le32 reserved1;
};
static_assert(sizeof(struct edk2_wire_store) == 28, "VARIABLE_STORE_HEADER");
static_assert(offsetof(struct edk2_wire_store, size) == 16, "size");
static_assert(offsetof(struct edk2_wire_store, format) == 20, "format");
static_assert(offsetof(struct edk2_wire_store, state) == 21, "state");

/* EFI_TIME. */
struct edk2_wire_time {
	le16 year;
	uint8_t month, day, hour, minute, second, pad1;
	le32 nanosecond;
	le16 zone;
	uint8_t daylight, pad2;
};
static_assert(sizeof(struct edk2_wire_time) == 16, "EFI_TIME");

/* AUTHENTICATED_VARIABLE_HEADER; the name and the data follow without padding. */
struct edk2_wire_record {
	le16 start_id;
	uint8_t state;
	uint8_t reserved;
	le32 attributes;
	le64 monotonic_count;
	struct edk2_wire_time time;
	le32 public_key_index;
	le32 name_bytes; /* with the NUL */
	le32 data_bytes;
	struct guid vendor;
};
static_assert(sizeof(struct edk2_wire_record) == 60, "AUTHENTICATED_VARIABLE_HEADER");
static_assert(offsetof(struct edk2_wire_record, state) == 2, "state");
static_assert(offsetof(struct edk2_wire_record, monotonic_count) == 8, "monotonic count");
static_assert(offsetof(struct edk2_wire_record, time) == 16, "time");
static_assert(offsetof(struct edk2_wire_record, name_bytes) == 36, "name size");
static_assert(offsetof(struct edk2_wire_record, vendor) == 44, "vendor");

/* VARIABLE_HEADER, of a store without authenticated variables. */
struct edk2_wire_plain_record {
	le16 start_id;
	uint8_t state;
	uint8_t reserved;
	le32 attributes;
	le32 name_bytes;
	le32 data_bytes;
	struct guid vendor;
};
static_assert(sizeof(struct edk2_wire_plain_record) == 32, "VARIABLE_HEADER");
static_assert(offsetof(struct edk2_wire_plain_record, name_bytes) == 8, "name size");

/* EFI_FAULT_TOLERANT_WORKING_BLOCK_HEADER. The CRC is of these bytes with itself and the next four
 * as 0xFF. */
struct edk2_wire_work {
	struct guid signature;
	le32 crc;
	uint8_t flags;
	uint8_t reserved[3];
	le64 queue_bytes;
};
static_assert(sizeof(struct edk2_wire_work) == 32, "EFI_FAULT_TOLERANT_WORKING_BLOCK_HEADER");
static_assert(offsetof(struct edk2_wire_work, flags) == 20, "flags");
static_assert(offsetof(struct edk2_wire_work, queue_bytes) == 24, "queue size");

/* EFI_FAULT_TOLERANT_WRITE_HEADER: a group of writes in the queue. */
struct edk2_wire_write {
	uint8_t flags;
	uint8_t reserved[3];
	struct guid caller;
	le32 reserved1;
	le64 count;
	le64 private_bytes;
};
static_assert(sizeof(struct edk2_wire_write) == 40, "EFI_FAULT_TOLERANT_WRITE_HEADER");
static_assert(offsetof(struct edk2_wire_write, caller) == 4, "caller");
static_assert(offsetof(struct edk2_wire_write, count) == 24, "number of writes");

/* EFI_FAULT_TOLERANT_WRITE_RECORD: one write of a group. */
struct edk2_wire_write_record {
	uint8_t flags;
	uint8_t reserved[7];
	le64 lba;
	le64 offset;
	le64 length;
	le64 relative_offset; /* signed: target minus spare */
};
static_assert(sizeof(struct edk2_wire_write_record) == 40, "EFI_FAULT_TOLERANT_WRITE_RECORD");
static_assert(offsetof(struct edk2_wire_write_record, relative_offset) == 32, "relative offset");

#define EDK2_SIGNATURE "_FVH"
#define EDK2_REVISION 2
#define EDK2_FORMATTED 0x5a
#define EDK2_HEALTHY 0xfe
#define EDK2_START_ID 0x55aa
#define EDK2_ERASED 0xff

/* EFI_FVB attributes: as the build tools of OVMF write them, and as VirtNorFlash formats. */
#define EDK2_ATTRIBUTES_OVMF 0x0004feffu
#define EDK2_ATTRIBUTES_NOR 0x00000e36u

/* A record's state; see edk2_records.h for what each means. */
#define EDK2_STATE_INCOMPLETE 0xff
#define EDK2_STATE_HEADER_ONLY 0x7f
#define EDK2_STATE_LIVE 0x3f
#define EDK2_STATE_IN_TRANSITION 0x3e
#define EDK2_STATE_DELETED 0x3d
#define EDK2_STATE_REPLACED 0x3c

/* Work area. */
#define EDK2_WORK_VALID 0xfe
#define EDK2_WORK_INVALID 0xfc

/* Write header: the bit of each flag. */
#define EDK2_WRITE_ALLOCATED 0x01
#define EDK2_WRITES_ALLOCATED 0x02
#define EDK2_WRITE_COMPLETE 0x04

/* Write record: the bit of each flag. */
#define EDK2_RECORD_BOOT_BLOCK 0x01
#define EDK2_RECORD_SPARE_COMPLETE 0x02
#define EDK2_RECORD_TARGET_COMPLETE 0x04
