/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tenants are shown of a server's tools with tokens of their own (own_tools.h), and the
 * catalogue. A tool that it does not have yet is registered, by the same checks as any other, and
 * seen by those alone who are shown it. Of a tool that it has, its definition stays: the operator's
 * where the operator is shown the tool, else that of the tenant who came first. Whoever is shown
 * another does not see the tool, which the log and the ledger are told; a tool that nobody else is
 * shown as the catalogue has it changes, as a server's tools do.
 *
 * The operator's list comes first: what tenants are shown while it is under way is looked at after
 * it. What only tenants are shown stays in the catalogue when they leave, so that a definition that
 * has changed meanwhile is judged (`quarantine`); where there are too many, what nobody is shown
 * goes.
 */
#include "batch.h"
#include "buf.h"
#include "errors.h"
#include "gateway_parts.h"
#include "json_value.h"
#include "rpc.h"
#include "station_parts.h"

bool fer_place_is_owned(const fer_place_of_tools *p)
{
    const fer_runner *r = p->runner;
    return r->share != FER_TOKENS_SHARED && r->kind->backend == FER_BACKEND_MCP && r->kind->list;
}

/* ---- a list that a tenant is shown --------------------------------------------------------------
 */

/* One list at work. */
typedef struct visit {
    fer_station *station;
    fer_place_of_tools *place;
    const fer_own_news *news;
    fer_arena *arena;
    fer_view *view;
    fer_batch *fresh; /* what the catalogue is to take */
    size_t room;      /* tools that it may still have of the server */
    size_t differ;
} visit;

static bool is_held(const fer_view *v, const fer_body *b)
{
    const fer_body *held;
    fer_entry *e = (fer_entry *)(void *)fer_table_get(&v->pending, fer_body_text(b, FER_TEXT_ID));
    return e && !fer_entry_body(e, &held, NULL) && fer_own_tools_same(held, b);
}

/* Whether a tool runs somewhere else, too: its definition is the operator's own. */
static bool runs_elsewhere(const visit *k, const fer_body *b)
{
    fer_str list = fer_body_text(b, FER_TEXT_BACKENDS), kind, name, tool;
    while (fer_list_next(&list, &kind) && fer_list_next(&list, &name) &&
           fer_list_next(&list, &tool))
        if (!fer_str_eq(name, k->place->runner->name)) return true;
    return false;
}

/* Nobody else is shown it as the catalogue has it, and the operator not at all. */
static bool may_change(const visit *k, const fer_body *served)
{
    const fer_gateway *g = k->station->gateway;
    const fer_runner *r = k->place->runner;
    fer_str id = fer_body_text(served, FER_TEXT_ID);
    return !fer_own_tools_is_operators(g, r, id, true) && !fer_own_tools_is_shown(g, r, id, served);
}

/* As a definition that is held back is told, but for what nobody can approve. */
static void tell_other(visit *k, fer_str id)
{
    const fer_station *s = k->station;
    const fer_keeper *keeper = &s->gateway->keeper;
    fer_buf b;
    k->differ++;
    fer_log_write(&s->log, FER_LOG_WARN, "definition.other",
                  (const struct fer_log_field[]){FER_LOG_S("tool", id),
                                                 FER_LOG_S("tenant", k->news->owner->tenant),
                                                 FER_LOG_S("principal", k->news->owner->principal),
                                                 {0}});
    fer_buf_init(&b, k->arena, FER_LEDGER_BODY);
    fer_buf_add_text(&b, "{\"as\":\"other\",\"tool\":");
    fer_buf_add_quoted(&b, id);
    fer_buf_add_text(&b, ",\"what\":\"definition\"}");
    fer_ledger_record r = {FER_LEDGER_DEFINITION, k->news->owner->tenant, fer_buf_view(&b)};
    if (keeper->append && !b.failure) keeper->append(keeper->context, &r, NULL, NULL, NULL);
}

static fer_code take(visit *k, const fer_body *b, fer_str json, fer_err *err)
{
    const fer_body *served;
    fer_str id = fer_body_text(b, FER_TEXT_ID);
    bool there = !fer_view_body(k->view, id, &served, NULL);
    if (there &&
        (fer_own_tools_same(served, b) || is_held(k->view, b) || runs_elsewhere(k, served)))
        return FER_OK;
    if (there && !may_change(k, served)) {
        tell_other(k, id);
        return FER_OK;
    }
    if (!there && !k->room)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "station.theirs: at most %d tools that only tenants are shown",
                        FER_STATION_THEIRS);
    if (!there) k->room--;
    return fer_place_add_shown(k->place, k->arena, k->fresh, json, err);
}

/* Each is read alone, so that it is known which text an ID is of. */
static fer_code look_at(visit *k, fer_str bytes, fer_err *err)
{
    fer_backend backend = {k->place->runner->kind->backend, k->place->name, FER_STR("")};
    fer_put_options o = {.ns = k->place->ns, .backend = &backend};
    fer_str json = fer_arena_printf(k->arena, "[%.*s]", FER_PRI(bytes));
    fer_batch *one = json.ptr ? fer_batch_new() : NULL;
    fer_code code = one ? fer_batch_add(one, k->place->name, json, FER_FORMAT_JSON, &o, err)
                        : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code && one->count == 1 && one->ops[0].kind == FER_OP_PUT)
        code = take(k, one->ops[0].entry->body, json, err);
    fer_batch_free(one);
    return code;
}

static size_t tools_of(const fer_view *v, fer_str ns)
{
    const fer_space *space = (const fer_space *)(const void *)fer_table_get(&v->spaces, ns);
    return space ? space->tools : 0;
}

