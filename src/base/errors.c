/* SPDX-License-Identifier: Apache-2.0 */
/* The error table: one row per code, so that a failure has one meaning on every wire. */
#include "errors.h"

#include <stdarg.h>

#include "print.h"
#include "str.h"

#define CONTRACT(code, name, http, rpc, exit, text)                                                \
    {                                                                                              \
        code, name, "ContractError", text, http, rpc, exit, false                                  \
    }
#define POLICY(code, name, http, exit, retryable, text)                                            \
    {                                                                                              \
        code, name, "PolicyError", text, http, 0, exit, retryable                                  \
    }
#define AUTH(code, name, http, text)                                                               \
    {                                                                                              \
        code, name, "AuthError", text, http, 0, 1, false                                           \
    }
#define EXECUTION(code, name, http, retryable, text)                                               \
    {                                                                                              \
        code, name, "ExecutionError", text, http, 0, 1, retryable                                  \
    }
#define SYSTEM(code, name, http, rpc, exit, retryable, text)                                       \
    {                                                                                              \
        code, name, "SystemError", text, http, rpc, exit, retryable                                \
    }

/* JSON-RPC codes: RELIABILITY 5.17. 0 means a tool result with isError. Ordered by code. */
static const fer_code_row rows[] = {
    {FER_OK, "Ok", "Ok", "It worked.", 200, 0, 0, false},

    CONTRACT(FER_INVALID_JSON, "InvalidJson", 400, -32700, 2, "The text is not JSON."),
    CONTRACT(FER_DUPLICATE_KEY, "DuplicateKey", 400, -32700, 2, "An object names a key twice."),
    CONTRACT(FER_INVALID_YAML, "InvalidYaml", 400, -32700, 2,
             "The text is not YAML 1.2 that JSON can express."),
    CONTRACT(FER_LIMIT_EXCEEDED, "LimitExceeded", 413, -32600, 2,
             "The input is larger or deeper than a named limit allows."),
    CONTRACT(FER_UNKNOWN_SHAPE, "UnknownShape", 400, -32602, 2,
             "The input is none of the known shapes of a toolset."),
    CONTRACT(FER_MIXED_SHAPES, "MixedShapes", 400, -32602, 2,
             "The tools of one input have different shapes."),
    CONTRACT(FER_INVALID_POINTER, "InvalidPointer", 400, -32602, 2,
             "The text is not a JSON Pointer."),
    CONTRACT(FER_INVALID_TOOL, "InvalidTool", 422, -32602, 1,
             "The tool record breaks its contract."),
    CONTRACT(FER_INVALID_ID, "InvalidId", 400, -32602, 1, "The text is not a tool ID."),
    CONTRACT(FER_INVALID_VERSION, "InvalidVersion", 400, -32602, 1,
             "The text is not a SemVer 2.0 version."),
    CONTRACT(FER_INVALID_CONSTRAINT, "InvalidConstraint", 400, -32602, 2,
             "The text is not a version constraint."),
    CONTRACT(FER_TOOL_NOT_FOUND, "ToolNotFound", 404, -32602, 1, "No tool has that ID."),
    CONTRACT(FER_DEFINITION_CHANGED, "DefinitionChanged", 409, 0, 1,
             "The definition differs from the approved one."),
    CONTRACT(FER_UNKNOWN_LEVEL, "UnknownLevel", 400, -32602, 2,
             "The level of detail is none of summary, schema, full and types."),
    CONTRACT(FER_DOC_WITHOUT_TOOL, "DocWithoutTool", 404, -32602, 1,
             "The tool is documented, but it is not in the catalogue."),
    CONTRACT(FER_ARGS_TOO_LARGE, "ArgsTooLarge", 422, -32602, 1,
             "The arguments of an example are deeper or larger than examples may be."),
    CONTRACT(FER_INVALID_SCHEMA, "InvalidSchema", 422, 0, 2,
             "The schema is missing or is not a valid JSON Schema."),
    CONTRACT(FER_UNSUPPORTED_DIALECT, "UnsupportedDialect", 422, 0, 2,
             "The schema names a dialect that is not supported."),
    CONTRACT(FER_EXTERNAL_REF, "ExternalRef", 422, 0, 2,
             "The schema refers to a document that was not registered."),
    CONTRACT(FER_REQUIRED_MISSING, "RequiredMissing", 422, 0, 1, "A required field is missing."),
    CONTRACT(FER_INVALID_TYPE, "InvalidType", 422, 0, 1, "A value has the wrong type."),
    CONTRACT(FER_INVALID_FORMAT, "InvalidFormat", 422, 0, 1,
             "A text does not have the required form."),
    CONTRACT(FER_INVALID_ENUM_VALUE, "InvalidEnumValue", 422, 0, 1,
             "A value is not one of the allowed ones."),
    CONTRACT(FER_DISCRIMINATOR_MISMATCH, "DiscriminatorMismatch", 422, 0, 1,
             "A value matches none, or too many, of several shapes."),
    CONTRACT(FER_OUT_OF_RANGE, "OutOfRange", 422, 0, 1,
             "A number, length or count is outside its bounds."),
    CONTRACT(FER_UNKNOWN_FIELD, "UnknownField", 422, 0, 1, "A field is not known here."),
    CONTRACT(FER_CONSTRAINT_VIOLATION, "ConstraintViolation", 422, 0, 1,
             "A value breaks a constraint."),
    CONTRACT(FER_VALIDATION_BUDGET_EXCEEDED, "ValidationBudgetExceeded", 422, 0, 1,
             "Validation took more steps than its budget allows."),
    CONTRACT(FER_INVALID_PAGE_TOKEN, "InvalidPageToken", 400, -32602, 2,
             "The page token was not made here, or not for this request."),
    CONTRACT(FER_STALE_PAGE_TOKEN, "StalePageToken", 410, -32602, 2,
             "The catalogue has changed since the page token was made."),
    CONTRACT(FER_INVALID_CATALOG, "InvalidCatalog", 422, -32602, 2,
             "The file is not a catalogue, or is damaged."),
    CONTRACT(FER_CATALOG_CHANGED, "CatalogChanged", 409, -32602, 2,
             "Another program has changed the file of the catalogue since it was read."),
    CONTRACT(FER_BAD_USAGE, "BadUsage", 400, -32602, 2,
             "The command line, or the call, makes no sense."),

    POLICY(FER_TIMEOUT, "Timeout", 504, 1, true, "One attempt took longer than its time limit."),
    POLICY(FER_DEADLINE_EXCEEDED, "DeadlineExceeded", 504, 1, false,
           "The caller's deadline has passed."),
    POLICY(FER_RATE_LIMITED, "RateLimited", 429, 1, true,
           "More calls came than the rate limit allows."),
    POLICY(FER_CIRCUIT_OPEN, "CircuitOpen", 503, 1, true,
           "The backend failed too often and is left alone for a while."),
    POLICY(FER_BUDGET_EXCEEDED, "BudgetExceeded", 429, 1, false, "The budget is spent."),
    POLICY(FER_CONCURRENCY_LIMITED, "ConcurrencyLimited", 429, 1, true,
           "Too many calls run at once."),
    POLICY(FER_IDEMPOTENCY_KEY_MISSING, "IdempotencyKeyMissing", 400, 1, false,
           "The tool requires an idempotency key."),
    POLICY(FER_IDEMPOTENCY_CONFLICT, "IdempotencyConflict", 409, 1, false,
           "The idempotency key was used with another input."),

    AUTH(FER_UNAUTHENTICATED, "Unauthenticated", 401, "Nobody knows who asks."),
    AUTH(FER_FORBIDDEN, "Forbidden", 403, "Who asks may not do this."),

    EXECUTION(FER_TOOL_FAILED, "ToolFailed", 502, false, "The tool ran and said that it failed."),
    EXECUTION(FER_BACKEND_UNAVAILABLE, "BackendUnavailable", 503, true,
              "The backend could not be reached."),
    EXECUTION(FER_BACKEND_CRASHED, "BackendCrashed", 502, true,
              "The backend ended in the middle of the call."),
    EXECUTION(FER_INVALID_OUTPUT, "InvalidOutput", 502, false,
              "The tool's output breaks its output schema."),
    EXECUTION(FER_CANCELLED, "Cancelled", 499, false, "The call was cancelled."),
    EXECUTION(FER_SANDBOX_VIOLATION, "SandboxViolation", 403, false,
              "The code did what its sandbox forbids."),
    EXECUTION(FER_RESOURCE_LIMIT, "ResourceLimit", 507, false,
              "The run needed more than its limits allow."),
    EXECUTION(FER_OUTCOME_UNKNOWN, "OutcomeUnknown", 504, false,
              "The call may or may not have had its effect."),
    EXECUTION(FER_CONNECTION_LOST, "ConnectionLost", 502, true,
              "The connection to the backend was lost in the middle of the call."),
    EXECUTION(FER_INPUT_REQUIRED, "InputRequired", 428, false,
              "The tool asks for input before it goes on."),
    EXECUTION(FER_TASK_STARTED, "TaskStarted", 409, false,
              "The tool goes on as a task, which can be asked for."),

    SYSTEM(FER_OUT_OF_MEMORY, "OutOfMemory", 503, -32603, 70, true,
           "The machine has no memory left."),
    SYSTEM(FER_IO_ERROR, "IoError", 500, -32603, 2, true,
           "A file or stream could not be read or written."),
    SYSTEM(FER_LEDGER_UNAVAILABLE, "LedgerUnavailable", 503, 0, 70, true,
           "The ledger cannot record the call, so it was not made."),
    SYSTEM(FER_INTERNAL, "Internal", 500, -32603, 70, false,
           "Ferrule itself failed; please report it."),
    SYSTEM(FER_INTEGRITY_BROKEN, "IntegrityBroken", 500, 0, 70, false,
           "What was stored is not what is there now."),
};

