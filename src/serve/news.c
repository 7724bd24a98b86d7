/* SPDX-License-Identifier: Apache-2.0 */
/* What servers say: messages for logs, resources that were updated, lists that have changed. */
#include "news.h"

#include "errors.h"
#include "gateway_parts.h"
#include "json_value.h"
#include "relay.h"
#include "sys.h"
#include "tasks_parts.h"

/* ---- whose it is ----------------------------------------------------------------------------- */

static fer_ask *owner_of(const fer_mcp_call *k)
{
    if (k->method) return fer_relay_owner(k);
    const fer_attempt *t = k->context;
    return t->mcp ? t->mcp->owner : NULL;
}

typedef struct search {
    fer_ask *newest;
    fer_mcp_call *call; /* of it */
    bool several;       /* clients */
} search;

/* A parked request is its client's still; those that stand alone are of one client where they are
 * of one guest. */
static bool is_same_client(const fer_peer *x, const fer_peer *y)
{
    if (x->session || y->session) return x->session == y->session;
    return x->guest == y->guest;
}

static void look(void *context, fer_mcp_call *k)
{
    search *x = context;
    fer_ask *q = owner_of(k);
    if (!q) return;
    x->several |= x->newest && !is_same_client(x->newest->peer, q->peer);
    if (x->newest && k->request.id < x->call->request.id) return;
    x->newest = q;
    x->call = k;
}

/* Of those whom the server can mean. */
static fer_peer *only_peer(const fer_front *s, const fer_mcp_source *from)
{
    fer_peer *only = NULL;
    for (fer_peer *p = s->peers; p; p = p->next) {
        fer_asker who = fer_peer_asker(p);
        if (!p->initialized || p->closed || !fer_mcp_source_is_for(from, &who)) continue;
        if (only) return NULL;
        only = p;
    }
    return only;
}

static fer_peer *peer_of_session(const fer_front *s, uint64_t session)
{
    fer_peer *p = s->peers;
    while (p && p->session != session) p = p->next;
    return p;
}

fer_peer *fer_news_older_peer(const fer_front *s, uint64_t session)
{
    fer_peer *p = session ? peer_of_session(s, session) : NULL;
    return p && p->version && !p->closed && p->options.push ? p : NULL;
}

fer_peer *fer_news_whose(fer_front *s, const fer_mcp_source *from, fer_mcp_call **call,
                         fer_ask **ask)
{
    search x = {0};
    *ask = *call ? owner_of(*call) : NULL;
    if (*ask) return (*ask)->peer;
    if (*call) return NULL; /* its caller is gone */
    fer_mcp_client_each(from->client, look, &x);
    if (x.several) return NULL;
    *ask = x.newest;
    *call = x.call;
    if (x.newest) return x.newest->peer;
    return from->whose.session ? peer_of_session(s, from->whose.session) : only_peer(s, from);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* {"jsonrpc", "method", "params"} */
static fer_str message_of(fer_arena *a, fer_str method, fer_str params)
{
    fer_str one = params.len ? fer_one_line(a, params) : FER_STR("");
    if (!one.ptr) return FER_STR("");
    fer_buf b;
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add_text(&b, "{\"jsonrpc\":\"2.0\",\"method\":");
    fer_buf_add_quoted(&b, method);
    if (one.len) fer_buf_add_text(&b, ",\"params\":");
    fer_buf_add(&b, one);
    fer_buf_add_char(&b, '}');
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}

static int level_of(fer_arena *a, fer_str params)
{
    fer_json *doc;
    if (!params.len || fer_json_read(a, params, NULL, &doc, NULL)) return FER_LOG_OFF;
    return fer_level_rank(fer_val_get(fer_json_root(doc), "level"));
}

static void pass_log(fer_front *s, fer_peer *p, fer_ask *q, fer_arena *a, fer_str method,
                     fer_str params)
{
    int level = level_of(a, params), wanted = q ? q->log_level : p->log_level;
    /* Before anybody says which messages it wants, an older client gets what the server sends. */
    bool older = q ? !q->version->modern : true;
    if (level == FER_LOG_OFF || level < wanted || (wanted == FER_LOG_OFF && !older)) return;
    fer_str message = message_of(a, method, params);
    if (!message.len) return;
    if (q) fer_ask_note(q, message);
    else if (p->options.push) p->options.push(p->options.context, message);
    (void)s;
}

static void on_log(fer_front *s, const fer_mcp_source *from, fer_mcp_call *k, fer_arena *a,
                   fer_str method, fer_str params)
{
    fer_ask *q;
    fer_peer *p = fer_news_whose(s, from, &k, &q);
    if (p) pass_log(s, p, q, a, method, params);
    else s->counts.ignored++;
}

/* ---- what is watched --------------------------------------------------------------
 */

/* What is updated may be a part of what is watched. */
static bool is_about(const fer_thing *t, fer_str uri)
{
    return uri.len >= t->own.len && fer_str_eq(fer_str_slice(uri, 0, t->own.len), t->own) &&
           (uri.len == t->own.len || uri.ptr[t->own.len] == '/' ||
            (t->own.len && t->own.ptr[t->own.len - 1] == '/'));
}

/* What is told of each kind, and the member of params that names what it is about. */
static const struct {
    const char *method, *member;
} told[] = {[FER_MCP_RESOURCE] = {"notifications/resources/updated", "uri"},
            [FER_MCP_TASK] = {"notifications/tasks", "taskId"}};

void fer_watch_tell(const fer_watch *w, fer_arena *a, fer_str members)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_rpc_open(&b, 0, told[w->thing.kind].method);
    if (w->ask) {
        fer_buf_add_text(&b, "\"_meta\":{\"" FER_MCP_META_SUBSCRIPTION "\":");
        fer_rpc_add_id(&b, &w->ask->id);
        fer_buf_add_text(&b, members.len ? "}," : "}");
    }
    fer_buf_add(&b, members);
    fer_rpc_close(&b);
    if (b.failure) return;
    fer_str message = fer_one_line(a, fer_buf_view(&b));
    if (w->ask) fer_ask_note(w->ask, message);
    else if (w->peer->options.push) w->peer->options.push(w->peer->options.context, message);
}

