/* SPDX-License-Identifier: Apache-2.0 */
/* Policies in the pipeline, over a backend that does what a script says and counts what it was
 * asked. */
#include <ferrule/gateway.h>

#include "assert_shape.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "json_canonical.h"
#include "ledger_facts.h"
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
    char owner[64];   /* who tries again, as it was told, and the number of the try */
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
    int phase = how == '9' ? 1 : how == 'c' || how == 'l' ? 2 : how - '0';
    fer_code code = how == '9' ? FER_RATE_LIMITED : how == 'l' ? FER_RESOURCE_LIMIT : codes[phase];
    fer_attempt_end(t, &(fer_outcome){.code = code,
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
    snprintf(a->owner, sizeof a->owner, "%.*s %u", FER_PRI(t->retry_owner), t->number);
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

/* 5.3: of gateways in a row only the first tries again. */
static const struct owner_row {
    const char *name, *above, *told;
    size_t asked;
} owner_rows[] = {
    {"nobody above", "", "ferrule 3", 3},
    {"a gateway above", "up-1", "up-1 1", 1},
    {"a mark that cannot be passed on", "two words", "ferrule 1", 1},
};

static void run_owner(const struct owner_row *row)
{
    struct scene s;
    fer_call_options o = {.retry_owner = fer_str_of(row->above)};
    set(&s, "1", "{" QUICK "}");
    begin(&s, "a:read", "", &o);
    fer_gateway_run(s.gateway);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.a.asked, row->asked);
    assert_string_equal(s.a.owner, row->told);
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
    assert_string_equal(s.a.key, first);
    release(&s.a, 'o');
    assert_int_equal(s.codes[FER_OK], 1);
    strike(&s);
}

static void i18_i19_a_replay_is_authorised_anew(void)
{
    struct scene s;
    fer_err err;
    static const fer_str none[1];
    fer_caller who = {.tenant = FER_STR("t"), .scopes = {none, 0}};
    set(&s, "o", "");
    assert_int_equal(ask_as(&s, "a:put", "{}", "k", &who).error.code, FER_OK);
    fer_batch *b = fer_batch_new();
    fer_put_options put = {.backend = &(fer_backend){FER_BACKEND_LOCAL, FER_STR("a"), FER_STR("")}};
    assert_int_equal(
        fer_batch_add(b, FER_STR("t.json"),
                      FER_STR(TOOL("put", "IdempotentWrite", ",\"requiredScopes\":[\"w\"]")),
                      FER_FORMAT_JSON, &put, &err),
        FER_OK);
    assert_int_equal(fer_catalog_apply(s.catalog, b, &err), FER_OK);
    fer_batch_free(b);
    assert_int_equal(ask_as(&s, "a:put", "{}", "k", &who).error.code, FER_FORBIDDEN);
    strike(&s);
}

static void a_keyed_call_ends_although_its_caller_went(void)
{
    struct scene s;
    set(&s, "w", "");
    fer_call *c = begin(&s, "a:put", "k", &(fer_call_options){0});
    fer_call_cancel(c);
    assert_int_equal(s.done, 1); /* at once, and nobody knows yet */
    assert_int_equal(s.last.error.code, FER_OUTCOME_UNKNOWN);
    assert_int_equal(s.a.waiting_count, 1);
    release(&s.a, 'o');
    assert_int_equal(s.done, 1);
    assert_true(ask(&s, "a:put", "k").replayed);
    strike(&s);
    set(&s, "w", "{\"tools\":{\"a:put\":{\"onClientClose\":\"cancel\"}}}");
    c = begin(&s, "a:put", "k", &(fer_call_options){0});
    fer_call_cancel(c);
    assert_int_equal(s.a.waiting_count, 0);
    assert_int_equal(s.last.error.code, FER_OUTCOME_UNKNOWN);
    strike(&s);
}

/* ---- the cache: K33 to K38 ---------------------------------------------------------------------
 */

static void k33_only_what_worked_is_kept(void)
{
    struct scene s;
    fer_envelope e;
    fer_err err;
    set(&s, "3oo", "{" QUICK "}");
    assert_int_equal(ask(&s, "a:look", "").error.code, FER_TOOL_FAILED);
    fer_envelope one = ask(&s, "a:look", ""), two = ask(&s, "a:look", "");
    assert_false(one.cache_hit);
    assert_true(two.cache_hit && two.attempts == 0 && fer_str_eq(one.structured, two.structured));
    assert_int_equal(s.a.asked, 2);
    assert_false(ask_as(&s, "a:look", "{\"a\":1}", "", NULL).cache_hit);
    assert_false(ask(&s, "a:read", "").cache_hit); /* no ttl */
    assert_false(ask(&s, "a:read", "").cache_hit);
    assert_int_equal(fer_gateway_ask(s.arena, s.gateway, FER_STR("a:look"), FER_STR("{}"),
                                     &(fer_call_options){.no_cache = true}, &e, &err),
                     FER_OK);
    assert_false(e.cache_hit);
    strike(&s);
}

static void k34_private_unless_the_operator_says_so(void)
{
    static const fer_caller x = {.tenant = FER_STR("t"), .principal = FER_STR("p")},
                            y = {.tenant = FER_STR("t"), .principal = FER_STR("q")};
    struct scene s;
    set(&s, "o", "");
    assert_false(ask_as(&s, "a:look", "{}", "", &x).cache_hit);
    assert_false(ask_as(&s, "a:look", "{}", "", &y).cache_hit);
    assert_true(ask_as(&s, "a:look", "{}", "", &x).cache_hit);
    strike(&s);
    set(&s, "o", "{\"tools\":{\"a:look\":{\"cache\":{\"ttlMs\":60000,\"scope\":\"public\"}}}}");
    assert_false(ask_as(&s, "a:look", "{}", "", &x).cache_hit);
    assert_true(ask_as(&s, "a:look", "{}", "", &y).cache_hit);
    strike(&s);
}

static void k35_a_stampede_is_one_call(void)
{
    static const fer_caller who = {.tenant = FER_STR("z")};
    struct scene s;
    set(&s, "w", "");
    for (int i = 0; i < 900; i++) begin(&s, "a:look", "", &(fer_call_options){0});
    assert_int_equal(s.a.asked, 1);
    release(&s.a, 'o');
    assert_int_equal(s.codes[FER_OK], 900);
    assert_int_equal(s.a.asked, 1);
    /* The leader goes: the work goes on for the others, and ends with the last of them. */
    fer_call *first = begin(&s, "a:look", "", &(fer_call_options){.caller = &who});
    fer_call *second = begin(&s, "a:look", "", &(fer_call_options){.caller = &who});
    fer_call_cancel(first);
    assert_int_equal(s.codes[FER_CANCELLED], 1);
    assert_int_equal(s.a.waiting_count, 1);
    fer_call_cancel(second);
    assert_int_equal(s.codes[FER_CANCELLED], 2);
    assert_int_equal(s.a.waiting_count, 0);
    strike(&s);
}

static void k38_a_hit_counts(void)
{
    static const fer_caller who = {.tenant = FER_STR("t")};
    struct scene s;
    set(&s, "o", "{\"tenants\":{\"t\":{\"rateLimit\":{\"requests\":2,\"perMs\":600000}}}}");
    ask_as(&s, "a:look", "{}", "", &who);
    assert_true(ask_as(&s, "a:look", "{}", "", &who).cache_hit);
    assert_int_equal(ask_as(&s, "a:look", "{}", "", &who).error.code, FER_RATE_LIMITED);
    strike(&s);
}

/* 5.5.8: a backend that says that its tools have changed is asked again, also for what was under
 * way when it said so; others are not. */
static void results_go_with_their_tools(void)
{
    static const fer_token_owner nobody = {{"", 0}, {"", 0}};
    struct scene s;
    set(&s, "oow", "");
    ask(&s, "a:look", "");
    assert_true(ask(&s, "a:look", "").cache_hit);
    s.b.runner.changed(&s.b.runner, &nobody);
    assert_true(ask(&s, "a:look", "").cache_hit);
    s.a.runner.changed(&s.a.runner, &nobody);
    assert_false(ask(&s, "a:look", "").cache_hit);
    s.a.runner.changed(&s.a.runner, &nobody);
    begin(&s, "a:look", "", &(fer_call_options){0});
    assert_int_equal(s.a.waiting_count, 1);
    s.a.runner.changed(&s.a.runner, &nobody);
    release(&s.a, 'o');
    assert_int_equal(s.done, 1);
    s.a.script = "o";
    assert_false(ask(&s, "a:look", "").cache_hit);
    assert_true(ask(&s, "a:look", "").cache_hit);
    strike(&s);
}

/* ---- admission ---------------------------------------------------------------------------------
 */

static void a_hung_backend_leaves_the_others_alone(void)
{
    struct scene s;
    set(&s, "w", "{\"backends\":{\"*\":{\"concurrency\":4,\"queue\":{\"length\":6}}}}");
    for (int i = 0; i < 50; i++) begin(&s, "a:read", "", &(fer_call_options){0});
    assert_int_equal(s.a.asked, 4);
    assert_int_equal(s.done, 40); /* refused at once */
    assert_int_equal(s.codes[FER_CONCURRENCY_LIMITED], 40);
    for (int i = 0; i < 100; i++) assert_int_equal(ask(&s, "b:read", "").error.code, FER_OK);
    for (int i = 0; i < 10; i++) release(&s.a, 'o'); /* those that waited follow */
    assert_int_equal(s.a.asked, 10);
    assert_int_equal(s.codes[FER_OK], 10);
    strike(&s);
}

static void a_flood_does_not_keep_others_out(void)
{
    static const fer_caller loud = {.tenant = FER_STR("loud")}, calm = {.tenant = FER_STR("calm")};
    static struct scene other;
    struct scene s;
    fer_err err;
    set(&s, "w", "{\"backends\":{\"a\":{\"concurrency\":1,\"queue\":{\"length\":20}}}}");
    memset(&other, 0, sizeof other);
    for (int i = 0; i < 60; i++) begin(&s, "a:read", "", &(fer_call_options){.caller = &loud});
    for (int i = 0; i < 5; i++)
        assert_int_equal(fer_gateway_call(s.gateway, FER_STR("a:read"), FER_STR("{}"),
                                          &(fer_call_options){.caller = &calm}, on_done, &other,
                                          NULL, &err),
                         FER_OK);
    assert_int_equal(other.done, 0); /* all wait */
    for (int i = 0; i < 11; i++) release(&s.a, 'o');
    assert_true(other.codes[FER_OK] >= 4); /* turn by turn */
    strike(&s);
}

static void a_tenant_has_its_limit(void)
{
    static const fer_caller who = {.tenant = FER_STR("t")};
    struct scene s;
    set(&s, "w",
        "{\"tenants\":{\"*\":{\"concurrency\":2}},\"backends\":{\"*\":{\"queue\":{\"length\":1}}}}");
    for (int i = 0; i < 4; i++) begin(&s, "a:read", "", &(fer_call_options){.caller = &who});
    assert_int_equal(s.a.asked, 2);
    assert_int_equal(s.codes[FER_CONCURRENCY_LIMITED], 1);
    begin(&s, "b:read", "", &(fer_call_options){.caller = &who}); /* waits for the tenant's turn */
    assert_int_equal(s.done, 1);
    release(&s.a, 'o');
    release(&s.a, 'o');
    assert_int_equal(s.b.asked, 1);
    while (s.a.waiting_count) release(&s.a, 'o');
    assert_int_equal(s.done, 5);
    strike(&s);
}

static void whoever_waits_too_long_is_refused(void)
{
    struct scene s;
    set(&s, "w", "{\"backends\":{\"a\":{\"concurrency\":1,\"queue\":{\"ageMs\":5}}}}");
    begin(&s, "a:read", "", &(fer_call_options){0});
    begin(&s, "a:read", "", &(fer_call_options){0});
    while (!s.done) uv_run(fer_gateway_loop(s.gateway), UV_RUN_NOWAIT);
    assert_int_equal(s.last.error.code, FER_CONCURRENCY_LIMITED);
    assert_string_equal(s.last.error.op, "admit");
    fer_call *c = begin(&s, "a:read", "", &(fer_call_options){0});
    fer_call_cancel(c);
    assert_int_equal(s.last.error.code, FER_CANCELLED);
    release(&s.a, 'o');
    assert_int_equal(s.done, 3);
    strike(&s);
}

/* 5.7: what is held is bounded; at 85 % nothing more is to be read, past 95 % calls are refused. */
static const struct held_row {
    const char *name;
    size_t before; /* bytes of arguments of a call that waits */
    size_t own;
    bool high;
    fer_code code;
    size_t buffers; /* bytes in those of connections */
} held_rows[] = {
    {"little", 100, 10, false, FER_OK},
    {"at the high mark", 840, 10, false, FER_OK},
    {"one byte over it", 841, 10, true, FER_OK},
    {"at the mark of shedding", 940, 10, true, FER_OK},
    {"one byte over it", 941, 10, true, FER_CONCURRENCY_LIMITED},
    {"buffers count: at the high mark", 440, 10, false, FER_OK, 400},
    {"one byte over it", 440, 10, true, FER_OK, 401},
    {"buffers count: at the mark of shedding", 540, 10, true, FER_OK, 400},
    {"one byte over it", 540, 10, true, FER_CONCURRENCY_LIMITED, 401},
};

/* An object of so many bytes. */
static fer_str of_size(struct scene *s, size_t size)
{
    fer_str text = fer_arena_printf(s->arena, "{%*s}", (int)size - 2, "");
    assert_int_equal(text.len, size);
    return text;
}

static size_t tell_buffers(const void *context)
{
    return ((const struct held_row *)context)->buffers;
}

static void run_held(const struct held_row *row)
{
    struct held_row own = *row;
    struct scene s;
    fer_call *one = NULL, *two = NULL;
    fer_err err;
    set(&s, "w", "");
    s.gateway->options.bytes_max = 1000;
    fer_buffers counted = {.bytes = tell_buffers, .context = &own}, none = counted;
    struct held_row empty = {0};
    none.context = &empty;
    fer_gateway_count_buffers(s.gateway, &counted);
    fer_gateway_count_buffers(s.gateway, &none);
    fer_gateway_uncount_buffers(&none);
    assert_int_equal(fer_gateway_call(s.gateway, FER_STR("a:read"), of_size(&s, row->before), NULL,
                                      on_done, &s, &one, &err),
                     FER_OK);
    assert_int_equal(s.gateway->held, row->before);
    assert_int_equal(fer_gateway_call(s.gateway, FER_STR("a:read"), of_size(&s, row->own), NULL,
                                      on_done, &s, &two, &err),
                     FER_OK);
    if (row->code) {
        assert_int_equal(s.done, 1);
        assert_int_equal(s.codes[row->code], 1);
        assert_true(s.last.error.retry_after_ms > 0);
        assert_int_equal(fer_gateway_is_high(s.gateway), row->before + row->buffers > 850);
    } else {
        assert_int_equal(s.done, 0);
        assert_int_equal(fer_gateway_is_high(s.gateway), row->high);
        release(&s.a, 'o');
    }
    release(&s.a, 'o');
    assert_int_equal(s.gateway->held, 0); /* all of it is given back */
    strike(&s);
}

static void budgets_and_rates(void)
{
    struct scene s;
    set(&s, "o",
        "{\"tools\":{\"a:read\":{\"budget\":{\"calls\":2}}},\"backends\":{\"b\":{\"rateLimit\":{\"requests\":1,\"perMs\":600000}}}}");
    for (int i = 0; i < 2; i++) assert_int_equal(ask(&s, "a:read", "").error.code, FER_OK);
    assert_int_equal(ask(&s, "a:read", "").error.code, FER_BUDGET_EXCEEDED);
    assert_int_equal(ask(&s, "b:read", "").error.code, FER_OK);
    fer_envelope e = ask(&s, "b:read", "");
    assert_int_equal(e.error.code, FER_RATE_LIMITED);
    assert_true(e.error.retry_after_ms > 500000);
    assert_string_equal(e.error.op, "admit");
    strike(&s);
}

static void circuits(void)
{
    struct scene s;
    set(&s, "22222o",
        "{\"tools\":{\"*\":{\"retry\":{\"maxAttempts\":1}}},\"backends\":{\"a\":{\"circuitBreaker\":{\"openMs\":200}}}}");
    for (int i = 0; i < 5; i++) assert_true(ask(&s, "a:read", "").error.code);
    fer_envelope e = ask(&s, "a:read", "");
    assert_int_equal(e.error.code, FER_CIRCUIT_OPEN);
    assert_true(e.error.retry_after_ms > 0 && e.attempts == 0);
    assert_int_equal(ask(&s, "b:read", "").error.code, FER_OK);
    assert_int_equal(s.a.asked, 5);
    int64_t until = fer_clock_mono() + INT64_C(250000000);
    while (fer_clock_mono() < until) continue;
    assert_int_equal(ask(&s, "a:post", "").error.code, FER_CIRCUIT_OPEN); /* never by a write */
    assert_int_equal(s.a.lists, 1);
    assert_int_equal(ask(&s, "a:read", "").error.code, FER_OK); /* the second success */
    assert_int_equal(ask(&s, "a:post", "").error.code, FER_OK);
    strike(&s);
}

/* What a circuit or a queue refuses is made by nobody, and does not count for rates and budgets. */
static void refusals_cost_nothing(void)
{
    struct scene s;
    set(&s, "22222o",
        "{\"tools\":{\"*\":{\"retry\":{\"maxAttempts\":1}},\"a:read\":{\"budget\":{\"calls\":7}}},"
        "\"backends\":{\"a\":{\"circuitBreaker\":{\"openMs\":200},\"rateLimit\":{\"requests\":7,\"perMs\":600000}}}}");
    for (int i = 0; i < 5; i++) assert_true(ask(&s, "a:read", "").error.code);
    for (int i = 0; i < 20; i++)
        assert_int_equal(ask(&s, "a:read", "").error.code, FER_CIRCUIT_OPEN);
    int64_t until = fer_clock_mono() + INT64_C(250000000);
    while (fer_clock_mono() < until) continue;
    for (int i = 0; i < 2; i++) assert_int_equal(ask(&s, "a:read", "").error.code, FER_OK);
    assert_true(ask(&s, "a:read", "").error.code); /* all seven were made */
    strike(&s);
}

/* Calls that one lost connection ends are one failure, however many they are. */
static void one_loss_counts_once(void)
{
    struct scene s;
    set(&s, "w", "{\"tools\":{\"*\":{\"retry\":{\"maxAttempts\":1}}}}");
    for (int i = 0; i < 2 * FER_BREAKER_ROW; i++) begin(&s, "a:read", "", &(fer_call_options){0});
    while (s.a.waiting_count) release(&s.a, '2');
    assert_int_equal(s.codes[FER_CONNECTION_LOST], 2 * FER_BREAKER_ROW);
    for (int i = 1; i < FER_BREAKER_ROW; i++) { /* those that began later count, one each */
        begin(&s, "a:read", "", &(fer_call_options){0});
        release(&s.a, '2');
    }
    assert_int_equal(s.codes[FER_CIRCUIT_OPEN], 0);
    begin(&s, "a:read", "", &(fer_call_options){0});
    assert_int_equal(s.codes[FER_CIRCUIT_OPEN], 1);
    strike(&s);
}

/* P3 and limits of the caller's own never open it. */
static void whose_fault_it_is(void)
{
    struct scene s;
    set(&s, "3", "");
    for (int i = 0; i < 30; i++)
        assert_int_equal(ask(&s, "a:read", "").error.code, FER_TOOL_FAILED);
    strike(&s);
    set(&s, "l", ""); /* what it answers is too large */
    for (int i = 0; i < 30; i++)
        assert_int_equal(ask(&s, "a:read", "").error.code, FER_RESOURCE_LIMIT);
    strike(&s);
    set(&s, "w", "{\"tools\":{\"a:read\":{\"timeoutMs\":60000}}}");
    for (int i = 0; i < 12; i++) {
        begin(&s, "a:read", "", &(fer_call_options){.deadline_ms = 7});
        fer_gateway_run(s.gateway);
    }
    assert_int_equal(s.codes[FER_DEADLINE_EXCEEDED], 12);
    strike(&s);
}

/* ---- a ledger that does as it is told ----------------------------------------------------------
 */

static struct {
    char text[1 << 16];
    size_t len;
    size_t known; /* records whose form the ledger need not look at */
    bool refuse, hold, pressed;
    fer_ledger_done *done;
    void *whom;
} book;

/* What the ledger does not look at is as it was said to be. */
static void check_known(const fer_ledger_record *r)
{
    fer_facts facts;
    if (!r->known) return;
    book.known++;
    assert_true(fer_facts_scan(r->body, &facts) && fer_canonical_is_plain(r->body));
    assert_true(fer_str_eq(facts.call, r->known->call));
    if (r->type == FER_LEDGER_BEGIN) assert_true(fer_str_eq(facts.effect, r->known->effect));
    if (r->type == FER_LEDGER_END) assert_true(fer_str_eq(facts.status, r->known->status));
}

static fer_code book_append(void *context, const fer_ledger_record *r, fer_ledger_done *done,
                            void *whom, fer_err *err)
{
    (void)context;
    check_known(r);
    if (book.refuse) return fer_fail(err, FER_LEDGER_UNAVAILABLE, "full");
    int n = snprintf(book.text + book.len, sizeof book.text - book.len, "%s %.*s\n",
                     fer_ledger_type_names[r->type], FER_PRI(r->body));
    book.len += (size_t)n;
    if (!done) return FER_OK;
    book.done = done;
    book.whom = whom;
    if (!book.hold) done(whom, FER_OK, 1);
    return FER_OK;
}

static bool book_pressed(void *context)
{
    (void)context;
    return book.pressed;
}

static void keep_book(struct scene *s)
{
    memset(&book, 0, sizeof book);
    fer_keeper k = s->gateway->keeper;
    k.append = book_append;
    k.pressed = book_pressed;
    fer_gateway_keep(s->gateway, &k);
}

/* A ledger that is behind leaves out no Pure call: each waits for its records, and one that finds
 * no place is not made. */
static void a_ledger_that_is_behind_has_every_call(void)
{
    struct scene s;
    set(&s, "o", "");
    keep_book(&s);
    book.hold = book.pressed = true;
    begin(&s, "a:read", "", &(fer_call_options){0});
    assert_int_equal(s.a.asked, 0);
    book.done(book.whom, FER_OK, 1);
    assert_int_equal(s.a.asked, 1);
    assert_int_equal(s.done, 0);
    assert_non_null(strstr(book.text, "end {"));
    book.done(book.whom, FER_OK, 2);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.last.error.code, FER_OK);
    book.refuse = true;
    begin(&s, "a:read", "", &(fer_call_options){0});
    assert_int_equal(s.last.error.code, FER_LEDGER_UNAVAILABLE);
    assert_int_equal(s.a.asked, 1);
    strike(&s);
}

