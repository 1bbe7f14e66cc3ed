/* SPDX-License-Identifier: MIT */
/*
 * cleanup.h — locals that free or close themselves when their scope ends.
 *
 * A pointer or descriptor that leaves its scope another way is handed over with TAKE_PTR or
 * TAKE_FD, which leaves "nothing" (NULL, -1) behind.
 */
#pragma once

#include <stdlib.h>
#include <unistd.h>

#define CLEAN(function) __attribute__((cleanup(clean_##function)))
#define CLEAN_FD __attribute__((cleanup(clean_fd)))
#define MUST_CHECK __attribute__((warn_unused_result))

/* Defines clean_FUNCTION for a pointer type, so that CLEAN(FUNCTION) can be put on its locals. */
#define DEFINE_CLEAN(type, function)                                                               \
	static inline void clean_##function(type *pointer)                                         \
	{                                                                                          \
		if (*pointer)                                                                      \
			function(*pointer);                                                        \
	}

static inline void clean_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void clean_fd(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* an error of close cannot be undone, nor retried on Linux */
}

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define TAKE_FD(fd) take_fd(&(fd))
#define TAKE_PTR(pointer)                                                                          \
	__extension__({                                                                            \
		__typeof__(pointer) taken_ = (pointer);                                            \
		(pointer) = NULL;                                                                  \
		taken_;                                                                            \
	})

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
