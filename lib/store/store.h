/* SPDX-License-Identifier: MIT */
/*
 * store.h — variable stores on disk: one table of formats, one way to open any of them.
 *
 * A format is one file (and its parts) in this folder and one line in store.c's table. All of them
 * give an nv_store for the firmware, and these answers for `tacit vars`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/source.h"
#include "uefi/nvstore.h"

enum store_profile {
	STORE_PROFILE_AUTO, /* by the image's own geometry */
	STORE_PROFILE_OVMF_2M,
	STORE_PROFILE_OVMF_4M,
	STORE_PROFILE_ARMVIRT,
};

extern const char *const store_profile_names[]; /* "auto", "ovmf-2m", "ovmf-4m", "armvirt", NULL */

enum finding_severity { FINDING_INFO, FINDING_WARNING, FINDING_ERROR };

/* What a check found. An error is what makes a firmware refuse, reformat or misread the store. */
struct store_finding {
	const char *code; /* static, kebab-case, stable: "header-checksum" */
	enum finding_severity severity;
	uint64_t offset;  /* bytes into the image */
	char text[200];
};

struct store_findings {
	struct store_finding *list; /* owned */
	size_t count;
	size_t dropped; /* beyond STORE_FINDINGS_MAX */
};
#define STORE_FINDINGS_MAX 256

void store_findings_fini(struct store_findings *findings);

/* A record in the order of the store, dead ones too: for `list` and `info`. */
struct store_record {
	struct nv_variable variable;
	uint8_t state;            /* the format's own state byte */
	const char *state_name;   /* static: "live", "in-transition", "deleted", "incomplete" */
	bool is_live;             /* this record is its key's value */
	uint64_t offset;          /* bytes into the image */
	uint64_t bytes;           /* with header and padding */
};

struct store_format;

/* An open store. nv is what the firmware gets; nv.ops->destroy frees the whole. */
struct store {
	struct nv_store nv;
	const struct store_format *format;
};

struct store_format {
	const char *name;        /* "edk2" */
	const char *description;

	/* True when the source looks like this format, damaged or not; *ret_offset is where it
	 * begins. Reads little. */
	bool (*probe)(struct source *source, uint64_t *ret_offset);
	/* Opens; take_source becomes the store's, also on failure. With a writable source, what a
	 * crash left is recovered first, as firmware would. -EBADMSG with a line in *ret_error. */
	int (*open)(struct store **ret, struct source *take_source, uint64_t offset,
		enum store_profile profile, char **ret_error);
	/* A new, empty image's bytes. 0, -ENOMEM, -EINVAL for a profile it does not know. */
	int (*create)(enum store_profile profile, uint8_t **ret_data, size_t *ret_size);
	/* Looks at an image; changes and recovers nothing. 0 or -errno of the source. */
	int (*check)(struct source *source, uint64_t offset, enum store_profile profile,
		struct store_findings *ret);
	/*
	 * The image as it should be: headers made anew from the geometry, spare replayed, torn
	 * records dropped, free space erased; live variables kept. Bytes of the whole source, to be
	 * written by the caller. *ret_report (owned) has a line for each thing done, "" for none.
	 * -EBADMSG with *ret_error when nothing can be saved.
	 */
	int (*repair)(struct source *source, uint64_t offset, enum store_profile profile,
		uint8_t **ret_data, size_t *ret_size, char **ret_report, char **ret_error);
	/* Every record: *cursor starts at 0. 1, or 0 at the end. */
	int (*next_record)(struct store *store, uint64_t *cursor, struct store_record *ret);
	const char *(*profile_name)(struct store *store); /* static; "custom" when none fits */
};

extern const struct store_format *const store_formats[]; /* NULL-terminated */

/*
 * Opens the store in source, whichever format it has; take_source becomes the store's, also on
 * failure. -ENODATA when no format fits: *ret_error lists what was tried; others as format->open.
 */
int store_open(struct store **ret, struct source *take_source, enum store_profile profile,
	char **ret_error) MUST_CHECK;

/* The format of a source and where it begins, or NULL. */
const struct store_format *store_probe(struct source *source, uint64_t *ret_offset);

static inline void store_free(struct store *store)
{
	if (store)
		store->nv.ops->destroy(&store->nv);
}
DEFINE_CLEAN(struct store *, store_free)