static void the_ledger_comes_first(void)
{
    struct scene s;
    set(&s, "o", "");
    keep_book(&s);
    book.hold = true;
    begin(&s, "a:post", "", &(fer_call_options){0});
    assert_int_equal(s.a.asked, 0); /* nothing leaves before its beginning is durable */
    assert_non_null(strstr(book.text, "begin {"));
    book.done(book.whom, FER_OK, 1);
    assert_int_equal(s.a.asked, 1);
    assert_int_equal(s.done, 0); /* nor an answer before its end is */
    assert_non_null(strstr(book.text, "end {"));
    book.done(book.whom, FER_OK, 3);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.last.error.code, FER_OK);
    book.hold = false;
    begin(&s, "a:read", "", &(fer_call_options){0}); /* nobody waits for a Pure one */
    assert_int_equal(s.done, 2);
    book.refuse = true;
    begin(&s, "a:post", "", &(fer_call_options){0});
    assert_int_equal(s.last.error.code, FER_LEDGER_UNAVAILABLE);
    begin(&s, "a:read", "", &(fer_call_options){0});
    assert_int_equal(s.last.error.code, FER_OK);
    assert_int_equal(s.a.asked, 3);
    strike(&s);
}

static void an_end_that_is_not_durable_is_no_answer(void)
{
    struct scene s;
    set(&s, "o", "");
    keep_book(&s);
    book.hold = true;
    begin(&s, "a:post", "", &(fer_call_options){0});
    book.done(book.whom, FER_OK, 1);
    book.done(book.whom, FER_LEDGER_UNAVAILABLE, 0);
    assert_int_equal(s.last.error.code, FER_OUTCOME_UNKNOWN);
    strike(&s);
    set(&s, "o", "");
    keep_book(&s);
    book.hold = true;
    begin(&s, "a:post", "", &(fer_call_options){0});
    book.done(book.whom, FER_LEDGER_UNAVAILABLE, 0);
    assert_int_equal(s.last.error.code, FER_LEDGER_UNAVAILABLE);
    assert_int_equal(s.a.asked, 0);
    strike(&s);
}

