/* SPDX-License-Identifier: Apache-2.0 */
/* Fetching and keeping what servers have beside tools. */
#include "wares.h"

#include <fnmatch.h>

#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "json_skim.h"
#include "json_value.h"
#include "serve_parts.h"
#include "sys.h"
#include "tasks.h"

#define MS INT64_C(1000000)

const fer_ware_row fer_ware_rows[FER_WARE_KINDS] = {
    [FER_WARE_RESOURCE] = {"resources/list", "resources", "uri", "resources"},
    [FER_WARE_TEMPLATE] = {"resources/templates/list", "resourceTemplates", "uriTemplate",
                           "resources"},
    [FER_WARE_PROMPT] = {"prompts/list", "prompts", "name", "prompts"},
};

/* ---- a list of one server -------------------------------------------------------------------- */

static void ask(fer_stock *t);

static fer_stocks *group_of(fer_stock *t)
{
    return t->hoard ? &t->hoard->stocks : &t->server->stocks;
}

/* What is kept stays where the server does not answer: it was good a while ago. */
static void end(fer_stock *t, bool good)
{
    fer_wares *w = t->server->wares;
    fer_str found = good ? fer_buf_view(&t->found) : FER_STR("");
    bool news = t->told || (good && !fer_str_eq(found, t->items));
    if (good) {
        fer_arena_free(t->good);
        t->good = t->arena;
        t->items = found;
        t->rest = fer_mcp_rest_text(&t->beside, t->good);
        w->versions[t->kind]++;
    } else {
        fer_arena_free(t->arena);
    }
    t->arena = NULL;
    t->told = false;
    if (news) {
        t->news = true;
        fer_front_tell_soon(w->front);
    }
    if (t->again) ask(t);
    if (!fer_stocks_lack(group_of(t))) group_of(t)->wait_until = 0;
    fer_front_wares_known(w->front);
    if (good && t->hoard) fer_hoards_trim(t->server);
}

/* Adds the items of a list as they came; false: it is none. */
static bool add_items(fer_stock *t, fer_str result)
{
    fer_json *doc;
    if (fer_json_read(t->arena, result, fer_json_limits_answer(), &doc, NULL)) return false;
    const yyjson_val *list = fer_val_get(fer_json_root(doc), fer_ware_rows[t->kind].list);
    if (!fer_is_arr(list)) return false;
    if (!fer_mcp_rest_add(&t->beside, doc, fer_json_root(doc), fer_ware_rows[t->kind].list))
        return false;
    fer_str text = fer_rpc_bytes(doc, list), inner = fer_str_slice(text, 1, text.len - 1);
    t->count += fer_val_len(list);
    if (!fer_val_len(list)) return true;
    if (t->found.len) fer_buf_add_char(&t->found, ',');
    fer_buf_add(&t->found, inner);
    return !t->found.failure && t->count <= FER_WARES_MAX;
}

/* The params of the next page; empty: there is none. */
static fer_str next_page(fer_stock *t, fer_str result)
{
    fer_json *doc;
    if (fer_json_read(t->arena, result, fer_json_limits_answer(), &doc, NULL)) return FER_STR("");
    const yyjson_val *cursor = fer_val_get(fer_json_root(doc), "nextCursor");
    if (!fer_is_str(cursor) || ++t->pages >= FER_MCP_PAGES_MAX) return FER_STR("");
    return fer_arena_printf(t->arena, "{\"cursor\":%.*s}", FER_PRI(fer_rpc_bytes(doc, cursor)));
}

static void on_page(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    fer_stock *t = k->context;
    bool none = o->error.len && o->definite && !t->pages; /* it has no such things */
    if (o->code || !add_items(t, o->json)) {
        end(t, none);
        return;
    }
    k->params = next_page(t, o->json);
    if (!k->params.len) {
        end(t, true);
        return;
    }
    fer_mcp_client *client = k->request.client;
    fer_mcp_client_call(client, k);
}

