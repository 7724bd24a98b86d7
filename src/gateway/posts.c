/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runners of a gateway. The life of one here: serving -> retired, where it is taken out while
 * the gateway goes on: no later call gets it, those under way keep it -> stopping, once none is
 * left
 * -> stopped, and freed by the loop's next turn, as it may be the runner itself that said so.
 */
#include "errors.h"
#include "gateway_parts.h"
#include "print.h"

static fer_str runner_key(fer_arena *a, fer_backend_kind kind, fer_str name)
{
    return fer_arena_printf(a, "%d:%.*s", (int)kind, FER_PRI(name));
}

fer_runner *fer_gateway_runner(const fer_gateway *g, fer_backend_kind kind, fer_str name)
{
    char text[FER_DIGITS + 1 + FER_NAME_MAX];
    if (name.len > FER_NAME_MAX) return NULL;
    char *end = fer_put(text + fer_print_u64(text, (uint64_t)kind), FER_STR(":"));
    end = fer_put(end, name);
    return fer_map_get(&g->runners, (fer_str){text, (size_t)(end - text)});
}

void fer_gateway_forget_results(fer_gateway *g, fer_str backend)
{
    g->purges++;
    if (g->results) fer_results_forget_backend(g->results, backend);
    if (g->keeper.forget_results) g->keeper.forget_results(g->keeper.context, backend);
}

static void tell_lost(fer_runner *r, fer_code code, const char *why, size_t running)
{
    fer_gateway *g = r->owner;
    if (g->on_lost && !g->closing) g->on_lost(g->lost_context, r, code, why, running);
}

/* The net may be another one after each reload. */
static void clean(const fer_runner *r, fer_str text, bool cut, char *out, size_t size)
{
    const fer_gateway *g = r->owner;
    fer_net_show(g->net, text, cut, out, size);
}

static void tell_changed(fer_runner *r, const fer_token_owner *owner)
{
    fer_gateway *g = r->owner;
    if (!fer_token_owner_is_nobody(owner)) {
        if (!g->closing) fer_own_tools_changed(g, r, owner);
        return;
    }
    fer_gateway_forget_results(g, r->name);
    if (g->on_changed && !g->closing) g->on_changed(g->changed_context, r);
}

fer_code fer_gateway_add_runner(fer_gateway *g, fer_runner *r, fer_err *err)
{
    fer_str key = runner_key(g->arena, r->kind->backend, r->name);
    void **slot = key.ptr ? fer_map_put(&g->runners, key) : NULL;
    fer_post *list = fer_arena_room(g->arena, g->posts, g->post_count, &g->post_cap, sizeof *list);
    if (!slot || !list) return fer_arena_failed(g->arena, err);
    if (*slot)
        return fer_fail(err, FER_BAD_USAGE, "there are two backends of the name %.*s",
                        FER_PRI(r->name));
    fer_code code = fer_own_tools_add(g, r, err);
    if (code) return code;
    *slot = r;
    g->posts = list;
    g->posts[g->post_count++] = (fer_post){.runner = r};
    r->owner = g;
    r->changed = tell_changed;
    r->lost = tell_lost;
    r->clean = clean;
    r->late = fer_gateway_late;
    r->sink = &g->sink;
    return FER_OK;
}

/* ---- taking one out -------------------------------------------------------------------------- */

static fer_post *post_of(const fer_gateway *g, const fer_runner *r)
{
    for (size_t i = 0; i < g->post_count; i++)
        if (g->posts[i].runner == r) return &g->posts[i];
    return NULL;
}

static bool is_busy(const fer_gateway *g, const fer_runner *r)
{
    for (const fer_call *c = g->active; c; c = c->next)
        if (c->runner == r) return true;
    return false;
}

static void stopped(fer_runner *r)
{
    fer_gateway *g = r->owner;
    post_of(g, r)->state = FER_POST_STOPPED;
    if (!g->closing) fer_gateway_tidy(g);
}

