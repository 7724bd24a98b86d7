/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats of JSON Schema, drafts 4 to 2020-12 and v1, each checked in full by the grammar
 * it names. This header knows texts only: that a value which is no string always fits is for
 * the caller. Texts that come from JSON are UTF-8; other bytes are refused wherever a grammar
 * allows more than ASCII, except in JSON Pointers, which take any. Pure; every check is linear
 * and does not recurse, and may run on any thread, with a scratch arena of its own.
 */
#ifndef FER_FORMATS_H
#define FER_FORMATS_H

#include "arena.h"
#include "str.h"

/* The drafts by their numbers; v1 counts as the last of all. */
#define FER_DRAFT_V1 9999u

typedef struct fer_text_format {
    const char *name; /* "date-time" */
    unsigned from;    /* the first draft that has it: 4, 6, 7, 2019, 2020 or FER_DRAFT_V1 */
    unsigned to;      /* the last one */
    /* Whether the text is one. 1 yes, 0 no, -1 no memory. `scratch` is used on the way. */
    int (*check)(fer_arena *scratch, fer_str s);
    const char *expected; /* what would be right, for a message: "a date such as 2026-11-16" */
} fer_text_format;

/* All of them, ordered by name. One whose grammar changed has a row for each grammar. */
const fer_text_format *fer_text_formats(size_t *count);
/* The format of that name in a draft; NULL: it has none. */
const fer_text_format *fer_text_format_find(fer_str name, unsigned draft);

#endif