static void ask(fer_stock *t)
{
    fer_runner *r = t->server->runner;
    fer_asker who = {.owner = {FER_STR(""), FER_STR("")}};
    t->again = t->arena != NULL;
    if (t->arena || !r) return;
    if (t->hoard) who.owner = t->hoard->owner;
    fer_mcp_client *client = r->kind->mcp(r, t->hoard ? &who : NULL, FER_STR(""));
    t->arena = client ? fer_arena_new(4 * FER_WARES_SIZE) : NULL;
    if (!t->arena) return;
    fer_stocks *group = group_of(t);
    if (!t->good && !group->wait_until)
        group->wait_until = fer_clock_mono() + FER_SERVE_SETTLE_MS * MS;
    fer_buf_init(&t->found, t->arena, FER_WARES_SIZE);
    fer_mcp_rest_init(&t->beside, t->arena, FER_WARES_SIZE);
    t->count = t->pages = 0;
    t->deadline = fer_clock_mono() + FER_WARES_MS * MS;
    t->call = (fer_mcp_call){.arena = t->arena,
                             .method = fer_ware_rows[t->kind].method,
                             .on_end = on_page,
                             .context = t};
    fer_front_watch_time(t->server->wares->front);
    fer_mcp_client_call(client, &t->call);
}

static void drop(fer_stock *t, const char *why)
{
    if (!t->arena) return;
    fer_mcp_call_drop(&t->call, why);
    t->again = false;
    end(t, false);
}

/* ---- all lists that a token is shown ----------------------------------------------------------
 */

void fer_stocks_init(fer_stocks *all, fer_server *s, fer_hoard *h)
{
    *all = (fer_stocks){0};
    for (int i = 0; i < FER_WARE_KINDS; i++)
        all->each[i] = (fer_stock){.server = s, .hoard = h, .kind = (fer_ware_kind)i};
}

void fer_stocks_deinit(fer_stocks *all, bool there)
{
    for (int i = 0; i < FER_WARE_KINDS; i++) {
        fer_stock *t = &all->each[i];
        if (t->arena && there) fer_mcp_call_drop(&t->call, "the server is not served any more");
        fer_arena_free(t->arena);
        fer_arena_free(t->good);
    }
}

bool fer_stocks_busy(const fer_stocks *all)
{
    for (int i = 0; i < FER_WARE_KINDS; i++)
        if (all->each[i].arena) return true;
    return false;
}

bool fer_stocks_lack(const fer_stocks *all)
{
    for (int i = 0; i < FER_WARE_KINDS; i++)
        if (all->each[i].arena && !all->each[i].good) return true;
    return false;
}

fer_stocks *fer_wares_stocks(const fer_guest *g, const fer_server *s)
{
    fer_asker who = fer_guest_asker(g, 0);
    fer_token_owner owner = fer_token_owner_of(s->share, who.owner.tenant, who.owner.principal);
    if (fer_token_owner_is_nobody(&owner)) return (fer_stocks *)(uintptr_t)&s->stocks;
    fer_hoard *h = fer_hoard_find(s, &owner);
    return h ? &h->stocks : NULL;
}

/* ---- servers --------------------------------------------------------------------------------- */

bool fer_wares_exposes(const fer_guest *g, fer_str ns)
{
    char name[FER_NAME_MAX + 1], pattern[FER_NAME_MAX + 1];
    if (!g->expose_count || ns.len > FER_NAME_MAX) return !g->expose_count;
    memcpy(name, ns.ptr, ns.len);
    name[ns.len] = '\0';
    for (size_t i = 0; i < g->expose_count; i++) {
        size_t colon = fer_str_find(g->expose[i], 0, ':');
        fer_str head = colon == SIZE_MAX ? g->expose[i] : fer_str_slice(g->expose[i], 0, colon);
        if (head.len > FER_NAME_MAX) continue;
        memcpy(pattern, head.ptr, head.len);
        pattern[head.len] = '\0';
        if (fnmatch(pattern, name, 0) == 0) return true;
    }
    return false;
}

bool fer_wares_shows(const fer_guest *g, const fer_server *s)
{
    return s->runner && fer_wares_exposes(g, s->name) && fer_guest_reads(g, s->name);
}

static fer_server *find(const fer_wares *w, fer_str name)
{
    fer_server *s = w->servers;
    while (s && !fer_str_eq(s->name, name)) s = s->next;
    return s;
}

static fer_server *add(fer_wares *w, const fer_runner *r)
{
    fer_server *s = fer_sys_malloc_zero(sizeof *s), **at = &w->servers;
    char *name = s ? fer_sys_malloc(r->name.len + 1) : NULL;
    if (!name) {
        fer_sys_free(s);
        return NULL;
    }
    memcpy(name, r->name.ptr, r->name.len);
    s->name = (fer_str){name, r->name.len};
    s->wares = w;
    fer_stocks_init(&s->stocks, s, NULL);
    while (*at) at = &(*at)->next;
    *at = s;
    return s;
}

