/* SPDX-License-Identifier: MIT */
/*
 * edk2.h — the variable store of edk2 (OVMF, ArmVirt and their kin), as this folder's parts see it.
 *
 * An image holds one firmware volume: the live region (volume header, store header, records, free
 * space of 0xFF), sometimes an event log, and for the fault-tolerant write (FTW) a work area with a
 * queue and a spare area. Every offset here counts from the volume's first byte.
 *
 * Parts: edk2_geometry.c finds and judges the volume; edk2_records.c walks and encodes records;
 * edk2_index.c knows each key's record; edk2_ftw.c reads and makes work areas; edk2_commit.c
 * carries out a fault-tolerant write; edk2_write.c is the record protocol; edk2.c is the store;
 * edk2_check.c and edk2_repair.c are for `check`, `repair` and `create`. The first five never touch
 * a source.
 *
 * States of a record (edk2 VariableFormat.h). Bits only go from 1 to 0.
 *
 *	0xFF  incomplete     being written; ends our walk of the list
 *	0x7F  incomplete     header valid, content not; never a value
 *	0x3F  live           the value
 *	0x3E  in transition  the value while no 0x3F record has its key, else garbage
 *	0x3D  deleted        from 0x3F
 *	0x3C  replaced       from 0x3E
 *
 * Threads: one call at a time on one store; pure functions may run anywhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/edk2_layout.h"
#include "store/store.h"

#define EDK2_VOLUME_MAX (64u << 20) /* largest firmware volume, bytes */
#define EDK2_HEADER_MAX 0x400u      /* largest volume header with its block map, bytes */
#define EDK2_SCAN_MAX (128ull << 20) /* how far a volume inside another image is searched for */

extern const struct guid edk2_volume_guid, edk2_auth_guid, edk2_plain_guid, edk2_work_guid;

/* A build whose geometry and limits are known (they are compiled into the firmware). */
struct edk2_profile {
	const char *name;
	enum store_profile id;
	uint64_t file_size; /* as distributed */
	uint32_t volume, live, work_offset, work, spare_offset, spare, block; /* bytes */
	uint32_t block_count;  /* as its block map says; need not multiply out to the volume */
	uint32_t attributes;   /* of a new volume */
	uint32_t max_variable, max_auth_variable;
};

extern const struct edk2_profile edk2_profiles[]; /* name NULL ends it */

/* The profile of an id; NULL for AUTO. */
const struct edk2_profile *edk2_profile_of(enum store_profile id);

struct edk2_geometry {
	const struct edk2_profile *profile; /* NULL: none fits */
	uint32_t volume;        /* bytes */
	uint32_t header;        /* bytes: the store header begins there */
	uint32_t first;         /* where the first record lies */
	uint32_t end;           /* of the records, at most; a multiple of 4; not below first */
	uint32_t live;          /* bytes of the live region, whole blocks */
	uint32_t store_bytes;   /* Size: store header and records */
	uint32_t block;         /* bytes */
	bool is_authenticated;
	bool has_ftw;           /* the rest is known */
	uint32_t work_offset, work, spare_offset, spare; /* bytes */
};

/* What speaks against a volume: the first thing found, for one line. */
struct edk2_fault {
	const char *code; /* NULL: none */
	uint32_t offset;
	const char *text;
};

/*
 * Reads the volume and store headers in data (at least the headers, at most the live region) of a
 * volume that has `available` bytes in its image. -EBADMSG with *ret_fault; *ret is then unset. The
 * FTW areas are known for a profile's geometry only; see edk2_geometry_find_work.
 */
int edk2_geometry_read(struct edk2_geometry *ret, const uint8_t *data, size_t size,
	uint64_t available, struct edk2_fault *ret_fault) MUST_CHECK;

/* A known profile's geometry, without looking at a volume. */
struct edk2_geometry edk2_geometry_of(const struct edk2_profile *profile);

/*
 * For a volume of no profile: takes a valid work area found at work_offset, if work and spare fit
 * the volume. True when they do.
 */
bool edk2_geometry_take_work(struct edk2_geometry *g, uint32_t work_offset, uint32_t work);

/* Looks behind the live region of a volume of no profile for a work area, and takes the first that
 * fits. 0, found or not, or the source's -errno. */
int edk2_find_work(struct source *source, uint64_t base, struct edk2_geometry *g) MUST_CHECK;

/* The checksum word that makes the header's sum 0, as the header would be with 0 there. */
uint16_t edk2_volume_checksum(const uint8_t *data, size_t size);

/* Writes volume and store headers as the profile's firmware or build makes them: g->first bytes. */
void edk2_geometry_write(const struct edk2_geometry *g, uint8_t *data);

/* Where a volume was found in a source, and how much of it can be believed. */
enum edk2_found {
	EDK2_FOUND_NOTHING,
	EDK2_FOUND_VOLUME,  /* its header has signature and GUID */
	EDK2_FOUND_DAMAGED, /* the header has not, but the rest shows which profile it was */
	EDK2_FOUND_BLANK,   /* all zero, of a size that firmware formats */
	EDK2_FOUND_GARBLED, /* nothing but a well-known size */
};

