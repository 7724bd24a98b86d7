/* SPDX-License-Identifier: Apache-2.0 */
#include "tool_reply.h"

#include "errors.h"
#include "parked.h"
#include "tasks.h"

/* ---- errors ---------------------------------------------------------------------------------- */

static void member(fer_buf *b, const char *key, fer_str text)
{
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add_quoted(b, text);
}

/* {category, code, message, details, op, toolId, retryable, retryAfterMs?, causedBy?} */
static void add_error(fer_buf *b, const fer_call_error *e, fer_str tool_id)
{
    const fer_code_row *row = fer_code_info(e->code);
    fer_buf_printf(b, "{\"category\":\"%s\",\"code\":\"%s\"", row->category, row->name);
    member(b, "message", e->message);
    if (e->details.len) {
        fer_buf_add_text(b, ",\"details\":");
        fer_buf_add(b, e->details);
    }
    if (e->op) member(b, "op", fer_str_of(e->op));
    if (tool_id.len) member(b, "toolId", tool_id);
    fer_buf_printf(b, ",\"retryable\":%s", e->retryable ? "true" : "false");
    if (e->retry_after_ms > 0)
        fer_buf_printf(b, ",\"retryAfterMs\":%lld", (long long)e->retry_after_ms);
    if (e->caused_by.len) member(b, "causedBy", e->caused_by);
    fer_buf_add_char(b, '}');
}

/* For the model: the name of the error, what is wrong, and whether to try again. */
static void add_words(fer_buf *b, const fer_call_error *e)
{
    fer_buf_printf(b, "{\"type\":\"text\",\"text\":\"%s: ", fer_code_info(e->code)->name);
    fer_buf_add_escaped(b, e->message);
    bool again = e->retryable || e->retry_after_ms > 0;
    if (again && !fer_str_ends(e->message, ".")) fer_buf_add_char(b, '.');
    if (e->retry_after_ms > 0)
        fer_buf_printf(b, " It may succeed after %lld ms.", (long long)e->retry_after_ms);
    else if (again) fer_buf_add_text(b, " It may succeed later.");
    fer_buf_add_text(b, "\"}");
}

/* Who can get more scopes is told by the status which (RFC 6750 3.1), where one request is answered
 * by one answer. */
static void step_up(fer_ask *q, const fer_call_error *e)
{
    fer_json *doc;
    fer_talk *x = q->talk;
    if (e->code != FER_FORBIDDEN || !fer_ask_guest(q)->steps_up || x->batch || !x->hints.http ||
        fer_json_read(fer_ask_arena(q), e->details, NULL, &doc, NULL))
        return;
    const yyjson_val *scope = fer_val_get(fer_json_root(doc), "missingScopes");
    if (!fer_is_str(scope)) return;
    x->scope = fer_val_str(scope);
    x->status = 403;
}

static void refuse(fer_ask *q, const fer_call_error *e, fer_str tool_id)
{
    step_up(q, e);
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_text(b, "{\"content\":[");
    add_words(b, e);
    fer_buf_add_text(b, "],\"isError\":true,");
    if (q->version->modern) fer_buf_add_text(b, "\"resultType\":\"complete\",");
    fer_buf_add_text(b, "\"_meta\":{");
    if (q->version->modern) {
        fer_buf_add_text(b, "\"" FER_MCP_META_SERVER "\":");
        fer_ask_add_server(q, b);
        fer_buf_add_char(b, ',');
    }
    fer_buf_add_text(b, "\"" FER_META_ERROR "\":");
    add_error(b, e, tool_id);
    fer_buf_add_text(b, "}}");
    fer_ask_close(q);
}

void fer_reply_error(fer_ask *q, const fer_call_error *e, fer_str tool_id)
{
    if (q->cancelled) fer_ask_drop(q);
    else refuse(q, e, tool_id);
}

