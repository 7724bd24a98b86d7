/* SPDX-License-Identifier: Apache-2.0 */
/* Policies in the pipeline, over a backend that does what a script says and counts what it was
 * asked. */
#include <ferrule/gateway.h>

#include "assert_shape.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "rows.h"
#include "secret_forms.h"

/* ---- a backend that follows a script ---------------------------------------------------------
 * Each letter is one attempt: o ok, 0 to 3 a failure of that phase, 9 a 429 of P1, w it waits (and
 * is answered by `answer`), c a chunk, then a failure. The last letter is repeated. */

struct actor {
    fer_runner runner;
    const char *script;
    size_t asked; /* attempts */
    size_t lists;
    fer_attempt *waiting[2000];
    size_t waiting_count;
    char key[64];     /* of the last attempt */
    const char *says; /* in its failures */
};

static void answer(fer_attempt *t, char how, struct actor *a)
{
    static const fer_code codes[] = {FER_BACKEND_UNAVAILABLE, FER_BACKEND_UNAVAILABLE,
                                     FER_CONNECTION_LOST, FER_TOOL_FAILED};
    fer_json *doc;
    fer_err err;
    t->sent = how != '0';
    if (how == 'c') fer_attempt_event(t, FER_NEWS_CHUNK, FER_STR("1"));
    if (how == 'o') {
        fer_str text = fer_arena_printf(t->arena, "{\"n\":%zu}", a->asked);
        assert_int_equal(fer_json_read(t->arena, text, NULL, &doc, &err), FER_OK);
        fer_attempt_end(t, &(fer_outcome){.structured = fer_json_root(doc), .doc = doc});
        return;
    }
    int phase = how == '9' ? 1 : how == 'c' ? 2 : how - '0';
    fer_attempt_end(t, &(fer_outcome){.code = how == '9' ? FER_RATE_LIMITED : codes[phase],
                                      .phase = (fer_phase)phase,
                                      .retry_after_ms = how == '9' ? 5 : 0,
                                      .message = fer_str_of(a->says ? a->says : "as told")});
}

static void actor_call(fer_runner *r, fer_attempt *t)
{
    struct actor *a = (struct actor *)r;
    size_t len = strlen(a->script);
    char how = a->script[a->asked < len ? a->asked : len - 1];
    a->asked++;
    snprintf(a->key, sizeof a->key, "%.*s", FER_PRI(t->idempotency_key));
    if (how != 'w') {
        answer(t, how, a);
        return;
    }
    t->sent = true;
    a->waiting[a->waiting_count++] = t;
}
static void actor_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    struct actor *a = (struct actor *)r;
    (void)reason;
    for (size_t i = 0; i < a->waiting_count; i++)
        if (a->waiting[i] == t) a->waiting[i] = a->waiting[--a->waiting_count];
    fer_attempt_fail(t, FER_CANCELLED, "as you like");
}
static void actor_list(fer_runner *r, fer_listing *l)
{
    struct actor *a = (struct actor *)r;
    a->lists++;
    l->on_end(l, FER_OK, FER_STR("[]"), NULL);
}
static void actor_free(fer_runner *r)
{
    (void)r;
}
static const fer_runner_kind actor_kind = {.name = "actor",
                                           .backend = FER_BACKEND_LOCAL,
                                           .call = actor_call,
                                           .cancel = actor_cancel,
                                           .list = actor_list,
                                           .free = actor_free};

/* Answers the attempt that waits longest. */
static void release(struct actor *a, char how)
{
    fer_attempt *t = a->waiting[0];
    assert_true(a->waiting_count > 0);
    memmove(a->waiting, a->waiting + 1, --a->waiting_count * sizeof *a->waiting);
    answer(t, how, a);
}

/* ---- the stage -------------------------------------------------------------------------------
 */

#define TOOL(name, effect, more)                                                                   \
    "{\"namespace\":\"a\",\"name\":\"" name "\",\"version\":\"1.0.0\",\"description\":\"Does.\","  \
    "\"inputSchema\":{\"type\":\"object\"},\"effect\":\"" effect "\"" more "}"

static const char tools[] =
    "[" TOOL("read", "Pure", "") "," TOOL("look", "Pure", ",\"cache\":{\"ttlMs\":60000}") "," TOOL(
        "put", "IdempotentWrite",
        "") "," TOOL("set", "IdempotentWrite",
                     ",\"idempotency\":\"optional\"") "," TOOL("post", "NonIdempotentWrite",
                                                               ",\"idempotency\":\"optional\"") "," TOOL("mail",
                                                                                                         "ExternalSideEffects",
                                                                                                         "") "]";

