/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys, results and times through the whole gateway, over the ledger and the store that a command
 * keeps its state in: what happens to a key after crashes, past its time, in a full or damaged
 * store; to cached results when clocks jump and rights go; to calls while the loop stands still.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "json_value.h"
#include "keeping.h"
#include "rows.h"
#include "site.h"

/* ---- a gateway over its state, and a backend that is told what to do ---------------------------
 */

struct stage {
    fer_runner runner; /* first */
    char folder[128], state[160];
    fer_arena *arena;
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_keeping *keeping;
    size_t asked;     /* attempts that came */
    size_t size;      /* bytes of a result; 0: a small one */
    bool dies, waits; /* it kills the process when it has been asked; it answers later */
    fer_attempt *waiting[8];
    size_t waiting_count;
    char keys[8][64]; /* that it got */
    size_t done;
    fer_envelope last;
    fer_code codes[8];
};

static void answer(struct stage *s, fer_attempt *t)
{
    fer_json *doc;
    fer_err err;
    size_t size = s->size ? s->size : 20;
    char *text = fer_arena_alloc(t->arena, size + 32);
    if (!text) {
        fer_attempt_fail(t, FER_OUT_OF_MEMORY, "out of memory");
        return;
    }
    int head = snprintf(text, 32, "{\"n\":%zu,\"x\":\"", s->asked);
    size_t len = (size_t)head + (size > (size_t)head + 2 ? size - (size_t)head - 2 : 0);
    memset(text + head, 'x', len - (size_t)head);
    memcpy(text + len, "\"}", 2);
    fer_json_limits all = *fer_json_limits_file();
    all.size = all.string = (size_t)128 << 20;
    if (fer_json_read(t->arena, (fer_str){text, len + 2}, &all, &doc, &err)) {
        fer_attempt_fail(t, err.code, "%s", err.message);
        return;
    }
    fer_attempt_end(t, &(fer_outcome){.phase = FER_PHASE_DEFINITE,
                                      .structured = fer_json_root(doc),
                                      .doc = doc,
                                      .structured_json = {text, len + 2}});
}

static void backend_call(fer_runner *r, fer_attempt *t)
{
    struct stage *s = (struct stage *)(void *)r;
    t->sent = true;
    if (s->asked < FER_COUNT(s->keys))
        snprintf(s->keys[s->asked], sizeof s->keys[0], "%.*s", FER_PRI(t->idempotency_key));
    s->asked++;
    if (s->dies) _exit(0);
    if (s->waits) s->waiting[s->waiting_count++] = t;
    else answer(s, t);
}
static void backend_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    struct stage *s = (struct stage *)(void *)r;
    (void)reason;
    for (size_t i = 0; i < s->waiting_count; i++)
        if (s->waiting[i] == t) s->waiting[i] = s->waiting[--s->waiting_count];
    fer_attempt_fail(t, FER_CANCELLED, "as you like");
}
static void backend_free(fer_runner *r)
{
    (void)r;
}
static const fer_runner_kind backend = {.name = "stage",
                                        .backend = FER_BACKEND_LOCAL,
                                        .call = backend_call,
                                        .cancel = backend_cancel,
                                        .free = backend_free};

#define TOOL(name, version, effect, more)                                                          \
    "{\"namespace\":\"a\",\"name\":\"" name "\",\"version\":\"" version                            \
    "\",\"description\":\"Does.\",\"inputSchema\":{\"type\":\"object\"},\"effect\":\"" effect      \
    "\"" more "}"
static const char tools[] = "[" TOOL("read", "1.0.0", "Pure", "") "," TOOL(
    "look", "1.0.0", "Pure",
    ",\"cache\":{\"ttlMs\":60000}") "," TOOL("put", "1.0.0", "IdempotentWrite",
                                             "") "," TOOL("post", "1.0.0", "NonIdempotentWrite",
                                                          ",\"idempotency\":\"optional\"") "]";

static void put_tools(struct stage *s, const char *list)
{
    fer_err err;
    fer_batch *b = fer_batch_new();
    fer_put_options put = {.backend = &(fer_backend){FER_BACKEND_LOCAL, FER_STR("a"), FER_STR("")}};
    if (fer_batch_add(b, FER_STR("t.json"), fer_str_of(list), FER_FORMAT_JSON, &put, &err))
        fail_msg("%s", err.message);
    assert_int_equal(fer_catalog_apply(s->catalog, b, &err), FER_OK);
    fer_batch_free(b);
}