void fer_reply_err(fer_ask *q, const fer_err *err, const char *op, fer_str tool_id)
{
    const fer_code_row *row = fer_code_info(err->code);
    fer_call_error e = {.code = err->code,
                        .message = fer_str_of(err->message),
                        .details = FER_STR(""),
                        .op = op,
                        .retryable = row->retryable,
                        .caused_by = FER_STR("")};
    fer_reply_error(q, &e, tool_id);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Before 2026-07-28 structured content is an object, before 2025-06-18 there is none. */
static bool may_be_structured(const fer_ask *q, fer_str json)
{
    if (q->version->modern) return json.len > 0;
    return fer_ask_since(q, "2025-06-18") && json.len && json.ptr[0] == '{';
}

void fer_reply_value(fer_ask *q, fer_str json, fer_str content)
{
    if (q->cancelled) {
        fer_ask_drop(q);
        return;
    }
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_char(b, '{');
    fer_ask_add_complete(q, b);
    fer_buf_add_text(b, "\"content\":");
    if (content.len) {
        fer_buf_add(b, content);
    } else if (json.len) {
        fer_buf_add_text(b, "[{\"type\":\"text\",\"text\":");
        fer_buf_add_quoted(b, json);
        fer_buf_add_text(b, "}]");
    } else {
        fer_buf_add_text(b, "[]");
    }
    if (may_be_structured(q, json)) {
        fer_buf_add_text(b, ",\"structuredContent\":");
        fer_buf_add(b, json);
    }
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
}

/* ---- what a call gave ------------------------------------------------------------------------ */

/* The bytes of an MCP server, with the members that the newer era demands. */
void fer_reply_pass(fer_ask *q, fer_str result, bool cached)
{
    fer_json *doc;
    fer_buf *b;
    size_t brace = fer_str_find(result, 0, '{');
    const yyjson_val *root = NULL;
    if (q->version->modern &&
        !fer_json_read(fer_ask_arena(q), result, fer_json_limits_answer(), &doc, NULL))
        root = fer_json_root(doc);
    b = fer_ask_open(q);
    if (!fer_is_obj(root) || brace == SIZE_MAX) {
        fer_buf_add(b, result);
        fer_ask_close(q);
        return;
    }
    bool typed = fer_val_get(root, "resultType") != NULL;
    const char *comma = fer_val_len(root) ? "," : "";
    fer_buf_add_char(b, '{');
    if (!typed) fer_buf_printf(b, "\"resultType\":\"complete\"%s", cached ? "," : comma);
    if (cached && !fer_val_get(root, "ttlMs"))
        fer_buf_printf(b, "\"ttlMs\":0%s", fer_val_get(root, "cacheScope") ? comma : ",");
    if (cached && !fer_val_get(root, "cacheScope"))
        fer_buf_printf(b, "\"cacheScope\":\"private\"%s", comma);
    fer_buf_add(b, fer_str_slice(result, brace + 1, result.len));
    fer_ask_close(q);
}

/* A part of the text of a document in another way: `what` is between what is before and behind. */
static fer_str put_in(fer_arena *a, const fer_json *doc, fer_str part, fer_str what, bool quoted)
{
    fer_str all = fer_rpc_bytes(doc, fer_json_root(doc));
    size_t at = (size_t)(part.ptr - all.ptr);
    fer_buf b;
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add(&b, fer_str_slice(all, 0, at));
    if (quoted) fer_buf_add_quoted(&b, what);
    else fer_buf_add(&b, what);
    fer_buf_add(&b, fer_str_slice(all, at + part.len, all.len));
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}

fer_str fer_text_with(fer_arena *a, const fer_json *doc, const yyjson_val *value, fer_str text)
{
    return put_in(a, doc, fer_rpc_bytes(doc, value), text, true);
}

fer_str fer_text_without(fer_arena *a, const fer_json *doc, const yyjson_val *object,
                         const char *key)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add_char(&b, '{');
    FER_EACH_MEMBER (object, k) {
        if (fer_str_is(fer_val_str(k), key)) continue;
        if (b.len > 1) fer_buf_add_char(&b, ',');
        fer_buf_add(&b, fer_rpc_bytes(doc, k));
        fer_buf_add_char(&b, ':');
        fer_buf_add(&b, fer_rpc_bytes(doc, k + 1));
    }
    fer_buf_add_char(&b, '}');
    if (b.failure) return FER_STR("");
    return put_in(a, doc, fer_rpc_bytes(doc, object), fer_buf_view(&b), false);
}

