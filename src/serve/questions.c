/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server of any era wants to know, asked of an older client by a request of ours. A client
 * of 2026-07-28 cannot be asked that way: it gets results that ask for input, those of servers of
 * its own era as they are, and those that an older server's question is made into (parked.h). While
 * a client is asked, the time of the call that waits for it does not pass; that of the client does.
 */
#include "clock.h"
#include "gateway_parts.h"
#include "json_value.h"
#include "news.h"
#include "parked.h"
#include "relay.h"
#include "sys.h"
#include "tasks_parts.h"

#define MS INT64_C(1000000)

/* A question that is out. */
struct fer_question {
    fer_peer *peer;
    fer_question *next, **place;
    fer_ask *ask; /* or NULL */
    fer_mcp_question *from;
    const fer_server *server; /* that asks */
    uint64_t id;              /* of our request */
    int64_t until;            /* fer_clock_mono */
};

/* The time of what waits for the answer stands still, or goes on. */
static void keep_time(const fer_question *x, bool stands)
{
    fer_mcp_call *k = x->from->call;
    if (!k) return;
    if (k->method) fer_relay_stand(k, stands);
    else if (stands) fer_call_stand(((fer_attempt *)k->context)->call);
    else fer_call_proceed(((fer_attempt *)k->context)->call);
}

static void free_question(fer_question *x)
{
    *x->place = x->next;
    if (x->next) x->next->place = x->place;
    x->peer->question_count--;
    x->peer->server->questions--;
    keep_time(x, false);
    fer_sys_free(x);
}

/* ---- who can be asked what ------------------------------------------------------------------- */

/* What a client must have said that it can do, and where a question has a part that is one's own to
 * offer: the member of its params, its value (NULL: any), and the name of the part. */
static const struct {
    const char *method, *ability;
    const char *member, *value, *part;
} kinds[] = {
    {"elicitation/create", "elicitation", "mode", "url", "url"},
    {"sampling/createMessage", "sampling", "tools", NULL, "tools"},
    {"roots/list", "roots", NULL, NULL, NULL},
};

/* Whether the question needs the part that not every such client has. */
static bool is_special(size_t kind, const yyjson_val *params)
{
    const yyjson_val *v = fer_val_get(params, kinds[kind].member ? kinds[kind].member : "");
    if (!v || !kinds[kind].member) return false;
    return !kinds[kind].value || (fer_is_str(v) && fer_str_is(fer_val_str(v), kinds[kind].value));
}

static const yyjson_val *read_object(fer_arena *a, fer_str json)
{
    fer_json *doc;
    if (!json.len || fer_json_read(a, json, NULL, &doc, NULL)) return NULL;
    return fer_is_obj(fer_json_root(doc)) ? fer_json_root(doc) : NULL;
}

static bool can(fer_str abilities, const fer_mcp_question *from)
{
    size_t kind = 0;
    while (kind < FER_COUNT(kinds) && !fer_str_is(from->method, kinds[kind].method)) kind++;
    fer_arena *a = kind < FER_COUNT(kinds) ? fer_arena_new(FER_SERVE_MEMORY) : NULL;
    if (!a) return false;
    const yyjson_val *has = fer_val_get(read_object(a, abilities), kinds[kind].ability);
    bool yes = fer_is_obj(has);
    if (yes && is_special(kind, read_object(a, from->params)))
        yes = fer_is_obj(fer_val_get(has, kinds[kind].part));
    fer_arena_free(a);
    return yes;
}

