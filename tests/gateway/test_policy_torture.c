/* SPDX-License-Identifier: Apache-2.0 */
/*
 * F01 for policies: retries, circuits, limits, queues, keys, the cache, redaction, the ledger and
 * streams while each allocation fails in turn. Every call that began ends exactly once, with what
 * it would have ended with or the code of the failure; nothing is left behind. With what
 * test_gateway_torture runs these are more than forty scenarios.
 *
 * A scenario is a line of words, one after the other:
 *
 *     put=k       begins a call of that tool, with a key; more may follow it: ! other arguments,
 *                 ~ a stream, ~~ a stream that cancels at its first event, @5 a deadline in ms
 *     >o          the backend answers what waits longest, as letters of a script say
 *     x0          the first call (by its number) is cancelled by its caller
 *     .           all that is under way ends; what waits is answered
 *     .@1         until the second call has ended by its own time, or another one has ended
 *     chain       a chain of three steps with a key
 */
#include <stdlib.h>

#include "errors.h"
#include "gateway_parts.h"
#include "rows.h"

#define CALLS 12

/* ---- the backend: o ok, 0 to 3 a failure of that phase, w it waits, c a chunk and then a failure,
 * C a chunk, and then it waits ---------------------------------------------------------------- */

struct scene {
    fer_runner runner; /* first */
    fer_catalog *catalog;
    fer_gateway *gateway;
    const char *script;
    size_t asked;
    fer_attempt *waiting[CALLS];
    size_t waiting_count;
    fer_call *calls[CALLS];
    struct ended {
        size_t count;
        fer_code code;
        bool cancels;
    } ended[CALLS];
    size_t begun;
    fer_chain *chain;
    enum book {
        NO_BOOK,
        BOOK,
        BOOK_REFUSES,
        BOOK_LOSES_ENDS
    } book;
};

static void answer(struct scene *s, fer_attempt *t, char how)
{
    static const fer_code codes[] = {FER_BACKEND_UNAVAILABLE, FER_BACKEND_UNAVAILABLE,
                                     FER_CONNECTION_LOST, FER_TOOL_FAILED};
    fer_json *doc;
    fer_err err;
    (void)s;
    t->sent = how != '0';
    if (how == 'c') fer_attempt_event(t, FER_NEWS_CHUNK, FER_STR("{\"token\":\"part\"}"));
    if (t->ended) return;
    if (how != 'o') {
        int phase = how == 'c' ? 2 : how - '0';
        fer_attempt_end(t, &(fer_outcome){.code = codes[phase],
                                          .phase = (fer_phase)phase,
                                          .message = FER_STR("it failed: hidden-secret-1 !")});
        return;
    }
    fer_str text = FER_STR("{\"a\":{\"b\":\"hidden-secret-1\"},\"token\":\"t\"}");
    if (fer_json_read(t->arena, text, NULL, &doc, &err)) {
        fer_attempt_fail(t, err.code, "%s", err.message);
        return;
    }
    fer_attempt_end(t, &(fer_outcome){.phase = FER_PHASE_DEFINITE,
                                      .structured = fer_json_root(doc),
                                      .doc = doc,
                                      .structured_json = text});
}

static void backend_call(fer_runner *r, fer_attempt *t)
{
    struct scene *s = (struct scene *)(void *)r;
    size_t len = strlen(s->script);
    char how = s->script[s->asked < len ? s->asked : len - 1];
    s->asked++;
    t->sent = true;
    if (how == 'C') fer_attempt_event(t, FER_NEWS_CHUNK, FER_STR("{\"token\":\"part\"}"));
    if (how == 'w' || how == 'C') s->waiting[s->waiting_count++] = t;
    else answer(s, t, how);
}
static void backend_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    struct scene *s = (struct scene *)(void *)r;
    (void)reason;
    for (size_t i = 0; i < s->waiting_count; i++)
        if (s->waiting[i] == t) s->waiting[i] = s->waiting[--s->waiting_count];
    fer_attempt_fail(t, FER_CANCELLED, "as you like");
}
static void backend_list(fer_runner *r, fer_listing *l)
{
    (void)r;
    l->on_end(l, FER_OK, FER_STR("[]"), NULL);
}
static void backend_free(fer_runner *r)
{
    (void)r;
}
static const fer_runner_kind backend = {.name = "torture",
                                        .backend = FER_BACKEND_LOCAL,
                                        .call = backend_call,
                                        .cancel = backend_cancel,
                                        .list = backend_list,
                                        .free = backend_free};

/* ---- a ledger that does as it is told ----------------------------------------------------------
 */

