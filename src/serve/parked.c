/* SPDX-License-Identifier: Apache-2.0 */
#include "parked.h"

#include "clock.h"
#include "errors.h"
#include "json_write.h"
#include "news.h"
#include "relay.h"
#include "sys.h"

#define MS INT64_C(1000000)
/* How every answer of a parked request begins: its ID is not that of whoever is answered. */
#define HEAD "{\"jsonrpc\":\"2.0\",\"id\":0"

/* ---- what a state is good for ---------------------------------------------------------------- */

/* The values of a request that make it this one, in canonical notation. */
static bool bind_to(fer_ask *q, unsigned char out[FER_STATE_BIND])
{
    static const char *const parts[] = {"name", "uri", "arguments"};
    const fer_caller *who = fer_ask_guest(q)->caller;
    fer_arena *a = fer_ask_arena(q);
    fer_str texts[3 + FER_COUNT(parts)] = {who ? who->tenant : FER_STR(""),
                                           who ? who->principal : FER_STR(""),
                                           fer_str_of(q->method->name)};
    for (size_t i = 0; i < FER_COUNT(parts); i++) {
        const yyjson_val *v = fer_val_get(q->params, parts[i]);
        fer_notation canonical = {.canonical = true};
        fer_buf b;
        fer_buf_init(&b, a, FER_SERVE_MEMORY);
        if (v && fer_write_add(a, &b, v, &canonical, NULL)) return false;
        if (b.failure) return false;
        texts[3 + i] = fer_buf_view(&b);
    }
    return fer_state_bind(texts, FER_COUNT(texts), out);
}

const unsigned char *fer_state_key(fer_front *s)
{
    if (!s->state_key_made) s->state_key_made = !fer_sys_random(s->state_key, sizeof s->state_key);
    return s->state_key_made ? s->state_key : NULL;
}

/* Empty: no memory. */
static fer_str write_state(fer_ask *q, const unsigned char bound[FER_STATE_BIND],
                           const fer_state *state)
{
    fer_str out = FER_STR("");
    const unsigned char *key = fer_ask_front(q)->state_key;
    fer_code code = fer_state_write(fer_ask_arena(q), key, bound, state, &out, NULL);
    return code ? FER_STR("") : out;
}

static int64_t end_of(const fer_front *s)
{
    return fer_clock_mono() + s->options.limits.parked_ms * MS;
}

fer_str fer_parked_wrap(fer_ask *q, fer_str inner)
{
    fer_front *s = fer_ask_front(q);
    unsigned char bound[FER_STATE_BIND];
    if (!fer_state_key(s) || !bind_to(q, bound)) return FER_STR("");
    return write_state(q, bound,
                       &(fer_state){.kind = FER_STATE_PASSED, .until = end_of(s), .inner = inner});
}

/* ---- the end --------------------------------------------------------------------------------- */

static void free_parked(fer_parked *k)
{
    fer_front *s = k->server;
    *k->place = k->next;
    if (k->next) k->next->place = k->place;
    s->parked_count--;
    s->parked_bytes -= k->bytes;
    fer_guest_unref(k->guest);
    if (k->answer.len) fer_sys_free((void *)(uintptr_t)k->answer.ptr);
    fer_sys_free(k);
}

/* Nobody will come: what runs is told, and with its end it is gone. */
static void end_it(fer_parked *k)
{
    if (k->ask) fer_ask_cancel(k->ask);
    else free_parked(k);
}

static bool keep_answer(fer_parked *k, fer_str rest, int status)
{
    fer_front *s = k->server;
    char *own = s->parked_bytes + rest.len <= FER_PARKED_BYTES ? fer_sys_malloc(rest.len) : NULL;
    if (!own) return false;
    memcpy(own, rest.ptr, rest.len);
    k->answer = (fer_str){own, rest.len};
    k->status = status;
    s->parked_bytes += rest.len - k->bytes;
    k->bytes = rest.len;
    return true;
}

static void on_note(void *context, fer_str message)
{
    fer_parked *k = context;
    if (k->waiter) fer_ask_note(k->waiter, message);
}

/* The work has ended. Its exchange goes after this, and its peer with it. */
static void on_end(void *context, fer_str answer, int status)
{
    fer_parked *k = context;
    fer_peer *peer = k->peer;
    fer_ask *waiter = k->waiter;
    bool said = fer_str_starts(answer, HEAD);
    fer_str rest = said ? fer_str_slice(answer, sizeof HEAD - 1, answer.len) : FER_STR("");
    k->ask = NULL;
    k->peer = NULL;
    k->waiter = NULL;
    peer->parked = NULL;
    peer->session = 0; /* its servers are its client's still */
    fer_peer_close(peer);
    if (waiter || !said || !keep_answer(k, rest, status)) free_parked(k);
    if (waiter && said && !waiter->cancelled) fer_ask_answer_as(waiter, rest, status);
    else if (waiter) fer_ask_drop(waiter);
}

