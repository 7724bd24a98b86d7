/* SPDX-License-Identifier: Apache-2.0 */
/* execute_code: a program that calls tools, as a call of the gateway's tool for it. */
#include "code.h"
#include "errors.h"
#include "meta_tools.h"
#include "tool_reply.h"

#define META_STREAM "ferrule/stream" /* of a progress: where it was printed */
#define PIECE_MAX   ((size_t)4096)   /* bytes of what is printed, in one message */

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

/* ---- what is printed --------------------------------------------------------------------------
 */

/* A head of at most `max` bytes that ends between two characters. */
static fer_str whole_head(fer_str text, size_t max)
{
    if (text.len <= max) return text;
    while (max && ((unsigned char)text.ptr[max] & 0xc0) == 0x80) max--;
    return fer_str_head(text, max);
}

/* MCP has no other word for what comes before the result: progress with a message. */
static void tell_piece(fer_ask *q, fer_arena *a, fer_str text, fer_str stream)
{
    fer_buf b;
    fer_buf_init(&b, a, PIECE_MAX * 8);
    fer_buf_printf(&b, "{\"progress\":%.0f,\"message\":", q->progress + 1);
    fer_buf_add_quoted(&b, text);
    fer_buf_add_text(&b, ",\"_meta\":{\"" META_STREAM "\":");
    fer_buf_add_quoted(&b, stream);
    fer_buf_add_text(&b, "}}");
    if (!b.failure) fer_ask_progress(q, fer_buf_view(&b));
}

/* {"stream", "text"}, as it is printed. */
static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    fer_ask *q = context;
    fer_json *doc;
    fer_arena *a = e->kind == FER_STREAM_CHUNK ? fer_arena_new(0) : NULL;
    (void)c;
    if (a && !fer_json_read(a, e->data, fer_json_limits_file(), &doc, NULL)) {
        const yyjson_val *text = fer_val_get(fer_json_root(doc), "text"),
                         *stream = fer_val_get(fer_json_root(doc), "stream");
        fer_str rest = fer_is_str(text) ? fer_val_str(text) : FER_STR("");
        while (rest.len && fer_is_str(stream)) {
            fer_str piece = whole_head(rest, PIECE_MAX);
            tell_piece(q, a, piece, fer_val_str(stream));
            rest = fer_str_slice(rest, piece.len, rest.len);
        }
    }
    fer_arena_free(a);
    return true;
}

/* ---- the call ---------------------------------------------------------------------------------
 */

static void stop_call(fer_ask *q)
{
    if (q->call) fer_call_cancel(q->call);
}

void fer_meta_execute(fer_ask *q, const fer_json *doc, const yyjson_val *args)
{
    fer_call_options o;
    fer_err err = {0};
    fer_ask_call_options(q, &o);
    o.on_event = q->token.len ? on_event : NULL;
    q->stop = stop_call;
    fer_code code = fer_gateway_call(fer_ask_front(q)->options.gateway, FER_STR(FER_CODE_TOOL),
                                     fer_rpc_bytes(doc, args), &o, on_done, q, &q->call, &err);
    if (code) fer_reply_err(q, &err, "resolve", FER_STR(FER_CODE_TOOL));
}
