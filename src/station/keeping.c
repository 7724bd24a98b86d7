/* SPDX-License-Identifier: Apache-2.0 */
#include "keeping.h"

#include "clock.h"
#include "errors.h"
#include "file.h"
#include "gateway_parts.h"
#include "key_words.h"
#include "ledger_folder.h"
#include "ledger_watch.h"
#include "sys.h"

#define MS     INT64_C(1000000) /* ns */
#define DAY_MS INT64_C(86400000)

struct fer_keeping {
    fer_arena *arena;
    uv_loop_t *loop;
    fer_seal *seal;
    fer_ledger *ledger;
    fer_ledger_port *ledger_port;
    fer_store *store;
    fer_store_port *store_port;
    const fer_log *log;
    size_t cache_bytes;
    fer_words words;
    fer_ledger_recovery found; /* in the ledger, at the beginning */
    fer_ledger_watch *watch;   /* or NULL */
    uv_timer_t tick;           /* the next look for words and expired keys */
    bool ticking;
    fer_ledger_state said; /* of the ledger, as the log was told last */
    bool sweeping;         /* a sweep is under way */
    int64_t next_sweep;    /* fer_clock_mono */
};

/* ---- the keeper's functions ------------------------------------------------------------------ */

static fer_code claim(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                      fer_err *err)
{
    return fer_idem_claim_key(((fer_keeping *)context)->store_port, c, done, whom, err);
}

static fer_code finish(void *context, const fer_idem_claim *c, fer_str result, int64_t expires_ms,
                       fer_store_done *done, void *whom, fer_err *err)
{
    return fer_idem_finish(((fer_keeping *)context)->store_port, c, result, expires_ms, done, whom,
                           err);
}

static fer_code release(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                        fer_err *err)
{
    return fer_idem_release(((fer_keeping *)context)->store_port, c, done, whom, err);
}

static fer_code lose(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                     fer_err *err)
{
    return fer_idem_lose(((fer_keeping *)context)->store_port, c, done, whom, err);
}

/* A ledger that cannot be written, and one that can again, is told once each, not by every call. */
static void tell_state(fer_keeping *k)
{
    fer_ledger_state now = k->ledger ? fer_ledger_state_of(k->ledger) : FER_LEDGER_OK;
    if (now == k->said || !k->log) return;
    k->said = now;
    if (now == FER_LEDGER_OK)
        fer_log_event(k->log, FER_LOG_WARN, "ledger.good",
                      FER_LOG_S("reason", FER_STR("records are written again")));
    else
        fer_log_event(k->log, FER_LOG_ERROR, "ledger.unavailable",
                      FER_LOG_S("reason", fer_str_of(fer_ledger_trouble(k->ledger))));
}

static bool writes(void *context)
{
    return fer_ledger_state_of(((fer_keeping *)context)->ledger) == FER_LEDGER_OK;
}

static fer_code append(void *context, const fer_ledger_record *r, fer_ledger_done *done, void *whom,
                       fer_err *err)
{
    fer_keeping *k = context;
    fer_code code = fer_ledger_append(k->ledger_port, r, done, whom, err);
    if (code || k->said != FER_LEDGER_OK) tell_state(k);
    return code;
}

static bool pressed(void *context)
{
    return fer_ledger_pressed(((fer_keeping *)context)->ledger_port);
}

static fer_code name(void *context, fer_str tenant, const char *use, fer_str text,
                     unsigned char out[32], fer_err *err)
{
    return fer_seal_name(((fer_keeping *)context)->seal, tenant, use, text, out, err);
}

static fer_code recall_result(void *context, fer_str tenant, fer_str key, fer_store_done *done,
                              void *whom, fer_err *err)
{
    return fer_cache_get(((fer_keeping *)context)->store_port, tenant, key, fer_clock_wall(), done,
                         whom, err);
}

static void keep_result(void *context, fer_str tenant, fer_str key, fer_str backend, fer_str record,
                        int64_t expires_ms)
{
    (void)fer_cache_put(((fer_keeping *)context)->store_port, tenant, backend, key, record,
                        expires_ms, NULL, NULL, NULL);
}

static void forget_results(void *context, fer_str backend)
{
    fer_keeping *k = context;
    if (k->store_port) (void)fer_cache_purge(k->store_port, backend, NULL, NULL, NULL);
}

/* ---- the folder ------------------------------------------------------------------------------ */

