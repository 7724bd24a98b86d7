/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML 1.0, read as JSON: for files of clients that keep their servers in it. Strings, tables,
 * arrays, booleans and integers become what they are; floats that JSON has no word for (inf, nan),
 * dates and times become strings. Keys that stand twice, and all that TOML does not allow, are
 * FER_BAD_USAGE with line and column. Pure; the result lives in the arena.
 */
#ifndef FER_TOML_H
#define FER_TOML_H

#include <ferrule/common.h>

#include "arena.h"

#define FER_TOML_DEPTH 32 /* arrays and tables inside each other, and parts of a key */

fer_code fer_toml_to_json(fer_arena *a, fer_str text, fer_str *json, fer_err *err);
/* The same as a document, whose values have their places in the text. */
struct fer_json;
fer_code fer_toml_read(fer_arena *a, fer_str text, struct fer_json **out, fer_err *err);

/*
 * The text with the table [SECTION.NAME] and those below it replaced by `block` (lines, without the
 * header; empty: it is taken out). Everything else stays byte for byte. The text as it is where it
 * says so already. FER_BAD_USAGE: the table is written in another way, or the text is no TOML.
 */
fer_code fer_toml_set_table(fer_arena *a, fer_str text, fer_str section, fer_str name,
                            fer_str block, fer_str *out, fer_err *err);

#endif