struct edk2_place {
	enum edk2_found found;
	uint64_t offset;                    /* bytes into the image */
	const struct edk2_profile *profile; /* DAMAGED, BLANK, GARBLED */
};

/* Looks for a volume; reads little unless none lies at the start. 0 or the source's -errno. */
int edk2_locate(struct source *source, struct edk2_place *ret) MUST_CHECK;

/* One record in the list. */
struct edk2_record {
	uint32_t offset;     /* of its header */
	uint32_t bytes;      /* header, name, data, padding */
	uint32_t header;     /* bytes */
	uint32_t name_bytes; /* with the NUL */
	uint32_t data_bytes;
	uint32_t attributes;
	uint8_t state;
	bool is_sound;       /* a known state, and a name that firmware accepts */
	bool is_nameable;    /* and not longer than we handle */
};

enum edk2_end {
	EDK2_END_FREE,    /* no start id, or no room for a header */
	EDK2_END_TORN,    /* a record that was being written */
	EDK2_END_OVERRUN, /* a record that would reach past the store: damage */
};

struct edk2_walk {
	const struct edk2_geometry *geometry;
	const uint8_t *live; /* the live region */
	uint32_t at;         /* the next record; after the end, where the list ends */
	enum edk2_end end;
};

static inline struct edk2_walk edk2_walk_of(const struct edk2_geometry *g, const uint8_t *live)
{
	return (struct edk2_walk){.geometry = g, .live = live, .at = g->first};
}

/* The next record: true, or false at the end with walk->end and walk->at set. */
bool edk2_walk_next(struct edk2_walk *walk, struct edk2_record *ret);

/*
 * Where values lie that the list has lost: the first record with a value at `at` (its start id may
 * be damaged) or behind it. EDK2_NO_RECORD when there is none, or when `at` is where a crash
 * interrupted an append: then what follows is a part of that record.
 */
uint32_t edk2_find_lost(const struct edk2_geometry *g, const uint8_t *live, uint32_t at);

/* True when every byte in [from, g->end) is erased. */
bool edk2_is_erased(const uint8_t *data, size_t size);

/* Header bytes of a record in this store. */
uint32_t edk2_record_header(const struct edk2_geometry *g);
/* Bytes that a record takes with its padding; sizes past the store give more than g->end. */
uint64_t edk2_record_bytes(const struct edk2_geometry *g, size_t name_count, size_t data_size);
/* Reads name, vendor, time and the rest of a nameable record; data is borrowed from live. */
void edk2_record_decode(const struct edk2_geometry *g, const uint8_t *live,
	const struct edk2_record *record, struct nv_variable *ret);
/* Writes a record's edk2_record_bytes(), padding included, in the given state. */
void edk2_record_encode(const struct edk2_geometry *g, const struct nv_variable *v, uint8_t state,
	uint8_t *out);
const char *edk2_state_name(uint8_t state);

/* The records of a store and the value of each key. */
struct edk2_index {
	struct edk2_record *records; /* owned; in the order of the store */
	uint32_t *keys;              /* owned; records [i]'s hash, folded */
	bool *live;                  /* owned; record [i] is its key's value */
	uint32_t count, capacity;
	uint32_t *table;             /* owned; open addressing: record + 1, 0 for empty */
	uint32_t table_size;         /* a power of two, at least twice the capacity */
	uint32_t live_count;
	uint64_t live_bytes, all_bytes;
	uint32_t end;                /* where the next record would go */
	enum edk2_end end_kind;
	bool is_tail_erased;
	bool is_damaged;             /* a record is not sound, or overruns */
	uint32_t damaged_at;         /* the first such */
};

#define EDK2_NO_RECORD UINT32_MAX

/* Walks the store anew. 0 or -ENOMEM; on failure the index is as it was. */
int edk2_index_build(struct edk2_index *index, const struct edk2_geometry *g, const uint8_t *live)
	MUST_CHECK;
void edk2_index_fini(struct edk2_index *index);
/* Makes room for one more record, so that edk2_index_add cannot fail. 0 or -ENOMEM. */
int edk2_index_reserve(struct edk2_index *index, const struct edk2_geometry *g,
	const uint8_t *live) MUST_CHECK;
/* The value of a key, or EDK2_NO_RECORD. */
uint32_t edk2_index_find(const struct edk2_index *index, const struct edk2_geometry *g,
	const uint8_t *live, const struct uefi_name *name, const struct guid *vendor);
/* Counts in the record that now lies at index->end and makes it its key's value. */
void edk2_index_add(struct edk2_index *index, const struct edk2_geometry *g, const uint8_t *live);
/* A record's new state. A record that dies is no value any more. */
void edk2_index_set_state(struct edk2_index *index, uint32_t record, uint8_t state);
/* The next record after `after` (EDK2_NO_RECORD: the first) with this one's key that may be taken
 * for a value (0x3F, 0x3E), the record itself left out; EDK2_NO_RECORD at the end. */