static const char *path_in(fer_keeping *k, fer_str folder, const char *file)
{
    return fer_arena_printf(k->arena, "%.*s/%s", FER_PRI(folder), file).ptr;
}

static fer_durability durability_of(fer_str word)
{
    for (int i = 0; fer_durability_names[i]; i++)
        if (fer_str_is(word, fer_durability_names[i])) return (fer_durability)i;
    return FER_DURABLE_GROUP;
}

static fer_code open_ledger(fer_keeping *k, const fer_keep_options *o, fer_ledger_recovery *found,
                            fer_err *err)
{
    const fer_config_ledger *c = o->ledger;
    fer_ledger_options lo = {.folder = path_in(k, o->folder, "ledger")};
    if (c) {
        lo.durability = durability_of(c->durability);
        lo.segment_bytes = c->segment_bytes;
        lo.checkpoint_records = c->checkpoint_records;
        lo.checkpoint_ms = c->checkpoint_ms;
        lo.keep_ms = c->retention_days * DAY_MS;
        lo.anchor = c->anchor.len ? fer_arena_copy(k->arena, c->anchor).ptr : NULL;
        lo.key = c->key.len ? fer_arena_copy(k->arena, c->key).ptr : NULL;
    }
    if (!lo.folder || (c && ((c->anchor.len && !lo.anchor) || (c->key.len && !lo.key))))
        return fer_arena_failed(k->arena, err);
    fer_code code = fer_ledger_open(&lo, &k->ledger, found, err);
    if (!code && o->verify && k->log)
        k->watch = fer_ledger_watch_begin(k->loop, lo.folder, lo.anchor, k->log);
    return code;
}

static fer_code open_store(fer_keeping *k, fer_str folder, uint64_t epoch, fer_err *err)
{
    const char *path = path_in(k, folder, "store.db");
    if (!path) return fer_arena_failed(k->arena, err);
    fer_store_options so = {
        .path = path, .seal = k->seal, .epoch = epoch, .cache_bytes = k->cache_bytes};
    fer_code code = fer_store_open(&so, &k->store, NULL, err);
    return code ? code : fer_store_attach(k->store, k->loop, &k->store_port, err);
}

static fer_code open_all(fer_keeping *k, const fer_keep_options *o, fer_err *err)
{
    const char *whole = fer_arena_copy(k->arena, o->folder).ptr,
               *key = path_in(k, o->folder, "seal.key");
    if (!whole || !key) return fer_arena_failed(k->arena, err);
    fer_code code = fer_folder_make(whole, "seal.key", err);
    if (!code) code = fer_seal_new(key, true, &k->seal, err);
    if (!code) code = open_ledger(k, o, &k->found, err);
    if (!code) code = open_store(k, o->folder, k->found.epoch, err);
    return code ? code : fer_ledger_attach(k->ledger, k->loop, &k->ledger_port, err);
}

/* ---- in the background ----------------------------------------------------------------------- */

static void on_swept(void *context, const fer_store_answer *a)
{
    fer_keeping *k = context;
    bool more = !a->code && a->count == FER_SWEEP_KEYS;
    k->sweeping = false;
    k->next_sweep = fer_clock_mono() + (more ? 0 : FER_SWEEP_MS * MS);
    if (k->log && a->code)
        fer_log_event(k->log, FER_LOG_WARN, "keys.sweep",
                      FER_LOG_S("error", fer_str_of(fer_code_info(a->code)->name)));
    else if (k->log && a->count)
        fer_log_event(k->log, FER_LOG_INFO, "keys.sweep", FER_LOG_I("expired", a->count));
}

static void sweep(fer_keeping *k)
{
    if (k->sweeping || fer_clock_mono() < k->next_sweep) return;
    k->sweeping =
        !fer_idem_expire(k->store_port, fer_clock_wall(), FER_SWEEP_KEYS, on_swept, k, NULL);
}

static void on_tick(uv_timer_t *timer)
{
    fer_keeping *k = timer->data;
    tell_state(k);
    sweep(k);
    fer_words_look(&k->words);
}

