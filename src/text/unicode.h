/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 and what little of Unicode is needed. Pure. Invalid bytes count as U+FFFD, one each. */
#ifndef FER_UNICODE_H
#define FER_UNICODE_H

#include "str.h"

/* The code point at `*at`, which moves behind it; at < s.len. */
uint32_t fer_utf8_next(fer_str s, size_t *at);
/* How many code points a text has. */
size_t fer_utf8_count(fer_str s);
/* The same, of text that is known to be valid, as that of documents is: many times as quick. */
size_t fer_utf8_count_valid(fer_str s);
/* The first `max` code points of a text; no character is split. */
fer_str fer_utf8_cut(fer_str s, size_t max);
/* Simple lower case mapping. */
uint32_t fer_unicode_lower(uint32_t c);
/* White_Space property. */
bool fer_unicode_is_space(uint32_t c);
/* Columns a terminal gives to a text: 0 for marks, 2 for wide characters. Control characters
 * count 1. */
size_t fer_unicode_width(fer_str s);

#endif