uint32_t edk2_index_twin(const struct edk2_index *index, const struct edk2_geometry *g,
	const uint8_t *live, uint32_t record, uint32_t after);

/* The work area, read. */
enum edk2_ftw_state {
	EDK2_FTW_INVALID, /* no valid header */
	EDK2_FTW_READY,   /* nothing unfinished, and room for an entry at `entry` */
	EDK2_FTW_FULL,    /* nothing that must be finished, but no clean room: to be made anew */
	EDK2_FTW_PENDING, /* spare holds what the target must become */
};

struct edk2_ftw {
	enum edk2_ftw_state state;
	uint32_t entry;  /* READY, PENDING: the write header's offset in the work area */
	uint32_t record; /* PENDING: the write record's */
	bool is_abandoned; /* an entry was begun, its spare never finished */
	/* PENDING: */
	uint64_t lba, offset, length;
	int64_t relative_offset;
	bool is_last; /* the last write of its group */
};

/* Bytes of one write in the queue: a header and a record. */
#define EDK2_FTW_ENTRY (sizeof(struct edk2_wire_write) + sizeof(struct edk2_wire_write_record))

bool edk2_work_is_valid(const uint8_t *work, size_t size);
/* The header of a work area of that size. */
void edk2_work_header(uint32_t work, struct edk2_wire_work *ret);
struct edk2_ftw edk2_ftw_read(const uint8_t *work, size_t size);
/* The queue entry for replacing the live region: allocated, nothing complete. */
void edk2_ftw_entry(const struct edk2_geometry *g, uint8_t out[static EDK2_FTW_ENTRY]);
/* True when a pending write replaces exactly the live region, the only kind that edk2 makes. */
bool edk2_ftw_is_live(const struct edk2_ftw *ftw, const struct edk2_geometry *g);

/* The open store. */
struct edk2_store {
	struct store store; /* first */
	struct source *source; /* owned */
	uint64_t base;         /* of the volume in the image */
	enum store_profile wanted; /* whose limits hold */
	struct edk2_geometry geometry;
	uint8_t *live;         /* owned; the live region as firmware would see it after recovery */
	struct edk2_index index;
	struct edk2_ftw ftw;
	bool is_stale;         /* the source may hold something else: load before use */
	uint32_t unsettled;    /* hash of the key whose old record's end may not be durable yet */
	bool is_unsettled;
	char reason[200];
};

/* Reads everything from the source: 0, -EBADMSG with *ret_error, or -errno. Writes nothing. */
int edk2_load(struct edk2_store *s, char **ret_error) MUST_CHECK;
/* Finishes what was interrupted, as firmware would at its next start. 0 or -errno, reason set. */
int edk2_recover(struct edk2_store *s) MUST_CHECK;
/* Reads the work area; INVALID where none is known. 0 or -errno. */
int edk2_load_ftw(struct edk2_store *s, const struct edk2_geometry *g, struct edk2_ftw *ret)
	MUST_CHECK;
/* Before a change: loads if stale, recovers, refuses what may not be written. */
int edk2_make_ready(struct edk2_store *s) MUST_CHECK;
/* Notes why and gives error back. */
int edk2_refuse(struct edk2_store *s, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Writes to the volume, and to the image in memory on success; on failure the store is stale. */
int edk2_put_bytes(struct edk2_store *s, uint32_t offset, const void *data, size_t n) MUST_CHECK;
int edk2_sync(struct edk2_store *s) MUST_CHECK;

/*
 * The live region becomes image (g->live bytes), by a fault-tolerant write. On return of 0 that is
 * certain, although it may be finished only by the next recovery; on failure the old one stands.
 */
int edk2_commit(struct edk2_store *s, const uint8_t *image) MUST_CHECK;
/* Finishes the pending write: spare's content, already in image, into the live region. */
int edk2_commit_finish(struct edk2_store *s, const uint8_t *image, uint32_t entry, uint32_t record)
	MUST_CHECK;

int edk2_put(struct nv_store *nv, const struct nv_variable *v, bool may_reclaim);
int edk2_remove(struct nv_store *nv, const struct uefi_name *name, const struct guid *vendor);
/* Without dead records and with addition (may be NULL), by edk2_commit. */
int edk2_compact(struct edk2_store *s, const struct nv_variable *addition) MUST_CHECK;
/*
 * The live region without dead records; what is not one of the values that index knows but must not
 * be lost (a name longer than we handle) is kept. addition's old value is left out. image has
 * g->live bytes. 0, or -ENOSPC.
 */
int edk2_compact_image(const struct edk2_geometry *g, const uint8_t *live,
	const struct edk2_index *index, const struct nv_variable *addition, uint8_t *image)
	MUST_CHECK;

int edk2_check(struct source *source, uint64_t offset, enum store_profile profile,
	struct store_findings *ret);
int edk2_repair(struct source *source, uint64_t offset, enum store_profile profile,
	uint8_t **ret_data, size_t *ret_size, char **ret_report, char **ret_error);
int edk2_create(enum store_profile profile, uint8_t **ret_data, size_t *ret_size);