/* The first look is taken at once; nobody waits for it. */
static void begin_ticking(fer_keeping *k)
{
    if (uv_timer_init(k->loop, &k->tick)) return;
    k->ticking = true;
    k->tick.data = k;
    uv_timer_start(&k->tick, on_tick, 0, FER_WORDS_MS);
    uv_unref((uv_handle_t *)&k->tick);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static fer_code make(uv_loop_t *loop, fer_keeping **out, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_keeping *k = a ? fer_arena_alloc_zero(a, 1, sizeof *k) : NULL;
    if (!k) {
        fer_arena_free(a);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    k->arena = a;
    k->loop = loop;
    *out = k;
    return FER_OK;
}

fer_code fer_keeping_open(uv_loop_t *loop, const fer_keep_options *o, fer_keeping **out,
                          fer_err *err)
{
    fer_keeping *k = NULL;
    fer_code code = make(loop, &k, err);
    if (code) return code;
    k->log = o->log;
    k->cache_bytes = o->cache_bytes;
    code = open_all(k, o, err);
    if (code) {
        fer_keeping_end(k);
        return code;
    }
    k->words =
        (fer_words){.store = k->store_port, .ledger = k->ledger_port, .ttl_ms = o->key_ttl_ms};
    *out = k;
    return FER_OK;
}

fer_code fer_keeping_begin(fer_gateway *g, const fer_keep_options *o, fer_keeping **out,
                           fer_err *err)
{
    fer_code code = fer_keeping_open(fer_gateway_loop(g), o, out, err);
    if (code) return code;
    fer_keeper keeper = {.context = *out,
                         .claim = claim,
                         .finish = finish,
                         .release = release,
                         .lose = lose,
                         .append = append,
                         .pressed = pressed,
                         .writes = writes,
                         .name = name};
    if (o->cache) {
        keeper.recall_result = recall_result;
        keeper.keep_result = keep_result;
        keeper.forget_results = forget_results;
    }
    fer_gateway_keep(g, &keeper);
    begin_ticking(*out);
    return FER_OK;
}

fer_code fer_keeping_visit(uv_loop_t *loop, fer_str folder, fer_keeping **out, fer_err *err)
{
    fer_keeping *k = NULL;
    fer_code code = make(loop, &k, err);
    if (code) return code;
    const char *key = path_in(k, folder, "seal.key"), *store = path_in(k, folder, "store.db");
    if (!key || !store) code = fer_arena_failed(k->arena, err);
    else if (!fer_file_exists(store))
        code = fer_fail(err, FER_BAD_USAGE, "there are no keys in %.*s: no gateway kept any there",
                        FER_PRI(folder));
    if (!code) code = fer_seal_new(key, false, &k->seal, err);
    if (!code) code = open_store(k, folder, 0, err);
    if (code) fer_keeping_end(k);
    else *out = k;
    return code;
}

bool fer_keeping_is_written(const char *ledger)
{
    int folder;
    if (!ledger || fer_folder_open(ledger, false, &folder, NULL)) return false;
    bool written = fer_folder_is_written(folder);
    fer_sys_close(folder);
    return written;
}

void fer_keeping_let_go(fer_keeping *k)
{
    if (k->ledger) fer_ledger_let_go(k->ledger);
}

fer_ledger_state fer_keeping_ledger(const fer_keeping *k)
{
    return fer_ledger_state_of(k->ledger);
}

const char *fer_keeping_trouble(const fer_keeping *k)
{
    return fer_ledger_trouble(k->ledger);
}

void fer_keeping_tell(fer_keeping *k)
{
    tell_state(k);
}

const fer_ledger_recovery *fer_keeping_found(const fer_keeping *k)
{
    return &k->found;
}

fer_store_port *fer_keeping_store(const fer_keeping *k)
{
    return k->store_port;
}

fer_code fer_keeping_settle(fer_keeping *k, fer_err *err)
{
    fer_words_look(&k->words);
    while (k->words.busy) uv_run(k->loop, UV_RUN_ONCE);
    if (!k->words.failure) return FER_OK;
    return fer_fail(err, k->words.failure, "the word could not be applied: it waits in the store");
}

void fer_keeping_end(fer_keeping *k)
{
    if (!k) return;
    if (k->ticking) uv_close((uv_handle_t *)&k->tick, NULL);
    fer_ledger_watch_end(k->watch);
    if (k->ledger_port) fer_ledger_detach(k->ledger_port);
    if (k->store_port) fer_store_detach(k->store_port);
    uv_run(k->loop, UV_RUN_NOWAIT); /* the timer and the ports are closed by the loop */
    if (k->store) fer_store_close(k->store);
    if (k->ledger) fer_ledger_close(k->ledger, NULL);
    fer_seal_free(k->seal);
    fer_words_deinit(&k->words);
    fer_arena_free(k->arena);
}
