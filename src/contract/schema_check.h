/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of a tool, and its examples under them. */
#ifndef FER_SCHEMA_CHECK_H
#define FER_SCHEMA_CHECK_H

#include "tool.h"

/* Notes what is wrong with the tool's schemas and with the arguments of its examples; `path` is
 * that of its record. */
void fer_check_schemas(fer_drafts *d, const fer_tool *t, const fer_path *path);

#endif
