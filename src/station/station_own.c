/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tenants are shown of a server's tools with tokens of their own (own_tools.h), and the
 * catalogue. A tool that it does not have yet is registered, by the same checks as any other, and
 * seen by those alone who are shown it. Of a tool that it has, its definition stays: the operator's
 * where the operator is shown the tool, else that of the tenant who came first. Who is shown
 * another has it under an ID of its own (own_id.h), which the log and the ledger are told; a tool
 * that nobody else is shown as the catalogue has it changes, as a server's tools do.
 *
 * The life of a definition of one tenant's: registered, or held back where it would be a change of
 * the catalogue's that is -> changed when the tenant is shown another, and judged against the one
 * before -> taken out when the tenant is shown what the catalogue has, or the tool no more. Of a
 * tenant that is not here it stays, as long as there is room.
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
#include "own_id.h"
#include "rpc.h"
#include "station_parts.h"

bool fer_place_is_owned(const fer_place_of_tools *p)
{
    const fer_runner *r = p->runner;
    return r->share != FER_TOKENS_SHARED && r->kind->backend == FER_BACKEND_MCP && r->kind->list;
}

/* One list at work. */
typedef struct visit {
    fer_station *station;
    fer_place_of_tools *place;
    const fer_own_news *news;
    fer_arena *arena;
    fer_view *view;
    fer_batch *fresh; /* what the catalogue is to take */
    size_t room;      /* tools that it may still have of the server */
    size_t bytes;     /* that definitions of single tenants may still have */
    size_t differ;
} visit;

/* ---- definitions that are for one owner alone ---------------------------------------------------
 */

static fer_entry *entry_in(const fer_table *t, fer_str id)
{
    return (fer_entry *)(void *)fer_table_get(t, id);
}

/* The ranks of what is in a namespace. */
static void range_of(const fer_table *t, fer_str ns, size_t *from, size_t *to)
{
    char key[FER_NAME_MAX + 1];
    size_t len = ns.len < FER_NAME_MAX ? ns.len : FER_NAME_MAX;
    memcpy(key, ns.ptr, len);
    key[len] = ':';
    *from = fer_table_rank(t, (fer_str){key, len + 1});
    key[len] = ':' + 1;
    *to = fer_table_rank(t, (fer_str){key, len + 1});
}

/* Those of a namespace, served (once each) and held back alone. */
typedef bool each_own(void *context, fer_entry *e);

static bool walk_own(const fer_view *v, fer_str ns, each_own *take, void *context)
{
    const fer_table *tables[] = {&v->tools, &v->pending};
    for (size_t k = v->own ? 0 : 1; k < FER_COUNT(tables); k++) {
        size_t from, to, n;
        fer_value *const *run;
        range_of(tables[k], ns, &from, &to);
        for (size_t at = from; at < to && (run = fer_table_run(tables[k], at, &n)); at += n) {
            for (size_t i = 0; i < n && at + i < to; i++) {
                bool again = k && fer_table_get(&v->tools, run[i]->key);
                if (!again && fer_id_is_own(run[i]->key) &&
                    !take(context, (fer_entry *)(void *)run[i]))
                    return false;
            }
        }
    }
    return true;
}

/* What they take up. */
typedef struct space_taken {
    const fer_view *view;
    size_t held; /* that are held back alone */
    size_t bytes;
} space_taken;

static bool add_space(void *context, fer_entry *e)
{
    space_taken *taken = context;
    const fer_entry *served = entry_in(&taken->view->tools, e->value.key);
    const fer_entry *held = entry_in(&taken->view->pending, e->value.key);
    taken->held += !served;
    taken->bytes += (served ? served->size : 0) + (held ? held->size : 0);
    return true;
}

static size_t tools_of(const fer_view *v, fer_str ns)
{
    const fer_space *space = (const fer_space *)(const void *)fer_table_get(&v->spaces, ns);
    return space ? space->tools : 0;
}

/* All that the catalogue has of a server. */
static size_t count_all(const fer_view *v, fer_str ns, size_t *bytes)
{
    space_taken taken = {.view = v};
    walk_own(v, ns, add_space, &taken);
    *bytes = taken.bytes;
    return tools_of(v, ns) + taken.held;
}

typedef struct sweeping {
    const fer_place_of_tools *place; /* NULL: nothing stays */
    fer_str server;
    const fer_view *view;
    fer_batch *batch;
    fer_str mark; /* of one owner; empty: all */
    bool full;
    size_t count;
    fer_code code;
    fer_err *err;
} sweeping;

static bool runs_at(fer_entry *e, fer_str server)
{
    const fer_body *b;
    fer_str list, kind, name, tool;
    if (fer_entry_body(e, &b, NULL)) return false;
    list = fer_body_text(b, FER_TEXT_BACKENDS);
    return fer_list_next(&list, &kind) && fer_list_next(&list, &name) &&
           fer_list_next(&list, &tool) && fer_str_eq(name, server);
}

