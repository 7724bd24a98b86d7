/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code points of the Unicode properties that ECMA-262 lets a pattern name. The tables
 * are written at build time by make_unicode_tables.py and are about 60 KB. Any thread.
 */
#ifndef FER_UNICODE_TABLES_H
#define FER_UNICODE_TABLES_H

#include <stddef.h>
#include <stdint.h>

enum fer_unicode_kind {
    FER_UNICODE_GENERAL_CATEGORY,
    FER_UNICODE_BINARY,
    FER_UNICODE_SCRIPT,
    FER_UNICODE_SCRIPT_EXTENSIONS
};

/* One name of one value, ordered by kind and name. */
struct fer_unicode_row {
    uint16_t kind;
    uint16_t name;  /* offset in fer_unicode_names */
    uint16_t count; /* of ranges */
    uint32_t at;    /* offset in fer_unicode_ranges */
};

extern const char fer_unicode_names[];
extern const struct fer_unicode_row fer_unicode_rows[];
extern const size_t fer_unicode_row_count;
/*
 * Ranges in order, each as two numbers: how many code points lie between it and the one
 * before, and its length less one. A number has seven bits a byte, the lowest first; the
 * top bit says that more follow.
 */
extern const unsigned char fer_unicode_ranges[];

#endif
