/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of JSON-RPC 2.0 as MCP uses them: reading and writing, no more. Pure.
 *
 * Reading is strict: what is neither a request, a notification, a result nor an error is refused.
 * What a message carries is kept as the bytes that came, so that numbers keep their digits, keys
 * their order, and members that nobody here knows survive. A message borrows its text, and the rest
 * of it lives in the arena that it was read into.
 */
#ifndef FER_RPC_H
#define FER_RPC_H

#include <ferrule/json.h>

#include "buf.h"
#include "json_value.h"

#define FER_RPC_PARSE_ERROR      (-32700)
#define FER_RPC_INVALID_REQUEST  (-32600)
#define FER_RPC_METHOD_NOT_FOUND (-32601)
#define FER_RPC_INVALID_PARAMS   (-32602)

#define FER_RPC_BATCH_MAX 1000 /* messages of one batch */

typedef enum fer_rpc_kind {
    FER_RPC_REQUEST,
    FER_RPC_NOTIFICATION,
    FER_RPC_RESULT,
    FER_RPC_ERROR
} fer_rpc_kind;

typedef enum fer_rpc_id_type {
    FER_RPC_NO_ID, /* none, or null, which only an error may have */
    FER_RPC_INTEGER,
    FER_RPC_TEXT
} fer_rpc_id_type;

/* Two IDs are the same where type and text are: 1 and "1" are two. */
typedef struct fer_rpc_id {
    fer_rpc_id_type type;
    fer_str text; /* the digits, or the text without quotes and escapes */
} fer_rpc_id;

typedef struct fer_rpc {
    fer_rpc_kind kind;
    fer_rpc_id id;
    fer_str method;           /* of a request or notification */
    const yyjson_val *params; /* an object; NULL: none */
    const yyjson_val *result; /* of a result, any value */
    const yyjson_val *error;  /* of an error, an object */
    int64_t error_code;       /* INT64_MIN where 64 bits do not hold it */
    fer_str error_message;
    const fer_json *doc; /* what all values are of */
} fer_rpc;

/*
 * Reads one message. FER_UNKNOWN_SHAPE: JSON, but no message; then `out->id` is that of the text
 * where it has one. Other codes are those of fer_json_read, as are the limits (NULL: of messages).
 */
fer_code fer_rpc_read(fer_arena *a, fer_str text, const fer_json_limits *limits, fer_rpc *out,
                      fer_err *err);

/*
 * The same for what may be a batch (2025-03-26): each message is shown to `visit`, one that is none
 * as NULL with what is wrong with it.
 */
typedef void fer_rpc_visitor(void *context, const fer_rpc *message, const fer_err *err);
fer_code fer_rpc_read_batch(fer_arena *a, fer_str text, const fer_json_limits *limits,
                            fer_rpc_visitor *visit, void *context, fer_err *err);

/* What is seen of a message that there is no memory to read. Judges nothing, takes no memory. */
typedef struct fer_rpc_glimpse {
    bool asks;  /* it is a request or a notification */
    fer_str id; /* as it came, JSON; or empty */
} fer_rpc_glimpse;
/* False: it is no single object, so that nothing is seen. */
bool fer_rpc_glance(fer_str text, fer_rpc_glimpse *out);
/* The same of a message of which only the first and the last bytes are there; whether it may have
 * been one object. */
bool fer_rpc_glance_ends(fer_str head, fer_str tail, fer_rpc_glimpse *out);

/* The bytes of a value of the message, as they came. */
fer_str fer_rpc_bytes(const fer_json *doc, const yyjson_val *value);
bool fer_rpc_id_eq(const fer_rpc_id *x, const fer_rpc_id *y);
/* The ID as a number that we gave out; 0: it is none. */
uint64_t fer_rpc_id_number(const fer_rpc_id *id);
/* The code that JSON-RPC has for a text that could not be read. */
int fer_rpc_fault(fer_code code);

/*
 * Writing: an opening, whatever belongs into it, a closing. After `fer_rpc_open` follow the members
 * of params, after `fer_rpc_open_result` the value of the result.
 */
void fer_rpc_open(fer_buf *b, uint64_t id, const char *method); /* ID 0: a notification */
void fer_rpc_add_number(fer_buf *b, uint64_t n);
void fer_rpc_close(fer_buf *b); /* ends params and message */
void fer_rpc_add_id(fer_buf *b, const fer_rpc_id *id);
void fer_rpc_open_result(fer_buf *b, const fer_rpc_id *id);
/* Makes one line of a message: between values of JSON a line end is a blank like any other, and
 * inside of them there is none. */
void fer_rpc_join_lines(char *json, size_t len);
void fer_rpc_add_error(fer_buf *b, const fer_rpc_id *id, int code, fer_str message);

#endif
