/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_runner.h"

#include "errors.h"

typedef struct mcp_runner {
    fer_runner runner; /* first */
    fer_arena *arena;
    fer_mcp_client *client;
    uint64_t calls;
    bool stopping;
} mcp_runner;

/* ---- calls
 * ---------------------------------------------------------------------------------------- */

static void on_progress(fer_mcp_call *k, fer_str json)
{
    fer_attempt_event(k->context, FER_NEWS_PROGRESS, json);
}

static fer_phase phase_of(const fer_mcp_outcome *o)
{
    if (o->definite) return FER_PHASE_DEFINITE;
    if (!o->sent) return FER_PHASE_NOTHING_SENT;
    return o->refused ? FER_PHASE_NOT_PROCESSED : FER_PHASE_AMBIGUOUS;
}

static void on_end(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    fer_attempt *t = k->context;
    t->sent = o->sent;
    fer_attempt_end(t, &(fer_outcome){.code = o->code,
                                      .phase = phase_of(o),
                                      .structured = o->code ? NULL : o->result.value,
                                      .doc = o->code ? NULL : o->result.doc,
                                      .mcp_result = o->json,
                                      .message = o->message,
                                      .details = o->details,
                                      .retry_after_ms = o->retry_after_ms});
}

void fer_mcp_runner_call(fer_runner *r, fer_attempt *t)
{
    mcp_runner *m = (mcp_runner *)r;
    fer_mcp_call *k = fer_arena_alloc_zero(t->arena, 1, sizeof *k);
    if (!k) {
        fer_attempt_fail(t, fer_arena_code(t->arena), "no memory for the call");
        return;
    }
    m->calls++;
    t->state = k;
    k->arena = t->arena;
    k->tool = t->tool;
    k->args = t->args_json;
    k->definition = t->definition;
    k->deadline = t->deadline;
    k->traceparent = t->traceparent;
    k->idempotency_key = t->idempotency_key;
    k->retry_owner = t->retry_owner;
    k->attempt = t->number;
    k->on_progress = t->wants_news ? on_progress : NULL;
    k->on_end = on_end;
    k->context = t;
    k->ticket = t->ticket;
    fer_mcp_client_call(m->client, k);
}

/* Each way to be given up has its own code. */
static const fer_code codes[FER_CANCEL_COUNT] = {
    [FER_CANCEL_DEADLINE] = FER_DEADLINE_EXCEEDED,
    [FER_CANCEL_TIMEOUT] = FER_TIMEOUT,
    [FER_CANCEL_BACKEND_LOST] = FER_BACKEND_UNAVAILABLE,
};

void fer_mcp_runner_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    fer_mcp_call *k = t->state;
    (void)r;
    t->sent = fer_mcp_call_sent(k);
    fer_mcp_call_drop(k, fer_cancel_names[reason]);
    fer_attempt_fail(t, codes[reason] ? codes[reason] : FER_CANCELLED, "the call was given up: %s",
                     fer_cancel_names[reason]);
}

void fer_mcp_runner_pause(fer_runner *r, fer_attempt *t, bool paused)
{
    (void)r;
    fer_mcp_call_pause(t->state, paused);
}

/* ---- lists
 * ------------------------------------------------------------------------------------------ */

static void listed(fer_mcp_list *list, fer_code code, fer_str tools, const fer_err *err)
{
    fer_listing *l = list->context;
    l->on_end(l, code, tools, err);
}

void fer_mcp_runner_list(fer_runner *r, fer_listing *l)
{
    mcp_runner *m = (mcp_runner *)r;
    fer_mcp_list *list = fer_arena_alloc_zero(l->arena, 1, sizeof *list);
    fer_err err;
    if (!list) {
        fer_code code = fer_arena_failed(l->arena, &err);
        l->on_end(l, code, FER_STR_NONE, &err);
        return;
    }
    list->arena = l->arena;
    list->on_end = listed;
    list->context = l;
    fer_mcp_client_list(m->client, list);
}

/* ---- what it is
 * --------------------------------------------------------------------------------------- */

static const fer_health healths[] = {
    [FER_MCP_IDLE] = FER_HEALTH_IDLE, [FER_MCP_CONNECTING] = FER_HEALTH_STARTING,
    [FER_MCP_READY] = FER_HEALTH_UP,  [FER_MCP_CLOSING] = FER_HEALTH_DOWN,
    [FER_MCP_DOWN] = FER_HEALTH_DOWN,
};

void fer_mcp_runner_status(const fer_runner *r, fer_runner_status *out)
{
    const mcp_runner *m = (const mcp_runner *)r;
    fer_mcp_info i;
    fer_mcp_client_info(m->client, &i);
    *out = (fer_runner_status){.health = m->stopping ? FER_HEALTH_STOPPED : healths[i.state],
                               .running = i.running,
                               .calls = m->calls,
                               .restarts = i.connects ? i.connects - 1 : 0,
                               .noise = i.noise + i.late + i.foreign,
                               .pid = i.pid};
    if (i.state == FER_MCP_READY)
        snprintf(out->detail, sizeof out->detail, "%s, %s%s%s%s%.99s", i.version->name, i.server,
                 i.server_version[0] ? " " : "", i.server_version, i.dropped ? "; left out: " : "",
                 i.dropped_why);
    else if (i.trouble[0])
        snprintf(out->detail, sizeof out->detail, "%s%s%s", i.trouble,
                 i.said[0] ? "; it said: " : "", i.said);
}

/* ---- life
 * ------------------------------------------------------------------------------------------------
 */

static void changed(void *context)
{
    fer_runner *r = context;
    if (r->changed) r->changed(r);
}

static void late(void *context, uint64_t ticket, fer_code code, fer_str answer)
{
    fer_runner_tell_late_answer(context, ticket, code, answer);
}

static void closed(void *context)
{
    fer_runner_stopped(context);
}

fer_runner *fer_mcp_runner_new(fer_arena *a, uv_loop_t *loop, const fer_runner_kind *kind,
                               fer_str name, fer_mcp_link *link, const fer_mcp_times *times)
{
    mcp_runner *m = fer_arena_alloc_zero(a, 1, sizeof *m);
    fer_mcp_options o = {.loop = loop,
                         .start_ms = times->start_ms,
                         .probe_ms = times->probe_ms,
                         .list_ms = times->list_ms,
                         .changed = changed,
                         .closed = closed,
                         .late = late,
                         .context = m};
    if (m) m->runner = (fer_runner){.kind = kind, .name = fer_arena_copy(a, name), .loop = loop};
    if (m && m->runner.name.ptr && link) m->client = fer_mcp_client_new(link, &o);
    else if (link) link->kind->free(link);
    if (!m || !m->client) {
        fer_arena_free(a);
        return NULL;
    }
    m->arena = a;
    return &m->runner;
}

void fer_mcp_runner_stop(fer_runner *r, void (*done)(fer_runner *r))
{
    mcp_runner *m = (mcp_runner *)r;
    r->on_stopped = done;
    m->stopping = true;
    fer_mcp_client_close(m->client);
}

void fer_mcp_runner_free(fer_runner *r)
{
    mcp_runner *m = (mcp_runner *)r;
    fer_mcp_client_free(m->client);
    fer_arena_free(m->arena);
}