bool fer_ask_may_be_asked(const fer_ask *q)
{
    const yyjson_val *all = fer_val_get(q->meta, FER_MCP_META_CAPABILITIES);
    if (!q->version->modern || !fer_is_obj(all) || !fer_val_len(all)) return false;
    for (size_t i = 0; i < FER_COUNT(kinds); i++)
        if (fer_val_get(all, kinds[i].ability)) return true;
    return false;
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* On the stream of the request that it belongs to, else on the client's own. */
static bool say(fer_peer *p, fer_ask *q, fer_str message)
{
    if (q && fer_ask_say(q, message)) return true;
    if (!p->options.push) return false;
    p->options.push(p->options.context, message);
    return true;
}

/* The params as they came, but for the name of the task that they belong to. */
static fer_str params_for(const fer_question *x, fer_arena *a)
{
    fer_str params = x->from->params;
    const yyjson_val *root = x->server ? read_object(a, params) : NULL;
    fer_str own = root ? fer_task_related(root) : FER_STR("");
    fer_str name = own.len ? fer_task_name(a, x->peer->guest, x->server->name, own) : FER_STR("");
    return name.len ? fer_task_related_as(a, params, name) : params;
}

static bool send_it(fer_question *x)
{
    const fer_mcp_question *from = x->from;
    fer_arena *a = fer_arena_new(FER_SERVE_MEMORY);
    fer_buf b;
    if (!a) return false;
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"%.*s\"",
                   (unsigned long long)x->id, FER_PRI(from->method));
    if (from->params.len) {
        fer_buf_add_text(&b, ",\"params\":");
        fer_buf_add(&b, fer_one_line(a, params_for(x, a)));
    }
    fer_buf_add_char(&b, '}');
    bool sent = !b.failure && say(x->peer, x->ask, fer_buf_view(&b));
    fer_arena_free(a);
    return sent;
}

static fer_question *new_question(fer_peer *p, fer_ask *q, const fer_server *server,
                                  fer_mcp_question *from)
{
    fer_front *s = p->server;
    fer_question *x = fer_sys_malloc(sizeof *x);
    if (!x) return NULL;
    *x = (fer_question){.peer = p,
                        .ask = q,
                        .from = from,
                        .server = server,
                        .next = p->questions,
                        .place = &p->questions,
                        .id = ++p->next_question,
                        .until = fer_clock_mono() + s->options.limits.parked_ms * MS};
    if (x->next) x->next->place = &x->next;
    p->questions = x;
    p->question_count++;
    s->questions++;
    from->context = x;
    keep_time(x, true);
    fer_front_watch_time(s);
    return x;
}

/* A client of 2026-07-28: its request is answered with the question, and goes on here. */
static bool ask_by_result(fer_ask *q, const fer_server *server, const fer_runner *r,
                          fer_mcp_question *from)
{
    fer_parked *k = q->peer->parked ? q->peer->parked : fer_park(q, r);
    if (!k) return false;
    fer_question *x = new_question(k->peer, q, server, from);
    if (x || !k->waiter) {
        fer_parked_tell(k);
        return x != NULL;
    }
    return false; /* whoever waits does so for the end, as it would have without us */
}

/* A task of an older server's whose client is of 2026-07-28: tasks/get shows the question. */
static bool ask_of_task(fer_errand *e, const fer_server *server, fer_mcp_question *from)
{
    fer_peer *p = fer_errand_peer(e);
    if (p->question_count >= FER_SERVE_QUESTIONS_MAX || !can(fer_errand_abilities(e), from) ||
        !new_question(p, NULL, server, from))
        return false;
    fer_errand_asked(e);
    return true;
}

bool fer_question_ask(void *context, const fer_mcp_source *source, fer_mcp_question *from)
{
    fer_front *s = context;
    fer_ask *q;
    const fer_server *server = fer_wares_server(&s->wares, source->runner);
    fer_errand *e = fer_errand_of(s, server, &source->whose, from);
    if (e) return !s->draining && ask_of_task(e, server, from);
    fer_peer *p = fer_news_whose(s, source, &from->call, &q);
    if (!p || p->closed || s->draining || (q && q->cancelled)) return false;
    if (p->question_count >= FER_SERVE_QUESTIONS_MAX) return false;
    if (!can(q ? fer_ask_abilities(q) : p->capabilities, from)) return false;
    if (q && q->version->modern) return ask_by_result(q, server, source->runner, from);
    fer_question *x = p->version ? new_question(p, q, server, from) : NULL;
    if (!x || send_it(x)) return x != NULL;
    free_question(x);
    return false;
}

static void tell_withdrawn(const fer_question *x)
{
    char text[160];
    int len = snprintf(text, sizeof text,
                       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                       "\"requestId\":%llu,\"reason\":\"nobody waits for the answer any more\"}}",
                       (unsigned long long)x->id);
    if (!x->peer->parked) say(x->peer, x->ask, (fer_str){text, (size_t)len});
}

