/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard output: buffered, with colour only where it is wanted. What comes from
 * files goes through fer_out_clean, so that no terminal obeys it. The first failed
 * write is remembered; fer_out_close tells.
 */
#ifndef FER_OUT_H
#define FER_OUT_H

#include "str.h"

enum fer_style {
    FER_STYLE_NONE,
    FER_STYLE_BOLD,
    FER_STYLE_DIM,
    FER_STYLE_RED,
    FER_STYLE_YELLOW,
    FER_STYLE_BLUE
};

typedef struct fer_out {
    int fd;
    bool colour;
    bool terminal;
    bool failed;
    int error; /* errno of the first failed write */
    size_t len;
    char bytes[16384];
} fer_out;

void fer_out_init(fer_out *o, int fd, bool colour, bool terminal);
void fer_out_add(fer_out *o, fer_str s);
void fer_out_text(fer_out *o, const char *text);
void fer_out_printf(fer_out *o, const char *format, ...) FER_PRINTF(2, 3);
/* As a JSON string; bytes that are not UTF-8 become U+FFFD. */
void fer_out_json(fer_out *o, fer_str s);
/* With control characters and broken UTF-8 replaced. Lines and tabs become blanks. */
void fer_out_clean(fer_out *o, fer_str s);
void fer_out_style(fer_out *o, enum fer_style style);
void fer_out_flush(fer_out *o);
/* Flushes; false where anything could not be written. */
bool fer_out_close(fer_out *o);

#endif
