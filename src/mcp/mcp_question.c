/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server wants to know from us. An older server sends a request, which is answered by a
 * message; a modern one ends a call with what it wants to know, and the call is made again with all
 * answers: a round.
 */
#include "errors.h"
#include "mcp_parts.h"
#include "sys.h"

/* A question, and what it takes to answer it. The texts are behind it, in the same memory. */
typedef struct asking {
    fer_mcp_question question; /* first */
    fer_mcp_client *client;
    struct asking *next, **place;
    fer_rpc_id id;        /* of an older server's request */
    fer_mcp_round *round; /* of a modern server's, which it names `key` in; or NULL */
    fer_str key;
} asking;

/* All that a call was asked for at once. In the arena of the call. */
struct fer_mcp_round {
    fer_mcp_call *call;
    fer_mcp_round *next, **place;
    size_t open; /* questions */
    bool asking; /* they are just being asked */
    fer_buf responses;
    fer_str state;         /* requestState, a JSON string as it came; or empty */
    fer_mcp_outcome ended; /* what the call ends with where somebody refuses */
    bool refused;
};

/* ---- questions
 * --------------------------------------------------------------------------------------- */

static fer_str copy_to(char **at, fer_str s)
{
    fer_str copy = {*at, s.len};
    if (s.len) memcpy(*at, s.ptr, s.len);
    *at += s.len;
    return copy;
}

static asking *new_asking(fer_mcp_client *c, fer_str method, fer_str params, fer_str name)
{
    asking *q = NULL;
    if (c->question_count < FER_MCP_QUESTIONS_MAX)
        q = fer_sys_malloc(sizeof *q + method.len + params.len + name.len);
    if (!q) return NULL;
    char *at = (char *)(q + 1);
    *q = (asking){.client = c, .next = c->questions, .place = &c->questions};
    q->question.method = copy_to(&at, method);
    q->question.params = copy_to(&at, params);
    q->key = q->id.text = copy_to(&at, name);
    if (q->next) q->next->place = &q->next;
    c->questions = q;
    c->question_count++;
    return q;
}

static void free_asking(asking *q)
{
    *q->place = q->next;
    if (q->next) q->next->place = q->place;
    q->client->question_count--;
    fer_sys_free(q);
}

/* False: it was refused, and is gone. */
static bool ask(asking *q)
{
    fer_mcp_client *c = q->client;
    c->info.asked++;
    if (c->options.asked(c->options.context, &q->question)) return true;
    c->info.asked--;
    free_asking(q);
    return false;
}

static void withdraw(asking *q)
{
    fer_mcp_client *c = q->client;
    c->options.withdrawn(c->options.context, &q->question);
    free_asking(q);
}

/* Withdraws the first that fits; who hears of it may answer any other. */
static bool withdraw_one(fer_mcp_client *c, bool (*fits)(const asking *q, const void *what),
                         const void *what)
{
    for (asking *q = c->questions; q; q = q->next)
        if (fits(q, what)) {
            withdraw(q);
            return true;
        }
    return false;
}

/* ---- older servers
 * ------------------------------------------------------------------------------------ */

bool fer_mcp_ask(fer_mcp_client *c, uint64_t stream, const fer_rpc *m)
{
    fer_mcp_request *r = stream ? fer_mcp_find(c, stream) : NULL;
    if (!c->options.asked) return false;
    asking *q = new_asking(c, m->method,
                           m->params ? fer_rpc_bytes(m->doc, m->params) : FER_STR_NONE, m->id.text);
    if (!q) return false;
    q->id.type = m->id.type;
    if (r && r->kind == &fer_mcp_call_kind) q->question.call = (fer_mcp_call *)r;
    return ask(q);
}

static bool is_legacy(const asking *q, const void *what)
{
    (void)what;
    return !q->round;
}

void fer_mcp_questions_lost(fer_mcp_client *c)
{
    while (withdraw_one(c, is_legacy, NULL)) {
    }
}

static bool has_id(const asking *q, const void *what)
{
    return !q->round && fer_rpc_id_eq(&q->id, what);
}

void fer_mcp_question_cancelled(fer_mcp_client *c, const fer_rpc *m)
{
    const yyjson_val *v = fer_val_get(m->params, "requestId");
    fer_rpc_id id = {0};
    if (fer_is_str(v)) id = (fer_rpc_id){FER_RPC_TEXT, fer_val_str(v)};
    else if (fer_is_num(v)) id = (fer_rpc_id){FER_RPC_INTEGER, fer_rpc_bytes(m->doc, v)};
    withdraw_one(c, has_id, &id);
}

void fer_mcp_questions_forget(fer_mcp_client *c, const fer_mcp_call *k)
{
    for (asking *q = c->questions; q; q = q->next)
        if (q->question.call == k) q->question.call = NULL;
}

/* ---- rounds
 * ------------------------------------------------------------------------------------------- */

static bool is_of_round(const asking *q, const void *what)
{
    return q->round == what;
}