/* Opens what is in the folder. */
static void open_stage(struct stage *s, const char *policies)
{
    fer_err err;
    s->arena = fer_arena_new(0);
    assert_int_equal(fer_catalog_new(NULL, &s->catalog, &err), FER_OK);
    fer_gateway_options o = {.catalog = s->catalog, .policies = fer_str_of(policies)};
    if (fer_gateway_new(&o, &s->gateway, &err)) fail_msg("%s", err.message);
    s->runner =
        (fer_runner){.kind = &backend, .name = FER_STR("a"), .loop = fer_gateway_loop(s->gateway)};
    assert_int_equal(fer_gateway_add_runner(s->gateway, &s->runner, &err), FER_OK);
    put_tools(s, tools);
    fer_config_ledger ledger = {.segment_bytes = 1 << 20}; /* a life writes little */
    fer_keep_options keep = {
        .folder = fer_str_of(s->state), .ledger = &ledger, .key_ttl_ms = FER_KEY_TTL_MS};
    if (fer_keeping_begin(s->gateway, &keep, &s->keeping, &err)) fail_msg("%s", err.message);
}

static void close_stage(struct stage *s)
{
    fer_gateway_stop(s->gateway);
    fer_keeping_end(s->keeping);
    fer_gateway_free(s->gateway);
    fer_catalog_free(s->catalog);
    fer_arena_free(s->arena);
}

static void set(struct stage *s, const char *policies)
{
    *s = (struct stage){0};
    site_folder(s->folder);
    assert_int_equal(mkdir(s->folder, 0700), 0);
    snprintf(s->state, sizeof s->state, "%s/state", s->folder);
    open_stage(s, policies);
}

static void strike(struct stage *s)
{
    close_stage(s);
    site_remove(s->folder);
}

static fer_envelope ask_as(struct stage *s, const char *tool, const char *key,
                           const fer_caller *who)
{
    fer_envelope e;
    fer_err err;
    fer_call_options o = {.idempotency_key = fer_str_of(key), .caller = who};
    assert_int_equal(
        fer_gateway_ask(s->arena, s->gateway, fer_str_of(tool), FER_STR("{}"), &o, &e, &err),
        FER_OK);
    return e;
}

static fer_envelope ask(struct stage *s, const char *tool, const char *key)
{
    return ask_as(s, tool, key, NULL);
}

/* SQL on the store behind its back. */
static void tamper(const struct stage *s, const char *sql)
{
    char path[200];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/store.db", s->state);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_true(sqlite3_changes(db) > 0);
    sqlite3_close(db);
}

/* ---- I06: a crash in each state ----------------------------------------------------------------
 */

#define HONOURS "{\"backends\":{\"a\":{\"honoursKeys\":true}}}"

static const struct crash_row {
    const char *name, *tool, *policies;
    bool ended; /* the first call had its end */
    fer_code code;
    bool replayed;
    size_t asked; /* by the second life */
} crash_rows[] = {
    {"I06 PENDING, IdempotentWrite, keys are honoured: sent again", "a:put", HONOURS, false, FER_OK,
     false, 1},
    {"I06 PENDING, IdempotentWrite: unknown", "a:put", "", false, FER_OUTCOME_UNKNOWN, false, 0},
    {"I06 PENDING, NonIdempotentWrite: unknown", "a:post", "", false, FER_OUTCOME_UNKNOWN, false,
     0},
    {"I06 PENDING, NonIdempotentWrite, keys are honoured: unknown all the same", "a:post", HONOURS,
     false, FER_OUTCOME_UNKNOWN, false, 0},
    {"I06 PENDING, Pure: no key is kept", "a:read", HONOURS, false, FER_OK, false, 1},
    {"I06 DONE, IdempotentWrite: replayed", "a:put", "", true, FER_OK, true, 0},
    {"I06 DONE, NonIdempotentWrite: replayed", "a:post", "", true, FER_OK, true, 0},
};

