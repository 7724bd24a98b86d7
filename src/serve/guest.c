/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a server serves, and what is remembered of whom. */
#include "denied.h"
#include "errors.h"
#include "gateway_parts.h"
#include "serve_parts.h"
#include "sys.h"
#include "tasks_parts.h"

#define NO_TENANT FER_STR("-") /* whose uses count where nobody is named, as in the ledger */

/* ---- life ------------------------------------------------------------------------------------ */

static bool copy_texts(fer_arena *a, const fer_str *from, size_t count, const fer_str **out)
{
    fer_str *to = fer_arena_alloc_zero(a, count + 1, sizeof *to);
    for (size_t i = 0; to && i < count; i++) {
        to[i] = fer_arena_copy(a, from[i]);
        if (!to[i].ptr) return false;
    }
    *out = to;
    return to != NULL;
}

static bool copy_caller(fer_guest *g, const fer_caller *from)
{
    fer_caller *own = fer_arena_alloc_zero(g->arena, 1, sizeof *own);
    if (!own) return false;
    own->tenant = fer_arena_copy(g->arena, from->tenant);
    own->principal = fer_arena_copy(g->arena, from->principal);
    own->agent = fer_arena_copy(g->arena, from->agent);
    own->scopes.count = from->scopes.count;
    g->caller = own;
    return own->tenant.ptr && own->principal.ptr && own->agent.ptr &&
           copy_texts(g->arena, from->scopes.list, from->scopes.count, &own->scopes.list);
}

fer_guest *fer_guest_new(fer_front *s, const fer_guest_options *o)
{
    fer_arena *a = fer_arena_new(0);
    fer_guest *g = a ? fer_arena_alloc_zero(a, 1, sizeof *g) : NULL;
    bool own = o->expose_count > 0;
    if (!g) {
        fer_arena_free(a);
        return NULL;
    }
    *g = (fer_guest){.refs = 1,
                     .server = s,
                     .arena = a,
                     .session = ++s->sessions,
                     .steps_up = o->steps_up,
                     .mode = o->has_mode ? o->mode : s->options.mode,
                     .expose_count = own ? o->expose_count : s->options.expose_count};
    if ((o->caller && !copy_caller(g, o->caller)) ||
        !copy_texts(a, own ? o->expose : s->options.expose, g->expose_count, &g->expose)) {
        fer_arena_free(a);
        return NULL;
    }
    g->sight = (fer_sight){s->options.gateway, g->caller};
    g->next = s->guests;
    g->place = &s->guests;
    if (g->next) g->next->place = &g->next;
    s->guests = g;
    return g;
}

fer_guest *fer_guest_ref(fer_guest *g)
{
    g->refs++;
    return g;
}

bool fer_guest_is_alone(const fer_guest *g)
{
    return g->refs == 1;
}

static void forget(fer_past_search *s)
{
    fer_sys_free(s->query);
    fer_sys_free(s->tools);
    *s = (fer_past_search){0};
}

void fer_guest_unref(fer_guest *g)
{
    if (!g || --g->refs) return;
    fer_front_leave_runners(g->server, g->session);
    *g->place = g->next;
    if (g->next) g->next->place = g->place;
    for (size_t i = 0; i < FER_SERVE_SEARCHES; i++) forget(&g->searches[i]);
    fer_exports_deinit(&g->exports);
    for (int i = 0; i < FER_WARE_KINDS; i++) fer_arena_free(g->counters[i].arena);
    fer_rest_forget(&g->server->kept, g);
    fer_tasks_forget(g);
    fer_arena_free(g->arena);
}

fer_guest *fer_front_host(fer_front *s)
{
    return s->host;
}

void fer_guest_end(fer_guest *g)
{
    g->over = true;
}

bool fer_guest_is_over(const fer_guest *g)
{
    return g->over;
}

/* ---- what it may use --------------------------------------------------------------------------
 */

const fer_caller *fer_guest_caller(const fer_guest *g)
{
    return g->caller;
}

bool fer_guest_reads(const fer_guest *g, fer_str ns)
{
    return fer_sight_reads(g->caller, ns);
}

void fer_ask_note_denied(const fer_ask *q, fer_str tool)
{
    const fer_guest *g = q->peer->guest;
    fer_denied d = {.where = "mcp",
                    .why = "scopes",
                    .method = fer_str_of(q->method->name),
                    .caller = g->caller,
                    .tool = tool};
    if (fer_sight_is_narrow(&g->sight)) fer_gateway_record_denied(g->server->options.gateway, &d);
}

fer_code fer_guest_filter(const fer_guest *g, fer_arena *a, fer_filter *out, fer_err *err)
{
    return fer_sight_filter(&g->sight, a, out, err);
}

