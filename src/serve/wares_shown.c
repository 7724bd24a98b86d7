/* SPDX-License-Identifier: Apache-2.0 */
/* What clients see of it: names, and the way back from a name to a server. */
#include "errors.h"
#include "fields.h"
#include "json_skim.h"
#include "json_value.h"
#include "rpc.h"
#include "serve_parts.h"
#include "wares.h"

/* ---- all things of a kind -------------------------------------------------------------------- */

static fer_code add_thing(fer_counter *c, size_t *cap, fer_server *s, const fer_json *doc,
                          const yyjson_val *item, fer_str bytes, fer_ware_kind kind, fer_err *err)
{
    const yyjson_val *key = fer_is_obj(item) ? fer_val_get(item, fer_ware_rows[kind].key) : NULL;
    if (!fer_is_str(key)) return FER_OK; /* nobody could ask for it */
    fer_ware *list = fer_arena_room(c->arena, c->list, c->count, cap, sizeof *list);
    if (!list) return fer_arena_failed(c->arena, err);
    c->list = list;
    c->list[c->count++] = (fer_ware){.server = s,
                                     .key = fer_val_str(key),
                                     .own = fer_val_str(key),
                                     .json = bytes,
                                     .name = fer_rpc_bytes(doc, key)};
    return FER_OK;
}

static fer_code add_stock(fer_counter *c, size_t *cap, const fer_stock *t, fer_err *err)
{
    fer_json *doc;
    fer_str text = fer_arena_printf(c->arena, "[%.*s]", FER_PRI(t->items));
    if (!text.ptr) return fer_arena_failed(c->arena, err);
    fer_code code = fer_json_read(c->arena, text, fer_json_limits_file(), &doc, err);
    if (code) return code;
    size_t at = fer_skim_space(text, 1);
    FER_EACH_ITEM (fer_json_root(doc), item) {
        size_t stop = fer_skim_value(text, at);
        code = add_thing(c, cap, t->server, doc, item, fer_str_slice(text, at, stop), t->kind, err);
        if (code) return code;
        at = fer_skim_space(text, stop);
        if (text.ptr[at] == ',') at = fer_skim_space(text, at + 1);
    }
    return FER_OK;
}

static fer_str other_name(fer_arena *a, const fer_ware *x, fer_ware_kind kind)
{
    if (kind == FER_WARE_PROMPT)
        return fer_arena_printf(a, "%.*s__%.*s", FER_PRI(x->server->name), FER_PRI(x->own));
    return fer_arena_printf(a, FER_WARES_PREFIX "%.*s/%.*s", FER_PRI(x->server->name),
                            FER_PRI(x->own));
}

/* Two of one server are that server's own affair. */
static fer_code give_names(fer_counter *c, fer_ware_kind kind, bool plain, fer_err *err)
{
    fer_map owners;
    static char several;
    fer_map_init(&owners, c->arena);
    fer_map_init(&c->keys, c->arena);
    for (size_t i = 0; i < c->count; i++) {
        void **slot = fer_map_put(&owners, c->list[i].own);
        if (!slot) return fer_arena_failed(c->arena, err);
        *slot = *slot && *slot != c->list[i].server ? &several : (void *)c->list[i].server;
    }
    for (size_t i = 0; i < c->count; i++) {
        fer_ware *x = &c->list[i];
        if (!plain && fer_map_get(&owners, x->own) == &several)
            x->key = other_name(c->arena, x, kind);
        void **slot = x->key.ptr ? fer_map_put(&c->keys, x->key) : NULL;
        if (!slot) return fer_arena_failed(c->arena, err);
        if (!*slot) *slot = x;
    }
    return FER_OK;
}

static fer_code make(const fer_guest *g, fer_ware_kind kind, fer_counter *c, fer_err *err)
{
    size_t cap = 0;
    bool plain = g->mode == FER_SERVE_TRANSPARENT;
    for (const fer_server *s = g->server->wares.servers; s; s = s->next) {
        const fer_stocks *own = fer_wares_shows(g, s) ? fer_wares_stocks(g, s) : NULL;
        fer_code code = own ? add_stock(c, &cap, &own->each[kind], err) : FER_OK;
        if (code) return code;
    }
    return give_names(c, kind, plain, err);
}

const fer_counter *fer_wares_all(fer_guest *g, fer_ware_kind kind, fer_err *err)
{
    fer_wares *w = &g->server->wares;
    fer_counter *c = &g->counters[kind];
    fer_wares_look(w);
    if (c->arena && c->version == w->versions[kind]) return c;
    fer_counter made = {.arena = fer_arena_new(0), .version = w->versions[kind]};
    fer_code code = made.arena ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = make(g, kind, &made, err);
    if (code) {
        fer_arena_free(made.arena);
        return NULL;
    }
    fer_arena_free(c->arena);
    *c = made;
    return c;
}