/* Calls of tools as tasks, in the way of either era. */
static unsigned tasks_of(const yyjson_val *can, const char *version)
{
    const yyjson_val *all = fer_val_get(can, "extensions"), *old = fer_val_get(can, "tasks");
    const yyjson_val *requests = fer_is_obj(old) ? fer_val_get(old, "requests") : NULL;
    const yyjson_val *tools = fer_is_obj(requests) ? fer_val_get(requests, "tools") : NULL;
    bool newer = strcmp(version, "2026-07-28") >= 0;
    if (newer) return fer_is_obj(all) && fer_val_get(all, FER_MCP_TASKS) ? FER_CAN_TASKS : 0;
    if (!fer_is_obj(tools) || !fer_val_get(tools, "call")) return 0;
    return FER_CAN_OLD_TASKS | (fer_is_obj(fer_val_get(old, "list")) ? FER_CAN_LIST_TASKS : 0);
}

void fer_server_note(fer_server *s, fer_str capabilities, const char *version)
{
    fer_arena *a = capabilities.len ? fer_arena_new(0) : NULL;
    fer_json *doc;
    s->known = true;
    s->can = 0;
    if (a && !fer_json_read(a, capabilities, NULL, &doc, NULL)) {
        const yyjson_val *can = fer_json_root(doc), *resources = fer_val_get(can, "resources");
        if (resources) s->can |= FER_CAN_RESOURCES;
        if (fer_is_true(fer_val_get(resources, "subscribe"))) s->can |= FER_CAN_WATCH;
        if (fer_val_get(can, "prompts")) s->can |= FER_CAN_PROMPTS;
        if (fer_val_get(can, "completions")) s->can |= FER_CAN_COMPLETE;
        if (fer_val_get(can, "logging")) s->can |= FER_CAN_LOG;
        s->can |= tasks_of(can, version);
        /* Before 2025-03-26 nobody said it: who has prompts or templates may complete. */
        if (strcmp(version, "2025-03-26") < 0 && s->can & 3) s->can |= FER_CAN_COMPLETE;
    }
    fer_arena_free(a);
}

void fer_server_forget_past(fer_server *s)
{
    fer_arena_free(s->past);
    s->past = NULL;
    s->capabilities = s->instructions = FER_STR("");
}

void fer_server_forget_list(fer_server *s)
{
    fer_arena_free(s->past_list);
    s->past_list = NULL;
    s->past_rest = FER_STR("");
}

/* What it says itself counts, as soon as it says anything. */
static void note_abilities(fer_server *s)
{
    fer_mcp_client *client = s->runner->kind->mcp(s->runner, NULL, FER_STR(""));
    fer_mcp_info info;
    fer_mcp_client_info(client, &info);
    if (!info.connects) return;
    fer_server_forget_past(s);
    fer_server_note(s, fer_mcp_client_capabilities(client), info.version->name);
    s->wares->noted++;
}

static bool has(const fer_server *s, fer_ware_kind kind)
{
    unsigned need = kind == FER_WARE_PROMPT ? FER_CAN_PROMPTS : FER_CAN_RESOURCES;
    return (s->can & need) != 0;
}

static void fetch_all(fer_server *s)
{
    for (int i = 0; i < FER_WARE_KINDS; i++)
        if (has(s, (fer_ware_kind)i) && !s->stocks.each[i].arena) ask(&s->stocks.each[i]);
}

/* Of a server that has not said what it has everything is asked for: what it does not have it
 * refuses. */
static void fetch_owned(fer_server *s, fer_hoard *h, bool again)
{
    for (int i = 0; i < FER_WARE_KINDS; i++) {
        fer_stock *t = &h->stocks.each[i];
        bool wanted = again || (!t->good && !t->arena);
        if (wanted && (!s->known || has(s, (fer_ware_kind)i))) ask(t);
    }
}

/* Another runner has the name, or the first one. */
static void take_runner(fer_server *s, fer_runner *r)
{
    const char *level = fer_log_level_name(s->wares->front->log_level);
    s->runner = r;
    s->share = r->share;
    s->stocks.late = false;
    if (level) fer_mcp_runner_log_level(r, level);
    note_abilities(s);
    if (s->known) fetch_all(s);
    fer_front_watch_again(s->wares->front, s);
}

