/* SPDX-License-Identifier: Apache-2.0 */
/* run_chain: several tools, where later ones use what earlier ones gave. */
#include "errors.h"
#include "meta_tools.h"
#include "tool_reply.h"

static const char *const states[] = {[FER_STEP_PENDING] = "NotRun",
                                     [FER_STEP_OK] = "Ok",
                                     [FER_STEP_FAILED] = "Error",
                                     [FER_STEP_SKIPPED] = "Skipped"};

/* [{"id", "toolId", "status"}]: what was done, without what it gave. */
static void add_steps(fer_buf *b, const fer_chain_result *r)
{
    fer_buf_add_char(b, '[');
    for (size_t i = 0; i < r->step_count; i++) {
        const fer_step_result *s = &r->steps[i];
        fer_buf_add_text(b, i ? ",{\"id\":" : "{\"id\":");
        fer_buf_add_quoted(b, s->id);
        if (s->tool_id.len) {
            fer_buf_add_text(b, ",\"toolId\":");
            fer_buf_add_quoted(b, s->tool_id);
        }
        fer_buf_printf(b, ",\"status\":\"%s\"}", states[s->state]);
    }
    fer_buf_add_char(b, ']');
}

static void write_result(fer_ask *q, const fer_chain_result *r)
{
    fer_err err = {0};
    fer_buf b;
    fer_str json = r->output.len ? r->output : FER_STR("null");
    fer_buf_init(&b, fer_ask_arena(q), FER_SERVE_MEMORY);
    fer_buf_add_char(&b, '{');
    fer_code code = fer_meta_add_result(q, &b, json, FER_STR(""), 0, FER_STR(""), &err);
    fer_buf_add_text(&b, ",\"steps\":");
    add_steps(&b, r);
    fer_buf_add_char(&b, '}');
    if (code) fer_reply_err(q, &err, "execute", FER_STR(""));
    else fer_meta_reply(q, &b);
}

/* The error of the step that failed, with what was done before it. */
static void write_error(fer_ask *q, const fer_chain_result *r)
{
    fer_arena *a = fer_ask_arena(q);
    fer_call_error e = r->error;
    fer_buf b;
    fer_str message = fer_arena_printf(a, "the step %.*s failed: %.*s", FER_PRI(r->failed_step),
                                       FER_PRI(fer_str_head(r->error.message, FER_ERR_TEXT)));
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add_text(&b, "{\"failedStep\":");
    fer_buf_add_quoted(&b, r->failed_step);
    fer_buf_add_text(&b, ",\"steps\":");
    add_steps(&b, r);
    if (r->error.details.len) {
        fer_buf_add_text(&b, ",\"cause\":");
        fer_buf_add(&b, r->error.details);
    }
    fer_buf_add_char(&b, '}');
    if (message.ptr) e.message = message;
    if (!b.failure) e.details = fer_buf_view(&b);
    fer_reply_error(q, &e, FER_STR(""));
}

static void on_done(void *context, const fer_chain_result *r)
{
    fer_ask *q = context;
    fer_chain *chain = q->state;
    for (size_t i = 0; i < r->step_count; i++)
        if (r->steps[i].state == FER_STEP_OK) fer_guest_used(q, r->steps[i].tool_id);
    if (r->error.code) write_error(q, r);
    else write_result(q, r);
    fer_chain_free(chain);
}

static fer_code read_chain(fer_ask *q, const fer_json *doc, const yyjson_val *args, fer_err *err)
{
    fer_buf b;
    fer_chain *chain;
    fer_buf_init(&b, fer_ask_arena(q), FER_SERVE_MEMORY);
    fer_buf_add_text(&b, "{\"steps\":");
    fer_buf_add(&b, fer_rpc_bytes(doc, fer_val_get(args, "steps")));
    fer_buf_add_char(&b, '}');
    fer_code code = fer_buf_code(&b, err);
    if (!code) code = fer_chain_read(fer_buf_view(&b), &chain, err);
    if (!code) q->state = chain;
    return code;
}

/* Its steps are calls of the gateway's; they are found by whom they were made for. */
static void stop_chain(fer_ask *q)
{
    fer_gateway_cancel_chain(fer_ask_front(q)->options.gateway, q);
}

void fer_meta_run_chain(fer_ask *q, const fer_json *doc, const yyjson_val *args)
{
    const yyjson_val *input = fer_val_get(args, "input");
    fer_call_options o;
    fer_err err = {0};
    fer_code code = read_chain(q, doc, args, &err);
    if (code) {
        fer_reply_err(q, &err, "validate_input", FER_STR(""));
        return;
    }
    fer_ask_call_options(q, &o);
    fer_call_mcp along = o.mcp ? *o.mcp : (fer_call_mcp){0};
    along.params = FER_STR(""); /* those of the chain are not those of its steps */
    along.takes_input = false;  /* nobody could say which step the answer is for */
    fer_call_mcp *kept = fer_arena_alloc(fer_ask_arena(q), sizeof *kept);
    if (kept) *kept = along;
    o.mcp = kept;
    q->stop = stop_chain;
    fer_chain *chain = q->state;
    code = fer_gateway_chain(fer_ask_front(q)->options.gateway, chain,
                             input ? fer_rpc_bytes(doc, input) : FER_STR(""), &o, on_done, q, &err);
    if (!code) return;
    fer_chain_free(chain);
    fer_reply_err(q, &err, "resolve", FER_STR(""));
}