static fer_code look_at_all(visit *k, fer_err *err)
{
    fer_json *doc;
    size_t there = tools_of(k->view, k->place->ns);
    size_t max = k->place->tools + FER_STATION_THEIRS;
    fer_code code = fer_json_read(k->arena, k->news->json, fer_json_limits_file(), &doc, err);
    k->room = there < max ? max - there : 0;
    if (code || !fer_is_arr(fer_json_root(doc))) return code;
    FER_EACH_ITEM (fer_json_root(doc), tool)
        if (!code) code = look_at(k, fer_rpc_bytes(doc, tool), err);
    fer_code taken = k->fresh->count && (!code || code == FER_LIMIT_EXCEEDED)
                         ? fer_catalog_apply(k->station->catalog, k->fresh, code ? NULL : err)
                         : FER_OK;
    return code ? code : taken;
}

static void tell(const visit *k, fer_code code, const char *why)
{
    fer_log_write(&k->station->log, code ? FER_LOG_WARN : FER_LOG_INFO, "tools.own",
                  (const struct fer_log_field[]){
                      FER_LOG_S("server", k->place->name),
                      FER_LOG_S("tenant", k->news->owner->tenant),
                      FER_LOG_S("principal", k->news->owner->principal),
                      FER_LOG_S("code", fer_str_of(code ? fer_code_info(code)->name : "")),
                      FER_LOG_S("reason", fer_str_of(why)),
                      {0}});
}

/* The operator is shown the change, too, perhaps: then it is the catalogue that is behind. */
static void finish(visit *k)
{
    fer_station *s = k->station;
    if (k->differ) fer_station_changed(s, k->place->runner);
    if (k->fresh->count && !s->waiting) fer_station_save(s);
    if (k->fresh->count) fer_station_say_held(s);
}

static fer_place_of_tools *place_of(const fer_station *s, const fer_runner *r)
{
    for (size_t i = 0; i < s->place_count; i++)
        if (s->places[i]->runner == r) return s->places[i];
    return NULL;
}

static void on_news(void *context, const fer_own_news *n)
{
    fer_station *s = context;
    fer_err err = {0};
    visit k = {.station = s, .place = place_of(s, n->runner), .news = n};
    if (!k.place) return;
    if (n->code) {
        tell(&k, n->code, n->why);
        return;
    }
    if (k.place->asking) {
        k.place->theirs_wait = true;
        return;
    }
    k.arena = fer_arena_new(0);
    k.fresh = fer_batch_new();
    k.view = fer_catalog_view(s->catalog);
    fer_code code = k.arena && k.fresh ? look_at_all(&k, &err)
                                       : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    tell(&k, code, err.message);
    /* Where there are too many, the operator's list takes out what nobody is shown. */
    k.differ += code == FER_LIMIT_EXCEEDED;
    if (!code || code == FER_LIMIT_EXCEEDED) finish(&k);
    fer_view_unref(k.view);
    fer_batch_free(k.fresh);
    fer_arena_free(k.arena);
}

void fer_station_begin_own(fer_station *s)
{
    fer_gateway_on_own_tools(s->gateway, on_news, s);
}

void fer_place_look_again(fer_place_of_tools *p)
{
    if (!p->theirs_wait) return;
    p->theirs_wait = false;
    fer_own_tools_ask_again(p->station->gateway, p->runner);
}

/* ---- the operator's list -----------------------------------------------------------------------
 */

/* Whether a tool that the operator is not shown stays: it is a tenant's, or may be one's who was
 * here before. */
static bool is_theirs(const fer_place_of_tools *p, fer_str id, bool full)
{
    const fer_gateway *g = p->station->gateway;
    if (fer_own_tools_is_shown(g, p->runner, id, NULL)) return true;
    return !full && !fer_own_tools_is_operators(g, p->runner, id, false);
}

static fer_code gather(const fer_place_of_tools *p, fer_arena *a, const fer_map *shown,
                       fer_texts *out, fer_err *err)
{
    fer_view *v = fer_catalog_view(p->station->catalog);
    fer_filter filter = {.namespaces = {&p->ns, 1}};
    fer_page page = {.size = FER_PAGE_MAX};
    bool full = tools_of(v, p->ns) >= shown->count + FER_STATION_THEIRS;
    fer_str *ids = NULL;
    size_t cap = 0, count = 0;
    fer_code code = FER_OK;
    while (!code) {
        fer_summary *list;
        code = fer_view_list(a, v, &filter, &page, &list, &count, &page.token, err);
        for (size_t i = 0; !code && i < count; i++) {
            if (fer_map_get(shown, list[i].id) || !is_theirs(p, list[i].id, full)) continue;
            ids = fer_arena_room(a, ids, out->count, &cap, sizeof *ids);
            if (!ids) code = fer_arena_failed(a, err);
            else ids[out->count++] = list[i].id;
        }
        if (!page.token.len) break;
    }
    fer_view_unref(v);
    out->list = ids;
    return code;
}

fer_code fer_station_keep_theirs(const fer_place_of_tools *p, fer_arena *a, fer_map *shown,
                                 fer_err *err)
{
    fer_texts theirs = {0};
    if (!fer_place_is_owned(p)) return FER_OK;
    fer_code code = gather(p, a, shown, &theirs, err);
    if (!code) code = fer_own_tools_take_operators(p->station->gateway, p->runner, shown, err);
    for (size_t i = 0; !code && i < theirs.count; i++) {
        fer_str id = fer_arena_copy(a, theirs.list[i]);
        void **slot = id.ptr ? fer_map_put(shown, id) : NULL;
        if (!slot) code = fer_arena_failed(a, err);
        else *slot = a;
    }
    return code;
}
