/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of an OpenAPI document (3.0 and 3.1) as tool records, one each. A record has all that
 * a caller needs, with a schema that stands alone, and under backend.provider.http all that is
 * needed to make the request (docs/openapi.md): the method, the path, where each argument goes.
 *
 * Nothing is fetched: a reference that leaves the document costs the operations that need it.
 * Whatever cannot be kept is a problem with its place; an operation that cannot be called is left
 * out, never half imported. What a document says sets no credentials and no header of its own: it
 * names header parameters, for which callers give values, and schemes, for which operators do.
 *
 * Pure. Results live in the arena and borrow from the document, which must stay.
 */
#ifndef FER_OPENAPI_H
#define FER_OPENAPI_H

#include <ferrule/json.h>

#include "arena.h"

#define FER_OPENAPI_SIZE       ((size_t)64 << 20) /* bytes of a document */
#define FER_OPENAPI_OPERATIONS 20000              /* of a document */
#define FER_OPENAPI_PARAMETERS 500  /* of one operation, members of its body included */
#define FER_OPENAPI_SCHEMAS    1000 /* that one operation refers to */
#define FER_OPENAPI_DEPTH      60   /* schemas inside each other */
#define FER_OPENAPI_TEXT       8192 /* bytes of a description */
#define FER_OPENAPI_PROBLEMS   1000 /* that are told; others are counted */

/* One row per limit, for the documentation. */
struct fer_openapi_limit_row {
    const char *name;
    size_t value;
    const char *text;
};
extern const struct fer_openapi_limit_row fer_openapi_limit_rows[];
extern const size_t fer_openapi_limit_row_count;

/* Something that is not as the document says. */
typedef struct fer_openapi_problem {
    bool left_out; /* an operation is missing for it; else only a part of what is said */
    fer_place place;
    fer_str operation; /* "GET /pets"; empty: the document */
    fer_str message;   /* a sentence */
} fer_openapi_problem;

typedef struct fer_openapi_tool {
    fer_str name;   /* of the record */
    fer_str record; /* JSON, on one line */
} fer_openapi_tool;

typedef struct fer_openapi_options {
    fer_str ns;             /* namespace of the tools; empty: from the title */
    fer_str provider;       /* providerId of their backend; empty: the namespace */
    fer_str base_url;       /* instead of all servers that the document names; or empty */
    const fer_str *include; /* globs, of which the name, the operationId or the path matches one */
    size_t include_count;   /* 0: all */
} fer_openapi_options;

typedef struct fer_openapi {
    fer_str ns;
    const fer_openapi_tool *tools; /* in the order of the document */
    size_t count;
    size_t left_out; /* operations that could not be imported */
    size_t passed;   /* operations that `include` does not want */
    const fer_openapi_problem *problems;
    size_t problem_count;
    size_t untold; /* problems past the limit */
} fer_openapi;

/* FER_INVALID_FORMAT with a place: this is no OpenAPI document of a version that is known. */
fer_code fer_openapi_import(fer_arena *a, const fer_json *doc, const fer_openapi_options *options,
                            fer_openapi *out, fer_err *err);

#endif