const fer_code_row *fer_code_table(size_t *count)
{
    *count = FER_COUNT(rows);
    return rows;
}

const fer_code_row *fer_code_info(fer_code code)
{
    size_t low = 0, high = FER_COUNT(rows);
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (rows[mid].code == code) return &rows[mid];
        if (rows[mid].code < code) low = mid + 1;
        else high = mid;
    }
    return fer_code_info(FER_INTERNAL);
}

const char *fer_version(void)
{
    return FER_VERSION;
}

/* Whether a sequence that was begun at the very end only lacks bytes that did not fit. */
static bool is_cut_sequence(fer_str s, size_t at)
{
    unsigned char lead = (unsigned char)s.ptr[at];
    size_t want = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
    return want > s.len - at;
}

/* The first byte at or behind `at` that is not ASCII, or the end. */
static size_t skip_ascii(fer_str s, size_t at)
{
    for (uint64_t word; s.len - at >= sizeof word; at += sizeof word) {
        memcpy(&word, s.ptr + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080)) break;
    }
    while (at < s.len && !((unsigned char)s.ptr[at] & 0x80)) at++;
    return at;
}

size_t fer_format_text(char *out, size_t size, const char *format, va_list args)
{
    int wanted = fer_vprint(out, size, format, args);
    bool cut = wanted >= 0 && (size_t)wanted >= size;
    fer_str s = {out, wanted < 0 ? 0 : cut ? size - 1 : (size_t)wanted};
    for (size_t at = skip_ascii(s, 0); at < s.len; at = skip_ascii(s, at)) {
        size_t len = fer_utf8_len(s, at);
        if (len == 0 && cut && is_cut_sequence(s, at)) s.len = at;
        else if (len == 0) out[at++] = '?';
        else at += len;
    }
    out[s.len] = '\0';
    return s.len;
}

fer_code fer_fail(fer_err *err, fer_code code, const char *format, ...)
{
    if (!err) return code;
    va_list args;
    va_start(args, format);
    *err = (fer_err){.code = code};
    fer_format_text(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
}

fer_code fer_fail_at(fer_err *err, fer_code code, size_t offset, const char *format, ...)
{
    if (!err) return code;
    va_list args;
    va_start(args, format);
    *err = (fer_err){.code = code, .offset = offset, .line = 1};
    fer_format_text(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
}

void fer_fail_in(fer_err *err, fer_str name)
{
    fer_err plain = *err;
    if (plain.code == FER_IO_ERROR || plain.code == FER_OUT_OF_MEMORY) return;
    if (plain.line) {
        fer_fail(err, plain.code, "%.*s:%u:%u: %s", FER_PRI(name), plain.line, plain.column,
                 plain.message);
    } else {
        fer_fail(err, plain.code, "%.*s: %s", FER_PRI(name), plain.message);
    }
}