/* What the gateway knows of a record's form it says, and only that: the beginning holds what
 * callers wrote, the end of these calls nothing of theirs. */
static const struct form_row {
    const char *name, *agent, *args;
    bool known;
} record_forms[] = {
    {"plain", "agent 7", "{\"a\":1,\"b\":{\"c\":[true]}}", true},
    {"keys out of order", "agent 7", "{\"b\":1,\"a\":1}", false},
    {"a key twice in two objects", "agent 7", "{\"a\":{\"x\":1},\"b\":{\"x\":1}}", true},
    {"blanks", "agent 7", "{ \"a\" : 1 }", true}, /* redaction writes none */
    {"a quote", "agent \"7\"", "{}", false},
    {"a control character", "agent\n7", "{}", false},
    {"DEL", "agent\x7F", "{}", false},
    {"beyond ASCII", "agent \xC3\xA9", "{}", false},
    {"the end of a line for some", "agent\xE2\x80\xA8", "{}", false},
    {"a key beyond ASCII", "agent 7", "{\"\xC3\xA9\":1}", false},
};

static void run_form(const struct form_row *row)
{
    struct scene s;
    fer_caller who = {
        .tenant = FER_STR(""), .principal = FER_STR("p"), .agent = fer_str_of(row->agent)};
    set(&s, "o", "");
    keep_book(&s);
    ask_as(&s, "a:read", row->args, "", &who);
    assert_non_null(strstr(book.text, "begin {\"agent\":\"agent"));
    assert_null(strstr(book.text, "attempt {")); /* good at once: the end tells it */
    assert_int_equal(book.known, row->known ? 2 : 1);
    strike(&s);
}

