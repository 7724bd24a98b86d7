/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tools of single tenants: asking for them, and how many of them are kept. */
#include "clock.h"
#include "errors.h"
#include "own_parts.h"
#include "sys.h"

#define MS INT64_C(1000000)

bool fer_own_tools_concern(const fer_gateway *g, const fer_caller *who)
{
    return g->own && g->own->servers && (fer_own_has_owner(who) || g->own->operators);
}

/* ---- how many ---------------------------------------------------------------------------------
 */

static void forget_good(fer_own_list *t)
{
    fer_arena_free(t->good);
    t->good = NULL;
    t->bytes = 0;
    t->version = 0;
}

static void let_go(fer_own_list **at)
{
    fer_own_list *t = *at;
    fer_own_list **place = &t->server->buckets[fer_own_bucket(t->mark)];
    while (*place != t) place = &(*place)->neighbour;
    *place = t->neighbour;
    *at = t->next;
    t->server->count--;
    if (t->asking) t->asking->list = NULL;
    fer_arena_free(t->good);
    fer_sys_free(t);
}

/* The last for which nothing is under way, but for the first, who came just now; NULL: none. */
static fer_own_list **last_idle(fer_own_server *s)
{
    fer_own_list **last = NULL;
    for (fer_own_list **at = &s->lists; *at; at = &(*at)->next)
        if (*at != s->lists && !(*at)->asking && !(*at)->telling) last = at;
    return last;
}

static void trim(fer_own_server *s)
{
    size_t sum = 0;
    fer_own_list **last;
    for (const fer_own_list *t = s->lists; t; t = t->next) sum += t->bytes;
    while (sum > s->all->bytes_max && (last = last_idle(s)) != NULL) {
        sum -= (*last)->bytes;
        let_go(last);
    }
}

static fer_str put(char **at, fer_str text)
{
    fer_str own = {*at, text.len};
    if (text.len) memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return own;
}

/* The same after a restart, and of no two owners. */
static bool make_mark(const fer_token_owner *owner, char out[FER_OWN_MARK])
{
    unsigned char sum[FER_DIGEST_SIZE];
    char len[32];
    fer_digest *d = fer_digest_new();
    snprintf(len, sizeof len, "%zu:", owner->tenant.len);
    bool good = d && fer_digest_of(d, fer_str_of(len), owner->tenant, owner->principal, sum);
    fer_digest_free(d);
    if (good) fer_digest_hex(out, sum, FER_OWN_MARK / 2);
    return good;
}

static fer_own_list *make(fer_own_server *s, const fer_token_owner *owner)
{
    fer_own_list **last = s->count >= s->all->owners_max ? last_idle(s) : NULL;
    if (last) let_go(last);
    if (s->count >= s->all->owners_max) return NULL;
    fer_own_list *t = fer_sys_malloc(sizeof *t + owner->tenant.len + owner->principal.len);
    if (!t) return NULL;
    char *at = (char *)(t + 1);
    *t = (fer_own_list){.next = s->lists, .server = s};
    if (!make_mark(owner, t->mark)) {
        fer_sys_free(t);
        return NULL;
    }
    t->owner.tenant = put(&at, owner->tenant);
    t->owner.principal = put(&at, owner->principal);
    fer_own_list **place = &s->buckets[fer_own_bucket(t->mark)];
    t->neighbour = *place;
    *place = s->lists = t;
    s->count++;
    return t;
}

/* Takes it to the front. NULL: there is no room, or no memory. */
static fer_own_list *get(fer_own_server *s, const fer_caller *who)
{
    fer_token_owner owner = fer_own_owner_of(s, who);
    fer_own_list **at = &s->lists;
    while (*at && !fer_token_owner_eq(&(*at)->owner, &owner)) at = &(*at)->next;
    fer_own_list *t = *at;
    if (!t) return make(s, &owner);
    *at = t->next;
    t->next = s->lists;
    s->lists = t;
    return t;
}

/* ---- asking -----------------------------------------------------------------------------------
 */

static void ask_stale(fer_own_tools *all);

static bool lacks_any(const fer_own_list *t)
{
    fer_arena *a = fer_arena_new(0);
    fer_view *v = fer_catalog_view(t->server->all->gateway->options.catalog);
    fer_map sums;
    if (a) fer_map_init(&sums, a);
    bool lacks = a && fer_own_list_lacks(t, v, &sums);
    fer_view_unref(v);
    fer_arena_free(a);
    return lacks;
}

static void tell(fer_own_list *t, fer_code code, fer_str json)
{
    const fer_gateway *g = t->server->all->gateway;
    fer_own_news n = {t->server->runner, &t->owner, fer_own_mark(t), code, json, t->why};
    bool taken = !g->on_own || g->on_own(g->own_context, &n);
    if (!taken) t->told = 0;
    t->untaken = !taken && lacks_any(t);
    if (t->untaken) t->waited = t->began;
}

