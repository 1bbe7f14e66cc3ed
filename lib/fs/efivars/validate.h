/* SPDX-License-Identifier: MIT */
/*
 * validate.h — what is checked of a well-known variable's content before it is written.
 *
 * The checks that Linux makes in effect: those of load options (Boot#### and Driver####, UEFI 2.10
 * §3.1.3). Other well-known names have rules on paper that no kernel applies; firmware judges them.
 */
#pragma once

#include "fs/efivars/names.h"

/* NULL when the content may be written; else what is wrong with it, a static text. */
const char *validate_content(const struct variable_key *key, const uint8_t *data, size_t size);
