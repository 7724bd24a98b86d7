/* SPDX-License-Identifier: Apache-2.0 */
#include "choose.h"

#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"

_Static_assert(FER_BACKENDS_MAX <= 64, "a bit for each");

/* ---- routes ---------------------------------------------------------------------------------- */

static bool copy_backends(fer_arena *a, const fer_route *from, fer_route *to)
{
    fer_backend *list = fer_arena_alloc_zero(a, from->count + 1, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < from->count; i++) {
        list[i].kind = from->backends[i].kind;
        list[i].name = fer_arena_copy(a, from->backends[i].name);
        list[i].tool = fer_arena_copy(a, from->backends[i].tool);
        if (!list[i].name.ptr || !list[i].tool.ptr) return false;
    }
    *to = (fer_route){fer_arena_copy(a, from->tool), list, from->count};
    return to->tool.ptr != NULL;
}

static fer_code take_route(fer_arena *a, fer_map *map, const fer_route *route, fer_err *err)
{
    fer_id id;
    fer_code code = fer_id_parse(route->tool, &id, err);
    if (code) return code;
    if (!route->count || route->count > FER_BACKENDS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a route has 1 to %d backends", FER_BACKENDS_MAX);
    fer_route *own = fer_arena_alloc(a, sizeof *own);
    if (!own || !copy_backends(a, route, own)) return fer_arena_failed(a, err);
    void **slot = fer_map_put(map, own->tool);
    if (!slot) return fer_arena_failed(a, err);
    *slot = own;
    return FER_OK;
}

fer_code fer_gateway_routes(fer_gateway *g, const fer_route *routes, size_t count, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_map map;
    fer_code code = a ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) return code;
    fer_map_init(&map, a);
    for (size_t i = 0; !code && i < count; i++) code = take_route(a, &map, &routes[i], err);
    if (code) {
        fer_arena_free(a);
        return code;
    }
    fer_arena_free(g->route_arena);
    g->route_arena = a;
    g->routes = map;
    return FER_OK;
}

/* By its whole ID, or by that without its version. */
static const fer_route *route_of(const fer_gateway *g, const fer_ready *r)
{
    fer_id id;
    if (!g->route_arena || !g->routes.count) return NULL;
    const fer_route *route = fer_map_get(&g->routes, r->id);
    if (route || fer_id_parse(r->id, &id, NULL) || !id.version.len) return route;
    return fer_map_get(&g->routes, fer_str_slice(r->id, 0, r->id.len - id.version.len - 1));
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Of those that were not tried, the one that the selector likes; `count`: none. */
static size_t select_one(const fer_gateway *g, const fer_ready *r, uint64_t tried)
{
    fer_backend left[FER_BACKENDS_MAX];
    size_t at[FER_BACKENDS_MAX], count = 0;
    for (size_t i = 0; i < r->backend_count && i < FER_BACKENDS_MAX; i++) {
        if (tried >> i & 1) continue;
        at[count] = i;
        left[count++] = r->backends[i];
    }
    if (!count) return r->backend_count;
    size_t choice = g->options.selector(g->options.selector_context, r->id, left, count);
    return choice < count ? at[choice] : r->backend_count;
}

fer_runner *fer_choose(const fer_gateway *g, const fer_ready *r, uint64_t *tried, fer_backend *out)
{
    const fer_route *route = route_of(g, r);
    const fer_backend *list = route ? route->backends : r->backends;
    size_t count = route ? route->count : r->backend_count;
    for (;;) {
        size_t at = 0;
        if (!route) at = select_one(g, r, *tried);
        else
            while (at < count && *tried >> at & 1) at++;
        if (at >= count) return NULL;
        *tried |= UINT64_C(1) << at;
        *out = list[at];
        fer_runner *runner = fer_gateway_runner(g, out->kind, out->name);
        if (runner) return runner;
    }
}

fer_move fer_call_choose(fer_call *c)
{
    const fer_ready *r = c->ready;
    fer_backend b = {.name = FER_STR(""), .tool = FER_STR("")};
    c->runner = fer_choose(c->gateway, r, &c->tried, &b);
    if (!c->runner && b.name.len)
        return fer_call_refuse(c, FER_BACKEND_UNAVAILABLE,
                               "%.*s runs at \"%.*s\", which is not configured here",
                               FER_PRI(r->id), FER_PRI(b.name));
    if (!c->runner)
        return fer_call_refuse(c, FER_BACKEND_UNAVAILABLE, "%.*s has no backend that may run it",
                               FER_PRI(r->id));
    /* Routes may be others before the call has ended. */
    b.name = fer_arena_copy(c->arena, b.name);
    b.tool = fer_arena_copy(c->arena, b.tool);
    if (!b.name.ptr || !b.tool.ptr) {
        c->runner = NULL;
        return fer_call_refuse(c, FER_OUT_OF_MEMORY, "out of memory");
    }
    c->envelope.backend = b;
    return FER_MOVE_NEXT;
}

bool fer_call_may_fail_over(const fer_call *c)
{
    const fer_outcome *o = &c->outcome;
    uint64_t tried = c->tried;
    fer_backend next;
    if (c->cancelled || c->wanted || c->attempt.sent || o->phase != FER_PHASE_NOTHING_SENT)
        return false;
    if (o->code != FER_BACKEND_UNAVAILABLE && o->code != FER_BACKEND_CRASHED) return false;
    if (fer_clock_mono() >= c->attempt.deadline) return false;
    return fer_choose(c->gateway, c->ready, &tried, &next) != NULL;
}