/* A token that is refused shows nothing; a server that is away may be back. */
static void fail(fer_own_list *t, fer_code code, const fer_err *err)
{
    bool other = t->code != code;
    if (!t->stale) t->waited = 0; /* else it is asked for once more, and they wait on */
    t->untaken = false;
    t->code = code;
    snprintf(t->why, sizeof t->why, "%s", err->message);
    if (code == FER_UNAUTHENTICATED || code == FER_FORBIDDEN) forget_good(t);
    if (other) tell(t, code, FER_STR(""));
}

static void succeed(fer_own_list *t, fer_str json)
{
    bool other = t->version != t->told;
    t->code = FER_OK;
    t->why[0] = '\0';
    t->told = t->version;
    if (other) tell(t, FER_OK, json);
}

static void on_listed(fer_listing *l, fer_code code, fer_str json, const fer_err *err)
{
    fer_own_asking *q = l->context;
    fer_own_list *t = q->list;
    fer_err own = {0};
    if (t) {
        fer_own_server *server = t->server;
        fer_own_tools *all = server->all;
        const fer_gateway *g = all->gateway;
        bool telling = t->telling;
        t->asking = NULL;
        t->telling = true;
        if (code && err) own = *err;
        if (!code) code = fer_own_list_take(t, json, &own);
        if (code) fail(t, code, &own);
        else succeed(t, json);
        t->telling = telling;
        trim(server); /* the list itself may go */
        if (g->on_own_known) g->on_own_known(g->own_known_context);
        ask_stale(all);
    }
    fer_arena_free(l->arena);
}

static void ask(fer_own_list *t)
{
    fer_runner *r = t->server->runner;
    fer_arena *a = fer_arena_new(0);
    fer_own_asking *q = a ? fer_arena_alloc_zero(a, 1, sizeof *q) : NULL;
    t->began = fer_clock_mono();
    if (!t->good && !t->waited) t->waited = t->began;
    t->stale = false;
    /* The list may be let go before the answer comes, so the names are its own. An owner without
     * them would be the operator. */
    if (q) q->who.owner.tenant = fer_arena_copy(a, t->owner.tenant);
    if (q) q->who.owner.principal = fer_arena_copy(a, t->owner.principal);
    if (!q || !q->who.owner.tenant.ptr || !q->who.owner.principal.ptr) {
        fer_arena_free(a);
        t->code = FER_OUT_OF_MEMORY;
        snprintf(t->why, sizeof t->why, "out of memory");
        return;
    }
    q->listing = (fer_listing){.arena = a, .on_end = on_listed, .context = q, .who = &q->who};
    q->list = t;
    t->asking = q;
    r->kind->list(r, &q->listing);
}

static bool is_due(const fer_own_list *t, int64_t now)
{
    int64_t pause = t->good && !t->stale ? FER_OWN_GOOD_MS : FER_OWN_AGAIN_MS;
    return !t->asking && (!t->began || now - t->began >= pause * MS);
}

static void on_relist(uv_timer_t *timer)
{
    ask_stale(timer->data);
}

/* Asks for those that have changed and whose turn it is; looks again when the next one's is. An
 * answer may come at once, and let others go. */
static void ask_stale(fer_own_tools *all)
{
    int64_t now = fer_clock_mono(), next = INT64_MAX;
    for (const fer_own_server *s = all->servers; s; s = s->next) {
        for (fer_own_list *t = s->lists; t; t = t->next) {
            int64_t turn = t->began + FER_OWN_AGAIN_MS * MS;
            if (t->stale && !t->asking && turn < next) next = turn;
        }
    }
    if (next == INT64_MAX) return;
    if (next > now) {
        uv_timer_start(&all->relist, on_relist, (uint64_t)((next - now) / MS) + 1, 0);
        return;
    }
    for (const fer_own_server *s = all->servers; s; s = s->next) {
        fer_own_list *t = s->lists;
        while (t && !(t->stale && is_due(t, now))) t = t->next;
        if (!t) continue;
        ask(t);
        uv_timer_start(&all->relist, on_relist, 0, 0);
        return;
    }
}

void fer_own_tools_changed(fer_gateway *g, const fer_runner *r, const fer_token_owner *owner)
{
    const fer_own_server *s = fer_own_server_of(g, r);
    fer_own_list *t = s ? fer_own_find(s, owner) : NULL;
    if (!t) return; /* nobody has come for it */
    t->stale = true;
    ask_stale(g->own);
}

void fer_own_tools_ask_again(fer_gateway *g, const fer_runner *r, const fer_view *v)
{
    const fer_own_server *s = fer_own_server_of(g, r);
    fer_arena *a = s && v ? fer_arena_new(0) : NULL;
    fer_map sums;
    if (a) fer_map_init(&sums, a);
    for (fer_own_list *t = s ? s->lists : NULL; t; t = t->next) {
        if (!t->good || (t->told && !(a && fer_own_list_lacks(t, v, &sums)))) continue;
        t->told = 0;
        t->stale = true;
        if (!t->asking) t->began = 1; /* long ago */
    }
    fer_arena_free(a); /* before answers come, which let lists go */
    if (s) ask_stale(g->own);
}

