/* SPDX-License-Identifier: MIT */
/*
 * call.h — what the handlers of opcodes (call_node.c, call_file.c) share.
 */
#pragma once

#include "fuse/internal.h"

/* Calls an operation of a file system, or says ENOSYS where it has none. */
#define CALL(fs, operation, ...)                                                                   \
	((fs)->ops->operation ? (fs)->ops->operation((fs), __VA_ARGS__) : -ENOSYS)

/* Sets how many bytes of data the answer may have: what was asked for, and has room. */
static inline void reply_ask(struct fs_request *req, size_t size)
{
	size_t room = reply_room(req);

	req->reply_max = size < room ? size : room;
}
