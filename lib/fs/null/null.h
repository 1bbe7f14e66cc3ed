/* SPDX-License-Identifier: MIT */
/*
 * null.h — the null file system: an empty directory that answers everything at once.
 *
 * It is the floor under every measurement: what a request costs when the file system does nothing.
 */
#pragma once

#include "fs/filesystem.h"

int null_fs_new(struct fs **ret) MUST_CHECK; /* 0 or -ENOMEM; freed by ops->destroy */