/* The params with the name that the client knows and, where it listens, the name of that. */
static void tell_watched(const fer_watch *w, fer_arena *a, const fer_json *doc,
                         const yyjson_val *params)
{
    fer_buf b;
    bool renamed = !fer_str_eq(w->thing.own, w->thing.shown);
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    FER_EACH_MEMBER (params, key) {
        bool name = fer_str_is(fer_val_str(key), told[w->thing.kind].member);
        if (w->ask && fer_str_is(fer_val_str(key), "_meta")) continue;
        if (b.len) fer_buf_add_char(&b, ',');
        fer_buf_add(&b, fer_rpc_bytes(doc, key));
        fer_buf_add_char(&b, ':');
        if (name && renamed) fer_buf_add_quoted(&b, w->thing.shown);
        else fer_buf_add(&b, fer_rpc_bytes(doc, key + 1));
    }
    if (!b.failure) fer_watch_tell(w, a, fer_buf_view(&b));
}

static void on_watched(fer_front *s, const fer_mcp_source *from, fer_arena *a, fer_str params,
                       fer_mcp_watchable kind)
{
    fer_json *doc;
    const fer_server *server = fer_wares_server(&s->wares, from->runner);
    if (!server || !params.len || fer_json_read(a, params, NULL, &doc, NULL)) return;
    const yyjson_val *name = fer_val_get(fer_json_root(doc), told[kind].member);
    if (!fer_is_str(name)) return;
    for (fer_watch *w = s->watches, *next; w; w = next) {
        next = w->next;
        const fer_thing *t = &w->thing;
        fer_asker who = fer_peer_asker(w->peer);
        bool here = t->kind == kind && t->server == server && fer_mcp_source_is_for(from, &who);
        bool it = here && (kind == FER_MCP_TASK ? fer_str_eq(t->own, fer_val_str(name))
                                                : is_about(t, fer_val_str(name)));
        if (it) tell_watched(w, a, doc, fer_json_root(doc));
    }
}

