/* SPDX-License-Identifier: Apache-2.0 */
/* A gateway: what it holds, and its beginning and end. */
#include <assert.h>

#include "builtin.h"
#include "errors.h"
#include "gateway_parts.h"
#include "sys.h"

/* ---- calls that are used again ----------------------------------------------------------------
 */

static void unlink_call(fer_call *c)
{
    *c->link = c->next;
    if (c->next) c->next->link = c->link;
}

static void link_call(fer_call **list, fer_call *c)
{
    c->next = *list;
    c->link = list;
    if (c->next) c->next->link = &c->next;
    *list = c;
}

static fer_call *new_call(fer_gateway *g)
{
    fer_call *c = fer_sys_malloc(sizeof *c);
    if (!c) return NULL;
    memset(c, 0, sizeof *c);
    c->arena = fer_arena_new(FER_CALL_MEMORY);
    if (!c->arena) {
        fer_sys_free(c);
        return NULL;
    }
    c->gateway = g;
    uv_timer_init(g->loop, &c->limit);
    uv_timer_init(g->loop, &c->pulse);
    uv_unref((uv_handle_t *)&c->pulse);
    return c;
}

fer_call *fer_gateway_take_call(fer_gateway *g)
{
    fer_call *c = g->spare;
    if (c) unlink_call(c);
    else c = new_call(g);
    if (!c) return NULL;
    link_call(&g->active, c);
    g->active_count++;
    g->calls++;
    return c;
}

void fer_call_hold(fer_call *c, size_t bytes)
{
    c->held += bytes;
    c->gateway->held += bytes;
}

void fer_gateway_count_buffers(fer_gateway *g, fer_buffers *b)
{
    b->next = g->buffers;
    b->place = &g->buffers;
    if (b->next) b->next->place = &b->next;
    g->buffers = b;
}

void fer_gateway_uncount_buffers(fer_buffers *b)
{
    if (!b->place) return;
    *b->place = b->next;
    if (b->next) b->next->place = b->place;
    b->place = NULL;
}

size_t fer_gateway_held(const fer_gateway *g)
{
    size_t held = g->held;
    for (const fer_buffers *b = g->buffers; b; b = b->next) held += b->bytes(b->context);
    return held;
}

static bool is_over(const fer_gateway *g, size_t percent)
{
    return fer_gateway_held(g) > g->options.bytes_max / 100 * percent;
}

bool fer_gateway_is_high(const fer_gateway *g)
{
    return is_over(g, FER_BYTES_HIGH);
}

bool fer_gateway_must_shed(const fer_gateway *g)
{
    return is_over(g, FER_BYTES_SHED);
}

void fer_gateway_give_call(fer_call *c)
{
    fer_gateway *g = c->gateway;
    g->held -= c->held;
    fer_arena *a = c->arena;
    fer_ready_unref(c->ready);
    fer_rulebook_unref(c->rulebook);
    fer_arena_reset(a);
    unlink_call(c);
    g->active_count--;
    /* All but what lives as long as the gateway. */
    memset(&c->stage, 0, offsetof(fer_call, limit) - offsetof(fer_call, stage));
    memset(&c->cancelled, 0, sizeof *c - offsetof(fer_call, cancelled));
    link_call(&g->spare, c);
    if (g->retired) fer_gateway_tidy(g); /* it may have been the last of a runner's */
}

static void close_calls(fer_call *c)
{
    for (; c; c = c->next) {
        uv_close((uv_handle_t *)&c->limit, NULL);
        uv_close((uv_handle_t *)&c->pulse, NULL);
    }
}

static void free_calls(fer_call *c)
{
    while (c) {
        fer_call *next = c->next;
        fer_arena_free(c->arena);
        fer_sys_free(c);
        c = next;
    }
}

/* ---- secrets, and who keeps what --------------------------------------------------------------
 */

fer_code fer_gateway_secret(fer_gateway *g, fer_str value, fer_err *err)
{
    if (!g->net) g->net = fer_net_new(g->arena);
    if (!g->net) return fer_arena_failed(g->arena, err);
    fer_code code = fer_net_add(g->net, value, err);
    return code ? code : fer_net_weave(g->net, err);
}

void fer_gateway_keep(fer_gateway *g, const fer_keeper *k)
{
    g->keeper = *k;
}

uint64_t fer_gateway_chance(fer_gateway *g)
{
    uint64_t out = 0;
    unsigned char b[sizeof out];
    if (fer_gateway_random(g, b, sizeof b)) memcpy(&out, b, sizeof out);
    return out;
}

