/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tools a program names, by a look at its text: tools.NAMESPACE.NAME(...),
 * tools["NS"]["NAME"], tools.run("ID") and `toolId: "ID"` of a chain. Comments, texts and patterns
 * are passed over. What is computed when the program runs cannot be seen, and is told as a place
 * without a name.
 */
#ifndef FER_JS_SCAN_H
#define FER_JS_SCAN_H

#include "buf.h"

/* Adds a JSON list of {"tool", "line", "column"}, `tool` null where it is computed. */
void js_scan_tools(fer_buf *b, fer_str code);

#endif
