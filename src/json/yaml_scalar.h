/* SPDX-License-Identifier: Apache-2.0 */
/* The core schema of YAML 1.2 (10.3): what a scalar is, and how JSON writes it. Pure. */
#ifndef FER_YAML_SCALAR_H
#define FER_YAML_SCALAR_H

#include "buf.h"

enum fer_scalar {
    FER_SCALAR_STRING,
    FER_SCALAR_NULL,
    FER_SCALAR_TRUE,
    FER_SCALAR_FALSE,
    FER_SCALAR_NUMBER,
    FER_SCALAR_BASED,   /* 0o17, 0x1F */
    FER_SCALAR_NOT_JSON /* infinity, not a number */
};

enum fer_yaml_tag {
    FER_YAML_NONE,
    FER_YAML_STR,
    FER_YAML_NULL,
    FER_YAML_BOOL,
    FER_YAML_INT,
    FER_YAML_FLOAT,
    FER_YAML_MAP,
    FER_YAML_SEQ
};

/* What a plain scalar is. */
enum fer_scalar fer_scalar_of(fer_str s);
/* Whether a scalar may carry a tag. */
bool fer_scalar_fits(enum fer_yaml_tag tag, enum fer_scalar kind, fer_str s);
/* Writes a scalar as JSON; NULL, or why JSON cannot have it. */
const char *fer_scalar_write(fer_buf *b, enum fer_scalar kind, fer_str s);
/* The tag of a resolved name ("tag:yaml.org,2002:int", "!", "" for none); false: not one of YAML's
 * own. */
bool fer_yaml_tag_of(fer_str name, enum fer_yaml_tag *out);

#endif
