/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked of older servers about tasks without a request of a client's that waits for it.
 * An older server says that a task's state has changed, not what came of it, and puts its questions
 * to who waits for the result; a client of 2026-07-28 wants both told (notifications/tasks) or
 * shown (tasks/get). So an errand
 *
 *   fetches the result of a task that has ended, for who listens;
 *   attends to one that asks for input: waits for its result, so that the server asks, and has a
 *   peer of its own, whose questions tasks/get shows and tasks/update answers. When the task ends
 *   it is looked at once more, where somebody listens.
 */
#include "clock.h"
#include "errors.h"
#include "news.h"
#include "sys.h"
#include "tasks_parts.h"
#include "tool_reply.h"

#define MS INT64_C(1000000)

struct fer_errand {
    fer_front *front;
    fer_errand *next, **place;
    fer_arena *arena;
    fer_server *server;
    fer_str own;
    fer_asker whose; /* counts where each has a server, or a token, of its own */
    fer_json *task;  /* as the server has it; NULL: not known */
    fer_mcp_call call;
    int64_t deadline;  /* fer_clock_mono */
    fer_guest *guest;  /* that is asked; NULL: nobody is */
    fer_peer *peer;    /* of it, for questions; or NULL */
    fer_str abilities; /* of it */
};

/* ---- whose it is, and who listens ------------------------------------------------------------ */

static bool is_here(const fer_server *server, const fer_asker *x, const fer_asker *y)
{
    return !server->runner || fer_mcp_runner_is_same(server->runner, x, y);
}

static bool hears(const fer_watch *w, const fer_server *server, const fer_asker *who, fer_str own)
{
    fer_asker own_who = fer_peer_asker(w->peer);
    return w->thing.kind == FER_MCP_TASK && !w->over && w->thing.server == server &&
           fer_str_eq(w->thing.own, own) && is_here(server, &own_who, who);
}

static const fer_watch *listener(const fer_front *s, const fer_server *server, const fer_asker *who,
                                 fer_str own)
{
    const fer_watch *w = s->watches;
    while (w && !hears(w, server, who, own)) w = w->next;
    return w;
}

