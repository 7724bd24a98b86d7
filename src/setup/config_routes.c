/* SPDX-License-Identifier: Apache-2.0 */
/* The section `tools`: where single tools run, the backend that is tried first in front. */
#include "config_parts.h"
#include "near.h"

/* What a backend may be called by, and the kind that it is then. */
static const struct place_row {
    const char *key;
    const char *what;
    fer_backend_kind kind;
} place_rows[] = {
    {"command", "command", FER_BACKEND_LOCAL},
    {"api", "API", FER_BACKEND_PROVIDER},
    {"server", "MCP server", FER_BACKEND_MCP},
};

static fer_str command_namespace(const fer_config_command *c)
{
    fer_id id;
    return fer_id_parse(c->id, &id, NULL) || !id.ns.len ? FER_CONFIG_NO_NAMESPACE : id.ns;
}

/* The `index`-th thing of a kind: what it is called, and its namespace. False: there is none. */
static bool thing_at(const fer_config *c, fer_backend_kind kind, size_t index, fer_str *name,
                     fer_str *ns)
{
    switch (kind) {
    case FER_BACKEND_LOCAL:
        if (index >= c->command_count) return false;
        *name = *ns = command_namespace(&c->commands[index]);
        return true;
    case FER_BACKEND_PROVIDER:
        if (index >= c->api_count) return false;
        *name = c->apis[index].name;
        *ns = c->apis[index].ns;
        return true;
    default:
        if (index >= c->server_count) return false;
        *name = c->servers[index].name;
        *ns = c->servers[index].ns;
        return true;
    }
}

/* The namespace of what is called so; told where there is no such thing. */
static fer_str find_thing(fer_configure *c, const struct place_row *row, const yyjson_val *at)
{
    fer_str wanted = fer_val_str(at), name = FER_STR_NONE, ns = FER_STR_NONE;
    fer_near near;
    fer_near_init(&near, wanted);
    for (size_t i = 0; thing_at(c->out, row->kind, i, &name, &ns); i++) {
        if (fer_str_eq(name, wanted) || fer_str_eq(ns, wanted)) return ns;
        fer_near_try(&near, name);
    }
    wanted = fer_str_head(wanted, 100);
    if (near.best.ptr)
        FER_CONFIG_ERROR(c, at, "there is no %s \"%.*s\"; did you mean \"%.*s\"?", row->what,
                         FER_PRI(wanted), FER_PRI(near.best));
    else FER_CONFIG_ERROR(c, at, "there is no %s \"%.*s\" here", row->what, FER_PRI(wanted));
    return FER_STR_NONE;
}

static bool take_backend(fer_configure *c, const yyjson_val *item, fer_backend *out)
{
    if (!fer_is_obj(item)) return false;
    for (size_t i = 0; i < FER_COUNT(place_rows); i++) {
        const yyjson_val *at = fer_val_get(item, place_rows[i].key);
        if (!fer_is_str(at)) continue;
        out->kind = place_rows[i].kind;
        out->name = find_thing(c, &place_rows[i], at);
        out->tool = fer_configure_text(item, "tool");
        return out->name.ptr != NULL;
    }
    return false; /* the schema has told */
}

static void take_route(fer_configure *c, const yyjson_val *key, fer_config_route *route)
{
    const yyjson_val *list = fer_val_get(key + 1, "backends");
    fer_id id;
    fer_err err = {0};
    if (fer_id_parse(fer_val_str(key), &id, &err))
        FER_CONFIG_ERROR(c, key, "this is no ID of a tool: %.400s", err.message);
    if (!fer_is_arr(list)) return;
    fer_backend *own = fer_arena_alloc_zero(c->a, fer_val_len(list) + 1, sizeof *own);
    if (!own) {
        fer_configure_no_memory(c);
        return;
    }
    *route = (fer_config_route){.tool = fer_val_str(key), .backends = own};
    FER_EACH_ITEM (list, item)
        if (take_backend(c, item, &own[route->count])) route->count++;
}

void fer_configure_routes(fer_configure *c, const yyjson_val *tools)
{
    size_t most = fer_is_obj(tools) ? fer_val_len(tools) : 0;
    fer_config_route *list = most ? fer_arena_alloc_zero(c->a, most, sizeof *list) : NULL;
    if (most && !list) fer_configure_no_memory(c);
    if (!list) return;
    FER_EACH_MEMBER (tools, key) {
        if (!fer_is_obj(key + 1)) continue;
        take_route(c, key, &list[c->out->route_count]);
        if (c->failure) return;
        c->out->route_count += list[c->out->route_count].count > 0;
    }
    c->out->routes = list;
}

void fer_configure_add_routes(fer_buf *b, const fer_config *c)
{
    fer_buf_add_text(b, ",\"tools\":[");
    for (size_t i = 0; i < c->route_count; i++) {
        const fer_config_route *r = &c->routes[i];
        if (i) fer_buf_add_char(b, ',');
        fer_buf_add_char(b, '[');
        fer_buf_add_quoted(b, r->tool);
        for (size_t k = 0; k < r->count; k++) {
            fer_buf_printf(b, ",[%d,", (int)r->backends[k].kind);
            fer_buf_add_quoted(b, r->backends[k].name);
            fer_buf_add_char(b, ',');
            fer_buf_add_quoted(b, r->backends[k].tool);
            fer_buf_add_char(b, ']');
        }
        fer_buf_add_char(b, ']');
    }
    fer_buf_add_char(b, ']');
}
