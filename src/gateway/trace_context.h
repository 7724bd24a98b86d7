/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W3C Trace Context: which trace a call belongs to. `traceparent` of version 00 and of later ones,
 * as far as they begin alike; what is malformed is left aside and a new trace begins. Pure.
 */
#ifndef FER_TRACE_CONTEXT_H
#define FER_TRACE_CONTEXT_H

#include "str.h"

#define FER_TRACEPARENT 56 /* bytes of its text, NUL included */

typedef struct fer_trace {
    unsigned char trace[16];
    unsigned char span[8];   /* of this call */
    unsigned char parent[8]; /* of whoever called; all 0: nobody */
    unsigned char flags;
} fer_trace;

/* Fills all but `span`. False: there is none, or it is malformed. */
bool fer_trace_parse(fer_str traceparent, fer_trace *out);
void fer_trace_write(const fer_trace *t, char out[FER_TRACEPARENT]);
/* `count` bytes in hex, NUL-terminated. */
void fer_trace_hex(const unsigned char *bytes, size_t count, char *out);

#endif
