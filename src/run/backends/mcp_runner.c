/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_runner.h"

#include "errors.h"
#include "sys.h"

typedef struct mcp_runner mcp_runner;

/* One server: the one that all share, which is there for as long as the runner, a client's own, or
 * one that is shown the token of a tenant. */
typedef struct seat {
    mcp_runner *runner;
    struct seat *next;
    fer_asker whose; /* nobody: shared */
    fer_mcp_client *client;
    bool leaving; /* it is being closed: nobody is given it any more */
    bool closed;
    char text[]; /* of its owner, and what its client can be asked for */
} seat;

struct mcp_runner {
    fer_runner runner; /* first */
    fer_arena *arena;
    fer_mcp_runner_spec spec;
    fer_mcp_times times;
    seat *seats; /* who was asked for last first */
    seat *shared;
    size_t seat_count, leaving_count;
    const char *log_level; /* that all of them are told; NULL: none */
    uint64_t calls;
    bool stopping;
};

static const fer_mcp_sink *sink_of(const mcp_runner *m)
{
    return m->runner.sink ? *m->runner.sink : NULL;
}

/* ---- who asks ---------------------------------------------------------------------------------
 */

/* What of it decides here. */
static fer_asker narrow(const fer_runner *r, const fer_asker *who)
{
    static const fer_asker nobody = {.owner = {{"", 0}, {"", 0}}};
    if (!who) return nobody;
    return (fer_asker){.session = r->isolated ? who->session : 0,
                       .owner =
                           fer_token_owner_of(r->share, who->owner.tenant, who->owner.principal)};
}

static bool is_same(const fer_asker *x, const fer_asker *y)
{
    return x->session == y->session && fer_token_owner_eq(&x->owner, &y->owner);
}

static bool is_nobody(const fer_asker *who)
{
    return !who->session && fer_token_owner_is_nobody(&who->owner);
}

bool fer_mcp_runner_is_same(const fer_runner *r, const fer_asker *x, const fer_asker *y)
{
    fer_asker one = narrow(r, x), other = narrow(r, y);
    return is_same(&one, &other);
}

bool fer_mcp_source_is_shared(const fer_mcp_source *from)
{
    return is_nobody(&from->whose);
}

bool fer_mcp_source_is_for(const fer_mcp_source *from, const fer_asker *who)
{
    fer_asker own = narrow(from->runner, who);
    if (!from->whose.session) own.session = 0; /* it speaks to all who share it */
    return is_same(&own, &from->whose);
}

/* ---- seats ------------------------------------------------------------------------------------
 */

/* What single clients have alone is not listed. */
static void changed(void *context)
{
    const seat *s = context;
    fer_runner *r = &s->runner->runner;
    if (!s->whose.session && r->changed) r->changed(r, &s->whose.owner);
}

static fer_mcp_source source_of(seat *s)
{
    return (fer_mcp_source){&s->runner->runner, s->client, s->whose};
}

static void noticed(void *context, fer_mcp_call *k, fer_str method, fer_str params)
{
    seat *s = context;
    const fer_mcp_sink *sink = sink_of(s->runner);
    fer_mcp_source from = source_of(s);
    if (sink) sink->noticed(sink->context, &from, k, method, params);
}

static bool asked(void *context, fer_mcp_question *q)
{
    seat *s = context;
    const fer_mcp_sink *sink = sink_of(s->runner);
    fer_mcp_source from = source_of(s);
    return sink && sink->asked(sink->context, &from, q);
}

static void withdrawn(void *context, fer_mcp_question *q)
{
    const seat *s = context;
    const fer_mcp_sink *sink = sink_of(s->runner);
    if (sink) sink->withdrawn(sink->context, q);
}

static void ready(void *context)
{
    seat *s = context;
    const fer_mcp_sink *sink = sink_of(s->runner);
    fer_mcp_source from = source_of(s);
    if (sink) sink->ready(sink->context, &from);
}

/* A program's last line of standard error, for its operator; empty: none, or one that may have
 * something of a call in it, which is for no log. */