/* ---- canaries (3.9): places x forms x sinks -----------------------------------------------------
 */

#define CANARY "cnry/7f3e\"A+9 zQ%41x"

static size_t canaries_in(fer_arena *a, fer_str sink)
{
    fer_net *n = fer_net_new(a);
    fer_net_stream st;
    fer_buf b;
    fer_err err;
    assert_int_equal(fer_net_add(n, FER_STR(CANARY), &err), FER_OK);
    assert_int_equal(fer_net_weave(n, &err), FER_OK);
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_net_begin(&st, n, a);
    fer_net_feed(&st, sink, &b);
    assert_int_equal(fer_net_end(&st, &b, &err), FER_OK);
    return st.hits;
}

/* # is where the canary stands, in the form under test, inside of a JSON text. */
static const char *const places[] = {
    "{\"token\":\"#\"}",
    "{\"a\":{\"Password\":\"#\"}}",
    "{\"list\":[1,{\"api_key\":\"#\"}]}",
    "{\"headers\":{\"Authorization\":\"Bearer #\"}}",
    "{\"headers\":{\"Cookie\":\"sid=#; x\"}}",
    "{\"text\":\"it is #, you know\"}",
    "{\"url\":\"https://u:#@example.com/?q=1\"}",
    "{\"url\":\"https://example.com/?key=#\"}",
    "{\"deep\":[[[[{\"x\":[\"#\"]}]]]]}",
    "{\"#\":1}",
    "{\"json\":\"{\\\"k\\\":\\\"#\\\"}\"}",
};

