/* SPDX-License-Identifier: Apache-2.0 */
/* What an answer means. */
#include "http_answer.h"

#include "errors.h"
#include "json_value.h"

bool fer_http_answer_init(fer_http_answer *x)
{
    *x = (fer_http_answer){.arena = fer_arena_new(4 * FER_HTTP_BODY_MAX)};
    if (x->arena) fer_buf_init(&x->bytes, x->arena, FER_HTTP_BODY_MAX);
    return x->arena != NULL;
}

void fer_http_answer_deinit(fer_http_answer *x)
{
    fer_arena_free(x->arena);
}

/* ---- the head ------------------------------------------------------------------------------ */

static const struct {
    const char *type;
    enum fer_http_body body;
} types[] = {
    {"application/json", FER_BODY_JSON},      {"text/event-stream", FER_BODY_EVENTS},
    {"application/x-ndjson", FER_BODY_LINES}, {"application/ndjson", FER_BODY_LINES},
    {"application/jsonl", FER_BODY_LINES},    {"application/x-jsonlines", FER_BODY_LINES},
    {"application/xml", FER_BODY_TEXT},       {"application/javascript", FER_BODY_TEXT},
    {"application/yaml", FER_BODY_TEXT},      {"", FER_BODY_TEXT},
};

static enum fer_http_body body_of(fer_str type)
{
    for (size_t i = 0; i < FER_COUNT(types); i++)
        if (fer_str_eq_nocase(type, fer_str_of(types[i].type))) return types[i].body;
    if (type.len > 5 &&
        fer_str_eq_nocase(fer_str_slice(type, type.len - 5, type.len), FER_STR("+json")))
        return FER_BODY_JSON;
    return type.len > 5 && fer_str_eq_nocase(fer_str_slice(type, 0, 5), FER_STR("text/"))
               ? FER_BODY_TEXT
               : FER_BODY_OTHER;
}

void fer_http_answer_head(fer_http_answer *x, const fer_http_head *head)
{
    fer_str type = fer_http_head_get(head, "content-type");
    size_t end = fer_str_find(type, 0, ';');
    if (end != SIZE_MAX) type = fer_str_slice(type, 0, end);
    while (type.len && type.ptr[type.len - 1] == ' ') type.len--;
    type = fer_str_head(type, sizeof x->type - 1);
    if (type.len) memcpy(x->type, type.ptr, type.len);
    x->type[type.len] = 0;
    x->status = head->status;
    x->body = body_of(type);
    if (x->status / 100 != 2 && x->body >= FER_BODY_EVENTS) x->body = FER_BODY_TEXT;
    int64_t wait = fer_http_retry_after_ms(head);
    x->retry_after_ms = wait > 0 ? wait : 0;
}

/* ---- chunks -------------------------------------------------------------------------------- */

static bool is_utf8(fer_str s)
{
    for (size_t i = 0; i < s.len;) {
        size_t len = fer_utf8_len(s, i);
        if (!len) return false;
        i += len;
    }
    return true;
}

fer_str fer_http_answer_chunk(fer_http_answer *x, fer_str text)
{
    fer_arena *scratch = fer_arena_new(4 * FER_HTTP_BODY_MAX);
    fer_json *doc;
    fer_err err;
    size_t start = x->bytes.len + (x->chunks ? 1 : 0);
    bool json =
        scratch && text.len && !fer_json_read(scratch, text, fer_json_limits_answer(), &doc, &err);
    fer_arena_free(scratch);
    if (x->chunks++) fer_buf_add_char(&x->bytes, ',');
    if (json) fer_buf_add(&x->bytes, text);
    else if (is_utf8(text)) fer_buf_add_quoted(&x->bytes, text);
    else fer_buf_add_text(&x->bytes, "null"); /* bytes that are no text */
    if (x->bytes.failure) return FER_STR_NONE;
    return (fer_str){x->bytes.ptr + start, x->bytes.len - start};
}

/* ---- the end ------------------------------------------------------------------------------- */

static void succeed(fer_attempt *t, fer_str json)
{
    fer_json *doc;
    fer_err err = {0};
    fer_str copy = fer_arena_copy(t->arena, json);
    if (!copy.ptr) {
        fer_attempt_fail(t, fer_arena_code(t->arena), "no memory for the answer");
        return;
    }
    fer_code code = fer_json_read(t->arena, copy, fer_json_limits_answer(), &doc, &err);
    if (code == FER_OUT_OF_MEMORY) {
        fer_attempt_fail(t, code, "%s", err.message);
    } else if (code) {
        fer_attempt_fail(t, FER_INVALID_OUTPUT, "what the API answered is no JSON: %.600s",
                         err.message);
    } else {
        fer_outcome o = {.phase = FER_PHASE_DEFINITE, .structured = fer_json_root(doc), .doc = doc};
        fer_attempt_end(t, &o);
    }
}