static const char *words_of(const mcp_runner *m, const fer_mcp_info *info)
{
    return m->calls ? "" : info->said;
}

static void lost(void *context, fer_code code, const char *why)
{
    const seat *s = context;
    fer_runner *r = &s->runner->runner;
    fer_mcp_info info;
    fer_err told;
    fer_mcp_client_info(s->client, &info);
    if (!r->lost) return;
    const char *words = words_of(s->runner, &info);
    fer_fail(&told, code, "%s%s%s", why, words[0] ? "; it said: " : "", words);
    r->lost(r, code, told.message, info.running);
}

static void clean(void *context, fer_str text, bool cut, char *out, size_t size)
{
    const fer_runner *r = &((const seat *)context)->runner->runner;
    if (r->clean) r->clean(r, text, cut, out, size);
    else snprintf(out, size, "%.*s", FER_PRI(fer_str_head(text, size - 1)));
}

/* A client's own is made anew when he comes again. */
static void let_go(seat *s)
{
    if (s->leaving) return;
    s->leaving = true;
    s->runner->leaving_count++;
    fer_mcp_client_close(s->client);
}

static void rested(void *context)
{
    seat *s = context;
    if (s != s->runner->shared) let_go(s);
}

static void late(void *context, uint64_t ticket, fer_code code, fer_str answer)
{
    fer_runner_tell_late_answer(&((seat *)context)->runner->runner, ticket, code, answer);
}

static bool all_closed(const mcp_runner *m)
{
    for (const seat *s = m->seats; s; s = s->next)
        if (!s->closed) return false;
    return true;
}

static void free_seat(seat *s)
{
    seat **at = &s->runner->seats;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    s->runner->seat_count--;
    if (s->leaving) s->runner->leaving_count--;
    fer_mcp_client_free(s->client);
    fer_sys_free(s);
}

static void closed(void *context)
{
    seat *s = context;
    mcp_runner *m = s->runner;
    s->closed = true;
    if (!m->stopping) free_seat(s); /* its client has left */
    else if (all_closed(m)) fer_runner_stopped(&m->runner);
}

static fer_str put(char **at, fer_str s)
{
    fer_str own = {*at, s.len};
    if (s.len) memcpy(*at, s.ptr, s.len);
    *at += s.len;
    return own;
}

static seat *new_seat(mcp_runner *m, const fer_asker *whose, fer_str abilities)
{
    bool shared = is_nobody(whose);
    seat *s = fer_sys_malloc(sizeof *s + whose->owner.tenant.len + whose->owner.principal.len +
                             abilities.len);
    if (!s) return NULL;
    *s = (seat){.runner = m, .whose = *whose, .next = m->seats};
    char *at = s->text;
    s->whose.owner.tenant = put(&at, whose->owner.tenant);
    s->whose.owner.principal = put(&at, whose->owner.principal);
    fer_mcp_options o = {.loop = m->runner.loop,
                         .capabilities = put(&at, abilities),
                         .start_ms = m->times.start_ms,
                         .probe_ms = m->times.probe_ms,
                         .list_ms = m->times.list_ms,
                         .idle_ms = m->times.idle_ms,
                         .keep = m->spec.care.keep && shared,
                         .recheck = m->spec.care.recheck && shared,
                         .changed = changed,
                         .closed = closed,
                         .asked = asked,
                         .withdrawn = withdrawn,
                         .noticed = noticed,
                         .ready = ready,
                         .rested = rested,
                         .lost = lost,
                         .clean = clean,
                         .late = late,
                         .context = s};
    fer_mcp_link *link = m->spec.make(m->spec.settings, &s->whose.owner);
    s->client = link ? fer_mcp_client_new(link, &o) : NULL;
    if (!s->client) {
        fer_sys_free(s);
        return NULL;
    }
    if (m->log_level) fer_mcp_client_log_level(s->client, m->log_level);
    m->seats = s;
    m->seat_count++;
    return s;
}