static void run_crash(const struct crash_row *row)
{
    struct stage s;
    int status;
    set(&s, row->policies);
    close_stage(&s); /* threads do not survive a fork: the child opens its own */
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        open_stage(&s, row->policies);
        s.dies = !row->ended;
        fer_envelope e = ask(&s, row->tool, "k");
        _exit(row->ended && !e.error.code ? 0 : 9); /* nothing is closed */
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    open_stage(&s, row->policies);
    for (int i = 0; i < 2; i++) {
        fer_envelope e = ask(&s, row->tool, "k");
        assert_int_equal(e.error.code, row->code);
        if (i == 0) assert_int_equal(e.replayed, row->replayed);
        if (i == 0) assert_int_equal(s.asked, row->asked);
    }
    /* I16: the backend sees the same key as before the crash. */
    if (row->asked && strcmp(row->tool, "a:put") == 0) assert_true(strlen(s.keys[0]) > 20);
    strike(&s);
}

/* ---- I08, F64: the time of a key, by the wall clock ---------------------------------------------
 */

static const struct time_row {
    const char *name, *tool, *faults;
    bool again; /* it runs again */
} time_rows[] = {
    {"I08 a key within its time", "a:put", "wall:+82800s@1+", false},
    {"I08 a key past its time", "a:put", "wall:+90000s@1+", true},
    {"F64 a key, the wall clock an hour back", "a:put", "wall:-3600s@1+", false},
    {"F64 a key, the wall clock in 1970", "a:put", "wall:-1700000000s@1+", false},
    {"K36 a cached result, the wall clock an hour ahead", "a:look", "wall:+3600s@1+", false},
    {"K36 a cached result, the wall clock an hour back", "a:look", "wall:-3600s@1+", false},
    {"K36 a cached result, a minute later", "a:look", "clock:+61s@1+", true},
    {"F64 a cached result, 59 seconds later", "a:look", "clock:+59s@1+", false},
};

static void run_time(const struct time_row *row)
{
    struct stage s;
    bool keyed = strcmp(row->tool, "a:put") == 0;
    set(&s, "");
    assert_int_equal(ask(&s, row->tool, keyed ? "k" : "").error.code, FER_OK);
    assert_true(fer_faults_begin(row->faults));
    fer_envelope e = ask(&s, row->tool, keyed ? "k" : "");
    fer_faults_begin(NULL);
    assert_int_equal(e.error.code, FER_OK);
    assert_int_equal(e.replayed || e.cache_hit, !row->again);
    assert_int_equal(s.asked, row->again ? 2 : 1);
    strike(&s);
}

/* ---- a store that is full, damaged ...
 * -----------------------------------------------------------
 */

static void i09_a_full_store_refuses(void)
{
    struct stage s;
    set(&s, "");
    assert_int_equal(ask(&s, "a:put", "old").error.code, FER_OK);
    close_stage(&s);
    tamper(&s, "UPDATE usage SET count = 100000");
    open_stage(&s, "");
    fer_envelope e = ask(&s, "a:put", "new");
    assert_int_equal(e.error.code, FER_BUDGET_EXCEEDED);
    assert_int_equal(e.attempts, 0);
    assert_true(ask(&s, "a:put", "old").replayed);              /* nothing is dropped early */
    assert_int_equal(ask(&s, "a:post", "").error.code, FER_OK); /* without a key it goes */
    assert_int_equal(s.asked, 2);
    strike(&s);
}

static const struct damage_row {
    const char *name, *sql;
} damage_rows[] = {
    {"I15 a result of other bytes", "UPDATE idem SET result = randomblob(length(result))"},
    {"I15 a result that is cut", "UPDATE idem SET result = substr(result, 1, length(result) - 1)"},
    {"I15 no result", "UPDATE idem SET result = x''"},
    {"I15 another fingerprint", "UPDATE idem SET fingerprint = randomblob(32)"},
};

static void run_damage(const struct damage_row *row)
{
    struct stage s;
    set(&s, "");
    assert_int_equal(ask(&s, "a:post", "k").error.code, FER_OK);
    close_stage(&s);
    tamper(&s, row->sql);
    open_stage(&s, "");
    for (int i = 0; i < 2; i++)
        assert_int_equal(ask(&s, "a:post", "k").error.code, FER_OUTCOME_UNKNOWN);
    assert_int_equal(s.asked, 1); /* never again */
    strike(&s);
}

static const struct size_row {
    const char *name;
    size_t size;
} size_rows[] = {
    {"I13 a small result", 0},
    {"I13 1 MiB", (size_t)1 << 20},
    {"I13 1 MiB and a byte", ((size_t)1 << 20) + 1},
    {"I13 4 MiB", (size_t)4 << 20},
};

