/* SPDX-License-Identifier: Apache-2.0 */
/* Running a tool: run_tool, and reading on in a result that was cut. */
#include "errors.h"
#include "meta_tools.h"
#include "tool_reply.h"

/* ---- a result that is kept ------------------------------------------------------------------- */

static void read_on(fer_ask *q, fer_str handle, fer_str at, size_t from)
{
    fer_front *s = fer_ask_front(q);
    fer_arena *a = fer_ask_arena(q);
    fer_err err = {0};
    fer_buf b;
    fer_str kept = fer_rest_get(&s->kept, fer_ask_guest(q), handle);
    if (!kept.ptr) {
        fer_fail(&err, FER_INVALID_PAGE_TOKEN,
                 "no result is kept under this handle (any more): run the tool again");
        fer_reply_err(q, &err, "resolve", FER_STR(""));
        return;
    }
    fer_str own = fer_arena_copy(a, kept);
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add_char(&b, '{');
    fer_code code = own.ptr ? fer_meta_add_result(q, &b, own, at, from, handle, &err)
                            : fer_arena_failed(a, &err);
    fer_buf_add_char(&b, '}');
    if (code) fer_reply_err(q, &err, "resolve", FER_STR(""));
    else fer_meta_reply(q, &b);
}

/* ---- a call ---------------------------------------------------------------------------------- */

/* The blocks of an MCP server's answer, where they are not too much to show. */
typedef struct blocks {
    fer_str content; /* as they came; empty: there are none */
    bool all;        /* they are all there is, and not for a reader of text */
} blocks;

static bool is_text(const yyjson_val *block)
{
    const yyjson_val *type = fer_val_get(block, "type");
    return fer_is_str(type) && fer_str_is(fer_val_str(type), "text");
}

static blocks blocks_of(fer_ask *q, fer_str result)
{
    blocks out = {FER_STR(""), false};
    fer_json *doc;
    if (!result.len ||
        fer_json_read(fer_ask_arena(q), result, fer_json_limits_answer(), &doc, NULL))
        return out;
    const yyjson_val *root = fer_json_root(doc), *content = fer_val_get(root, "content");
    if (!fer_is_arr(content) || !fer_val_len(content)) return out;
    bool texts = true;
    FER_EACH_ITEM (content, block) texts &= is_text(block);
    /* A picture cannot be cut; texts that are too long are. */
    if (!texts || result.len <= fer_ask_front(q)->options.limits.result)
        out.content = fer_rpc_bytes(doc, content);
    out.all = !texts && !fer_val_get(root, "structuredContent");
    return out;
}

static void write_result(fer_ask *q, const fer_envelope *e)
{
    fer_err err = {0};
    fer_buf b;
    blocks shown = blocks_of(q, e->mcp_result);
    fer_str json = e->structured.len && !shown.all ? e->structured : FER_STR("null");
    fer_buf_init(&b, fer_ask_arena(q), FER_SERVE_MEMORY);
    fer_buf_add_char(&b, '{');
    fer_code code = fer_meta_add_result(q, &b, json, FER_STR(""), 0, FER_STR(""), &err);
    fer_buf_add_char(&b, '}');
    if (!code) code = fer_buf_code(&b, &err);
    if (code) fer_reply_err(q, &err, "execute", e->tool_id);
    else fer_reply_value(q, fer_buf_view(&b), shown.content);
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    fer_ask *q = context;
    (void)c;
    fer_ask_log(q, e);
    if (!e->error.code) fer_guest_used(q, e->tool_id);
    if (!e->error.code) write_result(q, e);
    else if (e->error.code == FER_INPUT_REQUIRED || e->error.code == FER_TASK_STARTED)
        fer_reply_envelope(q, e);
    else fer_reply_error(q, &e->error, e->tool_id);
}

static void stop_call(fer_ask *q)
{
    if (q->call) fer_call_cancel(q->call);
}

void fer_meta_run_tool(fer_ask *q, const fer_json *doc, const yyjson_val *args)
{
    fer_str handle = fer_meta_text(args, "handle"), id = fer_meta_text(args, "id");
    const yyjson_val *given = fer_val_get(args, "args");
    fer_call_options o;
    fer_err err = {0};
    if (handle.len) {
        read_on(q, handle, fer_meta_text(args, "at"), fer_meta_number(args, "from", 0));
        return;
    }
    if (!id.len) {
        fer_fail(
            &err, FER_REQUIRED_MISSING,
            "`id` is missing: the ID of a tool, as search_tools gives it (or the `handle` of a "
            "result to read on in)");
        fer_reply_err(q, &err, "validate_input", FER_STR(""));
        return;
    }
    fer_ask_call_options(q, &o);
    q->stop = stop_call;
    fer_code code = fer_gateway_call(fer_ask_front(q)->options.gateway, id,
                                     given ? fer_rpc_bytes(doc, given) : FER_STR("{}"), &o, on_done,
                                     q, &q->call, &err);
    if (code) fer_reply_err(q, &err, "resolve", id);
}
