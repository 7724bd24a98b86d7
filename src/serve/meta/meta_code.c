/* SPDX-License-Identifier: Apache-2.0 */
/* execute_code: a program that calls tools, as a call of the gateway's tool for it. */
#include "code.h"
#include "errors.h"
#include "meta_tools.h"
#include "tool_reply.h"

bool fer_guest_runs_code(const fer_guest *g)
{
    fer_view *v = fer_catalog_view(g->server->options.catalog);
    bool runs =
        fer_gateway_runner(g->server->options.gateway, FER_BACKEND_LOCAL, FER_STR(FER_CODE_NS)) &&
        fer_sight_has(&g->sight, v, FER_STR(FER_CODE_TOOL));
    fer_view_unref(v);
    return runs;
}

static void write_result(fer_ask *q, const fer_envelope *e)
{
    fer_err err = {0};
    fer_buf b;
    fer_buf_init(&b, fer_ask_arena(q), FER_SERVE_MEMORY);
    fer_code code = fer_meta_add_whole(q, &b, e->structured, &err);
    if (!code) code = fer_buf_code(&b, &err);
    if (code) fer_reply_err(q, &err, "execute", e->tool_id);
    else fer_reply_value(q, fer_buf_view(&b), FER_STR(""));
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    fer_ask *q = context;
    (void)c;
    fer_ask_log(q, e);
    if (!e->error.code) write_result(q, e);
    else fer_reply_error(q, &e->error, e->tool_id);
}

static void stop_call(fer_ask *q)
{
    if (q->call) fer_call_cancel(q->call);
}

void fer_meta_execute(fer_ask *q, const fer_json *doc, const yyjson_val *args)
{
    fer_call_options o;
    fer_err err = {0};
    fer_ask_call_options(q, &o);
    q->stop = stop_call;
    fer_code code = fer_gateway_call(fer_ask_front(q)->options.gateway, FER_STR(FER_CODE_TOOL),
                                     fer_rpc_bytes(doc, args), &o, on_done, q, &q->call, &err);
    if (code) fer_reply_err(q, &err, "resolve", FER_STR(FER_CODE_TOOL));
}