/* All that policies need, or nothing. */
static fer_code begin_policies(fer_gateway *g, fer_err *err)
{
    unsigned char secret[32];
    uint64_t seed[2];
    fer_code code = fer_rulebook_new(g->options.policies, &g->rulebook, err);
    if (code) return code;
    if (!fer_gateway_random(g, secret, sizeof secret) ||
        !fer_gateway_random(g, (unsigned char *)seed, sizeof seed))
        return fer_fail(err, FER_IO_ERROR, "the system has no randomness");
    fer_scopes_init(&g->scopes, g->rulebook->set, seed);
    fer_bag_init(&g->flights, seed);
    g->readies.rulebook = g->rulebook;
    g->results = fer_results_new(fer_policy_common_of(g->rulebook->set)->cache_bytes, seed);
    g->memory = g->results ? fer_memory_new(secret) : NULL;
    if (!g->memory) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_memory_keeper(g->memory, &g->keeper);
    return FER_OK;
}

static void end_policies(fer_gateway *g)
{
    fer_results_free(g->results);
    fer_memory_free(g->memory);
    fer_gone_free(g->gone);
    fer_bag_deinit(&g->flights);
    fer_scopes_deinit(&g->scopes);
    fer_rulebook_unref(g->rulebook);
}

/* A cache of the size that the policies name; where none can be had, the old one, empty. */
static void renew_results(fer_gateway *g)
{
    uint64_t seed[2];
    fer_results *made = NULL;
    if (fer_gateway_random(g, (unsigned char *)seed, sizeof seed))
        made = fer_results_new(fer_policy_common_of(g->rulebook->set)->cache_bytes, seed);
    fer_results_forget(g->results, FER_STR(""));
    if (!made) return;
    fer_results_free(g->results);
    g->results = made;
}

void fer_gateway_take_rulebook(fer_gateway *g, fer_rulebook *b)
{
    fer_rulebook *old = g->rulebook;
    g->rulebook = b;
    fer_scopes_change(&g->scopes, b->set);
    fer_readies_change(&g->readies, b);
    renew_results(g);
    fer_rulebook_unref(old);
}

void fer_gateway_take_catalog(fer_gateway *g, fer_catalog *catalog)
{
    g->options.catalog = catalog;
    fer_readies_change(&g->readies, g->rulebook);
    fer_results_forget(g->results, FER_STR(""));
}

fer_code fer_gateway_change_policies(fer_gateway *g, fer_str policies, fer_err *err)
{
    fer_rulebook *made;
    fer_code code = fer_rulebook_new(policies, &made, err);
    if (!code) fer_gateway_take_rulebook(g, made);
    return code;
}

/* ---- random names ------------------------------------------------------------------------------
 */

bool fer_gateway_random(fer_gateway *g, unsigned char *out, size_t size)
{
    assert(size <= 64);
    if (g->random_left < size) {
        if (fer_sys_random(g->random, sizeof g->random)) return false;
        g->random_left = sizeof g->random;
    }
    g->random_left -= size;
    memcpy(out, g->random + g->random_left, size);
    return true;
}

