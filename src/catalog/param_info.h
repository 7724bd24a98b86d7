/* SPDX-License-Identifier: Apache-2.0 */
/* What an input schema asks for, in short: names, types, defaults. Best effort. Pure. */
#ifndef FER_PARAM_INFO_H
#define FER_PARAM_INFO_H

#include "buf.h"
#include "json_doc.h"

#define FER_INFO_DEPTH                                                                             \
    16 /* references and members of allOf that are followed inside each other                      \
        */

/*
 * Appends {"required", "defaults", "types"} of a schema of the document; what there is none of
 * is left out. `*any` says whether there was anything. References within the schema and allOf
 * are followed; defaults keep their bytes.
 */
fer_code fer_param_info_add(fer_arena *a, const fer_json *doc, const yyjson_val *schema,
                            fer_buf *out, bool *any, fer_err *err);

#endif
