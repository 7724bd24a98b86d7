/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that rows of fields.c name; each sees a value of the right type. Pure. */
#ifndef FER_FIELD_CHECKS_H
#define FER_FIELD_CHECKS_H

#include "fields.h"

fer_field_check fer_check_name, fer_check_namespace, fer_check_version, fer_check_tags,
    fer_check_input_schema, fer_check_media_type, fer_check_redact_path, fer_check_example_args,
    fer_check_backend;

/* Whether a text follows the grammar of redaction paths (RELIABILITY 5.13). */
bool fer_redact_path_valid(fer_str path);

/* Reads one backend; false, with a finding where `d` is given, if it makes no sense. */
bool fer_backend_read(const yyjson_val *value, fer_backend *out, fer_drafts *d,
                      const fer_path *path);

#endif
