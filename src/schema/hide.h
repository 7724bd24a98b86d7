/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redaction paths against JSON Pointers: names joined by dots, `*` for one step, `**` for any
 * number, [0], [*] and ["name"] for items and odd names; case, - and _ do not count. Pure.
 */
#ifndef FER_HIDE_H
#define FER_HIDE_H

#include "str.h"

typedef enum fer_hides {
    FER_HIDE_NOT,
    FER_HIDE_COVERS, /* the path leads to the pointer, or above it */
    FER_HIDE_BELOW,  /* it leads, or may lead, to something in what is there */
} fer_hides;

fer_hides fer_hide_covers(fer_str path, fer_str pointer);

#endif
