/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every part of the library shares: text, memory, failures.
 *
 * Text is always a pointer and a length; it need not end in NUL and may contain
 * one. A result whose function takes an arena first lives in that arena and is
 * never freed by itself. A function that can fail returns a fer_code and, where
 * the caller passed one, fills a fer_err; its outputs are untouched on failure.
 *
 * An arena and everything in it belong to one thread at a time. The library has
 * no mutable global state, never prints and never exits.
 */
#ifndef FERRULE_COMMON_H
#define FERRULE_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FER_API              __attribute__((visibility("default")))
#define FER_PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))
#define FER_MUST_USE         __attribute__((warn_unused_result))
#else
#define FER_API
#define FER_PRINTF(fmt, arg)
#define FER_MUST_USE
#endif

/* The version of the library that is linked, such as "0.1.0". */
FER_API const char *fer_version(void);

/* ---- text ---------------------------------------------------------------- */

typedef struct fer_str {
    const char *ptr; /* not NULL where len > 0 */
    size_t len;      /* in bytes */
} fer_str;

/* The text of a NUL-terminated string, borrowed. NULL is the empty text. */
static inline fer_str fer_str_of(const char *text)
{
    fer_str s;
    s.ptr = text;
    s.len = text ? strlen(text) : 0;
    return s;
}

/* ---- memory --------------------------------------------------------------- */

/*
 * Memory that is freed as a whole. A budget bounds what may be taken from it;
 * past the budget the one who asks fails (FER_LIMIT_EXCEEDED), not the process.
 */
typedef struct fer_arena fer_arena;

/* A new arena that gives out at most `budget` bytes, or any number where it is 0. NULL: no memory.
 */
FER_API FER_MUST_USE fer_arena *fer_arena_new(size_t budget);

/* Frees the arena and everything in it. NULL is fine. */
FER_API void fer_arena_free(fer_arena *a);

/* Forgets everything in the arena, keeping some memory for what comes next. */
FER_API void fer_arena_reset(fer_arena *a);

/* Bytes given out since the arena was made or reset. */
FER_API size_t fer_arena_used(const fer_arena *a);

/* A NUL-terminated copy in the arena. `ptr` is NULL past the budget or without memory. */
FER_API fer_str fer_arena_copy(fer_arena *a, fer_str s);
/* The same of a text that is made as printf makes it. */
FER_API fer_str fer_arena_printf(fer_arena *a, const char *format, ...) FER_PRINTF(2, 3);

/* ---- failures --------------------------------------------------------------- */

/* Every way to fail, grouped by category (docs/reference/errors.md). The numbers are stable. */
typedef enum fer_code {
    FER_OK = 0,

    /* ContractError: what was given breaks a contract. */
    FER_INVALID_JSON = 100,
    FER_DUPLICATE_KEY = 101,
    FER_INVALID_YAML = 102,
    FER_LIMIT_EXCEEDED = 103,
    FER_UNKNOWN_SHAPE = 104,
    FER_MIXED_SHAPES = 105,
    FER_INVALID_POINTER = 106,
    FER_INVALID_TOOL = 110,
    FER_INVALID_ID = 111,
    FER_INVALID_VERSION = 112,
    FER_INVALID_CONSTRAINT = 113,
    FER_TOOL_NOT_FOUND = 114,
    FER_DEFINITION_CHANGED = 115,
    FER_UNKNOWN_LEVEL = 116,
    FER_DOC_WITHOUT_TOOL = 117,
    FER_ARGS_TOO_LARGE = 118,
    FER_INVALID_SCHEMA = 120,
    FER_UNSUPPORTED_DIALECT = 121,
    FER_EXTERNAL_REF = 122,
    FER_REQUIRED_MISSING = 130,
    FER_INVALID_TYPE = 131,
    FER_INVALID_FORMAT = 132,
    FER_INVALID_ENUM_VALUE = 133,
    FER_DISCRIMINATOR_MISMATCH = 134,
    FER_OUT_OF_RANGE = 135,
    FER_UNKNOWN_FIELD = 136,
    FER_CONSTRAINT_VIOLATION = 137,
    FER_VALIDATION_BUDGET_EXCEEDED = 138,
    FER_INVALID_PAGE_TOKEN = 140,
    FER_STALE_PAGE_TOKEN = 141,
    FER_INVALID_CATALOG = 142,
    FER_CATALOG_CHANGED = 143,
    FER_BAD_USAGE = 190,

    /* PolicyError: a policy said no. */
    FER_TIMEOUT = 200,
    FER_DEADLINE_EXCEEDED = 201,
    FER_RATE_LIMITED = 202,
    FER_CIRCUIT_OPEN = 203,
    FER_BUDGET_EXCEEDED = 204,
    FER_CONCURRENCY_LIMITED = 205,
    FER_IDEMPOTENCY_KEY_MISSING = 206,
    FER_IDEMPOTENCY_CONFLICT = 207,

    /* AuthError: who asks may not. */
    FER_UNAUTHENTICATED = 300,
    FER_FORBIDDEN = 301,

    /* ExecutionError: the tool, or what runs it, failed. */
    FER_TOOL_FAILED = 400,
    FER_BACKEND_UNAVAILABLE = 401,
    FER_BACKEND_CRASHED = 402,
    FER_INVALID_OUTPUT = 403,
    FER_CANCELLED = 404,
    FER_SANDBOX_VIOLATION = 405,
    FER_RESOURCE_LIMIT = 406,
    FER_OUTCOME_UNKNOWN = 407,
    FER_CONNECTION_LOST = 408,
    FER_INPUT_REQUIRED = 409,
    FER_TASK_STARTED = 410,

    /* SystemError: the machine, or Ferrule itself, failed. */
    FER_OUT_OF_MEMORY = 500,
    FER_IO_ERROR = 501,
    FER_LEDGER_UNAVAILABLE = 502,
    FER_INTERNAL = 503,
    FER_INTEGRITY_BROKEN = 504
} fer_code;

/* The limit on the text of one failure, its closing NUL included. */
#define FER_ERR_TEXT 1024

/* One failure: what, where, and a sentence about it. */
typedef struct fer_err {
    fer_code code;
    size_t offset;              /* byte in the source text, where line > 0 */
    uint32_t line;              /* 1-based; 0 where there is no place */
    uint32_t column;            /* 1-based, in code points */
    char message[FER_ERR_TEXT]; /* a sentence, NUL-terminated, valid UTF-8 */
} fer_err;

/*
 * Fills `err`, where there is one, and returns `code`, so that a failure is one
 * line: return fer_fail(err, FER_TOOL_FAILED, "...", ...). A text past the limit
 * is cut between characters.
 */
FER_API fer_code fer_fail(fer_err *err, fer_code code, const char *format, ...) FER_PRINTF(3, 4);

/* What a code means on every surface: one row of the error table. */
typedef struct fer_code_row {
    fer_code code;
    const char *name;     /* "InvalidJson" */
    const char *category; /* "ContractError" */
    const char *text;     /* what it means, a sentence */
    int http_status;
    int rpc_code;   /* JSON-RPC code, or 0: reported as a tool result with isError */
    int exit_code;  /* of the ferrule command */
    bool retryable; /* the same request may succeed later */
} fer_code_row;

/* The row of a code; never NULL (an unknown code has the row of FER_INTERNAL). */
FER_API const fer_code_row *fer_code_info(fer_code code);

/* All rows, ordered by code; `*count` of them. */
FER_API const fer_code_row *fer_code_table(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
