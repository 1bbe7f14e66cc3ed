/* SPDX-License-Identifier: MIT */
/*
 * text.h — text from strangers in a line for a person: a log, a terminal, an extended attribute.
 */
#pragma once

#include <stddef.h>

/*
 * Replaces control characters (C0, DEL and, in UTF-8, C1) by '?', so that the text is one line and
 * moves no cursor. Length and everything else stay.
 */
void text_make_line(char *text, size_t length);