static char observed[1 << 14];
static void observe(void *context, const fer_call_report *r)
{
    (void)context;
    snprintf(observed, sizeof observed, "%.*s %.*s %.*s", FER_PRI(r->envelope->error.message),
             FER_PRI(r->envelope->error.details), FER_PRI(r->envelope->tool_id));
}

/* One call with the canary in its arguments and in what the backend says; how many of the sinks
 * (ledger, observers, envelope) have it. */
static size_t plant_one(struct scene *s, fer_str form, const char *place)
{
    const char *hole = strchr(place, '#');
    fer_str text = FER_STR("");
    fer_envelope e;
    fer_err err;
    fer_str args = fer_arena_printf(s->arena, "%.*s%.*s%s", (int)(hole - place), place,
                                    FER_PRI(form), hole + 1);
    s->a.says = fer_arena_printf(s->arena, "it failed: %.*s!", FER_PRI(form)).ptr;
    book.len = 0;
    assert_int_equal(fer_gateway_ask(s->arena, s->gateway, FER_STR("a:post"), args, NULL, &e, &err),
                     FER_OK);
    assert_int_equal(e.error.code, FER_TOOL_FAILED);
    assert_int_equal(fer_envelope_write(s->arena, &e, false, &text, &err), FER_OK);
    size_t found = canaries_in(s->arena, fer_str_of(book.text)) > 0;
    found += canaries_in(s->arena, fer_str_of(observed)) > 0;
    return found + (canaries_in(s->arena, text) > 0);
}