bool fer_gateway_uuid(fer_gateway *g, char out[FER_UUID_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char b[16];
    if (!fer_gateway_random(g, b, sizeof b)) return false;
    b[6] = (unsigned char)((b[6] & 0x0F) | 0x40); /* RFC 9562, version 4 */
    b[8] = (unsigned char)((b[8] & 0x3F) | 0x80);
    for (size_t i = 0; i < sizeof b; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
        *out++ = hex[b[i] >> 4];
        *out++ = hex[b[i] & 15];
    }
    *out = '\0';
    return true;
}

/* ---- beginning and end --------------------------------------------------------------------------
 */

fer_code fer_gateway_new(const fer_gateway_options *options, fer_gateway **out, fer_err *err)
{
    if (!options) return fer_fail(err, FER_BAD_USAGE, "a gateway needs options");
    fer_arena *a = fer_arena_new(0);
    fer_gateway *g = a ? fer_arena_alloc_zero(a, 1, sizeof *g) : NULL;
    if (!g || !fer_readies_init(&g->readies)) {
        fer_arena_free(a);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    g->arena = a;
    g->options = *options;
    g->loop = options->loop;
    if (!g->options.calls_max) g->options.calls_max = FER_CALLS_MAX;
    if (!g->options.bytes_max) g->options.bytes_max = FER_CALL_BYTES;
    if (g->options.deadline_ms <= 0) g->options.deadline_ms = FER_CALL_DEADLINE_MS;
    if (!g->options.selector) g->options.selector = fer_backend_default;
    fer_map_init(&g->runners, a);
    fer_metrics_init(&g->metrics, a);
    fer_code code = begin_policies(g, err);
    int bad = code || g->loop ? 0 : uv_loop_init(&g->own_loop);
    if (bad) code = fer_fail(err, FER_IO_ERROR, "no event loop can be made: %s", uv_strerror(bad));
    if (code) {
        end_policies(g);
        fer_readies_deinit(&g->readies);
        fer_arena_free(a);
        return code;
    }
    if (!g->loop) g->loop = &g->own_loop;
    fer_gateway_tidy_init(g);
    *out = g;
    return FER_OK;
}

fer_code fer_gateway_observe_ends(fer_gateway *g, fer_call_observer *tell, void *context,
                                  fer_err *err)
{
    if (g->observer_count == FER_OBSERVERS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "gateway.observers: at most %d",
                        FER_OBSERVERS_MAX);
    g->observers[g->observer_count].tell = tell;
    g->observers[g->observer_count++].context = context;
    return FER_OK;
}

fer_code fer_gateway_observe(fer_gateway *g, fer_call_observer *tell, void *context, fer_err *err)
{
    fer_code code = fer_gateway_observe_ends(g, tell, context, err);
    g->timed |= !code;
    return code;
}

fer_code fer_gateway_observe_late(fer_gateway *g, fer_late_observer *tell, void *context,
                                  fer_err *err)
{
    if (g->late_observer_count == FER_OBSERVERS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "gateway.observers: at most %d",
                        FER_OBSERVERS_MAX);
    g->late_observers[g->late_observer_count].tell = tell;
    g->late_observers[g->late_observer_count++].context = context;
    return FER_OK;
}

void fer_gateway_change(fer_gateway *g, const fer_gateway_options *options)
{
    fer_gateway_options *o = &g->options;
    o->warn_output = options->warn_output;
    o->uncounted = options->uncounted;
    o->calls_max = options->calls_max ? options->calls_max : FER_CALLS_MAX;
    o->bytes_max = options->bytes_max ? options->bytes_max : FER_CALL_BYTES;
    o->deadline_ms = options->deadline_ms > 0 ? options->deadline_ms : FER_CALL_DEADLINE_MS;
    o->timeout_ms = options->timeout_ms;
}

void fer_gateway_run(fer_gateway *g)
{
    while (g->active_count) uv_run(g->loop, UV_RUN_ONCE);
}

void fer_gateway_cancel(fer_gateway *g)
{
    for (fer_call *c = g->active, *next; c; c = next) {
        next = c->next;
        fer_call_stop(c, FER_CANCEL_CLIENT_CANCELLED);
    }
}

struct uv_loop_s *fer_gateway_loop(fer_gateway *g)
{
    return g->loop;
}

void fer_gateway_stop(fer_gateway *g)
{
    if (g->closing) return;
    g->closing = true;
    fer_own_tools_stop(g);
    /* A call that ends may end others that wait for it: the list is gone through anew until all
     * have been told. */
    for (size_t turn = g->active_count; turn > 0 && g->active; turn--) {
        for (fer_call *c = g->active, *next; c; c = next) {
            next = c->next;
            fer_call_stop(c, FER_CANCEL_SHUTDOWN);
        }
    }
    /* What is written down before the answer may take a moment. */
    while (g->active) uv_run(g->loop, UV_RUN_ONCE);
    fer_gateway_stop_runners(g);
    while (g->probes) uv_run(g->loop, UV_RUN_ONCE);
    fer_gateway_close_traces(g);
}

void fer_gateway_free(fer_gateway *g)
{
    if (!g) return;
    fer_gateway_stop(g);
    close_calls(g->spare);
    uv_close((uv_handle_t *)&g->tidy, NULL);
    fer_own_tools_close(g);
    /* Handles are gone after their closing was told. */
    uv_run(g->loop, g->loop == &g->own_loop ? UV_RUN_DEFAULT : UV_RUN_NOWAIT);
    free_calls(g->spare);
    fer_gateway_free_traces(g);
    fer_arena_free(g->route_arena);
    end_policies(g);
    fer_readies_deinit(&g->readies);
    if (g->loop == &g->own_loop) {
        int busy = uv_loop_close(&g->own_loop);
        assert(!busy);
        (void)busy;
    }
    fer_arena_free(g->arena);
}

/* ---- functions of this process ------------------------------------------------------------------
 */

static fer_code add_one(fer_gateway *g, fer_arena *a, fer_batch *b, const fer_builtin *f,
                        fer_err *err)
{
    fer_str record, pack = fer_str_of(f->ns);
    fer_runner *r = fer_gateway_runner(g, FER_BACKEND_LOCAL, pack);
    fer_code code = FER_OK;
    if (!r) {
        r = fer_builtin_runner(g->loop, pack);
        if (!r) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
        code = fer_gateway_add_runner(g, r, err);
        if (code) {
            r->kind->free(r);
            return code;
        }
    }
    code = fer_builtin_add(r, f, err);
    if (!code) code = fer_builtin_record(a, f, &record, err);
    fer_backend place = {FER_BACKEND_LOCAL, pack, FER_STR("")};
    fer_put_options o = {.ns = pack, .backend = &place};
    if (!code) code = fer_batch_add(b, FER_STR("builtin.json"), record, FER_FORMAT_JSON, &o, err);
    return code;
}

fer_code fer_gateway_builtins(fer_gateway *g, const fer_builtin *list, size_t count, fer_err *err)
{
    fer_batch *b = fer_batch_new();
    fer_arena *a = fer_arena_new(0);
    fer_code code = a && b ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; !code && i < count; i++) code = add_one(g, a, b, &list[i], err);
    if (!code) code = fer_catalog_apply(g->options.catalog, b, err);
    fer_batch_free(b);
    fer_arena_free(a);
    return code;
}