static void stop(fer_post *p)
{
    fer_runner *r = p->runner;
    p->state = FER_POST_STOPPING;
    if (r->kind->stop) r->kind->stop(r, stopped);
    else stopped(r);
}

static void free_post(fer_gateway *g, size_t at)
{
    fer_post p = g->posts[at];
    g->posts[at] = g->posts[--g->post_count];
    p.runner->kind->free(p.runner);
    if (p.gone) p.gone(p.context);
}

static void on_tidy(uv_timer_t *timer)
{
    fer_gateway *g = timer->data;
    for (size_t i = 0; i < g->post_count; i++)
        if (g->posts[i].state == FER_POST_RETIRED && !is_busy(g, g->posts[i].runner))
            stop(&g->posts[i]);
    for (size_t i = g->post_count; i-- > 0;) {
        if (g->posts[i].state != FER_POST_STOPPED) continue;
        g->retired--;
        free_post(g, i);
    }
}

void fer_gateway_tidy(fer_gateway *g)
{
    uv_timer_start(&g->tidy, on_tidy, 0, 0);
}

void fer_gateway_tidy_init(fer_gateway *g)
{
    uv_timer_init(g->loop, &g->tidy);
    g->tidy.data = g;
}

void fer_gateway_retire_runner(fer_gateway *g, fer_runner *r, void (*gone)(void *context),
                               void *context)
{
    fer_post *p = post_of(g, r);
    fer_gateway_forget_results(g, r->name);
    fer_own_tools_remove(g, r);
    for (size_t i = 0; i < g->runners.cap; i++)
        if (g->runners.entries[i].value == r) g->runners.entries[i].value = NULL;
    p->state = FER_POST_RETIRED;
    p->gone = gone;
    p->context = context;
    r->changed = NULL; /* whoever wanted to know has let go of it */
    r->lost = NULL;
    r->sink = NULL;
    g->retired++;
    fer_gateway_tidy(g);
}

/* A runner that never served is stopped all the same: it may have handles of the loop. */
void fer_gateway_discard_runner(fer_gateway *g, fer_runner *r, void (*gone)(void *context),
                                void *context)
{
    fer_post *list = fer_arena_room(g->arena, g->posts, g->post_count, &g->post_cap, sizeof *list);
    r->owner = g;
    if (!list) return; /* without memory for a few bytes it is left as it is */
    g->posts = list;
    g->posts[g->post_count++] = (fer_post){r, FER_POST_RETIRED, gone, context};
    g->retired++;
    fer_gateway_tidy(g);
}

void fer_gateway_on_lost(fer_gateway *g, fer_lost_observer *tell, void *context)
{
    g->on_lost = tell;
    g->lost_context = context;
}

void fer_gateway_on_changed(fer_gateway *g, void (*tell)(void *context, fer_runner *r),
                            void *context)
{
    g->on_changed = tell;
    g->changed_context = context;
}

void fer_gateway_on_missing(fer_gateway *g, void (*tell)(void *context, fer_runner *r),
                            void *context)
{
    g->on_missing = tell;
    g->missing_context = context;
}

void fer_gateway_listen_mcp(fer_gateway *g, const struct fer_mcp_sink *sink)
{
    g->sink = sink;
}

fer_runner *fer_gateway_runner_at(const fer_gateway *g, size_t *at)
{
    while (*at < g->post_count) {
        const fer_post *p = &g->posts[(*at)++];
        if (p->state == FER_POST_SERVING) return p->runner;
    }
    return NULL;
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool all_stopped(const fer_gateway *g)
{
    for (size_t i = 0; i < g->post_count; i++)
        if (g->posts[i].state != FER_POST_STOPPED) return false;
    return true;
}

void fer_gateway_stop_runners(fer_gateway *g)
{
    uv_timer_stop(&g->tidy);
    for (size_t i = 0; i < g->post_count; i++)
        if (g->posts[i].state < FER_POST_STOPPING) stop(&g->posts[i]);
    while (!all_stopped(g)) uv_run(g->loop, UV_RUN_ONCE);
    while (g->post_count) free_post(g, g->post_count - 1);
}
