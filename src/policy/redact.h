/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redaction by path (RELIABILITY 5.13): a copy of a JSON value in which what the rules name is
 * replaced by "[REDACTED]", and the list of the places where that happened. Rules are compiled
 * once, are immutable then and may be shared by threads. Names match whatever their case and
 * without looking at - and _; a name on a list means each of its items. Pure; depth is bounded, and
 * whoever cannot redact gets a failure, never a value.
 *
 *     path = [root ":"] seg *("." seg)
 *     seg  = name / "*" / "**" / "[" (int / "*") "]" / '["' text '"]'
 *     root = input / output / headers / error / meta / stderr
 */
#ifndef FER_REDACT_H
#define FER_REDACT_H

#include "buf.h"
#include "json_value.h"

#define FER_REDACT_STEPS  60   /* segments of a path */
#define FER_REDACT_RULES  1000 /* of one set, built-in ones not counted */
#define FER_REDACT_DEPTH  256  /* of a value */
#define FER_REDACT_LIST   100  /* places that are listed; then "+N" */
#define FER_REDACT_VALUES 100  /* texts that stood there and are kept */
#define FER_REDACT_VALUE  256  /* bytes of one; what is longer is not */
#define FER_REDACTED      "[REDACTED]"

typedef enum fer_redact_root {
    FER_ROOT_INPUT,
    FER_ROOT_OUTPUT,
    FER_ROOT_HEADERS,
    FER_ROOT_ERROR,
    FER_ROOT_META,
    FER_ROOT_STDERR,
    FER_ROOT_COUNT
} fer_redact_root;
extern const char *const fer_redact_roots[FER_ROOT_COUNT]; /* "input" ... */

typedef struct fer_redact_rules fer_redact_rules;

/*
 * Compiles paths; `builtin`: with the rules that hold everywhere (token, password ...), but for the
 * names in `except`, which only an operator can give. FER_INVALID_FORMAT: one is no path;
 * FER_LIMIT_EXCEEDED.
 */
fer_code fer_redact_compile(fer_arena *a, const fer_str *paths, size_t count, bool builtin,
                            const fer_str *except, size_t except_count, fer_redact_rules **out,
                            fer_err *err);

/* Places that were redacted, as they are listed: input.items[3].token. */
typedef struct fer_redactions {
    fer_arena *arena;
    fer_str *list;
    size_t count, cap;
    size_t more;     /* that are not in the list */
    fer_str *values; /* texts that stood there, in the value; the first ones that are short */
    size_t value_count, value_cap;
} fer_redactions;

/* Appends the value, redacted, on one line; the buffer is one of an arena. */
fer_code fer_redact_add(fer_buf *out, const fer_redact_rules *r, fer_redact_root root,
                        const yyjson_val *value, fer_redactions *places, fer_err *err);
/* Whether anything in the value would be, or nobody can tell: nothing is written. */
bool fer_redact_touches(fer_arena *scratch, const fer_redact_rules *r, fer_redact_root root,
                        const yyjson_val *value);

/* The built-in names, for documentation and for messages about values. */
extern const char *const fer_redact_names[];
extern const size_t fer_redact_name_count;

#endif