void fer_own_tools_refused(fer_gateway *g, const fer_runner *r, const fer_caller *who)
{
    const fer_own_server *s = fer_own_has_owner(who) ? fer_own_server_of(g, r) : NULL;
    fer_token_owner owner = s ? fer_own_owner_of(s, who) : (fer_token_owner){{"", 0}, {"", 0}};
    if (s) fer_own_tools_changed(g, r, &owner);
}

bool fer_own_tools_wake(fer_gateway *g, const fer_caller *who)
{
    if (!g->own || !fer_own_has_owner(who)) return false;
    int64_t now = fer_clock_mono();
    for (fer_own_server *s = g->own->servers; s; s = s->next) {
        fer_own_list *t = get(s, who);
        if (t && is_due(t, now)) ask(t);
    }
    return fer_own_tools_awaits(g, who);
}

/* ---- who waits --------------------------------------------------------------------------------
 */

static bool is_awaited(const fer_own_list *t)
{
    return ((t->asking && !t->good) || t->untaken) && !t->late;
}

bool fer_own_tools_awaits(const fer_gateway *g, const fer_caller *who)
{
    if (!g->own || !fer_own_has_owner(who)) return false;
    for (const fer_own_server *s = g->own->servers; s; s = s->next) {
        const fer_own_list *t = fer_own_list_of(s, who);
        if (t && is_awaited(t)) return true;
    }
    return false;
}

bool fer_own_tools_pending(const fer_gateway *g)
{
    for (const fer_own_server *s = g->own ? g->own->servers : NULL; s; s = s->next)
        for (const fer_own_list *t = s->lists; t; t = t->next)
            if (is_awaited(t)) return true;
    return false;
}

void fer_own_tools_give_up(fer_gateway *g, int64_t now, int64_t wait_ms)
{
    for (const fer_own_server *s = g->own ? g->own->servers : NULL; s; s = s->next)
        for (fer_own_list *t = s->lists; t; t = t->next)
            if (is_awaited(t) && now - t->waited >= wait_ms * MS) t->late = true;
}

size_t fer_own_tools_owners(const fer_gateway *g, const fer_runner *r)
{
    const fer_own_server *s = fer_own_server_of(g, r);
    return s ? s->count : 0;
}

void fer_own_tools_limit(fer_gateway *g, size_t owners, size_t bytes)
{
    if (!g->own) return;
    g->own->owners_max = owners;
    g->own->bytes_max = bytes;
}

/* ---- servers ----------------------------------------------------------------------------------
 */

static fer_own_tools *begin(fer_gateway *g)
{
    fer_own_tools *all = fer_arena_alloc_zero(g->arena, 1, sizeof *all);
    if (!all || !fer_gateway_random(g, (unsigned char *)all->seed, sizeof all->seed)) return NULL;
    all->gateway = g;
    all->owners_max = FER_OWN_OWNERS;
    all->bytes_max = FER_OWN_BYTES;
    uv_timer_init(g->loop, &all->relist);
    uv_unref((uv_handle_t *)&all->relist);
    all->relist.data = all;
    return all;
}

fer_code fer_own_tools_add(fer_gateway *g, fer_runner *r, fer_err *err)
{
    if (r->share == FER_TOKENS_SHARED || r->kind->backend != FER_BACKEND_MCP || !r->kind->list)
        return FER_OK;
    if (!g->own) g->own = begin(g);
    fer_own_server *s = g->own ? fer_sys_malloc_zero(sizeof *s) : NULL;
    if (!s) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *s = (fer_own_server){.next = g->own->servers, .all = g->own, .runner = r};
    g->own->servers = s;
    return FER_OK;
}

static void free_server(fer_own_server **at)
{
    fer_own_server *s = *at;
    *at = s->next;
    while (s->lists) let_go(&s->lists);
    fer_arena_free(s->operators_arena);
    fer_sys_free(s);
}

void fer_own_tools_remove(fer_gateway *g, const fer_runner *r)
{
    fer_own_server **at = g->own ? &g->own->servers : NULL;
    while (at && *at && (*at)->runner != r) at = &(*at)->next;
    if (at && *at) free_server(at);
}

void fer_own_tools_stop(fer_gateway *g)
{
    while (g->own && g->own->servers) free_server(&g->own->servers);
    if (g->own) uv_timer_stop(&g->own->relist);
}

void fer_own_tools_close(fer_gateway *g)
{
    if (g->own) uv_close((uv_handle_t *)&g->own->relist, NULL);
}

void fer_gateway_on_own_tools(fer_gateway *g, bool (*tell_it)(void *context, const fer_own_news *n),
                              void *context)
{
    g->on_own = tell_it;
    g->own_context = context;
}

void fer_gateway_on_own_known(fer_gateway *g, void (*tell_it)(void *context), void *context)
{
    g->on_own_known = tell_it;
    g->own_known_context = context;
}
