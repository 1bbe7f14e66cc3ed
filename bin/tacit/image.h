/* SPDX-License-Identifier: MIT */
/*
 * image.h — opening images as every verb does.
 */
#pragma once

#include "store/source.h"

/*
 * source_open_file, with patience: an image that is busy is tried again for half a second, since a
 * server that was just unmounted may still be closing it, and a verb beside us takes no longer.
 */
int image_open(struct source **ret, const char *path, bool is_writable, char **ret_error)
	MUST_CHECK;