/* What a server of 2026-07-28 gave its client to keep is good for the one that it was given to. */
void fer_reply_input(fer_ask *q, fer_str result)
{
    fer_arena *a = fer_ask_arena(q);
    fer_json *doc;
    const yyjson_val *state = fer_json_read(a, result, fer_json_limits_answer(), &doc, NULL)
                                  ? NULL
                                  : fer_val_get(fer_json_root(doc), "requestState");
    if (!fer_is_str(state)) {
        fer_reply_pass(q, result, false);
        return;
    }
    fer_str ours = fer_parked_wrap(q, fer_val_str(state));
    fer_str text = ours.len ? fer_text_with(a, doc, state, ours) : FER_STR("");
    if (!text.len) fer_ask_fail(q, -32603, FER_STR(""), "out of memory");
    else fer_reply_pass(q, text, false);
}

void fer_reply_fault(fer_ask *q, fer_code code, fer_str message, int64_t retry_after_ms)
{
    const fer_code_row *row = fer_code_info(code);
    fer_call_error e = {.code = code,
                        .message = message,
                        .details = FER_STR(""),
                        .op = "execute",
                        .retryable = row->retryable,
                        .retry_after_ms = retry_after_ms,
                        .caused_by = FER_STR("")};
    fer_buf b;
    fer_buf_init(&b, fer_ask_arena(q), 16384);
    add_error(&b, &e, FER_STR(""));
    fer_ask_fail(q, row->rpc_code ? row->rpc_code : -32603,
                 b.failure ? FER_STR("") : fer_buf_view(&b), "%.*s", FER_PRI(message));
}

/* A text is shown as it is, anything else as JSON. */
static fer_str as_content(fer_arena *a, fer_str json)
{
    fer_buf b;
    if (!json.len || json.ptr[0] != '"') return FER_STR("");
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "[{\"type\":\"text\",\"text\":");
    fer_buf_add(&b, json);
    fer_buf_add_text(&b, "}]");
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}

static int error_code(fer_ask *q, const fer_envelope *e)
{
    fer_json *doc;
    if (fer_json_read(fer_ask_arena(q), e->mcp_error, NULL, &doc, NULL)) return -32603;
    const yyjson_val *code = fer_val_get(fer_json_root(doc), "code");
    bool small = code && fer_val_tag(code) == FER_TAG_SINT && code->uni.i64 >= INT32_MIN;
    bool positive = code && fer_val_tag(code) == FER_TAG_UINT && code->uni.u64 <= INT32_MAX;
    return small ? (int)code->uni.i64 : positive ? (int)code->uni.u64 : -32603;
}

void fer_reply_envelope(fer_ask *q, const fer_envelope *e)
{
    int rpc = fer_code_info(e->error.code)->rpc_code;
    bool asks = e->error.code == FER_INPUT_REQUIRED && q->version->modern;
    bool answered = !e->error.code || e->error.code == FER_TOOL_FAILED || asks;
    if (q->cancelled) fer_ask_drop(q);
    else if (asks && e->mcp_result.len) fer_reply_input(q, e->mcp_result);
    else if (e->error.code == FER_TASK_STARTED && e->mcp_result.len) fer_reply_task(q, e);
    else if (answered && e->mcp_result.len) fer_reply_pass(q, e->mcp_result, false);
    else if (answered && e->mcp_error.len) fer_ask_fail_as(q, e->mcp_error, error_code(q, e));
    else if (!e->error.code)
        fer_reply_value(q, e->structured, as_content(fer_ask_arena(q), e->structured));
    else if (rpc) fer_ask_fail(q, rpc, FER_STR(""), "%.*s", FER_PRI(e->error.message));
    else refuse(q, &e->error, e->tool_id);
}