/* To a tenant with a token of its own it is what that was told. */
static fer_str rest_of_tools(const fer_guest *g, const fer_server *s)
{
    fer_asker who = fer_guest_asker(g, 0);
    fer_token_owner owner = fer_token_owner_of(s->share, who.owner.tenant, who.owner.principal);
    if (fer_token_owner_is_nobody(&owner)) return fer_server_rest(s);
    fer_mcp_client *client = s->runner->kind->mcp(s->runner, &who, FER_STR(""));
    return client ? fer_mcp_client_rest(client) : FER_STR("");
}

fer_str fer_wares_rest(const fer_guest *g, fer_ware_kind kind)
{
    if (g->mode != FER_SERVE_TRANSPARENT) return FER_STR("");
    fer_wares_look(&g->server->wares);
    const fer_server *s = g->server->wares.servers;
    while (s && !fer_wares_shows(g, s)) s = s->next;
    if (!s) return FER_STR("");
    if (kind == FER_WARE_KINDS) return rest_of_tools(g, s);
    const fer_stocks *own = fer_wares_stocks(g, s);
    return own ? own->each[kind].rest : FER_STR("");
}

void fer_ware_write(const fer_ware *x, fer_buf *b)
{
    if (fer_str_eq(x->key, x->own)) {
        fer_buf_add(b, x->json);
        return;
    }
    size_t at = (size_t)(x->name.ptr - x->json.ptr);
    fer_buf_add(b, fer_str_slice(x->json, 0, at));
    fer_buf_add_quoted(b, x->key);
    fer_buf_add(b, fer_str_slice(x->json, at + x->name.len, x->json.len));
}

const fer_ware *fer_wares_find(fer_guest *g, fer_ware_kind kind, fer_str key)
{
    const fer_counter *c = fer_wares_all(g, kind, NULL);
    return c ? fer_map_get(&c->keys, key) : NULL;
}

/* ---- whose resource it is -------------------------------------------------------------------- */

/* ferrule://NAMESPACE/URI */
static fer_server *named_by(const fer_guest *g, fer_str uri, fer_str *own)
{
    if (!fer_str_starts(uri, FER_WARES_PREFIX)) return NULL;
    fer_str rest = fer_str_slice(uri, sizeof FER_WARES_PREFIX - 1, uri.len);
    size_t slash = fer_str_find(rest, 0, '/');
    if (slash == SIZE_MAX) return NULL;
    for (fer_server *s = g->server->wares.servers; s; s = s->next) {
        if (!fer_str_eq(s->name, fer_str_slice(rest, 0, slash)) || !fer_wares_shows(g, s)) continue;
        *own = fer_str_slice(rest, slash + 1, rest.len);
        return s;
    }
    return NULL;
}

static bool is_in(fer_server *const *list, size_t count, const fer_server *s)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == s) return true;
    return false;
}

/* What stands before the first variable of a template. */
static bool begins_like(fer_str template, fer_str uri)
{
    size_t brace = fer_str_find(template, 0, '{');
    size_t len = brace == SIZE_MAX ? template.len : brace;
    return len && len <= uri.len &&
           fer_str_eq(fer_str_slice(template, 0, len), fer_str_slice(uri, 0, len));
}

size_t fer_wares_holders(fer_guest *g, fer_str uri, fer_server **out, size_t max, fer_str *own)
{
    const fer_ware *x = fer_wares_find(g, FER_WARE_RESOURCE, uri);
    const fer_counter *templates = fer_wares_all(g, FER_WARE_TEMPLATE, NULL);
    size_t count = 0;
    *own = uri;
    fer_server *named = x ? x->server : named_by(g, uri, own);
    if (x) *own = x->own;
    if (named && max) {
        out[0] = named;
        return 1;
    }
    for (size_t i = 0; templates && i < templates->count && count < max; i++) {
        fer_server *s = templates->list[i].server;
        if (begins_like(templates->list[i].own, uri) && !is_in(out, count, s)) out[count++] = s;
    }
    for (fer_server *s = g->server->wares.servers; s && count < max; s = s->next) {
        bool may = fer_wares_shows(g, s) && (!s->known || s->can & FER_CAN_RESOURCES);
        if (may && !is_in(out, count, s)) out[count++] = s;
    }
    return count;
}