/* Takes it to the front. */
static seat *find_seat(mcp_runner *m, const fer_asker *whose)
{
    seat **at = &m->seats;
    if (is_nobody(whose)) return m->shared;
    while (*at && ((*at)->closed || (*at)->leaving || !is_same(&(*at)->whose, whose)))
        at = &(*at)->next;
    seat *s = *at;
    if (!s) return NULL;
    *at = s->next;
    s->next = m->seats;
    m->seats = s;
    return s;
}

static size_t seats_max(const mcp_runner *m)
{
    return m->runner.isolated ? FER_MCP_SEATS_MAX : FER_MCP_OWNERS_MAX;
}

/* Beside the shared one. A process that is being ended is there until it has. */
static bool is_full(const mcp_runner *m)
{
    size_t there = m->seat_count - (m->runner.isolated ? 0 : m->leaving_count);
    return there > seats_max(m);
}

/*
 * A session with a tenant's token can be had again at any time, so the one that was not asked for
 * the longest goes for another, unless something is under way there or watched. What a client has
 * alone is its own, and stays. Those that go are bounded, too: a server may be slow to hear of it.
 */
static bool make_room(mcp_runner *m)
{
    seat *last = NULL;
    if (!is_full(m)) return true;
    if (m->runner.isolated || m->leaving_count >= seats_max(m)) return false;
    for (seat *s = m->seats; s; s = s->next)
        if (s != m->shared && !s->leaving && !fer_mcp_client_is_used(s->client)) last = s;
    if (last) let_go(last);
    return last != NULL;
}

static fer_code refuse_seat(const mcp_runner *m, fer_err *err)
{
    bool isolated = m->runner.isolated;
    return fer_fail(err, FER_CONCURRENCY_LIMITED,
                    "%s: at most %zu %s have a server, or a session, of their own at once",
                    isolated ? "mcp.seats" : "mcp.owners", seats_max(m),
                    isolated ? "clients" : "tenants");
}

/* One that several clients use may ask what any of them can be asked for. It is told the same where
 * nobody can be asked, by a command for one: servers have more tools for clients that can, and what
 * they show is in one catalogue, whoever asked. */
fer_mcp_client *fer_mcp_runner_client(fer_runner *r, const fer_asker *who, fer_str capabilities)
{
    mcp_runner *m = (mcp_runner *)r;
    fer_asker whose = narrow(r, who);
    seat *s = find_seat(m, &whose);
    if (!s && !m->stopping && make_room(m))
        s = new_seat(m, &whose, whose.session ? capabilities : FER_STR(""));
    if (s && !whose.session)
        fer_mcp_client_declare(s->client, FER_STR(FER_MCP_SHARED_ABILITIES), !sink_of(m));
    return s ? s->client : NULL;
}

void fer_mcp_runner_leave(fer_runner *r, uint64_t session)
{
    mcp_runner *m = (mcp_runner *)r;
    seat *s = session && !m->stopping ? m->seats : NULL;
    while (s && (s->closed || s->leaving || s->whose.session != session)) s = s->next;
    if (s) let_go(s);
}

