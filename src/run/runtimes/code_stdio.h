/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard output of a program that has no descriptor beside it for the protocol (code_lines.h): a
 * line that begins with `{` is one of the protocol's; everything else is what it prints, and is
 * passed on as it comes, be the end of its line there or not.
 */
#ifndef FER_CODE_STDIO_H
#define FER_CODE_STDIO_H

#include "lines.h"

/* Who is told. The fer_stdio_split must outlast its calls. */
typedef struct fer_stdio_taker {
    void (*line)(void *context, fer_str line); /* empty: one that is too long to be read */
    void (*print)(void *context, fer_str bytes);
    void *context;
} fer_stdio_taker;

typedef struct fer_stdio_split {
    fer_line_split lines;
    enum {
        FER_STDIO_START,
        FER_STDIO_LINE,
        FER_STDIO_PRINT
    } within;
} fer_stdio_split;

void fer_stdio_init(fer_stdio_split *s);
void fer_stdio_deinit(fer_stdio_split *s);
/* FER_OUT_OF_MEMORY: a line could not be held, and what came behind it was not told. */
fer_code fer_stdio_feed(fer_stdio_split *s, fer_str bytes, const fer_stdio_taker *take);
/* It has ended: a last line without LF is told. */
void fer_stdio_end(fer_stdio_split *s, const fer_stdio_taker *take);

#endif
