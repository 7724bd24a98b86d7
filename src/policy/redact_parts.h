/* SPDX-License-Identifier: Apache-2.0 */
/* Inside redaction: compiled paths. */
#ifndef FER_REDACT_PARTS_H
#define FER_REDACT_PARTS_H

#include "redact.h"

typedef enum fer_redact_kind {
    FER_STEP_NAME,  /* a member, whatever its case */
    FER_STEP_EXACT, /* a member, exactly */
    FER_STEP_ANY,   /* a member or an item */
    FER_STEP_DEEP,  /* any number of levels */
    FER_STEP_INDEX,
    FER_STEP_ITEMS /* any item */
} fer_redact_kind;

typedef struct fer_redact_step {
    fer_redact_kind kind;
    fer_str name;
    uint64_t index;
} fer_redact_step;

typedef struct fer_redact_path {
    fer_redact_root root; /* FER_ROOT_COUNT: each */
    fer_redact_step *steps;
    size_t count;
} fer_redact_path;

struct fer_redact_rules {
    const fer_redact_path *paths;
    size_t count;
    uint32_t names; /* of the built-in ones that hold, a bit each */
};

/* Whether a name of a rule means a key: case, - and _ do not count. */
bool fer_redact_same(fer_str name, fer_str key);
/* Whether a built-in rule means the key. */
bool fer_redact_builtin(const fer_redact_rules *r, fer_str key);

#endif
