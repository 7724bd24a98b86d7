/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside an import. The life of an operation: openapi.c finds it and asks for its name
 * (openapi_names.c) -> openapi_params.c gathers parameters and body as arguments ->
 * openapi_record.c writes the record, schemas by openapi_schema.c -> openapi_mend.c looks at it
 * once more. A problem that makes an operation impossible sets `refused`; writing goes on, and the
 * record is thrown away.
 */
#ifndef FER_OPENAPI_PARTS_H
#define FER_OPENAPI_PARTS_H

#include "buf.h"
#include "json_doc.h"
#include "map.h"
#include "openapi.h"

#define FER_OA_HOPS 32 /* references that lead to references */

typedef struct fer_oa {
    fer_arena *a;
    const fer_json *doc;
    const yyjson_val *root;
    const fer_openapi_options *options;
    fer_openapi *out;
    bool v30;
    fer_map names;    /* of tools that are taken */
    fer_map told;     /* problems, so that each is told once */
    fer_map patterns; /* that were looked at: whether they are any */
    fer_openapi_problem *problems;
    size_t problem_cap;
    fer_str operation; /* at hand */
    bool refused;      /* the operation at hand cannot be a tool */
    bool soft;         /* what is at hand can be left out of it: its answer's schema */
    fer_code failure;  /* of memory; the first one */
    fer_str version;   /* of all records; or empty */
} fer_oa;

/* Notes a loss, or (refuse) a reason to leave the operation out. */
void fer_oa_note(fer_oa *oa, const yyjson_val *at, const char *format, ...) FER_PRINTF(3, 4);
void fer_oa_refuse(fer_oa *oa, const yyjson_val *at, const char *format, ...) FER_PRINTF(3, 4);
/* Remembers that memory was refused. */
void fer_oa_no_memory(fer_oa *oa);

/* The target of a reference within the document; NULL, and the operation is refused, else. */
const yyjson_val *fer_oa_target(fer_oa *oa, const yyjson_val *ref);
/* The object itself, or what its `$ref` leads to; NULL, and refused, where that is no object. */
const yyjson_val *fer_oa_deref(fer_oa *oa, const yyjson_val *value);
/* A member that is a string, or empty. */
fer_str fer_oa_text(const yyjson_val *object, const char *key);
bool fer_oa_flag(const yyjson_val *object, const char *key);

/* Writing: a comma where one is due, a member's key, text, any value of the document. */
void fer_oa_comma(fer_buf *b);
void fer_oa_key(fer_buf *b, fer_str key);
void fer_oa_member(fer_buf *b, const char *key, fer_str text);
void fer_oa_value(fer_oa *oa, fer_buf *b, const yyjson_val *value);

/* ---- names ---- */

/* Of a tool, unique; `id` is the operationId and may be empty. `ptr` NULL: no memory. */
fer_str fer_oa_tool_name(fer_oa *oa, fer_str id, fer_str method, fer_str path);
/* A namespace from a title. */
fer_str fer_oa_slug(fer_arena *a, fer_str title);

/* ---- schemas ---- */

/* What one schema of a record refers to. */
typedef struct fer_oa_defs {
    fer_oa *oa;
    bool request;   /* what is read only does not count; else what is write only */
    fer_map by_ref; /* struct fer_oa_def */
    fer_map names;
    struct fer_oa_def **list;
    size_t count, cap;
} fer_oa_defs;
void fer_oa_defs_init(fer_oa_defs *d, fer_oa *oa, bool request);

/* What a parameter says beside its schema. */
typedef struct fer_oa_about {
    fer_str description; /* instead of the schema's; or empty */
    bool deprecated;
} fer_oa_about;

/* Writes a schema in 2020-12; NULL accepts anything. */
void fer_oa_schema(fer_oa_defs *d, fer_buf *b, const yyjson_val *schema, const fer_oa_about *about);
/* Writes all that was referred to, as the member `$defs`; nothing where there is none. */
void fer_oa_defs_write(fer_oa_defs *d, fer_buf *b);
/* Whether a property is not part of what is sent (or received). */
bool fer_oa_hidden(fer_oa *oa, const yyjson_val *property, bool request);

/* ---- parameters ---- */

typedef enum fer_oa_in {
    FER_OA_PATH,
    FER_OA_QUERY,
    FER_OA_HEADER,
    FER_OA_COOKIE,
    FER_OA_BODY
} fer_oa_in;
extern const char *const fer_oa_in_names[FER_OA_BODY + 1];

/* One argument of the tool. */
typedef struct fer_oa_argument {
    fer_str argument; /* its name in the input schema */
    fer_str name;     /* in the request; of a whole body: empty */
    fer_oa_in in;
    const yyjson_val *schema; /* or NULL */
    fer_oa_about about;
    fer_str style;
    bool explode;
    bool json; /* written as JSON, not by a style */
    bool required;
} fer_oa_argument;

typedef struct fer_oa_request {
    fer_oa_argument *list;
    size_t count, cap;
    fer_str content; /* media type of the body; empty: none */
    bool body_whole; /* one argument is the body; else its members are arguments */
    bool body_required;
} fer_oa_request;

/* Gathers the arguments of an operation. */
void fer_oa_request_read(fer_oa *oa, const yyjson_val *item, const yyjson_val *operation,
                         fer_str method, fer_str path, fer_oa_request *out);

/* ---- records ---- */

typedef struct fer_oa_operation {
    const yyjson_val *item; /* of the path */
    const yyjson_val *value;
    fer_str id;
    fer_str path;
    fer_str method; /* "GET" */
    const char *effect;
    fer_str name; /* of the tool */
} fer_oa_operation;
/* The record; `ptr` NULL: no memory, or the operation is refused. */
fer_str fer_oa_record(fer_oa *oa, const fer_oa_operation *o);
/* The same without what its own schemas refuse; an operation whose schemas are none is refused. */
fer_str fer_oa_mend(fer_oa *oa, const fer_oa_operation *o, fer_str record);

/* A schema for all answers that say it went well; false: there is none. */
bool fer_oa_output(fer_oa *oa, fer_buf *b, const yyjson_val *operation);
/* The media type among the members of `content` that is JSON, or NULL: its key. */
const yyjson_val *fer_oa_json_content(const yyjson_val *content);
bool fer_oa_is_json(fer_str media_type);

#endif
