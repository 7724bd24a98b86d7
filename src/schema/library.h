/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schema documents and what in them has a name. A survey walks a document once, along
 * the keywords that hold subschemas, and notes for every subschema which resource it
 * belongs to, and for every resource its URI, its rules and its anchors. References are
 * then looked up here. One library may build on another (a program's on a registry's),
 * which it never changes. Once no survey runs, a library may be read by many threads.
 */
#ifndef FER_LIBRARY_H
#define FER_LIBRARY_H

#include "arena.h"
#include "keyword.h"
#include "map.h"

/* A schema with a base URI of its own, and what is in it up to the next one. */
typedef struct fer_resource {
    fer_str uri; /* absolute where that is known; no fragment */
    const fer_json *doc;
    const yyjson_val *root;
    const struct fer_rules *rules;
    bool recursive;             /* `$recursiveAnchor: true` at its root */
    struct fer_anchor *dynamic; /* its `$dynamicAnchor`s */
} fer_resource;

typedef struct fer_anchor {
    fer_str name;
    const yyjson_val *value; /* the schema it names */
    struct fer_anchor *next; /* in the resource's list of dynamic ones */
    bool reachable;          /* by `$ref`: all but v1's dynamic anchors */
} fer_anchor;

/* Where a subschema was found. */
struct fer_spot {
    const yyjson_val *value; /* NULL: empty */
    fer_resource *resource;
    struct fer_node *node; /* once it is compiled */
    bool checked;          /* its form has been looked at */
};

typedef struct fer_library {
    fer_arena *arena;
    const struct fer_library *below; /* or NULL */
    fer_map uris;                    /* -> fer_resource */
    fer_map anchors;                 /* "uri#name" -> fer_anchor */
    struct fer_spot *spots;          /* a hash table by value */
    size_t spot_cap;
    size_t spot_count;
    size_t spot_max; /* the limit on subschemas */
    size_t uri_left; /* bytes that URIs and names of anchors may still take */
} fer_library;

void fer_library_init(fer_library *l, fer_arena *a, const fer_library *below, size_t max);

/* What is known of a subschema; NULL: nothing (not even below). */
struct fer_spot *fer_library_spot(const fer_library *l, const yyjson_val *value);
/* Notes a subschema, or finds it; fails without memory or past the limit. */
fer_code fer_library_put(fer_library *l, const yyjson_val *value, fer_resource *resource,
                         struct fer_spot **out, fer_err *err);
/* The resource of a URI without fragment, here or below; NULL: none. */
fer_resource *fer_library_find(const fer_library *l, fer_str uri);
/* The anchor of a name in a resource, here or below; NULL: none. */
const fer_anchor *fer_library_anchor(const fer_library *l, fer_arena *scratch,
                                     const fer_resource *resource, fer_str name);

/* The rules that a `$schema` URI stands for: a standard dialect's, or those of a known meta-schema.
 */
fer_code fer_library_rules(const fer_library *l, fer_arena *a, fer_str uri,
                           const struct fer_rules **out, fer_err *err);

/*
 * Surveys a schema as a resource of its own under `uri` (and under its `$id`), or as a
 * part of a resource that is known (`inside`; uri and rules are then not used).
 */
fer_code fer_library_survey(fer_library *l, const fer_json *doc, const yyjson_val *value,
                            fer_resource *inside, fer_str uri, const struct fer_rules *rules,
                            fer_resource **out, fer_err *err);

/*
 * Calls `visit` for each subschema directly inside a keyword's value; the form of the value
 * is not taken for granted. Stops and returns false when `visit` does.
 */
typedef bool fer_subschema_visit(void *context, const yyjson_val *subschema);
bool fer_subschemas(const fer_keyword *k, const yyjson_val *value, fer_subschema_visit *visit,
                    void *context);

#endif
