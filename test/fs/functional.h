/* SPDX-License-Identifier: MIT */
/*
 * functional.h — the cases of the functional comparison, by subject.
 *
 * Each table ends with an entry without a name.
 */
#pragma once

#include "compare.h"

extern const struct case_entry name_cases[];
extern const struct case_entry node_cases[];
extern const struct case_entry directory_cases[];
extern const struct case_entry data_cases[];
extern const struct case_entry space_cases[];
extern const struct case_entry access_cases[];
extern const struct case_entry attribute_cases[];
extern const struct case_entry lock_cases[];
extern const struct case_entry host_cases[];     /* need to know what is behind the mount */
extern const struct case_entry readonly_cases[]; /* on a read-only mount */