static fer_code book_append(void *context, const fer_ledger_record *r, fer_ledger_done *done,
                            void *whom, fer_err *err)
{
    const struct scene *s = context;
    if (s->book == BOOK_REFUSES) return fer_fail(err, FER_LEDGER_UNAVAILABLE, "full");
    bool lost = s->book == BOOK_LOSES_ENDS && r->type == FER_LEDGER_END;
    if (done) done(whom, lost ? FER_LEDGER_UNAVAILABLE : FER_OK, 1);
    return FER_OK;
}

/* The keys of the gateway's own memory, with the book beside them. */
static fer_keeper memory;
static fer_code claim(void *x, const fer_idem_claim *c, fer_store_done *done, void *whom,
                      fer_err *err)
{
    (void)x;
    return memory.claim(memory.context, c, done, whom, err);
}
static fer_code finish(void *x, const fer_idem_claim *c, fer_str result, int64_t expires_ms,
                       fer_store_done *done, void *whom, fer_err *err)
{
    (void)x;
    return memory.finish(memory.context, c, result, expires_ms, done, whom, err);
}
static fer_code release(void *x, const fer_idem_claim *c, fer_store_done *done, void *whom,
                        fer_err *err)
{
    (void)x;
    return memory.release(memory.context, c, done, whom, err);
}
static fer_code lose(void *x, const fer_idem_claim *c, fer_store_done *done, void *whom,
                     fer_err *err)
{
    (void)x;
    return memory.lose(memory.context, c, done, whom, err);
}
static fer_code name(void *x, fer_str tenant, const char *use, fer_str text, unsigned char out[32],
                     fer_err *err)
{
    (void)x;
    return memory.name(memory.context, tenant, use, text, out, err);
}

static void keep_book(struct scene *s)
{
    memory = s->gateway->keeper;
    fer_gateway_keep(s->gateway, &(fer_keeper){.context = s,
                                               .claim = claim,
                                               .finish = finish,
                                               .release = release,
                                               .lose = lose,
                                               .append = book_append,
                                               .name = name});
}

/* ---- words --------------------------------------------------------------------------------------
 */

static bool on_event(void *context, fer_call *c, const fer_stream_event *e)
{
    const struct ended *x = context;
    (void)e;
    if (x->cancels) fer_call_cancel(c);
    return true;
}
static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    struct ended *x = context;
    (void)c;
    x->count++;
    x->code = e->error.code;
}
static void on_chain(void *context, const fer_chain_result *r)
{
    struct ended *x = context;
    x->count++;
    x->code = r->error.code;
}

static fer_code begin_chain(struct scene *s, struct ended *x)
{
    fer_err err = {0};
    fer_call_options o = {.idempotency_key = FER_STR("chain")};
    fer_code code = fer_chain_read(
        FER_STR("[{\"toolId\":\"a:put\",\"args\":{\"token\":\"x\"}},{\"toolId\":\"a:look\"},"
                "{\"toolId\":\"a:post\",\"usePrevious\":true}]"),
        &s->chain, &err);
    return code ? code
                : fer_gateway_chain(s->gateway, s->chain, FER_STR(""), &o, on_chain, x, &err);
}

/* tool[=key][!][~][~][@ms] */
static fer_code begin_call(struct scene *s, const char *word, struct ended *x)
{
    static const fer_caller who = {.tenant = FER_STR("t")};
    char tool[32];
    size_t len = strcspn(word, "=!~@"), key_len = 0;
    const char *key = "", *rest = word + len;
    fer_err err = {0};
    snprintf(tool, sizeof tool, "a:%.*s", (int)len, word);
    if (*rest == '=') {
        key = rest + 1;
        key_len = strcspn(key, "!~@");
        rest = key + key_len;
    }
    bool other = strchr(rest, '!') != NULL, stream = strchr(rest, '~') != NULL;
    x->cancels = strstr(rest, "~~") != NULL;
    fer_call_options o = {.idempotency_key = {key, key_len},
                          .deadline_ms =
                              strchr(rest, '@') ? strtol(strchr(rest, '@') + 1, NULL, 10) : 0,
                          .on_event = stream ? on_event : NULL,
                          .context = x,
                          .caller = &who};
    return fer_gateway_call(s->gateway, fer_str_of(tool),
                            other ? FER_STR("{\"n\":2}")
                                  : FER_STR("{\"token\":\"x\",\"a\":{\"b\":[1]}}"),
                            &o, on_done, x, &s->calls[x - s->ended], &err);
}