static void on_updated(fer_front *s, const fer_mcp_source *from, fer_mcp_call *k, fer_arena *a,
                       fer_str method, fer_str params)
{
    (void)k;
    (void)method;
    on_watched(s, from, a, params, FER_MCP_RESOURCE);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void on_task(fer_front *s, const fer_mcp_source *from, fer_mcp_call *k, fer_arena *a,
                    fer_str method, fer_str params)
{
    (void)k;
    (void)method;
    on_watched(s, from, a, params, FER_MCP_TASK);
}

static void on_older_task(fer_front *s, const fer_mcp_source *from, fer_mcp_call *k, fer_arena *a,
                          fer_str method, fer_str params)
{
    fer_server *server = fer_wares_server(&s->wares, from->runner);
    (void)k;
    (void)method;
    if (server) fer_task_status(s, server, &from->whose, a, params);
}

/* ---- lists that have changed ------------------------------------------------------------------
 */

static void on_list(fer_front *s, const fer_mcp_source *from, fer_mcp_call *k, fer_arena *a,
                    fer_str method, fer_str params)
{
    (void)k;
    (void)a;
    (void)params;
    const fer_token_owner *owner = &from->whose.owner;
    if (from->whose.session) return; /* lists are not those of single clients */
    if (fer_str_is(method, "notifications/tools/list_changed")) {
        if (!fer_mcp_source_is_shared(from)) return; /* tools are those that all share */
        s->tools_told = true; /* transparent guests hear of it, whatever has changed */
        fer_front_tell_soon(s);
    } else if (fer_str_is(method, "notifications/prompts/list_changed")) {
        fer_wares_changed(&s->wares, from->runner, owner, FER_WARE_PROMPT);
    } else {
        fer_wares_changed(&s->wares, from->runner, owner, FER_WARE_RESOURCE);
        fer_wares_changed(&s->wares, from->runner, owner, FER_WARE_TEMPLATE);
    }
}

static void on_other(fer_front *s, const fer_mcp_source *from, fer_mcp_call *k, fer_arena *a,
                     fer_str method, fer_str params)
{
    fer_ask *q;
    fer_peer *p = fer_news_whose(s, from, &k, &q);
    fer_str message = p ? message_of(a, method, params) : FER_STR("");
    if (!message.len || (q && q->version->modern)) s->counts.ignored++;
    else if (q) fer_ask_note(q, message);
    else if (p->options.push) p->options.push(p->options.context, message);
}

/* What nobody here knows is for who talks with the one server through us. */
static void on_unknown(fer_front *s, const fer_mcp_source *from, fer_mcp_call *k, fer_arena *a,
                       fer_str method, fer_str params)
{
    fer_ask *q;
    fer_peer *p = fer_news_whose(s, from, &k, &q);
    bool open = p && p->guest->mode == FER_SERVE_TRANSPARENT;
    fer_str message = open ? message_of(a, method, params) : FER_STR("");
    if (!message.len) s->counts.ignored++;
    else if (q) fer_ask_note(q, message);
    else if (p->options.push) p->options.push(p->options.context, message);
}

static const struct {
    const char *method;
    void (*take)(fer_front *s, const fer_mcp_source *from, fer_mcp_call *k, fer_arena *a,
                 fer_str method, fer_str params);
} rows[] = {
    {"notifications/message", on_log},
    {"notifications/resources/updated", on_updated},
    {"notifications/tools/list_changed", on_list},
    {"notifications/resources/list_changed", on_list},
    {"notifications/prompts/list_changed", on_list},
    {"notifications/elicitation/complete", on_other},
    {"notifications/tasks", on_task},
    {"notifications/tasks/status", on_older_task},
};

static void noticed(void *context, const fer_mcp_source *from, fer_mcp_call *k, fer_str method,
                    fer_str params)
{
    fer_front *s = context;
    fer_arena *a = fer_arena_new(FER_SERVE_MEMORY);
    size_t i = 0;
    if (!a) return;
    while (i < FER_COUNT(rows) && !fer_str_is(method, rows[i].method)) i++;
    if (i < FER_COUNT(rows)) rows[i].take(s, from, k, a, method, params);
    else on_unknown(s, from, k, a, method, params);
    fer_arena_free(a);
}

static void ready(void *context, const fer_mcp_source *from)
{
    fer_front *s = context;
    if (!from->whose.session) fer_wares_ready(&s->wares, from->runner, &from->whose.owner);
}

void fer_news_begin(fer_front *s)
{
    s->sink = (fer_mcp_sink){.noticed = noticed,
                             .asked = fer_question_ask,
                             .withdrawn = fer_question_withdrawn,
                             .ready = ready,
                             .context = s};
    fer_gateway_listen_mcp(s->options.gateway, &s->sink);
}

void fer_news_end(fer_front *s)
{
    fer_gateway_listen_mcp(s->options.gateway, NULL);
}

/* ---- watching -------------------------------------------------------------------------------- */

/* Whether two peers have the same server behind them. */
static bool is_same(const fer_server *server, const fer_peer *x, const fer_peer *y)
{
    fer_asker one = fer_peer_asker(x), other = fer_peer_asker(y);
    return x == y || !server->runner || fer_mcp_runner_is_same(server->runner, &one, &other);
}

bool fer_watch_has(const fer_front *s, const fer_peer *p, const fer_thing *t)
{
    for (const fer_watch *w = s->watches; w; w = w->next)
        if (w->thing.kind == t->kind && w->thing.server == t->server &&
            fer_str_eq(w->thing.own, t->own) && is_same(t->server, p, w->peer))
            return true;
    return false;
}

/* Whom its server is told by; NULL: it need not be, as older ones tell of tasks unasked. */
static fer_mcp_client *client_of(const fer_thing *t, const fer_peer *p)
{
    fer_runner *r = t->server->runner;
    if (t->kind == FER_MCP_TASK && !(t->server->can & FER_CAN_TASKS)) return NULL;
    fer_asker who = fer_peer_asker(p);
    return r ? r->kind->mcp(r, &who, p->capabilities) : NULL;
}

static fer_str copy_to(char **at, fer_str s)
{
    fer_str out = {*at, s.len};
    if (s.len) memcpy(*at, s.ptr, s.len);
    *at += s.len;
    return out;
}

fer_code fer_watch_add(fer_peer *p, fer_ask *q, const fer_thing *t, fer_err *err)
{
    fer_front *s = p->server;
    size_t count = 0;
    fer_code code = FER_OK;
    for (const fer_watch *w = s->watches; w; w = w->next) {
        if (w->peer != p || w->ask != q) continue;
        if (w->thing.kind == t->kind && w->thing.server == t->server &&
            fer_str_eq(w->thing.own, t->own))
            return FER_OK;
        count++;
    }
    if (count >= FER_SERVE_WATCHES_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "serve.watches: a client watches at most %d resources and tasks",
                        FER_SERVE_WATCHES_MAX);
    bool first = !fer_watch_has(s, p, t);
    fer_watch *w = fer_sys_malloc(sizeof *w + t->own.len + t->shown.len);
    if (!w) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    char *at = (char *)(w + 1);
    *w = (fer_watch){.next = s->watches, .peer = p, .ask = q, .thing = *t};
    w->thing.own = copy_to(&at, t->own);
    w->thing.shown = copy_to(&at, t->shown);
    fer_mcp_client *client = first ? client_of(t, p) : NULL;
    if (client) code = fer_mcp_client_watch(client, t->kind, t->own, q != NULL, err);
    if (code) {
        fer_sys_free(w);
        return code;
    }
    s->watches = w;
    return FER_OK;
}

void fer_watch_remove(fer_peer *p, const fer_ask *q, fer_str shown)
{
    fer_front *s = p->server;
    if (s->watches) fer_wares_look(&s->wares); /* runners that are gone are not asked */
    for (fer_watch **at = &s->watches; *at;) {
        fer_watch *w = *at;
        bool mine = w->peer == p && (!q || w->ask == q) &&
                    (!shown.len || (fer_str_eq(w->thing.shown, shown) && w->ask == q));
        if (!mine) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        fer_mcp_client *client = fer_watch_has(s, p, &w->thing) ? NULL : client_of(&w->thing, p);
        if (client) fer_mcp_client_unwatch(client, w->thing.kind, w->thing.own);
        fer_sys_free(w);
    }
}

/* A server of this name is there again, as another runner. What is watched by a session of its own
 * is told there, which is begun for that; of tasks a server is told that knows such, which it says
 * when it is connected. */
void fer_front_watch_again(fer_front *s, fer_server *server)
{
    fer_runner *r = server->runner;
    for (const fer_watch *w = s->watches; w && r; w = w->next) {
        if (w->thing.server != server) continue;
        bool unsure = w->thing.kind == FER_MCP_TASK && !server->known;
        fer_mcp_client *client =
            unsure ? r->kind->mcp(r, NULL, FER_STR("")) : client_of(&w->thing, w->peer);
        if (client && !unsure)
            fer_mcp_client_watch(client, w->thing.kind, w->thing.own, true, NULL);
        if (client) fer_mcp_client_connect(client);
    }
}