static size_t plant(bool known, size_t *planted)
{
    struct scene s;
    fer_str forms[FER_SECRET_FORMS];
    size_t count, found = 0;
    fer_err err;
    set(&s, "3", "");
    keep_book(&s);
    if (known) assert_int_equal(fer_gateway_secret(s.gateway, FER_STR(CANARY), &err), FER_OK);
    assert_int_equal(fer_gateway_observe(s.gateway, observe, NULL, &err), FER_OK);
    assert_true(fer_secret_forms(s.arena, FER_STR(CANARY), forms, &count));
    for (size_t f = 0; f < count; f++) {
        fer_buf b;
        fer_buf_init(&b, s.arena, SIZE_MAX / 4);
        fer_buf_add_escaped(&b, forms[f]);
        for (size_t p = 0; p < FER_COUNT(places); p++, ++*planted)
            found += plant_one(&s, fer_buf_view(&b), places[p]);
    }
    strike(&s);
    return found;
}

static void no_canary_is_found(void)
{
    size_t planted = 0, control = 0;
    assert_int_equal(plant(true, &planted), 0);
    assert_true(planted >= 100);
    /* The control: nobody told the secret, so that the backend's words show it. */
    assert_true(plant(false, &control) >= control * 95 / 100);
}

/* ---- without memory
 * ------------------------------------------------------------------------------
 */

