/* SPDX-License-Identifier: MIT */
/*
 * target.h — what a fuzz target is: one function over hostile bytes.
 *
 * NAME.c defines it; its corpus is corpus/NAME/, a file an input; the list is in meson.build.
 * libFuzzer calls it in the build with -Dfuzzers=true, replay.c on the corpus in every other build.
 * A target ends the process (abort) when what it checks does not hold.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Always 0: libFuzzer keeps the input if it reached something new. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
