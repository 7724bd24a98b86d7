/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines with places for arguments. A template is a list of items; an item is one argument
 * of the program, whatever is put into it: nothing is ever split, joined or given to a shell.
 *
 *     "--json"                 as it is; {{ and }} are brackets
 *     "{path}"                 the argument of that name; "/a/b" in place of a name is a JSON
 * Pointer
 *     "--depth={depth}"        as a part
 *     "{depth?}"               optional: without that argument (or null) the item is left out
 *     "{paths*}"               an array: once for each of its items
 *     ["--glob", "{glob*?}"]   a group: left out, and repeated, as a whole
 *     "{flag:verbose:-v}"      -v where `verbose` is true; without a text: --verbose
 *     "{int:depth}"            with a type: text, int, number, bool, json (any value, as JSON),
 *                              dash (may begin with a dash)
 *
 * A value at the start of an argument that begins with a dash is refused, and so is one with NUL.
 */
#ifndef FER_LOCAL_ARGV_H
#define FER_LOCAL_ARGV_H

#include <ferrule/json.h>
#include <yyjson.h>

#include "arena.h"

#define FER_LOCAL_ITEMS 256               /* items of a template */
#define FER_LOCAL_ARG   ((size_t)131071)  /* bytes of one argument: what Linux takes */
#define FER_LOCAL_ARGS  ((size_t)1 << 20) /* bytes of all arguments of one command line */
#define FER_LOCAL_COUNT ((size_t)10000)   /* arguments of one command line */

struct fer_argv_type;

/* A piece of an item: a text, or the place of an argument. */
typedef struct fer_argv_part {
    const struct fer_argv_type *type; /* NULL: `text` itself */
    fer_str text;                     /* of a flag: what it becomes */
    fer_str path;                     /* a name, or a pointer */
    bool optional;
    bool each;
} fer_argv_part;

typedef struct fer_argv_item {
    fer_argv_part *parts;
    size_t count;
} fer_argv_item;

/* Items that are left out, or repeated, together. */
typedef struct fer_argv_group {
    fer_argv_item *items;
    size_t count;
    const fer_argv_part *each; /* what it is repeated for, or NULL */
} fer_argv_group;

typedef struct fer_argv {
    fer_argv_group *groups; /* the first is the program: a text */
    size_t count;
} fer_argv;

/* Reads a template; `*at` is the value that a failure is about. */
fer_code fer_argv_read(fer_arena *a, const yyjson_val *list, fer_argv *out, const yyjson_val **at,
                       fer_err *err);
/* Reads one item that is nothing but the place of an argument. */
fer_code fer_argv_read_place(fer_arena *a, fer_str text, fer_argv_part *out, fer_err *err);
/* The program, as the template has it. */
fer_str fer_argv_program(const fer_argv *t);

/* The command line for arguments: NUL-terminated texts, ended by NULL. */
fer_code fer_argv_expand(fer_arena *a, const fer_argv *t, const yyjson_val *args, const char ***out,
                         fer_err *err);
/* The value at a place, or NULL where there is none; null counts as none. */
const yyjson_val *fer_argv_value(const fer_argv_part *p, const yyjson_val *args);

#endif
