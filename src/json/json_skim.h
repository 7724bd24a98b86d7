/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding where values end in a text without building a tree, so that a large list
 * can be read item by item. Skimming judges nothing: what it passes over is read
 * strictly by fer_json_read, or was not read at all.
 */
#ifndef FER_JSON_SKIM_H
#define FER_JSON_SKIM_H

#include "str.h"

/* The first byte at or after `at` that is not white space; text.len at the end. */
size_t fer_skim_space(fer_str text, size_t at);
/* The byte behind the value that starts at `at`; SIZE_MAX where it has no end. */
size_t fer_skim_value(fer_str text, size_t at);

#endif
