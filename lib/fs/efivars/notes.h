/* SPDX-License-Identifier: MIT */
/*
 * notes.h — what the file system has to tell its user beyond an errno: why the last operation was
 * refused, and which variables a listing found twice.
 *
 * Any thread; the lock inside is a leaf.
 */
#pragma once

#include <pthread.h>

#include "base/buffer.h"

#define NOTES_DUPLICATES_MAX 32768 /* bytes of text; an extended attribute holds 64 KiB */

struct notes {
	pthread_mutex_t lock;
	char *refusal;            /* owned; NULL: there was none */
	struct buffer duplicates; /* a file name a line, without the last newline */
};

void notes_init(struct notes *notes);
void notes_fini(struct notes *notes);

/* Replaces the reason of the last refusal, and logs it. Control characters become '?'. */
void notes_refuse(struct notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Forgets the duplicates of an earlier listing. */
void notes_clear_duplicates(struct notes *notes);
void notes_add_duplicate(struct notes *notes, const char *file_name);

/* Copies of the texts, owned by the caller: 0; -ENODATA when there is none; -ENOMEM. */
int notes_get_refusal(struct notes *notes, char **ret) MUST_CHECK;
int notes_get_duplicates(struct notes *notes, char **ret) MUST_CHECK;
