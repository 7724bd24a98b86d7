/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader for ordinary messages: JSON that is right, of moderate size and depth. It makes
 * the values that yyjson and the pass behind it would make, in one go, or gives up: it
 * accepts nothing that they refuse, and leaves every failure to them to put in words.
 */
#ifndef FER_JSON_QUICK_H
#define FER_JSON_QUICK_H

#include "json_doc.h"

#define FER_QUICK_PADDING 16 /* zeros behind the copy */

/*
 * Reads `copy`, `len` bytes and the padding, and makes strings of it where they stand. True:
 * the document has its values. False: it has none, and the copy is no longer what it was.
 */
bool fer_json_quick(fer_arena *a, fer_json *doc, char *copy, size_t len,
                    const fer_json_limits *limits);

#endif