static void run_size(const struct size_row *row)
{
    struct stage s;
    set(&s, "");
    s.size = row->size;
    fer_envelope one = ask(&s, "a:post", "k");
    assert_int_equal(one.error.code, FER_OK);
    assert_true(row->size == 0 || one.structured.len == row->size);
    fer_str kept = fer_arena_copy(s.arena, one.structured);
    fer_arena *first = s.arena;
    close_stage(&(struct stage){
        .gateway = s.gateway, .keeping = s.keeping, .catalog = s.catalog, .arena = NULL});
    open_stage(&s, "");
    fer_envelope two = ask(&s, "a:post", "k");
    assert_true(two.replayed && fer_str_eq(two.structured, kept));
    assert_int_equal(s.asked, 1);
    fer_arena_free(first);
    strike(&s);
}

/* Past what a call may take nobody pretends: the effect has happened, and nobody has the result. */
static void i13_64_mib(void)
{
    struct stage s;
    set(&s, "");
    s.size = (size_t)64 << 20;
    fer_envelope one = ask(&s, "a:post", "k"), two = ask(&s, "a:post", "k");
    assert_int_equal(s.asked, 1);
    assert_int_equal(one.error.code, FER_OUTCOME_UNKNOWN);
    assert_int_equal(two.error.code, FER_OUTCOME_UNKNOWN);
    strike(&s);
}

static void i14_no_secret_is_in_the_files(void)
{
    static const char *const secret[] = {"cnry-key-0a9b8c7d6e5f"};
    struct history *h = history_new();
    struct stage s;
    set(&s, "");
    assert_int_equal(ask(&s, "a:put", secret[0]).error.code, FER_OK);
    assert_true(ask(&s, "a:put", secret[0]).replayed);
    close_stage(&s);
    history_scan(h, s.state, secret, 1);
    assert_int_equal(h->secrets, 0);
    history_free(h);
    site_remove(s.folder);
}

static const struct version_row {
    const char *name, *version;
    fer_code code;
} version_rows[] = {
    {"I17 the same version", "1.0.0", FER_OK},
    {"I17 a minor version later", "1.1.0", FER_OK},
    {"I17 another major version", "2.0.0", FER_IDEMPOTENCY_CONFLICT},
};

static void run_version(const struct version_row *row)
{
    struct stage s;
    char list[512];
    set(&s, "");
    assert_int_equal(ask(&s, "a:put", "k").error.code, FER_OK);
    snprintf(list, sizeof list, "[" TOOL("put", "%s", "IdempotentWrite", "") "]", row->version);
    put_tools(&s, list);
    fer_envelope e = ask(&s, "a:put", "k");
    assert_int_equal(e.error.code, row->code);
    assert_int_equal(e.replayed, row->code == FER_OK);
    assert_int_equal(s.asked, 1);
    strike(&s);
}

static void on_chain(void *context, const fer_chain_result *r)
{
    struct stage *s = context;
    s->done++;
    assert_int_equal(r->error.code, FER_OK);
}

static void i20_steps_have_keys_of_their_own(void)
{
    struct stage s;
    fer_chain *chain;
    fer_err err;
    fer_call_options o = {.idempotency_key = FER_STR("k")};
    set(&s, "");
    assert_int_equal(
        fer_chain_read(
            FER_STR("[{\"toolId\":\"a:put\"},{\"toolId\":\"a:put\"},{\"toolId\":\"a:put\"}]"),
            &chain, &err),
        FER_OK);
    for (size_t i = 1; i <= 2; i++) {
        assert_int_equal(fer_gateway_chain(s.gateway, chain, FER_STR(""), &o, on_chain, &s, &err),
                         FER_OK);
        fer_gateway_run(s.gateway);
        assert_int_equal(s.done, i);
        assert_int_equal(s.asked, 3); /* the second time all is known */
    }
    assert_string_not_equal(s.keys[0], s.keys[1]);
    assert_string_not_equal(s.keys[0], s.keys[2]);
    assert_string_not_equal(s.keys[1], s.keys[2]);
    fer_chain_free(chain);
    strike(&s);
}

/* ---- K38: whoever lost a right gets no hit ------------------------------------------------------
 */