/* Tells all who listen how a task stands; `ends`: for the last time. */
static void tell(const fer_errand *e, const char *status, const char *member, fer_str value,
                 bool ends)
{
    for (fer_watch *w = e->front->watches, *next; w; w = next) {
        next = w->next;
        if (!hears(w, e->server, &e->whose, e->own)) continue;
        fer_arena *a = fer_arena_new(FER_SERVE_MEMORY);
        fer_buf b;
        if (!a) return;
        fer_buf_init(&b, a, FER_SERVE_MEMORY);
        fer_task_write(&b, e->task, w->thing.shown, status, member, value);
        w->over = ends;
        if (!b.failure) fer_watch_tell(w, a, fer_buf_view(&b));
        fer_arena_free(a);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static void close_peer(fer_errand *e)
{
    fer_peer *p = e->peer;
    if (!p) return;
    e->peer = NULL;
    if (e->front->task_questions < p->next_question) e->front->task_questions = p->next_question;
    p->session = 0; /* its servers are its client's still */
    fer_peer_close(p);
}

static void free_errand(fer_errand *e)
{
    close_peer(e);
    *e->place = e->next;
    if (e->next) e->next->place = e->place;
    e->front->errand_count--;
    fer_guest_unref(e->guest);
    fer_arena_free(e->arena);
}

static fer_errand *new_errand(fer_front *s, fer_server *server, const fer_asker *who, fer_str own,
                              fer_str task)
{
    bool room = s->errand_count < FER_TASK_ERRANDS_MAX && !s->draining;
    fer_arena *a = room ? fer_arena_new(FER_SERVE_MEMORY) : NULL;
    fer_errand *e = a ? fer_arena_alloc_zero(a, 1, sizeof *e) : NULL;
    fer_str name = e ? fer_arena_copy(a, own) : FER_STR_NONE;
    fer_str text = e ? fer_arena_copy(a, task) : FER_STR_NONE;
    fer_str tenant = e ? fer_arena_copy(a, who->owner.tenant) : FER_STR_NONE;
    fer_str principal = e ? fer_arena_copy(a, who->owner.principal) : FER_STR_NONE;
    if (!name.ptr || !text.ptr || !tenant.ptr || !principal.ptr ||
        fer_json_read(a, text, fer_json_limits_answer(), &e->task, NULL)) {
        fer_arena_free(a);
        return NULL;
    }
    e->front = s;
    e->arena = a;
    e->server = server;
    e->whose = (fer_asker){who->session, {tenant, principal}};
    e->own = name;
    e->next = s->errands;
    e->place = &s->errands;
    if (e->next) e->next->place = &e->next;
    s->errands = e;
    s->errand_count++;
    fer_front_watch_time(s);
    return e;
}

/* Asks the server; the errand may be gone when this returns. */
static void ask(fer_errand *e, const char *method, int64_t ms,
                void (*on_end)(fer_mcp_call *k, const fer_mcp_outcome *o))
{
    fer_runner *r = e->server->runner;
    fer_mcp_client *client = r ? r->kind->mcp(r, &e->whose, e->abilities) : NULL;
    fer_buf b;
    fer_buf_init(&b, e->arena, FER_SERVE_MEMORY);
    fer_buf_add_text(&b, "{\"taskId\":");
    fer_buf_add_quoted(&b, e->own);
    fer_buf_add_char(&b, '}');
    if (!client || b.failure) {
        free_errand(e);
        return;
    }
    e->deadline = fer_clock_mono() + ms * MS;
    e->call = (fer_mcp_call){.arena = e->arena,
                             .method = method,
                             .params = fer_buf_view(&b),
                             .capabilities = e->abilities,
                             .on_end = on_end,
                             .context = e};
    fer_mcp_client_call(client, &e->call);
}

/* ---- what came of a task --------------------------------------------------------------------- */

static fer_str status_of(const fer_json *task)
{
    const yyjson_val *v = task ? fer_val_get(fer_json_root(task), "status") : NULL;
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static bool has_ended(fer_str status)
{
    return fer_str_is(status, "completed") || fer_str_is(status, "failed");
}

/* The end of tasks/result: a result, of which an error of the tool's is one, or an error of the
 * protocol's. Whether it is the task's end or only ours the code says. */
static void tell_end(const fer_errand *e, const fer_mcp_outcome *o)
{
    if (o->error.len) tell(e, "failed", "error", o->error, true);
    else if (!o->code) tell(e, "completed", "result", fer_task_unrelated(e->arena, o->json), true);
}

static void on_fetched(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    fer_errand *e = k->context;
    tell_end(e, o);
    free_errand(e);
}

static void on_seen(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    fer_errand *e = k->context;
    fer_json *task;
    bool known =
        !o->code && !fer_json_read(e->arena, o->json, fer_json_limits_answer(), &task, NULL);
    if (known) e->task = task;
    if (known && has_ended(status_of(task))) {
        ask(e, "tasks/result", FER_RELAY_MS, on_fetched);
        return;
    }
    if (known && fer_str_is(status_of(task), "cancelled"))
        tell(e, "cancelled", NULL, FER_STR(""), true);
    free_errand(e);
}

/* ---- attending ------------------------------------------------------------------------------- */

static void on_attended(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    fer_errand *e = k->context;
    bool said = !o->code || o->error.len, known = has_ended(status_of(e->task));
    close_peer(e);
    if (said && known) tell_end(e, o);
    if (said && !known && listener(e->front, e->server, &e->whose, e->own))
        ask(e, "tasks/get", FER_RELAY_MS, on_seen);
    else free_errand(e);
}

fer_errand *fer_errand_find(const fer_front *s, const fer_server *server, const fer_asker *who,
                            fer_str own)
{
    fer_errand *e = s->errands;
    while (e && (!e->peer || e->server != server || !fer_str_eq(e->own, own) ||
                 !is_here(server, &e->whose, who)))
        e = e->next;
    return e;
}

static bool has_room(const fer_front *s, const fer_guest *g)
{
    size_t count = 0;
    for (const fer_errand *e = s->errands; e; e = e->next) count += e->guest == g;
    return count < FER_TASK_ATTENDED_MAX;
}

void fer_task_attend(const fer_ask *q, fer_server *server, fer_str own, fer_str task)
{
    fer_front *s = fer_ask_front(q);
    fer_guest *g = q->peer->guest;
    fer_asker who = fer_peer_asker(q->peer);
    if (!has_room(s, g) || fer_errand_find(s, server, &who, own)) return;
    fer_errand *e = new_errand(s, server, &who, own, task);
    if (!e) return;
    e->guest = fer_guest_ref(g);
    e->abilities = fer_arena_copy(e->arena, fer_ask_abilities(q));
    e->peer = fer_peer_new(s, &(fer_peer_options){.guest = g, .once = true});
    if (!e->peer || !e->abilities.ptr) {
        free_errand(e);
        return;
    }
    /* No name of a question may come twice in the life of a task. */
    e->peer->next_question = s->task_questions;
    ask(e, "tasks/result", FER_TASKS_MS, on_attended);
}

/* A server says by the stream whom it asks, or by naming the task. */
fer_errand *fer_errand_of(fer_front *s, const fer_server *server, const fer_asker *who,
                          const fer_mcp_question *from)
{
    if (!s->errands || !server) return NULL;
    if (from->call && from->call->on_end == on_attended) return from->call->context;
    fer_arena *a = from->params.len ? fer_arena_new(FER_SERVE_MEMORY) : NULL;
    fer_json *doc;
    fer_errand *found = NULL;
    if (a && !fer_json_read(a, from->params, NULL, &doc, NULL)) {
        fer_str own = fer_task_related(fer_json_root(doc));
        if (own.len) found = fer_errand_find(s, server, who, own);
    }
    fer_arena_free(a);
    return found;
}

fer_peer *fer_errand_peer(const fer_errand *e)
{
    return e->peer;
}

fer_str fer_errand_abilities(const fer_errand *e)
{
    return e->abilities;
}

void fer_errand_asked(fer_errand *e)
{
    fer_arena *a = fer_arena_new(FER_SERVE_MEMORY);
    fer_buf b;
    if (!a) return;
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add_char(&b, '{');
    fer_questions_write(e->peer, &b);
    fer_buf_add_char(&b, '}');
    if (!b.failure) tell(e, "input_required", "inputRequests", fer_buf_view(&b), false);
    fer_arena_free(a);
}

static bool is_there(const fer_front *s, const fer_errand *e)
{
    const fer_errand *x = s->errands;
    while (x && x != e) x = x->next;
    return x != NULL;
}

/* Whoever hears an answer may end the task, and the errand with it. */
void fer_errand_answer(fer_errand *e, const fer_json *doc, const yyjson_val *responses)
{
    fer_front *s = e->front;
    while (is_there(s, e) && e->peer && fer_questions_take(e->peer, doc, responses)) {
    }
}

/* ---- what a server says unasked -------------------------------------------------------------- */

/* To the older clients whose task it is, by the name that they know. */
static void tell_older(fer_front *s, const fer_server *server, const fer_asker *who, fer_arena *a,
                       const fer_json *doc, const yyjson_val *id)
{
    for (fer_guest *g = s->guests; g; g = g->next) {
        uint64_t began;
        if (!fer_task_is_of(g, server, fer_val_str(id), &began)) continue;
        fer_asker client = fer_guest_asker(g, began);
        fer_peer *p = is_here(server, &client, who) ? fer_news_older_peer(s, began) : NULL;
        fer_str name = p ? fer_task_name(a, g, server->name, fer_val_str(id)) : FER_STR("");
        fer_str params = name.len ? fer_text_with(a, doc, id, name) : FER_STR("");
        fer_str one = params.len ? fer_one_line(a, params) : FER_STR("");
        if (!one.len) continue;
        fer_str message = fer_arena_printf(
            a, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks/status\",\"params\":%.*s}",
            FER_PRI(one));
        if (message.len) p->options.push(p->options.context, message);
    }
}

/* To who listens, with what the newer form has beside the state. */
static void tell_newer(fer_front *s, fer_server *server, const fer_asker *who, fer_str own,
                       fer_str task, fer_str status)
{
    const fer_watch *w = listener(s, server, who, own);
    fer_errand *attends = fer_errand_find(s, server, who, own);
    fer_json *doc;
    if (attends) { /* which tells of questions, and of the end */
        fer_str text = fer_arena_copy(attends->arena, task);
        if (text.ptr && !fer_json_read(attends->arena, text, fer_json_limits_answer(), &doc, NULL))
            attends->task = doc;
        return;
    }
    if (!w) return;
    if (fer_str_is(status, "input_required")) {
        fer_task_attend(w->ask, server, own, task);
        return;
    }
    fer_asker client = fer_peer_asker(w->peer);
    fer_errand *e = new_errand(s, server, &client, own, task);
    if (!e) return;
    e->abilities = FER_STR("");
    if (has_ended(status)) {
        ask(e, "tasks/result", FER_RELAY_MS, on_fetched);
        return;
    }
    bool over = fer_str_is(status, "cancelled");
    tell(e, over ? "cancelled" : "working", NULL, FER_STR(""), over);
    free_errand(e);
}

void fer_task_status(fer_front *s, fer_server *server, const fer_asker *who, fer_arena *a,
                     fer_str params)
{
    fer_json *doc;
    if (!params.len || fer_json_read(a, params, NULL, &doc, NULL)) return;
    const yyjson_val *id = fer_val_get(fer_json_root(doc), "taskId");
    if (!fer_is_str(id) || !fer_val_str(id).len) return;
    tell_older(s, server, who, a, doc, id);
    tell_newer(s, server, who, fer_val_str(id), params, status_of(doc));
}

/* ---- the end --------------------------------------------------------------------------------- */

static void end_it(fer_errand *e, const char *why)
{
    fer_mcp_call_drop(&e->call, why);
    free_errand(e);
}

/* With one that ends others may go. */
static fer_errand *late_one(const fer_front *s, int64_t now)
{
    fer_errand *e = s->errands;
    while (e && e->deadline > now && !(e->guest && fer_guest_is_over(e->guest))) e = e->next;
    return e;
}

void fer_errands_sweep(fer_front *s, int64_t now)
{
    for (fer_errand *e; (e = late_one(s, now)) != NULL;) end_it(e, "Timeout");
}

void fer_errands_drain(fer_front *s)
{
    while (s->errands) end_it(s->errands, "the gateway ends");
}