static const char other_tools[] =
    "[{\"namespace\":\"b\",\"name\":\"read\",\"description\":\"Does.\",\"inputSchema\":{\"type\":\"object\"},"
    "\"effect\":\"Pure\"}]";

struct scene {
    fer_arena *arena;
    fer_catalog *catalog;
    fer_gateway *gateway;
    struct actor a, b;
    size_t done;
    fer_envelope last;
    size_t codes[600];
};

static void add_actor(struct scene *s, struct actor *a, const char *name, const char *list)
{
    fer_err err;
    fer_batch *b = fer_batch_new();
    fer_put_options put = {.backend =
                               &(fer_backend){FER_BACKEND_LOCAL, fer_str_of(name), FER_STR("")}};
    a->runner = (fer_runner){
        .kind = &actor_kind, .name = fer_str_of(name), .loop = fer_gateway_loop(s->gateway)};
    if (!a->script) a->script = "o";
    assert_int_equal(fer_gateway_add_runner(s->gateway, &a->runner, &err), FER_OK);
    if (fer_batch_add(b, FER_STR("t.json"), fer_str_of(list), FER_FORMAT_JSON, &put, &err))
        fail_msg("%s", err.message);
    assert_int_equal(fer_catalog_apply(s->catalog, b, &err), FER_OK);
    fer_batch_free(b);
}

/* Short waits, unless a test says otherwise. */
#define QUICK "\"tools\":{\"*\":{\"retry\":{\"backoffMs\":1,\"maxBackoffMs\":1}}}"

static void set(struct scene *s, const char *script, const char *policies)
{
    fer_err err;
    memset(s, 0, sizeof *s);
    s->arena = fer_arena_new(0);
    s->a.script = script;
    assert_int_equal(fer_catalog_new(NULL, &s->catalog, &err), FER_OK);
    fer_gateway_options o = {.catalog = s->catalog, .policies = fer_str_of(policies)};
    if (fer_gateway_new(&o, &s->gateway, &err)) fail_msg("%s", err.message);
    add_actor(s, &s->a, "a", tools);
    add_actor(s, &s->b, "b", other_tools);
}

static void strike(struct scene *s)
{
    fer_gateway_free(s->gateway);
    fer_catalog_free(s->catalog);
    fer_arena_free(s->arena);
}

static fer_envelope ask_as(struct scene *s, const char *tool, const char *args, const char *key,
                           const fer_caller *who)
{
    fer_envelope e;
    fer_err err;
    fer_str text;
    fer_call_options o = {.idempotency_key = fer_str_of(key), .caller = who};
    assert_int_equal(
        fer_gateway_ask(s->arena, s->gateway, fer_str_of(tool), fer_str_of(args), &o, &e, &err),
        FER_OK);
    assert_int_equal(fer_envelope_write(s->arena, &e, false, &text, &err), FER_OK);
    assert_shape(s->arena, "envelope", text);
    return e;
}

static fer_envelope ask(struct scene *s, const char *tool, const char *key)
{
    return ask_as(s, tool, "{}", key, NULL);
}

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    struct scene *s = context;
    (void)c;
    s->done++;
    s->codes[e->error.code]++;
    s->last = *e;
}

static fer_call *begin(struct scene *s, const char *tool, const char *key, fer_call_options *o)
{
    static fer_call *place;
    fer_err err;
    o->idempotency_key = fer_str_of(key);
    place = NULL;
    assert_int_equal(
        fer_gateway_call(s->gateway, fer_str_of(tool), FER_STR("{}"), o, on_done, s, &place, &err),
        FER_OK);
    return place;
}

/* ---- retries, through the pipeline -------------------------------------------------------------
 */