/* Takes the round off its call, which goes on or ends. */
static void close_round(fer_mcp_round *o)
{
    fer_mcp_client *c = o->call->request.client;
    *o->place = o->next;
    if (o->next) o->next->place = o->place;
    o->place = NULL;
    o->call->round = NULL;
    c->info.running--;
    while (withdraw_one(c, is_of_round, o)) {
    }
}

static void round_over(fer_mcp_round *o)
{
    fer_mcp_call *k = o->call;
    fer_mcp_client *c = k->request.client;
    close_round(o);
    fer_buf_add_char(&o->responses, '}');
    if (o->refused) {
        fer_mcp_call_end(k, &o->ended);
        return;
    }
    if (o->responses.failure) {
        o->ended.code = fer_arena_code(k->arena);
        fer_mcp_call_end(k, &o->ended);
        return;
    }
    k->input_responses = o->responses.len > 2 ? fer_buf_view(&o->responses) : FER_STR_NONE;
    k->request_state = o->state;
    fer_mcp_submit(c, &k->request, &fer_mcp_call_kind);
}

static void settle(fer_mcp_round *o)
{
    if (!o->asking && (!o->open || o->refused)) round_over(o);
}

static bool ask_one(fer_mcp_round *o, const fer_json *doc, const yyjson_val *key)
{
    const yyjson_val *method = fer_val_get(key + 1, "method");
    const yyjson_val *params = fer_val_get(key + 1, "params");
    if (!fer_is_str(method)) return false;
    asking *q = new_asking(o->call->request.client, fer_val_str(method),
                           fer_is_obj(params) ? fer_rpc_bytes(doc, params) : FER_STR_NONE,
                           fer_rpc_bytes(doc, key));
    if (!q) return false;
    q->round = o;
    q->question.call = o->call;
    o->open++;
    if (ask(q)) return true;
    o->open--;
    return false;
}

static fer_mcp_round *new_round(fer_mcp_client *c, fer_mcp_call *k, const fer_mcp_outcome *ended)
{
    fer_mcp_round *o = fer_arena_alloc_zero(k->arena, 1, sizeof *o);
    if (!o) return NULL;
    *o = (fer_mcp_round){.call = k, .next = c->rounds, .place = &c->rounds, .asking = true};
    if (o->next) o->next->place = &o->next;
    c->rounds = o;
    c->info.running++;
    o->ended = *ended;
    fer_buf_init(&o->responses, k->arena, SIZE_MAX);
    fer_buf_add_char(&o->responses, '{');
    k->round = o;
    k->rounds++;
    return o;
}

bool fer_mcp_round_begin(fer_mcp_client *c, fer_mcp_call *k, const fer_json *doc,
                         const fer_mcp_outcome *ended)
{
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *requests = fer_val_get(root, "inputRequests");
    const yyjson_val *state = fer_val_get(root, "requestState");
    bool any = fer_is_obj(requests) && fer_val_len(requests) > 0;
    if (k->rounds >= FER_MCP_ROUNDS_MAX || c->stopping || (any && !c->options.asked)) return false;
    fer_mcp_round *o = new_round(c, k, ended);
    if (!o) return false;
    if (fer_is_str(state)) o->state = fer_rpc_bytes(doc, state);
    if (any)
        FER_EACH_MEMBER (requests, key) {
            if (!o->refused && !ask_one(o, doc, key)) o->refused = true;
        }
    o->asking = false;
    settle(o);
    return true;
}

void fer_mcp_round_drop(fer_mcp_call *k)
{
    if (k->round) close_round(k->round);
}

void fer_mcp_rounds_fail(fer_mcp_client *c, fer_code code, const char *why)
{
    while (c->rounds) {
        fer_mcp_round *o = c->rounds;
        fer_mcp_call *k = o->call;
        close_round(o);
        fer_mcp_outcome ended = {.code = code, .message = fer_str_of(why)};
        fer_mcp_call_end(k, &ended);
    }
}

/* ---- answers
 * ---------------------------------------------------------------------------------------- */

void fer_mcp_question_answer(fer_mcp_question *question, fer_str result)
{
    asking *q = (asking *)question;
    fer_mcp_round *o = q->round;
    if (o) {
        if (o->responses.len > 1) fer_buf_add_char(&o->responses, ',');
        fer_buf_add(&o->responses, q->key);
        fer_buf_add_char(&o->responses, ':');
        fer_buf_add(&o->responses, result);
        o->open--;
        free_asking(q);
        settle(o);
        return;
    }
    fer_buf b = fer_mcp_writing(q->client);
    fer_rpc_open_result(&b, &q->id);
    fer_buf_add(&b, result);
    fer_buf_add_char(&b, '}');
    fer_mcp_post(q->client, &b, "");
    free_asking(q);
}

void fer_mcp_question_refuse(fer_mcp_question *question, int code, fer_str message)
{
    asking *q = (asking *)question;
    fer_mcp_round *o = q->round;
    if (!o) {
        fer_buf b = fer_mcp_writing(q->client);
        q->client->refusals++;
        fer_rpc_add_error(&b, &q->id, code, message);
        fer_mcp_post(q->client, &b, "");
        free_asking(q);
        return;
    }
    o->refused = true;
    o->open--;
    free_asking(q);
    settle(o);
}
