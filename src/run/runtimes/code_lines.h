/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines between code and gateway: one JSON object each, ended by LF, at most FER_LINE_MAX
 * bytes (docs/code.md). A request has an `id`, which its answer repeats; a note has none and gets
 * no answer. What comes from code is believed in nothing: reading is strict, and a line that is
 * neither is a failure with a sentence that its author can mend it from. Pure.
 *
 * To the code: {"op":"start", ...} first, where the program is not given its code otherwise; then
 * answers, {"id", "result"} or {"id", "error": {"code", "message", ...}}, in any order.
 */
#ifndef FER_CODE_LINES_H
#define FER_CODE_LINES_H

#include <ferrule/json.h>

#include "json_value.h"
#include "runtime.h"

#define FER_CODE_ID   64   /* bytes of an `id` */
#define FER_CODE_USES 1000 /* tools that a check names */

typedef enum fer_code_op {
    /* requests */
    FER_OP_RUN,        /* tool, args? */
    FER_OP_CHAIN,      /* steps, input? */
    FER_OP_SEARCH,     /* query, namespace?, limit? */
    FER_OP_LIST,       /* namespace?, limit? */
    FER_OP_NAMESPACES, /* limit? */
    FER_OP_DESCRIBE,   /* tool, level? */
    /* notes */
    FER_OP_PRINT, /* text, stream? "stdout", "stderr" */
    FER_OP_OUT,   /* value: the last one counts */
    FER_OP_FAIL,  /* error: {name?, message, line?, column?, stack?} */
    FER_OP_USES,  /* tools: of a check, [{tool?, line, column}]; tool null: computed */
    FER_OP_DONE,
    FER_OPS
} fer_code_op;
extern const char *const fer_code_op_names[FER_OPS];

typedef struct fer_code_line {
    fer_code_op op;
    fer_str id;   /* JSON, as it came; empty: a note */
    fer_str tool; /* texts are empty where they are not given */
    fer_str text; /* `query`, `text` */
    fer_str ns;
    fer_str level;
    fer_printed stream;
    size_t limit;           /* 0: not given */
    fer_str value;          /* JSON, as it came: args, steps, value, error, tools */
    fer_str input;          /* of a chain; or empty */
    const yyjson_val *tree; /* of `value` */
} fer_code_line;

/* Reads one line into `a`, which must hold it as long as the result is used. `out->id` is set
 * where it could be read, also on failure. */
fer_code fer_code_line_read(fer_arena *a, fer_str text, fer_code_line *out, fer_err *err);

/* {"id", "result"}: `id` and `result` are JSON. */
void fer_code_answer(fer_buf *b, fer_str id, fer_str result);
/* {"id", "error"}; an empty `id`: of a line that has none, null. `details`, JSON, may be empty. */
void fer_code_refuse(fer_buf *b, fer_str id, fer_code code, fer_str message, fer_str details);
/* The first line: {"op":"start","code","check","limits":{...}}. */
void fer_code_start(fer_buf *b, const fer_job *j);

#endif
