/* SPDX-License-Identifier: Apache-2.0 */
/* tasks/get and tasks/cancel of both eras, tasks/update (2026-07-28), tasks/result (2025-11-25). */
#include "errors.h"
#include "tasks_parts.h"
#include "tool_reply.h"

#define MISSING_CAPABILITY (-32021)
#define RELATED            "io.modelcontextprotocol/related-task"

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
    if (!fer_json_read(a, json, NULL, &doc, NULL)) {
        const yyjson_val *root = fer_json_root(doc), *meta = fer_val_get(root, "_meta");
        const yyjson_val *related = fer_is_obj(meta) ? fer_val_get(meta, RELATED) : NULL;
        id = fer_val_get(fer_is_obj(related) ? related : root, "taskId");
    }
    fer_reply_pass(q, fer_is_str(id) ? fer_text_with(a, doc, id, name_of(q)) : json, false);
}

/* ---- an older server's task for a client of 2026-07-28 ----------------------------------------
 */

/* What is asked first: how the task stands. */
typedef struct standing {
    fer_json *doc; /* of tasks/get */
} standing;

static void write_task(fer_relay *r, const char *status, const char *member, fer_str value)
{
    fer_ask *q = r->ask;
    const standing *s = r->state;
    fer_buf *b = fer_ask_open(q);
    fer_buf_printf(b, "{\"resultType\":\"complete\",\"status\":\"%s\"", status);
    fer_task_members(b, s->doc, fer_json_root(s->doc), name_of(q));
    if (!fer_val_get(fer_json_root(s->doc), "ttl")) fer_buf_add_text(b, ",\"ttlMs\":null");
    if (member) {
        fer_buf_printf(b, ",\"%s\":", member);
        fer_buf_add(b, value);
    }
    fer_buf_add_char(b, '}');
    fer_ask_close(q);
}

/* What the server says of its end: a result, of which an error of the tool's is one here, or an
 * error of the protocol's. */
static bool take_end(fer_relay *r, const fer_mcp_outcome *o)
{
    fer_json *doc;
    fer_arena *a = fer_ask_arena(r->ask);
    if (o->error.len) {
        write_task(r, "failed", "error", o->error);
        return true;
    }
    if (o->code) return false;
    fer_str json = o->json;
    /* It is in the task that it is related to: nothing need say so. */
    if (!fer_json_read(a, json, NULL, &doc, NULL)) {
        const yyjson_val *meta = fer_val_get(fer_json_root(doc), "_meta");
        if (fer_is_obj(meta) && fer_val_get(meta, RELATED))
            json = fer_text_without(a, doc, meta, RELATED);
    }
    write_task(r, "completed", "result", json);
    return true;
}

static bool take_standing(fer_relay *r, const fer_mcp_outcome *o)
{
    fer_arena *a = fer_ask_arena(r->ask);
    standing *s = fer_arena_alloc_zero(a, 1, sizeof *s);
    if (o->code || o->error.len || !s || fer_json_read(a, o->json, NULL, &s->doc, NULL))
        return false;
    const yyjson_val *status = fer_val_get(fer_json_root(s->doc), "status");
    fer_str word = fer_is_str(status) ? fer_val_str(status) : FER_STR("");
    r->state = s;
    if (fer_str_is(word, "completed") || fer_str_is(word, "failed")) {
        r->take = take_end;
        r->method = "tasks/result";
        fer_relay_again(r);
    } else {
        /* What it wants to know it asks whoever waits for its result, which nobody does here. */
        write_task(r, fer_str_is(word, "cancelled") ? "cancelled" : "working", NULL, FER_STR(""));
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
    if (q->version->modern && !fer_ask_takes_task(q))
        fer_ask_fail(
            q, MISSING_CAPABILITY,
            FER_STR("{\"requiredCapabilities\":{\"extensions\":{\"" FER_TASKS_EXTENSION "\":{}}}}"),
            "the client has not declared " FER_TASKS_EXTENSION);
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
    if (!r || !fer_relay_put(r, id, own)) return NULL;
    r->servers[r->count++] = server;
    r->take = take;
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

/* Answers to what a task wants to know go to servers of 2026-07-28, which have said what that is.
 */
void fer_method_task_update(fer_ask *q)
{
    fer_relay *r = begin(q);
    if (!r) return;
    if (r->servers[0]->can & FER_CAN_TASKS) fer_relay_go(r);
    else
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "the task's server is of an older version: it asks for nothing this way");
}

/* Waits for the end of the task. */
void fer_method_task_result(fer_ask *q)
{
    fer_relay *r = begin(q);
    if (!r) return;
    r->ms = FER_TASKS_MS;
    fer_relay_go(r);
}