static void answer_first(struct scene *s, char how)
{
    fer_attempt *t = s->waiting[0];
    memmove(s->waiting, s->waiting + 1, --s->waiting_count * sizeof *s->waiting);
    answer(s, t, how);
}

static void finish_all(struct scene *s)
{
    while (s->gateway->active_count) {
        while (s->waiting_count) answer_first(s, 'o');
        if (s->gateway->active_count) uv_run(fer_gateway_loop(s->gateway), UV_RUN_ONCE);
    }
}

static size_t count_ended(const struct scene *s)
{
    size_t ended = 0;
    for (size_t i = 0; i < s->begun; i++) ended += s->ended[i].count;
    return ended;
}

/* Whoever was to cancel it did not hear of it: it is answered. */
static void wait_for(struct scene *s, size_t call)
{
    if (s->ended[call].cancels) uv_run(fer_gateway_loop(s->gateway), UV_RUN_NOWAIT);
    while (s->ended[call].cancels && s->waiting_count) answer_first(s, 'o');
    while (!count_ended(s) && !s->ended[call].count)
        uv_run(fer_gateway_loop(s->gateway), UV_RUN_ONCE);
}

static fer_code act(struct scene *s, const char *word)
{
    if (word[0] == '.' && word[1]) wait_for(s, (size_t)(word[2] - '0'));
    else if (word[0] == '.') finish_all(s);
    else if (word[0] == 'x' && word[1] >= '0' && word[1] <= '9') {
        fer_call *c = s->calls[word[1] - '0'];
        if (c) fer_call_cancel(c);
    } else if (word[0] == '>') {
        if (!s->waiting_count) return FER_OK; /* without memory it did not come so far */
        answer_first(s, word[1]);
    } else {
        struct ended *x = &s->ended[s->begun++];
        fer_code code = strcmp(word, "chain") == 0 ? begin_chain(s, x) : begin_call(s, word, x);
        if (code) {
            assert_int_equal(x->count, 0);
            x->count = 1;
            x->code = code;
        }
    }
    return FER_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

#define QUICK  "\"*\":{\"retry\":{\"backoffMs\":1,\"maxBackoffMs\":1}}"
#define TOOLS  "\"tools\":{" QUICK "}"
#define ONCE   "\"tools\":{\"*\":{\"retry\":{\"maxAttempts\":1}}}"
#define REJECT "{\"idempotency\":{\"duplicates\":\"reject\"}," TOOLS "}"
#define NARROW                                                                                     \
    "{" TOOLS ",\"backends\":{\"a\":{\"concurrency\":1,\"queue\":{\"length\":1,\"ageMs\":20}}}}"

static const struct row {
    const char *name, *policies, *script, *words;
    fer_code codes[CALLS]; /* of the calls, in the order in which they began */
    enum book book;
} rows[] = {
    {"a retry after P2", "{" TOOLS "}", "2o", "read .", {FER_OK}, NO_BOOK},
    {"retries until the last", "{" TOOLS "}", "2", "read .", {FER_CONNECTION_LOST}, NO_BOOK},
    {"a retry after P0", "{" TOOLS "}", "0o", "post .", {FER_OK}, NO_BOOK},
    {"a retry with a key", "{" TOOLS "}", "2o", "put=k . put=k .", {FER_OK, FER_OK}, BOOK},
    {"a key in doubt",
     "{" TOOLS "}",
     "2",
     "put=k . put=k .",
     {FER_OUTCOME_UNKNOWN, FER_OUTCOME_UNKNOWN},
     BOOK},
    {"a write in doubt", "{" TOOLS "}", "2", "post .", {FER_OUTCOME_UNKNOWN}, BOOK},
    {"a circuit opens",
     "{" ONCE "}",
     "2",
     "read . read . read . read . read . read .",
     {FER_CONNECTION_LOST, FER_CONNECTION_LOST, FER_CONNECTION_LOST, FER_CONNECTION_LOST,
      FER_CONNECTION_LOST, FER_CIRCUIT_OPEN},
     BOOK},
    {"a rate",
     "{\"tools\":{\"a:read\":{\"rateLimit\":{\"requests\":1,\"perMs\":600000}}}}",
     "o",
     "read . read .",
     {FER_OK, FER_RATE_LIMITED},
     BOOK},
    {"a budget",
     "{\"tools\":{\"a:read\":{\"budget\":{\"calls\":1}}}}",
     "o",
     "read . read .",
     {FER_OK, FER_BUDGET_EXCEEDED},
     BOOK},
    {"a full queue",
     NARROW,
     "w",
     "read read read >o >o .",
     {FER_OK, FER_OK, FER_CONCURRENCY_LIMITED},
     NO_BOOK},
    {"too old in the queue",
     NARROW,
     "ww",
     "read read .@1 >o .",
     {FER_OK, FER_CONCURRENCY_LIMITED},
     NO_BOOK},
    {"cancelled in the queue", NARROW, "w", "read read x1 >o .", {FER_OK, FER_CANCELLED}, NO_BOOK},
    {"a tenant's limit",
     "{\"tenants\":{\"*\":{\"concurrency\":1}}}",
     "w",
     "read read >o >o .",
     {FER_OK, FER_OK},
     NO_BOOK},
    {"joined", "{" TOOLS "}", "w", "put=k put=k >o .", {FER_OK, FER_OK}, BOOK},
    {"joined, and in doubt",
     "{" ONCE "}",
     "w",
     "put=k put=k >2 .",
     {FER_OUTCOME_UNKNOWN, FER_OUTCOME_UNKNOWN},
     BOOK},
    {"a joiner goes", "{" TOOLS "}", "w", "put=k put=k x1 >o .", {FER_OK, FER_CANCELLED}, BOOK},
    {"a joiner's deadline",
     "{" TOOLS "}",
     "w",
     "put=k put=k@15 .@1 >o .",
     {FER_OK, FER_DEADLINE_EXCEEDED},
     BOOK},
    {"rejected", REJECT, "w", "put=k put=k >o .", {FER_OK, FER_CONCURRENCY_LIMITED}, BOOK},
    {"replayed", "{" TOOLS "}", "o", "post=k . post=k .", {FER_OK, FER_OK}, BOOK},
    {"a no is replayed",
     "{" TOOLS "}",
     "3",
     "post=k . post=k .",
     {FER_TOOL_FAILED, FER_TOOL_FAILED},
     BOOK},
    {"a conflict",
     "{" TOOLS "}",
     "o",
     "put=k . put=k! .",
     {FER_OK, FER_IDEMPOTENCY_CONFLICT},
     BOOK},
    {"a conflict with one under way",
     "{" TOOLS "}",
     "w",
     "put=k put=k! >o .",
     {FER_OK, FER_IDEMPOTENCY_CONFLICT},
     BOOK},
    {"no key", "{" TOOLS "}", "o", "put .", {FER_IDEMPOTENCY_KEY_MISSING}, BOOK},
    {"its caller goes, the work is done",
     "{" TOOLS "}",
     "w",
     "put=k x0 >o . put=k .",
     {FER_OUTCOME_UNKNOWN, FER_OK},
     BOOK},
    {"its caller goes, and the work with it",
     "{" TOOLS "}",
     "w",
     "post x0 .",
     {FER_OUTCOME_UNKNOWN},
     BOOK},
    {"from the cache", "{" TOOLS "}", "o", "look . look .", {FER_OK, FER_OK}, BOOK},
    {"not from the cache", "{" TOOLS "}", "o", "look . look! .", {FER_OK, FER_OK}, BOOK},
    {"one flight", "{" TOOLS "}", "w", "look look look >o .", {FER_OK, FER_OK, FER_OK}, BOOK},
    {"one flight that fails",
     "{" ONCE "}",
     "w",
     "look look >3 .",
     {FER_TOOL_FAILED, FER_TOOL_FAILED},
     BOOK},
    {"the leader goes", "{" TOOLS "}", "w", "look look x0 >o .", {FER_CANCELLED, FER_OK}, BOOK},
    {"all go", "{" TOOLS "}", "w", "look look x0 x1 .", {FER_CANCELLED, FER_CANCELLED}, BOOK},
    {"a result is redacted",
     "{" TOOLS ",\"redaction\":{\"output\":true,\"paths\":[\"a.b\"]}}",
     "o",
     "post .",
     {FER_OK},
     BOOK},
    {"an error is redacted", "{" TOOLS "}", "3", "post .", {FER_TOOL_FAILED}, BOOK},
    {"the ledger refuses",
     "{" TOOLS "}",
     "o",
     "post . read .",
     {FER_LEDGER_UNAVAILABLE, FER_OK},
     BOOK_REFUSES},
    {"the ledger loses an end",
     "{" TOOLS "}",
     "o",
     "post=k .",
     {FER_OUTCOME_UNKNOWN},
     BOOK_LOSES_ENDS},
    {"a chain with a key", "{" TOOLS "}", "o", "chain .", {FER_OK}, BOOK},
    {"a stream that is committed", "{" TOOLS "}", "c", "read~ .", {FER_CONNECTION_LOST}, BOOK},
    {"a stream whose caller goes", "{" TOOLS "}", "C", "read~~ .@0", {FER_CANCELLED}, BOOK},
    {"a deadline", "{" TOOLS "}", "w", "read@15 .@0", {FER_DEADLINE_EXCEEDED}, BOOK},
    {"the gateway ends", NARROW, "w", "look look put=k read", {FER_CANCELLED}, BOOK},
};

#define TOOL(name, effect, more)                                                                   \
    "{\"namespace\":\"a\",\"name\":\"" name "\",\"version\":\"1.0.0\",\"description\":\"Does.\","  \
    "\"inputSchema\":{\"type\":\"object\"},\"effect\":\"" effect "\"" more "}"
static const char tools[] =
    "[" TOOL("read", "Pure", "") "," TOOL("look", "Pure", ",\"cache\":{\"ttlMs\":60000}") "," TOOL(
        "put", "IdempotentWrite", "") "," TOOL("post", "NonIdempotentWrite",
                                               ",\"idempotency\":"
                                               "\"optional\",\"redact\":"
                                               "[\"a.b\"]") "]";

static fer_code set_up(struct scene *s, const struct row *row)
{
    fer_err err = {0};
    fer_put_options put = {.backend = &(fer_backend){FER_BACKEND_LOCAL, FER_STR("a"), FER_STR("")}};
    fer_code code = fer_catalog_new(NULL, &s->catalog, &err);
    fer_gateway_options o = {.catalog = s->catalog, .policies = fer_str_of(row->policies)};
    if (!code) code = fer_gateway_new(&o, &s->gateway, &err);
    if (code) return code;
    s->runner =
        (fer_runner){.kind = &backend, .name = FER_STR("a"), .loop = fer_gateway_loop(s->gateway)};
    code = fer_gateway_add_runner(s->gateway, &s->runner, &err);
    if (!code) code = fer_gateway_secret(s->gateway, FER_STR("hidden-secret-1"), &err);
    fer_batch *b = fer_batch_new();
    if (!b) return FER_OUT_OF_MEMORY;
    if (!code)
        code = fer_batch_add(b, FER_STR("t.json"), fer_str_of(tools), FER_FORMAT_JSON, &put, &err);
    if (!code) code = fer_catalog_apply(s->catalog, b, &err);
    fer_batch_free(b);
    s->book = row->book;
    if (!code && row->book) keep_book(s);
    return code;
}

/* What a call may end with where memory fails: that, or what some call of the row ends with. */
static bool is_fair(const struct row *row, fer_code code)
{
    switch (code) {
    case FER_OK:
    case FER_OUT_OF_MEMORY:
    case FER_LIMIT_EXCEEDED:
    case FER_OUTCOME_UNKNOWN:
    case FER_LEDGER_UNAVAILABLE:
    case FER_CONCURRENCY_LIMITED: /* the same key, and no memory to wait for it with */
    case FER_CANCELLED: return true;
    default: break;
    }
    for (size_t i = 0; i < CALLS; i++)
        if (row->codes[i] == code) return true;
    return false;
}

static fer_code attempt(fer_arena *unused, const void *data)
{
    const struct row *row = data;
    struct scene s = {.script = row->script};
    char words[256], *rest = NULL;
    (void)unused;
    snprintf(words, sizeof words, "%s", row->words);
    fer_code code = set_up(&s, row);
    for (char *w = strtok_r(words, " ", &rest); w && !code; w = strtok_r(NULL, " ", &rest))
        code = act(&s, w);
    bool same = true;
    fer_gateway_free(s.gateway);
    fer_chain_free(s.chain);
    fer_catalog_free(s.catalog);
    for (size_t i = 0; i < s.begun && !code; i++) {
        assert_int_equal(s.ended[i].count, 1);
        bool last = strcmp(row->name, "the gateway ends") == 0;
        if (s.ended[i].code == row->codes[i] || last) continue;
        same = false;
        if (!is_fair(row, s.ended[i].code)) code = s.ended[i].code;
    }
    if (code == FER_LIMIT_EXCEEDED) code = FER_OUT_OF_MEMORY;
    return code || same ? code : FER_OUT_OF_MEMORY;
}

static size_t faults;

static void run_row(const struct row *row)
{
    faults += rows_torture_malloc(attempt, row);
}

int main(void)
{
    int failed = ROWS_RUN("policies without memory", rows, run_row);
    print_message("# %zu faults in %zu scenarios\n", faults, FER_COUNT(rows));
    return failed != 0;
}