static const struct retry_row {
    const char *name, *tool, *key, *script;
    fer_code code;
    size_t asked;
    unsigned attempts;
} retry_rows[] = {
    {"Pure P0", "a:read", "", "0o", FER_OK, 2, 1},
    {"Pure P1", "a:read", "", "1o", FER_OK, 2, 2},
    {"Pure P1, 429 with Retry-After", "a:read", "", "9o", FER_OK, 2, 2},
    {"Pure P2", "a:read", "", "2o", FER_OK, 2, 2},
    {"Pure P3", "a:read", "", "3o", FER_TOOL_FAILED, 1, 1},
    {"Pure, three times", "a:read", "", "222o", FER_CONNECTION_LOST, 3, 3},
    {"keyed P0", "a:put", "k", "0o", FER_OK, 2, 1},
    {"keyed P1", "a:put", "k", "1o", FER_OK, 2, 2},
    {"keyed P2", "a:put", "k", "2o", FER_OK, 2, 2},
    {"keyed P2 to the end", "a:put", "k", "2", FER_OUTCOME_UNKNOWN, 3, 3},
    {"keyed P3", "a:put", "k", "3o", FER_TOOL_FAILED, 1, 1},
    {"keyed, unclear, then a clear no", "a:put", "k", "23", FER_TOOL_FAILED, 2, 2},
    {"without a key P0", "a:set", "", "0o", FER_OK, 2, 1},
    {"without a key P1", "a:set", "", "1o", FER_BACKEND_UNAVAILABLE, 1, 1},
    {"without a key P2", "a:set", "", "2o", FER_OUTCOME_UNKNOWN, 1, 1},
    {"a key is demanded", "a:put", "", "o", FER_IDEMPOTENCY_KEY_MISSING, 0, 0},
    {"a write P0", "a:post", "", "00o", FER_OK, 3, 1},
    {"a write P1", "a:post", "", "1o", FER_BACKEND_UNAVAILABLE, 1, 1},
    {"a write P2", "a:post", "", "2o", FER_OUTCOME_UNKNOWN, 1, 1},
    {"a write P2, with a key", "a:post", "k", "2o", FER_OUTCOME_UNKNOWN, 1, 1},
    {"a write P3", "a:post", "", "3o", FER_TOOL_FAILED, 1, 1},
    {"the world P0, once", "a:mail", "", "0o", FER_OK, 2, 1},
    {"the world P0, twice", "a:mail", "", "00o", FER_BACKEND_UNAVAILABLE, 2, 0},
    {"the world P1", "a:mail", "", "1o", FER_BACKEND_UNAVAILABLE, 1, 1},
    {"the world P2", "a:mail", "", "2o", FER_OUTCOME_UNKNOWN, 1, 1},
    {"committed at the first chunk", "a:read", "", "co", FER_CONNECTION_LOST, 1, 1},
};

static bool hear(void *context, fer_call *c, const fer_stream_event *e)
{
    (void)context, (void)c, (void)e;
    return true;
}

static void run_retry(const struct retry_row *row)
{
    struct scene s;
    fer_call_options o = {.on_event = hear};
    set(&s, row->script, "{" QUICK "}");
    begin(&s, row->tool, row->key, &o);
    fer_gateway_run(s.gateway);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.last.error.code, row->code);
    assert_int_equal(s.a.asked, row->asked);
    assert_int_equal(s.last.attempts, row->attempts);
    strike(&s);
}

/* G22: everything fails; no more than a tenth is sent on top. */
static void an_outage_is_not_amplified(void)
{
    struct scene s;
    set(&s, "2", "{" QUICK ",\"backends\":{\"a\":{\"circuitBreaker\":{\"enabled\":false}}}}");
    for (int i = 0; i < 200; i++) assert_true(ask(&s, "a:read", "").error.code);
    assert_true(s.a.asked <= 220);
    strike(&s);
    set(&s, "2", "{" QUICK "}");
    for (int i = 0; i < 200; i++) assert_true(ask(&s, "a:read", "").error.code);
    assert_true(s.a.asked <= 20); /* the circuit is open */
    strike(&s);
}

/* ---- idempotency: I01 to I20 -------------------------------------------------------------------
 */

static void i01_the_same_again(void)
{
    struct scene s;
    set(&s, "o", "");
    fer_envelope one = ask(&s, "a:put", "k"), two = ask(&s, "a:put", "k");
    assert_int_equal(s.a.asked, 1);
    assert_true(fer_str_eq(one.structured, two.structured));
    assert_true(two.replayed && !one.replayed);
    assert_int_equal(two.attempts, 0);
    assert_true(two.original_call.len);
    assert_int_equal(ask(&s, "a:put", "l").error.code, FER_OK);
    assert_int_equal(s.a.asked, 2);
    strike(&s);
}

static void i02_another_input(void)
{
    struct scene s;
    set(&s, "o", "");
    ask_as(&s, "a:put", "{\"a\":1}", "k", NULL);
    assert_int_equal(ask_as(&s, "a:put", "{\"a\":2}", "k", NULL).error.code,
                     FER_IDEMPOTENCY_CONFLICT);
    assert_int_equal(ask_as(&s, "a:put", " {\"a\": 1.0 }", "k", NULL).error.code, FER_OK);
    assert_int_equal(s.a.asked, 1);
    strike(&s);
}

static void i03_a_thousand_at_once(void)
{
    struct scene s;
    set(&s, "w", "");
    for (int i = 0; i < 1000; i++) begin(&s, "a:put", "k", &(fer_call_options){0});
    assert_int_equal(s.a.asked, 1);
    release(&s.a, 'o');
    assert_int_equal(s.done, 1000);
    assert_int_equal(s.codes[FER_OK], 1000);
    strike(&s);
}