static void all_end_with_the_gateway(void)
{
    struct scene s;
    set(&s, "w", "{\"backends\":{\"a\":{\"concurrency\":2}}}");
    for (int i = 0; i < 5; i++) begin(&s, "a:look", "", &(fer_call_options){0});
    for (int i = 0; i < 5; i++) begin(&s, "a:put", "k", &(fer_call_options){0});
    for (int i = 0; i < 5; i++) begin(&s, "a:read", "", &(fer_call_options){0}); /* wait */
    int64_t before = fer_clock_mono();
    strike(&s);
    assert_int_equal(s.done, 15);
    assert_true(fer_clock_mono() - before < INT64_C(10000000000)); /* not at their deadlines */
}

/* What a call may end with where an allocation fails. */
static fer_code scenario(fer_arena *unused, const void *data)
{
    const struct retry_row *row = data;
    static const char tool[] =
        "[" TOOL("set", "IdempotentWrite", ",\"idempotency\":\"optional\",\"redact\":[\"a.b\"]") "," TOOL(
            "look", "Pure", ",\"cache\":{\"ttlMs\":60000}") "]";
    static struct actor a;
    fer_err err;
    fer_catalog *catalog = NULL;
    fer_gateway *g = NULL;
    fer_arena *arena = fer_arena_new(0);
    fer_batch *b = fer_batch_new();
    fer_envelope e = {0};
    (void)unused;
    fer_code code = arena && b ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code) code = fer_catalog_new(NULL, &catalog, &err);
    fer_gateway_options o = {.catalog = catalog, .policies = FER_STR("{" QUICK "}")};
    if (!code) code = fer_gateway_new(&o, &g, &err);
    a = (struct actor){.script = row->script,
                       .runner = {.kind = &actor_kind, .name = FER_STR("a")}};
    if (!code) code = fer_gateway_add_runner(g, &a.runner, &err);
    fer_put_options put = {.backend = &(fer_backend){FER_BACKEND_LOCAL, FER_STR("a"), FER_STR("")}};
    if (!code)
        code = fer_batch_add(b, FER_STR("t.json"), fer_str_of(tool), FER_FORMAT_JSON, &put, &err);
    if (!code) code = fer_catalog_apply(catalog, b, &err);
    for (int i = 0; i < 2 && !code; i++) {
        fer_call_options call = {.idempotency_key = fer_str_of(row->key)};
        code = fer_gateway_ask(arena, g, fer_str_of(row->tool), FER_STR("{\"token\":\"x\"}"), &call,
                               &e, &err);
        if (!code && e.error.code != row->code)
            code = e.error.code == FER_OUTCOME_UNKNOWN || e.error.code == FER_INTERNAL ||
                           e.error.code == FER_INVALID_OUTPUT
                       ? FER_OUT_OF_MEMORY
                       : e.error.code;
    }
    fer_batch_free(b);
    fer_gateway_free(g);
    fer_catalog_free(catalog);
    fer_arena_free(arena);
    return code;
}

