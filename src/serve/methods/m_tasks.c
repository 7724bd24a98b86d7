/* SPDX-License-Identifier: Apache-2.0 */
/* tasks/get and tasks/cancel of both eras, tasks/update (2026-07-28), tasks/result (2025-11-25). */
#include "errors.h"
#include "news.h"
#include "tasks_parts.h"
#include "tool_reply.h"

static bool is_modern_server(const fer_relay *r)
{
    fer_mcp_info i;
    fer_mcp_client_info(r->call.request.client, &i);
    return i.version && i.version->modern;
}

static fer_str name_of(const fer_ask *q)
{
    return fer_val_str(fer_val_get(q->params, "taskId"));
}

/* ---- between like eras ----------------------------------------------------------------------- */

/* The result with our name of the task, wherever the server says its own. */
static void pass(fer_relay *r, fer_str json)
{
    fer_ask *q = r->ask;
    fer_arena *a = fer_ask_arena(q);
    fer_json *doc;
    const yyjson_val *id = NULL;
    if (!fer_json_read(a, json, NULL, &doc, NULL)) id = fer_val_get(fer_json_root(doc), "taskId");
    fer_str named = fer_is_str(id) ? fer_text_with(a, doc, id, name_of(q)) : json;
    fer_reply_pass(q, fer_task_related_as(a, named.len ? named : json, name_of(q)), false);
}

/* ---- an older server's task for a client of 2026-07-28 ----------------------------------------
 */

/* What is asked about, and first: how it stands. */
typedef struct standing {
    fer_str own;   /* the server's name for the task */
    fer_json *doc; /* of tasks/get */
} standing;

static void write_task(fer_relay *r, const char *status, const char *member, fer_str value)
{
    fer_ask *q = r->ask;
    const standing *s = r->state;
    fer_buf *b = fer_ask_open(q);
    fer_buf_add_text(b, "{\"resultType\":\"complete\",");
    fer_task_write(b, s->doc, name_of(q), status, member, value);
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
}

/* What the server says of its end: a result, of which an error of the tool's is one here, or an
 * error of the protocol's. */
static bool take_end(fer_relay *r, const fer_mcp_outcome *o)
{
    if (o->error.len) write_task(r, "failed", "error", o->error);
    else if (!o->code)
        write_task(r, "completed", "result", fer_task_unrelated(fer_ask_arena(r->ask), o->json));
    return o->error.len || !o->code;
}

/* What it wants to know it asks whoever waits for its result, which is us from now on; until it has
 * asked, it works as far as anybody can see. */
static void write_open(fer_relay *r, fer_str status, fer_str task)
{
    fer_ask *q = r->ask;
    const standing *s = r->state;
    fer_server *server = r->servers[0];
    fer_asker who = fer_peer_asker(q->peer);
    const fer_errand *e = fer_errand_find(fer_ask_front(q), server, &who, s->own);
    fer_buf b;
    fer_buf_init(&b, fer_ask_arena(q), FER_SERVE_MEMORY);
    if (e && fer_errand_peer(e)->question_count) {
        fer_buf_add_char(&b, '{');
        fer_questions_write(fer_errand_peer(e), &b);
        fer_buf_add_char(&b, '}');
        write_task(r, "input_required", "inputRequests", fer_buf_view(&b));
        return;
    }
    if (fer_str_is(status, "input_required")) fer_task_attend(q, server, s->own, task);
    write_task(r, fer_str_is(status, "cancelled") ? "cancelled" : "working", NULL, FER_STR(""));
}

static bool take_standing(fer_relay *r, const fer_mcp_outcome *o)
{
    standing *s = r->state;
    if (o->code || o->error.len ||
        fer_json_read(fer_ask_arena(r->ask), o->json, fer_json_limits_answer(), &s->doc, NULL))
        return false;
    const yyjson_val *status = fer_val_get(fer_json_root(s->doc), "status");
    fer_str word = fer_is_str(status) ? fer_val_str(status) : FER_STR("");
    if (fer_str_is(word, "completed") || fer_str_is(word, "failed")) {
        r->take = take_end;
        r->method = "tasks/result";
        fer_relay_again(r);
    } else {
        write_open(r, word, o->json);
    }
    return true;
}

/* ---- what the methods do with an answer -------------------------------------------------------
 */

static bool take(fer_relay *r, const fer_mcp_outcome *o)
{
    fer_ask *q = r->ask;
    if (q->version->modern && !is_modern_server(r)) {
        if (q->method->run == fer_method_task_get) return take_standing(r, o);
        if (o->code || o->error.len) return false;
        fer_reply_pass(q, FER_STR("{}"), false);
        return true;
    }
    if (o->code || o->error.len) return false;
    pass(r, o->json);
    return true;
}

/* ---- the methods ------------------------------------------------------------------------------
 */

static bool may_ask(fer_ask *q)
{
    unsigned can = fer_guest_offers(fer_ask_guest(q));
    if (q->version->modern && !fer_ask_takes_task(q)) fer_task_refuse_undeclared(q);
    else if (!(can & (q->version->modern ? FER_CAN_TASKS | FER_CAN_OLD_TASKS : FER_CAN_OLD_TASKS)))
        fer_ask_fail(q, FER_RPC_METHOD_NOT_FOUND, FER_STR(""), "no server here has tasks");
    else return true;
    return false;
}

static fer_relay *begin(fer_ask *q)
{
    fer_str own;
    const yyjson_val *id = fer_val_get(q->params, "taskId");
    if (!may_ask(q)) return NULL;
    fer_server *server = fer_is_str(id) ? fer_task_find(q, fer_val_str(id), &own) : NULL;
    if (!server) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     fer_is_str(id) ? "there is no such task" : "params.taskId must be a text");
        return NULL;
    }
    fer_relay *r = fer_relay_new(q);
    standing *s = r ? fer_arena_alloc_zero(fer_ask_arena(q), 1, sizeof *s) : NULL;
    if (r && !s) fer_ask_fail(q, -32603, FER_STR(""), "out of memory");
    if (!s || !fer_relay_put(r, id, own)) return NULL;
    s->own = own;
    r->servers[r->count++] = server;
    r->take = take;
    r->state = s;
    return r;
}

static void run(fer_ask *q)
{
    fer_relay *r = begin(q);
    if (r) fer_relay_go(r);
}

void fer_method_task_get(fer_ask *q)
{
    run(q);
}

void fer_method_task_cancel(fer_ask *q)
{
    run(q);
}

/* A server of 2026-07-28 takes answers itself. Those to what an older one asked (task_errands.c)
 * are its answers; what answers nothing that is asked is left alone, as the extension wants it. */
void fer_method_task_update(fer_ask *q)
{
    fer_relay *r = begin(q);
    if (!r) return;
    if (r->servers[0]->can & FER_CAN_TASKS) {
        fer_relay_go(r);
        return;
    }
    const standing *s = r->state;
    const yyjson_val *responses = fer_val_get(q->params, "inputResponses");
    fer_asker who = fer_peer_asker(q->peer);
    fer_errand *e = fer_errand_find(fer_ask_front(q), r->servers[0], &who, s->own);
    if (!fer_is_obj(responses)) {
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "params.inputResponses must be an object");
        return;
    }
    if (e) fer_errand_answer(e, q->doc, responses);
    fer_reply_pass(q, FER_STR("{}"), false);
}

/* Waits for the end of the task. */
void fer_method_task_result(fer_ask *q)
{
    fer_relay *r = begin(q);
    if (!r) return;
    r->ms = FER_TASKS_MS;
    fer_relay_go(r);
}
