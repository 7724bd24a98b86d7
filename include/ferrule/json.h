/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON and YAML text, read strictly and once.
 *
 * Reading refuses what two readers could understand differently: duplicate keys,
 * invalid UTF-8, lone surrogates, bytes after the document, a byte order mark
 * anywhere but at the very start (where it is passed over). Numbers keep their
 * exact value, however long. The tree is yyjson's, immutable, and may be walked
 * with yyjson's own functions; a number that neither 64-bit integers nor binary64
 * hold exactly is a `raw` value with its text.
 *
 * A document lives in the arena it was read into and borrows the text it was read
 * from; both must stay. Once read it may be shared by threads.
 */
#ifndef FERRULE_JSON_H
#define FERRULE_JSON_H

#include <ferrule/common.h>

#ifdef __cplusplus
extern "C" {
#endif

struct yyjson_val;

typedef struct fer_json fer_json;

/* How large a document may be (docs/reference/limits.md). */
typedef struct fer_json_limits {
    size_t size;     /* bytes of the whole text; at most 4 GiB - 1 */
    size_t depth;    /* nested arrays and objects */
    size_t nodes;    /* values, object keys not counted */
    size_t string;   /* bytes of one string */
    size_t number;   /* characters of one number; at most 1000 */
    size_t exponent; /* digits of a number's exponent, leading zeros not counted; at most 18 */
    size_t members;  /* keys of one object */
    size_t key;      /* bytes of one key */
} fer_json_limits;

/* Limits for messages from anybody, for answers of servers that were asked (a string may be as long
 * as the text), and for files of the operator's own. */
FER_API const fer_json_limits *fer_json_limits_message(void);
FER_API const fer_json_limits *fer_json_limits_answer(void);
FER_API const fer_json_limits *fer_json_limits_file(void);

/* Reads a JSON text. `limits` may be NULL: those for messages. */
FER_API fer_code fer_json_read(fer_arena *a, fer_str text, const fer_json_limits *limits,
                               fer_json **out, fer_err *err);

/*
 * Reads one YAML 1.2 document (core schema) that JSON can express: string keys, no
 * infinities, no tags of one's own. Aliases are expanded, within the limits.
 */
FER_API fer_code fer_yaml_read(fer_arena *a, fer_str text, const fer_json_limits *limits,
                               fer_json **out, fer_err *err);

/* The root value; never NULL. */
FER_API const struct yyjson_val *fer_json_root(const fer_json *doc);

/* Where a value (or key) of the document starts in its text. */
typedef struct fer_place {
    size_t offset;   /* in bytes */
    uint32_t line;   /* 1-based */
    uint32_t column; /* 1-based, in code points */
} fer_place;
FER_API fer_place fer_json_place(const fer_json *doc, const struct yyjson_val *value);

/* The value at a JSON Pointer (RFC 6901) below `from`; NULL with a reason where there is none. */
FER_API const struct yyjson_val *fer_json_at(const struct yyjson_val *from, fer_str pointer,
                                             fer_err *err);

/*
 * RFC 8785 canonical form. Numbers that binary64 cannot carry exactly are written
 * as exact decimals, digits "e" exponent, so distinct numbers never share a form.
 */
FER_API fer_code fer_json_canonical(fer_arena *a, const struct yyjson_val *value, fer_str *out,
                                    fer_err *err);

/* Text of a value: on one line, or pretty with two spaces. Key order is kept. */
FER_API fer_code fer_json_write(fer_arena *a, const struct yyjson_val *value, bool pretty,
                                fer_str *out, fer_err *err);

/* A text as a JSON string, with its quotes. FER_INVALID_JSON: it is not UTF-8. */
FER_API fer_code fer_json_quote(fer_arena *a, fer_str text, fer_str *out, fer_err *err);

/* The value as YAML 1.2, in block style; reading it gives the same value. */
FER_API fer_code fer_yaml_write(fer_arena *a, const struct yyjson_val *value, fer_str *out,
                                fer_err *err);

/*
 * Whether two values are equal: numbers by value (1.0 is 1), objects whatever the
 * order of their keys. `scratch` is only used while it runs.
 */
FER_API fer_code fer_json_equal(fer_arena *scratch, const struct yyjson_val *x,
                                const struct yyjson_val *y, bool *equal, fer_err *err);

#ifdef __cplusplus
}
#endif

#endif