fer_code fer_guest_refresh(fer_guest *g, bool *news, fer_err *err)
{
    fer_filter filter = {0};
    uint64_t stamp = fer_sight_stamp(&g->sight);
    bool other = g->exports.arena && g->exports.stamp != stamp, changed = false;
    if (news) *news = g->unsaid;
    if (news) g->unsaid = false;
    if (fer_exports_are_current(&g->exports, g->server->options.catalog, stamp)) return FER_OK;
    fer_arena *a = fer_arena_new(1 << 20); /* for the mark of the filter */
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_guest_filter(g, a, &filter, err);
    fer_exports_wish wish = {.catalog = g->server->options.catalog,
                             .meta = g->mode == FER_SERVE_BOTH,
                             .expose = g->expose,
                             .expose_count = g->expose_count,
                             .sight = &g->sight,
                             .stamp = stamp,
                             .filter = filter.takes ? &filter : NULL};
    if (!code) code = fer_exports_refresh(&g->exports, &wish, &changed, err);
    /* The request of one client brings a tenant's list up to date; others hear of it, too. */
    if (news) *news |= changed;
    else g->unsaid |= changed && other;
    fer_arena_free(a);
    return code;
}

fer_code fer_guest_lacks(const fer_guest *g, size_t *at, fer_str *server, fer_err *err)
{
    fer_front *s = g->server;
    fer_code code;
    while ((code = fer_own_tools_why_next(s->options.gateway, g->caller, at, server, err))) {
        fer_wares_look(&s->wares);
        const fer_server *its = fer_wares_named(&s->wares, *server);
        if (its && fer_wares_shows(g, its)) break;
    }
    return code;
}

/* Those that show each tenant tools of its own are told by fer_guest_lacks. */
fer_code fer_guest_misses(const fer_guest *g, size_t *at, fer_str *server, fer_err *err)
{
    fer_front *s = g->server;
    fer_code code;
    while ((code = fer_sight_silent(s->options.gateway, at, server, err))) {
        fer_wares_look(&s->wares);
        const fer_server *its = fer_wares_named(&s->wares, *server);
        if (its ? fer_wares_shows(g, its)
                : fer_wares_exposes(g, *server) && fer_guest_reads(g, *server))
            break;
    }
    return code;
}

/* ---- searches that led to calls ---------------------------------------------------------------
 */

fer_str fer_guest_tenant(const fer_guest *g)
{
    return g->caller && g->caller->tenant.len ? g->caller->tenant : NO_TENANT;
}

static uint64_t mark_of(fer_str id)
{
    static const uint64_t seed[2] = {3, 4}; /* a clash costs a use that was none */
    fer_id parts;
    if (!fer_id_parse(id, &parts, NULL) && parts.version.len)
        id.len = parts.ns.len + 1 + parts.name.len;
    return fer_hash(seed, id);
}

static const fer_peer *owner_of(const fer_ask *q)
{
    return q->peer->options.once ? NULL : q->peer;
}

void fer_guest_searched(fer_ask *q, fer_str query, const fer_found *found)
{
    fer_guest *g = fer_ask_guest(q);
    fer_past_search *s = &g->searches[g->searched % FER_SERVE_SEARCHES];
    if (!query.len || !found->count) return;
    forget(s);
    s->query = fer_sys_malloc(query.len);
    s->tools = fer_sys_malloc(found->count * sizeof *s->tools);
    if (!s->query || !s->tools) {
        forget(s);
        return;
    }
    memcpy(s->query, query.ptr, query.len);
    s->query_len = query.len;
    s->peer = owner_of(q);
    for (size_t i = 0; i < found->count; i++)
        s->tools[s->tool_count++] = mark_of(found->matches[i].hit.summary.id);
    g->searched++;
}

/* Counts once for each search that has shown it: the newest one that did is what led here. */
void fer_guest_used(fer_ask *q, fer_str tool)
{
    fer_guest *g = fer_ask_guest(q);
    uint64_t mark = mark_of(tool);
    size_t known = g->searched < FER_SERVE_SEARCHES ? g->searched : FER_SERVE_SEARCHES;
    for (size_t i = 1; i <= known; i++) {
        fer_past_search *s = &g->searches[(g->searched - i) % FER_SERVE_SEARCHES];
        if (!s->query || s->peer != owner_of(q)) continue;
        for (size_t k = 0; k < s->tool_count; k++) {
            if (s->tools[k] != mark) continue;
            s->tools[k] = s->tools[--s->tool_count];
            if (!fer_catalog_note_use(g->server->options.catalog, fer_guest_tenant(g),
                                      (fer_str){s->query, s->query_len}, tool, NULL))
                g->server->counts.uses++;
            return;
        }
    }
}

void fer_guest_forget(fer_guest *g, const fer_peer *p)
{
    for (size_t i = 0; i < FER_SERVE_SEARCHES; i++)
        if (g->searches[i].peer == p) forget(&g->searches[i]);
}
