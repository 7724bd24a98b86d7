/* SPDX-License-Identifier: Apache-2.0 */
/* Tool definitions in canonical notation: `ferrule fmt`. Pure. */
#ifndef FER_FORMAT_H
#define FER_FORMAT_H

#include <ferrule/contract.h>

/*
 * The text of a set of definitions, pretty, with the fields of Ferrule and MCP
 * records in their documented order and unknown keys last. JSON Lines stay lines;
 * YAML becomes JSON. Formatting what was formatted changes nothing. `*read_as` is the
 * format that the text was found to be in.
 */
fer_code fer_format_definitions(fer_arena *a, fer_str name, fer_str text, fer_format format,
                                fer_format *read_as, fer_str *out, fer_err *err);

#endif