void fer_wares_look(fer_wares *w)
{
    const fer_gateway *g = w->front->options.gateway;
    fer_runner *r;
    for (fer_server *s = w->servers; s; s = s->next) {
        r = fer_gateway_runner(g, FER_BACKEND_MCP, s->name);
        if (s->runner == r) continue;
        fer_stocks_deinit(&s->stocks, true);
        fer_stocks_init(&s->stocks, s, NULL);
        fer_hoards_free(s, true);
        for (int i = 0; i < FER_WARE_KINDS; i++) w->versions[i]++;
        fer_server_forget_past(s);
        fer_server_forget_list(s);
        s->runner = NULL;
        s->known = false;
        s->can = 0;
        if (r) take_runner(s, r);
    }
    for (size_t at = 0; (r = fer_gateway_runner_at(g, &at)) != NULL;) {
        if (!r->kind->mcp || find(w, r->name)) continue;
        fer_server *s = add(w, r);
        if (s) take_runner(s, r);
    }
}

fer_server *fer_wares_named(const fer_wares *w, fer_str name)
{
    fer_server *s = w->servers;
    while (s && !(fer_str_eq(s->name, name) && s->runner)) s = s->next;
    return s;
}

fer_server *fer_wares_server(fer_wares *w, const fer_runner *r)
{
    fer_wares_look(w);
    fer_server *s = w->servers;
    while (s && s->runner != r) s = s->next;
    return s;
}

/* The first question decides whether it can be reached: of those without prompts it is refused. */
void fer_wares_wake(fer_guest *g)
{
    fer_wares *w = &g->server->wares;
    fer_wares_look(w);
    for (fer_server *s = w->servers; s; s = s->next) {
        if (!fer_wares_shows(g, s)) continue;
        fer_hoard *h = fer_hoard_get(s, g);
        if (h) fetch_owned(s, h, false);
        if (!h && !s->known && !s->stocks.each[FER_WARE_PROMPT].arena)
            ask(&s->stocks.each[FER_WARE_PROMPT]);
    }
}

static bool is_awaited(const fer_stocks *all)
{
    return !all->late && fer_stocks_lack(all);
}

bool fer_wares_pending(const fer_wares *w)
{
    for (const fer_server *s = w->servers; s; s = s->next) {
        if (is_awaited(&s->stocks)) return true;
        for (const fer_hoard *h = s->hoards; h; h = h->next)
            if (is_awaited(&h->stocks)) return true;
    }
    return false;
}

/* Lists of another tenant's are waited for by its clients alone. */
bool fer_wares_awaits(const fer_guest *g)
{
    for (const fer_server *s = g->server->wares.servers; s; s = s->next) {
        const fer_stocks *own = fer_wares_shows(g, s) ? fer_wares_stocks(g, s) : NULL;
        if (is_awaited(&s->stocks) || (own && is_awaited(own))) return true;
    }
    return false;
}

bool fer_wares_busy(const fer_wares *w)
{
    for (const fer_server *s = w->servers; s; s = s->next) {
        if (fer_stocks_busy(&s->stocks)) return true;
        for (const fer_hoard *h = s->hoards; h; h = h->next)
            if (fer_stocks_busy(&h->stocks)) return true;
    }
    return false;
}

static void give_up(fer_stocks *all, int64_t now)
{
    if (is_awaited(all) && all->wait_until <= now) all->late = true;
}

void fer_wares_give_up(fer_wares *w, int64_t now)
{
    for (fer_server *s = w->servers; s; s = s->next) {
        give_up(&s->stocks, now);
        for (fer_hoard *h = s->hoards; h; h = h->next) give_up(&h->stocks, now);
    }
}

static void sweep(fer_stocks *all, int64_t now)
{
    for (int i = 0; i < FER_WARE_KINDS; i++)
        if (all->each[i].arena && all->each[i].deadline <= now)
            drop(&all->each[i], "the list took too long");
}

void fer_wares_sweep(fer_wares *w, int64_t now)
{
    for (fer_server *s = w->servers; s; s = s->next) {
        sweep(&s->stocks, now);
        for (fer_hoard *h = s->hoards, *next; h; h = next) {
            next = h->next;
            sweep(&h->stocks, now);
        }
    }
}

void fer_wares_ready(fer_wares *w, fer_runner *r, const fer_token_owner *owner)
{
    fer_server *s = fer_wares_server(w, r);
    if (!s) return;
    if (!fer_token_owner_is_nobody(owner)) {
        fer_hoard *h = fer_hoard_find(s, owner);
        if (h) h->stocks.late = false;
        if (h) fetch_owned(s, h, true);
        return;
    }
    unsigned could = s->can;
    bool was = s->known;
    note_abilities(s);
    s->stocks.late = false;
    for (int i = 0; i < FER_WARE_KINDS; i++)
        if (has(s, (fer_ware_kind)i)) ask(&s->stocks.each[i]);
    /* Tasks of one that has taken another's place are watched where it knows such. */
    if (s->can & ~could & FER_CAN_TASKS) fer_front_watch_again(w->front, s);
    if (!was || could != s->can) fer_front_wares_known(w->front);
}