static void i04_join_or_reject(void)
{
    struct scene s;
    set(&s, "w", "{\"idempotency\":{\"duplicates\":\"reject\"}}");
    begin(&s, "a:put", "k", &(fer_call_options){0});
    begin(&s, "a:put", "k", &(fer_call_options){0});
    assert_int_equal(s.done, 1);
    assert_true(s.last.error.retryable && s.last.error.retry_after_ms > 0);
    release(&s.a, 'o');
    assert_int_equal(s.codes[FER_OK], 1);
    strike(&s);
}

static void i05_a_joiner_has_its_own_deadline(void)
{
    struct scene s;
    set(&s, "w", "");
    begin(&s, "a:put", "k", &(fer_call_options){0});
    begin(&s, "a:put", "k", &(fer_call_options){.deadline_ms = 5});
    while (!s.done) uv_run(fer_gateway_loop(s.gateway), UV_RUN_NOWAIT);
    assert_int_equal(s.last.error.code, FER_DEADLINE_EXCEEDED);
    release(&s.a, 'o');
    assert_int_equal(s.codes[FER_OK], 1);
    strike(&s);
}

static void i06_unknown_stays_unknown(void)
{
    struct scene s;
    set(&s, "2o", "{" QUICK "}");
    assert_int_equal(ask(&s, "a:post", "k").error.code, FER_OUTCOME_UNKNOWN);
    assert_int_equal(ask(&s, "a:post", "k").error.code, FER_OUTCOME_UNKNOWN);
    assert_int_equal(s.a.asked, 1);
    strike(&s);
}

static void i07_whose_key(void)
{
    static const fer_caller callers[] = {{.tenant = FER_STR("t"), .principal = FER_STR("p")},
                                         {.tenant = FER_STR("u"), .principal = FER_STR("p")},
                                         {.tenant = FER_STR("t"), .principal = FER_STR("q")}};
    struct scene s;
    char keys[3][64];
    set(&s, "o", "");
    for (int i = 0; i < 3; i++) {
        assert_false(ask_as(&s, "a:put", "{}", "k", &callers[i]).replayed);
        strcpy(keys[i], s.a.key); /* I16: what the backend gets differs */
    }
    assert_int_equal(s.a.asked, 3);
    assert_string_not_equal(keys[0], keys[1]);
    assert_string_not_equal(keys[0], keys[2]);
    assert_string_not_equal(keys[0], "k");
    assert_true(ask_as(&s, "a:put", "{}", "k", &callers[1]).replayed);
    strike(&s);
}

static void i10_what_did_not_run_is_not_kept(void)
{
    struct scene s;
    set(&s, "000o",
        "{\"tools\":{\"*\":{\"retry\":{\"maxAttempts\":1}},\"a:put\":{\"rateLimit\":{\"requests\":3,\"perMs\":600000}}}}");
    assert_int_equal(ask(&s, "a:put", "k").error.code, FER_BACKEND_UNAVAILABLE); /* P0 */
    assert_int_equal(ask_as(&s, "a:put", "[]", "k", NULL).error.code, FER_INVALID_TYPE);
    assert_int_equal(ask(&s, "a:put", "k").error.code, FER_BACKEND_UNAVAILABLE);
    assert_int_equal(ask(&s, "a:put", "k").error.code, FER_BACKEND_UNAVAILABLE);
    assert_int_equal(ask(&s, "a:put", "k").error.code, FER_RATE_LIMITED);
    assert_int_equal(s.a.asked, 3);
    strike(&s);
}

static void i11_a_clear_no_is_kept(void)
{
    struct scene s;
    set(&s, "3o", "");
    fer_envelope one = ask(&s, "a:put", "k"), two = ask(&s, "a:put", "k");
    assert_int_equal(one.error.code, FER_TOOL_FAILED);
    assert_int_equal(two.error.code, FER_TOOL_FAILED);
    assert_true(two.replayed && fer_str_eq(one.error.message, two.error.message));
    assert_int_equal(s.a.asked, 1);
    strike(&s);
}

static void i12_what_is_a_key(void)
{
    struct scene s;
    set(&s, "o", "");
    assert_int_equal(ask(&s, "a:put", "a b").error.code, FER_INVALID_FORMAT);
    assert_int_equal(ask(&s, "a:put", "\xc3\xa4").error.code, FER_INVALID_FORMAT);
    assert_int_equal(s.a.asked, 0);
    strike(&s);
}

static void i16_the_backend_sees_one_key(void)
{
    struct scene s;
    char first[64];
    set(&s, "2wo", "{" QUICK "}");
    begin(&s, "a:put", "k", &(fer_call_options){0});
    strcpy(first, s.a.key);
    assert_true(first[0]);
    while (s.a.asked < 2) uv_run(fer_gateway_loop(s.gateway), UV_RUN_NOWAIT);
