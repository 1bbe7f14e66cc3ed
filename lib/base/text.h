/* SPDX-License-Identifier: MIT */
/*
 * text.h — text from strangers in a line for a person: a log, a terminal, an extended attribute.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * True for a character that is no text but an order to whoever shows it: C0, DEL and C1, the line
 * and paragraph separators, and what turns the direction of writing (a name could look like
 * another).
 */
bool text_is_control(uint32_t character);

/*
 * Replaces the bytes of such characters, in UTF-8, by '?', so that the text is one line and moves
 * no cursor. Length and everything else stay.
 */
void text_make_line(char *text, size_t length);