static bool on_ask(void *context, fer_str message)
{
    (void)context;
    (void)message;
    return false;
}

static const fer_talk_events events = {on_note, on_end, on_ask};

/* ---- parking --------------------------------------------------------------------------------- */

/* Whose request waits here is told once: what it waits for is the work. */
static void stop_waiting(fer_ask *q)
{
    fer_parked *k = q->state;
    fer_ask *work = k->ask;
    work->cancelled = q->cancelled;
    if (work->stop) work->stop(work);
    else fer_ask_drop(work);
}

static void wait_for(fer_parked *k, fer_ask *q)
{
    k->waiter = q;
    q->state = k;
    q->stop = stop_waiting;
}

static bool has_room(const fer_front *s, const fer_ask *q, const fer_runner *runner)
{
    size_t here = 0, each = 0;
    for (const fer_parked *k = s->parked; k; k = k->next) {
        if (k->runner != runner || !k->ask) continue;
        here++;
        each += k->guest == q->peer->guest;
    }
    return s->parked_count < s->options.limits.parked && here < FER_PARKED_HERE &&
           each < FER_PARKED_EACH &&
           s->parked_bytes + fer_arena_used(q->talk->arena) <= FER_PARKED_BYTES;
}

static bool may_be_parked(const fer_ask *q)
{
    return q->method->flags & FER_METHOD_INPUT && !q->talk->batch && q->talk->events &&
           !q->peer->server->draining;
}

static fer_peer *own_peer(fer_parked *k, const fer_ask *q)
{
    fer_peer *p = fer_peer_new(k->server, &(fer_peer_options){.guest = k->guest, .once = true});
    if (!p) return NULL;
    p->session = q->peer->session;
    p->parked = k;
    return p;
}

static void link_parked(fer_parked *k)
{
    fer_front *s = k->server;
    k->next = s->parked;
    k->place = &s->parked;
    if (k->next) k->next->place = &k->next;
    s->parked = k;
    s->parked_count++;
    s->parked_bytes += k->bytes;
}

fer_parked *fer_park(fer_ask *q, const fer_runner *runner)
{
    fer_front *s = fer_ask_front(q);
    fer_parked *k = may_be_parked(q) && has_room(s, q, runner) ? fer_sys_malloc(sizeof *k) : NULL;
    if (!k) return NULL;
    *k = (fer_parked){.server = s,
                      .number = ++s->parkings,
                      .ask = q,
                      .guest = fer_guest_ref(q->peer->guest),
                      .runner = runner,
                      .home = q->peer->session,
                      .bytes = fer_arena_used(q->talk->arena),
                      .answer = FER_STR("")};
    bool bound = fer_state_key(s) && bind_to(q, k->bound);
    k->peer = bound ? own_peer(k, q) : NULL;
    fer_talk *talk = k->peer ? fer_talk_new(k->peer, &events, k) : NULL;
    fer_ask *waiter = talk ? fer_ask_move(q, talk) : NULL;
    if (!waiter) {
        if (talk) fer_talk_discard(talk);
        if (k->peer) {
            k->peer->session = 0;
            fer_peer_close(k->peer);
        }
        fer_guest_unref(k->guest);
        fer_sys_free(k);
        return NULL;
    }
    q->id = (fer_rpc_id){FER_RPC_INTEGER, FER_STR("0")};
    wait_for(k, waiter);
    link_parked(k);
    fer_front_watch_time(s);
    return k;
}

void fer_parked_tell(fer_parked *k)
{
    fer_ask *w = k->waiter;
    if (!w) return;
    k->until = end_of(k->server);
    fer_str state = write_state(
        w, k->bound,
        &(fer_state){
            .kind = FER_STATE_PARKED, .round = ++k->round, .number = k->number, .until = k->until});
    k->waiter = NULL;
    if (!state.len) {
        fer_ask_fail(w, -32603, FER_STR(""), "out of memory");
        end_it(k);
        return;
    }
    fer_buf *b = fer_ask_open(w);
    fer_buf_add_text(b, "{\"resultType\":\"input_required\",\"inputRequests\":{");
    fer_questions_write(k->peer, b);
    fer_buf_add_text(b, "},\"requestState\":\"");
    fer_buf_add(b, state);
    fer_buf_add_text(b, "\",\"_meta\":{\"" FER_MCP_META_SERVER "\":");
    fer_ask_add_server(w, b);
    fer_buf_add_text(b, "}}");
    fer_ask_close(w);
}