void fer_question_withdrawn(void *context, fer_mcp_question *from)
{
    fer_question *x = from->context;
    (void)context;
    tell_withdrawn(x);
    free_question(x);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void answer(fer_question *x, const fer_json *doc, const yyjson_val *result)
{
    fer_mcp_question *from = x->from;
    fer_arena *a = fer_arena_new(FER_SERVE_MEMORY);
    fer_str text = a ? fer_one_line(a, fer_rpc_bytes(doc, result)) : FER_STR_NONE;
    const yyjson_val *asked = text.len ? read_object(a, from->params) : NULL;
    fer_str task = asked ? fer_task_related(asked) : FER_STR("");
    if (task.len) text = fer_task_answer_as(a, text, task);
    free_question(x);
    if (text.len) fer_mcp_question_answer(from, text);
    else fer_mcp_question_refuse(from, -32603, FER_STR("out of memory"));
    fer_arena_free(a);
}

bool fer_question_answered(fer_peer *p, const fer_rpc *m)
{
    uint64_t id = fer_rpc_id_number(&m->id);
    fer_question *x = p->questions;
    while (x && x->id != id) x = x->next;
    if (!x || !id) return false;
    fer_mcp_question *from = x->from;
    if (m->kind == FER_RPC_RESULT && fer_is_obj(m->result)) {
        answer(x, m->doc, m->result);
        return true;
    }
    bool small = m->error_code >= INT32_MIN && m->error_code <= INT32_MAX;
    free_question(x);
    if (m->kind == FER_RPC_ERROR)
        fer_mcp_question_refuse(from, small ? (int)m->error_code : -32603, m->error_message);
    else fer_mcp_question_refuse(from, -32603, FER_STR("the client's answer is no object"));
    return true;
}

/* What a question is called in a result that asks for input. */
#define NAME 24 /* bytes */
static void write_name(const fer_question *x, char out[NAME])
{
    snprintf(out, NAME, "ask-%llu", (unsigned long long)x->id);
}

void fer_questions_write(const fer_peer *p, fer_buf *b)
{
    const char *comma = "";
    char name[NAME];
    for (const fer_question *x = p->questions; x; x = x->next) {
        write_name(x, name);
        fer_buf_printf(b, "%s\"%s\":{\"method\":\"%.*s\"", comma, name, FER_PRI(x->from->method));
        if (x->from->params.len) {
            fer_buf_add_text(b, ",\"params\":");
            fer_buf_add(b, fer_task_unrelated(b->arena, x->from->params));
        }
        fer_buf_add_char(b, '}');
        comma = ",";
    }
}

bool fer_questions_take(fer_peer *p, const fer_json *doc, const yyjson_val *responses)
{
    char name[NAME];
    for (fer_question *x = p->questions; x; x = x->next) {
        write_name(x, name);
        const yyjson_val *v = fer_is_obj(responses) ? fer_val_get(responses, name) : NULL;
        if (!fer_is_obj(v)) continue;
        answer(x, doc, v);
        return true;
    }
    return false;
}

/* ---- those that nobody answers --------------------------------------------------------------- */

/* What is parked has a time of its own. */
static fer_question *late_one(const fer_front *s, int64_t now)
{
    for (fer_peer *p = s->peers; p; p = p->next)
        for (fer_question *x = p->parked ? NULL : p->questions; x; x = x->next)
            if (x->until <= now) return x;
    return NULL;
}

void fer_questions_sweep(fer_front *s, int64_t now)
{
    for (fer_question *x; s->questions && (x = late_one(s, now)) != NULL;) {
        fer_mcp_question *from = x->from;
        tell_withdrawn(x);
        free_question(x);
        fer_mcp_question_refuse(from, -32603, FER_STR("nobody has answered (serve.parked_time)"));
    }
}

void fer_questions_forget(fer_peer *p, const fer_ask *q)
{
    for (fer_question *x = p->questions; x; x = x->next)
        if (x->ask == q) x->ask = NULL;
}

static void refuse_all(fer_peer *p, const char *why)
{
    while (p->questions) {
        fer_mcp_question *from = p->questions->from;
        free_question(p->questions);
        fer_mcp_question_refuse(from, -32603, fer_str_of(why));
    }
}

void fer_questions_fail(fer_peer *p)
{
    refuse_all(p, "what the client said could not be read");
}

void fer_news_leave(fer_peer *p)
{
    fer_front *s = p->server;
    refuse_all(p, "the client that was asked is gone");
    if (s->watches) fer_watch_remove(p, NULL, FER_STR(""));
    if (s->parked && !p->options.once) fer_parked_leave(s, p->session);
    if (!p->options.once) fer_front_leave_runners(s, p->session);
}