void fer_wares_changed(fer_wares *w, fer_runner *r, const fer_token_owner *owner,
                       fer_ware_kind kind)
{
    fer_server *s = fer_wares_server(w, r);
    bool shared = fer_token_owner_is_nobody(owner);
    fer_hoard *h = s && !shared ? fer_hoard_find(s, owner) : NULL;
    if (!s || (!h && !shared)) return; /* nobody has asked for it */
    fer_stock *t = h ? &h->stocks.each[kind] : &s->stocks.each[kind];
    t->told = true;
    ask(t);
}

/* ---- life ------------------------------------------------------------------------------------ */

void fer_wares_init(fer_wares *w, fer_front *s)
{
    *w = (fer_wares){.front = s};
}

void fer_wares_deinit(fer_wares *w)
{
    while (w->servers) {
        fer_server *s = w->servers;
        w->servers = s->next;
        /* A runner that is gone has ended its requests. */
        bool there = s->runner && fer_gateway_runner(w->front->options.gateway, FER_BACKEND_MCP,
                                                     s->name) == s->runner;
        fer_stocks_deinit(&s->stocks, there);
        fer_hoards_free(s, there);
        fer_server_forget_past(s);
        fer_server_forget_list(s);
        fer_sys_free((void *)(uintptr_t)s->name.ptr);
        fer_sys_free(s);
    }
}

/* ---- what they can do and say ---------------------------------------------------------------- */

unsigned fer_wares_can(fer_guest *g, bool *any)
{
    unsigned can = 0;
    *any = false;
    fer_wares_look(&g->server->wares);
    for (const fer_server *s = g->server->wares.servers; s; s = s->next) {
        if (!fer_wares_shows(g, s)) continue;
        *any = true;
        can |= s->can;
    }
    return can;
}

fer_str fer_server_instructions(const fer_server *s)
{
    if (s->past) return s->instructions;
    return fer_mcp_client_instructions(s->runner->kind->mcp(s->runner, NULL, FER_STR("")));
}

/* Connecting says nothing of its tools yet: what was kept counts until they are listed. */
fer_str fer_server_rest(const fer_server *s)
{
    fer_mcp_info info;
    if (!s->runner) return s->past_rest;
    fer_mcp_client *client = s->runner->kind->mcp(s->runner, NULL, FER_STR(""));
    fer_mcp_client_info(client, &info);
    return info.lists ? fer_mcp_client_rest(client) : s->past_rest;
}

void fer_wares_add_instructions(fer_guest *g, fer_buf *b, size_t max)
{
    bool plain = g->mode == FER_SERVE_TRANSPARENT;
    size_t start = b->len;
    fer_wares_look(&g->server->wares);
    for (const fer_server *s = g->server->wares.servers; s; s = s->next) {
        if (!s->known || !fer_wares_shows(g, s)) continue;
        fer_str words = fer_server_instructions(s);
        size_t used = b->len - start + s->name.len + 8;
        if (!words.len || used >= max) continue;
        if (!plain) {
            if (b->len) fer_buf_add_text(b, "\n\n");
            fer_buf_add(b, s->name);
            fer_buf_add_text(b, ": ");
        }
        fer_buf_add(b, fer_str_head(words, plain ? FER_MCP_SAID_MAX : max - used));
    }
}

bool fer_wares_news(const fer_guest *g, fer_ware_kind kind)
{
    for (const fer_server *s = g->server->wares.servers; s; s = s->next) {
        const fer_stocks *own = fer_wares_shows(g, s) ? fer_wares_stocks(g, s) : NULL;
        if (own && own->each[kind].news) return true;
    }
    return false;
}

static void were_told(fer_stocks *all)
{
    for (int i = 0; i < FER_WARE_KINDS; i++) all->each[i].news = false;
}

void fer_wares_told(fer_wares *w)
{
    for (fer_server *s = w->servers; s; s = s->next) {
        were_told(&s->stocks);
        for (fer_hoard *h = s->hoards; h; h = h->next) were_told(&h->stocks);
    }
}