static void k38_without_its_right_nobody_hits(void)
{
    static const fer_str right[] = {FER_STR("r")};
    static const fer_caller had = {.tenant = FER_STR("t"),
                                   .principal = FER_STR("p"),
                                   .scopes = {right, 1}},
                            lost = {.tenant = FER_STR("t"),
                                    .principal = FER_STR("p"),
                                    .scopes = {right, 0}};
    struct stage s;
    set(&s, "");
    put_tools(&s, "[" TOOL("look", "1.0.1", "Pure",
                           ",\"cache\":{\"ttlMs\":60000},\"requiredScopes\":[\"r\"]") "]");
    assert_int_equal(ask_as(&s, "a:look", "", &had).error.code, FER_OK);
    assert_true(ask_as(&s, "a:look", "", &had).cache_hit);
    fer_envelope e = ask_as(&s, "a:look", "", &lost);
    assert_int_equal(e.error.code, FER_FORBIDDEN);
    assert_false(e.cache_hit || e.structured.len);
    strike(&s);
}

/* ---- F61, F62: time that passes, and a loop that stands still -----------------------------------
 */

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    struct stage *s = context;
    (void)c;
    s->codes[s->done++] = e->error.code;
}

static void begin(struct stage *s, const char *tool, int64_t deadline_ms)
{
    fer_err err;
    fer_call_options o = {.deadline_ms = deadline_ms};
    assert_int_equal(
        fer_gateway_call(s->gateway, fer_str_of(tool), FER_STR("{}"), &o, on_done, s, NULL, &err),
        FER_OK);
}

/* A machine that slept: the clock of deadlines goes on by an hour, and the answer is there. Nothing
 * waits any longer, and what was answered in time is given. */
static void f61_an_hour_passes_at_once(void)
{
    struct stage s;
    set(&s, "");
    s.waits = true;
    begin(&s, "a:read", 30000);
    while (!s.waiting_count) uv_run(fer_gateway_loop(s.gateway), UV_RUN_NOWAIT);
    assert_true(fer_faults_begin("clock:+3600s@1+"));
    answer(&s, s.waiting[0]);
    fer_faults_begin(NULL);
    fer_gateway_run(s.gateway);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.codes[0], FER_OK);
    strike(&s);
}

/* The loop stands still for a second: whoever's time is over is told so right after it, the others
 * never notice, and the ledger has all of them. */
static void f62_the_loop_stands_still(void)
{
    struct stage s;
    struct history *h = history_new();
    char ledger[200];
    set(&s, "");
    s.waits = true;
    begin(&s, "a:read", 300);
    begin(&s, "a:post", 30000);
    begin(&s, "a:read", 30000);
    while (s.waiting_count < 3) uv_run(fer_gateway_loop(s.gateway), UV_RUN_ONCE);
    usleep(1000000);
    while (!s.done) uv_run(fer_gateway_loop(s.gateway), UV_RUN_ONCE);
    assert_int_equal(s.codes[0], FER_DEADLINE_EXCEEDED);
    assert_int_equal(s.waiting_count, 2);
    while (s.waiting_count) answer(&s, s.waiting[--s.waiting_count]);
    fer_gateway_run(s.gateway);
    assert_int_equal(s.done, 3);
    assert_true(s.codes[1] == FER_OK && s.codes[2] == FER_OK);
    close_stage(&s);
    snprintf(ledger, sizeof ledger, "%s/ledger", s.state);
    history_load(h, NULL, ledger, "");
    assert_int_equal(h->flaws + h->open, 0);
    history_free(h);
    site_remove(s.folder);
}

int main(void)
{
    int failed = ROWS_RUN("keys after a crash", crash_rows, run_crash);
    failed += ROWS_RUN("times", time_rows, run_time);
    failed += ROWS_ONE("store", i09_a_full_store_refuses);
    failed += ROWS_RUN("damage", damage_rows, run_damage);
    failed += ROWS_RUN("sizes", size_rows, run_size);
    failed += ROWS_ONE("sizes", i13_64_mib);
    failed += ROWS_ONE("store", i14_no_secret_is_in_the_files);
    failed += ROWS_RUN("versions", version_rows, run_version);
    failed += ROWS_ONE("chains", i20_steps_have_keys_of_their_own);
    failed += ROWS_ONE("cache", k38_without_its_right_nobody_hits);
    failed += ROWS_ONE("time", f61_an_hour_passes_at_once);
    failed += ROWS_ONE("time", f62_the_loop_stands_still);
    return failed != 0;
}
