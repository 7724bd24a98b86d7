/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool as a declaration of TypeScript, for whoever writes code that calls it: shorter than its
 * schemas, and in the form that models know best. What TypeScript cannot say (bounds, patterns,
 * conditions) is left out: the schema is what counts. Pure.
 */
#ifndef FER_TS_TYPES_H
#define FER_TS_TYPES_H

#include "buf.h"
#include "json_value.h"

#define FER_TS_DEPTH 12  /* levels of a schema; what is below is `unknown` */
#define FER_TS_UNION 100 /* alternatives of one place */
#define FER_TS_TEXT  300 /* code points of a description */

/* Adds the declaration of a tool's record, an object. */
void fer_ts_add_tool(fer_buf *b, const yyjson_val *record);
/* Adds the type of a schema; references are looked up in `root`. */
void fer_ts_add_type(fer_buf *b, const yyjson_val *root, const yyjson_val *schema);

#endif
