/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text in two notations: Markdown for the reference pages, plain for the terminal and for
 * pipes. Who writes one says what a part is, not how it looks, so that a page and the command
 * that prints the same cannot drift apart.
 */
#ifndef FER_SHEET_H
#define FER_SHEET_H

#include "out.h"

/* The line that says that a page is made. */
#define FER_SHEET_MADE                                                                             \
    "<!-- Made by `ferrule reference`; do not edit. `make docs` makes it anew. -->\n\n"
#define FER_SHEET_COLUMNS 6

typedef struct fer_sheet {
    fer_out *out;
    bool markdown;
} fer_sheet;

/* Texts in columns, under heads that plain text has on a terminal only. */
typedef struct fer_sheet_table {
    const char *const *heads;
    size_t columns;
    fer_str (*rows)[FER_SHEET_COLUMNS];
    size_t count;
    const char *folder; /* of the pages that the first column names; NULL: it links nowhere */
} fer_sheet_table;

/* The first line: what the sheet is about, and a word on it. */
void fer_sheet_title(const fer_sheet *s, fer_str name, fer_str rest);
/* A paragraph; `head` ("Why: ") may be empty. */
void fer_sheet_text(const fer_sheet *s, const char *head, fer_str text);
/* Lines of "head: text"; in Markdown a list. */
void fer_sheet_items(const fer_sheet *s, const char *head, const fer_str *list, size_t count);
void fer_sheet_table_write(const fer_sheet *s, const fer_sheet_table *t);

#endif
