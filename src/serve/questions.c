/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server of any era wants to know, asked of an older client by a request of ours. A client
 * of 2026-07-28 cannot be asked that way: it gets results that ask for input, from servers of its
 * own era; an older server's question is refused for it.
 */
#include "json_value.h"
#include "news.h"
#include "relay.h"
#include "sys.h"

/* A question that is out. */
struct fer_question {
    fer_peer *peer;
    fer_question *next, **place;
    fer_ask *ask; /* or NULL */
    fer_mcp_question *from;
    uint64_t id; /* of our request */
};

static void free_question(fer_question *x)
{
    *x->place = x->next;
    if (x->next) x->next->place = x->place;
    x->peer->question_count--;
    fer_sys_free(x);
}

/* What a client must have said that it can do. */
static const char *ability_for(fer_str method)
{
    static const struct {
        const char *method, *ability;
    } rows[] = {{"elicitation/create", "elicitation"},
                {"sampling/createMessage", "sampling"},
                {"roots/list", "roots"}};
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        if (fer_str_is(method, rows[i].method)) return rows[i].ability;
    return NULL;
}

static bool can(const fer_peer *p, fer_str method)
{
    const char *ability = ability_for(method);
    fer_json *doc;
    bool yes = false;
    fer_arena *a = ability && p->capabilities.len ? fer_arena_new(1 << 20) : NULL;
    if (a && !fer_json_read(a, p->capabilities, NULL, &doc, NULL))
        yes = fer_is_obj(fer_val_get(fer_json_root(doc), ability));
    fer_arena_free(a);
    return yes;
}

/* On the stream of the request that it belongs to, else on the client's own. */
static bool say(fer_peer *p, fer_ask *q, fer_str message)
{
    if (q && fer_ask_say(q, message)) return true;
    if (!p->options.push) return false;
    p->options.push(p->options.context, message);
    return true;
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
        fer_buf_add(&b, fer_one_line(a, from->params));
    }
    fer_buf_add_char(&b, '}');
    bool sent = !b.failure && say(x->peer, x->ask, fer_buf_view(&b));
    fer_arena_free(a);
    return sent;
}

bool fer_question_ask(void *context, fer_runner *r, uint64_t session, fer_mcp_question *from)
{
    fer_front *s = context;
    fer_ask *q;
    fer_peer *p = fer_news_whose(s, r, session, from->call, &q);
    bool older = p && p->version && !(q && q->version->modern);
    if (!older || p->closed || (q && q->cancelled) || !can(p, from->method)) return false;
    if (p->question_count >= FER_SERVE_QUESTIONS_MAX) return false;
    fer_question *x = fer_sys_malloc(sizeof *x);
    if (!x) return false;
    *x = (fer_question){.peer = p,
                        .ask = q,
                        .from = from,
                        .next = p->questions,
                        .place = &p->questions,
                        .id = ++p->next_question};
    if (x->next) x->next->place = &x->next;
    p->questions = x;
    p->question_count++;
    from->context = x;
    if (send_it(x)) return true;
    free_question(x);
    return false;
}

void fer_question_withdrawn(void *context, fer_mcp_question *from)
{
    fer_question *x = from->context;
    char text[160];
    int len = snprintf(text, sizeof text,
                       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                       "\"requestId\":%llu,\"reason\":\"nobody waits for the answer any more\"}}",
                       (unsigned long long)x->id);
    (void)context;
    say(x->peer, x->ask, (fer_str){text, (size_t)len});
    free_question(x);
}

bool fer_question_answered(fer_peer *p, const fer_rpc *m)
{
    uint64_t id = fer_rpc_id_number(&m->id);
    fer_question *x = p->questions;
    while (x && x->id != id) x = x->next;
    if (!x || !id) return false;
    fer_mcp_question *from = x->from;
    free_question(x);
    fer_arena *a = fer_arena_new(FER_SERVE_MEMORY);
    fer_str result = m->kind == FER_RPC_RESULT && a && fer_is_obj(m->result)
                         ? fer_one_line(a, fer_rpc_bytes(m->doc, m->result))
                         : FER_STR("");
    if (result.len) fer_mcp_question_answer(from, result);
    else if (m->kind == FER_RPC_ERROR)
        fer_mcp_question_refuse(
            from,
            m->error_code < INT32_MIN || m->error_code > INT32_MAX ? -32603 : (int)m->error_code,
            m->error_message);
    else fer_mcp_question_refuse(from, -32603, FER_STR("the client's answer is no object"));
    fer_arena_free(a);
    return true;
}

void fer_questions_forget(fer_peer *p, const fer_ask *q)
{
    for (fer_question *x = p->questions; x; x = x->next)
        if (x->ask == q) x->ask = NULL;
}

void fer_news_leave(fer_peer *p)
{
    fer_front *s = p->server;
    while (p->questions) {
        fer_mcp_question *from = p->questions->from;
        free_question(p->questions);
        fer_mcp_question_refuse(from, -32603, FER_STR("the client that was asked is gone"));
    }
    if (s->watches) fer_watch_remove(p, NULL, FER_STR(""));
    if (!p->options.once) fer_front_leave_runners(s, p->session);
}