void fer_mcp_runner_log_level(fer_runner *r, const char *level)
{
    mcp_runner *m = (mcp_runner *)r;
    m->log_level = level;
    for (seat *s = m->seats; s; s = s->next)
        if (!s->leaving) fer_mcp_client_log_level(s->client, level);
}

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
    fer_attempt_end(t, &(fer_outcome){.code = o->asks_input ? FER_INPUT_REQUIRED
                                              : o->began    ? FER_TASK_STARTED
                                                            : o->code,
                                      .phase = phase_of(o),
                                      .structured = o->code ? NULL : o->result.value,
                                      .doc = o->code ? NULL : o->result.doc,
                                      .mcp_result = o->json,
                                      .mcp_error = o->error,
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
    const fer_call_mcp *by = t->mcp;
    fer_asker who = {by ? by->session : 0, t->owner};
    fer_mcp_client *client = fer_mcp_runner_client(r, &who, by ? by->capabilities : FER_STR(""));
    if (!client && !is_full(m)) {
        fer_attempt_fail(t, FER_OUT_OF_MEMORY, "no memory for a session of its own");
        return;
    }
    if (!client) {
        fer_err err;
        refuse_seat(m, &err);
        fer_attempt_fail(t, err.code, "%s", err.message);
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
    if (!by && !sink_of(m)) k->capabilities = FER_STR("{}"); /* nobody can be asked */
    if (by) {
        k->params = by->params;
        k->capabilities = by->capabilities;
        k->takes_input = by->takes_input;
        k->takes_task = by->takes_task;
        k->log_level = by->log_level;
    }
    fer_mcp_client_call(client, k);
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

typedef struct mcp_listing {
    fer_mcp_list list;
    fer_listing *of;
    const mcp_runner *runner;
    fer_mcp_client *client;
} mcp_listing;

/* Beside what happened, the operator is told what the program said last on standard error, and that
 * it prints what is no message: one that is silent mostly does. */
static fer_err with_words(const mcp_runner *m, const fer_mcp_client *c, const fer_err *err)
{
    fer_mcp_info info;
    fer_err out;
    char noise[80] = "";
    fer_mcp_client_info(c, &info);
    if (info.noise)
        snprintf(noise, sizeof noise, "; %llu lines or texts that it sent are no messages",
                 (unsigned long long)info.noise);
    const char *words = words_of(m, &info);
    fer_fail(&out, err->code, "%s%s%s%s", err->message, noise, words[0] ? "; it said: " : "",
             words);
    return out;
}

static void listed(fer_mcp_list *list, fer_code code, fer_str tools, const fer_err *err)
{
    const mcp_listing *m = list->context;
    fer_listing *l = m->of;
    fer_err own;
    bool adds = code && err && !l->who;
    if (adds) own = with_words(m->runner, m->client, err);
    l->on_end(l, code, tools, adds ? &own : err);
}

void fer_mcp_runner_list(fer_runner *r, fer_listing *l)
{
    mcp_runner *m = (mcp_runner *)r;
    mcp_listing *own = fer_arena_alloc_zero(l->arena, 1, sizeof *own);
    fer_mcp_client *client = own ? fer_mcp_runner_client(r, l->who, FER_STR("")) : NULL;
    fer_err err;
    if (!client) {
        fer_code code = !own || !is_full(m) ? fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory")
                                            : refuse_seat(m, &err);
        l->on_end(l, code, FER_STR_NONE, &err);
        return;
    }
    own->of = l;
    own->runner = m;
    own->client = client;
    own->list.arena = l->arena;
    own->list.on_end = listed;
    own->list.context = own;
    fer_mcp_client_list(client, &own->list);
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
    fer_mcp_client_info(m->shared->client, &i);
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

fer_runner *fer_mcp_runner_new(fer_arena *a, uv_loop_t *loop, const fer_mcp_runner_spec *spec)
{
    mcp_runner *m = fer_arena_alloc_zero(a, 1, sizeof *m);
    if (m) {
        m->arena = a;
        m->spec = *spec;
        m->times = *spec->times;
        m->runner =
            (fer_runner){.kind = spec->kind, .name = fer_arena_copy(a, spec->name), .loop = loop};
        m->spec.times = &m->times;
        m->runner.isolated = spec->care.isolate;
        m->runner.share = spec->share;
        fer_asker nobody = narrow(&m->runner, NULL);
        m->shared = m->runner.name.ptr ? new_seat(m, &nobody, FER_STR("")) : NULL;
    }
    if (!m || !m->shared) {
        fer_arena_free(a);
        return NULL;
    }
    return &m->runner;
}

void fer_mcp_runner_stop(fer_runner *r, void (*done)(fer_runner *r))
{
    mcp_runner *m = (mcp_runner *)r;
    r->on_stopped = done;
    m->stopping = true;
    /* The last that is closed says so, perhaps at once; the list stays as it is until then. */
    for (seat *s = m->seats, *next; s; s = next) {
        next = s->next;
        fer_mcp_client_close(s->client);
    }
}

void fer_mcp_runner_free(fer_runner *r)
{
    mcp_runner *m = (mcp_runner *)r;
    while (m->seats) free_seat(m->seats);
    fer_arena_free(m->arena);
}
