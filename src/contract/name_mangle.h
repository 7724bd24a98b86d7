/* SPDX-License-Identifier: Apache-2.0 */
/* Any text in the alphabet of names and namespaces, [A-Za-z0-9_.-]. Pure. */
#ifndef FER_NAME_MANGLE_H
#define FER_NAME_MANGLE_H

#include "arena.h"

static inline bool fer_name_has(char c)
{
    return fer_is_alpha(c) || fer_is_digit(c) || c == '_' || c == '.' || c == '-';
}

/*
 * Runs of other characters become one '_', and none at the ends; at most `max` bytes, never empty.
 * Two texts may become the same: who needs the way back keeps the text. `ptr` NULL: no memory.
 */
fer_str fer_name_mangle(fer_arena *a, fer_str text, size_t max);

/*
 * The same so that no two texts become one: a byte that names do not have becomes "-.HH", two
 * digits of base 16 with capitals, and so does a '-' behind which that would be read. Texts that
 * are names, but for these, stay as they are. `ptr` NULL: no memory.
 */
fer_str fer_name_escape(fer_arena *a, fer_str text);

#endif
