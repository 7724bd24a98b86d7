/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instances of an input, one at a time: a JSON or YAML document is one, each line of
 * JSON Lines is one. Lines are read as they come, so their number costs no memory.
 */
#ifndef FER_INSTANCES_H
#define FER_INSTANCES_H

#include <ferrule/contract.h>

#include "json_doc.h"

typedef struct fer_instance {
    fer_str source;         /* the name of the input */
    fer_str text;           /* of the document, or of the line */
    uint32_t line;          /* of JSON Lines; 0: the document is the whole input */
    size_t offset;          /* of the text in the input */
    fer_json *doc;          /* NULL where it could not be read */
    const fer_err *failure; /* why; its place is in the whole input, its offset in the text */
    size_t done, size;      /* bytes of the input, for progress; size 0: not known */
} fer_instance;

/* Codes other than FER_OK end the visit. */
typedef fer_code fer_instance_visitor(void *context, const fer_instance *i, fer_err *err);

/*
 * Visits the instances of a file or of standard input ("-"). Each is read into `a`, which
 * is reset for the next. What cannot be read is visited as a failure; without memory, or
 * where the visitor says so, the visit ends.
 */
fer_code fer_instances_visit(fer_arena *a, const char *path, fer_format asked,
                             fer_instance_visitor *visit, void *context, fer_err *err);

#endif