static bool sweep(void *context, fer_entry *e)
{
    sweeping *w = context;
    const fer_place_of_tools *p = w->place;
    if (w->mark.len && !fer_str_eq(w->mark, fer_id_mark(e->value.key))) return true;
    if (!runs_at(e, w->server)) return true; /* two may share a namespace */
    if (p && fer_own_tools_wants(p->station->gateway, p->runner, w->view, e, w->full)) return true;
    w->count++;
    w->code = fer_batch_remove(w->batch, e->value.key, w->err);
    return !w->code;
}

fer_code fer_station_drop_own(const fer_view *v, fer_str server, fer_str ns, fer_batch *b,
                              size_t *count, fer_err *err)
{
    sweeping w = {.server = server, .view = v, .batch = b, .err = err};
    walk_own(v, ns, sweep, &w);
    *count += w.count;
    return w.code;
}

fer_code fer_station_sweep_own(const fer_place_of_tools *p, fer_str mark, fer_err *err)
{
    size_t bytes;
    fer_view *v = fer_catalog_view(p->station->catalog);
    fer_batch *b = fer_batch_new();
    sweeping w = {
        .place = p, .server = p->runner->name, .view = v, .batch = b, .mark = mark, .err = err};
    size_t all = count_all(v, p->ns, &bytes);
    w.full = !mark.len && (all >= p->tools + FER_STATION_THEIRS || bytes >= FER_STATION_OWN_BYTES);
    if (b) walk_own(v, p->ns, sweep, &w);
    else w.code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!w.code && w.count) w.code = fer_catalog_apply(p->station->catalog, b, err);
    fer_batch_free(b);
    fer_view_unref(v);
    return w.code;
}

/* ---- a list that has come -----------------------------------------------------------------------
 */

static bool is_held(const fer_view *v, const fer_body *b)
{
    const fer_body *held;
    fer_entry *e = entry_in(&v->pending, fer_body_text(b, FER_TEXT_ID));
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

/* As a definition that is held back is told, with whose it is: its ID does not say. */
static void tell_other(visit *k, fer_str id, bool seen)
{
    const fer_station *s = k->station;
    const fer_keeper *keeper = &s->gateway->keeper;
    char text[FER_OWN_ID];
    fer_buf b, own;
    k->differ++;
    fer_buf_init_fixed(&own, text, sizeof text);
    if (seen) fer_own_id_write(&own, id, k->news->mark);
    fer_log_write(&s->log, FER_LOG_INFO, "definition.other",
                  (const struct fer_log_field[]){FER_LOG_S("tool", id),
                                                 FER_LOG_S("own", fer_buf_view(&own)),
                                                 FER_LOG_S("tenant", k->news->owner->tenant),
                                                 FER_LOG_S("principal", k->news->owner->principal),
                                                 {0}});
    fer_buf_init(&b, k->arena, FER_LEDGER_BODY);
    fer_buf_add_text(&b, "{\"as\":\"other\",\"own\":");
    fer_buf_add_quoted(&b, fer_buf_view(&own));
    fer_buf_add_text(&b, ",\"tool\":");
    fer_buf_add_quoted(&b, id);
    fer_buf_add_text(&b, ",\"what\":\"definition\"}");
    fer_ledger_record r = {FER_LEDGER_DEFINITION, k->news->owner->tenant, fer_buf_view(&b)};
    if (keeper->append && !b.failure) keeper->append(keeper->context, &r, NULL, NULL, NULL);
}

static fer_code take_room(visit *k, fer_err *err)
{
    if (!k->room)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "station.theirs: at most %d tools that only tenants are shown",
                        FER_STATION_THEIRS);
    k->room--;
    return FER_OK;
}

/* The definition of the tenant's own, in place of the one before. */
static fer_code put_own(visit *k, const fer_body *b, fer_str json, bool first, fer_err *err)
{
    fer_backend backend = {k->place->runner->kind->backend, k->place->name, FER_STR("")};
    fer_put_options o = {.ns = k->place->ns, .backend = &backend};
    if (b->size > k->bytes)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "station.own_bytes: definitions of single tenants have at most %zu bytes",
                        FER_STATION_OWN_BYTES);
    fer_code code = first ? take_room(k, err) : FER_OK;
    if (code) return code;
    k->bytes -= b->size;
    if (first) tell_other(k, fer_body_text(b, FER_TEXT_ID), true);
    fer_batch_for_owner(k->fresh, k->news->mark);
    code = fer_batch_add(k->fresh, k->place->name, json, FER_FORMAT_JSON, &o, err);
    fer_batch_for_owner(k->fresh, FER_STR(""));
    return code;
}

