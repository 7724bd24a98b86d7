/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an operation of an HTTP API is asked (docs/openapi.md), and the request that it makes of
 * arguments. What arguments hold stays within its place: a path parameter is one segment, or the
 * part of one, a query parameter one or several pairs, a header field one line. The server, the
 * credentials and the fields that operators give are not the binding's to set.
 *
 * Pure; results live in the arena.
 */
#ifndef FER_HTTP_BINDING_H
#define FER_HTTP_BINDING_H

#include <ferrule/json.h>

#include "buf.h"
#include "http_client.h"

#define FER_HTTP_DEPTH 16 /* objects inside each other in a query of the style deepObject */

typedef enum fer_http_in {
    FER_HTTP_IN_PATH,
    FER_HTTP_IN_QUERY,
    FER_HTTP_IN_HEADER,
    FER_HTTP_IN_COOKIE
} fer_http_in;

typedef enum fer_http_style {
    FER_STYLE_SIMPLE,
    FER_STYLE_LABEL,
    FER_STYLE_MATRIX,
    FER_STYLE_FORM,
    FER_STYLE_SPACE,
    FER_STYLE_PIPE,
    FER_STYLE_DEEP,
    FER_STYLE_JSON
} fer_http_style;

typedef struct fer_http_parameter {
    fer_str argument;
    fer_str name;
    fer_http_in in;
    fer_http_style style;
    bool explode;
} fer_http_parameter;

typedef enum fer_http_content {
    FER_CONTENT_NONE,
    FER_CONTENT_JSON,
    FER_CONTENT_FORM,
    FER_CONTENT_PARTS, /* multipart/form-data */
    FER_CONTENT_TEXT
} fer_http_content;

typedef struct fer_http_member {
    fer_str argument;
    fer_str name; /* in the body */
    bool file;    /* of a body in parts: its part has the name of a file */
    bool encoded; /* a file that the argument has in base64 */
} fer_http_member;

typedef struct fer_http_binding {
    fer_str tool; /* toolId */
    fer_str method;
    fer_str server;
    fer_str path;
    const fer_http_parameter *parameters;
    size_t parameter_count;
    fer_http_content content;
    fer_str content_type;
    bool body_required;
    fer_str body_argument; /* that is the whole body; or empty: */
    const fer_http_member *members;
    size_t member_count;
} fer_http_binding;

/* Reads the binding of a tool's record. FER_INVALID_FORMAT: the record has none that is whole. */
fer_code fer_http_binding_read(fer_arena *a, const struct yyjson_val *record, fer_http_binding *out,
                               fer_err *err);

/* How requests show who asks. */
typedef enum fer_http_auth_kind {
    FER_HTTP_AUTH_NONE,
    FER_HTTP_AUTH_BEARER,
    FER_HTTP_AUTH_BASIC,
    FER_HTTP_AUTH_KEY,
    FER_HTTP_AUTH_OAUTH /* a token that others add: arguments may not */
} fer_http_auth_kind;
typedef struct fer_http_auth {
    fer_http_auth_kind kind;
    fer_http_in in; /* of a key */
    fer_str name;   /* of a key */
    fer_str user;   /* of basic */
    fer_str secret; /* the token, password or key itself */
} fer_http_auth;

/* What every request to one API has. */
typedef struct fer_http_common {
    fer_str base_url; /* instead of the binding's server; or empty */
    fer_http_auth auth;
    const fer_http_field *fields;
    size_t field_count;
} fer_http_common;

/*
 * The method, URL, fields and body of a request. Failures say which argument cannot be sent and
 * why: FER_INVALID_FORMAT, FER_INVALID_TYPE; nothing of a credential is in them. One more field may
 * be added to those of `out`.
 */
#define FER_HTTP_SPARE 5 /* fields that `fields` has room for behind the last */
fer_code fer_http_build(fer_arena *a, const fer_http_binding *b, const fer_http_common *common,
                        const struct yyjson_val *args, fer_http_request *out, fer_err *err);

/*
 * The body of a request in parts, of an object, or (`whole` NULL) of the arguments that are its
 * members. FER_INVALID_TYPE: it is no object; FER_INVALID_FORMAT: `*bad` is no base64;
 * FER_CONSTRAINT_VIOLATION: no boundary that is in no part.
 */
fer_code fer_http_multipart(fer_arena *a, const fer_http_binding *b, const struct yyjson_val *args,
                            const struct yyjson_val *whole, fer_buf *out, fer_str *type,
                            fer_str *bad);

#endif