static void succeed_quoted(fer_http_answer *x, fer_attempt *t, bool list)
{
    fer_buf b;
    fer_buf_init(&b, t->arena, 8 * FER_HTTP_BODY_MAX);
    if (list) fer_buf_add_char(&b, '[');
    if (list) fer_buf_add(&b, fer_buf_view(&x->bytes));
    else fer_buf_add_quoted(&b, fer_buf_view(&x->bytes));
    if (list) fer_buf_add_char(&b, ']');
    if (b.failure) fer_attempt_fail(t, FER_LIMIT_EXCEEDED, "no memory for the answer");
    else succeed(t, fer_buf_view(&b));
}

static void end_well(fer_http_answer *x, fer_attempt *t)
{
    fer_str body = fer_buf_view(&x->bytes);
    if (x->body >= FER_BODY_EVENTS) succeed_quoted(x, t, true);
    else if (!body.len) succeed(t, FER_STR("null"));
    else if (x->body == FER_BODY_JSON) succeed(t, body);
    else if (is_utf8(body)) succeed_quoted(x, t, false);
    else
        fer_attempt_fail(t, FER_INVALID_OUTPUT,
                         "answers are JSON or text; this one is \"%s\", %zu bytes", x->type,
                         body.len);
}

/* The sentence that APIs put into their errors, wherever that is. */
static fer_str message_of(fer_arena *a, fer_str body)
{
    static const char *const keys[] = {"message", "detail", "error_description", "title", "error"};
    fer_json *doc;
    fer_err err;
    if (fer_json_read(a, body, NULL, &doc, &err) || !fer_is_obj(fer_json_root(doc)))
        return FER_STR_NONE;
    const yyjson_val *root = fer_json_root(doc), *inner = fer_val_get(root, "error");
    if (fer_is_obj(inner)) root = inner;
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        const yyjson_val *value = fer_val_get(root, keys[i]);
        if (fer_is_str(value) && fer_val_len(value)) return fer_str_head(fer_val_str(value), 300);
    }
    return FER_STR_NONE;
}

static fer_str details_of(const fer_http_answer *x, fer_arena *a)
{
    fer_buf b;
    fer_str body = fer_str_head(fer_buf_view(&x->bytes), FER_HTTP_DETAIL);
    fer_buf_init(&b, a, (size_t)16 * FER_HTTP_DETAIL);
    fer_buf_printf(&b, "{\"status\":%u,\"contentType\":", x->status);
    fer_buf_add_quoted(&b, is_utf8(fer_str_of(x->type)) ? fer_str_of(x->type) : FER_STR_NONE);
    if (body.len && is_utf8(body)) {
        fer_buf_add_text(&b, ",\"body\":");
        fer_buf_add_quoted(&b, body);
    }
    fer_buf_printf(&b, ",\"cut\":%s}", x->bytes.len > body.len ? "true" : "false");
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

/* Statuses that are not simply the tool's own no. */
static const struct {
    unsigned status;
    fer_code code;
    fer_phase phase;
} statuses[] = {
    {429, FER_RATE_LIMITED, FER_PHASE_NOT_PROCESSED},
    {502, FER_BACKEND_UNAVAILABLE, FER_PHASE_AMBIGUOUS},
    {503, FER_BACKEND_UNAVAILABLE, FER_PHASE_NOT_PROCESSED},
    {504, FER_BACKEND_UNAVAILABLE, FER_PHASE_AMBIGUOUS},
};

static void end_badly(fer_http_answer *x, fer_attempt *t)
{
    fer_outcome o = {.code = FER_TOOL_FAILED, .phase = FER_PHASE_DEFINITE};
    fer_str said = message_of(x->arena, fer_buf_view(&x->bytes));
    for (size_t i = 0; i < FER_COUNT(statuses); i++) {
        if (statuses[i].status != x->status) continue;
        o.code = statuses[i].code;
        o.phase = statuses[i].phase;
    }
    o.retry_after_ms = o.phase == FER_PHASE_NOT_PROCESSED ? x->retry_after_ms : 0;
    if (x->status / 100 == 3 && !said.len)
        said = FER_STR("redirections are not followed; does baseUrl say where the API is?");
    o.message = fer_arena_printf(t->arena, "the API answered with status %u%s%.*s", x->status,
                                 said.len ? ": " : "", FER_PRI(said));
    o.details = details_of(x, t->arena);
    fer_attempt_end(t, &o);
}

void fer_http_answer_end(fer_http_answer *x, fer_attempt *t)
{
    if (x->bytes.failure)
        fer_attempt_fail(t, FER_LIMIT_EXCEEDED, "http.body: the answer is larger than %zu bytes",
                         FER_HTTP_BODY_MAX);
    else if (x->status / 100 == 2) end_well(x, t);
    else end_badly(x, t);
}

void fer_http_answer_fault(const fer_http_end *end, fer_attempt *t)
{
    fer_outcome o = {.code = fer_http_backend_code(end->fault),
                     .phase = end->sent ? FER_PHASE_AMBIGUOUS : FER_PHASE_NOTHING_SENT,
                     .message = fer_arena_copy(t->arena, fer_str_of(end->err->message)),
                     .details = fer_arena_printf(t->arena, "{\"fault\":\"%s\"}",
                                                 fer_http_fault_rows[end->fault].name)};
    fer_attempt_end(t, &o);
}
