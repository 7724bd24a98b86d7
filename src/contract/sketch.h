/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool to start from: a whole record by one of the usual patterns of parameters, with what
 * the conventions ask for (effect, hints, output, paging where it lists, one example that is
 * valid and one that is not, a changelog). It breaks no rule, so that the first finding of
 * `ferrule check` is about what its author has changed. Pure.
 */
#ifndef FER_SKETCH_H
#define FER_SKETCH_H

#include <ferrule/contract.h>

typedef enum fer_pattern {
    FER_PATTERN_NONE,
    FER_PATTERN_STRING,
    FER_PATTERN_ENUM,
    FER_PATTERN_OBJECTS,
    FER_PATTERN_ONE_OF,
    FER_PATTERN_COUNT
} fer_pattern;

/* "none", "string", "enum", "objects", "one-of". */
const char *fer_pattern_name(fer_pattern pattern);
/* What it is, half a line. */
const char *fer_pattern_text(fer_pattern pattern);
bool fer_pattern_find(fer_str name, fer_pattern *out);

typedef struct fer_sketch {
    fer_str ns;      /* not empty: a version is part of an ID behind a namespace only */
    fer_str name;    /* checked by the caller */
    fer_str version; /* SemVer */
    fer_pattern pattern;
    fer_effect effect;
    fer_str description; /* empty: one is made up from the name */
} fer_sketch;

/* What a tool of that name most likely changes, and takes. */
fer_effect fer_sketch_effect(fer_str name);
fer_pattern fer_sketch_pattern(fer_str name);

/* The record in Ferrule's own form, pretty. */
fer_code fer_sketch_write(fer_arena *a, const fer_sketch *s, fer_str *out, fer_err *err);

#endif