/* Whether the tenant has one of its own; `*same`: this one, and no other waits. */
static bool has_own(const visit *k, const fer_body *b, bool *same)
{
    char text[FER_OWN_ID];
    const fer_body *its;
    fer_buf id;
    fer_buf_init_fixed(&id, text, sizeof text);
    fer_own_id_write(&id, fer_body_text(b, FER_TEXT_ID), k->news->mark);
    fer_entry *served = id.failure ? NULL : entry_in(&k->view->tools, fer_buf_view(&id));
    fer_entry *held = id.failure ? NULL : entry_in(&k->view->pending, fer_buf_view(&id));
    fer_entry *last = held ? held : served;
    *same = last && !fer_entry_body(last, &its, NULL) && fer_own_tools_same(its, b);
    return last != NULL;
}

static fer_code take(visit *k, const fer_body *b, fer_str json, fer_err *err)
{
    const fer_body *served;
    fer_str id = fer_body_text(b, FER_TEXT_ID);
    bool there = !fer_view_body(k->view, id, &served, NULL), same;
    if (there && (fer_own_tools_same(served, b) || runs_elsewhere(k, served))) return FER_OK;
    if (has_own(k, b, &same)) return same ? FER_OK : put_own(k, b, json, false, err);
    if (there && is_held(k->view, b)) return FER_OK;
    if (there && !may_change(k, served)) {
        fer_map records;
        fer_code code = fer_station_records(k->station, k->arena, k->place->ns, &records, err);
        if (code) return code;
        if (!fer_map_get(&records, fer_body_text(b, FER_TEXT_NAME)))
            return put_own(k, b, json, true, err);
        tell_other(k, id, false); /* the operator's own counts more: it is not seen */
        return FER_OK;
    }
    fer_code code = there ? FER_OK : take_room(k, err);
    return code ? code : fer_place_add_shown(k->place, k->arena, k->fresh, json, err);
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

/* What there is no room for does not keep the others out. */
static fer_code look_at_all(visit *k, fer_err *err)
{
    fer_json *doc;
    size_t bytes, there = count_all(k->view, k->place->ns, &bytes);
    size_t max = k->place->tools + FER_STATION_THEIRS;
    fer_code code = fer_json_read(k->arena, k->news->json, fer_json_limits_file(), &doc, err);
    k->room = there < max ? max - there : 0;
    k->bytes = bytes < FER_STATION_OWN_BYTES ? FER_STATION_OWN_BYTES - bytes : 0;
    if (code || !fer_is_arr(fer_json_root(doc))) return code;
    FER_EACH_ITEM (fer_json_root(doc), tool) {
        bool full = code == FER_LIMIT_EXCEEDED;
        fer_code one =
            code && !full ? code : look_at(k, fer_rpc_bytes(doc, tool), full ? NULL : err);
        if (one) code = one;
    }
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
    if (!s->waiting) fer_station_save(s);
    if (k->fresh->count) fer_station_say_held(s);
}

static fer_place_of_tools *place_of(const fer_station *s, const fer_runner *r)
{
    for (size_t i = 0; i < s->place_count; i++)
        if (s->places[i]->runner == r) return s->places[i];
    return NULL;
}

static bool on_news(void *context, const fer_own_news *n)
{
    fer_station *s = context;
    fer_err err = {0};
    visit k = {.station = s, .place = place_of(s, n->runner), .news = n};
    if (!k.place) return true;
    if (n->code) {
        tell(&k, n->code, n->why);
        return true;
    }
    if (k.place->asking) return false; /* until the operator's is there */
    k.arena = fer_arena_new(0);
    k.fresh = fer_batch_new();
    k.view = fer_catalog_view(s->catalog);
    fer_code code = k.arena && k.fresh ? look_at_all(&k, &err)
                                       : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code swept = fer_station_sweep_own(k.place, n->mark, code ? NULL : &err);
    if (!code) code = swept;
    tell(&k, code, err.message);
    /* Where there are too many, the operator's list takes out what nobody is shown. */
    k.differ += code == FER_LIMIT_EXCEEDED;
    if (!code || code == FER_LIMIT_EXCEEDED) finish(&k);
    fer_view_unref(k.view);
    fer_batch_free(k.fresh);
    fer_arena_free(k.arena);
    return true;
}

void fer_station_begin_own(fer_station *s)
{
    fer_gateway_on_own_tools(s->gateway, on_news, s);
}

void fer_place_look_again(fer_place_of_tools *p)
{
    if (!fer_place_is_owned(p)) return;
    fer_view *v = fer_catalog_view(p->station->catalog);
    bool other = fer_view_version(v) != p->looked;
    p->looked = fer_view_version(v);
    fer_own_tools_ask_again(p->station->gateway, p->runner, other ? v : NULL);
    fer_view_unref(v);
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
    size_t bytes;
    bool full = count_all(v, p->ns, &bytes) >= shown->count + FER_STATION_THEIRS;
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
