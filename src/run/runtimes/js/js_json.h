/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of JavaScript to JSON and back, with every digit of whole numbers: one that Number cannot
 * hold exactly (past 2^53 - 1 in either direction) becomes a BigInt, and a BigInt is written as
 * plain digits. Any other number that is past what a Number can hold (1e400) becomes its text.
 */
#ifndef FER_JS_JSON_H
#define FER_JS_JSON_H

#include <quickjs/quickjs.h>

#include "buf.h"

/* Reads one text, which must be JSON. An exception of the context where it is not. */
JSValue js_json_read(JSContext *ctx, fer_str text);

/*
 * Writes a value as JSON.stringify would, but for BigInt, and for values of more than `depth`
 * levels or that hold themselves, which are refused. False: the context has an exception. What is
 * written is well-formed UTF-8.
 */
bool js_json_write(JSContext *ctx, fer_buf *b, JSValueConst value, int depth);
/* A text, quoted; halves of surrogate pairs that stand alone become U+FFFD. */
void js_json_add_text(fer_buf *b, fer_str text);

#endif