/* ---- coming again ---------------------------------------------------------------------------- */

static fer_parked *find(const fer_front *s, uint64_t number)
{
    fer_parked *k = s->parked;
    while (k && k->number != number) k = k->next;
    return k;
}

/* What is told of it from now on is for this request. */
static void follow(fer_ask *work, const fer_ask *q)
{
    fer_str token = fer_arena_copy(fer_ask_arena(work), q->token);
    work->token = token.ptr ? token : FER_STR("");
    work->told = false;
    work->log_level = q->log_level;
}

static void go_on(fer_ask *q, fer_parked *k)
{
    fer_front *s = fer_ask_front(q);
    uint64_t number = k->number;
    k->round++; /* the state was good once */
    if (!k->ask) {
        fer_str rest = fer_arena_copy(fer_ask_arena(q), k->answer);
        int status = k->status;
        free_parked(k);
        if (rest.ptr) fer_ask_answer_as(q, rest, status);
        else fer_ask_fail(q, -32603, FER_STR(""), "out of memory");
        return;
    }
    wait_for(k, q);
    follow(k->ask, q);
    const yyjson_val *responses = fer_val_get(q->params, "inputResponses");
    /* Whoever hears an answer may end the work, and the request with it. */
    while (k && k->waiter == q && fer_questions_take(k->peer, q->doc, responses))
        k = find(s, number);
    if (k && k->waiter == q && k->peer->question_count) fer_parked_tell(k);
}

/* A state of a server's, as the params have had it before it was wrapped. */
static void unwrap(fer_ask *q, fer_str inner)
{
    fer_buf b;
    fer_buf_init(&b, fer_ask_arena(q), FER_SERVE_MEMORY);
    fer_buf_add_quoted(&b, inner);
    if (b.failure) fer_ask_fail(q, -32603, FER_STR(""), "out of memory");
    else q->state_text = fer_buf_view(&b);
}

bool fer_parked_resume(fer_ask *q)
{
    fer_front *s = fer_ask_front(q);
    const yyjson_val *text = fer_val_get(q->params, "requestState");
    unsigned char bound[FER_STATE_BIND];
    fer_state state;
    fer_err err = {0};
    if (!text) return false;
    if (!fer_is_str(text))
        fer_fail(&err, FER_INVALID_PAGE_TOKEN, "params.requestState must be a text");
    else if (!fer_state_key(s) || !bind_to(q, bound))
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    else
        fer_state_read(fer_ask_arena(q), s->state_key, bound, fer_clock_mono(), fer_val_str(text),
                       &state, &err);
    if (err.code) {
        fer_ask_fail(q, err.code == FER_INVALID_PAGE_TOKEN ? FER_RPC_INVALID_PARAMS : -32603,
                     FER_STR(""), "%s", err.message);
        return true;
    }
    if (state.kind == FER_STATE_PASSED) {
        unwrap(q, state.inner);
        return !q->state_text.len;
    }
    fer_parked *k = find(s, state.number);
    if (k && k->round == state.round && !k->waiter) go_on(q, k);
    else
        fer_ask_fail(q, FER_RPC_INVALID_PARAMS, FER_STR(""),
                     "the requestState was used, or what it stands for has ended: begin again "
                     "without it");
    return true;
}

/* ---- those that nobody comes for ------------------------------------------------------------- */

/* Ends the first that fits; with it others may go. */
static bool end_one(fer_front *s, bool (*fits)(const fer_parked *k, int64_t n), int64_t n)
{
    for (fer_parked *k = s->parked; k; k = k->next)
        if (!k->waiter && !(k->ask && k->ask->cancelled) && fits(k, n)) {
            end_it(k);
            return true;
        }
    return false;
}

static bool is_late(const fer_parked *k, int64_t now)
{
    return k->until <= now || fer_guest_is_over(k->guest);
}

static bool is_of(const fer_parked *k, int64_t session)
{
    return k->home == (uint64_t)session;
}

static bool is_any(const fer_parked *k, int64_t n)
{
    (void)k;
    (void)n;
    return true;
}

void fer_parked_sweep(fer_front *s, int64_t now)
{
    while (end_one(s, is_late, now)) {
    }
}

void fer_parked_leave(fer_front *s, uint64_t session)
{
    while (session && end_one(s, is_of, (int64_t)session)) {
    }
}

void fer_parked_drain(fer_front *s)
{
    while (end_one(s, is_any, 0)) {
    }
}