static const struct retry_row memory_rows[] = {
    {"a cached call", "a:look", "", "o", FER_OK, 1, 1},
    {"a call that is tried again", "a:look", "", "1o", FER_OK, 2, 2},
    {"a call with a key, twice", "a:set", "k", "o", FER_OK, 1, 1},
    {"a call with a key that fails", "a:set", "k", "3", FER_TOOL_FAILED, 1, 1},
};

static void run_memory(const struct retry_row *row)
{
    assert_true(rows_torture_malloc(scenario, row) > 20);
}

int main(void)
{
    int failed = ROWS_RUN("retries", retry_rows, run_retry);
    failed += ROWS_RUN("owners", owner_rows, run_owner);
    failed += ROWS_ONE("retries", an_outage_is_not_amplified);
    failed += ROWS_ONE("keys", i01_the_same_again);
    failed += ROWS_ONE("keys", i02_another_input);
    failed += ROWS_ONE("keys", i03_a_thousand_at_once);
    failed += ROWS_ONE("keys", i04_join_or_reject);
    failed += ROWS_ONE("keys", i05_a_joiner_has_its_own_deadline);
    failed += ROWS_ONE("keys", i06_unknown_stays_unknown);
    failed += ROWS_ONE("keys", i07_whose_key);
    failed += ROWS_ONE("keys", i10_what_did_not_run_is_not_kept);
    failed += ROWS_ONE("keys", i11_a_clear_no_is_kept);
    failed += ROWS_ONE("keys", i12_what_is_a_key);
    failed += ROWS_ONE("keys", i16_the_backend_sees_one_key);
    failed += ROWS_ONE("keys", i18_i19_a_replay_is_authorised_anew);
    failed += ROWS_ONE("keys", a_keyed_call_ends_although_its_caller_went);
    failed += ROWS_ONE("cache", k33_only_what_worked_is_kept);
    failed += ROWS_ONE("cache", k34_private_unless_the_operator_says_so);
    failed += ROWS_ONE("cache", k35_a_stampede_is_one_call);
    failed += ROWS_ONE("cache", k38_a_hit_counts);
    failed += ROWS_ONE("cache", results_go_with_their_tools);
    failed += ROWS_ONE("admission", a_hung_backend_leaves_the_others_alone);
    failed += ROWS_ONE("admission", a_flood_does_not_keep_others_out);
    failed += ROWS_ONE("admission", a_tenant_has_its_limit);
    failed += ROWS_ONE("admission", whoever_waits_too_long_is_refused);
    failed += ROWS_RUN("held", held_rows, run_held);
    failed += ROWS_ONE("admission", budgets_and_rates);
    failed += ROWS_ONE("circuits", circuits);
    failed += ROWS_ONE("circuits", whose_fault_it_is);
    failed += ROWS_ONE("circuits", one_loss_counts_once);
    failed += ROWS_ONE("circuits", refusals_cost_nothing);
    failed += ROWS_ONE("ledger", the_ledger_comes_first);
    failed += ROWS_ONE("ledger behind", a_ledger_that_is_behind_has_every_call);
    failed += ROWS_ONE("ledger", an_end_that_is_not_durable_is_no_answer);
    failed += ROWS_RUN("form of records", record_forms, run_form);
    failed += ROWS_ONE("canaries", no_canary_is_found);
    failed += ROWS_ONE("end", all_end_with_the_gateway);
    failed += ROWS_RUN("memory", memory_rows, run_memory);
    return failed != 0;
}
