/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule cost: what tools cost a context window, and what the meta tools cost in their place. */
#include <stdlib.h>

#include "client_choice.h"
#include "command_station.h"
#include "errors.h"
#include "exports.h"
#include "meta_tools.h"

typedef struct cost {
    fer_str ns;
    size_t tools, bytes;
} cost;

typedef struct costs {
    cost *list; /* of each namespace */
    size_t count, cap;
    cost all, meta;
} costs;

static fer_str ns_of(fer_str id)
{
    size_t colon = fer_str_find(id, 0, ':');
    return colon == SIZE_MAX ? FER_STR("") : fer_str_slice(id, 0, colon);
}

static cost *cost_of(fer_arena *a, costs *c, fer_str ns)
{
    for (size_t i = 0; i < c->count; i++)
        if (fer_str_eq(c->list[i].ns, ns)) return &c->list[i];
    cost *list = fer_arena_room(a, c->list, c->count, &c->cap, sizeof *list);
    if (!list) return NULL;
    c->list = list;
    c->list[c->count] = (cost){.ns = ns};
    return &c->list[c->count++];
}

/* A definition as a client would get it, and its comma. */
static fer_code add_tool(fer_arena *a, costs *c, const fer_exports *e, const fer_export *x,
                         fer_err *err)
{
    fer_arena *scratch = fer_arena_new(0);
    fer_buf b;
    if (!scratch) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_buf_init(&b, scratch, SIZE_MAX / 4);
    fer_code code = fer_export_write(scratch, e, x, fer_mcp_version_newest(false), &b, err);
    cost *one = code ? NULL : cost_of(a, c, ns_of(x->id));
    if (!code && !one) code = fer_arena_failed(a, err);
    if (!code) {
        one->tools++;
        one->bytes += b.len + 1;
        c->all.tools++;
        c->all.bytes += b.len + 1;
    }
    fer_arena_free(scratch);
    return code;
}

/* The dearest first. */
static int by_cost(const void *x, const void *y)
{
    const cost *a = x, *b = y;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return fer_str_cmp(a->ns, b->ns);
}

static fer_code count_all(fer_station *s, fer_exports *e, costs *c, fer_err *err)
{
    fer_exports_wish o = {.catalog = s->catalog};
    fer_buf b;
    fer_buf_init(&b, s->arena, SIZE_MAX / 4);
    size_t count = fer_meta_list(&b, fer_mcp_version_newest(false), s->config.code.enabled);
    c->meta = (cost){.tools = count, .bytes = b.len + fer_meta_instructions(FER_SERVE_META).len};
    fer_code code = fer_buf_code(&b, err);
    if (!code) code = fer_exports_refresh(e, &o, NULL, err);
    for (size_t i = 0; !code && i < e->count; i++)
        code = add_tool(s->arena, c, e, &e->list[i], err);
    if (c->count) qsort(c->list, c->count, sizeof *c->list, by_cost);
    return code;
}

static void write_row(fer_out *o, fer_str name, const cost *c)
{
    fer_out_printf(o, "%-24.*s %8zu %10zu %10zu\n", FER_PRI(name), c->tools, c->bytes,
                   fer_tokens_of(c->bytes));
}

static void write_text(fer_out *o, const costs *c)
{
    fer_out_printf(o, "%-24s %8s %10s %10s\n", "NAMESPACE", "TOOLS", "BYTES", "TOKENS");
    for (size_t i = 0; i < c->count; i++) write_row(o, c->list[i].ns, &c->list[i]);
    write_row(o, FER_STR("all tools, in full"), &c->all);
    write_row(o, FER_STR("meta tools"), &c->meta);
}

static void write_cost(fer_out *o, const cost *c)
{
    fer_out_printf(o, "\"tools\":%zu,\"bytes\":%zu,\"tokens\":%zu}", c->tools, c->bytes,
                   fer_tokens_of(c->bytes));
}

static void write_json(fer_out *o, const costs *c)
{
    fer_out_text(o, "{\"namespaces\":[");
    for (size_t i = 0; i < c->count; i++) {
        fer_out_text(o, i ? ",{\"name\":" : "{\"name\":");
        fer_out_json(o, c->list[i].ns);
        fer_out_text(o, ",");
        write_cost(o, &c->list[i]);
    }
    fer_out_text(o, "],\"all\":{");
    write_cost(o, &c->all);
    fer_out_text(o, ",\"meta\":{");
    write_cost(o, &c->meta);
    fer_out_text(o, "}\n");
}

int fer_run_cost(fer_app *app)
{
    fer_station s;
    fer_exports e = {0};
    costs c = {0};
    fer_err err = {0};
    const char *files[FER_CLIENT_FILES_MAX];
    size_t count = 0;
    fer_arena *a = fer_arena_new(0);
    if (!a) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        return fer_app_fail(app, &err);
    }
    int bad = fer_client_choose(app, a, files, &count);
    if (!bad)
        bad = fer_app_station_for(&s, app,
                                  &(struct fer_station_wants){.looks = true,
                                                              .files = files,
                                                              .file_count = count,
                                                              .found = fer_client_found(app)});
    if (bad) {
        fer_arena_free(a);
        return bad;
    }
    fer_station_ask(&s, FER_STR(""));
    fer_station_remark(&s);
    fer_code code = count_all(&s, &e, &c, &err);
    if (code) bad = fer_app_fail(app, &err);
    else if (fer_app_option(app, "json")) write_json(&app->out, &c);
    else write_text(&app->out, &c);
    fer_exports_deinit(&e);
    fer_station_deinit(&s);
    fer_arena_free(a);
    return bad;
}
